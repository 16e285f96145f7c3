//! An HTML document in the parser.
//!
//! Follows the HTML standard's parsing model as far as loading is concerned: parser-blocking
//! scripts, script-blocking style sheets, and the list of scripts that run when the document has
//! finished parsing. Left out: `document.write` and failed speculation.
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-end>

use std::collections::{BTreeSet, VecDeque};

use pagerace_page::ResourceId;

use crate::cause::Ready;

/// The most encoded bytes that one task parses, so that a document that arrives at once
/// does not become one long task. Chromium's parser yields likewise.
pub(crate) const CHUNK: u64 = 16 * 1024;

/// The progress of one document in the parser.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// The encoded bytes that have been parsed.
    pub(crate) parsed: u64,
    /// The number of the scanner's children that the parser has reached.
    pub(crate) met: usize,
    /// True while a script that the parser has reached cannot run.
    pub(crate) paused: bool,
    /// The index of the next stop.
    pub(crate) next_stop: usize,
    /// True if a parse task is queued or running.
    pub(crate) task_queued: bool,
    /// The offset at which the running parse task ends.
    pub(crate) target: u64,
    /// The script that the parser waits for.
    pub(crate) blocked_on: Option<ResourceId>,
    /// True if the task of that script is queued or running.
    pub(crate) script_queued: bool,
    /// Asynchronous scripts that arrived before the parser reached their elements.
    pub(crate) ahead: Vec<(u64, ResourceId)>,
    /// True if the parser has reached the end of the document.
    pub(crate) finished: bool,
    /// Deferred scripts that have not run.
    pub(crate) deferred: VecDeque<ResourceId>,
    /// True if the task of the first deferred script is queued or running.
    pub(crate) deferred_queued: bool,
    /// True if the deferred scripts have run too, that is, after `DOMContentLoaded`.
    pub(crate) complete: bool,
    /// The bytes available after each arrival, with the arrival; both ascending.
    pub(crate) arrivals: Vec<(u64, Ready)>,
    /// Style sheets that block the scripts after them, by position.
    pub(crate) sheets: BTreeSet<(u64, ResourceId)>,
}

impl Parser {
    /// Returns true if a script at `anchor` has to wait for an earlier style sheet.
    pub(crate) fn has_sheet_before(&self, anchor: u64) -> bool {
        self.sheets
            .first()
            .is_some_and(|&(offset, _)| offset < anchor)
    }

    /// Takes the scripts of [`ahead`](Self::ahead) whose elements the parser has reached, in
    /// the order in which they arrived.
    pub(crate) fn take_reached(&mut self) -> Vec<ResourceId> {
        let (parsed, finished) = (self.parsed, self.finished);
        let reached = |&mut (anchor, _): &mut (u64, ResourceId)| finished || anchor <= parsed;
        self.ahead
            .extract_if(.., reached)
            .map(|(_, id)| id)
            .collect()
    }

    /// Returns the arrival that completed the bytes of the running task, or `None` if the
    /// task parses no bytes.
    pub(crate) fn target_arrival(&self) -> Option<Ready> {
        let index = self.arrivals.partition_point(|a| a.0 < self.target);
        self.arrivals.get(index).map(|a| a.1)
    }
}
