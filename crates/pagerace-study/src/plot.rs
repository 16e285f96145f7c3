//! Plots: the cumulative distribution over pages of the change against a baseline, as SVG.
//!
//! Each combination of the other columns that vary, such as the network, has a panel, and
//! each value that is compared a curve in it. A gain is left of the middle.

use std::fmt::Write as _;

use pagerace_lab::stats::quantile;

use crate::compare::{Compared, Place, compare};
use crate::frame::Frame;
use crate::table::TableSpec;

/// Panels in a row.
const COLUMNS: usize = 4;
/// Width and height of a panel, axes included.
const PANEL: (f64, f64) = (200.0, 160.0);
/// The margins of a panel: left, right, top and bottom.
const MARGIN: (f64, f64, f64, f64) = (32.0, 18.0, 20.0, 24.0);
/// Height of the legend at the top.
const LEGEND: f64 = 44.0;
/// The share of changes that the axis shows at least, and its shortest and longest half.
const SHOWN: f64 = 0.9;
const LEAST: f64 = 0.05;
const MOST: f64 = 1.0;

/// Colours and dashes of the curves. The colours are Okabe and Ito's, which most people can
/// tell apart.
const CURVES: [(&str, &str); 7] = [
    ("#0072b2", "none"),
    ("#d55e00", "none"),
    ("#009e73", "6 2"),
    ("#cc79a7", "6 2"),
    ("#e69f00", "2 2"),
    ("#56b4e9", "2 2"),
    ("#000000", "none"),
];

/// A panel: its name, and the curves in it.
type Panel<'a> = (String, Vec<&'a Compared>);

/// Draws the distributions of a table's changes. `order` lists names in the order in which
/// panels shall come.
///
/// # Errors
/// An unknown column or value, or no pages with a change.
pub fn svg(spec: &TableSpec, frame: &Frame, order: &[String]) -> Result<String, String> {
    let (frame, question) = spec.question(frame)?;
    let all = compare(&frame, &question);
    let panels = panels(&all, order);
    let mut values: Vec<&str> = all.iter().map(|one| one.value.as_str()).collect();
    values.sort_unstable();
    values.dedup();
    let reach = reach(&all).ok_or("no page has a change")?;
    let columns = panels.len().min(COLUMNS);
    let width = PANEL.0 * columns.max(2) as f64;
    let height = LEGEND + PANEL.1 * panels.len().div_ceil(COLUMNS) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"10\">\n\
         <title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escaped(&spec.name)
    );
    let caption = format!(
        "Share of pages over the change of {} against {}",
        question.metric.metric().key(),
        question.baseline
    );
    text(&mut out, (8.0, 14.0), "", &caption);
    legend(&mut out, &values, width);
    for (i, (name, curves)) in panels.iter().enumerate() {
        let left = PANEL.0 * (i % COLUMNS) as f64;
        let top = LEGEND + PANEL.1 * (i / COLUMNS) as f64;
        let area = Area::new(left, top, reach);
        area.frame(&mut out, name);
        for one in curves {
            let place = values.iter().position(|value| *value == one.value);
            area.curve(&mut out, one, place.unwrap_or_default());
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// Returns the panels in the given order; others follow by name.
fn panels<'a>(all: &'a [Compared], order: &[String]) -> Vec<Panel<'a>> {
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for one in all {
        let name = words(&one.place);
        match panels.iter_mut().find(|(other, _)| *other == name) {
            Some((_, curves)) => curves.push(one),
            None => panels.push((name, vec![one])),
        }
    }
    let rank = |(_, curves): &Panel<'_>| {
        let place = curves[0].place.iter();
        let known = |name: &String| order.iter().position(|other| other == name);
        place.filter_map(|(_, name)| known(name)).min()
    };
    panels.sort_by_key(|panel| rank(panel).unwrap_or(usize::MAX));
    panels
}

fn words(place: &Place) -> String {
    let words: Vec<&str> = place.iter().map(|(_, value)| value.as_str()).collect();
    words.join(", ")
}

fn changes(one: &Compared) -> Vec<f64> {
    let mut changes: Vec<f64> = one.pages.iter().filter_map(|page| page.change).collect();
    changes.sort_by(f64::total_cmp);
    changes
}

/// Returns the change at the right end of the axes, a multiple of the shortest.
fn reach(all: &[Compared]) -> Option<f64> {
    let sizes: Vec<f64> = all
        .iter()
        .flat_map(changes)
        .map(f64::abs)
        .filter(|size| size.is_finite())
        .collect();
    let wanted = quantile(&sizes, SHOWN)?;
    Some(((wanted / LEAST).ceil() * LEAST).clamp(LEAST, MOST))
}

fn legend(out: &mut String, values: &[&str], width: f64) {
    let step = (width - 16.0) / values.len() as f64;
    for (i, value) in values.iter().enumerate() {
        let x = 8.0 + step * i as f64;
        let (colour, dashes) = CURVES[i % CURVES.len()];
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} 30h18\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\" \
             stroke-width=\"1.5\"/>"
        );
        text(out, (x + 22.0, 33.0), "", value);
    }
}

/// The part of a panel that holds its curves.
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// The change at the right end.
    reach: f64,
}

impl Area {
    fn new(left: f64, top: f64, reach: f64) -> Self {
        let (l, r, t, b) = MARGIN;
        Self {
            left: left + l,
            top: top + t,
            width: PANEL.0 - l - r,
            height: PANEL.1 - t - b,
            reach,
        }
    }

    fn x(&self, change: f64) -> f64 {
        let share = (change / self.reach).clamp(-1.0, 1.0);
        self.left + self.width * (share + 1.0) / 2.0
    }

    fn y(&self, share: f64) -> f64 {
        self.top + self.height * (1.0 - share)
    }

    /// Draws the axes and the name.
    fn frame(&self, out: &mut String, name: &str) {
        let (left, top, width, height) = (self.left, self.top, self.width, self.height);
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#999\"/>\n\
             <path d=\"M{:.1} {top}v{height}M{left} {:.1}h{width}\" stroke=\"#ddd\"/>",
            self.x(0.0),
            self.y(0.5)
        );
        text(out, (left, top - 6.0), "", name);
        for change in [-self.reach, 0.0, self.reach] {
            let label = match change {
                0.0 => "0".to_owned(),
                change => format!("{:+.0} %", change * 100.0).replace('-', "−"),
            };
            let at = (self.x(change), top + height + 13.0);
            text(out, at, "middle", &label);
        }
        for share in [0.0, 0.5, 1.0] {
            let at = (left - 4.0, self.y(share) + 3.0);
            text(out, at, "end", &format!("{share}"));
        }
    }

    /// Draws a distribution as steps. Changes beyond the axis are at its end.
    fn curve(&self, out: &mut String, one: &Compared, place: usize) {
        let changes = changes(one);
        let (colour, dashes) = CURVES[place % CURVES.len()];
        let mut path = format!("M{:.1} {:.1}", self.left, self.y(0.0));
        for (i, change) in changes.iter().enumerate() {
            let share = (i + 1) as f64 / changes.len() as f64;
            let _ = write!(path, "H{:.1}V{:.1}", self.x(*change), self.y(share));
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}H{:.1}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-dasharray=\"{dashes}\" stroke-width=\"1.5\"/>",
            self.left + self.width
        );
    }
}

/// Writes a text. An empty anchor is the start.
fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, content: &str) {
    let anchor = match anchor {
        "" => String::new(),
        anchor => format!(" text-anchor=\"{anchor}\""),
    };
    let content = escaped(content);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{content}</text>"
    );
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
