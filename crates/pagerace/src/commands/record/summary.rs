//! A summary of a recording in a few lines.

use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use crate::text;

/// Maximum number of failures that are listed.
const NAMED_MAX: usize = 10;

/// Facts of a recording.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Summary {
    url: String,
    requests: usize,
    origins: usize,
    decoded: u64,
    transferred: u64,
    without_body: usize,
    times: Vec<(&'static str, f64)>,
    failures: Vec<String>,
    secrets: u64,
    deviations: Deviations,
}

/// Differences between the page that our own server served and its source.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Deviations {
    /// `folder` or `recording`.
    pub(super) source: &'static str,
    /// Responses that could not be served as they were recorded.
    pub(super) altered: Vec<String>,
    /// Requests that were answered with 404.
    pub(super) unknown: Vec<String>,
}

impl Summary {
    pub(super) fn of(har: &Value, deviations: Deviations) -> Self {
        let page = &har["log"]["pages"][0];
        let (timings, own) = (&page["pageTimings"], &page["_pagerace"]);
        let times = [
            ("first contentful paint", &own["paints"]["fcpMs"]),
            ("largest contentful paint", &own["paints"]["lcpMs"]),
            ("load", &timings["onLoad"]),
        ];
        let known =
            |(name, ms): (&'static str, &Value)| Some((name, ms.as_f64().filter(|ms| *ms >= 0.0)?));
        let mut summary = Self {
            url: page["title"].as_str().unwrap_or_default().to_owned(),
            times: times.into_iter().filter_map(known).collect(),
            secrets: own["secretsDropped"].as_u64().unwrap_or(0),
            deviations,
            ..Self::default()
        };
        let mut origins: Vec<&str> = Vec::new();
        for entry in har["log"]["entries"].as_array().into_iter().flatten() {
            let url = entry["request"]["url"].as_str().unwrap_or_default();
            origins.push(url.split('/').nth(2).unwrap_or_default());
            summary.requests += 1;
            let response = &entry["response"];
            summary.decoded += response["content"]["size"].as_u64().unwrap_or(0);
            summary.transferred += response["_transferSize"].as_u64().unwrap_or(0);
            if let Some(reason) = entry["_pagerace"]["failed"].as_str() {
                summary.failures.push(format!("{url}: {reason}"));
            } else if response["content"]["text"].is_null()
                && response["content"]["size"].as_u64() > Some(0)
            {
                summary.without_body += 1;
            }
        }
        origins.sort_unstable();
        origins.dedup();
        summary.origins = origins.len();
        summary
    }

    pub(super) fn print(&self, out: &mut impl Write, path: &Path) -> io::Result<()> {
        text::stress(out, &format!("Recorded {}", self.url))?;
        let plural = |n: usize, one: &str| text::counted(n as u64, one);
        let kilobytes = |bytes: u64| format!("{:.0} kB", bytes as f64 / 1000.0);
        let (requests, hosts) = (
            plural(self.requests, "request"),
            plural(self.origins, "host"),
        );
        let line = format!(
            "{requests} to {hosts}, {} transferred, {} decoded",
            kilobytes(self.transferred),
            kilobytes(self.decoded)
        );
        text::say(out, &line)?;
        let times: Vec<String> = self
            .times
            .iter()
            .map(|(name, ms)| format!("{name} {ms:.0} ms"))
            .collect();
        if !times.is_empty() {
            text::say(
                out,
                &format!("{} (with tracing, on this machine)", times.join(", ")),
            )?;
        }
        named(out, "Failed", &self.failures)?;
        let Deviations {
            source,
            altered,
            unknown,
        } = &self.deviations;
        named(out, "Not served as recorded", altered)?;
        named(out, &format!("Not in the {source}"), unknown)?;
        if self.without_body > 0 {
            let line = format!(
                "{} without a body: a replay serves a stand-in",
                plural(self.without_body, "response")
            );
            text::say(out, &line)?;
        }
        if self.secrets > 0 {
            let line = format!(
                "{} left out (cookies, authorisation, posted data); \
                --keep-secrets keeps them",
                plural(self.secrets as usize, "secret")
            );
            text::say(out, &line)?;
        }
        let path = path.display();
        writeln!(out, "Wrote {path}")?;
        writeln!(out, "Next: pagerace page {path}, or pagerace race {path}")
    }
}

fn named(out: &mut impl Write, head: &str, all: &[String]) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    text::headed(out, head, &all.len().to_string())?;
    for one in all.iter().take(NAMED_MAX) {
        writeln!(out, "  {one}")?;
    }
    if all.len() > NAMED_MAX {
        writeln!(out, "  and {} more", all.len() - NAMED_MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{Deviations, Summary};

    #[test]
    fn a_recording_is_told_in_words() {
        let har = json!({"log": {
        "pages": [{"title": "https://a.test/", "pageTimings": {"onLoad": 712.4},
            "_pagerace": {"paints": {"fcpMs": 300.2, "lcpMs": null}, "secretsDropped": 1}}],
        "entries": [
            {"request": {"url": "https://a.test/"}, "_pagerace": {},
                "response": {"_transferSize": 900, "content": {"size": 2000, "text": "x"}}},
            {"request": {"url": "https://b.test/x"}, "_pagerace": {"failed": "net::ERR_FAILED"},
                "response": {"_transferSize": 0, "content": {"size": 0}}},
            {"request": {"url": "https://b.test/y"}, "_pagerace": {},
                "response": {"_transferSize": 100, "content": {"size": 5}}},
        ]}});
        let mut out = Vec::new();
        let deviations = Deviations {
            source: "recording",
            altered: vec!["https://b.test/y was recorded without its body".to_owned()],
            unknown: vec!["GET https://a.test/favicon.ico".to_owned()],
        };
        let summary = Summary::of(&har, deviations);
        summary
            .print(&mut out, Path::new("a.page"))
            .expect("memory takes all");
        let text = String::from_utf8(out).expect("UTF-8");
        for line in [
            "3 requests to 2 hosts, 1 kB transferred, 2 kB decoded\n",
            "first contentful paint 300 ms, load 712 ms (with tracing, on this machine)\n",
            "  https://b.test/x: net::ERR_FAILED\n",
            "Not served as recorded",
            "  https://b.test/y was recorded without its body\n",
            "Not in the recording",
            "  GET https://a.test/favicon.ico\n",
            "1 response without a body: ",
            "1 secret left out ",
            "Next: pagerace page a.page, or pagerace race a.page\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}
