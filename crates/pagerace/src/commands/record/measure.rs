//! Measures the layout of HARs that have content but no layout: Chromium shows their pages.
//!
//! The recordings that come of it are kept in the user's cache, so that later races of the same
//! HAR are quick and have the same results.

mod cache;
mod servers;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use pagerace_chromium::Clock;
use pagerace_chromium::browser::{find, version};
use pagerace_chromium::record::RecordOptions;
use pagerace_core::Destination;
use pagerace_har::{Device, Exchange, ImportOptions, Recording};
use pagerace_lab::unit::percent;
use pagerace_page::{Page, Resource};
use serde_json::Value;

use super::source::Source;
use crate::cli::groups::ProgressArgs;
use crate::cli::warn::warn;

/// Least share of the bytes that a layout depends on whose bodies the HAR holds. Chromium shows
/// filler in place of the others, so a large image without its body would make another element the
/// largest.
const BODIES_MIN: f64 = 0.9;

/// Least share of the recorded bytes that Chromium requests again. The others are lost to the race:
/// scripts ask for addresses that differ between loads. Over a slow link, a page is sooner by at
/// most the share that it lacks. That may be less than the error of guessed paints, of which one in
/// ten is off by half.
const SHOWN_MIN: f64 = 0.7;

/// Loads recordings, and measures the layout of HARs that lack it.
pub(in crate::commands) struct Measure<'a> {
    chromium: PathBuf,
    options: ImportOptions,
    progress: &'a ProgressArgs,
}

impl<'a> Measure<'a> {
    /// Returns `None` if Chromium is not installed.
    pub(in crate::commands) fn new(
        page: Option<&String>,
        progress: &'a ProgressArgs,
    ) -> Option<Self> {
        Some(Self {
            chromium: find(None).ok()?,
            options: ImportOptions {
                page: page.cloned(),
            },
            progress,
        })
    }

    /// Loads the page of a recording. A failed measurement is a warning.
    pub(in crate::commands) fn load(&self, path: &Path) -> Result<Page> {
        let mut recording = pagerace_har::load_recording(path, &self.options)?;
        let page = recording.page.clone();
        if page.content().is_none() || with_bodies(&recording) < BODIES_MIN {
            return Ok(page);
        }
        self.measured(path, &mut recording).or_else(|error| {
            let file = path.display();
            warn(&format!(
                "{file} races without a measured layout: {error:#}"
            ));
            Ok(page)
        })
    }

    /// Returns the page as Chromium shows it, with the servers of the recording.
    fn measured(&self, path: &Path, recording: &mut Recording) -> Result<Page> {
        pagerace_sim::fit(&mut recording.page)?;
        let browser = version(&self.chromium)?;
        let kept = cache::file(path, &self.options, &browser);
        let import = |bytes: &[u8]| {
            let name = path.to_string_lossy();
            pagerace_har::from_bytes(&name, bytes, &ImportOptions::default())
        };
        let read = kept.as_ref().and_then(|kept| fs::read(kept).ok());
        let mut page = if let Some(page) = read.and_then(|bytes| import(&bytes).ok()) {
            page
        } else {
            let har = self.show(path, recording, kept.as_deref())?;
            import(&serde_json::to_vec(&har)?)?
        };
        let shown = shown(recording, &page);
        if shown < SHOWN_MIN {
            bail!(
                "the page that Chromium shows has only {} of its bytes",
                percent(shown)
            );
        }
        if page.recorded.first_paint.is_none() {
            bail!("the page that Chromium shows stays empty");
        }
        let layout = page.layout_mut();
        let layout = layout.context("Chromium shows the document without a layout")?;
        layout.measured_in = Some(format!("Chromium {browser}"));
        page.name.clone_from(&recording.page.name);
        servers::take(&mut page, &recording.page);
        Ok(page)
    }

    /// Lets Chromium show the page of a recording, says how long it took, and writes the new
    /// recording to the file `kept`.
    fn show(&self, path: &Path, recording: &Recording, kept: Option<&Path>) -> Result<Value> {
        let file = path.display();
        let tell = |text: &str| {
            // If standard error is closed, nobody can be told.
            let _ = writeln!(anstream::stderr(), "{text}");
        };
        tell(&format!(
            "{file} has content but no layout: Chromium shows it first (takes some 25 s; --no-layout \
             skips this)"
        ));
        let clock = Clock::start();
        let source = Source::fitted(recording)?;
        let device = source.device().unwrap_or_else(Device::desktop);
        let site = source.serve(&[])?;
        let progress = self.progress.watch("loads");
        progress.start("measuring", 0);
        let har = super::load(
            source.url(),
            site.as_ref(),
            device,
            Some(&self.chromium),
            &RecordOptions::default(),
            &progress,
        )?;
        let took = clock.now().since_start().as_millis_f64() / 1000.0;
        let later = if kept.is_some_and(|kept| cache::keep(kept, &har)) {
            ", and kept for later races"
        } else {
            ""
        };
        tell(&format!("{file}: layout measured in {took:.0} s{later}"));
        Ok(har)
    }
}

/// Returns the share of the bytes that the layout depends on whose bodies the HAR holds.
fn with_bodies(recording: &Recording) -> f64 {
    share(recording, |exchange, resource| {
        let held = exchange.body.is_some() || resource.destination == Destination::Media;
        u64::from(held) * resource.body_bytes
    })
}

/// Returns the share of the recorded bytes that the page that Chromium shows has as well. Bodies
/// that the recorder cut off count in part.
fn shown(recording: &Recording, page: &Page) -> f64 {
    let places = page.resources.iter().map(|r| (place(&r.url), r.body_bytes));
    let mut rest: Vec<(String, u64)> = places.collect();
    share(recording, |exchange, resource| {
        let place = place(&resource.url);
        let Some(found) = rest.iter().position(|(other, _)| *other == place) else {
            return 0;
        };
        let (_, bytes) = rest.swap_remove(found);
        let body = exchange.body.as_ref().map(|body| body.len() as u64);
        // Then the HAR tells the decoded size only.
        let is_decoded = body == Some(resource.body_bytes);
        resource
            .body_bytes
            .min(if is_decoded { u64::MAX } else { bytes })
    })
}

/// Returns the share of the page's bytes for which `bytes` holds; 1 without any.
fn share(recording: &Recording, mut bytes: impl FnMut(&Exchange, &Resource) -> u64) -> f64 {
    let (mut all, mut some) = (0, 0);
    for exchange in &recording.exchanges {
        if let Some(id) = exchange.resource {
            let resource = recording.page.resource(id);
            all += resource.body_bytes;
            some += bytes(exchange, resource);
        }
    }
    if all == 0 {
        1.0
    } else {
        some as f64 / all as f64
    }
}

/// Returns the part of a URL by which a replay finds a response: it serves all as https, and the
/// query may differ.
fn place(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['?', '#']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ImportOptions, Recording, shown, with_bodies};

    /// Returns a recording of requests with these media types, encoded sizes and bodies.
    fn recording(requests: &[(&str, &str, u64, Option<&str>)]) -> Recording {
        let entry = |&(path, mime, bytes, text): &(&str, &str, u64, Option<&str>)| -> Value {
            json!({"request": {"method": "GET", "url": format!("http://a.test/{path}")},
                "response": {"status": 200, "bodySize": bytes, "content":
                    {"size": text.map_or(bytes, |t| t.len() as u64), "mimeType": mime, "text": text}}})
        };
        let entries: Vec<Value> = requests.iter().map(entry).collect();
        let har = json!({"log": {"version": "1.2", "entries": entries}}).to_string();
        pagerace_har::recording_from_bytes("a.har", har.as_bytes(), &ImportOptions::default())
            .expect("a recording")
    }

    #[test]
    fn bodies_count_by_bytes_without_media() {
        let html = Some("<!doctype html><p>Hello, these are words.");
        let whole = recording(&[
            ("", "text/html", 40, html),
            ("film", "video/mp4", 900, None),
        ]);
        assert!((with_bodies(&whole) - 1.0).abs() < 1e-9);
        let half = recording(&[
            ("", "text/html", 40, html),
            ("a.png", "image/png", 40, None),
        ]);
        assert!((with_bodies(&half) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn requests_are_found_again_once_and_cut_bodies_in_part() {
        let html = Some("<!doctype html><p>Hello, these are words.");
        let recorded = recording(&[
            ("", "text/html", 30, html),
            ("x?t=1", "text/css", 20, Some("p {} q {} r {} s {} t {}")),
            ("x?t=2", "text/css", 20, Some("p {} q {} r {} s {} t {}")),
            (
                "y",
                "text/css",
                30,
                Some("p { color: teal; margin: 0; padding: 0 }"),
            ),
        ]);
        let again = recording(&[
            ("", "text/html", 30, html),
            ("x?t=9", "text/css", 20, None),
            // Its end was cut off.
            ("y", "text/css", 15, None),
        ]);
        assert!((shown(&recorded, &again.page) - 0.65).abs() < 1e-9);
    }
}
