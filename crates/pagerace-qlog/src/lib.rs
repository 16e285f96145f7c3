//! qlog files of simulated loads: the packets and frames that each end of each connection
//! sent and received.
//!
//! The files are qlog version 0.3 (draft-ietf-quic-qlog-main-schema-02,
//! draft-ietf-quic-qlog-quic-events-02) as JSON text sequences (RFC 7464), one file per
//! connection and end, which qvis reads. Later drafts replace `qlog_version` by a schema
//! URI and rename events, and qvis refuses those.
//!
//! The files contain only data that packets show. Recovery state (losses, congestion
//! window, round-trip times), HTTP events, key updates and transport parameters are left
//! out for this reason. Connection IDs in packet headers and ECN counts are left out too.

mod event;
mod file;
mod name;

use std::collections::BTreeMap;

use pagerace_sim::{LoggedPacket, Side};

/// Description of a load, which its files contain.
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
    /// Returns the common start of the load's file names:
    /// `<page>_<network>_<strategy>_run<k>`.
    ///
    /// The stem consists of ASCII letters, digits, `.`, `_` and `-`, whatever characters
    /// the names contain. A name that is long, or in which characters other than spaces
    /// had to be replaced, ends in a short hash, so that different names do not share a
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
    /// Suffix for connection and end: `conn<n>_<client or server>.sqlog`.
    pub name_suffix: String,
    /// Content of the file.
    pub text: String,
}

impl QlogFile {
    /// Returns the complete file name.
    pub fn name(&self, title: &QlogTitle) -> String {
        format!("{}_{}", title.file_stem(), self.name_suffix)
    }
}

/// Returns the files of one load in order of connections, the client's before the
/// server's.
///
/// `packets` is the result of [`pagerace_sim::run_logged`]. Equal packets give equal
/// text.
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

/// Returns the qlog name of the side.
const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}
