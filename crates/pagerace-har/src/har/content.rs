//! Content that the recorded bodies state, for recordings without a layout.

use std::collections::BTreeMap;

use pagerace_core::Destination;
use pagerace_page::model::MAX_ELEMENTS;
use pagerace_page::{Content, FontUse, ResourceId};

use super::discovery::Link;
use super::layout::{self, Document};
use super::markup;
use super::recording::Recording;
use crate::fonts;

/// Characters that fill the first screen: 30 % of 1350 x 940 pixels, with 190 square pixels
/// for each, as in a font of 16 pixels. Modelled.
const FIRST_SCREEN: u64 = 2000;
/// Bytes of the body up to the end of that text. If there are fewer, and the page has scripts,
/// these make the largest text, as on all of eight such pages with a recorded layout.
const LITTLE_MARKUP: u64 = 1500;
/// Parts into which this text is divided.
const PARTS: u64 = 4;
/// Words in the names of fonts that hold icons.
const ICONS: [&str; 6] = ["icon", "awesome", "glyph", "fa-", "symbol", "dashicons"];

/// Returns the content; `None` if the document's body is not recorded.
pub(super) fn read(recording: &Recording, links: &[Option<Link>]) -> Option<Content> {
    let document = Document::new(recording);
    let entry = &recording.entries[recording.document];
    let (html, url) = (document.text?, entry.url.as_ref()?);
    let texts = markup::texts(html, url);
    let ends = parts(&texts);
    let scripts = markup::inline_scripts(html);
    let scripted = !scripts.is_empty() || recording.destinations.contains(&Destination::Script);
    let start = markup::body_start(html, url).unwrap_or(0);
    let is_little = |end: &u64| *end < start + LITTLE_MARKUP;
    let scripted_text = scripted && ends.last().is_some_and(is_little);
    let text = ends.iter().filter_map(|&end| document.encoded(end));
    let scripts = scripts.into_iter().filter(|script| !script.is_module);
    let scripts = scripts.filter_map(|script| document.encoded(script.end));
    let (fonts, icons) = fonts(recording);
    Some(Content {
        body_start: document.body_start(recording),
        text: text.collect(),
        scripted_text,
        inline_scripts: scripts.take(MAX_ELEMENTS).collect(),
        fonts,
        icons,
        styled: ids(layout::styled(recording, links)),
        lazy: ids(layout::lazy(recording, links)),
    })
}

fn ids(entries: Vec<usize>) -> Vec<ResourceId> {
    entries.into_iter().map(|i| ResourceId(i as u32)).collect()
}

/// Divides the text of the first screen into parts and returns their ends.
fn parts(texts: &[(u64, u64)]) -> Vec<u64> {
    let all: u64 = texts.iter().map(|(_, visible)| visible).sum();
    let fold = all.min(FIRST_SCREEN);
    let end_of = |part: u64| {
        let mut seen = 0;
        let reached = texts.iter().find(|(_, visible)| {
            seen += visible;
            seen * PARTS >= fold * part
        });
        reached.map(|(end, _)| *end)
    };
    (1..=PARTS).filter_map(end_of).collect()
}

/// Returns the fonts with a declared `font-display`, and those of icons. A font service
/// that takes `display` in its address writes it into the sheet.
fn fonts(recording: &Recording) -> (Vec<FontUse>, Vec<ResourceId>) {
    let mut faces = BTreeMap::new();
    let entries = recording.entries.iter().zip(&recording.destinations);
    let sheets = entries
        .clone()
        .filter(|(_, to)| matches!(to, Destination::Style | Destination::Document));
    for (entry, _) in sheets {
        let (Some(text), Some(url)) = (entry.body.as_deref(), &entry.url) else {
            continue;
        };
        for face in fonts::scan(text, url) {
            for url in &face.urls {
                faces.entry(url.clone()).or_insert_with(|| face.clone());
            }
        }
    }
    let (mut displays, mut icons) = (Vec::new(), Vec::new());
    for (i, (_, to)) in entries.enumerate() {
        let Some(url) = recording.url(i).filter(|_| *to == Destination::Font) else {
            continue;
        };
        let font = ResourceId(i as u32);
        let face = faces.get(&url);
        let file = url.rsplit('/').next().unwrap_or_default();
        let names = [face.map_or("", |face| &face.family), file];
        if ICONS.iter().any(|word| {
            names
                .iter()
                .any(|name| name.to_ascii_lowercase().contains(word))
        }) {
            icons.push(font);
        }
        let display = face.and_then(|face| face.display.parse().ok());
        displays.extend(display.map(|display| FontUse { font, display }));
    }
    (displays, icons)
}

#[cfg(test)]
mod tests;
