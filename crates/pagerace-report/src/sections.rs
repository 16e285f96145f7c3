//! Report of findings as sections: text, a table, and a figure.

use std::fmt::Write as _;

use serde::Serialize;

use crate::page::{Shell, escape::html};

const SCRIPT: &str = include_str!("../assets/js/sections.js");

/// Findings as sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionReport {
    /// Heading and window title.
    pub title: String,
    /// Version of Pagerace.
    pub version: String,
    /// Facts below the heading.
    pub facts: Vec<String>,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Sentences below it.
    pub text: Vec<String>,
    /// Lines below them whose spaces count, such as a tree.
    pub lines: Vec<String>,
    /// Header of the table; empty without a table.
    pub header: Vec<String>,
    /// Number of columns from the left that hold words, not numbers.
    pub words: usize,
    /// Rows of the table.
    pub rows: Vec<Vec<String>>,
    /// The figure.
    pub figure: Option<Figure>,
}

/// A figure: series over two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// Description for readers who cannot see it.
    pub label: String,
    /// Title and unit of the horizontal axis.
    pub x: String,
    /// Title and unit of the vertical axis.
    pub y: String,
    /// Names of the places on the horizontal axis; empty if it has numbers.
    pub categories: Vec<String>,
    /// Largest value of the vertical axis, if it is fixed.
    pub y_max: Option<f64>,
    /// The series.
    pub series: Vec<Series>,
}

/// A series of points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The name.
    pub name: String,
    /// The way to draw it.
    pub kind: SeriesKind,
    /// The points; with categories, `x` is the index of one.
    pub points: Vec<Point>,
}

/// The way to draw a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// Bars on top of those of other series.
    Bars,
    /// A line from point to point.
    Line,
    /// A line that has the value of a point up to that point.
    Steps,
    /// Points.
    Points,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// The name; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

impl Series {
    /// Returns a series of points without names.
    pub fn new(name: &str, kind: SeriesKind, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let point = |(x, y)| Point {
            x,
            y,
            name: String::new(),
        };
        Self {
            name: name.to_owned(),
            kind,
            points: points.into_iter().map(point).collect(),
        }
    }
}

/// Renders the report as one HTML file, with the same guarantees as
/// [`render`](crate::render).
pub fn render_sections(report: &SectionReport) -> String {
    let mut body = String::new();
    let mut figures = Vec::new();
    for section in &report.sections {
        // Writing to a String cannot fail.
        let _ = writeln!(body, "<section>\n<h2>{}</h2>", html(&section.title));
        for text in &section.text {
            let _ = writeln!(body, "<p>{}</p>", html(text));
        }
        if !section.lines.is_empty() {
            let _ = writeln!(body, "<pre>{}</pre>", html(&section.lines.join("\n")));
        }
        if let Some(figure) = &section.figure {
            let _ = writeln!(
                body,
                "<div class=\"figure\" id=\"figure-{}\"></div>",
                figures.len()
            );
            figures.push(figure);
        }
        if !section.header.is_empty() {
            table(&mut body, section);
        }
        body.push_str("</section>\n");
    }
    body.push_str(
        "</main>\n<footer>\n<noscript><p class=\"hint\">The figures need JavaScript; the tables \
         do not.</p></noscript>\n<p class=\"hint\">Charts: Apache ECharts 6.1.0, Apache License \
         2.0. This file makes no network requests.</p>\n</footer>\n<div id=\"tip\" hidden></div>\n",
    );
    let facts: Vec<String> = report.facts.iter().map(|fact| html(fact)).collect();
    Shell {
        title: &report.title,
        version: &report.version,
        facts: &facts.join(" · "),
        body: &body,
        data: &serde_json::json!({ "figures": figures }).to_string(),
        scripts: &[SCRIPT],
    }
    .render()
}

fn table(out: &mut String, section: &Section) {
    let cell = |tag: &str, place: usize, text: &str| {
        let side = if place < section.words {
            " class=\"words\""
        } else {
            ""
        };
        format!("<{tag}{side}>{}</{tag}>", html(text))
    };
    let row = |tag: &str, cells: &[String]| -> String {
        let cells = cells.iter().enumerate();
        cells.map(|(place, text)| cell(tag, place, text)).collect()
    };
    let _ = writeln!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<thead>\
         <tr>{}</tr></thead>\n<tbody>",
        html(&section.title),
        row("th", &section.header)
    );
    for cells in &section.rows {
        let _ = writeln!(out, "<tr>{}</tr>", row("td", cells));
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

#[cfg(test)]
mod tests;
