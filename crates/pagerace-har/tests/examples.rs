//! The example pages that ship with Pagerace.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "../../../tools/src/bin/make_example_pages/record.rs"]
mod record;
#[path = "../../../tools/src/bin/make_example_pages/site.rs"]
mod site;
#[path = "../../../tools/src/bin/make_example_pages/sites.rs"]
mod sites;

use pagerace_core::ScriptMode;
use pagerace_har::{ImportOptions, load};
use pagerace_page::{Category, Evidence, Page};

fn example(name: &str) -> Page {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pages");
    let path = std::path::Path::new(folder).join(format!("{name}.har"));
    load(&path, &ImportOptions::default()).unwrap()
}

#[test]
fn they_have_the_shape_that_they_are_described_with() {
    for (name, requests, origins) in [
        ("news", 73, 7),
        ("shop", 42, 4),
        ("blog", 14, 2),
        ("gallery", 19, 1),
    ] {
        let page = example(name);
        assert_eq!(
            (page.resources.len(), page.origins.len()),
            (requests, origins),
            "{name}"
        );
        assert_eq!(page.name, name);
        assert!(
            page.resources
                .iter()
                .any(|r| r.render_blocking && r.id != page.document)
        );
        assert!(page.resources.iter().any(|r| r.in_viewport), "{name}");
        assert!(
            page.recorded.on_load > page.recorded.on_content_load,
            "{name}"
        );
    }
}

#[test]
fn everything_about_them_is_recorded() {
    for name in ["news", "shop", "blog", "gallery"] {
        let page = example(name);
        assert!(
            page.resources
                .iter()
                .all(|r| r.discovery.evidence == Evidence::Recorded),
            "{name}"
        );
        let expected = ["begun or finished after", "classified as advertisement"];
        for note in &page.notes {
            assert!(
                expected.iter().any(|e| note.text.contains(e)),
                "{name}: {}",
                note.text
            );
        }
    }
}

#[test]
fn news_has_all_kinds_of_scripts_ads_and_a_shared_connection() {
    let page = example("news");
    for mode in [
        ScriptMode::Blocking,
        ScriptMode::Defer,
        ScriptMode::Async,
        ScriptMode::Inserted,
    ] {
        let is = |r: &&pagerace_page::Resource| {
            r.script_mode == mode && r.destination == pagerace_core::Destination::Script
        };
        assert!(page.resources.iter().any(|r| is(&r)), "{mode:?}");
    }
    assert!(
        page.resources
            .iter()
            .filter(|r| r.category == Category::Ads)
            .count()
            > 10
    );
    assert_eq!(
        page.origins[0].connection_group,
        page.origins[1].connection_group
    );
}

/// The pages are generated: after a change of the generator, run
/// `cargo run -p pagerace-tools --bin make_example_pages`.
#[test]
fn they_are_what_the_generator_writes() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pages"));
    for site in [
        sites::news(),
        sites::shop(),
        sites::blog(),
        sites::gallery(),
    ] {
        let shipped = std::fs::read(folder.join(format!("{}.har", site.name))).unwrap();
        let shipped: serde_json::Value = serde_json::from_slice(&shipped).unwrap();
        assert!(
            shipped == record::har(&site),
            "{}.har is out of date",
            site.name
        );
    }
}
