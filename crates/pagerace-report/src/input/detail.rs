//! Details of one run, which the charts are drawn from.

use pagerace_core::Instant;
use pagerace_page::timeline::{ResourceTiming, Trace};

use crate::film::{FilmRun, Shot, Show};

/// The run that represents a variant: the median run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunDetail {
    /// Number of the run, from zero.
    pub run: u32,
    /// Number of runs of which the report has details. The more there are, the coarser is
    /// each, so that the file stays small.
    pub recorded: usize,
    /// Reason why the load did not finish, if it did not.
    pub failure: Option<String>,
    /// Milestones to mark: name as in [`super::Metric::name`] (`fcp`, `lcp`, `onload`),
    /// and time.
    pub marks: Vec<(String, Instant)>,
    /// Visual progress, in ascending order of time: the share of the final picture, 0 to 1,
    /// that is visible from then on.
    pub visual_progress: Vec<(Instant, f64)>,
    /// Resource timings, one entry for each resource of the page; `None` if it was never
    /// requested.
    pub timings: Vec<Option<ResourceTiming>>,
    /// Bytes and losses on the wire, in order of time.
    pub trace: Trace,
    /// Changes of the picture, in order of time.
    pub shows: Vec<Show>,
    /// Screenshots of a live load, in order of time.
    pub shots: Vec<Shot>,
    /// The prediction of a live load, for its film.
    pub predicted: Option<FilmRun>,
}
