//! The row of a domain, and its columns.

mod columns;

use serde::{Deserialize, Serialize};

use crate::alt_svc;
use crate::error::Kind;
use crate::quic::Quic;
use crate::tcp::Tcp;

/// All that a scan learns of a domain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The domain.
    pub domain: String,
    /// Reason for which the domain was not asked, or could not be.
    pub error: Option<String>,
    /// The answers of the DNS; `None` if it was not asked.
    pub names: Option<Names>,
    /// The server at the first IPv4 address.
    pub v4: Option<Host>,
    /// The server at the first IPv6 address.
    pub v6: Option<Host>,
    /// The content delivery network.
    pub cdn: Option<String>,
    /// The evidence for it.
    pub cdn_evidence: Option<String>,
}

/// The answers of the DNS. Times are in ms, from the first question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Time of the answer about IPv4 addresses.
    pub a_ms: Option<f64>,
    /// Time of the answer about IPv6 addresses.
    pub aaaa_ms: Option<f64>,
    /// Time of the answer about HTTPS records.
    pub https_ms: Option<f64>,
    /// Reason for a missing answer about IPv4.
    pub a_error: Option<String>,
    /// Reason for a missing answer about IPv6.
    pub aaaa_error: Option<String>,
    /// Reason for a missing answer about HTTPS records.
    pub https_error: Option<String>,
    /// Number of IPv4 addresses; `None` without an answer.
    pub a: Option<u64>,
    /// Number of IPv6 addresses; `None` without an answer.
    pub aaaa: Option<u64>,
    /// True with an HTTPS record; `None` without an answer.
    pub https: Option<bool>,
    /// The last alias.
    pub cname: Option<String>,
    /// The protocols that the HTTPS record announces, separated by spaces.
    pub https_alpn: Option<String>,
    /// The name to which the HTTPS record leads. The scan does not go there.
    pub https_target: Option<String>,
    /// The port of the HTTPS record. The scan does not go there.
    pub https_port: Option<u16>,
    /// True if the HTTPS record has addresses.
    pub https_hints: bool,
    /// True if the HTTPS record has keys for Encrypted Client Hello.
    pub https_ech: bool,
}

/// The server at one address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The address.
    pub address: String,
    /// Reason for which the host was not asked.
    pub error: Option<String>,
    /// Over TCP; `None` if it was not asked.
    pub tcp: Option<Tcp>,
    /// Over QUIC; `None` if it was not asked.
    pub quic: Option<Quic>,
}

impl Host {
    /// Returns true if a response came over HTTP/3; `None` if QUIC was not asked, or could not
    /// be from this machine.
    pub fn http3(&self) -> Option<bool> {
        let quic = self.quic.as_ref()?;
        answered(quic.status, quic.error.as_deref())
    }

    /// Returns true if a response came over TCP; `None` if TCP was not asked, or could not be
    /// from this machine.
    pub fn https(&self) -> Option<bool> {
        let tcp = self.tcp.as_ref()?;
        answered(tcp.status, tcp.error.as_deref())
    }

    /// Returns true if `alt-svc` announces HTTP/3; `None` without a response.
    pub fn announces(&self) -> Option<bool> {
        let tcp = self.tcp.as_ref()?;
        tcp.status?;
        Some(tcp.alt_svc.as_deref().is_some_and(alt_svc::announces_http3))
    }

    /// Returns true if this machine has no way to the address.
    pub(crate) fn no_route(&self) -> bool {
        let missing =
            |error: &Option<String>| error.as_deref().is_some_and(|e| is(e, Kind::NoRoute));
        let tcp = self.tcp.as_ref().is_some_and(|tcp| missing(&tcp.error));
        tcp && self.quic.as_ref().is_some_and(|quic| missing(&quic.error))
    }
}

/// Returns true with a response; `None` if this machine failed, which says nothing of the server.
fn answered(status: Option<u16>, error: Option<&str>) -> Option<bool> {
    let own = |error: &str| is(error, Kind::NoRoute) || is(error, Kind::Local);
    (status.is_some() || !error.is_some_and(own)).then_some(status.is_some())
}

/// Returns true if the failure is of this kind.
fn is(error: &str, kind: Kind) -> bool {
    error.split(": ").next() == Some(kind.word())
}

/// The value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Text; `None` for what is not known.
    Text(Option<&'a str>),
    /// A number; `None` for what was not measured.
    Number(Option<f64>),
    /// 1 or 0; `None` for what is not known.
    Flag(Option<bool>),
}

impl Row {
    /// Returns true if any address answered over HTTP/3; `None` if it is not known of any.
    pub fn http3(&self) -> Option<bool> {
        either(self, Host::http3)
    }

    /// Returns true if any address answered over TCP; `None` if it is not known of any.
    pub fn https(&self) -> Option<bool> {
        either(self, Host::https)
    }

    /// Returns true if `alt-svc` or the HTTPS record announces HTTP/3; `None` if nothing
    /// answered that could.
    pub fn announced(&self) -> Option<bool> {
        let names = self.names.as_ref();
        let record = names.and_then(|names| names.https).map(|_| {
            let alpn = names.and_then(|names| names.https_alpn.as_deref());
            alpn.is_some_and(|alpn| alpn.split(' ').any(|name| name == "h3"))
        });
        or(record, either(self, Host::announces))
    }
}

/// Returns true if a property holds for any address of the row; `None` if it is not known of any.
fn either(row: &Row, of: impl Fn(&Host) -> Option<bool>) -> Option<bool> {
    let known = |host: &Option<Host>| host.as_ref().and_then(&of);
    or(known(&row.v4), known(&row.v6))
}

fn or(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (None, known) | (known, None) => known,
        (Some(one), Some(other)) => Some(one || other),
    }
}
