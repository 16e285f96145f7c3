//! Random scenarios. One seed gives one scenario, on every machine.

use std::sync::Arc;

use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Duration, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::parameter::Range;
use pagerace_page::intervention::Term;
use pagerace_page::{Interventions, ResourceId};
use pagerace_sim::{
    Connections, EarlyData, H3Discovery, LoadSettings, NameLookup, ObjectNeed, OriginRtt,
    ProtocolMap, RecordEnds, Reprioritisation, Retransmission, Scenario, TlsVersion, Visit,
};
use pagerace_transport::tls::ClientHello;

/// A scenario and its seed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) scenario: Scenario,
    pub(crate) seed: u64,
}

/// Draws one scenario.
pub(crate) fn case(seed: u64) -> Case {
    let mut draw = Draw(Rng::new(seed, "soak"));
    let page = draw.page();
    let network = draw.network();
    let mut scenario = Scenario {
        protocols: draw.protocols(page.origins.len()),
        strategy: draw.strategy(),
        visit: draw.of(&[Visit::Cold, Visit::Cold, Visit::Resumed, Visit::Warm]),
        reliability: draw
            .of(&[
                "full",
                "full",
                "full",
                "datagram:images,fonts,css,js",
                "datagram:fonts,ads",
                "deadline:500ms,repair",
                "deadline:50ms",
                "deadline:1ms,repair",
                "deadline:0.01ms",
                "deadline:5ms,fonts,images",
                "fec:0.1",
                "fec:0.5,repair",
                "late",
                "late:images",
                "adaptive",
                "adaptive:2ms",
                "adaptive:fonts",
            ])
            .parse()
            .unwrap_or_else(|e| panic!("{e}")),
        needs: Arc::new(draw.needs(page.resources.len())),
        interventions: draw.interventions(page.origins.len()),
        changes: pagerace_page::Changes::default(),
        congestion: draw.of(pagerace_cc::registry()).name.to_owned(),
        browser: BrowserConfig {
            profile: draw.of(&Profile::all().collect::<Vec<_>>()),
            cpu: draw.of(&[0.2, 1.0, 1.0, 4.0, 50.0]),
            jitter: draw.of(&[0.0, 0.1, 1.0]),
        },
        settings: draw.settings(),
        world: pagerace_sim::World::NOMINAL,
        page: Arc::new(page),
        network,
    };
    if scenario.visit != Visit::Cold {
        scenario.settings.real_tls = false;
    }
    Case { scenario, seed }
}

/// A stream of random choices.
pub(crate) struct Draw(pub(crate) Rng);

impl Draw {
    pub(crate) fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.below(values.len() as u64) as usize].clone()
    }

    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.0.chance(p)
    }

    /// A number between both, each order of magnitude as likely as the others.
    pub(crate) fn magnitude(&mut self, least: u64, most: u64) -> u64 {
        let (low, high) = ((least.max(1) as f64).ln(), (most as f64).ln());
        let drawn = (low + self.0.unit() * (high - low)).exp() as u64;
        drawn.clamp(least, most)
    }

    pub(crate) fn ms(&mut self, most: u64) -> Duration {
        if self.chance(0.3) {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.magnitude(1_000, most * 1_000_000))
    }

    pub(crate) fn id(&mut self, below: usize) -> ResourceId {
        ResourceId(self.0.below(below as u64) as u32)
    }

    pub(crate) fn size(&mut self) -> u64 {
        match self.0.below(20) {
            0 => 0,
            1 => 1,
            2..=8 => self.magnitude(1, 3_000),
            9..=17 => self.magnitude(1_000, 100_000),
            18 => self.magnitude(10_000, 2_000_000),
            _ if self.chance(0.1) => self.magnitude(1_000_000, 30_000_000),
            _ => self.magnitude(10_000, 500_000),
        }
    }

    fn protocols(&mut self, origins: usize) -> ProtocolMap {
        const PROTOCOLS: [&str; 3] = ["h1", "h2", "h3"];
        let count = if self.chance(0.6) {
            0
        } else {
            1 + self.0.below(4)
        };
        let mut rules = Vec::new();
        for _ in 0..count {
            let host = self.0.below(origins as u64);
            let pattern = match self.0.below(6) {
                0 => "first-party".to_owned(),
                1 => "third-party".to_owned(),
                2 => "*.cdn.example".to_owned(),
                3 => "*.example".to_owned(),
                4 => format!("o{host}.cdn.example"),
                _ => format!("o{host}.example"),
            };
            rules.push(format!("{pattern}={}", self.of(&PROTOCOLS)));
        }
        let rest = self.of(&PROTOCOLS);
        rules.push(match count {
            0 => rest.to_owned(),
            _ => format!("*={rest}"),
        });
        let text = rules.join(" ");
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    pub(crate) fn strategy(&mut self) -> StrategySpec {
        let info = self.of(pagerace_delivery::registry());
        let mut text = info.name.to_owned();
        for parameter in info.parameters {
            if self.chance(0.5) {
                continue;
            }
            let value = match parameter.range {
                Range::Number { min, max } => (min + self.0.unit() * (max - min)).to_string(),
                Range::Integer { min, max } => self.magnitude(min, max.min(100)).to_string(),
                Range::Word(words) => self.of(words).to_owned(),
            };
            text = format!("{text}:{}={value}", parameter.name);
        }
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn needs(&mut self, resources: usize) -> Vec<ObjectNeed> {
        if self.chance(0.3) {
            return Vec::new();
        }
        let mut need = || ObjectNeed {
            essential: self.chance(0.5),
            whole: self.chance(0.5),
            seen: self.chance(0.5),
        };
        (0..resources).map(|_| need()).collect()
    }

    fn settings(&mut self) -> LoadSettings {
        LoadSettings {
            connections: self.of(&[
                Connections::PerOrigin,
                Connections::PerOrigin,
                Connections::Single,
            ]),
            retransmission: self.of(&[Retransmission::AtOnce, Retransmission::ByUrgency]),
            real_tls: self.chance(0.03),
            quic_mtu: self.of(&[1_200, 1_350, 1_452]),
            tcp_tls: self.of(&[TlsVersion::Tls12, TlsVersion::Tls13]),
            client_hello: self.of(&[ClientHello::Small, ClientHello::Browser]),
            certificates: LoadSettings::default().certificates,
            record_ends: self.of(&[RecordEnds::Joined, RecordEnds::Short]),
            early_data: self.of(&[EarlyData::Auto, EarlyData::On, EarlyData::Off]),
            name_lookup: self.of(&[NameLookup::RoundTrip, NameLookup::None]),
            origin_rtt: self.of(&[OriginRtt::Same, OriginRtt::Recorded]),
            h3_discovery: self.of(&[
                H3Discovery::Known,
                H3Discovery::HttpsRr,
                H3Discovery::AltSvc,
                H3Discovery::AltSvcFirstVisit,
            ]),
            reprioritisation: self.of(&[
                Reprioritisation::Update,
                Reprioritisation::Chromium,
                Reprioritisation::Hints,
            ]),
            deadline: Duration::from_secs(24 * 3_600),
        }
    }

    fn interventions(&mut self, origins: usize) -> Interventions {
        if self.chance(0.8) {
            return Interventions::default();
        }
        let mut all = Vec::new();
        for _ in 0..=self.0.below(4) {
            let mut terms = vec![self.term(origins)];
            if self.chance(0.2) {
                terms.push(self.term(origins));
            }
            let effect = self.of(&["1s", "30ms", "250us", "refused", "hang"]);
            all.push(format!("{}={effect}", terms.join("+")));
        }
        let text = all.join(" ");
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// A part of the selector of an intervention.
    fn term(&mut self, origins: usize) -> String {
        let host = self.0.below(origins as u64);
        let names = Term::names();
        match self.0.below(6) {
            0 => format!("o{host}.example"),
            1 => "*.cdn.example".to_owned(),
            2 => "*/fonts/*".to_owned(),
            3 => format!("https://o{host}.example*/ads/*"),
            _ => self.of(&names),
        }
    }
}
