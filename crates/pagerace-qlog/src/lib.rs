//! qlog files of simulated loads: what each end of each connection sent and
//! received, packet by packet, frame by frame.
//!
//! qlog version 0.3 (draft-ietf-quic-qlog-main-schema-02,
//! draft-ietf-quic-qlog-quic-events-02) as JSON text sequences (RFC 7464), one
//! file per connection and end: what qvis reads. Later drafts replace
//! `qlog_version` by a schema URI and rename events; qvis refuses those.
//!
//! Only what packets show is written. Left out, for packets do not show it:
//! recovery state (losses, congestion window, round-trip times), HTTP events,
//! key updates, transport parameters. Connection identifiers in packet headers
//! and ECN counts are left out too.

mod event;
mod file;
mod frame;
mod name;

use std::collections::BTreeMap;

use pagerace_sim::{LoggedPacket, Side};

/// What the files of one load say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QlogTitle {
    /// Name of the page.
    pub page: String,
    /// The network, as the user wrote it.
    pub network: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Number of the run.
    pub run: u64,
    /// Seed of the run.
    pub seed: u64,
}

impl QlogTitle {
    /// How the names of the load's files begin:
    /// `<page>_<network>_<strategy>_run<k>`.
    ///
    /// Made of ASCII letters, digits, `.`, `_` and `-` only, whatever the
    /// names hold. A name from which more than spaces had to be replaced, or
    /// which is long, ends in a short hash, so that two names never share a
    /// file.
    pub fn file_stem(&self) -> String {
        format!(
            "{}_{}_{}_run{}",
            name::safe(&self.page),
            name::safe(&self.network),
            name::safe(&self.strategy),
            self.run
        )
    }
}

/// A qlog file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QlogFile {
    /// Its end of a connection: `conn<n>_<client or server>.sqlog`.
    pub name_suffix: String,
    /// What it holds.
    pub text: String,
}

impl QlogFile {
    /// The whole file name.
    pub fn name(&self, title: &QlogTitle) -> String {
        format!("{}_{}", title.file_stem(), self.name_suffix)
    }
}

/// The files of one load, by connection, the client's before the server's.
///
/// `packets` is what [`pagerace_sim::run_logged`] returned. The same packets
/// give the same text, byte for byte.
pub fn qlogs(title: &QlogTitle, packets: &[LoggedPacket]) -> Vec<QlogFile> {
    let mut ends: BTreeMap<(u32, Side), Vec<&LoggedPacket>> = BTreeMap::new();
    for packet in packets {
        let end = ends.entry((packet.connection, packet.side)).or_default();
        end.push(packet);
    }
    ends.into_iter()
        .map(|((connection, side), packets)| QlogFile {
            name_suffix: format!("conn{connection}_{}.sqlog", side_name(side)),
            text: file::text(title, connection, side, &packets),
        })
        .collect()
}

/// The side's name in qlog.
const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}
