use std::collections::BTreeSet;
use std::path::Path;

use super::*;

fn request<'a>(url: &'a str, host: &'a str, page_host: &'a str) -> AdRequest<'a> {
    AdRequest {
        url,
        host,
        page_url: "https://page.example/",
        page_host,
        destination: Destination::Script,
        method: "GET",
        third_party: true,
    }
}

#[test]
fn the_table_knows_domains_and_what_is_below_them() {
    let table = ThirdParties::new();
    assert!(table.domains() > 1_500, "{}", table.domains());
    let find = |host, page| table.find(&request("https://x.example/", host, page));
    let gtm = find("www.googletagmanager.com", "page.example").unwrap();
    assert_eq!(gtm.kind, Some(AdKind::TagManager));
    assert_eq!(gtm.source, "third-party-web");
    assert_eq!(gtm.rule, "Google Tag Manager (*.googletagmanager.com)");
    assert!(find("googletagmanager.com", "page.example").is_some());
    assert!(find("GoogleTagManager.com.", "page.example").is_some());
    assert_eq!(find("notgoogletagmanager.com", "page.example"), None);
    assert_eq!(find("fonts.gstatic.com", "page.example"), None);
    // A domain without a star does not match its subdomains.
    assert!(find("stats.wp.com", "page.example").is_some());
    assert_eq!(find("i0.stats.wp.com", "page.example"), None);
    assert_eq!(find("com", "page.example"), None);
}

#[test]
fn a_companys_own_page_is_no_third_party_to_it() {
    let table = ThirdParties::new();
    let find = |page| table.find(&request("https://x.example/", "static.xx.fbcdn.net", page));
    assert_eq!(find("page.example").unwrap().kind, Some(AdKind::Social));
    assert_eq!(find("www.facebook.com"), None);
    let own = AdRequest {
        third_party: false,
        ..request(
            "https://x.example/",
            "www.googletagmanager.com",
            "googletagmanager.com",
        )
    };
    assert_eq!(table.find(&own), None);
}

#[test]
fn sites_that_are_more_than_their_advertisement_are_left_out() {
    let table = ThirdParties::new();
    for host in [
        "s.yimg.com",
        "www.bing.com",
        "i.ebayimg.com",
        "www.microsoft.com",
    ] {
        assert_eq!(
            table.find(&request("https://x.example/", host, "page.example")),
            None
        );
    }
}

#[test]
fn the_built_in_list_says_by_what() {
    let rule = |url, host| {
        BuiltIn
            .find(&request(url, host, "page.example"))
            .unwrap()
            .rule
    };
    let url = "https://sub.criteo.com/x";
    assert_eq!(rule(url, "sub.criteo.com"), "criteo.com");
    let url = "https://ads7.shop.example/x.js";
    assert_eq!(
        rule(url, "ads7.shop.example"),
        "\"ads7\" in the host's name"
    );
    let url = "https://cdn.example/lib/prebid.js";
    assert_eq!(rule(url, "cdn.example"), "\"prebid.js\" in the path");
    let url = "https://www.facebook.com/tr?id=1";
    assert_eq!(rule(url, "www.facebook.com"), "facebook.com/tr");
}

#[test]
fn the_document_is_no_advertisement() {
    let document = AdRequest {
        destination: Destination::Document,
        ..request(
            "https://doubleclick.net/",
            "doubleclick.net",
            "page.example",
        )
    };
    assert_eq!(Matchers::built_in().find(&document), None);
}

struct Always(Option<AdKind>);

impl AdMatcher for Always {
    fn find(&self, _: &AdRequest<'_>) -> Option<AdMatch> {
        Some(AdMatch {
            kind: self.0,
            source: "a test".to_owned(),
            rule: "always".to_owned(),
        })
    }
}

#[test]
fn the_first_matcher_that_knows_decides() {
    let request = request("https://criteo.com/", "criteo.com", "page.example");
    let excepted = Matchers::built_in()
        .after(Always(None))
        .find(&request)
        .unwrap();
    assert_eq!((excepted.kind, excepted.rule.as_str()), (None, "always"));
    let last = Matchers::built_in()
        .then(Always(None))
        .find(&request)
        .unwrap();
    assert_eq!(last.source, "third-party-web");
    // A later match as advertisement or tracker overrides a match as a widget.
    let social = Always(Some(AdKind::Social));
    let more = Matchers::built_in().after(social).find(&request).unwrap();
    assert_eq!(more.source, "third-party-web");
    let social = Always(Some(AdKind::Social));
    let alone = Matchers::none().then(social).find(&request).unwrap();
    assert_eq!(alone.kind, Some(AdKind::Social));
}

/// Recall of the lists on requests that filter lists of ad blockers block;
/// `docs/essential.md` has the table.
#[test]
fn recall_against_what_ad_blockers_match() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/lists/adblock-matching-requests.dev.json"
    );
    if !Path::new(path).exists() {
        eprintln!("skipped: ../shared/data is not there (adblock-matching-requests.dev.json)");
        return;
    }
    let requests: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let table = ThirdParties::new();
    let both = Matchers::built_in();
    let is_ad = |matcher: &dyn AdMatcher, request: &AdRequest<'_>| {
        let kind = matcher.find(request).and_then(|found| found.kind);
        kind.is_some_and(AdKind::is_ad)
    };
    let any = |matcher: &dyn AdMatcher, request: &AdRequest<'_>| matcher.find(request).is_some();
    let mut counts = [0_u32; 6];
    let mut hosts = BTreeSet::new();
    for request in requests.as_array().unwrap() {
        let mut filters = request["filters"].as_array().unwrap().iter();
        if filters.any(|f| f.as_str().unwrap().starts_with("@@")) {
            continue;
        }
        let url = request["url"].as_str().unwrap();
        let page_url = request["sourceUrl"].as_str().unwrap_or_default();
        let (parsed, page) = (url::Url::parse(url), url::Url::parse(page_url));
        let host = parsed
            .as_ref()
            .ok()
            .and_then(|u| u.host_str())
            .unwrap_or_default();
        // Many requests do not name their page.
        let page_host = page
            .as_ref()
            .ok()
            .and_then(|u| u.host_str())
            .unwrap_or("page.example");
        hosts.insert(host.to_owned());
        let request = AdRequest {
            url,
            host,
            page_url,
            page_host,
            destination: Destination::Script,
            method: "GET",
            third_party: pagerace_har::domain::is_third_party(host, page_host),
        };
        let found = [
            true,
            is_ad(&BuiltIn, &request),
            is_ad(&table, &request),
            any(&table, &request),
            is_ad(&both, &request),
            any(&both, &request),
        ];
        for (count, found) in counts.iter_mut().zip(found) {
            *count += u32::from(found);
        }
    }
    let share = |n: u32| f64::from(n) / f64::from(counts[0]) * 100.0;
    let names = [
        "built-in",
        "table",
        "table with widgets",
        "both",
        "both with widgets",
    ];
    for (name, count) in names.iter().zip(&counts[1..]) {
        eprintln!("{name}: {count} of {} ({:.1} %)", counts[0], share(*count));
    }
    eprintln!("{} hosts", hosts.len());
    assert!(counts[0] > 2_000, "{counts:?}");
    assert!(
        share(counts[4]) > share(counts[1]) + 2.0,
        "the table adds to the list"
    );
    assert!(share(counts[4]) > BOTH_FLOOR, "{counts:?}");
}

/// Per cent; slightly below the recall of both lists when they last changed.
const BOTH_FLOOR: f64 = 45.0;
