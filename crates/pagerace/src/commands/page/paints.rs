//! The recorded metrics beside those of a load over the recording's own network, and the
//! evidence for the page's paints.

use std::io::{self, Write};

use anyhow::Result;
use pagerace_browser::LoadMetrics;
use pagerace_core::Duration;
use pagerace_page::{Page, PaintEvidence, Wait};
use pagerace_sim::recording::network;

use super::{heading, label, table};
use crate::cli::inputs::layout_hint;

/// Additions to the page in the JSON output.
#[derive(Debug, serde::Serialize)]
pub(super) struct Reproduced {
    /// Evidence for the page's paints.
    pub(super) paint_evidence: PaintEvidence,
    /// Metrics of a load over the recording's own network.
    #[serde(rename = "reproduced")]
    pub(super) load: LoadMetrics,
    #[serde(rename = "reproduced_over")]
    network: String,
}

impl Reproduced {
    pub(super) fn of(page: &Page) -> Result<Self> {
        Ok(Self {
            paint_evidence: page.paint_evidence(),
            load: pagerace_sim::reproduce(page)?,
            network: network(page).describe(),
        })
    }
}

pub(super) fn write(out: &mut impl Write, page: &Page, load: &Reproduced) -> io::Result<()> {
    heading(out, "Recorded and reproduced")?;
    let evidence = format!(
        "paints {}: {}{}",
        load.paint_evidence,
        founded(page),
        layout_hint(page)
    );
    let largest = page.largest_in_words();
    if page.largest_candidates().is_empty() {
        writeln!(out, "{evidence}; largest paint: {largest}")?;
    } else if page.has_navigation() {
        writeln!(out, "{evidence}")?;
        writeln!(out, "Largest element: {largest}")?;
    }
    let (recorded, own) = (&page.recorded, &load.load);
    let rows = [
        ("first contentful paint", recorded.first_paint, own.fcp),
        ("largest contentful paint", recorded.largest_paint, own.lcp),
        ("Speed Index", recorded.speed_index, own.speed_index),
        (
            "DOMContentLoaded",
            recorded.on_content_load,
            own.dom_content_loaded,
        ),
        ("load", recorded.on_load, own.onload),
    ];
    let shown = |time: Option<Duration>| time.map_or_else(|| "–".to_owned(), |t| t.to_string());
    let rows = rows.map(|(name, recorded, own)| {
        let off = recorded
            .zip(own)
            .filter(|(recorded, _)| !recorded.is_zero());
        let off = off.map(|(recorded, own)| {
            let (recorded, own) = (recorded.as_millis_f64(), own.as_millis_f64());
            format!("{:+.0} %", (own / recorded - 1.0) * 100.0)
        });
        vec![
            name.to_owned(),
            shown(recorded),
            shown(own),
            off.unwrap_or_else(|| "–".to_owned()),
        ]
    });
    let header = ["metric", "recorded", "reproduced", "error"];
    writeln!(out, "{}", table(&header, 1, rows.to_vec()))?;
    writeln!(
        out,
        "reproduced over the recording's own network, as estimated from it ({}), each host in its \
         recorded protocol and at its recorded distance",
        load.network
    )?;
    match page.processor_in_words() {
        Some(processor) => writeln!(out, "processor: {processor}"),
        None => Ok(()),
    }
}

/// Names an event that something waits for.
pub(super) fn event(page: &Page, wait: Wait) -> String {
    match wait {
        Wait::ContentLoaded => "DOMContentLoaded".to_owned(),
        Wait::Loaded => "the load event".to_owned(),
        Wait::Resource { .. } | Wait::Join { .. } => {
            let all = page.awaited(wait);
            let all: Vec<String> = all.map(|id| label(page, page.resource(id))).collect();
            all.join(" and ")
        }
    }
}

fn founded(page: &Page) -> String {
    match (page.paint_evidence(), page.fit()) {
        (PaintEvidence::Recorded, _) => "the recording holds the layout".to_owned(),
        (_, Some(fit)) => {
            let held = fit.delay.map(|delay| {
                let after = event(page, fit.after);
                format!("nothing appears until {delay} after {after}")
            });
            let held = held.unwrap_or_else(|| "render-blocking resources hold them".to_owned());
            let swaps = if fit.swaps_fonts {
                ", text does not wait for fonts"
            } else {
                ""
            };
            format!("{held}{swaps}")
        }
        _ => "the recording has none".to_owned(),
    }
}
