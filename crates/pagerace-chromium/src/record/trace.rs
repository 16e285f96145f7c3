//! The work of the main thread, from Chromium's trace.
//!
//! Times of the recorded load are by the clock: until a task ends, the page waits, whether the
//! thread runs or waits for another one or for a processor. Only the wait for a synchronous request
//! is left out, because it depends on the network. Times of the timed loads are those on a
//! processor, which other programs hardly change, times the factor by which an undisturbed load
//! takes longer. The *self time* of an event excludes the events nested in it. An event without a
//! URL (compiling a function, garbage collection, a forced layout) belongs to the innermost
//! enclosing event with a URL. The first layout of content does not: frames have it. After the load
//! event, only the first runs of scripts count, because timers and animations do not delay the
//! load. Events:
//! <https://chromium.googlesource.com/chromium/src/+/main/third_party/blink/renderer/core/inspector/inspector_trace_events.h>.
//!
//! Images are decoded on raster threads, not on the main thread. Their decoding time is
//! attributed through `LazyPixelRef`, the id shared by paint and decoding. Left out: the
//! compilation of streamed scripts on background threads. The overhead of tracing is not
//! subtracted.

mod callers;
mod frames;
mod timers;

use std::collections::{BTreeMap, BTreeSet};

use pagerace_har::extension::{self, Caller, Ms, TaskKind as Kind};
use serde_json::Value;

use self::callers::Role;
use self::frames::Frames;
pub(super) use self::frames::Rendering;
pub(super) use self::timers::Chain;
use self::timers::Timers;
use super::timings::round;

/// The trace categories that the recorder enables.
pub(super) const CATEGORIES: [&str; 6] = [
    "-*",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "blink.user_timing",
    "loading",
];

/// Returns the kind of a complete event of the main thread, or `None` if the event is not used.
fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "ParseHTML" | "ParseAuthorStyleSheet" => Kind::Parse,
        "UpdateLayoutTree" => Kind::Style,
        "Layout" => Kind::Layout,
        "PrePaint" | "Paint" | "Layerize" | "Commit" | "PaintImage" | "UpdateLayer"
        | "Decode Image" => Kind::Paint,
        "EvaluateScript"
        | "v8.compile"
        | "v8.compileModule"
        | "v8.evaluateModule"
        | "v8.produceCache"
        | "v8.produceModuleCache"
        | "FunctionCall"
        | "EventDispatch"
        | "TimerFire"
        | "FireAnimationFrame"
        | "FireIdleCallback"
        | "RunMicrotasks"
        | "XHRReadyStateChange"
        | "XHRLoad" => Kind::Script,
        "MinorGC" | "MajorGC" | "BlinkGC.AtomicPhase" => Kind::Gc,
        "RunTask" => Kind::Other,
        _ => return None,
    })
}

/// The times of the work for one URL in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cpu {
    pub(super) script: f64,
    pub(super) parse: f64,
    pub(super) decode: f64,
}

/// The times of one of several loads.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    /// The times of scripts, parsing and decoding by URL.
    pub(super) cpu: BTreeMap<String, Cpu>,
    pub(super) rendering: Rendering,
}

impl Times {
    /// Multiplies the times of work.
    pub(super) fn stretch(&mut self, factor: f64) {
        for cpu in self.cpu.values_mut() {
            for time in [&mut cpu.script, &mut cpu.parse] {
                *time *= factor;
            }
        }
        self.rendering.slow_down(factor);
    }
}

impl Cpu {
    /// Returns the times as a recording has them.
    pub(super) fn told(self) -> extension::Cpu {
        let ms = |time| Some(Ms(round(time)));
        extension::Cpu {
            script_ms: ms(self.script),
            parse_ms: ms(self.parse),
            decode_ms: ms(self.decode),
        }
    }
}

/// A task of the main thread.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    /// The start in milliseconds since the start of the navigation.
    pub(super) at_ms: f64,
    /// The duration without waits for synchronous requests, scaled to the median of several loads.
    pub(super) duration_ms: f64,
    /// The end in milliseconds since the start of the navigation.
    pub(super) end_ms: f64,
    /// The kind of work that took most of the task, and the URL with most of that work.
    pub(super) kind: Kind,
    pub(super) url: Option<String>,
}

impl Task {
    /// Returns the task as a recording has it.
    pub(super) fn told(&self) -> extension::Task {
        extension::Task {
            ms: Ms(round(self.at_ms)),
            duration_ms: Ms(round(self.duration_ms)),
            kind: self.kind,
            wall_ms: Some(Ms(round(self.end_ms - self.at_ms))),
            url: self.url.clone(),
            waits_for: Vec::new(),
        }
    }
}

/// The summary of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// The start of the navigation in seconds of the monotonic clock.
    pub(super) navigation_start: Option<f64>,
    pub(super) cpu: BTreeMap<String, Cpu>,
    /// The tasks of at least [`SHORTEST_TASK_MS`], in order.
    pub(super) tasks: Vec<Task>,
    /// The natural width and height of painted images.
    pub(super) images: BTreeMap<String, (f64, f64)>,
    /// The render-blocking status by request id.
    pub(super) blocking: BTreeMap<String, String>,
    /// The timers of requests that their callbacks made, by request id.
    pub(super) timers: BTreeMap<String, Chain>,
    /// The callers of requests, by request id.
    pub(super) callers: BTreeMap<String, Caller>,
    pub(super) rendering: Rendering,
}

/// The minimum time of a piece of work on a processor that tells by which factor it took longer by
/// the clock, in microseconds. Times have whole microseconds.
const LEAST_RUN_US: f64 = 100.0;

/// The minimum duration of a task in the summary.
const SHORTEST_TASK_MS: f64 = 1.0;

/// Events of the first run of a script.
const FIRST_RUN: [&str; 4] = [
    "EvaluateScript",
    "v8.compile",
    "v8.compileModule",
    "v8.evaluateModule",
];

/// A clock for the duration of work.
#[derive(Clone, Copy, Debug)]
enum Clock {
    Wall,
    /// The time of the thread on a processor.
    Processor,
}

/// Collects the events that the summary needs.
#[derive(Debug, Default)]
pub(super) struct Trace {
    spans: Vec<Span>,
    /// Thread, time and id of `Draw LazyPixelRef`.
    drawn: Vec<(Thread, f64, u64)>,
    decoded: Vec<(u64, f64)>,
    navigations: Vec<Navigation>,
    /// The frame and time of each end of a load event.
    loaded: Vec<(String, f64)>,
    blocking: BTreeMap<String, String>,
    timers: Timers,
    frames: Frames,
    /// The requests, with thread and time in microseconds.
    requests: Vec<(String, Thread, f64)>,
    /// The ends of requests by id, in microseconds.
    finished: BTreeMap<String, f64>,
}

/// A process id and a thread id.
type Thread = (i64, i64);

/// A complete event; times in microseconds.
#[derive(Clone, Debug)]
struct Span {
    thread: Thread,
    start: f64,
    wall: f64,
    /// The time that counts as its duration: by the clock, or on a processor.
    cost: f64,
    /// The time on a processor; `None` if the trace does not tell.
    ran: Option<f64>,
    kind: Kind,
    first_run: bool,
    /// True for a whole task.
    task: bool,
    role: Option<Role>,
    url: Option<String>,
    image: Option<(f64, f64)>,
    /// The document frame that is styled or laid out.
    frame: Option<String>,
    /// The objects of a layout: those that need it, and all of the document.
    objects: Option<(f64, f64)>,
}

#[derive(Debug)]
struct Navigation {
    thread: Thread,
    at: f64,
    url: String,
    frame: String,
}

impl Trace {
    /// Adds one event of `Tracing.dataCollected`.
    pub(super) fn add(&mut self, event: &Value) {
        let name = event["name"].as_str().unwrap_or_default();
        let (Some(pid), Some(tid), Some(ts)) = (
            event["pid"].as_i64(),
            event["tid"].as_i64(),
            event["ts"].as_f64(),
        ) else {
            return;
        };
        let thread = (pid, tid);
        let args = &event["args"];
        self.timers.add(name, thread, ts, event);
        self.frames.add(name, thread, ts, event);
        match name {
            "navigationStart" if args["data"]["isLoadingMainFrame"] == true => {
                self.navigations.push(Navigation {
                    thread,
                    at: ts,
                    url: owned(&args["data"]["documentLoaderURL"]).unwrap_or_default(),
                    frame: owned(&args["frame"]).unwrap_or_default(),
                });
            }
            "loadEventEnd" => {
                let frame = owned(&args["frame"]).unwrap_or_default();
                self.loaded.push((frame, ts));
            }
            "Draw LazyPixelRef" => {
                if let Some(id) = args["LazyPixelRef"].as_u64() {
                    self.drawn.push((thread, ts, id));
                }
            }
            "Decode LazyPixelRef" => {
                if let (Some(id), Some(wall)) = (args["LazyPixelRef"].as_u64(), duration(event)) {
                    self.decoded.push((id, wall));
                }
            }
            "ResourceSendRequest" => {
                let data = &args["data"];
                let id = owned(&data["requestId"]);
                self.requests.extend(id.map(|id| (id, thread, ts)));
                if let (Some(id), Some(word)) =
                    (owned(&data["requestId"]), owned(&data["renderBlocking"]))
                {
                    self.blocking.insert(id, word);
                }
            }
            "ResourceFinish" => {
                let id = owned(&args["data"]["requestId"]);
                self.finished.extend(id.map(|id| (id, ts)));
            }
            _ => self.span(name, thread, ts, event),
        }
    }

    fn span(&mut self, name: &str, thread: Thread, start: f64, event: &Value) {
        let (Some(kind), Some(wall)) = (kind_of(name), duration(event)) else {
            return;
        };
        let data = &event["args"]["data"];
        let url = ["url", "styleSheetUrl"]
            .iter()
            .find_map(|key| owned(&data[*key]))
            .or_else(|| owned(&event["args"]["beginData"]["url"]))
            .or_else(|| owned(&event["args"]["fileName"]));
        let image = (name == "PaintImage")
            .then(|| Some((data["srcWidth"].as_f64()?, data["srcHeight"].as_f64()?)))
            .flatten();
        let begin = &event["args"]["beginData"];
        let objects = begin["dirtyObjects"].as_f64();
        self.spans.push(Span {
            thread,
            start,
            wall,
            cost: wall,
            ran: event["tdur"].as_f64(),
            kind,
            first_run: FIRST_RUN.contains(&name),
            task: name == "RunTask",
            role: Role::of(name, data),
            url: url.filter(|u| !u.is_empty()),
            image,
            frame: owned(&begin["frame"]).filter(|_| kind.is_rendering()),
            objects: objects.zip(begin["totalObjects"].as_f64()),
        });
    }

    /// Returns the times of the page's work on the processor, and by which factor it took longer by
    /// the clock, because threads wait for others and for a processor: all work, and a typical
    /// piece of it.
    pub(super) fn times(&self, url: &str, frame: &str) -> (Times, f64, f64) {
        let [wall, ran] = [Clock::Wall, Clock::Processor].map(|clock| {
            let summary = self.summary(url, frame, clock);
            Times {
                cpu: summary.cpu,
                rendering: summary.rendering,
            }
        });
        let sum = |times: &Times| {
            let cpu = times.cpu.values().map(|cpu| cpu.script + cpu.parse);
            cpu.chain(times.rendering.first).sum::<f64>()
        };
        let sane = |factor: f64| if factor.is_finite() { factor } else { 1.0 };
        let scripts = self.spans.iter().filter(|span| span.kind == Kind::Script);
        let ratios = scripts.filter_map(|span| {
            let ran = span.ran.filter(|ran| *ran >= LEAST_RUN_US)?;
            Some(span.wall / ran)
        });
        let typical = median(ratios.collect()).unwrap_or(1.0);
        let longer = sane(sum(&wall) / sum(&ran));
        (ran, longer, sane(typical))
    }

    /// Summarises the trace for the page with this URL (without fragment) and main frame. Times are
    /// by the clock.
    pub(super) fn finish(&self, url: &str, frame: &str) -> Summary {
        self.summary(url, frame, Clock::Wall)
    }

    fn summary(&self, url: &str, frame: &str, clock: Clock) -> Summary {
        let mut summary = Summary {
            blocking: self.blocking.clone(),
            ..Summary::default()
        };
        let navigation = self
            .navigations
            .iter()
            .rfind(|n| n.frame == frame && without_fragment(&n.url) == url)
            .or_else(|| self.navigations.iter().rfind(|n| n.frame == frame));
        let Some(navigation) = navigation else {
            return summary;
        };
        summary.navigation_start = Some(navigation.at / 1e6);
        let main = navigation.thread;
        let sent = self.requests.iter().filter(|(_, on, _)| *on == main);
        let sent: Vec<(&str, f64)> = sent.map(|(id, _, at)| (id.as_str(), *at)).collect();
        summary.timers = self.timers.of_requests(&sent, main, navigation.at);
        let of_page = |s: &&Span| s.thread == main && s.start + s.wall >= navigation.at;
        let mut spans: Vec<Span> = self.spans.iter().filter(of_page).cloned().collect();
        if matches!(clock, Clock::Processor) {
            for span in &mut spans {
                span.cost = span.ran.unwrap_or(span.wall);
            }
        }
        // Enclosing events sort before the events nested in them.
        spans.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.wall.total_cmp(&a.wall)));
        for (url, size) in spans
            .iter()
            .filter_map(|s| Some((s.url.clone()?, s.image?)))
        {
            summary.images.insert(url, size);
        }
        self.decoding(main, &spans, &mut summary);
        summary.callers = callers::of_requests(&sent, &spans);
        let mut loaded = self.loaded.iter().filter(|(of, _)| of == frame);
        let loaded = loaded.rfind(|(_, at)| *at >= navigation.at);
        let loaded = loaded.map_or(f64::INFINITY, |(_, at)| *at);
        let waits = match clock {
            Clock::Wall => self.waits(&sent),
            // A thread that waits does not run.
            Clock::Processor => Vec::new(),
        };
        let painted = self.frames.first_shown(main.0, frame, navigation.at);
        let until = painted.map_or(navigation.at, |(commit, _)| commit);
        let forced = frames::forced(&spans, frame, until);
        account(&spans, &forced, &waits, navigation.at, loaded, &mut summary);
        if let Some(painted) = painted {
            let of =
                |counts: fn(Kind) -> bool| frames::works(&spans, &forced, navigation.at, counts);
            let (works, styles) = (of(Kind::is_rendering), of(|kind| kind == Kind::Style));
            let frames = &self.frames;
            summary.rendering = frames.of_page(main.0, painted, navigation.at, &works, &styles);
        }
        summary
    }

    /// Returns the begin and the end of each finished request, in microseconds. `sent` has ids and
    /// times; the hops of a redirect share an id.
    fn waits(&self, sent: &[(&str, f64)]) -> Vec<(f64, f64)> {
        let mut begins: BTreeMap<&str, f64> = BTreeMap::new();
        for (id, at) in sent {
            begins.entry(id).or_insert(*at);
        }
        let begins = begins.into_iter();
        begins
            .filter_map(|(id, at)| Some((at, *self.finished.get(id)?)))
            .collect()
    }

    /// Attributes decoding to the image whose painting drew the same pixels.
    fn decoding(&self, main: Thread, spans: &[Span], summary: &mut Summary) {
        let mut urls: BTreeMap<u64, &str> = BTreeMap::new();
        let painted: Vec<&Span> = spans.iter().filter(|s| s.image.is_some()).collect();
        for &(thread, at, id) in &self.drawn {
            let behind = painted.partition_point(|s| s.start <= at);
            let span = behind.checked_sub(1).map(|i| painted[i]);
            let inside = span.filter(|s| thread == main && at <= s.start + s.wall);
            if let Some(url) = inside.and_then(|s| s.url.as_deref()) {
                urls.insert(id, url);
            }
        }
        for (id, wall) in &self.decoded {
            if let Some(url) = urls.get(id) {
                summary.cpu.entry((*url).to_owned()).or_default().decode += wall / 1e3;
            }
        }
    }
}

impl Summary {
    /// Returns the start of the task that ran at a time, or that time if the task was short; both
    /// in milliseconds since the start of the navigation.
    pub(super) fn task_start(&self, at: f64) -> f64 {
        let ran = |task: &&Task| (task.at_ms..=task.end_ms).contains(&at);
        self.tasks.iter().find(ran).map_or(at, |task| task.at_ms)
    }

    /// Replaces the times of the load of which this is the summary by the medians of `loads`.
    /// Tasks change as the times of their script do, or else by the ratio of the sums: the machine
    /// was as much faster or slower in that load, whose times are `own`.
    pub(super) fn take_medians(&mut self, own: &BTreeMap<String, Cpu>, loads: &[Times]) {
        let cpu: Vec<_> = loads.iter().map(|load| &load.cpu).collect();
        self.cpu = medians(&cpu);
        let rendering: Vec<_> = loads.iter().map(|load| load.rendering).collect();
        self.rendering = Rendering::medians(&rendering);
        let sum = |load: &BTreeMap<String, Cpu>, other: &BTreeMap<String, Cpu>| -> f64 {
            let both = load.iter().filter(|(url, _)| other.contains_key(*url));
            both.map(|(_, cpu)| cpu.script + cpu.parse).sum()
        };
        let ratio = sum(&self.cpu, own) / sum(own, &self.cpu);
        let is_sane = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
        let of_script = |task: &Task| {
            let url = task.url.as_ref().filter(|_| task.kind == Kind::Script)?;
            let (own, median) = (own.get(url)?.script, self.cpu.get(url)?.script);
            // The times of a script do not contain what it does after the load.
            let is_most = task.duration_ms <= own * 1.5;
            Some(median / own).filter(is_sane).filter(|_| is_most)
        };
        let all = Some(ratio).filter(is_sane).unwrap_or(1.0);
        let ratios: Vec<f64> = self
            .tasks
            .iter()
            .map(|t| of_script(t).unwrap_or(all))
            .collect();
        for (task, ratio) in self.tasks.iter_mut().zip(ratios) {
            task.duration_ms *= ratio;
        }
    }
}

/// Limits multiplied times of a slow device to those of a load that Chromium slowed down. A script
/// that takes less there runs until a certain time, or waits for longer than a millisecond at once.
pub(super) fn limit(times: &mut BTreeMap<String, Cpu>, slowed: &BTreeMap<String, Cpu>) {
    for (url, cpu) in times {
        if let Some(slowed) = slowed.get(url).filter(|slowed| slowed.script > 0.0) {
            cpu.script = cpu.script.min(slowed.script);
        }
    }
}

/// Returns the median of each time over the loads that contain the URL.
fn medians(loads: &[&BTreeMap<String, Cpu>]) -> BTreeMap<String, Cpu> {
    let urls: BTreeSet<&String> = loads.iter().flat_map(|load| load.keys()).collect();
    let of = |url: &String| {
        let time = |time: fn(&Cpu) -> f64| {
            let times = loads.iter().filter_map(|load| load.get(url).map(time));
            median(times.collect()).unwrap_or_default()
        };
        Cpu {
            script: time(|cpu| cpu.script),
            parse: time(|cpu| cpu.parse),
            decode: time(|cpu| cpu.decode),
        }
    };
    urls.into_iter().map(|url| (url.clone(), of(url))).collect()
}

/// Returns the lower median.
pub(super) fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len().checked_sub(1)? / 2).copied()
}

/// Microseconds of a task by kind of work and URL.
type Parts<'a> = BTreeMap<(Kind, Option<&'a str>), f64>;

/// Adds self times by URL and the tasks to the summary; `spans` are sorted. `forced` is the part of
/// each that counts for frames. `waits` are the begins and ends of requests, in microseconds. One
/// that lies inside a span was synchronous.
fn account(
    spans: &[Span],
    forced: &[f64],
    waits: &[(f64, f64)],
    zero: f64,
    loaded: f64,
    summary: &mut Summary,
) {
    let (mut own, outer) = self_times(spans, waits);
    for (own, forced) in own.iter_mut().zip(forced) {
        *own = (*own - forced).max(0.0);
    }
    // The span to which the time of each span is attributed; enclosing spans come first.
    let mut owners: Vec<usize> = Vec::with_capacity(spans.len());
    let mut task: Option<(&Span, Parts<'_>)> = None;
    for (i, (span, own)) in spans.iter().zip(own).enumerate() {
        let around = outer[i].map(|o| owners[o]);
        let around = around.filter(|&o| span.url.is_none() && spans[o].url.is_some());
        owners.push(around.unwrap_or(i));
        let owner = &spans[owners[i]];
        let url = owner.url.as_deref();
        if let Some(url) = url.filter(|_| owner.first_run || span.start < loaded) {
            let cpu = summary.cpu.entry(url.to_owned()).or_default();
            match owner.kind {
                Kind::Script => cpu.script += own / 1e3,
                Kind::Parse => cpu.parse += own / 1e3,
                _ => {}
            }
        }
        let inside = task
            .as_ref()
            .is_some_and(|(outer, _)| span.start < outer.start + outer.wall);
        if !inside {
            close(task.take(), zero, &mut summary.tasks);
            task = Some((span, BTreeMap::new()));
        }
        if let Some((_, parts)) = &mut task {
            *parts.entry((owner.kind, url)).or_default() += own;
        }
    }
    close(task, zero, &mut summary.tasks);
    summary
        .cpu
        .retain(|_, c| c.script + c.parse + c.decode > 0.0);
}

/// Ends a task. The kind of work with the largest self time names it.
fn close(task: Option<(&Span, Parts<'_>)>, zero: f64, tasks: &mut Vec<Task>) {
    let Some((span, parts)) = task else { return };
    if span.wall / 1e3 < SHORTEST_TASK_MS {
        return;
    }
    let duration_ms = parts.values().sum::<f64>() / 1e3;
    let mut kinds: BTreeMap<Kind, f64> = BTreeMap::new();
    for (&(kind, _), own) in &parts {
        *kinds.entry(kind).or_default() += own;
    }
    let most = |a: &f64, b: &f64| a.total_cmp(b);
    let kind = kinds
        .iter()
        .max_by(|a, b| most(a.1, b.1))
        .map_or(Kind::Other, |(kind, _)| *kind);
    let url = parts
        .iter()
        .filter(|((k, url), _)| *k == kind && url.is_some())
        .max_by(|a, b| most(a.1, b.1))
        .and_then(|((_, url), _)| url.map(str::to_owned));
    tasks.push(Task {
        at_ms: ((span.start - zero) / 1e3).max(0.0),
        duration_ms,
        end_ms: (span.start + span.wall - zero) / 1e3,
        kind,
        url,
    });
}

/// Returns the self time of each span in microseconds, without the waits inside it, and the index
/// of the directly enclosing span; `spans` are sorted.
fn self_times(spans: &[Span], waits: &[(f64, f64)]) -> (Vec<f64>, Vec<Option<usize>>) {
    let mut own: Vec<f64> = spans.iter().map(|s| s.cost).collect();
    let mut around = Vec::with_capacity(spans.len());
    let mut open: Vec<usize> = Vec::new();
    for (i, span) in spans.iter().enumerate() {
        while open
            .last()
            .is_some_and(|&o| spans[o].start + spans[o].wall <= span.start)
        {
            open.pop();
        }
        if let Some(&outer) = open.last() {
            own[outer] = (own[outer] - span.cost).max(0.0);
        }
        around.push(open.last().copied());
        open.push(i);
    }
    for (from, to) in waits {
        let mut inner = spans.partition_point(|s| s.start <= *from).checked_sub(1);
        while let Some(i) = inner.filter(|&i| spans[i].start + spans[i].wall < *to) {
            inner = around[i];
        }
        if let Some(i) = inner {
            own[i] = (own[i] - (to - from)).max(0.0);
        }
    }
    (own, around)
}

/// Returns the duration of a complete event in microseconds.
fn duration(event: &Value) -> Option<f64> {
    event["dur"].as_f64().filter(|_| event["ph"] == "X")
}

fn owned(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

#[cfg(test)]
mod tests;
