use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_report::film::Shot;

use super::{report, report_of_kept};
use crate::detail::median_runs;
use crate::fake;
use crate::film::LiveLoad;
use crate::runner::run_race;
use crate::why::explain_network;

fn go_on(_: crate::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_index_points_somewhere_and_details_are_the_median_runs() {
    let mut plan = fake::plan(&["sequential", "round-robin"], 7);
    plan.pages.push(Arc::new(fake::page("shop")));
    let results = run_race(&plan, 1, &fake::load, &go_on).unwrap();
    let report = report(&results, "pagerace race", 2, &fake::load, &go_on).unwrap();
    assert_eq!(report.title, "2 pages: 2 strategies on 2 networks");
    assert_eq!(report.metrics[report.metric].name, "lcp");
    assert_eq!(report.contenders[report.baseline].name, "sequential");
    assert_eq!((report.pages.len(), report.networks.len()), (2, 2));
    for (p, page) in report.pages.iter().enumerate() {
        for (n, network) in page.networks.iter().enumerate() {
            assert_eq!((network.network, network.rows.len()), (n, 2));
            for row in &network.rows {
                assert_eq!(row.values.len(), report.metrics.len());
                let detail = row.detail.as_ref().unwrap();
                let median = results.variant(p, n, row.contender).median_run(plan.metric);
                assert_eq!(detail.run as usize, median);
                assert_eq!(detail.marks[0].0, "lcp");
            }
        }
    }
    assert!(report.across.iter().all(|across| across.rows.len() == 1));
}

#[test]
fn runs_that_were_kept_are_drawn_without_being_repeated() {
    let plan = fake::plan(&["sequential", "round-robin"], 7);
    let results = run_race(&plan, 1, &fake::load, &go_on).unwrap();
    let mut asked = Vec::new();
    let shot = Shot {
        ms: 5.0,
        jpeg: String::new(),
    };
    let report = report_of_kept(&results, "pagerace live", |choice| {
        asked.push(choice);
        (choice.variant > 0).then(|| LiveLoad {
            outcome: fake::outcome(1_234.0, 1),
            shots: vec![shot.clone()],
            predicted: Some(fake::outcome(1_200.0, 1)),
        })
    });
    assert_eq!(asked, median_runs(&results));
    let rows = report.pages[0].networks.iter().flat_map(|n| &n.rows);
    let details = rows.filter_map(|row| row.detail.as_ref());
    let told: Vec<_> = details
        .map(|detail| {
            let predicted = detail.predicted.as_ref().map(|run| run.marks[0].1);
            (detail.shots.len(), predicted)
        })
        .collect();
    assert_eq!(told, [(1, Some(1_200.0)); 3]);
    assert!(report.pages[0].scene.is_some(), "screenshots make a film");
}

#[test]
fn a_huge_race_records_fewer_runs_and_says_so() {
    let mut plan = fake::plan(&["sequential", "round-robin", "fifo"], 6);
    let page = Arc::make_mut(&mut plan.pages[0]);
    // Four recorded runs are within the limit; six are not.
    page.resources[0].body_bytes = 1_200 * 400_000;
    let results = run_race(&plan, 1, &fake::load, &go_on).unwrap();
    let some = report(&results, "", 1, &fake::load, &go_on).unwrap();
    let details = |report: &pagerace_report::Report| -> usize {
        let rows = report.pages[0]
            .networks
            .iter()
            .flat_map(|network| &network.rows);
        rows.filter(|row| row.detail.is_some()).count()
    };
    assert!((2..=4).contains(&details(&some)));
    assert!(
        some.notes
            .iter()
            .any(|note| note.contains("only the baseline")),
        "{:?}",
        some.notes
    );
}

#[test]
fn what_differs_in_more_than_the_strategy_is_explained() {
    let plan = fake::plan(&["h1", "h2", "h3 reno"], 8);
    let mut results = fake::results(&plan, |(_, _, c), k| {
        fake::times(1000.0 - 90.0 * c as f64 + k as f64, 1.0, 1.0)
    });
    for network in 0..2 {
        explain_network(&mut results, network, 1, &fake::explain, &go_on).unwrap();
    }
    let report = report(&results, "", 1, &fake::load, &go_on).unwrap();
    assert!(
        report
            .title
            .starts_with("news: fast-4g: h3 reno shows the largest element"),
        "{}",
        report.title
    );
    assert_eq!(report.contenders[2].name, "h3 reno");
    assert_eq!(report.contenders[2].description, "h3 reno cold sequential");
    assert!(
        report.shared.starts_with("chrome, CPU x1"),
        "{}",
        report.shared
    );
    for network in &report.pages[0].networks {
        assert_eq!(network.whys.len(), 2);
        for why in &network.whys {
            assert_eq!(why.own.len(), report.parts.len());
            assert!(
                why.sentence.contains(" than h1 cubic: "),
                "{}",
                why.sentence
            );
        }
    }
}
