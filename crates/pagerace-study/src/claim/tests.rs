use super::{Claim, ClaimVerdict, Decision, alike, parse};
use crate::fixture::{frame, loads};
use crate::frame::{Filter, Frame};
use crate::measure::Pooling;

fn decide(text: &str, filter: &[(&str, &str)]) -> Result<Vec<Decision>, String> {
    let one = |(column, value): &(&str, &str)| ((*column).to_owned(), vec![(*value).to_owned()]);
    let filter: Filter = filter.iter().map(one).collect();
    let claim = Claim {
        name: String::new(),
        sentence: parse(text).unwrap(),
        published: None,
        id: String::new(),
        headline: false,
        expected: false,
        pooled: false,
        filter,
    };
    claim.decide(&frame())
}

fn number(decision: &Decision) -> Option<f64> {
    decision.measured.number
}

#[test]
fn claims_are_decided_on_each_network() {
    let text = "median over pages of (h2 - h3)/h2 of speed_index_ms > 0.2";
    let decisions = decide(text, &[]).unwrap();
    let shown: Vec<(Option<&str>, ClaimVerdict, usize)> = decisions
        .iter()
        .map(|one| {
            let measured = &one.measured;
            (measured.network.as_deref(), one.verdict, measured.pages)
        })
        .collect();
    let (holds, not) = (ClaimVerdict::Holds, ClaimVerdict::DoesNotHold);
    assert_eq!(shown, [(Some("fast"), holds, 3), (Some("slow"), not, 3)]);
    let numbers: Vec<f64> = decisions.iter().filter_map(number).collect();
    assert!((numbers[0] - 0.5).abs() < 1e-12, "{numbers:?}");
    assert!((numbers[1] - 0.1).abs() < 1e-12, "{numbers:?}");
    let decisions = decide(text, &[("network", "fast")]).unwrap();
    assert_eq!(decisions.len(), 1);
}

#[test]
fn each_statistic_has_its_number() {
    let numbers = [
        ("mean over pages of (h2 - h3)/h2 of lcp > 0", 0.1 / 3.0),
        ("minimum over pages of (h2 - h3)/h2 of lcp > 0", -0.2),
        ("maximum over pages of (h2 - h3)/h2 of lcp > 0", 0.2),
        (
            "share of pages with (h2 - h3)/h2 of lcp > 5% >= 0.5",
            2.0 / 3.0,
        ),
        (
            "net share of pages with (h2 - h3)/h2 of lcp > 5% >= 0",
            1.0 / 3.0,
        ),
        ("quantile 0.25 over pages of (h2 - h3)/h2 of lcp > 0", -0.05),
    ];
    for (text, wanted) in numbers {
        let decisions = decide(text, &[("network", "slow")]).unwrap();
        let number = number(&decisions[0]).unwrap();
        assert!((number - wanted).abs() < 1e-12, "{text}: {number}");
    }
    let p = decide("signed-rank-p over pages of h2 - h3 of lcp < 0.05", &[]).unwrap();
    // Three equal differences: 2 P(Z > (6 / 2 - 0.5) / sqrt(3.5 - 0.5)).
    assert!((number(&p[0]).unwrap() - 0.148_915).abs() < 1e-6, "{p:?}");
}

#[test]
fn names_must_be_clear() {
    let error = decide("median over pages of h1 of lcp > 0", &[]).unwrap_err();
    assert!(
        error.starts_with("`h1` names no contender; use words such as h2, h3"),
        "{error}"
    );
    let error = decide("median over pages of round-robin of lcp > 0", &[]).unwrap_err();
    assert!(
        error.starts_with("`round-robin` names several contenders"),
        "{error}"
    );
    assert!(decide("median over pages of 'h2 round-robin' of lcp > 0", &[]).is_ok());
    let error = decide("median over pages of h2 of lcp > 0", &[("network", "moon")]).unwrap_err();
    assert_eq!(
        error,
        "no load has the network `moon`; there are fast, slow"
    );
    let error = decide("median over pages of h2 of lcp > 0", &[("group", "large")]).unwrap_err();
    assert_eq!(
        error,
        "no load has the group `large`, and none has another; write `large=` before the files of its pages"
    );
    let error = decide("median over pages of h2 of lcp > 0", &[("moon", "full")]).unwrap_err();
    assert!(error.starts_with("`moon` is no column of names"), "{error}");
}

#[test]
fn pages_without_both_contenders_do_not_count() {
    let text = "median over pages of h2 - h3 of lcp > 0";
    let claim = Claim {
        name: String::new(),
        sentence: parse(text).unwrap(),
        published: None,
        id: String::new(),
        headline: false,
        expected: false,
        pooled: false,
        filter: Filter::new(),
    };
    let mut frame = frame();
    frame.add(&loads("lonely", "slow", "h2", &[1.0], 0.0));
    frame.add(&loads("failed", "slow", "h2", &[f64::INFINITY], 0.0));
    frame.add(&loads("failed", "slow", "h3", &[f64::INFINITY], 0.0));
    let slow = &claim.decide(&frame).unwrap()[1].measured;
    assert_eq!((slow.network.as_deref(), slow.pages), (Some("slow"), 3));
}

#[test]
fn a_claim_may_compare_networks() {
    let change = |network| format!("('h3 @ {network}' - 'h2 @ {network}')/'h2 @ {network}'");
    let text = format!(
        "median over pages of {} - {} of lcp < 0",
        change("fast"),
        change("slow")
    );
    let decisions = decide(&text, &[]).unwrap();
    assert_eq!(decisions.len(), 1);
    let (measured, verdict) = (&decisions[0].measured, decisions[0].verdict);
    assert_eq!(
        (measured.network.as_ref(), verdict),
        (None, ClaimVerdict::Holds)
    );
    // -50 % against -10, -20 and +20 %.
    let number = measured.number.unwrap();
    assert!((number + 0.4).abs() < 1e-12, "{number}");
    let error = decide("median over pages of 'h2 @ moon' of lcp > 0", &[]).unwrap_err();
    assert_eq!(
        error,
        "`h2` has no loads on the network `moon`, but on fast, slow"
    );
    let error = decide("median over pages of 'h1 @ fast' of lcp > 0", &[]).unwrap_err();
    assert!(error.starts_with("`h1` names no contender"), "{error}");
}

#[test]
fn the_whole_interval_decides() {
    // Two pages gain and one loses: no sample of three tells.
    let unsure = "median over pages of (h2 - h3)/h2 of lcp > 0";
    let slow = |text: &str| decide(text, &[("network", "slow")]).unwrap().remove(0);
    let told = slow(unsure);
    assert_eq!(told.verdict, ClaimVerdict::CannotBeTold);
    assert_eq!(
        told.measured.interval,
        decide(unsure, &[]).unwrap()[1].measured.interval
    );
    let (low, high) = told.measured.interval.unwrap();
    assert!(
        (low + 0.2).abs() < 1e-9 && (high - 0.2).abs() < 1e-9,
        "{low} to {high}"
    );
    let far = "median over pages of (h2 - h3)/h2 of lcp";
    for (rest, verdict) in [
        ("> -0.3", ClaimVerdict::Holds),
        ("> 0.3", ClaimVerdict::DoesNotHold),
        ("between -0.3 and 0.3", ClaimVerdict::Holds),
        ("between 0 and 0.1", ClaimVerdict::CannotBeTold),
        ("between 0.3 and 0.4", ClaimVerdict::DoesNotHold),
    ] {
        assert_eq!(slow(&format!("{far} {rest}")).verdict, verdict, "{rest}");
    }
    // The extremes are those of the pages at hand.
    let most = slow("maximum over pages of (h2 - h3)/h2 of lcp > 0.1");
    assert_eq!(most.verdict, ClaimVerdict::Holds);
    // Loads that never come are infinitely late, and differences of two of them no numbers.
    let mut failed = frame();
    failed.add(&loads(
        "d",
        "slow",
        "h2",
        &[1.0, f64::INFINITY, 1.0, f64::INFINITY],
        0.0,
    ));
    failed.add(&loads(
        "d",
        "slow",
        "h3",
        &[f64::INFINITY, 1.0, f64::INFINITY, 1.0],
        0.0,
    ));
    let sentence = parse("median over pages of h2 - h3 of lcp > 0").unwrap();
    let all = sentence
        .measure
        .estimates(&failed, Pooling::default())
        .unwrap();
    assert_eq!(all[1].pages, 3, "{all:?}");
    // Four runs are too few.
    let mut frame = Frame::new(&crate::row::metrics().collect::<Vec<_>>());
    frame.add(&loads("a", "slow", "h2", &[1.0; 4], 0.0));
    let sentence = parse("median over pages of h2 of lcp > 0").unwrap();
    let [one] = &sentence
        .measure
        .estimates(&frame, Pooling::default())
        .unwrap()[..]
    else {
        panic!("one place");
    };
    assert_eq!((one.number, one.interval), (Some(1.0), None));
}

#[test]
fn numbers_are_of_pages_or_loads_or_correlations() {
    let text = "mean over loads of h3 of lcp > 0";
    let mean = number(&decide(text, &[("network", "fast")]).unwrap()[0]).unwrap();
    assert!((mean - 53.0).abs() < 1e-9, "{mean}");
    // Every run of h3 is the same share of that of h2, and slower runs cost more.
    let text = "median over pages of spearman of h2 - h3 of lcp with h2 of lcp > 0.5";
    let one = &decide(text, &[("network", "fast")]).unwrap()[0];
    assert_eq!((number(one), one.verdict), (Some(1.0), ClaimVerdict::Holds));
}

#[test]
fn names_have_properties_of_several_words() {
    let mut frame = Frame::new(&crate::row::metrics().collect::<Vec<_>>());
    frame.add(&loads("a", "slow", "images=h1 *=h2", &[3.0; 5], 0.0));
    frame.add(&loads("a", "slow", "h2", &[2.0; 5], 0.0));
    let text = "median over pages of 'images=h1 *=h2 round-robin' - 'round-robin h2' of lcp > 0";
    let all = parse(text).unwrap().measure;
    let all = all.numbers(&frame, Pooling::default()).unwrap();
    assert_eq!(all[0].number, Some(1.0));
    let half = "median over pages of 'images=h1 round-robin' of lcp > 0";
    let error = parse(half).unwrap().measure;
    assert!(error.numbers(&frame, Pooling::default()).is_err());
}

#[test]
fn loads_have_shares() {
    let text = "share of loads with h2 - h3 of lcp > 21 > 0";
    // On one page, the last four of seven runs save a fifth of 106 to 112 ms.
    let one = &decide(text, &[("network", "slow")]).unwrap()[0];
    assert_eq!(number(one), Some(4.0 / 21.0));
}

#[test]
fn numbers_have_slopes_over_properties_of_pages() {
    let text = "slope over pages of (h3 - h2)/h2 of lcp with requests > 0";
    let measure = parse(text).unwrap().measure;
    let mut frame = frame();
    let slopes = |frame: &Frame| -> Vec<Option<f64>> {
        let all = measure.numbers(frame, Pooling::default()).unwrap();
        all.iter().map(|one| one.number).collect()
    };
    assert_eq!(slopes(&frame), [None, None], "no page is known");
    for (page, requests) in [("a", 2), ("b", 1), ("c", 5)] {
        let facts = serde_json::json!({
            "group": "", "page": page, "requests": requests, "body_bytes": 1_000,
        });
        frame.add_page(&facts);
    }
    // The changes on the slow network are -0.1, -0.2 and 0.2.
    let [fast, slow] = slopes(&frame)[..] else {
        panic!("two networks");
    };
    assert!(fast.unwrap().abs() < 1e-12 && (slow.unwrap() - 0.1).abs() < 1e-12);
    let error = parse("slope over pages of h3 of lcp with network > 0").unwrap_err();
    assert!(error.contains("requests or kilobytes"), "{error}");
}

#[test]
fn networks_are_pooled_in_their_order() {
    let claim = |order: &[&str]| Claim {
        name: String::new(),
        sentence: parse("minimum over pages of spearman of h3 of lcp with network < 0").unwrap(),
        id: String::new(),
        published: None,
        headline: false,
        expected: false,
        pooled: true,
        filter: [(
            "network".to_owned(),
            order.iter().map(|&one| one.to_owned()).collect(),
        )]
        .into(),
    };
    let place = |order: &[&str]| claim(order).decide(&frame()).unwrap().remove(0);
    let falls = place(&["slow", "fast"]);
    assert_eq!((falls.measured.network, falls.measured.pages), (None, 3));
    assert_eq!(falls.verdict, ClaimVerdict::Holds);
    let rises = place(&["fast", "slow"]);
    assert_eq!(rises.verdict, ClaimVerdict::DoesNotHold);
    let error = Claim {
        filter: Filter::new(),
        ..claim(&[])
    };
    let error = error.decide(&frame()).unwrap_err();
    assert!(
        error.contains("needs their order; list them in `where`"),
        "{error}"
    );
}

#[test]
fn numbers_like_the_published_one_agree() {
    assert!(alike(0.3, 0.33) && alike(-0.2, -0.4) && alike(0.0, 0.0));
    assert!(!alike(0.3, -0.3) && !alike(0.1, 0.33) && !alike(0.7, 0.33) && !alike(0.1, 0.0));
    let text = "median over pages of (h2 - h3)/h2 of lcp > -30%";
    let mut claim = Claim {
        name: String::new(),
        sentence: parse(text).unwrap(),
        published: Some(0.4),
        id: String::new(),
        headline: false,
        expected: false,
        pooled: false,
        filter: Filter::new(),
    };
    let verdicts = |claim: &Claim| -> Vec<ClaimVerdict> {
        let decisions = claim.decide(&frame()).unwrap();
        decisions.iter().map(|one| one.verdict).collect()
    };
    // 50 % on the fast network, and 10 % on the slow one.
    assert_eq!(
        verdicts(&claim),
        [ClaimVerdict::Holds, ClaimVerdict::DiffersInSize]
    );
    claim.published = None;
    assert_eq!(verdicts(&claim), [ClaimVerdict::Holds, ClaimVerdict::Holds]);
}
