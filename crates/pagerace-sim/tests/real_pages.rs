//! All recordings load, with their metrics in order: those of `tests/corpus`, and those of
//! sites if they are there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
#[path = "../../../tests/corpus/files.rs"]
mod files;

use std::io::Write;

use common::scenario;
use pagerace_har::{ImportOptions, load};
use pagerace_page::Page;
use pagerace_sim::{Explainable, explain, run};

#[test]
fn all_real_pages_load() {
    let files = files::all();
    for file in &files {
        let page = load(file, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        for (network, strategy) in [("cable", "sequential"), ("slow-4g loss 1%", "eps")] {
            let s = scenario(&page, network, strategy);
            let outcome = run(&s, 1, false).unwrap();
            let name = format!("{} on {network}: {:?}", page.name, outcome.load);
            assert_eq!(outcome.failure, None, "{name}");
            let m = outcome.load;
            let onload = m.onload.unwrap_or_else(|| panic!("{name}: no load event"));
            assert!(m.ttfb.unwrap() <= onload, "{name}");
            let (fcp, lcp) = (m.fcp.expect(&name), m.lcp.expect(&name));
            assert!(m.ttfb.unwrap() < fcp && fcp <= lcp, "{name}");
            assert!(m.dom_content_loaded.unwrap() <= onload, "{name}");
            let progress = &outcome.visual_progress;
            assert!(
                progress.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1),
                "{name}"
            );
            assert!((progress.last().unwrap().1 - 1.0).abs() < 1e-9, "{name}");
            let asked = outcome.resources.iter().flatten().count();
            assert_eq!(
                asked,
                answered(&page),
                "{name}: every resource is requested"
            );
        }
    }
    writeln!(std::io::stderr(), "{} pages loaded", files.len()).unwrap();
}

/// Returns the number of resources with a response; the others fail as they did in the
/// recording.
fn answered(page: &Page) -> usize {
    let answered = page.resources.iter().filter(|r| r.no_response.is_none());
    answered.count()
}

/// Loads every page over every protocol, and explains one metric of each.
#[test]
fn all_real_pages_load_over_every_protocol_and_are_explained() {
    let files = files::all();
    for (i, file) in files.iter().enumerate() {
        let page = load(file, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let metric = Explainable::ALL[i % Explainable::ALL.len()];
        for protocols in ["h1", "h2", "h3"] {
            for network in ["cable", "slow-4g loss 1%"] {
                let mut s = scenario(&page, network, "sequential");
                s.protocols = protocols.parse().unwrap();
                let name = format!("{} over {protocols} on {network}", page.name);
                let e = explain(&s, 1, metric).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(e.outcome.failure, None, "{name}");
                assert_eq!(e.parts.total(), e.total, "{name}");
                let asked = e.outcome.resources.iter().flatten().count();
                assert_eq!(asked, answered(&page), "{name}");
                let steps = e.path.windows(2).all(|p| p[0].until == p[1].from);
                assert!(steps && !e.path.is_empty(), "{name}");
            }
        }
    }
}
