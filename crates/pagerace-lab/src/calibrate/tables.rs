//! What an accuracy says, as sections of sentences and tables; how those are
//! written is another matter.

use super::accuracy::{Accuracy, Group, Winners, Worst};
use super::blame::Blame;
use super::errors::Errors;
use super::lighthouse::published;
use crate::metric::MetricId;
use crate::unit::{Unit, percent, probability, signed_percent};

mod head;

/// What stands where there is no value.
pub const NONE: &str = "–";

/// A heading, sentences and tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs before the tables.
    pub text: Vec<String>,
    /// A command, after the paragraphs; empty if there is none.
    pub command: String,
    /// The tables.
    pub tables: Vec<Table>,
}

/// Cells with a header; the first `words` columns are words, the others numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// Names of the columns, with units where cells have none.
    pub header: Vec<String>,
    /// Columns of words, on the left.
    pub words: usize,
    /// Every row is as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The errors, the winners, Lighthouse: what fits on a terminal.
    Summary,
    /// Everything, down to single cells.
    Full,
}

/// All sections in order. `rerun` is the command that repeats the measurement;
/// it may be empty.
pub fn sections(accuracy: &Accuracy, rerun: &str, extent: Extent) -> Vec<Section> {
    let full = extent == Extent::Full;
    let mut sections = vec![
        head::head(accuracy),
        errors(accuracy, full),
        winners(accuracy),
    ];
    sections.extend(lighthouse(accuracy));
    if full {
        sections.push(why(accuracy));
        sections.push(cells(accuracy));
        sections.push(head::rerun(accuracy, rerun));
    }
    sections
}

impl Table {
    fn new(caption: &str, words: usize, header: &[&str]) -> Self {
        Self {
            caption: caption.to_owned(),
            header: header.iter().map(|name| (*name).to_owned()).collect(),
            words,
            rows: Vec::new(),
        }
    }

    fn add(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.header.len(), "a row fills its table");
        self.rows.push(row);
    }
}

/// A value in words, or a dash.
fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_owned())
}

/// A share as per cent.
fn share(value: Option<f64>) -> String {
    or_none(value.map(|v| {
        if v.is_finite() {
            percent(v)
        } else {
            infinite(v)
        }
    }))
}

/// A share as per cent with its sign.
fn signed(value: Option<f64>) -> String {
    or_none(value.map(|v| {
        if v.is_finite() {
            signed_percent(v)
        } else {
            infinite(v)
        }
    }))
}

fn infinite(value: f64) -> String {
    if value > 0.0 { "∞" } else { "-∞" }.to_owned()
}

/// A value of a metric with its unit.
fn value(metric: MetricId, value: Option<f64>) -> String {
    or_none(value.map(|v| metric.metric().unit.format(v)))
}

fn title(metric: MetricId) -> String {
    metric.metric().title.to_owned()
}

const ERRORS: [&str; 9] = [
    "metric", "cells", "p50", "p90", "p95", "bias", "noise", "distance", "no error",
];

/// The fields of [`ERRORS`].
fn error_fields(metric: MetricId, errors: &Errors) -> Vec<String> {
    vec![
        title(metric),
        errors.count.to_string(),
        share(errors.p50),
        share(errors.p90),
        share(errors.p95),
        signed(errors.bias),
        share(errors.noise),
        value(metric, errors.distance),
        errors.without.to_string(),
    ]
}

fn errors(accuracy: &Accuracy, full: bool) -> Section {
    let mut section = Section {
        title: "Relative error".to_owned(),
        text: vec![
            "The distance between the predicted and the live median, as a share of the live \
             median; quantiles over the cells (a cell is a page, network and contender). Bias: \
             median error with its sign, negative where the model is too fast. Noise: median \
             coefficient of variation of the live runs, a floor for the error. Distance: median \
             in the metric's unit. No error: cells in which one side has no value or the live \
             median is zero."
                .to_owned(),
        ],
        ..Section::default()
    };
    for name in crate::results::distinct(accuracy.overall.iter().map(|g| g.name.as_str())) {
        let mut table = Table::new(&capital(name), 1, &ERRORS);
        for group in accuracy.overall.iter().filter(|g| g.name == name) {
            table.add(error_fields(group.metric, &group.errors));
        }
        section.tables.push(table);
    }
    if full {
        let held_out = |name: &str| accuracy.held_out.iter().any(|page| page == name);
        let plain = |name: &str| name.to_owned();
        let page = |name: &str| {
            let mark = if held_out(name) { " (held out)" } else { "" };
            format!("{name}{mark}")
        };
        let named: [(&str, &str, &[Group], &dyn Fn(&str) -> String); 3] = [
            ("By network", "network", &accuracy.by_network, &plain),
            ("By protocol", "protocol", &accuracy.by_protocol, &plain),
            ("By page", "page", &accuracy.by_page, &page),
        ];
        for (caption, column, groups, name) in named {
            let mut header = vec![column];
            header.extend(ERRORS);
            let mut table = Table::new(caption, 2, &header);
            for group in groups {
                let mut row = vec![name(&group.name)];
                row.extend(error_fields(group.metric, &group.errors));
                table.add(row);
            }
            section.tables.push(table);
        }
    }
    section
}

fn winners(accuracy: &Accuracy) -> Section {
    let mut duels = Table::new(
        "Pairs of contenders",
        2,
        &[
            "pages",
            "metric",
            "pairs",
            "sure",
            "≥ 1 %",
            "right",
            "wrong",
            "tie",
            "no value",
            "share right",
            "same sign",
        ],
    );
    let mut ranks = Table::new(
        "Best contender and ranks",
        2,
        &[
            "pages",
            "metric",
            "rankings",
            "same best",
            "as good",
            "another",
            "correlated",
            "median rho",
        ],
    );
    for Winners {
        name,
        metric,
        score,
        share_right,
        ranks: r,
    } in &accuracy.winners
    {
        let mut row = vec![name.clone(), title(*metric)];
        row.extend(
            [
                score.pairs,
                score.sure(),
                score.decided(),
                score.right,
                score.wrong,
                score.tie,
                score.no_prediction,
            ]
            .map(|n| n.to_string()),
        );
        row.push(share(*share_right));
        row.push(format!("{} of {}", score.same_sign, score.sure()));
        duels.add(row);
        let mut row = vec![name.clone(), title(*metric)];
        row.extend([r.rankings, r.same, r.as_good, r.other, r.correlated].map(|n| n.to_string()));
        row.push(or_none(r.rho.map(|rho| format!("{rho:.2}"))));
        ranks.add(row);
    }
    Section {
        title: "Winners".to_owned(),
        text: vec![
            "For each page and network, every pair of contenders. Sure: Mann-Whitney's test of the \
             live runs, corrected by Holm's method over the pairs of that page, network and \
             metric, is below 0.05. Of those whose live medians differ by at least 1 %: right if \
             the model picks the same one, wrong if the other, tie if it sees less than 1 %. Same \
             sign: of all sure pairs, those whose predicted difference, whatever its size, has the \
             sign of the live one. As good: the model's best is another, but the live runs do not \
             tell it from the best, or only by less than 1 %. Rho: Spearman's correlation of the \
             contenders' medians."
                .to_owned(),
        ],
        tables: vec![duels, ranks],
        ..Section::default()
    }
}

fn lighthouse(accuracy: &Accuracy) -> Option<Section> {
    let header = ["pages", "metric", "of", "cells", "p50", "p90", "p95"];
    let mut table = Table::new("", 3, &header);
    let row = |name: &str, metric: MetricId, of: &str, cells: String, p: [Option<f64>; 3]| {
        let mut row = vec![name.to_owned(), title(metric), of.to_owned(), cells];
        row.extend(p.map(share));
        row
    };
    let quantiles = |e: &Errors| [e.p50, e.p90, e.p95];
    for &metric in &accuracy.metrics {
        let Some(known) = published(metric) else {
            continue;
        };
        let ours = accuracy.overall.iter().find(|g| g.metric == metric);
        if let Some(Group { name, errors, .. }) = ours {
            let p = quantiles(errors);
            table.add(row(name, metric, "Pagerace", errors.count.to_string(), p));
        }
        let p = [known.p50, known.p90, known.p95].map(Some);
        let (pages, cells) = ("its own pages", NONE.to_owned());
        table.add(row(pages, metric, "Lighthouse, as published", cells, p));
    }
    for rival in &accuracy.lighthouse {
        for (of, errors) in [
            ("Pagerace, same cells", &rival.ours),
            ("Lighthouse, simulated", &rival.lighthouse),
        ] {
            let (name, cells) = (&rival.name, errors.count.to_string());
            table.add(row(name, rival.metric, of, cells, quantiles(errors)));
        }
    }
    if table.rows.is_empty() {
        return None;
    }
    let mut text = vec![
        "Lighthouse publishes the accuracy of its own simulation on pages and machines of its own \
         (core/test/fixtures/lantern-baseline-accuracy.json of its repository): the same form, \
         other data."
            .to_owned(),
    ];
    if !accuracy.lighthouse.is_empty() {
        text.push(
            "Its simulated predictions for the pages and networks measured here stand beside ours \
             on the same cells. It knows neither protocol nor congestion controller, so that one \
             prediction stands beside every contender."
                .to_owned(),
        );
    }
    Some(Section {
        title: "Beside Lighthouse".to_owned(),
        text,
        tables: vec![table],
        ..Section::default()
    })
}

fn why(accuracy: &Accuracy) -> Section {
    let mut causes = Table::new(
        "Where predictions that are off by more than 5 % first part from reality",
        2,
        &["metric", "at", "cells", "median gap (live less predicted)"],
    );
    for cause in &accuracy.causes {
        causes.add(vec![
            title(cause.metric),
            cause.stage.label().to_owned(),
            cause.cells.to_string(),
            or_none(cause.gap_ms.map(gap)),
        ]);
    }
    let mut worst = Table::new(
        "The worst cells of each metric",
        5,
        &[
            "metric",
            "page",
            "network",
            "contender",
            "parts at",
            "predicted",
            "live",
            "error",
        ],
    );
    for Worst { cell, blame } in &accuracy.worst {
        worst.add(vec![
            title(cell.metric),
            cell.page.clone(),
            cell.network.clone(),
            cell.contender.clone(),
            blame.as_ref().map_or_else(|| NONE.to_owned(), blamed),
            value(cell.metric, cell.predicted),
            value(cell.metric, cell.observed),
            signed(cell.signed_error()),
        ]);
    }
    Section {
        title: "Where the model is wrong, and why".to_owned(),
        text: vec![
            "The median simulated load beside the median live one, resource by resource along the \
             predicted critical path of the metric: the first moment at which they differ by more \
             than the threshold is blamed. What follows from it is not told apart from it."
                .to_owned(),
        ],
        tables: vec![causes, worst],
        ..Section::default()
    }
}

/// A gap in milliseconds, with its sign.
fn gap(ms: f64) -> String {
    let unit = Unit::Milliseconds;
    unit.scale(ms).format_signed(ms)
}

/// "transfer of app.js: predicted 310 ms, live 402 ms (+92 ms)".
fn blamed(blame: &Blame) -> String {
    let unit = Unit::Milliseconds;
    let of = blame
        .url
        .as_deref()
        .map_or_else(String::new, |url| format!(" of {url}"));
    let times = match (blame.predicted_ms, blame.observed_ms, blame.gap_ms()) {
        (Some(p), Some(o), Some(late)) if late.is_finite() => {
            format!(
                ": predicted {}, live {} ({})",
                unit.format(p),
                unit.format(o),
                gap(late)
            )
        }
        _ => String::new(),
    };
    format!("{}{of}{times}", blame.stage.words())
}

fn cells(accuracy: &Accuracy) -> Section {
    let mut table = Table::new(
        "",
        4,
        &[
            "page",
            "network",
            "contender",
            "metric",
            "predicted",
            "live",
            "error",
            "noise",
            "runs",
            "failed",
        ],
    );
    for cell in &accuracy.cells {
        table.add(vec![
            cell.page.clone(),
            cell.network.clone(),
            cell.contender.clone(),
            title(cell.metric),
            value(cell.metric, cell.predicted),
            value(cell.metric, cell.observed),
            signed(cell.signed_error()),
            share(cell.noise),
            cell.runs.to_string(),
            cell.failed.to_string(),
        ]);
    }
    let mut duels = Table::new(
        "Sure pairs (differences: the second contender's median less the first's, as a share of \
         the lower)",
        5,
        &[
            "page",
            "network",
            "metric",
            "first",
            "second",
            "live",
            "predicted",
            "p",
            "outcome",
        ],
    );
    for duel in accuracy.duels.iter().filter(|duel| duel.is_sure()) {
        let [first, second] = duel.contenders.clone();
        duels.add(vec![
            duel.page.clone(),
            duel.network.clone(),
            title(duel.metric),
            first,
            second,
            signed(duel.observed),
            signed(duel.predicted),
            or_none(duel.p.map(probability)),
            duel.outcome.label().to_owned(),
        ]);
    }
    Section {
        title: "All cells".to_owned(),
        text: vec!["Medians over the runs.".to_owned()],
        tables: vec![table, duels],
        ..Section::default()
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests;
