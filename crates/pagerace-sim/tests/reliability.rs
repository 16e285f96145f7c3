//! Reliability policies on whole page loads.

mod common;

use std::sync::Arc;

use common::{Item, busy_page, scenario};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::Page;
use pagerace_sim::{
    LoadSettings, ObjectNeed, ObjectState, Outcome, ReliabilitySpec, Scenario, run,
};

const LOSSY: &str = "rate 10mbit rtt 60ms loss 3% queue 100p";

/// Returns a page with a style sheet, a font and four images, of which the last two are
/// below the fold.
fn page() -> Page {
    let item = |destination, class, render_blocking, body_bytes| Item {
        destination,
        script_mode: ScriptMode::Blocking,
        class,
        render_blocking,
        body_bytes,
        think_time: Duration::ZERO,
    };
    let image = |bytes| item(Destination::Image, RequestPriority::Low, false, bytes);
    let mut page = busy_page(&[
        item(Destination::Style, RequestPriority::VeryHigh, true, 30_000),
        item(Destination::Font, RequestPriority::High, false, 60_000),
        image(120_000),
        image(60_000),
        image(200_000),
        image(90_000),
    ]);
    for id in [3, 4] {
        page.resources[id].in_viewport = true;
    }
    page
}

fn needs() -> Arc<Vec<ObjectNeed>> {
    let need = |essential, whole| ObjectNeed {
        essential,
        whole,
        seen: essential,
    };
    Arc::new(vec![
        need(true, true),
        need(true, true),
        need(false, true),
        need(true, true),
        need(true, true),
        need(false, true),
        need(false, false),
    ])
}

fn under(policy: &str, network: &str) -> Scenario {
    Scenario {
        reliability: policy.parse().expect("a policy"),
        needs: needs(),
        ..scenario(&page(), network, "sequential")
    }
}

fn load(scenario: &Scenario, seed: u64) -> Outcome {
    run(scenario, seed, false).expect("a scenario that can be run")
}

const POLICIES: [&str; 9] = [
    "full",
    "late",
    "datagram:non-essential",
    "deadline:300ms",
    "deadline:300ms,repair",
    "fec:0.2",
    "fec:0.2,repair,all",
    "adaptive",
    "adaptive:400ms",
];

#[test]
fn every_policy_loads_the_page_and_accounts_for_every_byte() {
    for policy in POLICIES {
        for seed in 1..=8 {
            let outcome = load(&under(policy, LOSSY), seed);
            assert_eq!(outcome.failure, None, "{policy}, seed {seed}");
            for (i, delivery) in outcome.objects.iter().enumerate() {
                let d = delivery.unwrap_or_else(|| panic!("{policy}: {i} was not delivered"));
                assert_eq!(d.length, page().resources[i].body_bytes, "{policy}: {i}");
                let accounted = d.restored_bytes + d.repaired_bytes + d.missing_bytes;
                assert_eq!(d.lost_bytes, accounted, "{policy}: {i}");
                let whole = d.missing_bytes == 0;
                let said = matches!(d.state, ObjectState::Complete | ObjectState::Repaired);
                assert_eq!(whole, said, "{policy}: {i}: {d:?}");
            }
            let missing = outcome.objects.iter().flatten().map(|d| d.missing_bytes);
            assert_eq!(outcome.transport.data_lost_bytes, missing.sum::<u64>());
        }
    }
}

#[test]
fn only_what_is_selected_is_at_risk() {
    for policy in POLICIES {
        let outcome = load(&under(policy, LOSSY), 3);
        for (i, delivery) in outcome.objects.iter().flatten().enumerate() {
            let essential = needs()[i].essential;
            let all = policy.ends_with("all");
            assert!(!delivery.datagrams || !essential || all, "{policy}: {i}");
            assert!(
                !delivery.datagrams || i > 0,
                "the document is never at risk"
            );
        }
    }
}

#[test]
fn adaptive_and_what_repairs_leave_nothing_broken() {
    for policy in [
        "late",
        "adaptive",
        "adaptive:400ms",
        "deadline:300ms,repair",
        "fec:0.2,repair",
    ] {
        for network in [
            LOSSY,
            "rate 2mbit rtt 200ms loss 5% burst 5 queue 30p",
            "rate 20mbit rtt 20ms",
        ] {
            for seed in 1..=5 {
                let outcome = load(&under(policy, network), seed);
                assert_eq!(outcome.transport.broken_objects, 0, "{policy} on {network}");
            }
        }
    }
}

#[test]
fn what_is_lost_in_datagrams_stays_lost() {
    let lost = (1..=10).map(|seed| load(&under("datagram:non-essential", LOSSY), seed));
    let (mut lost_bytes, mut sent) = (0, 0);
    for outcome in lost {
        lost_bytes += outcome.transport.data_lost_bytes;
        sent += outcome.transport.datagram_bytes;
        assert!(outcome.transport.broken_objects > 0);
        assert_eq!(outcome.transport.repaired_bytes, 0);
    }
    assert_eq!(sent, 10 * 350_000);
    let share = lost_bytes as f64 / sent as f64;
    // The link loses 3 %, and the queue may drop more.
    assert!((0.02..0.08).contains(&share), "{share}");
}

#[test]
fn without_loss_datagrams_are_streams() {
    let network = "rate 10mbit rtt 60ms queue 500p";
    let full = load(&under("full", network), 1);
    let once = load(&under("datagram:non-essential", network), 1);
    assert_eq!(once.transport.data_lost_bytes, 0);
    assert_eq!(once.transport.broken_objects, 0);
    let ms = |outcome: &Outcome| outcome.load.onload.expect("it loads").as_millis_f64();
    let difference = (ms(&once) - ms(&full)).abs();
    assert!(difference < 0.02 * ms(&full), "{} {}", ms(&once), ms(&full));
}

/// A broken object improves no metric: its content never appears.
#[test]
fn what_is_broken_is_never_seen() {
    // All images come in datagrams, and the path loses a part of each.
    let lossy = "rate 10mbit rtt 60ms loss 20% queue 100p";
    let broken = load(&under("datagram:images", lossy), 2);
    assert!(broken.transport.broken_objects >= 2);
    assert_eq!(
        broken.load.speed_index, None,
        "the picture is never complete"
    );
    assert_eq!(broken.load.lcp, None, "the largest image is never there");
    assert!(broken.load.fcp.is_some() && broken.load.onload.is_some());
    let sheet = load(&under("datagram:css", lossy), 2);
    assert!(sheet.transport.broken_objects == 1);
    assert_eq!(
        sheet.load.fcp, None,
        "painting had to wait for the style sheet"
    );
}

/// Text in a broken font appears no sooner than if the font never arrived.
#[test]
fn a_broken_font_is_a_font_that_never_comes() {
    let mut all = self::page();
    all.resources.truncate(3);
    let lossy = "rate 10mbit rtt 60ms loss 20% queue 100p";
    let text = |policy: &str| {
        let scenario = Scenario {
            reliability: policy.parse().expect("a policy"),
            needs: Arc::new(needs()[..3].to_vec()),
            ..scenario(&all, lossy, "sequential")
        };
        load(&scenario, 4)
    };
    let (full, once) = (text("full"), text("datagram:fonts"));
    assert_eq!(once.transport.broken_objects, 1);
    let last = |outcome: &Outcome| outcome.visual_progress.last().expect("text is seen").0;
    assert!(
        last(&once) >= last(&full),
        "{} {}",
        last(&once),
        last(&full)
    );
    // The browser stops waiting two seconds after the start of the navigation.
    assert!(last(&once).since_start() >= Duration::from_secs(2));
}

#[test]
fn what_is_of_use_in_part_is_used_in_part() {
    // The film is the last object, and there is time for some of it.
    let network = "rate 2mbit rtt 60ms loss 3% queue 100p";
    let scenario = under("adaptive:2500ms", network);
    let film = |outcome: &Outcome| outcome.objects[6].expect("it was asked for");
    // With some seeds, nothing of the film is lost, or it is repaired in time.
    let outcome = (1..=100)
        .map(|seed| load(&scenario, seed))
        .find(|outcome| film(outcome).state == ObjectState::UsableInPart)
        .expect("a film in part");
    let film = film(&outcome);
    assert!(film.missing_bytes > 0 && film.datagrams);
    assert_eq!(outcome.transport.partial_objects, 1);
    assert_eq!(outcome.transport.broken_objects, 0);
    assert!(outcome.load.speed_index.is_some());
}

#[test]
fn late_objects_come_after_all_others() {
    let network = "rate 5mbit rtt 40ms queue 200p";
    let (full, late) = (
        load(&under("full", network), 1),
        load(&under("late", network), 1),
    );
    let essential = |outcome: &Outcome| outcome.essential.expect("all came");
    assert!(essential(&late) < essential(&full));
    let end = |i: usize| late.resources[i].expect("it was asked for").response_end();
    for early in [1, 3, 4] {
        for later in [2, 5, 6] {
            assert!(end(early) < end(later), "{early} {later}");
        }
    }
}

#[test]
fn the_last_essential_object_is_known_only_where_needs_are() {
    let mut scenario = under("full", LOSSY);
    assert!(load(&scenario, 1).essential.is_some());
    scenario.needs = Arc::default();
    assert_eq!(load(&scenario, 1).essential, None);
}

#[test]
fn over_tcp_there_are_no_datagrams() {
    for protocol in ["h1", "h2"] {
        let with = |policy: &str| Scenario {
            protocols: protocol.parse().expect("a protocol"),
            ..under(policy, LOSSY)
        };
        let full = load(&with("full"), 1);
        let once = load(&with("datagram:non-essential"), 1);
        assert_eq!(once.load, full.load);
        assert_eq!(once.transport, full.transport);
    }
    let h2 = |policy: &str| Scenario {
        protocols: "h2".parse().expect("a protocol"),
        ..under(policy, "rate 5mbit rtt 40ms queue 200p")
    };
    let (full, late) = (load(&h2("full"), 1), load(&h2("late"), 1));
    assert!(late.essential < full.essential, "lateness needs none");
}

#[test]
fn null_keys_have_the_sizes_of_tls_with_datagrams_too() {
    for policy in ["datagram:non-essential", "fec:0.3,repair"] {
        let null = load(&under(policy, "rate 10mbit rtt 60ms queue 100p"), 1);
        let mut scenario = under(policy, "rate 10mbit rtt 60ms queue 100p");
        scenario.settings = LoadSettings {
            real_tls: true,
            ..common::plain()
        };
        let real = load(&scenario, 1);
        assert_eq!(real.load, null.load, "{policy}");
        assert_eq!(real.objects, null.objects, "{policy}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for policy in POLICIES {
        let json = |seed| {
            let outcome = load(&under(policy, LOSSY), seed);
            serde_json::to_string(&outcome).expect("it is data")
        };
        assert_eq!(json(5), json(5), "{policy}");
    }
}

#[test]
fn a_policy_of_everything_in_its_turn_changes_nothing() {
    let plain = scenario(&page(), LOSSY, "sequential");
    let full = Scenario {
        reliability: ReliabilitySpec::default(),
        ..plain.clone()
    };
    assert_eq!(load(&plain, 1).load, load(&full, 1).load);
}
