//! Execution mode of scripts, and the resources that the first paint waits for.
//!
//! Evidence in order of trust: the recorder's `_renderBlocking`; the element in the
//! recorded markup; Chrome's priority, which depends on both
//! (<https://web.dev/articles/fetch-priority>: blocking scripts High, or Medium late in
//! the body; async and deferred ones Low); the origin.

use std::collections::BTreeMap;

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::discovery::{How, Link, offsets};
use super::entry::Entry;
use super::initiator::{self, Place};
use super::markup::{Element, Reference};
use super::notes::{Kind, Notes};
use super::recording::Recording;
use super::{destination, viewport};

/// Number of the document's images that Chrome requests as Medium, and assumes to be visible
/// before layout
/// (<https://chromium.googlesource.com/chromium/src/+/refs/heads/main/docs/speed/metrics_changelog/2023_08_image_loading.md>).
pub(super) const FIRST_IMAGES: usize = 5;

/// The recorder's value (Chromium's `RenderBlockingBehavior`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    Blocking,
    /// Blocks the parser in the body, but not the paint of the content before it.
    InBody,
    /// A style sheet imported by another one that may block.
    Potentially,
    Non,
}

/// Returns true for a script in the head of which the recorder tells that paints and parser wait
/// for it.
pub(super) fn blocks_parser(entry: &Entry) -> bool {
    entry.resource_type == Some("script") && recorded(entry) == Some(Recorded::Blocking)
}

fn recorded(entry: &Entry) -> Option<Recorded> {
    let word = entry
        .render_blocking?
        .replace(['_', '-', ' '], "")
        .to_ascii_lowercase();
    Some(match word.as_str() {
        "blocking" => Recorded::Blocking,
        "inbodyparserblocking" => Recorded::InBody,
        "potentiallyblocking" => Recorded::Potentially,
        "nonblocking" | "nonblockingdynamic" => Recorded::Non,
        _ => return None,
    })
}

/// The place of an `import()` without a script on the stack, such as one in a promise's reaction.
const UNKNOWN_CALLER: &str = "about:client";

/// Returns true for each module that an `import()` loads, and for each module that such a module
/// imports in turn. The load event does not wait for them (measured in Chromium 156).
///
/// The recorded place of an `import()` is the expression, or the part of its argument that was
/// computed last, and that of an `import` statement is the name of the module in it.
pub(super) fn dynamic_imports(recording: &Recording) -> Vec<bool> {
    let texts = texts_of_callers(recording);
    let mut imported = vec![false; recording.entries.len()];
    for i in 1..imported.len() {
        if let Some(from) = recording.redirects.from[i] {
            imported[i] = imported[from];
            continue;
        }
        let Some(place) = caller(recording, i) else {
            continue;
        };
        let (before, text) = texts.get(&i).copied().unwrap_or_default();
        let by = recording.find(&place.url);
        imported[i] = place.url == UNKNOWN_CALLER
            || text.starts_with("import(")
            || text.starts_with("import (")
            || is_in_import(before)
            || (text.starts_with(['"', '\'']) && by.is_some_and(|by| imported[by]));
    }
    imported
}

/// Returns the innermost place in a script that requested another script.
fn caller<'a>(recording: &'a Recording, i: usize) -> Option<&'a Place> {
    let initiator = &recording.entries[i].initiator;
    let by_script = initiator.kind == initiator::Kind::Script && is_script(recording, i);
    initiator.places.first().filter(|_| by_script)
}

/// Returns true if a text ends inside the argument of an `import()`.
fn is_in_import(before: &str) -> bool {
    before.rfind("import(").is_some_and(|at| {
        let open = before[at..].matches('(').count();
        !before[at..].contains(';') && open > before[at..].matches(')').count()
    })
}

/// Returns the line of each requesting script or document, up to the place of the request and from
/// there on, by the requested entry. Columns count UTF-16 code units.
fn texts_of_callers<'a>(recording: &'a Recording) -> BTreeMap<usize, (&'a str, &'a str)> {
    let mut places: BTreeMap<usize, Vec<(u64, u64, usize)>> = BTreeMap::new();
    for i in 1..recording.entries.len() {
        if let Some(place) = caller(recording, i)
            && let (Some(line), Some(column)) = (place.line, place.column)
            && let Some(by) = recording.find(&place.url)
        {
            places.entry(by).or_default().push((line, column, i));
        }
    }
    let mut texts = BTreeMap::new();
    for (by, mut places) in places {
        let Some(body) = recording.entries[by].body.as_deref() else {
            continue;
        };
        places.sort_unstable();
        // Each body is read once, however many requests come from it.
        let mut places = places.into_iter().peekable();
        for (number, line) in (0..).zip(body.split('\n')) {
            let mut column = 0;
            for (at, character) in line.char_indices() {
                if places.peek().is_none_or(|&(line, ..)| line > number) {
                    break;
                }
                let is_here =
                    |&(line, place, _): &(u64, u64, usize)| line <= number && place <= column;
                while let Some((_, place, i)) = places.next_if(is_here) {
                    if place == column {
                        texts.insert(i, line.split_at(at));
                    }
                }
                column += character.len_utf16() as u64;
            }
            // The line is too short for the rest of its places.
            while places.next_if(|&(line, ..)| line <= number).is_some() {}
            if places.peek().is_none() {
                break;
            }
        }
    }
    texts
}

/// Returns the execution mode of each script, and the default mode for other resources.
pub(super) fn script_modes(
    recording: &Recording,
    links: &[Option<Link>],
    notes: &mut Notes,
) -> Vec<ScriptMode> {
    let mut modes = vec![ScriptMode::default(); recording.entries.len()];
    for i in 1..modes.len() {
        let Some(link) = links[i].as_ref().filter(|_| is_script(recording, i)) else {
            continue;
        };
        let told = recording.entries[i].own.script_mode;
        modes[i] = match (link.how, told) {
            (How::Redirect, _) => modes[link.parent],
            (How::Markup, _) if recording.is_import(i) => ScriptMode::Inserted,
            (How::Markup, Some(mode)) => mode,
            (How::Markup, None) => in_markup(recording, link, i, notes),
            (How::Inline | How::Style | How::Script | How::After, _) => ScriptMode::Inserted,
        };
    }
    modes
}

fn is_script(recording: &Recording, i: usize) -> bool {
    recording.destinations[i] == Destination::Script
}

fn in_markup(recording: &Recording, link: &Link, i: usize, notes: &mut Notes) -> ScriptMode {
    if let Some(references) = references(recording, link.parent, i) {
        let script = references.iter().find_map(|r| match r.element {
            Element::Script {
                is_async,
                is_deferred,
            } => Some((is_async, is_deferred)),
            _ => None,
        });
        match script {
            Some((true, _)) => return ScriptMode::Async,
            Some((false, true)) => return ScriptMode::Defer,
            Some((false, false)) => return ScriptMode::Blocking,
            // The script is preloaded and inserted later.
            None if !references.is_empty() => return ScriptMode::Async,
            None => {}
        }
    }
    let entry = &recording.entries[i];
    if matches!(recorded(entry), Some(Recorded::Blocking | Recorded::InBody)) {
        return ScriptMode::Blocking;
    }
    notes.add(Kind::ScriptModeGuessed);
    let is_third_party = recording.is_third_party(i) == Some(true);
    let late = if is_third_party {
        ScriptMode::Async
    } else {
        ScriptMode::Defer
    };
    match entry.priority {
        _ if entry.preload => ScriptMode::Async,
        _ if recorded(entry) == Some(Recorded::Non) => late,
        Some(RequestPriority::VeryHigh | RequestPriority::High | RequestPriority::Medium) => {
            ScriptMode::Blocking
        }
        Some(RequestPriority::Low | RequestPriority::VeryLow) => late,
        None if is_third_party => ScriptMode::Async,
        None => ScriptMode::Blocking,
    }
}

/// Returns true for each resource that the first paint waits for: the document itself,
/// style sheets that apply, blocking scripts of the main document's head, and imports of
/// such style sheets.
pub(super) fn render_blocking(
    recording: &Recording,
    links: &[Option<Link>],
    modes: &[ScriptMode],
) -> Vec<bool> {
    let mut blocking = vec![false; recording.entries.len()];
    for i in 0..blocking.len() {
        blocking[i] = match (recording.destinations[i], &links[i]) {
            (Destination::Document, _) => true,
            (_, Some(link)) if link.how == How::Redirect => blocking[link.parent],
            (Destination::Style, Some(link)) => style_blocks(recording, link, i, &blocking),
            (Destination::Script, Some(link)) => {
                modes[i] == ScriptMode::Blocking && script_blocks(recording, link, i)
            }
            _ => false,
        };
    }
    blocking
}

fn style_blocks(recording: &Recording, link: &Link, i: usize, blocking: &[bool]) -> bool {
    // The recorder's value is that of the preload's request.
    if let Some(element) = used_after_preload(recording, link, i) {
        return link.parent == recording.document && element.in_head;
    }
    match recorded(&recording.entries[i]) {
        Some(Recorded::Blocking | Recorded::Potentially) => return true,
        Some(Recorded::InBody | Recorded::Non) => return false,
        None => {}
    }
    match link.how {
        How::Style => blocking[link.parent],
        How::Markup if link.parent == recording.document => {
            let references = references(recording, link.parent, i).unwrap_or_default();
            let sheet = references.iter().find_map(|r| match r.element {
                // A style sheet in the body delays only the content after it.
                Element::StyleSheet { applies } => Some(applies && r.in_head),
                _ => None,
            });
            match (sheet, recording.entries[i].priority) {
                (Some(applies), _) => applies,
                // Style sheets for other media have the lowest priority.
                (None, Some(priority)) => priority <= RequestPriority::High,
                (None, None) => true,
            }
        }
        _ => false,
    }
}

fn script_blocks(recording: &Recording, link: &Link, i: usize) -> bool {
    if !link.is_in_markup_of(recording.document) {
        return false;
    }
    let preloaded = used_after_preload(recording, link, i).is_some();
    match recorded(&recording.entries[i]).filter(|_| !preloaded) {
        Some(Recorded::Blocking) => return true,
        Some(_) => return false,
        None => {}
    }
    let references = references(recording, link.parent, i).unwrap_or_default();
    let script = references
        .iter()
        .find(|r| matches!(r.element, Element::Script { .. }));
    match (script, recording.entries[i].priority) {
        (Some(reference), _) => reference.in_head,
        (None, Some(priority)) => priority <= RequestPriority::High,
        // Head and body cannot be distinguished. A first-party script is assumed to be in
        // the head, as most blocking scripts are.
        (None, None) => true,
    }
}

/// Returns the references to entry `i` in the recorded markup of `document`; `None` if
/// the body is not recorded.
fn references<'a>(
    recording: &'a Recording,
    document: usize,
    i: usize,
) -> Option<Vec<&'a Reference>> {
    let mut url = recording.entries[i].url.clone()?;
    url.set_fragment(None);
    let all = recording.references.get(&document)?;
    Some(all.iter().filter(|r| r.url == url.as_str()).collect())
}

/// Returns the encoded offset of the element that uses entry `i` after the markup has
/// preloaded it.
pub(super) fn used_at(recording: &Recording, link: &Link, i: usize) -> Option<u64> {
    let element = used_after_preload(recording, link, i)?;
    let decoded = recording.decoded_length(link.parent)?;
    let share = element.offset as f64 / decoded as f64;
    Some(offsets::scale(share, recording.bodies[link.parent]))
}

/// Returns the script or style sheet element that uses entry `i`, if a preload in the same
/// markup comes first.
fn used_after_preload<'a>(
    recording: &'a Recording,
    link: &Link,
    i: usize,
) -> Option<&'a Reference> {
    if link.how != How::Markup {
        return None;
    }
    let references = references(recording, link.parent, i)?;
    let is_preload = |reference: &&&Reference| reference.element == Element::Preload;
    references.first().filter(is_preload)?;
    references.into_iter().find(|reference| {
        matches!(
            reference.element,
            Element::Script { .. } | Element::StyleSheet { applies: true }
        )
    })
}

/// Returns the place of each image among those that the document's markup names, from 0.
/// Preloads and icons have none.
pub(super) fn image_places(recording: &Recording, links: &[Option<Link>]) -> Vec<Option<usize>> {
    let mut count = 0;
    let place = |i: usize| {
        let link = links[i].as_ref()?;
        let is_counted = recording.destinations[i] == Destination::Image
            && link.is_in_markup_of(recording.document)
            && !viewport::is_icon(&recording.entries[i])
            && !is_preloaded(recording, links, i);
        is_counted.then(|| {
            count += 1;
            count - 1
        })
    };
    (0..links.len()).map(place).collect()
}

/// Returns true if a preload requests entry `i`.
fn is_preloaded(recording: &Recording, links: &[Option<Link>], i: usize) -> bool {
    recording.entries[i].preload
        || first_reference(recording, links, i).is_some_and(|r| r.element == Element::Preload)
}

/// Returns the first reference to entry `i` in its parent's markup.
fn first_reference<'a>(
    recording: &'a Recording,
    links: &[Option<Link>],
    i: usize,
) -> Option<&'a Reference> {
    let link = links[i].as_ref()?;
    references(recording, link.parent, i)?.first().copied()
}

/// Returns the priority of image `i` at the time of its request. `place` is its place among
/// the document's images.
///
/// If a recorder tells only the last priority, as DevTools does, High may be the one to which
/// Chrome raised a visible image. The image then began like one without a recorded priority,
/// unless the markup says otherwise: Medium for the first five of the document, else Low
/// (<https://web.dev/articles/fetch-priority>).
pub(super) fn image_priority(
    recording: &Recording,
    links: &[Option<Link>],
    place: Option<usize>,
    i: usize,
) -> RequestPriority {
    let entry = &recording.entries[i];
    let reference = first_reference(recording, links, i);
    let is_urgent = reference.is_some_and(|reference| reference.is_urgent);
    let is_first = place.is_some_and(|place| place < FIRST_IMAGES);
    let raised = entry.final_priority == Some(RequestPriority::High)
        && !entry.priority_history
        && !viewport::is_icon(entry)
        && !is_preloaded(recording, links, i);
    match entry.priority {
        Some(recorded) if !raised || is_urgent => recorded,
        None if destination::is_prefetch(entry) => RequestPriority::VeryLow,
        None if is_urgent => RequestPriority::High,
        _ if is_first => RequestPriority::Medium,
        _ => RequestPriority::Low,
    }
}

/// Returns Chrome's priority for a request without a recorded one
/// (<https://web.dev/articles/fetch-priority>, table of priorities).
pub fn infer_priority(
    destination: Destination,
    mode: ScriptMode,
    render_blocking: bool,
    prefetch: bool,
) -> RequestPriority {
    match destination {
        _ if prefetch => RequestPriority::VeryLow,
        Destination::Document | Destination::Iframe | Destination::Font => {
            RequestPriority::VeryHigh
        }
        Destination::Style if render_blocking => RequestPriority::VeryHigh,
        Destination::Style => RequestPriority::VeryLow,
        Destination::Script => match (mode, render_blocking) {
            (ScriptMode::Blocking, true) => RequestPriority::High,
            (ScriptMode::Blocking, false) => RequestPriority::Medium,
            _ => RequestPriority::Low,
        },
        Destination::Fetch => RequestPriority::High,
        Destination::Image | Destination::Media | Destination::Other => RequestPriority::Low,
    }
}

#[cfg(test)]
mod tests;
