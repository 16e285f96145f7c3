//! Options of the model, shared by all commands that load pages.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};

use super::groups::MODEL;
use super::origin_rtt;
use super::values::duration;
use pagerace_browser::config::{CPU, JITTER};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Duration, Words};
use pagerace_lab::Worlds;
use pagerace_sim::{
    CERTIFICATES, Connections, EarlyData, H3Discovery, LoadSettings, NameLookup, QUIC_MTU,
    Reprioritisation, Retransmission,
};
use pagerace_transport::{quic::DEFAULT_MTU, tls};

/// Settings of QUIC's packets.
#[derive(Args, Clone, Debug)]
pub(crate) struct PacketArgs {
    /// Largest UDP payload of QUIC in bytes, from 1200 to 1452.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MTU,
        value_parser = clap::value_parser!(u16).range(
            i64::from(*QUIC_MTU.start())..=i64::from(*QUIC_MTU.end())))]
    quic_mtu: u16,
}

impl PacketArgs {
    /// Returns this setting, and the defaults of all others.
    pub(crate) fn settings(&self) -> LoadSettings {
        LoadSettings {
            quic_mtu: self.quic_mtu,
            ..LoadSettings::default()
        }
    }
}

/// Settings that simulated and live loads share.
#[derive(Args, Clone, Debug)]
pub(crate) struct WireArgs {
    /// Origins that share a connection.
    #[arg(long, value_parser = word::<Connections>(),
        default_value = LoadSettings::default().connections.word())]
    pub(crate) connections: Connections,

    /// When HTTP/3 servers resend lost bytes.
    #[arg(long, value_parser = word::<Retransmission>(),
        default_value = LoadSettings::default().retransmission.word())]
    pub(crate) retransmission: Retransmission,

    #[command(flatten)]
    packets: PacketArgs,

    /// Cost of a name lookup.
    #[arg(long, value_parser = word::<NameLookup>(),
        default_value = LoadSettings::default().name_lookup.word())]
    pub(crate) dns: NameLookup,
}

impl WireArgs {
    /// Returns these settings, and the defaults of all others.
    pub(crate) fn settings(&self) -> LoadSettings {
        LoadSettings {
            connections: self.connections,
            retransmission: self.retransmission,
            name_lookup: self.dns,
            ..self.packets.settings()
        }
    }
}

/// Distances of servers.
#[derive(Args, Clone, Debug)]
pub(crate) struct DistanceArgs {
    /// Round trips to servers beyond the access link: same, recorded, or that of a host, as in
    /// cdn.example=80ms.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = MODEL,
        default_value = LoadSettings::default().origin_rtt.word())]
    pub(crate) origin_rtt: Vec<origin_rtt::Item>,
}

/// Interventions in every load.
#[derive(Args, Clone, Debug)]
pub(crate) struct InterventionArgs {
    /// Requests that fail, by category, host or URL: ads, third-party, cdn.example, "*/app.js*".
    /// With =hang, as in cdn.example=hang, they are never answered.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) block: Vec<String>,

    /// Requests that are answered late: fonts=140ms, css+third-party-js=1s, cdn.example=300ms.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) delay: Vec<String>,
}

/// Settings of the model.
#[derive(Args, Clone, Debug)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) interventions: InterventionArgs,

    /// Browser; see `pagerace list browsers`.
    #[arg(long, value_parser = word::<&'static Profile>(),
        default_value = BrowserConfig::default().profile.word())]
    pub(crate) browser: &'static Profile,

    /// Slow-down of the processor; 4 turns a desktop into a mid-tier phone.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = cpu)]
    pub(crate) cpu: f64,

    /// Spread of think times and CPU costs: sigma of a log-normal distribution.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.1, value_parser = jitter)]
    pub(crate) jitter: f64,

    /// Conditions of the runs: plausible (each run draws another small change of rates, round
    /// trip, queues, processor, think times and packet sizes), nominal (none), or widths such
    /// as "rate 10% cpu 0.3".
    #[arg(long, value_name = "WORLDS", default_value_t = Worlds::PLAUSIBLE)]
    pub(crate) worlds: Worlds,

    #[command(flatten, next_help_heading = MODEL)]
    wire: WireArgs,

    /// Packet protection of QUIC.
    #[arg(long, value_name = "KEYS", action = ArgAction::Set, value_parser = real_tls(),
        default_value = "modelled")]
    pub(crate) tls: bool,

    /// Version of TLS under HTTP/1.1 and HTTP/2.
    #[arg(long, value_parser = word::<tls::Version>(),
        default_value = LoadSettings::default().tcp_tls.word())]
    pub(crate) tls_version: tls::Version,

    /// Requests in the first flight of a resumption (0-RTT).
    #[arg(long, value_parser = word::<EarlyData>(),
        default_value = LoadSettings::default().early_data.word())]
    pub(crate) early_data: EarlyData,

    /// Size of the TLS `ClientHello`; over QUIC, with modelled keys only.
    #[arg(long, value_parser = word::<tls::ClientHello>(),
        default_value = LoadSettings::default().client_hello.word())]
    pub(crate) client_hello: tls::ClientHello,

    /// Size of the servers' certificate chains in DER, from 300 to 17000; modelled TLS only.
    #[arg(long, value_name = "BYTES", default_value_t = LoadSettings::default().certificates,
        value_parser = clap::value_parser!(u32).range(
            i64::from(*CERTIFICATES.start())..=i64::from(*CERTIFICATES.end())))]
    pub(crate) certificates: u32,

    /// How the browser learns that a server speaks HTTP/3, and which connections it tries then.
    #[arg(long, value_name = "WAY", value_parser = word::<H3Discovery>(),
        default_value = LoadSettings::default().h3_discovery.word())]
    pub(crate) h3_discovery: H3Discovery,

    #[command(flatten)]
    pub(crate) distance: DistanceArgs,

    /// How the browser tells a server that a request's priority has changed.
    #[arg(long, value_parser = word::<Reprioritisation>(),
        default_value = LoadSettings::default().reprioritisation.word())]
    pub(crate) reprioritisation: Reprioritisation,

    /// Virtual time after which a load is aborted, such as 90s, 5min or 800ms.
    #[arg(long, value_name = "TIME", default_value = "30min", value_parser = duration)]
    pub(crate) deadline: Duration,
}

impl ModelArgs {
    /// Returns the settings of the browser.
    pub(crate) fn browser(&self) -> BrowserConfig {
        BrowserConfig {
            profile: self.browser,
            cpu: self.cpu,
            jitter: self.jitter,
        }
    }

    /// Returns the settings that all contenders share.
    pub(crate) fn settings(&self) -> LoadSettings {
        LoadSettings {
            real_tls: self.tls,
            tcp_tls: self.tls_version,
            client_hello: self.client_hello,
            certificates: self.certificates,
            early_data: self.early_data,
            h3_discovery: self.h3_discovery,
            origin_rtt: origin_rtt::setting(&self.distance.origin_rtt),
            reprioritisation: self.reprioritisation,
            deadline: self.deadline,
            ..self.wire.settings()
        }
    }
}

/// Returns the parser of a setting whose values have names.
pub(crate) fn word<T: Words>() -> impl TypedValueParser<Value = T> {
    let value =
        |(_, name, help): &(T, &'static str, &'static str)| PossibleValue::new(*name).help(*help);
    PossibleValuesParser::new(T::WORDS.iter().map(value))
        .map(|name| T::of_word(&name).expect("clap has checked the name"))
}

/// Returns the parser of `--tls`: true for real TLS.
fn real_tls() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new([
        PossibleValue::new("modelled").help("Null keys"),
        PossibleValue::new("real").help("Real TLS 1.3"),
    ])
    .map(|name| name == "real")
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number".to_owned())
}

pub(crate) fn cpu(text: &str) -> Result<f64, String> {
    let factor = number(text)?;
    if CPU.contains(&factor) {
        Ok(factor)
    } else {
        Err(format!("not between {} and {}", CPU.start(), CPU.end()))
    }
}

fn jitter(text: &str) -> Result<f64, String> {
    let sigma = number(text)?;
    if JITTER.contains(&sigma) {
        Ok(sigma)
    } else {
        Err("not between 0 and 2".to_owned())
    }
}
