//! Asks domains whether they speak HTTP/3, politely.
//!
//! For each domain: the DNS (A, AAAA and HTTPS records), HTTPS over TCP, HTTP/3 over QUIC, and a
//! second QUIC connection that resumes the first; IPv4 and IPv6 apart. [`Scan`] does that for a
//! list, many at once and at a rate, and keeps a journal so that it goes on after it was killed.
//!
//! The parsers ([`dns`], [`alt_svc`], [`quic::packet`], [`quic::parameters`], [`list`]) take
//! bytes and know no socket. HTTP is that of `pagerace-http`, QUIC that of quinn-proto. Only
//! `client` reads the clock.
//!
//! Whatever a server does costs bounded time and memory: each step has a time, each connection a
//! number of bytes, and each parser a limit. No answer leads the scan to another host or port.

pub mod address;
pub mod alt_svc;
mod client;
pub mod dns;
mod domain;
mod error;
mod http;
mod journal;
pub mod list;
mod pace;
pub mod quic;
mod row;
mod run;
mod settings;
mod summary;
mod tcp;
mod tls;
mod udp;

pub use error::{Failure, Kind, ScanError};
pub use quic::{Again, Http3Settings, Quic};
pub use row::{Cell, Host, Names, Row};
pub use run::{Bound, End, Progress, Results, Scan, Speed};
pub use settings::{RATE_MAX, Settings};
pub use summary::{CdnShare, Share, Summary};
pub use tcp::Tcp;
pub use tls::{Certificate, Trust};

/// Names the content delivery network, and the evidence, from the domain with its aliases and
/// from the fields of a response, whose names are in lower case.
pub(crate) type Cdn = fn(&[&str], &[(String, String)]) -> Option<(&'static str, &'static str)>;
