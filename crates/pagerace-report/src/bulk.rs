//! Report of bulk transfers, which load one large file instead of a page: input data and
//! HTML.

use std::fmt::Write as _;

use serde::Serialize;

use crate::input::Named;
use crate::page::{Shell, escape::html};

/// HTML that follows the verdicts; contains no data.
const SECTIONS: &str = include_str!("../assets/bulk.html");

const SCRIPT: &str = include_str!("../assets/js/bulk.js");

/// The data of one comparison of transfers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BulkReport {
    /// Heading and window title.
    pub title: String,
    /// Version of Pagerace.
    pub version: String,
    /// Seed of the comparison's random numbers. It is text, because JavaScript's numbers
    /// hold only 53 bits.
    pub seed: String,
    /// Number of runs of each contender on each network.
    pub runs: u32,
    /// Command that repeats the comparison; empty if there is none.
    pub rerun: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Step of the time series, ms.
    pub interval_ms: f64,
    /// Reasons why transfers did not finish, each listed once.
    pub failures: Vec<String>,
    /// The contenders.
    pub contenders: Vec<Named>,
    /// The networks.
    pub networks: Vec<BulkNetwork>,
}

/// The results on one network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BulkNetwork {
    /// The name as the user wrote it.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// The verdict in a plain sentence.
    pub verdict: String,
    /// Results, one entry for each of [`BulkReport::contenders`].
    pub transfers: Vec<BulkTransfer>,
}

/// Summary of all runs of one contender on one network. Values are medians in which a failed
/// run counts as infinite, or as zero for the goodput; `None` without runs. In JSON, infinite
/// values are `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BulkSummary {
    /// Number of runs that did not finish.
    pub failed_runs: usize,
    /// Time from the first packet to the last byte, ms.
    pub time_ms: Option<f64>,
    /// The shortest time, ms.
    pub time_min_ms: Option<f64>,
    /// The longest time, ms.
    pub time_max_ms: Option<f64>,
    /// Duration of the connection set-up, ms.
    pub connect_ms: Option<f64>,
    /// The file's size divided by the transfer time.
    pub goodput_bits_per_second: Option<f64>,
    /// Bytes on the wire in both directions beyond the file's size, percent of that size.
    /// Source: Srivastava 2024, section 5.2, "Protocol Overhead".
    pub overhead_percent: Option<f64>,
    /// Bytes that the server retransmitted.
    pub retransmitted_bytes: Option<f64>,
    /// Packets that the server declared lost.
    pub packets_lost: Option<f64>,
}

/// Summary of one contender, and time series of its median run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BulkTransfer {
    /// The summary of all runs.
    #[serde(flatten)]
    pub summary: BulkSummary,
    /// Number of the run that the series show, from zero.
    pub run: u32,
    /// Reason why that run did not finish, if it did not.
    pub failure: Option<String>,
    /// Received bytes, per step.
    pub arrived: Vec<u64>,
    /// Congestion window in bytes, per step.
    pub window: Vec<u64>,
    /// Bytes queued at the bottleneck, per step.
    pub queued: Vec<u64>,
}

/// The embedded data, as the scripts read it.
#[derive(Serialize)]
struct Data<'a> {
    /// Index of the contender that the others are compared with.
    baseline: usize,
    #[serde(flatten)]
    report: &'a BulkReport,
}

/// Renders the report as one HTML file, with the same guarantees as
/// [`render`](crate::render).
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
        question: "",
        title: &report.title,
        version: &report.version,
        facts: &facts.join(" · "),
        body: &body,
        data: &serde_json::to_string(&data).expect("plain structs with text keys always serialise"),
        scripts: &[SCRIPT],
    }
    .render()
}

#[cfg(test)]
mod tests;
