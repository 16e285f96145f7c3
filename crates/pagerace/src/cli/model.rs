//! Options of the model, shared by all commands that load pages.

use clap::{Args, ValueEnum};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::Duration;
use pagerace_lab::plan::{CPU, QUIC_MTU, SharedTransport};
use pagerace_sim::{Connections, EarlyData, NameLookup, Reprioritisation, Retransmission};
use pagerace_transport::{quic::DEFAULT_MTU, tls};

/// What is modelled.
#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    /// Which browser is modelled; see `pagerace list browsers`.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) browser: BrowserArg,

    /// Main-thread slow-down: 1 for a desktop, 4 for a mid-tier phone.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Model",
        value_parser = cpu)]
    pub(crate) cpu: f64,

    /// Run-to-run variation of think times and CPU costs: sigma of a
    /// log-normal distribution; 0 turns it off.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.1, help_heading = "Model",
        value_parser = jitter)]
    pub(crate) jitter: f64,

    /// Which origins share a connection.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) connections: ConnectionsArg,

    /// When lost bytes are sent again.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) retransmission: RetransmissionArg,

    /// Keys of the connections: the same packet sizes, at different cost.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) tls: TlsArg,

    /// Bytes of QUIC's largest packets, as UDP payload: at least 1200.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MTU,
        help_heading = "Model", value_parser = quic_mtu())]
    pub(crate) quic_mtu: u16,

    /// TLS of HTTP/1.1 and HTTP/2: 1.2 takes a round trip more.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) tls_version: TlsVersionArg,

    /// Requests in the first flight of a resumed connection (0-RTT); TLS 1.2
    /// has none.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) early_data: EarlyDataArg,

    /// How large the first message of a TLS handshake is; over QUIC with `--tls null`
    /// only.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) client_hello: ClientHelloArg,

    /// What a server's address costs: a round trip for each name, or nothing.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) dns: DnsArg,

    /// How a server learns of a changed priority of a request that has left.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) reprioritisation: ReprioritisationArg,

    /// Block requests, by category, host or URL, separated by commas: ads,
    /// third-party, cdn.example, "*/app.js*" fail at once; with =hang, as in
    /// cdn.example=hang, they are never answered, as when a server is down.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) block: Vec<String>,

    /// Answer requests later, separated by commas: fonts=140ms,
    /// css+third-party-js=1s, cdn.example=300ms.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) delay: Vec<String>,

    /// Virtual time after which a load is given up, such as 90s, 5min or 800ms.
    #[arg(long, value_name = "TIME", default_value = "30min", help_heading = "Model",
        value_parser = duration)]
    pub(crate) deadline: Duration,
}

impl ModelArgs {
    /// Returns the settings of the browser.
    pub(crate) fn browser(&self) -> BrowserConfig {
        BrowserConfig {
            profile: self.browser.into(),
            cpu: self.cpu,
            jitter: self.jitter,
        }
    }

    /// Returns the transport settings that all contenders share.
    pub(crate) fn transport(&self) -> SharedTransport {
        SharedTransport {
            real_tls: self.tls == TlsArg::Real,
            quic_mtu: self.quic_mtu,
            tcp_tls: self.tls_version.into(),
            client_hello: self.client_hello.into(),
            early_data: self.early_data.into(),
            name_lookup: self.dns.into(),
            reprioritisation: self.reprioritisation.into(),
            ..SharedTransport::default()
        }
    }
}

/// `--reprioritisation`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ReprioritisationArg {
    /// As by Chromium: over HTTP/2 in the tree of RFC 7540 alone, over HTTP/3 not at all.
    #[default]
    Chromium,
    /// By `PRIORITY_UPDATE` (RFC 9218), and over HTTP/2 in the tree too.
    Update,
}

impl From<ReprioritisationArg> for Reprioritisation {
    fn from(arg: ReprioritisationArg) -> Self {
        match arg {
            ReprioritisationArg::Update => Self::Update,
            ReprioritisationArg::Chromium => Self::Chromium,
        }
    }
}

/// `--client-hello`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ClientHelloArg {
    /// About 2 kB, with a post-quantum key share, as browsers send since 2024.
    #[default]
    Browser,
    /// About 200 bytes, with one classical key share.
    Small,
}

impl From<ClientHelloArg> for tls::ClientHello {
    fn from(arg: ClientHelloArg) -> Self {
        match arg {
            ClientHelloArg::Small => Self::Small,
            ClientHelloArg::Browser => Self::Browser,
        }
    }
}

/// `--dns`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum DnsArg {
    /// Once for each name, except in a warm visit.
    #[default]
    RoundTrip,
    /// Addresses are known.
    None,
}

impl From<DnsArg> for NameLookup {
    fn from(arg: DnsArg) -> Self {
        match arg {
            DnsArg::RoundTrip => Self::RoundTrip,
            DnsArg::None => Self::None,
        }
    }
}

/// `--browser`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum BrowserArg {
    /// Chromium.
    #[default]
    Chrome,
    /// Firefox.
    Firefox,
    /// Safari.
    Safari,
}

/// `--connections`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ConnectionsArg {
    /// One for each origin, shared where the recording shows it.
    #[default]
    PerOrigin,
    /// One for all.
    Single,
}

/// `--retransmission`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum RetransmissionArg {
    /// Before any new data.
    #[default]
    AtOnce,
    /// After new data that is more urgent.
    ByUrgency,
}

/// `--tls`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TlsArg {
    /// Keys that cost nothing.
    #[default]
    Modelled,
    /// Real TLS 1.3.
    Real,
}

/// `--tls-version`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum TlsVersionArg {
    /// Two round trips, one if resumed.
    #[value(name = "1.2")]
    Tls12,
    /// One round trip.
    #[default]
    #[value(name = "1.3")]
    Tls13,
}

/// `--early-data`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum EarlyDataArg {
    /// On QUIC, not on TCP, as browsers do.
    #[default]
    Auto,
    /// On QUIC and on TLS 1.3 over TCP.
    On,
    /// Never.
    Off,
}

impl From<TlsVersionArg> for tls::Version {
    fn from(arg: TlsVersionArg) -> Self {
        match arg {
            TlsVersionArg::Tls12 => Self::Tls12,
            TlsVersionArg::Tls13 => Self::Tls13,
        }
    }
}

impl From<EarlyDataArg> for EarlyData {
    fn from(arg: EarlyDataArg) -> Self {
        match arg {
            EarlyDataArg::Auto => Self::Auto,
            EarlyDataArg::On => Self::On,
            EarlyDataArg::Off => Self::Off,
        }
    }
}

impl From<BrowserArg> for Profile {
    fn from(arg: BrowserArg) -> Self {
        match arg {
            BrowserArg::Chrome => Self::Chrome,
            BrowserArg::Firefox => Self::Firefox,
            BrowserArg::Safari => Self::Safari,
        }
    }
}

impl From<ConnectionsArg> for Connections {
    fn from(arg: ConnectionsArg) -> Self {
        match arg {
            ConnectionsArg::PerOrigin => Self::PerOrigin,
            ConnectionsArg::Single => Self::Single,
        }
    }
}

impl From<RetransmissionArg> for Retransmission {
    fn from(arg: RetransmissionArg) -> Self {
        match arg {
            RetransmissionArg::AtOnce => Self::AtOnce,
            RetransmissionArg::ByUrgency => Self::ByUrgency,
        }
    }
}

/// Returns the parser of `--quic-mtu`.
pub(crate) fn quic_mtu() -> clap::builder::RangedI64ValueParser<u16> {
    let (least, most) = (*QUIC_MTU.start(), *QUIC_MTU.end());
    clap::value_parser!(u16).range(i64::from(least)..=i64::from(most))
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
    if (0.0..=2.0).contains(&sigma) {
        Ok(sigma)
    } else {
        Err("not between 0 and 2".to_owned())
    }
}

/// Parses a positive time with its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("min", 60_000.0), ("s", 1_000.0), ("h", 3.6e6)];
    let parse = |(unit, millis): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * millis)
    };
    match UNITS.iter().find_map(parse) {
        // A day of virtual time is longer than any page load.
        Some(millis) if (1.0..=8.64e7).contains(&millis) => Ok(Duration::from_millis_f64(millis)),
        Some(_) => Err("not between 1ms and 24h".to_owned()),
        None => Err("not a time; write it as 90s, 5min or 800ms".to_owned()),
    }
}
