//! Effects of blocked and delayed requests on a load.

mod common;

use common::{Item, busy_page, flat_page, scenario};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::{OriginId, Page};
use pagerace_sim::{Explainable, NameLookup, Outcome, Scenario, explain, run};

const NETWORK: &str = "rate 10mbit rtt 100ms queue 100p";

fn load(scenario: &Scenario) -> Outcome {
    run(scenario, 1, false).expect("a scenario that can be run")
}

/// Returns a scenario of `page` over `protocols` with these interventions.
fn with(page: &Page, protocols: &str, interventions: &str) -> Scenario {
    Scenario {
        protocols: protocols.parse().expect("protocols"),
        interventions: interventions.parse().expect("interventions"),
        ..scenario(page, NETWORK, "sequential")
    }
}

/// Returns a document that references a style sheet, a script and three images. The
/// script and the last image are on another host.
fn page() -> Page {
    let item = |destination, class, render_blocking| Item {
        destination,
        script_mode: ScriptMode::Blocking,
        class,
        render_blocking,
        body_bytes: 8_000,
        think_time: Duration::ZERO,
    };
    let image = item(Destination::Image, RequestPriority::Low, false);
    let mut page = busy_page(&[
        item(Destination::Style, RequestPriority::VeryHigh, true),
        item(Destination::Script, RequestPriority::High, false),
        image,
        image,
        image,
    ]);
    let mut other = page.origins[0].clone();
    "cdn.example".clone_into(&mut other.host);
    other.third_party = true;
    other.connection_group = 1;
    page.origins.push(other);
    for elsewhere in [2, 5] {
        let resource = &mut page.resources[elsewhere];
        resource.origin = OriginId(1);
        resource.third_party = true;
        resource.url = format!("https://cdn.example/{elsewhere}");
    }
    page
}

const PROTOCOLS: [&str; 3] = ["h1", "h2", "h3"];

#[test]
fn a_delay_is_the_servers() {
    let page = flat_page(&[20_000]);
    for protocols in PROTOCOLS {
        let [original, late] = ["none", "images=182ms"].map(|i| with(&page, protocols, i));
        let onload = |s: &Scenario, seed| {
            let outcome = run(s, seed, false).expect("a scenario that can be run");
            outcome.load.onload.expect("it loads").as_millis_f64()
        };
        // The ends of each load take times of their own to read.
        let later = |seed| onload(&late, seed) - onload(&original, seed) - 182.0;
        let mut later: Vec<f64> = (0..101).map(later).collect();
        later.sort_by(f64::total_cmp);
        let median = later[50];
        // While the QUIC client waits, it may send a packet of its own first, which takes
        // 0.98 ms. Over HTTP/2, a server that answers at once sends an acknowledgement of 52 bytes
        // first.
        let expected = match protocols {
            "h1" => -0.005..0.005,
            "h2" => -0.0416 - 0.005..-0.0416 + 0.005,
            _ => -1.0..1.0,
        };
        assert!(expected.contains(&median), "{protocols}: {median} ms");
        let [original, late] = [original, late].map(|s| load(&s));
        assert_eq!(late.load.ttfb, original.load.ttfb);
        assert!(late.unanswered.is_empty() && late.failure.is_none());
    }
}

#[test]
fn what_is_refused_never_leaves() {
    let page = page();
    for protocols in PROTOCOLS {
        let original = load(&with(&page, protocols, "none"));
        let refused = load(&with(&page, protocols, "cdn.example=refused"));
        assert_eq!(refused.failure, None);
        assert!(refused.load.onload.unwrap() < original.load.onload.unwrap());
        for (i, timing) in refused.resources.iter().enumerate() {
            assert_eq!(timing.is_none(), [2, 5].contains(&i), "{protocols} {i}");
        }
        if protocols != "h1" {
            assert_eq!(
                (
                    refused.transport.connections,
                    original.transport.connections
                ),
                (1, 2)
            );
        }
        let counted = refused.transport.bytes_down + 2 * 8_000;
        assert!(counted < original.transport.bytes_down, "{protocols}");
    }
}

#[test]
fn an_image_without_an_answer_holds_the_load_event_alone() {
    let page = page();
    for protocols in PROTOCOLS {
        let hanging = load(&with(&page, protocols, "*/5=hang"));
        assert_eq!(hanging.failure, None, "{protocols}");
        assert_eq!(hanging.unanswered, [page.resources[5].id]);
        assert_eq!(hanging.load.onload, None);
        let original = load(&with(&page, protocols, "none"));
        // The paint is no later, and sooner at most by the time that the image's bytes take.
        let sooner = original.load.fcp.unwrap() - hanging.load.fcp.unwrap();
        assert!(
            sooner <= Duration::from_millis_f64(8.0),
            "{protocols}: {sooner}"
        );
        assert!(hanging.load.dom_content_loaded.is_some());
        // The load does not run until the deadline.
        assert!(hanging.finished_at.as_millis_f64() < 10_000.0);
        for (i, timing) in hanging.resources.iter().enumerate() {
            assert!(timing.is_some(), "{protocols} {i}: the others came");
        }
    }
}

#[test]
fn a_style_sheet_without_an_answer_is_a_single_point_of_failure() {
    let page = page();
    for protocols in PROTOCOLS {
        let hanging = load(&with(&page, protocols, "css=hang"));
        assert_eq!(hanging.failure, None);
        let load = hanging.load;
        assert!(load.ttfb.is_some());
        assert_eq!((load.fcp, load.lcp, load.onload), (None, None, None));
    }
}

#[test]
fn a_script_without_an_answer_stops_the_parser() {
    let hanging = load(&with(&page(), "h3", "third-party-js=hang"));
    assert_eq!(hanging.load.dom_content_loaded, None);
    assert_eq!(hanging.unanswered.len(), 1);
}

#[test]
fn connections_of_http_1_1_run_out() {
    // There are more requests than connections, all without a response, and too urgent
    // for the browser to hold back.
    let mut page = flat_page(&[5_000; 9]);
    for resource in &mut page.resources {
        resource.priority = RequestPriority::High;
    }
    let hanging = load(&with(&page, "h1", "images=hang"));
    assert_eq!(hanging.failure, None);
    assert_eq!(hanging.transport.connections, 6);
    assert_eq!(hanging.unanswered.len(), 9);
    // The requests that would be answered wait behind those that are not.
    let some = "*/1+*/2+*/3+*/4+*/5+*/6=hang";
    let hanging = load(&with(&page, "h1", some));
    assert_eq!(hanging.failure, None);
    assert_eq!(hanging.unanswered.len(), 6);
    assert!(hanging.finished_at.as_millis_f64() < 10_000.0);
    assert_eq!(hanging.load.onload, None);
    // One connection fewer is occupied, so the other responses arrive.
    let five = load(&with(&page, "h1", "*/1+*/2+*/3+*/4+*/5=hang"));
    let last = five.resources[9].unwrap();
    assert!(last.response_end() <= five.finished_at && last.receive > Duration::ZERO);
}

#[test]
fn a_slow_rest_of_the_load_outlives_idle_connections() {
    // The connection to the other host hangs for longer than QUIC's idle timeout.
    let mut page = page();
    page.resources[4].think_time = Duration::from_secs(90);
    for protocols in PROTOCOLS {
        let hanging = load(&with(&page, protocols, "*/5=hang"));
        assert_eq!(hanging.failure, None, "{protocols}");
        assert!(hanging.finished_at.as_millis_f64() > 90_000.0);
        assert_eq!(hanging.unanswered.len(), 1);
    }
}

#[test]
fn a_blocked_document_is_a_failed_load() {
    let refused = load(&with(&page(), "h2", "html=refused"));
    assert!(refused.failure.unwrap().contains("is the document"));
    let hanging = load(&with(&page(), "h2", "html=hang"));
    assert_eq!((hanging.failure, hanging.load.ttfb), (None, None));
}

#[test]
fn explanations_still_add_up() {
    let mut asked = 0;
    for interventions in ["cdn.example=refused", "css=500ms", "*/5=hang js=200ms"] {
        for protocols in PROTOCOLS {
            let scenario = with(&page(), protocols, interventions);
            for metric in [Explainable::Fcp, Explainable::Lcp, Explainable::Onload] {
                let Ok(explained) = explain(&scenario, 1, metric) else {
                    assert!(interventions.contains("hang") && metric == Explainable::Onload);
                    continue;
                };
                assert_eq!(explained.parts.total(), explained.total);
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 3 * 8);
}

#[test]
fn known_names_save_a_round_trip() {
    let page = flat_page(&[20_000]);
    for protocols in PROTOCOLS {
        let mut scenario = with(&page, protocols, "none");
        let looked_up = load(&scenario);
        scenario.settings.name_lookup = NameLookup::None;
        let known = load(&scenario);
        let saved = looked_up.load.ttfb.unwrap() - known.load.ttfb.unwrap();
        let saved = saved.as_millis_f64();
        // A round trip of 100 ms, and the datagrams themselves.
        assert!((100.0..101.0).contains(&saved), "{protocols}: {saved} ms");
        let dns = |o: &Outcome| o.resources[0].unwrap().dns;
        assert_eq!(dns(&known), Duration::ZERO);
        let took = dns(&looked_up).as_millis_f64();
        assert!((took - saved).abs() < 0.5, "{protocols}: {took} ms");
    }
}
