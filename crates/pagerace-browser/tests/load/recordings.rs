//! Loads every recording in every browser. Each resource is found exactly once, and the
//! metrics are in order.

use std::path::PathBuf;
use std::sync::Arc;

use crate::causes;
use crate::common::{Network, load, no_cpu};
use crate::files;
use pagerace_browser::{BrowserConfig, Cached, Moment, Profile};
use pagerace_core::{Duration, Protocol};
use pagerace_har::ImportOptions;
use pagerace_page::Page;

/// Loads the first page of each recording: those of `tests/corpus`, and those of sites if
/// they are there.
fn pages() -> Vec<Arc<Page>> {
    let load = |path: &PathBuf| pagerace_har::load(path, &ImportOptions::default());
    let pages = files::all().iter().map(load).collect::<Result<Vec<_>, _>>();
    let pages = pages.unwrap_or_else(|error| panic!("{error}"));
    pages.into_iter().map(Arc::new).collect()
}

#[test]
fn every_recording_loads_in_every_browser() {
    // 10 Mbit/s, 50 ms, and Lighthouse's phone.
    let network = Network {
        rtt: Duration::from_millis(50),
        rate: 1_250_000,
        ..Network::default()
    };
    let show = std::env::var_os("PAGERACE_SHOW").is_some();
    for page in pages() {
        for profile in Profile::all() {
            let config = BrowserConfig {
                profile,
                cpu: 4.0,
                jitter: 0.1,
            };
            let l = load(&page, &config, &network, 1);
            let name = &page.name;
            if let Err(error) = causes::check(&page, &l) {
                panic!("{name} in {profile:?}: {error}");
            }
            assert!(l.done, "{name} in {profile:?} does not end");
            let mut fetched = l.fetch_order();
            let count = fetched.len();
            fetched.sort_unstable();
            fetched.dedup();
            assert_eq!(
                fetched.len(),
                count,
                "{name} in {profile:?} fetches something twice"
            );
            assert_eq!(
                count,
                page.resources.len(),
                "{name} in {profile:?} misses something"
            );
            let m = l.browser.metrics();
            assert!(
                m.onload.is_some(),
                "{name} in {profile:?} has no load event"
            );
            assert!(m.fcp <= m.lcp && m.ttfb <= m.onload);
            assert!(m.dom_content_loaded <= m.onload);
            assert_eq!(
                l.browser.visual_progress().last().map(|p| p.1),
                m.fcp.map(|_| 1.0)
            );
            // The load is no faster than its bytes allow.
            let floor = page.body_bytes() as f64 / 1_250_000.0;
            assert!(
                l.ended.as_millis_f64() / 1e3 >= floor,
                "{name} beats its link"
            );
            if show && profile == Profile::CHROME {
                let f = |d: Option<Duration>| d.map_or(-1.0, Duration::as_millis_f64);
                eprintln!(
                    "{name:34} n {count:5} fcp {:7.0} lcp {:7.0} si {:7.0} bi {:7.0} tti {:7.0} tbt {:7.0} dcl {:7.0} load {:7.0}  recorded dcl {:7.0} load {:7.0} end {:7.0}",
                    f(m.fcp),
                    f(m.lcp),
                    f(m.speed_index),
                    f(m.byte_index),
                    f(m.tti),
                    f(m.tbt),
                    f(m.dom_content_loaded),
                    f(m.onload),
                    f(page.recorded.on_content_load),
                    f(page.recorded.on_load),
                    l.ended.as_millis_f64(),
                );
            }
        }
    }
}

/// Without CPU costs, only layouts, frames and the font block period lie between the
/// cause of a paint or of `DOMContentLoaded` and the event itself. A cause that is not
/// the last arrival would leave more time.
#[test]
fn nothing_but_layout_lies_between_a_cause_and_its_effect() {
    let network = Network {
        rate: 1_250_000,
        ..Network::default()
    };
    for page in pages() {
        let l = load(&page, &no_cpu(Profile::CHROME), &network, 1);
        let document = page.resource(page.document);
        let decoded = document
            .decoded_bytes
            .unwrap_or(4 * document.body_bytes)
            .max(document.body_bytes);
        // Allows two first layouts, three later ones, and two frames.
        let layout = 5.0 + decoded as f64 / 1024.0 * 0.1;
        let allowed = 2.0 * layout + 3.0 * 2.5 + 2.0 * 50.0 / 3.0;
        for moment in [Moment::Fcp, Moment::Lcp, Moment::DomContentLoaded] {
            let at = l.browser.metrics().at(moment);
            let at = at.unwrap_or_else(|| panic!("{}: no {moment}", page.name));
            let cause = l.browser.metric_cause(moment);
            let since = cause.map_or(0.0, |cause| cause.at.as_millis_f64());
            let own = at.as_millis_f64() - since;
            let after_fonts = own - 3_000.0;
            assert!(
                own <= allowed || (0.0..=allowed).contains(&after_fonts),
                "{}: {moment} comes {own} ms after {cause:?}",
                page.name
            );
        }
    }
}

/// Loads each page a second time right after the first, with the cache that the recorded
/// fields allow.
#[test]
fn a_second_visit_is_faster_and_lighter() {
    let network = Network {
        rate: 1_250_000,
        ..Network::default()
    };
    let (mut fresh, mut validated, mut all, mut loads) = (0, 0, 0, 0);
    for page in pages() {
        let cached: Vec<Cached> = page.resources.iter().map(|r| r.cache.into()).collect();
        let count = |what| cached.iter().filter(|&&c| c == what).count();
        fresh += count(Cached::Fresh);
        validated += count(Cached::Validate);
        all += cached.len();
        loads += 1;
        // With CPU costs, cached scripts may run before the first paint.
        let config = no_cpu(Profile::CHROME);
        let cold = load(&page, &config, &network, 1);
        let again = Network {
            cached: cached.clone(),
            ..network.clone()
        };
        let warm = load(&page, &config, &again, 1);
        let name = &page.name;
        assert!(warm.done, "{name} does not end");
        if let Err(error) = causes::check(&page, &warm) {
            panic!("{name}: {error}");
        }
        let expected = cached.len() - count(Cached::Fresh);
        assert_eq!(warm.fetch_order().len(), expected, "{name}");
        let (c, w) = (cold.browser.metrics(), warm.browser.metrics());
        assert!(
            w.ttfb <= c.ttfb && w.ttfb <= w.fcp && w.fcp <= w.lcp,
            "{name}"
        );
        // With less traffic, no metric is later (by more than a frame).
        let slack = Duration::from_millis(20);
        let within = |w: Option<Duration>, c: Option<Duration>| w <= c.map(|c| c + slack);
        assert!(
            within(w.fcp, c.fcp),
            "{name}: FCP {:?} > {:?}",
            w.fcp,
            c.fcp
        );
        assert!(
            within(w.onload, c.onload),
            "{name}: load {:?} > {:?}",
            w.onload,
            c.onload
        );
        if std::env::var_os("PAGERACE_SHOW").is_some() {
            let f = |d: Option<Duration>| d.map_or(-1.0, Duration::as_millis_f64);
            eprintln!(
                "{name:34} of {:4} fresh {:4} validate {:4} ttfb {:5.0} fcp {:6.0} -> {:6.0} load {:6.0} -> {:6.0}",
                cached.len(),
                count(Cached::Fresh),
                count(Cached::Validate),
                f(w.ttfb),
                f(c.fcp),
                f(w.fcp),
                f(c.onload),
                f(w.onload),
            );
        }
    }
    let share = |n: usize| n as f64 / all.max(1) as f64;
    eprintln!(
        "{loads} pages: {:.2} fresh, {:.2} validated",
        share(fresh),
        share(validated)
    );
    assert!(share(fresh) > 0.3, "{fresh} of {all}");
    assert!(validated > 0, "none of {all} is validated");
}

/// HTTP/1.1 limits hold requests back, but lose none.
#[test]
fn every_recording_loads_over_http_1_1() {
    for page in pages() {
        let network = Network {
            rate: 1_250_000,
            protocols: vec![Protocol::H1; page.origins.len()],
            ..Network::default()
        };
        let l = load(&page, &BrowserConfig::default(), &network, 1);
        assert!(l.done, "{} does not end", page.name);
        assert_eq!(l.fetch_order().len(), page.resources.len(), "{}", page.name);
        if let Err(error) = causes::check(&page, &l) {
            panic!("{}: {error}", page.name);
        }
    }
}
