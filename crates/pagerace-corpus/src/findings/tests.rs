use pagerace_net::Network;

use super::*;
use crate::corpus::tests::survey;

/// Returns a page with `requests` to hosts that speak HTTP/3, whose load is `saved` ms
/// shorter over HTTP/3.
fn page(name: &str, requests: usize, saved: f64) -> PageFindings {
    PageFindings {
        name: name.to_owned(),
        url: String::new(),
        requests,
        cdn_requests: requests,
        http3_cdn_requests: requests,
        providers: Vec::new(),
        http3_providers: vec!["Google".to_owned(); requests % 3],
        pairs: vec![
            Pairs {
                onload_ms: vec![(Some(1_000.0 + saved), Some(1_000.0)), (None, None)],
                reused: Some((requests as f64, 0.0)),
                ..Pairs::default()
            };
            2
        ],
    }
}

fn reductions(pages: &[PageFindings]) -> Reductions {
    let networks = ["rate 100mbit rtt 30ms", "rate 100mbit rtt 30ms loss 1%"];
    let experiment = Experiment {
        networks: networks.map(|n| Network::parse(n).unwrap()).into(),
        runs: 2,
        seed: 1,
        congestion: "cubic".to_owned(),
        http3: Http3Hosts::Recorded,
        settings: pagerace_sim::LoadSettings::default(),
    };
    Reductions::of(&Corpus::new(Vec::new()), &experiment, pages)
}

#[test]
fn pages_fall_into_quarters_by_their_requests() {
    let mut pages: Vec<PageFindings> = (1..=8)
        .map(|n| page(&format!("page{n}"), n, 10.0 * n as f64))
        .collect();
    pages.reverse();
    pages.push(page("without", 0, 0.0));
    let found = reductions(&pages);
    assert_eq!(found.left_out, ["without"]);
    let of = |group: &Group| {
        (
            group.name,
            group.members.len(),
            group.requests,
            group.reduction.median,
        )
    };
    let groups: Vec<_> = found.groups.iter().map(of).collect();
    assert_eq!(
        groups,
        [
            ("low", 2, (1, 2), 15.0),
            ("medium-low", 2, (3, 4), 35.0),
            ("medium-high", 2, (5, 6), 55.0),
            ("high", 2, (7, 8), 75.0),
        ]
    );
    let reuse = found.reuse.unwrap();
    assert!((reuse.slope - 10.0).abs() < 1e-9, "{}", reuse.slope);
    for (i, page) in pages.iter_mut().enumerate() {
        page.pairs[0].reused = Some((0.1 * i as f64, 0.0));
    }
    assert_eq!(reductions(&pages).reuse, None, "no difference of a request");
}

#[test]
fn slopes_stand_beside_those_of_the_same_loss() {
    let pages: Vec<PageFindings> = (1..=4).map(|n| page("page", n, 7.0 * n as f64)).collect();
    let found = reductions(&pages);
    let published: Vec<Option<f64>> = found.losses.iter().map(|loss| loss.published).collect();
    assert_eq!(published, [Some(0.8), Some(2.15)]);
    for loss in found.losses {
        let trend = loss.trend.unwrap();
        assert!((trend.slope - 7.0).abs() < 1e-9, "{}", trend.slope);
    }
}

#[test]
fn requests_count_by_version_and_provider() {
    let google: &[(&str, &str)] = &[("server", "gws")];
    let corpus = Corpus::new(vec![survey(
        "one",
        &[
            ("https://a.example/", "h3", "192.0.2.1", google),
            ("https://a.example/b", "h2", "192.0.2.1", google),
            ("https://b.example/", "http/1.1", "192.0.2.2", &[]),
        ],
    )]);
    let found = Findings::of(&corpus, Http3Hosts::Recorded, None);
    let versions: Vec<_> = found
        .versions
        .iter()
        .map(|v| (v.name, v.cdn, v.other))
        .collect();
    assert_eq!(
        versions,
        [
            ("http/1.1", 0, 1),
            ("h2", 1, 0),
            ("h3", 1, 0),
            ("unknown", 0, 0)
        ]
    );
    let [google] = found.providers.as_slice() else {
        panic!("{:?}", found.providers)
    };
    assert_eq!((google.requests, google.over_h3, google.able), (2, 1, 2));
    assert_eq!(found.provider_counts, BTreeMap::from([(1, 1)]));
    assert!(found.reductions.is_none());
}

#[test]
fn recordings_of_a_page_over_both_versions_make_a_pair() {
    let over = |name: &str, version, wait| {
        let mut survey = survey(name, &[("https://a.example/", version, "192.0.2.1", &[])]);
        survey.requests[0].wait = Some(wait);
        survey
    };
    let corpus = Corpus::new(vec![
        over("one", "h2", 80.0),
        over("two", "h3", 50.0),
        over("three", "h2", 100.0),
    ]);
    let found = Findings::of(&corpus, Http3Hosts::Recorded, None);
    let [pair] = found.recorded_pairs.as_slice() else {
        panic!("{:?}", found.recorded_pairs)
    };
    assert_eq!(pair.h2.pages, ["one", "three"]);
    assert_eq!((pair.h2.wait_ms, pair.h3.wait_ms), (Some(90.0), Some(50.0)));
}

#[test]
fn failed_loads_are_later_than_others_and_counted() {
    let mut pages: Vec<PageFindings> = (1..=8).map(|n| page("page", n, 10.0)).collect();
    // Most loads over HTTP/2 failed.
    pages[7].pairs[0].onload_ms = vec![(None, Some(9.0)), (None, Some(9.0)), (Some(1.0), None)];
    let found = reductions(&pages);
    assert_eq!(found.failed, (17, 16, 33));
    let high = &found.groups[3];
    assert_eq!(high.members.len(), 2);
    assert!((high.reduction.mean - 10.0).abs() < 1e-9);
    // Fewer pages than quarters have none.
    assert!(reductions(&pages[..3]).groups.is_empty());
}
