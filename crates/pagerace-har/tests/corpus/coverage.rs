//! Coverage of the corpus: together, its recordings contain every case that the importer
//! distinguishes.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Destination, Duration};
use pagerace_page::{NoResponse, Page, Trigger};

use crate::{files, name, pages};

fn corpus() -> Vec<Page> {
    files::corpus()
        .iter()
        .flat_map(|path| pages(path))
        .collect()
}

fn page(file: &str) -> Page {
    let files = files::corpus();
    let path = files.iter().find(|path| name(path) == file).unwrap();
    pages(path).swap_remove(0)
}

#[test]
fn every_kind_of_cause_is_there() {
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for page in corpus() {
        for resource in &page.resources {
            let discovery = resource.discovery;
            let cause = format!("{:?}", discovery.trigger);
            let cause = cause.split(' ').next().unwrap();
            *causes.entry(cause.to_owned()).or_default() += 1;
            let evidence = format!("{:?}", discovery.evidence);
            *causes.entry(evidence).or_default() += 1;
            if discovery.wait.is_some() {
                *causes.entry("wait".to_owned()).or_default() += 1;
            }
        }
    }
    for cause in [
        "Navigation",
        "Redirect",
        "Markup",
        "Style",
        "Script",
        "After",
        "Recorded",
        "RecordedParent",
        "Body",
        "Timing",
        "Rule",
        "wait",
    ] {
        let count = causes.get(cause).copied().unwrap_or(0);
        assert!(count >= 3, "{cause}: {count} in {causes:?}");
    }
}

#[test]
fn every_kind_of_resource_is_there() {
    let corpus = corpus();
    let all = || corpus.iter().flat_map(|page| &page.resources);
    let destinations: BTreeSet<_> = all().map(|r| format!("{:?}", r.destination)).collect();
    for kind in [
        "Document", "Iframe", "Style", "Script", "Font", "Image", "Media", "Fetch", "Other",
    ] {
        assert!(destinations.contains(kind), "{kind} in {destinations:?}");
    }
    let scripts = all().filter(|r| r.destination == Destination::Script);
    let modes: BTreeSet<_> = scripts.map(|r| format!("{:?}", r.script_mode)).collect();
    assert_eq!(modes.len(), 4, "{modes:?}");
    let categories: BTreeSet<_> = all().map(|r| r.category).collect();
    assert!(categories.len() >= 6, "{categories:?}");
    assert!(all().any(|r| r.no_response.is_some()));
    assert!(all().any(|r| r.status == 404));
    assert!(all().any(|r| r.in_viewport) && all().any(|r| r.cpu_time.is_some()));
    let uses: BTreeSet<_> = all().map(|r| format!("{:?}", r.cache)).collect();
    assert_eq!(uses.len(), 3, "{uses:?}");
    let protocols: BTreeSet<_> = corpus
        .iter()
        .flat_map(|page| page.origins.iter().filter_map(|o| o.protocol.as_deref()))
        .collect();
    assert_eq!(protocols, BTreeSet::from(["h2", "h3", "http/1.1"]));
}

#[test]
fn pages_have_layouts_or_fitted_paints_or_neither() {
    let of = |test: &dyn Fn(&Page) -> bool| corpus().iter().filter(|page| test(page)).count();
    assert!(of(&|page| page.layout().is_some()) >= 4);
    assert!(of(&|page| page.fit().is_some()) >= 4);
    assert!(of(&|page| page.layout().is_none() && page.fit().is_none()) >= 4);
}

#[test]
fn a_page_has_many_hosts_of_all_protocols_and_everything_that_goes_wrong() {
    let page = page("courier-devtools");
    assert!(page.origins.len() > 30, "{} origins", page.origins.len());
    for protocol in ["http/1.1", "h2", "h3"] {
        let with = |o: &&pagerace_page::Origin| o.protocol.as_deref() == Some(protocol);
        assert!(page.origins.iter().filter(with).count() > 5, "{protocol}");
    }
    let group = |host: &str| {
        let origin = page.origins.iter().find(|o| o.host == host).unwrap();
        origin.connection_group
    };
    assert_eq!(group("img1.courier.example"), group("img2.courier.example"));
    assert_ne!(group("img1.courier.example"), group("img3.courier.example"));
    let redirects =
        |r: &&pagerace_page::Resource| matches!(r.discovery.trigger, Trigger::Redirect { .. });
    // The document's redirect over the network, and those of beacons.
    assert_eq!(page.document.index(), 1);
    assert_eq!(page.resources.iter().filter(redirects).count(), 5);
    let fails = |host: &str| {
        let failed = page.resources.iter().find(|r| r.url.contains(host));
        failed.and_then(|r| r.no_response)
    };
    // A name that does not exist, a refused connection and one that never came. A request
    // that the browser blocked or gave up is no part of the page.
    let after = |ms| Some(NoResponse::After(Duration::from_millis(ms)));
    assert_eq!(fails("gone.pixelworks"), Some(NoResponse::NoAddress));
    assert_eq!(fails("down.measure"), after(31));
    assert_eq!(fails("slow.measure"), after(3_000));
    let has = |text: &str| page.resources.iter().any(|r| r.url.contains(text));
    assert!(!has("block.js") && !has("left.json") && !has("ticker") && !has("extension"));
    let methods = page.resources.iter().filter(|r| r.method == "OPTIONS");
    assert_eq!(methods.count(), 1);
    let masthead = page
        .resources
        .iter()
        .filter(|r| r.url.ends_with("masthead.svg"));
    assert_eq!(masthead.count(), 1, "the second use comes from memory");
}
