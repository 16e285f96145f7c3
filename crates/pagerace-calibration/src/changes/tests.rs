use std::sync::Arc;

use pagerace_lab::advice::Effect;
use pagerace_lab::fake;
use pagerace_lab::metric::MetricId;

use super::{ListError, Outcome, Tally, Trial, check, csv, design, list, record};

/// A trial with a predicted difference, and live loads around 1000 ms before and `after`.
pub(super) fn trial(page: &str, predicted: f64, after: f64) -> Trial {
    let loads = |middle: f64| [-3.0, -1.0, 1.0, 3.0].map(|by| middle + by).to_vec();
    let (before, after) = (loads(1000.0), loads(after));
    Trial {
        page: page.to_owned(),
        held_out: false,
        network: "cable".to_owned(),
        protocol: "h2".to_owned(),
        changes: "preload */hero.jpg".parse().expect("a change"),
        metric: MetricId::default(),
        predicted: Some(Effect {
            before: 1000.0,
            difference: predicted,
            range: (predicted - 10.0, predicted + 10.0),
            after: 1000.0 + predicted,
            after_range: (990.0 + predicted, 1010.0 + predicted),
        }),
        measured: after[1] - before[1],
        p: pagerace_lab::stats::mann_whitney(&before, &after).map_or(1.0, |test| test.p),
        before,
        after,
    }
}

#[test]
fn loads_decide_over_claims() {
    let outcomes = [
        // Predicted, measured, outcome.
        (-200.0, 800.0, Some(Outcome::True)),
        (-200.0, 1200.0, Some(Outcome::False)),
        (-200.0, 1001.0, Some(Outcome::Untold)),
        (200.0, 1200.0, Some(Outcome::True)),
        // Less than 3 % is no claim.
        (-20.0, 800.0, None),
    ];
    for (predicted, after, expected) in outcomes {
        let one = trial("shop", predicted, after);
        assert_eq!(one.outcome(), expected, "{predicted} against {after}");
    }
}

#[test]
fn a_prediction_is_near_within_a_fifth_or_thirty_milliseconds() {
    assert!(trial("shop", -170.0, 800.0).is_near());
    assert!(!trial("shop", -150.0, 800.0).is_near());
    assert!(trial("shop", -25.0, 1000.0).is_near());
    assert!(!trial("shop", -40.0, 1000.0).is_near());
}

#[test]
fn a_tally_counts_signs_and_claims() {
    let all = [
        trial("shop", -200.0, 900.0),
        trial("shop", -200.0, 1200.0),
        trial("news", 200.0, 1000.0),
        trial("news", 10.0, 900.0),
    ];
    let tally = Tally::of(&all.iter());
    assert_eq!((tally.trials, tally.told, tally.sign_right), (4, 3, 1));
    let outcomes = [tally.claims_true, tally.claims_untold, tally.claims_false];
    assert_eq!(outcomes, [1, 1, 1]);
    assert_eq!(tally.ratio, Some(0.0), "the median of 0.5, 0 and -1");
    let text = record(&all, &["Measured.".to_owned()]);
    assert_eq!(
        text.lines().skip(2).collect::<Vec<_>>(),
        ["preload,lcp,2,3,1,1,1,0.00"]
    );
    assert_eq!(csv(&all).lines().count(), 5);
}

#[test]
fn a_list_names_pages_and_changes_that_can_be_made() {
    let pages = [Arc::new(fake::page("shop"))];
    let name = pages[0].name.clone();
    let read = |text: &str| {
        let all = list("list.csv", text)?;
        check("list.csv", &all, &pages)
    };
    assert!(matches!(
        read("shop,remove js"),
        Err(ListError::Header { .. })
    ));
    for (line, problem) in [
        (
            "no comma",
            "write a page, a network or nothing, and a change",
        ),
        ("other,,remove js", "there is no page `other`"),
        (
            &format!("{name},,improve js"),
            "`improve` is no kind of change",
        ),
        (
            &format!("{name},,remove */nothing.js"),
            "it selects no request",
        ),
    ] {
        let text = format!("page,network,change\n\n{line}\n");
        let error = read(&text).expect_err(line).to_string();
        assert!(error.starts_with("list.csv:3: "), "{error}");
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn each_page_meets_one_network_over_each_version() {
    let mut all = fake::plan(&["h3"], 4);
    let second = all.networks[0].clone();
    all.networks.push(second);
    "other".clone_into(&mut all.networks[1].name);
    let name = &all.pages[0].name;
    let text = format!(
        "page,network,change\n{name},,server-time=10ms {}\n",
        all.pages[0].url
    );
    let listed = list("list.csv", &text).expect("it is well formed");
    let parts = design(&all, &listed);
    assert_eq!(parts.len(), 2);
    let contenders: Vec<String> = parts[0]
        .contenders
        .iter()
        .map(|one| one.protocols.to_string())
        .collect();
    assert_eq!(contenders, ["h2", "h2"]);
    assert!(parts[0].contenders[0].changes.is_empty());
    assert_ne!(parts[0].networks[0].name, parts[1].networks[0].name);
    let named = text.replace(",,", ",dsl,");
    let listed = list("list.csv", &named).expect("it is well formed");
    let parts = design(&all, &listed);
    let networks: Vec<&str> = parts
        .iter()
        .map(|one| one.networks[0].name.as_str())
        .collect();
    assert_eq!(networks, ["dsl", "dsl"]);
    assert_eq!(
        design(&all, &[]).len(),
        0,
        "pages without changes are left out"
    );
}
