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
    /// True if each of them is an item of a list.
    pub list: bool,
    /// Lines below them whose spaces count, such as a tree or a command.
    pub lines: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The figure.
    pub figure: Option<Figure>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Caption; empty for a table alone.
    pub caption: String,
    /// Column heads.
    pub header: Vec<String>,
    /// Number of columns from the left that hold words, not numbers.
    pub words: usize,
    /// Rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
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

impl Section {
    /// Returns a section that has a heading alone.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Adds a sentence.
    #[must_use]
    pub fn say(mut self, text: impl Into<String>) -> Self {
        self.text.push(text.into());
        self
    }

    /// Adds these sentences.
    #[must_use]
    pub fn say_all(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        self.text.extend(texts);
        self
    }

    /// Adds a table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// Adds the figure.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> Self {
        self.figure = Some(figure);
        self
    }
}

impl Table {
    /// Returns a table without a caption. Its first `words` columns hold words.
    ///
    /// # Panics
    /// If a row does not fill the table.
    pub fn new(
        header: Vec<String>,
        words: usize,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let rows: Vec<Vec<String>> = rows.into_iter().collect();
        assert!(
            rows.iter().all(|row| row.len() == header.len()),
            "a row fills its table"
        );
        Self {
            caption: String::new(),
            header,
            words,
            rows,
        }
    }

    /// Gives the table a caption.
    #[must_use]
    pub fn captioned(self, caption: impl Into<String>) -> Self {
        Self {
            caption: caption.into(),
            ..self
        }
    }
}

/// Returns the names of columns that are separated by " | ".
pub fn columns(names: &str) -> Vec<String> {
    names.split(" | ").map(str::to_owned).collect()
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
        for part in &section.tables {
            table(&mut body, &section.title, part);
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
        question: "",
        title: &report.title,
        version: &report.version,
        facts: &facts.join(" · "),
        body: &body,
        data: &serde_json::json!({ "figures": figures }).to_string(),
        scripts: &[SCRIPT],
    }
    .render()
}

fn table(out: &mut String, title: &str, table: &Table) {
    let cell = |tag: &str, place: usize, text: &str| {
        let side = if place < table.words {
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
        html(title),
        row("th", &table.header)
    );
    for cells in &table.rows {
        let _ = writeln!(out, "<tr>{}</tr>", row("td", cells));
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

#[cfg(test)]
mod tests;
