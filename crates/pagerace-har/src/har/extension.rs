//! Fields that `pagerace record` adds to HAR 1.2: the object `_pagerace` of entries and
//! of the page. `docs/har-import.md` lists them.
//!
//! As everywhere in the importer, an invalid field counts as missing.

use pagerace_core::ScriptMode;
use serde_json::Value;

use super::value::{filled, flag, list, millis, position};
use pagerace_page::FontDisplay;

/// The `_pagerace` object of an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extension {
    /// Byte offset, in the initiating document's decoded body, behind the element that
    /// names the resource.
    pub(super) initiator_offset: Option<u64>,
    /// True if a style attribute names the image.
    pub(super) inline_style: bool,
    /// Main-thread milliseconds of executing scripts of this URL.
    pub(super) script_ms: Option<f64>,
    /// Main-thread milliseconds of parsing the resource.
    pub(super) parse_ms: Option<f64>,
    /// Milliseconds of decoding the image.
    pub(super) decode_ms: Option<f64>,
    pub(super) script_mode: Option<ScriptMode>,
    pub(super) font_display: Option<FontDisplay>,
    /// Milliseconds from the navigation to the time at which the timer was set whose callback made
    /// the request.
    pub(super) timer_set_ms: Option<f64>,
    /// The sum of the timeouts from then on.
    pub(super) timeout_ms: Option<f64>,
    /// The script or data that called the function that made the request, and the milliseconds
    /// from its run or arrival to the request.
    pub(super) caller: Option<(String, f64)>,
    /// Reason of the failure, in the browser's words.
    pub(super) failed: Option<String>,
}

impl Extension {
    /// Parses the entry's `_pagerace` object, if it has one.
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
            font_display: filled(own, "fontDisplay").and_then(|word| word.parse().ok()),
            timer_set_ms: millis(own, "timerSetMs"),
            timeout_ms: millis(own, "timeoutMs"),
            caller: own.get("caller").and_then(|caller| {
                let url = filled(caller, "url")?.to_owned();
                Some((url, millis(caller, "ms")?))
            }),
            failed: filled(own, "failed").map(str::to_owned),
        }
    }
}

/// Modules run like deferred scripts
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

/// A task of the main thread; milliseconds since the navigation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MainThreadTask<'a> {
    pub(super) start: f64,
    /// The end in the recorded load.
    pub(super) end: f64,
    /// The time that the task takes, without its waits for synchronous requests.
    pub(super) cost: f64,
    pub(super) kind: TaskKind,
    pub(super) url: Option<&'a str>,
}

impl MainThreadTask<'_> {
    /// Returns the milliseconds of the task between two times.
    pub(super) fn inside(&self, from: f64, to: f64) -> f64 {
        (self.end.min(to) - self.start.max(from)).max(0.0)
    }
}

/// Kind of a task, as far as the importer distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskKind {
    /// Style, layout or paint.
    Rendering,
    Script,
    Other,
}

/// Returns the tasks of the page's main thread, in order of start.
pub(super) fn main_thread(page: Option<&Value>) -> Vec<MainThreadTask<'_>> {
    let Some(own) = page.and_then(|p| p.get("_pagerace")) else {
        return Vec::new();
    };
    let task = |task| {
        let start = millis(task, "ms")?;
        let cost = millis(task, "durationMs")?;
        Some(MainThreadTask {
            start,
            end: start + millis(task, "wallMs").unwrap_or(cost),
            cost,
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

/// Returns `paints.{key}` of the page, in milliseconds.
pub(super) fn paint(page: Option<&Value>, key: &str) -> Option<f64> {
    millis(page?.get("_pagerace")?.get("paints")?, key)
}

/// Returns the URLs of the scripts that made the largest text.
pub(super) fn makers(page: Option<&Value>) -> impl Iterator<Item = &str> {
    let paints = page.and_then(|p| p.get("_pagerace")?.get("paints"));
    let urls = paints.into_iter().flat_map(|p| list(p, "lcpMakers"));
    urls.filter_map(Value::as_str)
}

#[cfg(test)]
mod tests;
