//! An HTML document on its way through the parser.
//!
//! Follows the HTML standard's parsing model as far as loading goes:
//! parser-blocking scripts, script-blocking style sheets, the list of scripts
//! that run when the document has finished parsing. Leaves out
//! `document.write` and speculation that fails.
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-end>

use std::collections::{BTreeSet, VecDeque};

use pagerace_page::ResourceId;

use crate::cause::Ready;

/// Most encoded bytes that one task parses, so that a document that arrives
/// at once does not become one long task; Chromium's parser yields likewise.
pub(crate) const CHUNK: u64 = 16 * 1024;

/// How far one document is.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// Encoded bytes that went through the parser.
    pub(crate) parsed: u64,
    /// How many of the scanner's children the parser has met.
    pub(crate) met: usize,
    /// Which of its stops comes next.
    pub(crate) next_stop: usize,
    /// A parse task waits or runs.
    pub(crate) task_queued: bool,
    /// The end of the parse task that runs.
    pub(crate) target: u64,
    /// The script that the parser waits for.
    pub(crate) blocked_on: Option<ResourceId>,
    /// That script's task waits or runs.
    pub(crate) script_queued: bool,
    /// Scripts that are there and wait for the end of parsing.
    pub(crate) late: Vec<ResourceId>,
    /// The parser reached the end.
    pub(crate) finished: bool,
    /// Deferred scripts that have not run.
    pub(crate) deferred: VecDeque<ResourceId>,
    /// The first deferred script's task waits or runs.
    pub(crate) deferred_queued: bool,
    /// Deferred scripts have run too: `DOMContentLoaded`.
    pub(crate) complete: bool,
    /// How many bytes were there when, and by which arrival; both ascending.
    pub(crate) arrivals: Vec<(u64, Ready)>,
    /// Style sheets that scripts after them wait for, by position.
    pub(crate) sheets: BTreeSet<(u64, ResourceId)>,
}

impl Parser {
    /// Whether a script at `anchor` has to wait for an earlier sheet.
    pub(crate) fn has_sheet_before(&self, anchor: u64) -> bool {
        self.sheets
            .first()
            .is_some_and(|&(offset, _)| offset < anchor)
    }

    /// When the bytes that the running task parses were there; `None` if it
    /// parses none.
    pub(crate) fn target_arrival(&self) -> Option<Ready> {
        let index = self.arrivals.partition_point(|a| a.0 < self.target);
        self.arrivals.get(index).map(|a| a.1)
    }
}
