use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_lab::fake;
use pagerace_net::Network;
use pagerace_sim::ResourceTiming;

use super::{predict, resource_times};
use crate::samples::{metric, resource};

#[test]
fn every_variant_is_predicted_and_taken_apart() {
    let plan = fake::plan(&["h1", "h3"], 5);
    let go_on = |_| ControlFlow::Continue(());
    let metrics = [metric("lcp"), metric("tbt")];
    let predict = |jobs| {
        predict(
            &plan,
            &|_| None,
            &metrics,
            jobs,
            &fake::load,
            &fake::explain,
            &go_on,
        )
        .unwrap()
    };
    let predictions = predict(1);
    assert_eq!(predictions, predict(3));
    assert_eq!(predictions.len(), 4);
    for prediction in &predictions {
        assert_eq!(prediction.runs.len(), 5);
        assert!(prediction.median(metric("lcp")).is_some_and(|v| v > 1000.0));
        // TBT cannot be explained.
        let taken: Vec<_> = prediction.paths.iter().map(|(metric, _)| *metric).collect();
        assert_eq!(taken, [metric("lcp")]);
    }
    assert_eq!(predictions[1].contender, plan.contenders[1]);
}

#[test]
fn where_packets_are_lost_at_random_the_live_seeds_alone_count() {
    let mut plan = fake::plan(&["h1"], 5);
    plan.networks[1] = Network::parse("lossy-wifi").unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let seeds = |_| Some([1, 3, 9].map(|run| plan.run_seed(run)).into());
    let predicted = |seeds: &dyn Fn(usize) -> Option<BTreeSet<u64>>| {
        predict(&plan, seeds, &[], 1, &fake::load, &fake::explain, &go_on).unwrap()
    };
    let (all, some) = (predicted(&|_| None), predicted(&seeds));
    assert_eq!(some[0].runs, all[0].runs);
    assert_eq!(some[1].runs, [1, 3].map(|run| all[1].runs[run].clone()));
}

#[test]
fn spans_become_moments() {
    let ms = Duration::from_millis;
    let timing = ResourceTiming {
        protocol: Protocol::H2,
        priority: None,
        connection: Some(0),
        reused: false,
        discovered: Instant::ZERO + ms(10),
        queued: ms(1),
        blocked: ms(2),
        dns: ms(3),
        connect: ms(4),
        wait: ms(20),
        receive: ms(60),
        hol_blocked_bytes: 0,
        hol_other_bytes: 0,
    };
    let page = fake::page("news");
    let times = resource_times(&page, &[Some(timing)]);
    assert_eq!(
        times,
        [resource("https://news.example/", [10.0, 20.0, 40.0, 100.0])]
    );
    assert_eq!(resource_times(&page, &[None]), []);
}
