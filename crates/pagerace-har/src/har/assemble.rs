//! Assembly of the page in passes, one per question, in the order of their dependencies. Each pass
//! fills its fields of one draft per entry.

use std::collections::BTreeMap;

use pagerace_core::{Destination, Duration};

use super::discovery::{self, How, Link};
use super::entry::Entry;
use super::network::downlink;
use super::notes::{Kind, Notes};
use super::pages::Chosen;
use super::paints::{self, RecordedPaints};
use super::recording::Recording;
use super::thresholds::LOAD_ROUNDING_MS;
use super::waits::Joins;
use super::{cache, content, destination, hints, largest, layout, loading, origins, rtt, viewport};
use crate::category;
use crate::extension::TaskKind;
use pagerace_page::model::MAX_FIELD_BYTES;
use pagerace_page::{
    Category, Evidence, Guess, LargestElement, Origin, Page, Paints, RecordedPage, RecordedTimes,
    Resource, ResourceId, Trigger,
};

/// Assembles the page from the selected entries (the navigation first).
pub(super) fn page(
    name: String,
    creator: String,
    chosen: &Chosen,
    entries: &[Entry],
    mut notes: Notes,
) -> Page {
    let recording = Recording::new(entries, &chosen.page, &mut notes);
    let links = discovery::links(&recording, &mut notes);
    let mut joins = Joins::default();
    let mut drafts: Vec<Resource> = (0..entries.len()).map(|i| draft(&recording, i)).collect();
    let origins = serve(&recording, &mut drafts, &mut notes);
    let times = RecordedPaints::read(&recording);
    discover(
        &recording,
        &links,
        &times,
        &mut drafts,
        &mut joins,
        &mut notes,
    );
    rank(&recording, &links, &mut drafts);
    let paints = show(
        &recording,
        &links,
        &times,
        &mut drafts,
        &mut joins,
        &mut notes,
    );
    hold_load_event(&recording, &links, &mut drafts, &mut notes);
    note_what_is_missing(entries, &mut notes);
    let hints = hints::read(&recording, |i| drafts[i].anonymous);
    Page {
        name,
        url: drafts[0].url.clone(),
        origins,
        resources: drafts,
        document: ResourceId(recording.document as u32),
        joins: joins.0,
        hints,
        recorded: recorded_page(&recording, &times, creator),
        paints,
        notes: notes.into_notes(),
    }
}

/// Returns what the entry tells by itself. The passes after this one fill in the rest.
fn draft(recording: &Recording, i: usize) -> Resource {
    let entry = &recording.entries[i];
    let destination = recording.destinations[i];
    let (request_header_bytes, response_header_bytes) = recording.header_bytes[i];
    let url = entry.url.as_ref().map(ToString::to_string);
    Resource {
        method: entry.method.clone(),
        status: entry.status,
        no_response: entry.no_response(),
        mime_type: entry.mime.clone(),
        request_header_bytes: request_header_bytes.min(MAX_FIELD_BYTES),
        request_body_bytes: entry.request_body_size,
        response_header_bytes: response_header_bytes.min(MAX_FIELD_BYTES),
        body_bytes: recording.bodies[i],
        decoded_bytes: entry.content_size,
        anonymous: is_anonymous(entry, destination, &recording.entries[recording.document]),
        recorded: recorded_times(entry, recording.entries[0].start, recording.own),
        cache: cache::in_next_visit(entry),
        image: entry.image,
        blocks_load: false,
        ..Resource::new(
            ResourceId(i as u32),
            url.unwrap_or_default(),
            destination,
            Trigger::Navigation,
        )
    }
}

/// Fills in the server of each resource, its think time, and whose it is. Returns the origins.
fn serve(recording: &Recording, drafts: &mut [Resource], notes: &mut Notes) -> Vec<Origin> {
    let entries = recording.entries;
    let round_trips = rtt::round_trips(entries, recording.own);
    let think = rtt::think_times(entries, &round_trips, notes);
    let document_host = entries[recording.document].host().unwrap_or_default();
    let (origins, origin_of) = origins::collect(entries, &round_trips, document_host);
    for (i, draft) in drafts.iter_mut().enumerate() {
        draft.origin = origin_of[i];
        if !recording.at_once() {
            draft.think_time = Duration::from_millis_f64(think[i]);
        }
        draft.third_party = origins[draft.origin.index()].third_party;
        let url = entries[i].url_text;
        draft.category = category::of(url, draft.destination, &draft.mime_type, draft.third_party);
        notes.add_many(Kind::AdsByList, (draft.category == Category::Ads).into());
    }
    origins
}

/// Fills in the events before each request, and the main-thread time of each resource.
fn discover(
    recording: &Recording,
    links: &[Option<Link>],
    times: &RecordedPaints,
    drafts: &mut [Resource],
    joins: &mut Joins,
    notes: &mut Notes,
) {
    let modes = loading::script_modes(recording, links, notes);
    let mut blocking = loading::render_blocking(recording, links, &modes);
    paints::unblock(recording, times, &mut blocking);
    let cpu = cpu_times(recording);
    let found = discovery::discoveries(recording, links, &modes, &blocking, &cpu, joins, notes);
    for (i, draft) in drafts.iter_mut().enumerate() {
        draft.script_mode = modes[i];
        draft.render_blocking = blocking[i];
        draft.cpu_time = cpu[i].map(Duration::from_millis_f64);
        draft.discovery = found[i];
        let link = links[i].as_ref();
        draft.used_at = link.and_then(|link| loading::used_at(recording, link, i));
    }
}

/// Fills in the priority of each request.
fn rank(recording: &Recording, links: &[Option<Link>], drafts: &mut [Resource]) {
    let places = loading::image_places(recording, links);
    for (i, draft) in drafts.iter_mut().enumerate() {
        let entry = &recording.entries[i];
        draft.priority = match draft.destination {
            Destination::Image => loading::image_priority(recording, links, places[i], i),
            destination => entry.priority.unwrap_or_else(|| {
                let prefetch = destination::is_prefetch(entry);
                let (mode, blocks) = (draft.script_mode, draft.render_blocking);
                loading::infer_priority(destination, mode, blocks, prefetch)
            }),
        };
    }
}

/// Fills in which resources are on the screen. Returns the evidence for paints.
fn show(
    recording: &Recording,
    links: &[Option<Link>],
    times: &RecordedPaints,
    drafts: &mut [Resource],
    joins: &mut Joins,
    notes: &mut Notes,
) -> Paints {
    let (paints, visible) = if let Some(layout) = layout::read(recording, links, joins) {
        let visible = viewport::on_screen(&layout, &recording.destinations);
        (Paints::Recorded(layout), visible)
    } else {
        let (guess, visible) = guess(recording, links, times, drafts, notes);
        (Paints::Guessed(guess), visible)
    };
    for (draft, visible) in drafts.iter_mut().zip(visible) {
        draft.in_viewport = visible;
    }
    paints
}

/// Returns the evidence for the elements of a page without a layout, and true for each entry that
/// is taken for a visible image.
fn guess(
    recording: &Recording,
    links: &[Option<Link>],
    times: &RecordedPaints,
    drafts: &[Resource],
    notes: &mut Notes,
) -> (Guess, Vec<bool>) {
    let ads = advertisement(drafts, links);
    let linked = |test: &dyn Fn(&Link) -> bool| -> Vec<bool> {
        let links = links.iter().map(Option::as_ref);
        links.map(|link| link.is_some_and(test)).collect()
    };
    let by_markup = linked(&|link| link.is_in_markup_of(recording.document));
    let mut by_style = linked(&|link| link.how == How::Style);
    let fit = paints::fit(recording, times, &ads);
    let mut visible = viewport::images(
        recording.entries,
        &viewport::pictures(recording.entries, &recording.destinations, &ads),
        &recording.bodies,
        &by_markup,
        &by_style,
        recording.parsed,
        notes,
    );
    if let Some(LargestElement::Image { id }) = fit.and_then(|fit| fit.largest) {
        visible[id.index()] = true;
    }
    let mut excluded = in_frames(drafts, links);
    for (frame, ad) in excluded.iter_mut().zip(&ads) {
        *frame |= ad;
    }
    for image in layout::styled(recording, links) {
        by_style[image] = true;
    }
    let known = largest::Known {
        excluded: &excluded,
        places: &loading::image_places(recording, links),
        backgrounds: &by_style,
    };
    let guess = Guess {
        content: content::read(recording, links),
        fit,
        candidates: largest::candidates(recording, &known),
    };
    (guess, visible)
}

/// Returns what the recording tells of the whole page. Simulated loads begin with the first
/// request. Recorders may begin the page sooner, or after redirects.
fn recorded_page(recording: &Recording, times: &RecordedPaints, creator: String) -> RecordedPage {
    let first = recording.entries[0].start;
    let sooner = first.filter(|_| recording.is_dated && !recording.own);
    let since_start = |at: Option<f64>| {
        let at = at.map(|ms| ms - sooner.unwrap_or(0.0));
        at.filter(|ms| *ms > 0.0).map(Duration::from_millis_f64)
    };
    let page = recording.page;
    RecordedPage {
        on_content_load: since_start(page.content_loaded()),
        on_load: since_start(page.loaded()),
        first_paint: since_start(times.first),
        largest_paint: since_start(times.largest),
        speed_index: since_start(times.speed_index),
        down_bits_per_second: downlink(recording.entries, &recording.bodies),
        slowdown: page
            .device()
            .map(|device| device.cpu)
            .filter(|cpu| *cpu > 1.0),
        reproduced: None,
        protocols: protocols(recording.entries),
        creator,
    }
}

/// Returns the number of requests by recorded protocol.
fn protocols(entries: &[Entry]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for protocol in entries.iter().filter_map(|entry| entry.protocol) {
        *counts.entry(protocol.name().to_owned()).or_default() += 1;
    }
    counts
}

/// Returns true for each entry that belongs to advertisement or analytics: those of that
/// category, and those of third parties to which the recorder says that these led, such as
/// pictures in frames that scripts make.
fn advertisement(drafts: &[Resource], links: &[Option<Link>]) -> Vec<bool> {
    let mut ads: Vec<bool> = Vec::with_capacity(links.len());
    for (draft, link) in drafts.iter().zip(links) {
        let recorded = |link: &&Link| link.evidence <= Evidence::RecordedParent;
        let led = link.as_ref().filter(recorded);
        let led = led.is_some_and(|link| ads[link.parent] && draft.third_party);
        ads.push(draft.category == Category::Ads || led);
    }
    ads
}

/// Returns true for each entry that is a nested document, or that one leads to.
fn in_frames(drafts: &[Resource], links: &[Option<Link>]) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(links.len());
    for (draft, link) in drafts.iter().zip(links) {
        let led = link.as_ref().is_some_and(|link| inside[link.parent]);
        inside.push(draft.destination == Destination::Iframe || led);
    }
    inside
}

/// Returns the recorded main-thread milliseconds of each resource. Our own recorder gives
/// them for several destinations; for scripts only, WebPageTest gives them per entry and
/// browsertime per URL in the page's `_cpu`.
///
/// Later calls of a script's functions are not part of its execution.
fn cpu_times(recording: &Recording) -> Vec<Option<f64>> {
    let mut cpu = told_cpu_times(recording);
    for (&script, run) in &recording.ran {
        cpu[script] = cpu[script].and(Some(run.cost));
    }
    let tasks = recording.tasks.iter();
    for task in tasks.filter(|t| t.kind == TaskKind::Script) {
        // A script without a first task ran too briefly for one.
        if let Some(script) = task.url.and_then(|url| recording.find(url))
            && recording.destinations[script] == Destination::Script
            && !recording.ran.contains_key(&script)
        {
            cpu[script] = cpu[script].map(|ms| (ms - task.cost).max(0.0));
        }
    }
    for (script, after) in recording.calls() {
        // Its task goes on until the last request of those that it calls.
        if !recording.ran.contains_key(&script) {
            cpu[script] = Some(cpu[script].unwrap_or(0.0) + after);
        }
    }
    cpu
}

fn told_cpu_times(recording: &Recording) -> Vec<Option<f64>> {
    let mut by_url = recording.page.script_costs();
    let of = |(entry, destination): (&Entry, &Destination)| {
        let cpu = &entry.own.cpu;
        let [script_ms, parse_ms, decode_ms] =
            [cpu.script_ms, cpu.parse_ms, cpu.decode_ms].map(|ms| ms.map(|ms| ms.0));
        match destination {
            Destination::Script => script_ms
                .or(entry.cpu_ms)
                // A cost belongs to one execution, not to each request for the URL.
                .or_else(|| by_url.remove(entry.url_text)),
            Destination::Style => parse_ms,
            Destination::Image => decode_ms,
            // Inline scripts run while the document is parsed.
            Destination::Document | Destination::Iframe => {
                let parts = parse_ms.into_iter().chain(script_ms);
                parts.reduce(|parse, script| parse + script)
            }
            _ => None,
        }
    };
    let entries = recording.entries.iter();
    entries.zip(&recording.destinations).map(of).collect()
}

/// Does the load event wait for it? Excluded are script fetches, media, prefetches and icons (HTML
/// standard, "delays the load event"), modules that `import()` loads, and resources that the
/// recording began or finished after its load event. Those that began after the event hold it if
/// they begin before.
fn hold_load_event(
    recording: &Recording,
    links: &[Option<Link>],
    drafts: &mut [Resource],
    notes: &mut Notes,
) {
    let imported = loading::dynamic_imports(recording);
    let loaded = recording.loaded;
    for (i, draft) in drafts.iter_mut().enumerate() {
        let entry = &recording.entries[i];
        let waits = match draft.destination {
            Destination::Fetch | Destination::Media | Destination::Other => false,
            Destination::Image => !viewport::is_icon(entry),
            _ => !imported[i],
        };
        let end = loaded.zip(entry.end);
        let after = end.is_some_and(|(loaded, end)| end > loaded + LOAD_ROUNDING_MS);
        notes.add_many(Kind::AfterLoad, (waits && after && i > 0).into());
        let asked = loaded.zip(entry.asked);
        let begun = asked.is_none_or(|(loaded, asked)| asked < loaded);
        let waits = waits && !destination::is_prefetch(entry);
        // The load event does not wait for data, nor for what they lead to before that is
        // requested.
        let is_called = waits_for_data(recording, links, i);
        draft.blocks_load = i == 0 || (waits && !after && begun && !is_called);
        draft.blocks_load_if_early = i > 0 && waits && (!begun || is_called);
    }
    // HTML standard: lazy images do not delay the load event.
    for image in layout::lazy(recording, links) {
        drafts[image].blocks_load = false;
        drafts[image].blocks_load_if_early = false;
    }
}

/// Returns true if entry `i`, or what led to it, waits for data that a script requested.
fn waits_for_data(recording: &Recording, links: &[Option<Link>], i: usize) -> bool {
    let is_data = |j: &usize| recording.destinations[*j] == Destination::Fetch;
    let parent = |i: &usize| links[*i].as_ref().map(|link| link.parent);
    let mut all = std::iter::successors(Some(i), parent);
    all.any(|i| recording.waits.of_entry(i).iter().any(is_data))
}

/// Adds notes on missing data that no other step reports.
fn note_what_is_missing(entries: &[Entry], notes: &mut Notes) {
    let count = |test: &dyn Fn(&Entry) -> bool| entries.iter().filter(|e| test(e)).count();
    notes.add_many(Kind::NoTimes, count(&|e| e.start.is_none()));
    let is_odd = |e: &Entry| !(100..600).contains(&e.status) && e.no_response().is_none();
    notes.add_many(Kind::BadStatus, count(&is_odd));
    notes.add_many(Kind::NoProtocol, count(&|e| e.protocol.is_none()));
    notes.add_many(Kind::NoAddress, count(&|e| e.address.is_none()));
    let foreign = count(&|e| e.priority.is_none() && e.foreign_priority);
    notes.add_many(Kind::ForeignPriority, foreign);
    notes.add_many(Kind::NoPriority, count(&|e| e.priority.is_none()) - foreign);
    notes.add_many(
        Kind::PlainHttp,
        count(&|e| e.url.as_ref().is_some_and(|u| u.scheme() == "http")),
    );
}

/// Returns true if the request goes to another origin than the document's without
/// credentials: in mode `cors` and without cookies. Without a recorded mode, fonts and
/// scripts' requests are taken to be such (<https://fetch.spec.whatwg.org/#concept-request-mode>).
fn is_anonymous(entry: &Entry, destination: Destination, document: &Entry) -> bool {
    let origin = |entry: &Entry| entry.url.as_ref().map(url::Url::origin);
    let cors = match entry.request_headers.get("sec-fetch-mode") {
        Some(mode) => mode == "cors",
        None => matches!(destination, Destination::Font | Destination::Fetch),
    };
    cors && entry.request_cookie_bytes == 0 && origin(entry) != origin(document)
}

fn recorded_times(entry: &Entry, navigation: Option<f64>, own: bool) -> Option<RecordedTimes> {
    let since = |t: f64| Some(Duration::from_millis_f64((t - navigation?).max(0.0)));
    Some(RecordedTimes {
        start: since(entry.start?)?,
        end: since(entry.end?)?,
        // Our own recorder uses the machine's network.
        exchange: rtt::exchange(entry).filter(|_| !own),
    })
}

#[cfg(test)]
mod tests;
