//! The parts of a metric add up to it exactly, and each part has the stated meaning.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, hundred, scenario};
use pagerace_core::{Destination, Duration, RequestPriority};
use pagerace_page::{LargestCandidate, LargestElement, Page, ResourceId};
use pagerace_sim::{Explainable, Explained, Part, Scenario, World, explain};

fn over(page: &Page, network: &str, protocols: &str) -> Scenario {
    let mut s = scenario(page, network, "sequential");
    s.protocols = protocols.parse().unwrap();
    s
}

fn check(s: &Scenario, seed: u64, metric: Explainable) -> Explained {
    let e = explain(s, seed, metric).unwrap();
    assert_eq!(e.parts.total(), e.total, "{metric:?}");
    let load = e.outcome.load;
    let value = match metric {
        Explainable::Ttfb => load.ttfb,
        Explainable::Fcp => load.fcp,
        Explainable::Lcp => load.lcp,
        Explainable::SpeedIndex => load.speed_index,
        Explainable::Onload => load.onload,
    };
    assert_eq!(value, Some(e.total));
    for pair in e.path.windows(2) {
        assert_eq!(pair[0].until, pair[1].from, "steps touch");
    }
    for step in &e.path {
        assert!(step.from <= step.arrived && step.arrived <= step.until);
        assert_eq!(step.parts.total(), step.until.since(step.from));
    }
    e
}

fn ms(e: &Explained, part: Part) -> f64 {
    e.parts.get(part).as_millis_f64()
}

#[test]
fn parts_add_up_on_every_protocol_through_loss() {
    for protocols in ["h1", "h2", "h3"] {
        for network in ["rate 5mbit rtt 80ms loss 2% loss-up 1%", "slow-4g", "cable"] {
            let s = over(&hundred(), network, protocols);
            for metric in Explainable::ALL {
                check(&s, 3, metric);
            }
        }
    }
}

#[test]
fn set_up_is_what_the_protocol_costs() {
    let network = "rate 1gbit rtt 100ms";
    for (protocols, rtts) in [("h3", 2.0), ("h2", 3.0)] {
        let e = check(
            &over(&flat_page(&[]), network, protocols),
            1,
            Explainable::Ttfb,
        );
        let set_up = ms(&e, Part::SetUp) / 100.0;
        assert!(
            (rtts..rtts + 0.05).contains(&set_up),
            "{protocols}: {set_up}"
        );
        assert!((99.9..101.0).contains(&ms(&e, Part::RoundTrips)), "{e:?}");
    }
}

#[test]
fn think_time_is_the_servers() {
    let mut page = flat_page(&[]);
    page.resources[0].think_time = Duration::from_millis(70);
    for protocols in ["h1", "h2", "h3"] {
        let e = check(&over(&page, "cable", protocols), 1, Explainable::Ttfb);
        let server = e.parts.get(Part::Server);
        assert_eq!(server, Duration::from_millis(70), "{protocols}");
    }
}

#[test]
fn a_long_response_alone_is_bandwidth() {
    for protocols in ["h2", "h3"] {
        let mut page = flat_page(&[5_000_000]);
        page.resources[1].in_viewport = true;
        let e = check(
            &over(&page, "rate 10mbit rtt 20ms", protocols),
            1,
            Explainable::Onload,
        );
        assert!(e.parts.get(Part::Bandwidth) * 2 > e.total, "{e:?}");
        assert_eq!(e.parts.largest(), Part::Bandwidth);
        assert!(ms(&e, Part::Loss) < 200.0);
    }
}

#[test]
fn a_window_that_grows_slowly_shows() {
    // Slow start takes five round trips on a path that is never full.
    for protocols in ["h2", "h3"] {
        let page = flat_page(&[300_000]);
        let e = check(
            &over(&page, "rate 1gbit rtt 200ms queue 10000p", protocols),
            1,
            Explainable::Onload,
        );
        assert!((550.0..1_300.0).contains(&ms(&e, Part::Window)), "{e:?}");
        let full = ms(&e, Part::Bandwidth) + ms(&e, Part::Queueing);
        // The browser holds the document's first request for 20 ms.
        assert!(full < 40.0, "{protocols}: {:?}", e.parts);
    }
}

#[test]
fn what_waits_for_others_queues() {
    // The page's last response is the last of equal ones that are sent one after the
    // other.
    for protocols in ["h1", "h2", "h3"] {
        let page = flat_page(&[100_000; 30]);
        let e = check(
            &over(&page, "rate 10mbit rtt 20ms", protocols),
            1,
            Explainable::Onload,
        );
        assert_eq!(e.parts.largest(), Part::Queueing, "{protocols}: {e:?}");
    }
}

#[test]
fn loss_shows_as_loss() {
    for protocols in ["h2", "h3"] {
        let page = flat_page(&[400_000]);
        let clean = "rate 5mbit rtt 100ms queue 1000p";
        let lossy = format!("{clean} loss 8%");
        let clean = check(&over(&page, clean, protocols), 1, Explainable::Onload);
        assert_eq!(clean.parts.get(Part::Loss), Duration::ZERO);
        let mut worst = 0.0_f64;
        for seed in 1..=5 {
            let e = check(&over(&page, &lossy, protocols), seed, Explainable::Onload);
            worst = worst.max(ms(&e, Part::Loss));
        }
        assert!(worst > 100.0, "{protocols}: {worst}");
    }
}

#[test]
fn a_lost_handshake_is_loss_and_no_set_up() {
    // With some of the seeds, a SYN, an Initial packet or a part of a certificate is
    // lost.
    for protocols in ["h2", "h3"] {
        // Lost look-ups are part of the set-up.
        let known = |network| {
            let mut s = over(&flat_page(&[]), network, protocols);
            s.settings.name_lookup = pagerace_sim::NameLookup::None;
            s
        };
        let s = known("rate 10mbit rtt 60ms loss 10%");
        let clean = check(&known("rate 10mbit rtt 60ms"), 1, Explainable::Ttfb);
        let mut late = 0;
        for seed in 1..=30 {
            let e = check(&s, seed, Explainable::Ttfb);
            if e.total > clean.total + Duration::from_millis(100) {
                late += 1;
                assert!(ms(&e, Part::Loss) > 90.0, "{protocols} {seed}: {e:?}");
                assert!(
                    ms(&e, Part::SetUp) < ms(&clean, Part::SetUp) + 70.0,
                    "{protocols} {seed}: {:?}",
                    e.parts
                );
            }
        }
        assert!(late > 2, "{protocols}: {late}");
    }
}

#[test]
fn text_that_stops_waiting_for_a_font_waited_for_the_font() {
    // The font takes 4 s, and text appears two seconds after the start.
    let mut page = flat_page(&[400_000]);
    let font = &mut page.resources[1];
    font.destination = Destination::Font;
    font.priority = RequestPriority::VeryHigh;
    font.in_viewport = false;
    for protocols in ["h1", "h2", "h3"] {
        let s = over(&page, "rate 800kbit rtt 100ms", protocols);
        let e = check(&s, 1, Explainable::Lcp);
        assert!((2_000.0..2_100.0).contains(&e.total.as_millis_f64()));
        assert_eq!(e.path.last().map(|step| step.resource), Some(ResourceId(1)));
        assert!(ms(&e, Part::Bandwidth) > 1_000.0, "of the font");
        assert!(ms(&e, Part::Browser) < 200.0);
    }
}

#[test]
fn worlds_draw_the_largest_element() {
    let mut page = flat_page(&[20_000, 200_000]);
    let share = |i: u32, probability| LargestCandidate {
        element: LargestElement::Image { id: ResourceId(i) },
        probability,
    };
    let guess = page.guess_mut().expect("no layout");
    guess.candidates = vec![share(1, 0.6), share(2, 0.4)];
    let last = |largest| {
        let s = over(&page, "slow-4g", "h2").in_world(World {
            largest,
            ..World::NOMINAL
        });
        check(&s, 1, Explainable::Lcp)
            .path
            .last()
            .unwrap()
            .resource
            .0
    };
    let draws = [None, Some(0.1), Some(0.59), Some(0.61), Some(0.9)];
    assert_eq!(draws.map(last), [1, 1, 1, 2, 2]);
}
