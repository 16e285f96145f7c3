//! Settings of connections that do not differ between the contenders of a race. Plans,
//! scenarios, both worlds and the command line share this one type.

use std::ops::RangeInclusive;

use pagerace_core::{Duration, words};
use pagerace_transport::quic::{self, QuicSettings};
use pagerace_transport::tls;
use serde::{Deserialize, Serialize};

use crate::server::Retransmission;
use crate::tcp::RecordEnds;

/// Settings of a load that page, network, browser and contender leave open. The live
/// world has the kernel's TCP and a real browser, and uses a part of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSettings {
    /// Origins that share a connection.
    pub connections: Connections,
    /// Time at which lost bytes are sent again over HTTP/3. TCP sends its own bytes in
    /// order, and therefore at once.
    pub retransmission: Retransmission,
    /// True for real TLS, false for modelled keys, which have the same sizes and no CPU
    /// cost. QUIC only.
    pub real_tls: bool,
    /// Largest UDP payload of QUIC in bytes; see [`QUIC_MTU`].
    pub quic_mtu: u16,
    /// TLS version of TCP connections.
    pub tcp_tls: tls::Version,
    /// Size of the `ClientHello`.
    pub client_hello: tls::ClientHello,
    /// Size of the certificate chains of servers in DER, in bytes; see [`CERTIFICATES`].
    #[serde(
        default = "tls::certificate_size",
        skip_serializing_if = "is_usual_certificate"
    )]
    pub certificates: u32,
    /// Alignment of TLS records with TCP segments on servers.
    pub record_ends: RecordEnds,
    /// Use of early data on resumed connections.
    pub early_data: EarlyData,
    /// Cost of resolving a server's name.
    pub name_lookup: NameLookup,
    /// The way in which the browser finds out that a server speaks HTTP/3. Loads of pages
    /// in simulation only.
    pub h3_discovery: H3Discovery,
    /// Distance of servers beyond the access link. Loads of pages in simulation only.
    pub origin_rtt: OriginRtt,
    /// Signalling of changed priorities.
    pub reprioritisation: Reprioritisation,
    /// Virtual time after which a load is given up.
    #[serde(rename = "deadline_ns")]
    pub deadline: Duration,
}

/// The permitted UDP payload of QUIC: from QUIC's minimum to the size that fits into an
/// Ethernet frame with IPv6.
///
/// # Source
/// RFC 9000, section 14; 1,500 bytes less 40 of IPv6 and 8 of UDP.
pub const QUIC_MTU: RangeInclusive<u16> = 1_200..=1_452;

/// The permitted size of certificate chains: a QUIC endpoint may buffer no more of a handshake than
/// 16 kB.
///
/// # Source
/// `crypto_buffer_size` of quinn-proto.
pub const CERTIFICATES: RangeInclusive<u32> = 300..=17_000;

/// The longest deadline.
pub(crate) const DEADLINE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_usual_certificate(bytes: &u32) -> bool {
    *bytes == tls::certificate_size()
}

impl LoadSettings {
    /// Checks that the values are in their ranges.
    ///
    /// # Errors
    /// Returns the setting, the value found and the values expected.
    pub fn check(&self) -> Result<(), String> {
        if self.deadline.is_zero() {
            return Err("deadline: no load finishes in no time; use 600s, for example".to_owned());
        }
        if self.deadline > DEADLINE_MAX {
            return Err("deadline: longer than a day; use 600s, for example".to_owned());
        }
        if !QUIC_MTU.contains(&self.quic_mtu) {
            return Err(format!(
                "quic-mtu: {} bytes are not between {} and {}",
                self.quic_mtu,
                QUIC_MTU.start(),
                QUIC_MTU.end()
            ));
        }
        if !CERTIFICATES.contains(&self.certificates) {
            return Err(format!(
                "certificates: {} bytes are not between {} and {}",
                self.certificates,
                CERTIFICATES.start(),
                CERTIFICATES.end()
            ));
        }
        if self.real_tls && self.certificates != tls::certificate_size() {
            return Err(
                "certificates: real TLS has certificates of its own; leave out --tls real"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Returns the settings of QUIC connections with a congestion controller.
    pub fn quic(&self, congestion: &str) -> QuicSettings {
        QuicSettings {
            congestion: congestion.to_owned(),
            mtu: self.quic_mtu,
            ..QuicSettings::default()
        }
    }

    /// Describes the packets of QUIC.
    pub fn packets(&self) -> String {
        format!("QUIC packets of {} bytes", self.quic_mtu)
    }

    /// Returns true if the packets of QUIC have the default size.
    pub const fn has_default_packets(&self) -> bool {
        self.quic_mtu == quic::DEFAULT_MTU
    }
}

impl Default for LoadSettings {
    /// Returns settings of today's web: Chromium's signals and its `ClientHello`,
    /// records as servers write them, the QUIC packets of large deployments, and the name
    /// lookups of a first visit. Live loads and their predictions use the same settings.
    /// Reproductions of papers state the settings that the paper assumes.
    fn default() -> Self {
        Self {
            connections: Connections::default(),
            retransmission: Retransmission::default(),
            real_tls: false,
            quic_mtu: quic::DEFAULT_MTU,
            tcp_tls: tls::Version::Tls13,
            client_hello: tls::ClientHello::Browser,
            certificates: tls::certificate_size(),
            record_ends: RecordEnds::Short,
            early_data: EarlyData::default(),
            name_lookup: NameLookup::default(),
            h3_discovery: H3Discovery::default(),
            origin_rtt: OriginRtt::default(),
            reprioritisation: Reprioritisation::Chromium,
            deadline: Duration::from_secs(30 * 60),
        }
    }
}

words! {
    /// Origins that share a connection.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Connections {
        /// One connection for each origin, shared where the recording shows coalescing. Over
        /// HTTP/1.1, up to six for each origin.
        #[default]
        PerOrigin = "per-origin": "One for each origin, shared where the recording shows it",
        /// One connection for all origins of the same protocol, as in Sander 2022. Over
        /// HTTP/1.1, up to six in all.
        Single = "single": "One for all origins",
    }
}

words! {
    /// Cost of resolving a server's name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NameLookup {
        /// Datagrams to a resolver behind the same access link, once for each group of
        /// origins that share connections. Free in a warm visit.
        #[default]
        RoundTrip = "round-trip": "Datagrams over the link for each name, except in a warm visit",
        /// No cost: addresses are known, as from a hosts file.
        None = "none": "Nothing: addresses are known",
    }
}

words! {
    /// The way in which the browser finds out that a server speaks HTTP/3.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum H3Discovery {
        /// The browser knows it and uses nothing else, as live loads do.
        #[default]
        Known = "known": "Known beforehand: only QUIC is tried",
        /// From the HTTPS record of the first visit (RFC 9460), which arrives with the address.
        /// QUIC races TCP.
        HttpsRr = "https-rr": "From the HTTPS record in DNS: QUIC races TCP",
        /// From an `alt-svc` field of an earlier visit (RFC 7838). QUIC races TCP, which starts
        /// later.
        AltSvc = "alt-svc":
            "From Alt-Svc of an earlier visit: QUIC starts, TCP follows if it is late",
        /// From the `alt-svc` field of the first response, which comes over HTTP/2. The next
        /// request opens a QUIC connection, and requests use it once it is ready.
        AltSvcFirstVisit = "alt-svc-first-visit":
            "From Alt-Svc of the first response: HTTP/2 until QUIC is ready",
    }
}

words! {
    /// Distance of servers beyond the access link.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum OriginRtt {
        /// All servers are at the end of the access link.
        Same = "same": "All servers are at the end of the access link",
        /// Each origin adds the excess of its recorded round trip over that of the page's nearest
        /// origin by. One without a recorded round trip has the median of the others.
        #[default]
        Recorded = "recorded": "Recorded round trips, less that of the nearest origin, are added",
    }
}

words! {
    /// Signal by which a browser changes the priority of a request that it has sent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Reprioritisation {
        /// Chromium's signals. Over HTTP/2, only the priority tree changes, so that
        /// strategies based on RFC 9218 keep the first signal. Over HTTP/3, there is no
        /// signal.
        ///
        /// # Source
        /// Network logs of Chromium 156: an HTTP/3 stream has one
        /// `HTTP3_PRIORITY_UPDATE_SENT`, as its request leaves, and none after
        /// `URL_REQUEST_SET_PRIORITY`.
        Chromium = "chromium":
            "As Chromium: over HTTP/2 in the tree of RFC 7540 alone, over HTTP/3 not at all",
        /// `PRIORITY_UPDATE` (RFC 9218, section 7), and over HTTP/2 also the priority tree of
        /// RFC 7540, so that all strategies learn the same.
        Update = "update": "By PRIORITY_UPDATE (RFC 9218), and over HTTP/2 in the tree too",
        /// These, and the servers know from each request for an image whether the browser will
        /// raise it.
        ///
        /// # Source
        /// Sander 2022, section IV-A1: the most urgent class that Chromium ever gave a resource,
        /// as a hint.
        Hints = "hints": "As update; servers know beforehand which images will be raised",
    }
}

words! {
    /// Use of early data: requests that leave with the first flight of a resumed connection.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EarlyData {
        /// Used over QUIC but not over TCP, as Chromium does.
        #[default]
        Auto = "auto": "On QUIC, not on TCP, as browsers do",
        /// Used over both.
        On = "on": "On QUIC and on TLS 1.3 over TCP",
        /// Never used.
        Off = "off": "Never",
    }
}

impl EarlyData {
    /// Returns true if early data is used over TCP (`tcp`) or QUIC (`!tcp`).
    pub const fn is_used(self, tcp: bool) -> bool {
        match self {
            Self::Auto => !tcp,
            Self::On => true,
            Self::Off => false,
        }
    }
}
