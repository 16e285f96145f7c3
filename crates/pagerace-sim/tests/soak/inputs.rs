//! Random scenarios. One seed gives one scenario, on every machine.

use std::sync::Arc;

use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, RequestPriority, Rng, ScriptMode};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::parameter::Range;
use pagerace_net::Network;
use pagerace_page::{
    CacheUse, Callback, Category, Content, Discovery, Element, ElementKind, Evidence, FontDisplay,
    FontUse, ImageBytes, ImageCoding, InlineScript, Interventions, Largest, NoResponse, Origin,
    OriginId, Overlay, Page, PageLayout, PaintFit, PictureShares, RecordedPage, Rect,
    RenderingTime, Resource, ResourceId, Trigger, Wait,
};
use pagerace_sim::{
    Connections, EarlyData, H3Discovery, LoadSettings, NameLookup, ObjectNeed, OriginRtt,
    ProtocolMap, RecordEnds, Reprioritisation, Retransmission, Scenario, TlsVersion, Visit,
};
use pagerace_transport::tls::ClientHello;

/// A scenario, its seed, and the limits that its network sets.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) scenario: Scenario,
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
}

/// Limits of the network that no load can beat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// The shortest one-way delays of downlink and uplink together.
    pub(crate) round_trip: Duration,
    /// The greatest rate of the downlink in bits per second, and the bytes that may leave
    /// at once in addition; `None` if unknown.
    pub(crate) down: Option<(u64, u64)>,
}

/// Draws one scenario.
pub(crate) fn case(seed: u64) -> Case {
    let mut draw = Draw(Rng::new(seed, "soak"));
    let page = draw.page();
    let (network, limits) = draw.network();
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
                "fec:0.1",
                "fec:0.5,repair",
                "late",
                "late:images",
                "adaptive",
            ])
            .parse()
            .unwrap_or_else(|e| panic!("{e}")),
        needs: Arc::new(draw.needs(page.resources.len())),
        interventions: draw.interventions(page.origins.len()),
        congestion: draw.of(pagerace_cc::registry()).name.to_owned(),
        browser: BrowserConfig {
            profile: draw.of(&Profile::all().collect::<Vec<_>>()),
            cpu: draw.of(&[0.2, 1.0, 1.0, 4.0, 50.0]),
            jitter: draw.of(&[0.0, 0.1, 1.0]),
        },
        settings: draw.settings(),
        page: Arc::new(page),
        network,
    };
    if scenario.visit != Visit::Cold {
        scenario.settings.real_tls = false;
    }
    Case {
        scenario,
        seed,
        limits,
    }
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

    fn id(&mut self, below: usize) -> ResourceId {
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

    fn page(&mut self) -> Page {
        let origins = self.magnitude(1, 12) as usize;
        let count = self.magnitude(1, 150) as usize;
        // A chain of redirects leads to the document.
        let redirects = if self.chance(0.2) {
            self.0.below(count.min(4) as u64) as usize
        } else {
            0
        };
        let mut resources: Vec<Resource> = Vec::new();
        for i in 0..count {
            let resource = self.resource(i, redirects, origins, &resources);
            resources.push(resource);
        }
        let mut groups: Vec<u32> = Vec::new();
        let origins = (0..origins as u32).map(|i| {
            let group = if i > 0 && self.chance(0.2) {
                self.of(&groups)
            } else {
                i
            };
            groups.push(group);
            let recorded = self.chance(0.5);
            Origin {
                scheme: "https".to_owned(),
                host: format!("o{i}.example"),
                port: 443,
                address: None,
                connection_group: group,
                third_party: self.chance(0.5),
                recorded_rtt: recorded.then(|| Duration::from_millis(self.0.below(300))),
                protocol: None,
                unvisited: self.chance(0.2),
            }
        });
        let mut page = Page {
            name: "random".to_owned(),
            url: "https://o0.example/".to_owned(),
            origins: origins.collect(),
            resources,
            document: ResourceId(redirects as u32),
            recorded: RecordedPage::default(),
            layout: None,
            content: None,
            fit: None,
            notes: Vec::new(),
        };
        if self.chance(0.5) {
            page.layout = Some(self.layout(&page));
        } else {
            let told = self.chance(0.5);
            page.content = told.then(|| self.content(&page));
        }
        if page.layout.is_none() && self.chance(0.3) {
            page.fit = Some(PaintFit {
                after: self.wait(count),
                delay: self.chance(0.5).then(|| self.ms(3_000)),
                swaps_fonts: self.chance(0.5),
                largest: None,
            });
        }
        page.check().expect("a valid page");
        page
    }

    fn wait(&mut self, resources: usize) -> Wait {
        match self.0.below(3) {
            0 => Wait::ContentLoaded,
            1 => Wait::Loaded,
            _ => Wait::Resource {
                id: self.id(resources),
            },
        }
    }

    fn resource(
        &mut self,
        i: usize,
        redirects: usize,
        origins: usize,
        earlier: &[Resource],
    ) -> Resource {
        let destination = if i <= redirects {
            Destination::Document
        } else {
            self.of(&Destination::ALL[1..])
        };
        let trigger = match i {
            0 => Trigger::Navigation,
            _ if i <= redirects => Trigger::Redirect {
                parent: ResourceId(i as u32 - 1),
            },
            _ => self.trigger(earlier, redirects),
        };
        let wait = self
            .chance(0.1)
            .then(|| self.wait(i.max(1)))
            .filter(|_| i > redirects);
        let used_at = match trigger {
            Trigger::Markup { parent, .. } if self.chance(0.1) => {
                let whole = earlier[parent.index()].body_bytes;
                Some(self.0.below(whole + 1))
            }
            _ => None,
        };
        let body_bytes = self.size();
        let fails = i > redirects && self.chance(0.03);
        Resource {
            id: ResourceId(i as u32),
            url: format!("https://example/{i}"),
            origin: OriginId(if i == 0 {
                0
            } else {
                self.0.below(origins as u64) as u32
            }),
            method: self.of(&["GET", "GET", "GET", "POST"]).to_owned(),
            status: if i < redirects {
                301
            } else {
                self.of(&[200, 200, 200, 204, 404, 500])
            },
            no_response: fails.then(|| match self.0.below(2) {
                0 => NoResponse::NoAddress,
                _ => NoResponse::After(self.ms(20_000)),
            }),
            destination,
            script_mode: self.of(&[
                ScriptMode::Blocking,
                ScriptMode::Defer,
                ScriptMode::Async,
                ScriptMode::Inserted,
            ]),
            mime_type: String::new(),
            request_header_bytes: self.magnitude(1, 5_000) as u32,
            request_body_bytes: if self.chance(0.05) { self.size() } else { 0 },
            response_header_bytes: self.magnitude(1, 5_000) as u32,
            body_bytes,
            decoded_bytes: self.chance(0.5).then(|| body_bytes * self.0.below(5)),
            think_time: self.ms(2_000),
            priority: self.of(&[
                RequestPriority::VeryHigh,
                RequestPriority::High,
                RequestPriority::Medium,
                RequestPriority::Low,
                RequestPriority::VeryLow,
            ]),
            render_blocking: self.chance(0.2),
            discovery: Discovery {
                trigger,
                evidence: Evidence::Recorded,
                wait,
            },
            in_viewport: self.chance(0.3),
            cpu_time: self.chance(0.5).then(|| self.ms(300)),
            blocks_load: self.chance(0.8),
            blocks_load_if_early: self.chance(0.1),
            anonymous: self.chance(0.2),
            category: self.of(&[
                Category::Ads,
                Category::Images,
                Category::Html,
                Category::Javascript,
                Category::Fonts,
            ]),
            third_party: self.chance(0.5),
            recorded: None,
            cache: self.of(&[
                CacheUse::None,
                CacheUse::None,
                CacheUse::Fresh,
                CacheUse::Validate,
            ]),
            image: ImageBytes {
                coding: self.of(&[
                    ImageCoding::Unknown,
                    ImageCoding::TopDown,
                    ImageCoding::Progressive,
                    ImageCoding::Interlaced,
                ]),
                head: self.0.below(2_000),
                coarse: self.chance(0.5).then(|| self.0.below(body_bytes + 1)),
            },
            used_at,
        }
    }

    /// A trigger whose parent is most often one of the fitting kind.
    fn trigger(&mut self, earlier: &[Resource], document: usize) -> Trigger {
        let parent = if self.chance(0.5) {
            ResourceId(document.min(earlier.len() - 1) as u32)
        } else {
            self.id(earlier.len())
        };
        let of = &earlier[parent.index()];
        let odd = self.chance(0.05);
        match (of.destination, self.0.below(4)) {
            (Destination::Document | Destination::Iframe, 0..=1) => Trigger::Markup {
                parent,
                offset: self.0.below(of.body_bytes + 1),
            },
            (Destination::Document | Destination::Iframe, 2) => Trigger::Inline {
                parent,
                offset: self.0.below(of.body_bytes + 1),
            },
            (Destination::Style, 0..=2) => Trigger::Style { parent },
            (Destination::Script, 0..=2) => Trigger::Script {
                parent,
                delay: self.ms(1_000),
            },
            _ if odd => Trigger::Redirect { parent },
            _ => Trigger::After {
                parent,
                delay: self.ms(1_000),
            },
        }
    }

    fn content(&mut self, page: &Page) -> Content {
        let html = page.resource(page.document).body_bytes;
        let fonts = page
            .resources
            .iter()
            .filter(|r| r.destination == Destination::Font);
        let fonts: Vec<ResourceId> = fonts.map(|r| r.id).collect();
        let mut text: Vec<u64> = (0..self.0.below(5))
            .map(|_| self.0.below(html + 1))
            .collect();
        text.sort_unstable();
        Content {
            body_start: self.chance(0.7).then(|| self.0.below(html + 1)),
            text,
            fonts: fonts
                .iter()
                .map(|font| FontUse {
                    font: *font,
                    display: self.of(&[FontDisplay::Auto, FontDisplay::Block, FontDisplay::Swap]),
                })
                .collect(),
            icons: fonts.into_iter().take(1).collect(),
        }
    }

    fn layout(&mut self, page: &Page) -> PageLayout {
        let count = page.resources.len();
        let html = page.resource(page.document).body_bytes;
        let of = |destination: Destination| {
            let all = page.resources.iter();
            let all = all.filter(move |r| r.destination == destination);
            all.map(|r| r.id).collect::<Vec<_>>()
        };
        let (images, fonts) = (of(Destination::Image), of(Destination::Font));
        let elements: Vec<Element> = (0..self.0.below(20))
            .map(|_| {
                let kind = match self.0.below(4) {
                    0 if !images.is_empty() => ElementKind::Image {
                        resource: self.of(&images),
                    },
                    1 if !images.is_empty() => ElementKind::Background {
                        resource: self.of(&images),
                    },
                    2 => ElementKind::Other,
                    _ => ElementKind::Text {
                        fonts: fonts.iter().take(2).copied().collect(),
                    },
                };
                Element {
                    kind,
                    rect: Rect {
                        x: self.0.below(1_500) as f32,
                        y: self.0.below(1_000) as f32,
                        width: self.0.below(1_500) as f32,
                        height: self.0.below(1_000) as f32,
                    },
                    offset: self.chance(0.7).then(|| self.0.below(html + 1)),
                    after: self.wait(count),
                    delay: self.chance(0.5).then(|| self.ms(2_000)),
                    contentful: self.chance(0.8),
                    natural: self.chance(0.5).then_some((800.0, 600.0)),
                    share: self.0.unit() / 20.0,
                }
            })
            .collect();
        let largest = self.chance(0.7).then(|| Largest {
            size: self.0.below(1_000_000) as f64,
            image: images.first().copied().filter(|_| self.chance(0.5)),
            text: (!elements.is_empty() && self.chance(0.5))
                .then(|| self.0.below(elements.len() as u64) as usize),
        });
        let share = 0.5 / count as f64;
        PageLayout {
            viewport: self.of(&[(1_280, 720), (412, 823), (1, 1)]),
            fonts: fonts
                .iter()
                .map(|font| FontUse {
                    font: *font,
                    display: self.of(&[
                        FontDisplay::Auto,
                        FontDisplay::Block,
                        FontDisplay::Swap,
                        FontDisplay::Fallback,
                        FontDisplay::Optional,
                    ]),
                })
                .collect(),
            by_layout: images.iter().take(3).copied().collect(),
            body_start: self.chance(0.7).then(|| self.0.below(html + 1)),
            largest,
            rendering: self.chance(0.5).then(|| RenderingTime {
                first: self.ms(500),
                later: self.chance(0.5).then(|| self.ms(50)),
            }),
            slowdown: self.chance(0.2).then_some(4.0),
            callbacks: (0..self.0.below(5))
                .map(|_| Callback {
                    after: self.wait(count),
                    delay: self.ms(1_000),
                    cost: self.ms(200),
                })
                .collect(),
            shares: self.chance(0.5).then(|| PictureShares {
                canvas: self.0.unit() / 2.0,
                canvas_scripted: self.chance(0.3),
                images: images.iter().map(|id| (*id, share)).collect(),
                other_images: 0.0,
            }),
            inline_scripts: (0..self.0.below(3))
                .map(|_| InlineScript {
                    offset: self.0.below(html + 1),
                    cost: self.ms(200),
                })
                .collect(),
            overlay: self.chance(0.2).then(|| Overlay {
                after: self.wait(count),
                delay: self.ms(1_000),
            }),
            elements,
        }
    }

    fn network(&mut self) -> (Network, Limits) {
        if self.chance(0.2) {
            let named = [pagerace_net::named(), &pagerace_papers::NETWORKS].concat();
            let name = self.of(&named).name;
            let network = Network::parse_with(name, &named, std::path::Path::new(""))
                .expect("a named network");
            return (network, Limits::default());
        }
        let kbit = self.magnitude(100, 1_000_000);
        let up = self.magnitude(50, kbit);
        let rtt = self.magnitude(1, 800);
        let mut text = if self.chance(0.2) {
            let slow = self.magnitude(50, kbit);
            format!("rate {kbit}kbit for 2s then {slow}kbit up {up}kbit rtt {rtt}ms")
        } else {
            format!("rate {kbit}kbit up {up}kbit rtt {rtt}ms")
        };
        let mut round_trip = rtt * 1_000;
        if self.chance(0.2) {
            // Jitter shortens the delay, too.
            let jitter = self.magnitude(1, rtt.div_ceil(2));
            text = format!("{text} jitter {jitter}ms");
            text += self.of(&["", " reorder"]);
            round_trip = 0;
        }
        match self.0.below(6) {
            0 => text = format!("{text} loss {}%", self.of(&["0.1", "1", "5", "15"])),
            1 => text = format!("{text} loss 2% burst {}", 1 + self.0.below(10)),
            2 => text += " gemodel 1% 20% 80% 0.1%",
            3 => text = format!("{text} loss-up {}%", self.of(&["1", "10"])),
            _ => {}
        }
        let queue = match self.0.below(6) {
            0 => format!("{}p", 1 + self.0.below(200)),
            1 => format!("{}kb", self.magnitude(3, 1_000)),
            2 => "codel".to_owned(),
            3 => "fq-codel".to_owned(),
            4 => format!("{}bdp", self.of(&["0.2", "4"])),
            _ => "1bdp".to_owned(),
        };
        text = format!("{text} queue {queue}");
        let network = Network::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let limits = Limits {
            round_trip: Duration::from_nanos(round_trip * 1_000),
            down: Some((kbit * 1_000, 0)),
        };
        (network, limits)
    }

    fn protocols(&mut self, origins: usize) -> ProtocolMap {
        let one = self.of(&["h1", "h2", "h3"]);
        let text = if self.chance(0.7) {
            one.to_owned()
        } else {
            let host = self.0.below(origins as u64);
            format!("o{host}.example={} *={one}", self.of(&["h1", "h2", "h3"]))
        };
        text.parse().expect("protocols")
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
            reprioritisation: self.of(&[Reprioritisation::Update, Reprioritisation::Chromium]),
            deadline: Duration::from_secs(24 * 3_600),
        }
    }

    fn interventions(&mut self, origins: usize) -> Interventions {
        if self.chance(0.8) {
            return Interventions::default();
        }
        let host = self.0.below(origins as u64);
        let selector = match self.0.below(3) {
            0 => format!("o{host}.example"),
            1 => "fonts".to_owned(),
            _ => "third-party-js".to_owned(),
        };
        let effect = self.of(&["1s", "30ms", "refused", "hang"]);
        format!("{selector}={effect}")
            .parse()
            .expect("an intervention")
    }
}
