//! The time that a browser spends outside the page's tasks: before requests leave, and until frames
//! are on the screen.

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration, Protocol};
use pagerace_page::{OriginId, Page, Resource, Trigger};

use crate::common::{
    Loaded, Network, desktop, document, id, in_markup, load, ms, page, resource, visible_image,
};
use crate::recorded_layout::{image, text, with_layout};

#[test]
fn no_request_of_a_document_leaves_before_its_first_one() {
    // A script without cost requests an image.
    let free = |resource| Resource {
        cpu_time: Some(Duration::ZERO),
        ..resource
    };
    let by_script = Trigger::Script {
        parent: id(1),
        delay: Duration::ZERO,
    };
    let made = page(vec![
        free(document(4_000)),
        free(in_markup(Destination::Script, 1_000, 100)),
        free(in_markup(Destination::Image, 1_000, 200)),
        free(resource(Destination::Image, 1_000, by_script)),
    ]);
    let waits = |slowdown: Option<f64>| {
        let mut made = with_layout(&made, vec![text(100.0, Some(2_000), &[])]);
        made.recorded.slowdown = slowdown;
        let l = load(&Arc::new(made), &desktop(), &Network::default(), 1);
        let wait = |i| l.asked(i).expect("asked") - l.found(i).expect("found");
        (l.found(1).expect("found"), wait(1), wait(2), wait(3))
    };
    let (found, first, second, later) = waits(None);
    assert!(
        first >= 13.9 && (0.9..1.3).contains(&(second - first)),
        "{first} {second}"
    );
    assert!(later < 10.0, "the document is prepared: {later}");
    let slowed = waits(Some(4.0));
    assert!(slowed.0 > found + 32.0, "its commit takes longer");
    let as_fast = (slowed.1 - first).abs() < 1e-9;
    assert!(as_fast, "other processes are");
}

/// Returns a document with these resources in its markup, and an image that the first of them
/// requests.
fn chain(markup: &[Destination]) -> Page {
    let late = Trigger::After {
        parent: id(1),
        delay: Duration::ZERO,
    };
    let mut resources = vec![document(4_000)];
    let found = markup.iter().zip(1..);
    resources.extend(found.map(|(&kind, i)| in_markup(kind, 1_000, 100 * i)));
    resources.push(resource(Destination::Image, 1_000, late));
    with_layout(&page(resources), vec![text(100.0, Some(2_000), &[])])
}

#[test]
fn names_are_looked_up_early_until_the_document_asks_its_own_host() {
    let load = |kind: Destination, others: [usize; 2]| {
        let mut made = chain(&[kind, Destination::Style, Destination::Style]);
        let mut other = made.origins[0].clone();
        other.host = "other.test".into();
        made.origins.push(other);
        for i in others {
            made.resources[i].origin = OriginId(1);
        }
        load(&Arc::new(made), &desktop(), &Network::default(), 1)
    };
    let early = |l: &Loaded, i| l.looked_up(i).expect("looked up") - l.found(i).expect("found");
    // A frame is a request of the document that contains it.
    let l = load(Destination::Iframe, [1, 2]);
    assert!(early(&l, 1) < 2.5, "{}", early(&l, 1));
    let l = load(Destination::Style, [1, 2]);
    assert!(
        early(&l, 1) < 2.5 && early(&l, 2) < 4.0,
        "{:?}",
        l.looked_up(2)
    );
    assert!(l.asked(1).expect("asked") - l.found(1).expect("found") > 10.0);
    // After a request to the document's own host, look-ups wait as it does, and leave before it.
    let l = load(Destination::Style, [2, 3]);
    for i in [2, 3] {
        let written = l.asked(1).expect("asked");
        assert!(early(&l, i) > 10.0, "{i}: the document is prepared");
        assert!(l.looked_up(i) < Some(written), "{i}: it waits for no write");
    }
    assert_eq!(l.looked_up(4), None, "its query leaves with the request");
}

/// Returns the waits of a first and of a later request.
fn dispatches(jitter: f64, rtt: f64, seed: u64) -> (f64, f64) {
    let made = Arc::new(chain(&[Destination::Image]));
    let config = BrowserConfig {
        jitter,
        ..desktop()
    };
    let network = Network {
        rtt: ms(rtt),
        ..Network::default()
    };
    let l = load(&made, &config, &network, seed);
    let wait = |i| l.asked(i).expect("asked") - l.found(i).expect("found");
    (wait(1), wait(2))
}

#[test]
fn overheads_vary_by_seed_and_by_nothing_else() {
    let spread = |values: Vec<f64>| {
        let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let square = logs.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        (square / (logs.len() - 1) as f64).sqrt()
    };
    let (firsts, laters): (Vec<f64>, Vec<f64>) =
        (0..200).map(|seed| dispatches(0.1, 100.0, seed)).unzip();
    // The standard error of a standard deviation of 200 values is 5 % of it.
    assert!((spread(firsts) - 0.25).abs() < 0.05);
    assert!((spread(laters) - 0.5).abs() < 0.1);
    let same = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-6;
    assert!(same(dispatches(0.1, 100.0, 7), dispatches(0.1, 40.0, 7)));
    assert!(same(dispatches(0.0, 100.0, 7), dispatches(0.0, 100.0, 8)));
}

/// Returns the milliseconds from the last byte of a document's first resource until what waits for
/// it is found, on a device with this slow-down.
fn taken_after(kind: Destination, slowdown: Option<f64>) -> f64 {
    let mut made = chain(&[kind]);
    made.resources[1].cpu_time = Some(Duration::ZERO);
    made.recorded.slowdown = slowdown;
    let l = load(&Arc::new(made), &desktop(), &Network::default(), 1);
    l.found(2).expect("found") - l.ends[&id(1)].as_millis_f64()
}

#[test]
fn a_response_reaches_the_page_after_its_last_byte() {
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6;
    assert!(close(taken_after(Destination::Image, None), 1.3));
    let font = taken_after(Destination::Font, None);
    assert!(close(font, 2.3), "other threads prepare it: {font}");
    let phone = taken_after(Destination::Image, Some(4.0));
    assert!(close(phone, 4.3), "its thread is slowed: {phone}");
}

#[test]
fn a_recorded_delay_begins_with_the_last_byte() {
    let mut made = chain(&[Destination::Image]);
    made.resources[2].discovery.trigger = Trigger::After {
        parent: id(1),
        delay: ms(20.0),
    };
    let l = load(&Arc::new(made), &desktop(), &Network::default(), 1);
    let found = l.found(2).expect("found") - l.ends[&id(1)].as_millis_f64();
    assert!((found - 20.0).abs() < 1e-6, "{found}");
}

/// Loads a page with a script that takes half a second, this many images that arrive meanwhile, and
/// data that follows the first of them. Returns the load, and the time at which the script has run.
fn busy(images: u32, protocol: Protocol) -> (Loaded, f64) {
    let script = Resource {
        cpu_time: Some(ms(500.0)),
        ..in_markup(Destination::Script, 100, 2_000)
    };
    let after = Trigger::After {
        parent: id(2),
        delay: Duration::ZERO,
    };
    let mut resources = vec![document(4_000), script];
    let offsets = (0..images).map(|i| u64::from(2_100 + i));
    resources.extend(offsets.map(|offset| in_markup(Destination::Image, 20_000, offset)));
    resources.push(resource(Destination::Fetch, 1_000, after));
    let network = Network {
        rate: 1_000_000,
        protocols: vec![protocol],
        ..Network::default()
    };
    let l = load(&page(resources), &desktop(), &network, 1);
    let ran = l.ends[&id(1)].as_millis_f64() + 500.0;
    (l, ran)
}

#[test]
fn a_busy_thread_takes_no_response() {
    let (l, ran) = busy(1, Protocol::H2);
    let image = l.ends[&id(2)].as_millis_f64();
    assert!(image < ran - 300.0, "it arrives early: {image} {ran}");
    let data = l.found(3).expect("found");
    assert!(data > ran, "{data} {ran}");
}

/// Loads a page that was recorded on this many processors. Returns the load and its load event.
fn recorded_on(processors: Option<u32>, page: &Arc<Page>, rate: u64) -> (Loaded, Duration) {
    let mut made = with_layout(page, vec![]);
    made.layout_mut().expect("just given").processors = processors;
    let network = Network {
        rate,
        ..Network::default()
    };
    let l = load(&Arc::new(made), &desktop(), &network, 1);
    let onload = l.browser.metrics().onload.expect("loaded");
    (l, onload)
}

#[test]
fn bytes_that_arrive_slow_a_machine_with_few_processors() {
    let script = Resource {
        cpu_time: Some(ms(500.0)),
        ..in_markup(Destination::Script, 100, 2_000)
    };
    let made = page(vec![
        document(4_000),
        script,
        in_markup(Destination::Image, 200_000, 2_100),
    ]);
    // The load event waits for the script, which runs while the image arrives.
    let loaded = |processors: Option<u32>| {
        let (l, onload) = recorded_on(processors, &made, 1_000_000);
        let script = l.ends[&id(1)].as_millis_f64();
        let image = l.ends[&id(2)].as_millis_f64();
        assert!(image > script && image < script + 400.0, "{script} {image}");
        onload
    };
    let unknown = loaded(None);
    assert_eq!(loaded(Some(3)), unknown);
    let few = loaded(Some(2));
    assert_eq!(loaded(Some(1)), few);
    // 55 ms for each megabyte, less what arrives before the script runs.
    let longer = few.as_millis_f64() - unknown.as_millis_f64();
    assert!((10.0..=11.0).contains(&longer), "{longer}");
}

#[test]
fn data_slows_no_idle_thread() {
    // Nothing runs besides the document while the image arrives, and the load event follows it.
    let made = page(vec![
        document(4_000),
        in_markup(Destination::Image, 200_000, 100),
    ]);
    let loaded = |processors| recorded_on(processors, &made, Network::default().rate).1;
    let waited = loaded(Some(2)).as_millis_f64() - loaded(None).as_millis_f64();
    assert!((0.0..1.0).contains(&waited), "{waited}");
}

#[test]
fn the_network_service_does_not_wait_for_a_busy_thread() {
    let (l, ran) = busy(7, Protocol::H1);
    let last = l.asked(8).expect("asked");
    let first = l.ends[&id(2)].as_millis_f64();
    assert!(last >= first && last < ran - 300.0, "{first} {last} {ran}");
}

#[test]
fn a_frame_waits_for_the_images_that_it_shows() {
    let paints = |decoding: f64| {
        let made = page(vec![
            document(4_000),
            Resource {
                cpu_time: Some(ms(decoding)),
                ..visible_image(1_000, 100)
            },
        ]);
        let made = with_layout(&made, vec![text(100.0, Some(3_000), &[]), image(1, 500.0)]);
        let l = load(&Arc::new(made), &desktop(), &Network::default(), 1);
        let metrics = l.browser.metrics();
        (metrics.lcp.expect("painted"), metrics.onload)
    };
    let (small, large) = (paints(0.0), paints(300.0));
    assert_eq!(large.0, small.0 + ms(300.0));
    assert_eq!(large.1, small.1, "the load event does not wait");
}

#[test]
fn a_frame_reaches_the_screen_when_the_recorded_one_did() {
    let paints = |presentation: Option<f64>, later: Option<f64>| {
        let made = page(vec![document(4_000), visible_image(5_000, 2_000)]);
        let elements = vec![text(10.0, Some(1_000), &[]), image(1, 900.0)];
        let mut made = with_layout(&made, elements);
        let layout = made.layout_mut().expect("just given");
        let rendering = layout.rendering.as_mut().expect("just given");
        rendering.presentation = presentation.map(ms);
        rendering.later_presentation = later.map(ms);
        let l = load(&Arc::new(made), &desktop(), &Network::default(), 1);
        let metrics = l.browser.metrics();
        [metrics.fcp, metrics.lcp].map(|paint| paint.expect("painted"))
    };
    let unknown = paints(None, None);
    assert_eq!(paints(Some(30.0), None), unknown, "the default");
    let [fcp, lcp] = paints(Some(7.0), Some(12.0));
    assert_eq!([fcp + ms(23.0), lcp + ms(18.0)], unknown);
    assert_eq!(
        paints(Some(7.0), None),
        unknown.map(|paint| paint - ms(23.0))
    );
}
