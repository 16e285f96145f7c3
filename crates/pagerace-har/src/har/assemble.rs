//! Assembly of the page in passes, one per question, in the order of their dependencies.

use pagerace_core::{Destination, Duration};

use super::discovery::{self, How, Link};
use super::entry::Entry;
use super::network::downlink;
use super::notes::{Kind, Notes};
use super::page::PageObject;
use super::pages::Chosen;
use super::paints::{self, RecordedPaints};
use super::recording::Recording;
use super::redirects::Redirects;
use super::thresholds::LOAD_ROUNDING_MS;
use super::{
    cache, content, destination, headers, largest, layout, loading, origins, rtt, sizes, viewport,
};
use crate::category;
use crate::extension::TaskKind;
use pagerace_page::model::MAX_FIELD_BYTES;
use pagerace_page::{
    Category, Evidence, Guess, LargestElement, Page, Paints, RecordedPage, RecordedTimes, Resource, ResourceId,
};

/// Assembles the page from the selected entries (the navigation first).
pub(super) fn page(
    name: String,
    creator: String,
    chosen: &Chosen,
    entries: &[Entry],
    mut notes: Notes,
) -> Page {
    let notes = &mut notes;
    let redirects = Redirects::find(entries, notes);
    let document = redirects.end(0);
    let destinations = destinations(entries, &redirects, document, notes);
    let header_bytes = header_bytes(entries, notes);
    let response_headers: Vec<u32> = header_bytes.iter().map(|h| h.1).collect();
    let bodies = sizes::bodies(entries, &response_headers, notes);
    let recorded = &chosen.page;
    let recording = Recording::new(
        entries,
        &destinations,
        &bodies,
        &redirects,
        document,
        recorded,
    );
    let links = discovery::links(&recording, notes);
    let modes = loading::script_modes(&recording, &links, notes);
    let shown = entries[document].first_byte;
    let paint_times = RecordedPaints::read(recorded, shown.filter(|_| recording.is_dated));
    let mut blocking = loading::render_blocking(&recording, &links, &modes);
    if let Some(first) = paint_times
        .first
        .filter(|_| recording.is_dated && !recording.own)
    {
        paints::unblock(&recording, first, &mut blocking);
    }
    let mut cpu = cpu_times(entries, &destinations, recorded);
    for (&script, run) in &recording.ran {
        // Later calls of the script's functions are not part of its execution.
        cpu[script] = cpu[script].and(Some(run.cost));
    }
    for task in recording.tasks.iter().filter(|t| t.kind == TaskKind::Script) {
        // Neither are those of a script that ran too briefly to be recorded.
        if let Some(script) = task.url.and_then(|url| recording.find(url))
            && destinations[script] == Destination::Script
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
    let discoveries = discovery::discoveries(&recording, &links, &modes, &blocking, &cpu, notes);
    let round_trips = rtt::round_trips(entries);
    let think = rtt::think_times(entries, &round_trips, notes);
    let document_host = entries[document].host().unwrap_or_default();
    let (origins, origin_of) = origins::collect(entries, &round_trips, document_host);
    let categories: Vec<Category> = (0..entries.len())
        .map(|i| {
            let third_party = origins[origin_of[i].index()].third_party;
            let (url, mime) = (entries[i].url_text, &entries[i].mime);
            category::of(url, destinations[i], mime, third_party)
        })
        .collect();
    let ads = advertisement(&categories, &links, |i| {
        origins[origin_of[i].index()].third_party
    });
    let image_places = loading::image_places(&recording, &links);
    let linked = |test: &dyn Fn(&Link) -> bool| -> Vec<bool> {
        let links = links.iter().map(Option::as_ref);
        links.map(|link| link.is_some_and(test)).collect()
    };
    let by_markup = linked(&|link| link.is_in_markup_of(document));
    let by_style = linked(&|link| link.how == How::Style);
    let (paints, visible) = match layout::read(&recording, &links) {
        Some(layout) => {
            let visible = viewport::on_screen(&layout, &destinations);
            (Paints::Recorded(layout), visible)
        }
        None => {
            let fit = recording.is_dated.then(|| paints::fit(&recording, &paint_times, &ads));
            let fit = fit.flatten();
            let mut visible = viewport::images(
                entries,
                &viewport::pictures(entries, &destinations, &ads),
                &bodies,
                &by_markup,
                &by_style,
                recording.parsed,
                notes,
            );
            if let Some(LargestElement::Image { id }) = fit.and_then(|fit| fit.largest) {
                visible[id.index()] = true;
            }
            let mut excluded = in_frames(&destinations, &links);
            let mut backgrounds = by_style;
            for (frame, ad) in excluded.iter_mut().zip(&ads) {
                *frame |= ad;
            }
            for image in layout::styled(&recording, &links) {
                backgrounds[image] = true;
            }
            let known = largest::Known {
                excluded: &excluded,
                places: &image_places,
                backgrounds: &backgrounds,
            };
            let guess = Guess {
                content: content::read(&recording, &links),
                fit,
                candidates: largest::candidates(&recording, &known),
            };
            (Paints::Guessed(guess), visible)
        }
    };
    let (mut blocks_load, mut early) = blocks_load(&recording, notes);
    // HTML standard: lazy images do not delay the load event.
    for image in layout::lazy(&recording, &links) {
        (blocks_load[image], early[image]) = (false, false);
    }
    note_what_is_missing(entries, notes);
    let start = entries[0].start;
    let mut resources = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        let third_party = origins[origin_of[i].index()].third_party;
        let category = categories[i];
        if category == Category::Ads {
            notes.add(Kind::AdsByList);
        }
        let inferred = || {
            let prefetch = destination::is_prefetch(entry);
            loading::infer_priority(destinations[i], modes[i], blocking[i], prefetch)
        };
        let priority = match destinations[i] {
            Destination::Image => loading::image_priority(&recording, &links, image_places[i], i),
            _ => entry.priority.unwrap_or_else(inferred),
        };
        resources.push(Resource {
            id: ResourceId(i as u32),
            url: entry
                .url
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            origin: origin_of[i],
            method: entry.method.clone(),
            status: entry.status,
            no_response: entry.no_response(),
            destination: destinations[i],
            script_mode: modes[i],
            mime_type: entry.mime.clone(),
            request_header_bytes: header_bytes[i].0.min(MAX_FIELD_BYTES),
            request_body_bytes: entry.request_body_size,
            response_header_bytes: header_bytes[i].1.min(MAX_FIELD_BYTES),
            body_bytes: bodies[i],
            decoded_bytes: entry.content_size,
            think_time: Duration::from_millis_f64(think[i]),
            priority,
            render_blocking: blocking[i],
            discovery: discoveries[i],
            in_viewport: visible[i],
            cpu_time: cpu[i].map(Duration::from_millis_f64),
            blocks_load: blocks_load[i],
            blocks_load_if_early: early[i],
            category,
            third_party,
            anonymous: is_anonymous(entry, destinations[i], &entries[document]),
            recorded: recorded_times(entry, start, recording.own),
            cache: cache::in_next_visit(entry),
            image: entry.image,
            used_at: links[i]
                .as_ref()
                .and_then(|link| loading::used_at(&recording, link, i)),
        });
    }
    // Simulated loads begin with the first request. Recorders may begin the page sooner, or after
    // redirects.
    let sooner = start.filter(|_| recording.is_dated && !recording.own);
    let sooner = sooner.unwrap_or(0.0);
    let since_start = |at: Option<f64>| {
        let at = at.map(|ms| ms - sooner).filter(|ms| *ms > 0.0);
        at.map(Duration::from_millis_f64)
    };
    Page {
        name,
        url: resources[0].url.clone(),
        origins,
        resources,
        document: ResourceId(document as u32),
        recorded: RecordedPage {
            on_content_load: since_start(recorded.content_loaded()),
            on_load: since_start(recorded.loaded()),
            first_paint: since_start(paint_times.first),
            largest_paint: since_start(paint_times.largest),
            speed_index: since_start(paint_times.speed_index),
            down_bits_per_second: downlink(entries, &bodies),
            slowdown: recorded
                .device()
                .map(|device| device.cpu)
                .filter(|cpu| *cpu > 1.0),
            creator,
        },
        paints,
        notes: std::mem::take(notes).into_notes(),
    }
}

/// Returns the destination of each entry: that of the end of its redirect chain. The
/// navigation's chain is the document.
fn destinations(
    entries: &[Entry],
    redirects: &Redirects,
    document: usize,
    notes: &mut Notes,
) -> Vec<Destination> {
    let own = |i: usize| match redirects.end(i) {
        end if end == document => Destination::Document,
        end => destination::of(&entries[end]),
    };
    let all: Vec<Destination> = (0..entries.len()).map(own).collect();
    let again = |&i: &usize| {
        all[i] == Destination::Iframe
            && redirects.to[i].is_none()
            && (entries[i].request_headers.get("sec-fetch-dest") == Some("document")
                || entries[i].url == entries[document].url)
    };
    notes.add_many(
        Kind::SecondNavigation,
        (0..entries.len()).filter(again).count(),
    );
    all
}

/// Returns true for each entry that belongs to advertisement or analytics: those of that
/// category, and those of third parties to which the recorder says that these led, such as
/// pictures in frames that scripts make.
fn advertisement(
    categories: &[Category],
    links: &[Option<Link>],
    is_third_party: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut ads: Vec<bool> = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let recorded = |link: &&Link| link.evidence <= Evidence::RecordedParent;
        let led = link.as_ref().filter(recorded);
        let led = led.is_some_and(|link| ads[link.parent] && is_third_party(i));
        ads.push(categories[i] == Category::Ads || led);
    }
    ads
}

/// Returns true for each entry that is a nested document, or that one leads to.
fn in_frames(destinations: &[Destination], links: &[Option<Link>]) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(links.len());
    for (destination, link) in destinations.iter().zip(links) {
        let led = link.as_ref().is_some_and(|link| inside[link.parent]);
        inside.push(*destination == Destination::Iframe || led);
    }
    inside
}

/// Returns the bytes of the fields of each request and response.
fn header_bytes(entries: &[Entry], notes: &mut Notes) -> Vec<(u32, u32)> {
    let of = |entry: &Entry| {
        let url = entry
            .url
            .as_ref()
            .expect("entries without a URL were left out");
        let (request, request_default) = headers::request_bytes(
            &entry.request_headers,
            entry.request_cookie_bytes,
            entry.request_headers_size,
            &entry.method,
            url,
        );
        let (response, response_default) =
            headers::response_bytes(&entry.response_headers, entry.response_headers_size);
        notes.add_many(Kind::RequestHeaderDefault, request_default.into());
        notes.add_many(Kind::ResponseHeaderDefault, response_default.into());
        (request, response)
    };
    entries.iter().map(of).collect()
}

/// Returns the recorded main-thread milliseconds of each resource. Our own recorder gives
/// them for several destinations; for scripts only, WebPageTest gives them per entry and
/// browsertime per URL in the page's `_cpu`.
fn cpu_times(
    entries: &[Entry],
    destinations: &[Destination],
    page: &PageObject,
) -> Vec<Option<f64>> {
    let mut by_url = page.script_costs();
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
    entries.iter().zip(destinations).map(of).collect()
}

/// Returns true for each resource that the load event waits for. Excluded are script
/// fetches, media, prefetches and icons (HTML standard, "delays the load event"), modules that
/// `import()` loads, and resources that the recording began or finished after its load event. Also returns true
/// for each that began after the event, which waits for it if it begins before.
fn blocks_load(recording: &Recording, notes: &mut Notes) -> (Vec<bool>, Vec<bool>) {
    let entries = recording.entries;
    let imported = loading::dynamic_imports(recording);
    let loaded = recording.loaded;
    let mut late = 0;
    let of = |(i, entry): (usize, &Entry)| {
        let waits = match recording.destinations[i] {
            Destination::Fetch | Destination::Media | Destination::Other => false,
            Destination::Image => !viewport::is_icon(entry),
            _ => !imported[i],
        };
        let after = loaded
            .zip(entry.end)
            .is_some_and(|(loaded, end)| end > loaded + LOAD_ROUNDING_MS);
        late += usize::from(waits && after && i > 0);
        let begun = loaded
            .zip(entry.asked)
            .is_none_or(|(loaded, asked)| asked < loaded);
        let waits = waits && !destination::is_prefetch(entry);
        (
            i == 0 || (waits && !after && begun),
            i > 0 && waits && !begun,
        )
    };
    let all = entries.iter().enumerate().map(of).unzip();
    notes.add_many(Kind::AfterLoad, late);
    all
}

/// Adds notes on missing data that no other step reports.
fn note_what_is_missing(entries: &[Entry], notes: &mut Notes) {
    let count = |test: &dyn Fn(&Entry) -> bool| entries.iter().filter(|e| test(e)).count();
    notes.add_many(Kind::NoTimes, count(&|e| e.start.is_none()));
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
