//! Effects of resources on paints, for pages made by hand and for real ones.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "../../../tests/corpus/files.rs"]
mod files;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use common::{Item, busy_page};
use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_essential::ads::Matchers;
use pagerace_essential::{Overrides, Reason, assess};
use pagerace_har::{ImportOptions, load};
use pagerace_page::{Category, Page, Paints, ResourceId, Trigger};
use pagerace_page::{PaintChange, PaintEffect};
use pagerace_sim::Counterfactuals;
use serde_json::{Value, json};

const IMAGE: Item = Item {
    destination: Destination::Image,
    script_mode: ScriptMode::Blocking,
    class: RequestPriority::Low,
    render_blocking: false,
    body_bytes: 50_000,
    think_time: Duration::ZERO,
};

fn item(destination: Destination, script_mode: ScriptMode, render_blocking: bool) -> Item {
    Item {
        destination,
        script_mode,
        render_blocking,
        class: RequestPriority::High,
        body_bytes: 20_000,
        ..IMAGE
    }
}

/// Returns the effect of each resource on paints, in page order.
fn effects(page: &Page) -> Vec<PaintEffect> {
    let loads = Counterfactuals::new(&Arc::new(page.clone()), &BrowserConfig::default());
    let all = page.resources.iter();
    all.map(|resource| loads.effect(resource.id)).collect()
}

#[test]
fn what_blocks_rendering_is_waited_for() {
    let blocking = item(Destination::Style, ScriptMode::Blocking, true);
    let any_time = item(Destination::Script, ScriptMode::Async, false);
    let mut page = busy_page(&[blocking, any_time, IMAGE]);
    // The script takes long to execute, so that a paint behind it is late.
    page.resources[2].cpu_time = Some(Duration::from_millis(80));
    page.resources[1].think_time = Duration::from_millis(40);
    let effects = effects(&page);
    let sheet = effects[1];
    assert!(sheet.fcp_waits && sheet.needs(), "{sheet}");
    assert!(matches!(sheet.fcp, PaintChange::Earlier(_)), "{sheet}");
    // No paint waits for the script; it only takes main-thread time.
    let script = effects[2];
    assert!(!script.needs(), "{script}");
    assert!(matches!(script.fcp, PaintChange::Earlier(_)), "{script}");
    // The image is not visible, and there is no page without the document.
    assert!(effects[3].is_none() && effects[0].is_none());
}

#[test]
fn what_is_waited_for_beside_something_slower_is_found() {
    let blocking = item(Destination::Style, ScriptMode::Blocking, true);
    let mut page = busy_page(&[blocking, blocking]);
    page.resources[2].think_time = Duration::from_millis(300);
    let effects = effects(&page);
    // Without the fast style sheet, the paint is no earlier, but it needs both.
    assert_eq!(effects[1].fcp, PaintChange::Same);
    assert!(effects[1].fcp_waits && effects[2].fcp_waits);
}

#[test]
fn images_that_are_seen_are_missed() {
    let mut page = busy_page(&[IMAGE, IMAGE]);
    page.resources[1].in_viewport = true;
    page.resources[1].body_bytes = 200_000;
    page.resources[2].in_viewport = true;
    page.resources[2].body_bytes = 2_000;
    let effects = effects(&page);
    // The first image is the largest element, the second a small one.
    assert!(effects[1].other_largest && effects[1].lcp_waits && !effects[1].fcp_waits);
    assert!(effects[1].missing > effects[2].missing && effects[2].missing > 0.0);
    assert!(!effects[2].other_largest);
}

#[test]
fn what_leads_to_a_seen_image_is_missed() {
    let script = item(Destination::Script, ScriptMode::Async, false);
    let mut page = busy_page(&[script, IMAGE]);
    page.resources[2].in_viewport = true;
    page.resources[2].discovery.trigger = Trigger::Script {
        parent: ResourceId(1),
        delay: Duration::ZERO,
    };
    let effects = effects(&page);
    assert!(effects[1].missing > 0.0 && (effects[1].missing - effects[2].missing).abs() < 1e-9);
}

#[test]
fn other_data_does_not_make_a_resource_matter() {
    let blocking = item(Destination::Style, ScriptMode::Blocking, true);
    let mut page = busy_page(&[blocking, IMAGE]);
    // The image arrives while the style sheet is parsed.
    page.resources[1].cpu_time = Some(Duration::from_millis(80));
    page.resources[2].in_viewport = true;
    page.resources[2].body_bytes = 2_000_000;
    page.resources[2].think_time = Duration::from_millis(20);
    let with = |processors: u32| {
        let element = |y: u32, kind: Value| {
            json!({"kind": kind, "offset": 900, "contentful": true,
                "rect": {"x": 0, "y": y, "width": 900, "height": 200}})
        };
        let text = element(0, json!({"is": "text", "fonts": []}));
        let image = element(300, json!({"is": "image", "resource": 2}));
        let layout = json!({"viewport": [1000, 1000], "elements": [text, image],
            "processors": processors});
        effects(&Page {
            paints: Paints::Recorded(serde_json::from_value(layout).unwrap()),
            ..page.clone()
        })
    };
    assert_eq!(with(2), with(8));
}

#[test]
fn threads_see_the_same() {
    let blocking = item(Destination::Style, ScriptMode::Blocking, true);
    let page = Arc::new(busy_page(&[blocking, IMAGE, blocking]));
    let config = BrowserConfig::default();
    let loads = Counterfactuals::new(&page, &config);
    let alone = effects(&page);
    std::thread::scope(|scope| {
        let loads = &loads;
        let one = |id: u32| scope.spawn(move || loads.effect(ResourceId(id)));
        for (i, thread) in (0..4).map(one).enumerate() {
            assert_eq!(thread.join().unwrap(), alone[i]);
        }
    });
}

#[test]
fn the_corpus_is_assessed() {
    assess_all("tests/corpus", &files::corpus());
}

/// Prints the sums of `docs/essential.md`. Reads files that are no part of the repository, and
/// passes without them.
#[test]
fn extra_real_sites_are_assessed() {
    assess_all("real sites", &files::shared());
}

/// Checks invariants of the assessment on recordings, and prints sums.
fn assess_all(title: &str, files: &[PathBuf]) {
    let mut out = std::io::stderr();
    let ads = Matchers::built_in();
    let mut sums: BTreeMap<Category, [u64; 4]> = BTreeMap::new();
    let (mut own_blocking, mut own_blocking_ads, mut in_part) = (0, 0, 0);
    for file in files {
        let page = load(file, &ImportOptions::default()).unwrap();
        let effects = effects(&page);
        let all = assess(&page, &ads, Some(&effects), &Overrides::default()).unwrap();
        for (resource, assessment) in page.resources.iter().zip(&all) {
            let name = format!("{} {}: {:?}", page.name, resource.url, assessment.reasons);
            let is_ad = |r: &Reason| matches!(r, Reason::Listed { kind, .. } if kind.is_ad());
            let ad = assessment.reasons.iter().any(is_ad);
            if resource.destination == Destination::Document {
                assert!(assessment.essential, "{name}");
            } else if resource.render_blocking && !resource.third_party {
                own_blocking += 1;
                own_blocking_ads += u32::from(ad);
                assert!(assessment.essential || ad, "{name}");
            }
            assert!(
                !assessment.reasons.is_empty() && !name.contains("  "),
                "{name}"
            );
            in_part += u32::from(!assessment.whole);
            let sum = sums.entry(resource.category).or_default();
            let not = u64::from(!assessment.essential);
            let more = [1, resource.body_bytes, not, not * resource.body_bytes];
            for (sum, more) in sum.iter_mut().zip(more) {
                *sum += more;
            }
        }
    }
    for (category, [requests, bytes, not, not_bytes]) in &sums {
        writeln!(
            out,
            "{title}, {category:?}: {not} of {requests} requests, {} of {} kB are not essential",
            not_bytes / 1_000,
            bytes / 1_000
        )
        .unwrap();
    }
    writeln!(
        out,
        "{title}, first-party render-blocking: {own_blocking_ads} of {own_blocking} are called \
         advertisement; {in_part} useful in part"
    )
    .unwrap();
    assert!(
        own_blocking_ads * 100 <= own_blocking,
        "{own_blocking_ads} of {own_blocking}"
    );
}
