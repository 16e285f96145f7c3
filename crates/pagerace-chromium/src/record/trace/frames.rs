//! The work for frames: style, layout and paint on the main thread, and what the compositor does
//! until a frame is on the screen.
//!
//! Chromium traces the stages of each frame as asynchronous events of one `PipelineReporter`
//! (<https://chromium.googlesource.com/chromium/src/+/main/cc/metrics/compositor_frame_reporter.cc>).
//! Its id is used again for later frames. A frame that a later one superseded ends with that one,
//! but its state says that it was not presented.

use std::collections::BTreeMap;

use pagerace_har::extension::{self, Ms};
use serde_json::Value;

use super::{Kind, SHORTEST_TASK_MS, Span, Thread, duration, median, owned};
use crate::record::timings::round;

/// The times of a page's frames in milliseconds; `None` if the trace does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::record) struct Rendering {
    /// Style, layout and paint up to the frame of the first contentful paint.
    pub(in crate::record) first: Option<f64>,
    /// The part of it for computing styles.
    pub(in crate::record) first_style: Option<f64>,
    /// The mean of a task with such work after that.
    pub(in crate::record) later: Option<f64>,
    /// From the main thread's commit of that frame to its presentation, without decoding of images.
    pub(in crate::record) presentation: Option<f64>,
    /// The same for later frames: the median.
    pub(in crate::record) later_presentation: Option<f64>,
}

impl Rendering {
    /// Returns the median of each time over the loads that have it.
    pub(in crate::record) fn medians(loads: &[Self]) -> Self {
        let times = |time: fn(&Self) -> Option<f64>| {
            let all = loads.iter().filter_map(time);
            median(all.collect())
        };
        Self {
            first: times(|load| load.first),
            first_style: times(|load| load.first_style),
            later: times(|load| load.later),
            presentation: times(|load| load.presentation),
            later_presentation: times(|load| load.later_presentation),
        }
    }

    /// Multiplies the main thread's times, including its waits, because Chromium's throttling also
    /// multiplies short waits. The compositor of a slow device is as fast.
    pub(in crate::record) fn slow_down(&mut self, factor: f64) {
        let all = [&mut self.first, &mut self.first_style, &mut self.later];
        for work in all.into_iter().flatten() {
            *work *= factor;
        }
    }

    /// Returns the times as a recording has them.
    pub(in crate::record) fn told(&self) -> extension::Rendering {
        let ms = |time: Option<f64>| time.map(|time| Ms(round(time)));
        extension::Rendering {
            first_ms: ms(self.first),
            first_style_ms: ms(self.first_style),
            later_ms: ms(self.later),
            presentation_ms: ms(self.presentation),
            later_presentation_ms: ms(self.later_presentation),
        }
    }
}

/// Returns the microseconds of each span that are the first style and layout of content, forced by
/// a script or the parser before `until`. `spans` are those of the main thread, enclosing ones
/// first; `frame` is the page's document frame.
///
/// Such work counts for frames, because the script finds the layout done where a frame comes before
/// it, as over a slower network. The share of a layout that is the first one is that of the objects
/// in excess of the largest number at an earlier layout among those that need a layout. The same
/// share of the styles since the previous layout counts for frames.
pub(super) fn forced(spans: &[Span], frame: &str, until: f64) -> Vec<f64> {
    let mut forced = vec![0.0; spans.len()];
    // The end of the outermost span, whether it is work for a frame itself, and the styles in it
    // that no layout has followed yet.
    let (mut outer, mut is_frame, mut styles) = (f64::NEG_INFINITY, false, Vec::new());
    // The largest number of objects of the document at a layout.
    let mut known = 0.0;
    for (i, span) in spans.iter().enumerate() {
        if span.task || span.start >= until {
            continue;
        }
        if span.start >= outer {
            outer = span.start + span.wall;
            is_frame = span.kind.is_rendering();
            styles.clear();
        }
        if span.frame.as_deref() != Some(frame) {
            continue;
        }
        match (span.kind, span.objects) {
            (Kind::Style, _) if !is_frame => styles.push(i),
            (Kind::Layout, Some((dirty, all))) => {
                let share = ((all - known) / dirty.max(1.0)).clamp(0.0, 1.0);
                known = all.max(known);
                if !is_frame {
                    for i in styles.drain(..).chain([i]) {
                        forced[i] = spans[i].cost * share;
                    }
                }
            }
            _ => {}
        }
    }
    forced
}

/// Returns the start of each task with work of kinds that `counts`, such as style, layout and
/// paint, in microseconds, and the milliseconds of that work. A layout that a script or the parser
/// forces counts for that script or the parser, but for what is in `forced`. `spans` are those of
/// the main thread since `zero`, enclosing ones first.
pub(super) fn works(
    spans: &[Span],
    forced: &[f64],
    zero: f64,
    counts: impl Fn(Kind) -> bool,
) -> Vec<(f64, f64)> {
    let mut works: Vec<(f64, f64)> = Vec::new();
    // The start and end of the task, and the end of the outermost span in it.
    let (mut task, mut until) = ((zero, zero), zero);
    let mut is_new = true;
    for (span, forced) in spans.iter().zip(forced) {
        let end = span.start + span.wall;
        if span.start >= task.1 {
            task = (span.start, end);
            is_new = true;
        }
        if span.task {
            continue;
        }
        let is_nested = span.start < until;
        let work = match (counts(span.kind), is_nested) {
            (false, _) => 0.0,
            (true, true) => *forced,
            (true, false) => span.cost,
        };
        until = until.max(end);
        if work <= 0.0 {
            continue;
        }
        match works.last_mut().filter(|_| !is_new) {
            Some((_, sum)) => *sum += work / 1e3,
            None => works.push((task.0, work / 1e3)),
        }
        is_new = false;
    }
    works
}

/// Collects the events of frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    stages: Vec<Stage>,
    /// The first contentful paints by document frame.
    first_paints: Vec<(String, f64)>,
    /// Process, start and end of each decoding of an image.
    decodings: Vec<(i64, f64, f64)>,
}

/// An event of a frame; times in microseconds.
#[derive(Debug)]
struct Stage {
    process: i64,
    id: String,
    at: f64,
    kind: StageKind,
}

#[derive(Clone, Copy, Debug)]
enum StageKind {
    /// The begin of a frame, and whether it was presented in the end.
    Begin(bool),
    /// The end of the main thread's commit.
    Committed,
    Presented,
}

impl Frames {
    pub(super) fn add(&mut self, name: &str, (process, _): Thread, at: f64, event: &Value) {
        let begins = event["ph"] == "b";
        let ends = event["ph"] == "e";
        // The compositor submits a frame, or the layers of one.
        let is_presentation =
            name.starts_with("Submit") && name.ends_with("ToPresentationCompositorFrame");
        let kind = match name {
            "firstContentfulPaint" => {
                let frame = owned(&event["args"]["frame"]);
                self.first_paints.extend(frame.map(|frame| (frame, at)));
                return;
            }
            "Decode LazyPixelRef" => {
                let decoded = duration(event).map(|wall| (process, at, at + wall));
                self.decodings.extend(decoded);
                return;
            }
            "PipelineReporter" if begins => {
                // The name depends on the version of Chromium.
                let state = event["args"]["frame_reporter"]["state"].as_str();
                let state = state.or(event["args"]["chrome_frame_reporter"]["state"].as_str());
                StageKind::Begin(state.is_some_and(|s| s.starts_with("STATE_PRESENTED")))
            }
            "Commit" if ends => StageKind::Committed,
            _ if is_presentation && ends => StageKind::Presented,
            _ => return,
        };
        let id = [
            &event["id"],
            &event["id2"]["local"],
            &event["id2"]["global"],
        ];
        let id = id.into_iter().find_map(owned);
        self.stages.extend(id.map(|id| Stage {
            process,
            id,
            at,
            kind,
        }));
    }

    /// Returns commit and presentation of the frame with the first contentful paint of a page whose
    /// navigation began at `zero` in the document frame `frame` of a process. Times in
    /// microseconds.
    pub(super) fn first_shown(&self, process: i64, frame: &str, zero: f64) -> Option<(f64, f64)> {
        let mut firsts = self.first_paints.iter();
        let (_, first) = firsts.find(|(of, at)| of == frame && *at >= zero)?;
        let shown = self.shown(process, zero);
        let (commit, _) = shown.iter().rfind(|(_, at)| (at - first).abs() < 1_000.0)?;
        Some((*commit, *first))
    }

    /// Returns the times of a page's frames. `painted` is the one of [`Self::first_shown`], `works`
    /// are those of the main thread, and `styles` the part of them for computing styles.
    pub(super) fn of_page(
        &self,
        process: i64,
        painted: (f64, f64),
        zero: f64,
        works: &[(f64, f64)],
        styles: &[(f64, f64)],
    ) -> Rendering {
        let (commit, _) = painted;
        let (before, after) = works.split_at(works.partition_point(|(at, _)| *at < commit));
        let sum = |works: &[(f64, f64)]| works.iter().map(|(_, work)| work).sum::<f64>();
        let is_long = |(_, work): &&(f64, f64)| *work >= SHORTEST_TASK_MS;
        let after: Vec<_> = after.iter().filter(is_long).copied().collect();
        let time = |(commit, at): (f64, f64)| {
            let decoding = self.decoding(process, commit, at);
            (at - commit - decoding).max(0.0) / 1e3
        };
        let shown = self.shown(process, zero);
        let later = shown.iter().filter(|(c, _)| *c > commit);
        Rendering {
            first: Some(sum(before)),
            first_style: Some(sum(
                &styles[..styles.partition_point(|(at, _)| *at < commit)]
            )),
            later: (!after.is_empty()).then(|| sum(&after) / after.len() as f64),
            presentation: Some(time(painted)),
            later_presentation: median(later.map(|shown| time(*shown)).collect()),
        }
    }

    /// Returns commit and presentation of each presented frame of a process since `zero`, in order
    /// of the commits.
    fn shown(&self, process: i64, zero: f64) -> Vec<(f64, f64)> {
        let of_page = self.stages.iter();
        let mut stages: Vec<&Stage> = of_page
            .filter(|stage| stage.process == process && stage.at >= zero)
            .collect();
        stages.sort_by(|a, b| a.at.total_cmp(&b.at));
        // The frames by id: true for one that is presented in the end, and its commit.
        let mut frames: BTreeMap<&str, (bool, Option<f64>)> = BTreeMap::new();
        let mut shown = Vec::new();
        for stage in stages {
            let frame = frames.entry(&stage.id).or_default();
            match stage.kind {
                StageKind::Begin(is_shown) => *frame = (is_shown, None),
                StageKind::Committed => frame.1 = Some(stage.at),
                StageKind::Presented => {
                    let commit = frame.1.take().filter(|_| frame.0);
                    shown.extend(commit.map(|commit| (commit, stage.at)));
                }
            }
        }
        shown.sort_by(|a, b| a.0.total_cmp(&b.0));
        shown
    }

    /// Returns the time from `from` to `to` in which a process decoded images.
    fn decoding(&self, process: i64, from: f64, to: f64) -> f64 {
        let own = self.decodings.iter().filter(|(of, ..)| *of == process);
        let inside = own.map(|(_, start, end)| (start.max(from), end.min(to)));
        let mut inside: Vec<(f64, f64)> = inside.filter(|(start, end)| start < end).collect();
        inside.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sum, mut until) = (0.0, from);
        for (start, end) in inside {
            sum += (end - start.max(until)).max(0.0);
            until = until.max(end);
        }
        sum
    }
}

#[cfg(test)]
mod tests;
