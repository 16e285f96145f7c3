//! The HTML around the data.
//!
//! Heading, verdicts and notes are plain HTML and readable without scripts. The scripts
//! in `assets/js` draw everything else.

mod advice;
pub(crate) mod escape;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::digest::{SHA256, digest};

use crate::compact::Compact;
use crate::film::PLAYER_SCRIPT;
use crate::input::{NetworkResult, Provenance, Report, VerdictKind};
use escape::{html, json_in_script};

/// Apache `ECharts` 6.1.0, unmodified; see `assets/echarts/README.md`.
const LIBRARY: &str = include_str!("../assets/echarts/echarts.min.js");

const STYLE: &str = concat!(
    include_str!("../assets/report.css"),
    include_str!("../assets/player.css")
);

/// HTML between the verdicts and the section on methods; contains no data.
const SECTIONS: &str = include_str!("../assets/sections.html");

/// Description of how simulated loads were made.
const HOW_SIMULATED: &str = include_str!("../assets/how-simulated.html");

/// Description of how live loads were made.
const HOW_LIVE: &str = include_str!("../assets/how-live.html");

/// HTML between the sections and the description of the loads.
const HOW: &str = "</main>\n\n<footer>\n<h2>How this was made</h2>\n";

/// HTML at the end of the page; contains no data.
const FOOTER: &str = include_str!("../assets/footer.html");

/// Scripts that all report files share, in order.
const BASICS: [&str; 6] = [
    include_str!("../assets/js/data.js"),
    include_str!("../assets/js/format.js"),
    include_str!("../assets/js/dom.js"),
    include_str!("../assets/js/theme.js"),
    include_str!("../assets/js/save.js"),
    include_str!("../assets/js/chart.js"),
];

/// Scripts of races, in order.
const SCRIPTS: [&str; 16] = [
    PLAYER_SCRIPT,
    include_str!("../assets/js/differences.js"),
    include_str!("../assets/js/tiles.js"),
    include_str!("../assets/js/films.js"),
    include_str!("../assets/js/pages.js"),
    include_str!("../assets/js/paths.js"),
    include_str!("../assets/js/table.js"),
    include_str!("../assets/js/progress.js"),
    include_str!("../assets/js/waterfall.js"),
    include_str!("../assets/js/wire-model.js"),
    include_str!("../assets/js/wire-paint.js"),
    include_str!("../assets/js/wire-pointer.js"),
    include_str!("../assets/js/wire.js"),
    include_str!("../assets/js/across.js"),
    include_str!("../assets/js/why.js"),
    include_str!("../assets/js/main.js"),
];

/// Most pages whose verdicts are shown unfolded.
const PAGES_UNFOLDED: usize = 3;

/// Most pages whose folded verdicts are not folded together.
const PAGES_LISTED: usize = 20;

/// Most notes that are shown unfolded.
const NOTES_UNFOLDED: usize = 12;

/// Renders the report as one HTML file.
///
/// Equal reports give equal bytes. Strings of the report may contain anything, because
/// they are escaped. The content security policy allows only the two scripts whose hashes
/// it lists, and no requests.
pub fn render(report: &Report) -> String {
    let data = serde_json::to_string(&Compact::new(report))
        .expect("plain structs with text keys always serialise");
    let mut body = String::new();
    match &report.advice {
        // Its answer is one about the changes, and not about which of two pages wins.
        Some(advice) => advice::section(&mut body, advice, &report.doubts),
        None => verdicts(&mut body, report),
    }
    body.push_str(SECTIONS);
    notes(&mut body, report);
    body.push_str(HOW);
    body.push_str(match report.world {
        Provenance::Simulated => HOW_SIMULATED,
        Provenance::Live => HOW_LIVE,
    });
    environment(&mut body, report);
    body.push_str(FOOTER);
    Shell {
        question: &report.question,
        title: &report.title,
        version: &report.version,
        facts: &facts(report),
        body: &body,
        data: &data,
        scripts: &SCRIPTS,
    }
    .render()
}

/// The frame that all report files share: head, style, data and scripts.
pub(crate) struct Shell<'a> {
    /// Question above the heading, as plain text; empty if there is none.
    pub(crate) question: &'a str,
    /// Heading, as plain text.
    pub(crate) title: &'a str,
    /// Version of Pagerace, as plain text.
    pub(crate) version: &'a str,
    /// Facts below the heading, as HTML.
    pub(crate) facts: &'a str,
    /// The rest of the page, as HTML. It must close `main`.
    pub(crate) body: &'a str,
    /// The data, as JSON.
    pub(crate) data: &'a str,
    /// Scripts, which together with those that all files share form the body of one function, so
    /// that they define no globals.
    pub(crate) scripts: &'a [&'a str],
}

impl Shell<'_> {
    /// Renders the complete file. Its content security policy allows only the two scripts
    /// whose hashes it lists, and no requests.
    pub(crate) fn render(&self) -> String {
        let script = own_script(self.scripts);
        let (library, own) = (hash(LIBRARY), hash(&script));
        let mut out = String::with_capacity(LIBRARY.len() + self.data.len() + (64 << 10));
        let title = html(self.title);
        let question = if self.question.is_empty() {
            String::new()
        } else {
            format!("<p class=\"question\">{}</p>\n", html(self.question))
        };
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src 'sha256-{library}' 'sha256-{own}'; style-src 'unsafe-inline'; \
             img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"generator\" content=\"Pagerace {}\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <header>\n{question}<h1>{title}</h1>\n<p class=\"facts\">{}</p>\n</header>\n<main>\n",
            html(self.version),
            self.facts,
        );
        out.push_str(self.body);
        out.push_str("<script type=\"application/json\" id=\"data\">");
        out.push_str(&json_in_script(self.data));
        out.push_str("</script>\n<script>");
        out.push_str(LIBRARY);
        out.push_str("</script>\n<script>");
        out.push_str(&script);
        out.push_str("</script>\n</body>\n</html>\n");
        out
    }
}

/// Wraps the shared scripts and these in one function, so that they define no globals.
fn own_script(scripts: &[&str]) -> String {
    format!(
        "(function () {{\n'use strict';\n{}{}}}());\n",
        BASICS.concat(),
        scripts.concat()
    )
}

/// Hash of a script for the content security policy: SHA-256, base64.
fn hash(script: &str) -> String {
    BASE64.encode(digest(&SHA256, script.as_bytes()))
}

fn facts(report: &Report) -> String {
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", html(if n == 1 { one } else { many }));
    let world = match report.world {
        Provenance::Simulated => "simulated",
        Provenance::Live => "<b>live</b>",
    };
    let mut facts = vec![
        world.to_owned(),
        count(report.pages.len(), "page", "pages"),
        count(report.networks.len(), "network", "networks"),
        count(report.contenders.len(), &report.noun, &report.nouns),
        count(report.runs as usize, "run of each", "runs of each"),
    ];
    if let Some(metric) = report.metrics.get(report.metric) {
        facts.push(format!("ranked by {}", html(&metric.title)));
    }
    if let Some(baseline) = report.contenders.get(report.baseline) {
        facts.push(format!("compared with <b>{}</b>", html(&baseline.name)));
    }
    if !report.shared.is_empty() {
        facts.push(html(&report.shared));
    }
    facts.join(" · ")
}

/// Appends the circumstances of live loads.
fn environment(out: &mut String, report: &Report) {
    if report.environment.is_empty() {
        return;
    }
    out.push_str("<dl id=\"environment\">");
    for fact in &report.environment {
        let (name, value) = (html(&fact.name), html(&fact.description));
        let _ = write!(out, "<dt>{name}</dt><dd>{value}</dd>");
    }
    out.push_str("</dl>\n");
}

fn verdicts(out: &mut String, report: &Report) {
    out.push_str("<section id=\"verdicts\" aria-labelledby=\"verdicts-title\">\n");
    out.push_str("<h2 id=\"verdicts-title\">Answer</h2>\n");
    doubts(out, &report.doubts);
    let overall = report.across.iter().filter(|a| a.metric == report.metric);
    for across in overall.filter(|a| !a.verdict.is_empty()) {
        verdict(out, report, across.network, (&across.verdict, "", ""), None);
    }
    let several = report.pages.len() > 1;
    let folded = report.pages.len() > PAGES_UNFOLDED;
    let together = report.pages.len() > PAGES_LISTED;
    if together {
        let count = report.pages.len();
        let _ = writeln!(
            out,
            "<details><summary>The answers of all {count} pages</summary>"
        );
    }
    for page in &report.pages {
        let name = html(&page.name);
        if folded {
            let _ = writeln!(out, "<details><summary>{name}</summary>");
        } else if several {
            let _ = writeln!(out, "<h3>{name}</h3>");
        }
        for NetworkResult {
            network,
            verdict: text,
            visit,
            record,
            outcome,
            ..
        } in &page.networks
        {
            verdict(out, report, *network, (text, visit, record), Some(*outcome));
        }
        if folded {
            out.push_str("</details>\n");
        }
    }
    if together {
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

/// Appends what is doubtful about the pages.
fn doubts(out: &mut String, all: &[String]) {
    for doubt in all {
        let _ = writeln!(out, "<p class=\"doubt\">{}</p>", html(doubt));
    }
}

/// Appends what a reader should keep in mind.
fn notes(out: &mut String, report: &Report) {
    if !report.notes.is_empty() {
        out.push_str("<section id=\"notes\"><h2>To keep in mind</h2>\n");
        let folded = report.notes.len() > NOTES_UNFOLDED;
        if folded {
            let count = report.notes.len();
            let _ = writeln!(
                out,
                "<details><summary>{count} notes on data left out, inferred or assumed</summary>"
            );
        }
        out.push_str("<ul>\n");
        for note in &report.notes {
            let _ = writeln!(out, "<li>{}</li>", html(note));
        }
        out.push_str("</ul>\n");
        if folded {
            out.push_str("</details>\n");
        }
        out.push_str("</section>\n");
    }
}

/// Appends one verdict: network, mark, sentences, who gains, and their record.
fn verdict(
    out: &mut String,
    report: &Report,
    network: usize,
    (text, visit, record): (&str, &str, &str),
    went: Option<VerdictKind>,
) {
    let (class, mark) = match went {
        None => ("across", "all pages"),
        Some(VerdictKind::Better) => ("better", "a winner"),
        Some(VerdictKind::Probable) => ("better", "a probable winner"),
        Some(VerdictKind::NoDifference) => ("same", "no winner"),
        Some(VerdictKind::Unknown) => ("unknown", "open"),
    };
    let Some(network) = report.networks.get(network) else {
        return;
    };
    // The text begins with the network's name, which is already in the heading.
    let name = network.name.as_str();
    let shorter = text
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(": "));
    let on = || {
        text.strip_prefix("On ")?
            .strip_prefix(name)?
            .strip_prefix(", ")
    };
    let text = shorter.or_else(on).unwrap_or(text);
    let text = capitalised(text, report);
    let _ = write!(
        out,
        "<div class=\"verdict {class}\"><p class=\"where\"><b>{}</b> <span class=\"mark\">{mark}</span> \
         <small>{}</small></p><p>{}</p>",
        html(&network.name),
        html(&network.description),
        html(&text),
    );
    if !visit.is_empty() {
        let _ = write!(out, "<p>{}</p>", html(visit));
    }
    if !record.is_empty() {
        let _ = write!(out, "<p class=\"record\">{}</p>", html(record));
    }
    out.push_str("</div>\n");
}

/// Capitalises the first letter, unless the sentence begins with a contender's name.
fn capitalised(text: &str, report: &Report) -> String {
    let first = text.split([' ', ',']).next().unwrap_or_default();
    let named = report
        .contenders
        .iter()
        .any(|c| c.name.split(' ').next() == Some(first));
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if !named => letter.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
