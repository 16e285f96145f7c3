//! One large transfer instead of a page: what its report shows, and the HTML.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::input::Named;
use crate::page::{Shell, escape::html};

/// What follows the answers; without data.
const SECTIONS: &str = include_str!("../assets/bulk.html");

/// Our scripts, in order; together they are one function's body.
const SCRIPTS: [&str; 6] = [
    include_str!("../assets/js/data.js"),
    include_str!("../assets/js/format.js"),
    include_str!("../assets/js/dom.js"),
    include_str!("../assets/js/theme.js"),
    include_str!("../assets/js/chart.js"),
    include_str!("../assets/js/bulk.js"),
];

/// Transfers, as the page shows them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BulkReport {
    /// Heading and window title.
    pub title: String,
    /// Version of the product.
    pub version: String,
    /// From which all randomness derives; text, for JavaScript's numbers hold
    /// 53 bits.
    pub seed: String,
    /// Runs of each contender on each network.
    pub runs: u32,
    /// Command that repeats the comparison; empty if there is none.
    pub rerun: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Length of the steps of the series, ms.
    pub interval_ms: f64,
    /// Why transfers did not finish, each reason once.
    pub failures: Vec<String>,
    /// Who transferred it.
    pub contenders: Vec<Named>,
    /// Where.
    pub networks: Vec<Network>,
}

/// One network and how the transfers went there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// As the user wrote it.
    pub name: String,
    /// In one line.
    pub description: String,
    /// The answer in a plain sentence.
    pub verdict: String,
    /// One for each of [`BulkReport::contenders`].
    pub transfers: Vec<Transfer>,
}

/// All runs of one contender, and its median run over time. A failed run counts
/// as infinite in medians, which are `None` where they are infinite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Runs that did not finish.
    pub failed: u32,
    /// Transfer time, ms.
    pub time_ms: Option<f64>,
    /// The shortest, ms.
    pub shortest_ms: Option<f64>,
    /// The longest, ms.
    pub longest_ms: Option<f64>,
    /// Connection set-up, ms.
    pub connect_ms: Option<f64>,
    /// The file's bits by the transfer time, bit/s.
    pub goodput: Option<f64>,
    /// Bytes on the wire beyond the file's, percent of the file's.
    pub overhead_percent: Option<f64>,
    /// Bytes the server sent again.
    pub retransmitted_bytes: Option<f64>,
    /// Packets the server declared lost.
    pub packets_lost: Option<f64>,
    /// Which run the series are of, from zero.
    pub run: u32,
    /// Why that run did not finish, if it did not.
    pub failure: Option<String>,
    /// Bytes that arrived, per step.
    pub arrived: Vec<u64>,
    /// Congestion window in bytes, per step.
    pub window: Vec<u64>,
    /// Bytes queued at the bottleneck, per step.
    pub queued: Vec<u64>,
}

/// The data as the scripts read them.
#[derive(Serialize)]
struct Data<'a> {
    /// The first is the one that the others are compared with.
    baseline: usize,
    #[serde(flatten)]
    report: &'a BulkReport,
}

/// The report as one HTML file, under the same rules as [`render`](crate::render).
pub fn render_bulk(report: &BulkReport) -> String {
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let facts = [
        count(report.networks.len(), "network", "networks"),
        count(report.contenders.len(), "variant", "variants"),
        count(report.runs as usize, "run of each", "runs of each"),
    ];
    let mut body = String::from("<section><h2>Answer</h2>\n");
    for network in &report.networks {
        let text = network.verdict.strip_prefix(network.name.as_str());
        let text = text.and_then(|rest| rest.strip_prefix(": "));
        // Writing to a String cannot fail.
        let _ = writeln!(
            body,
            "<div class=\"verdict across\"><p class=\"where\"><b>{}</b> <small>{}</small></p><p>{}</p></div>",
            html(&network.name),
            html(&network.description),
            html(text.unwrap_or(&network.verdict)),
        );
    }
    if !report.failures.is_empty() {
        let reasons = html(&report.failures.join("; "));
        let _ = writeln!(body, "<p class=\"hint\">Transfers failed: {reasons}.</p>");
    }
    body.push_str("</section>\n");
    body.push_str(SECTIONS);
    let data = Data {
        baseline: 0,
        report,
    };
    Shell {
        title: &report.title,
        version: &report.version,
        facts: &facts.join(" · "),
        body: &body,
        data: &serde_json::to_string(&data).expect("plain structs with text keys always serialise"),
        scripts: &SCRIPTS,
    }
    .render()
}

#[cfg(test)]
mod tests;
