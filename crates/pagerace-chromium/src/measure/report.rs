//! The report of the page: Navigation Timing, Paint Timing, and the entries of the
//! performance observers.

use pagerace_core::Duration;
use serde::Deserialize;
use serde_json::Value;

/// The script that runs in every document before its own scripts.
pub(super) const OBSERVE: &str = include_str!("observe.js");
/// The expression that evaluates to a [`Report`].
pub(super) const REPORT: &str = include_str!("report.js");

/// The report of a page; all times are relative to the start of the navigation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Report {
    pub(super) now: Duration,
    pub(super) request_start: Option<Duration>,
    pub(super) response_start: Option<Duration>,
    pub(super) early_hints: Option<Duration>,
    pub(super) dom_content_loaded: Option<Duration>,
    pub(super) onload: Option<Duration>,
    pub(super) fcp: Option<Duration>,
    /// The last candidate for the largest contentful paint.
    pub(super) lcp: Option<Duration>,
    /// Layout shifts as (time, value).
    pub(super) shifts: Vec<(Duration, f64)>,
    /// Long tasks as (start, length), ascending.
    pub(super) long_tasks: Vec<(Duration, Duration)>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Raw {
    now: f64,
    request: Option<f64>,
    response: Option<f64>,
    early: Option<f64>,
    parsed: Option<f64>,
    load: Option<f64>,
    fcp: Option<f64>,
    lcp: Option<f64>,
    shifts: Vec<(f64, f64)>,
    tasks: Vec<(f64, f64)>,
}

impl Report {
    /// Reads the value of the expression. Returns `None` if the page has replaced the report.
    pub(super) fn read(value: Value) -> Option<Self> {
        let raw: Raw = serde_json::from_value(value).ok()?;
        let pair = |(at, long): (f64, f64)| (ms(at), ms(long));
        let mut long_tasks: Vec<_> = raw.tasks.into_iter().map(pair).collect();
        long_tasks.sort_unstable();
        Some(Self {
            now: ms(raw.now),
            request_start: happened(raw.request),
            response_start: happened(raw.response),
            early_hints: happened(raw.early),
            dom_content_loaded: happened(raw.parsed),
            onload: happened(raw.load),
            fcp: happened(raw.fcp),
            lcp: raw.lcp.map(ms),
            shifts: raw.shifts.iter().map(|(at, v)| (ms(*at), *v)).collect(),
            long_tasks,
        })
    }

    /// Returns the time of the last large paint or the end of the last long task,
    /// whichever is later.
    pub(super) fn last_activity(&self) -> Duration {
        let worked = self.long_tasks.iter().map(|(at, long)| *at + *long).max();
        self.lcp.max(worked).unwrap_or(Duration::ZERO)
    }
}

fn ms(value: f64) -> Duration {
    Duration::from_millis_f64(value)
}

/// Navigation Timing reports zero for an event that has not happened.
fn happened(value: Option<f64>) -> Option<Duration> {
    value.filter(|value| *value > 0.0).map(ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_not_happened_is_none() {
        let value = json!({"now": 12.5, "response": 3.25, "load": 0, "fcp": null, "lcp": null, "shifts": [[4.0, 0.5]], "tasks": [[8.0, 60.0], [2.0, 51.0]]});
        let report = Report::read(value).unwrap();
        assert_eq!(report.response_start, Some(Duration::from_micros(3_250)));
        assert_eq!((report.onload, report.fcp), (None, None));
        assert_eq!(report.last_activity(), Duration::from_millis(68));
        assert_eq!(report.long_tasks[0].0, Duration::from_millis(2));
    }

    #[test]
    fn a_page_that_replaces_the_report_is_noticed() {
        assert_eq!(Report::read(json!({"now": "never"})), None);
        assert_eq!(Report::read(json!(null)), None);
    }
}
