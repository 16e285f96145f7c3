//! What `pagerace record` writes beyond HAR 1.2: the object `_pagerace` of an
//! entry and of the page. `docs/har-import.md` lists its fields.
//!
//! As everywhere, a field that is missing or odd is a field that is not there.

use pagerace_core::ScriptMode;
use serde_json::Value;

use super::value::{filled, flag, list, millis, position};
use crate::FontDisplay;

/// What `_pagerace` of an entry says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extension {
    /// Byte of the initiating document's decoded body behind the element that
    /// names the resource.
    pub(super) initiator_offset: Option<u64>,
    /// A style attribute names the image.
    pub(super) inline_style: bool,
    /// Main-thread milliseconds of running scripts of this URL.
    pub(super) script_ms: Option<f64>,
    /// Main-thread milliseconds of parsing it.
    pub(super) parse_ms: Option<f64>,
    /// Milliseconds of decoding the image.
    pub(super) decode_ms: Option<f64>,
    pub(super) script_mode: Option<ScriptMode>,
    pub(super) font_display: Option<FontDisplay>,
    /// The browser's word for why the request failed.
    pub(super) failed: Option<String>,
}

impl Extension {
    /// Reads what the entry has of it.
    pub(super) fn parse(entry: &Value) -> Self {
        let Some(own) = entry.get("_pagerace").filter(|v| v.is_object()) else {
            return Self::default();
        };
        let cpu = |key| own.get("cpu").and_then(|cpu| millis(cpu, key));
        Self {
            initiator_offset: position(own, "initiatorOffset"),
            inline_style: flag(own, "inlineStyle"),
            script_ms: cpu("scriptMs"),
            parse_ms: cpu("parseMs"),
            decode_ms: cpu("decodeMs"),
            script_mode: filled(own, "scriptMode").and_then(script_mode),
            font_display: filled(own, "fontDisplay").and_then(font_display),
            failed: filled(own, "failed").map(str::to_owned),
        }
    }
}

/// Modules run as deferred scripts do
/// (<https://html.spec.whatwg.org/multipage/scripting.html#attr-script-type>).
fn script_mode(word: &str) -> Option<ScriptMode> {
    Some(match word {
        "blocking" => ScriptMode::Blocking,
        "defer" | "module" => ScriptMode::Defer,
        "async" => ScriptMode::Async,
        "inserted" => ScriptMode::Inserted,
        _ => return None,
    })
}

fn font_display(word: &str) -> Option<FontDisplay> {
    Some(match word {
        "auto" => FontDisplay::Auto,
        "block" => FontDisplay::Block,
        "swap" => FontDisplay::Swap,
        "fallback" => FontDisplay::Fallback,
        "optional" => FontDisplay::Optional,
        _ => return None,
    })
}

/// A piece of the main thread's time; milliseconds since the navigation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MainThreadTask<'a> {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) kind: TaskKind,
    pub(super) url: Option<&'a str>,
}

/// What a task was spent on, as far as the importer cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskKind {
    /// Style, layout or paint.
    Rendering,
    Script,
    Other,
}

/// The tasks of the page's main thread, in order of start.
pub(super) fn main_thread(page: Option<&Value>) -> Vec<MainThreadTask<'_>> {
    let Some(own) = page.and_then(|p| p.get("_pagerace")) else {
        return Vec::new();
    };
    let task = |task| {
        let start = millis(task, "ms")?;
        Some(MainThreadTask {
            start,
            end: start + millis(task, "durationMs")?,
            kind: match filled(task, "kind")? {
                "style" | "layout" | "paint" => TaskKind::Rendering,
                "script" => TaskKind::Script,
                _ => TaskKind::Other,
            },
            url: filled(task, "url"),
        })
    };
    let mut tasks: Vec<_> = list(own, "mainThread").iter().filter_map(task).collect();
    tasks.sort_by(|a, b| a.start.total_cmp(&b.start));
    tasks
}

/// `paints.{key}` of the page, milliseconds.
pub(super) fn paint(page: Option<&Value>, key: &str) -> Option<f64> {
    millis(page?.get("_pagerace")?.get("paints")?, key)
}

/// The scripts that made the largest text.
pub(super) fn makers(page: Option<&Value>) -> impl Iterator<Item = &str> {
    let paints = page.and_then(|p| p.get("_pagerace")?.get("paints"));
    let urls = paints.into_iter().flat_map(|p| list(p, "lcpMakers"));
    urls.filter_map(Value::as_str)
}

#[cfg(test)]
mod tests;
