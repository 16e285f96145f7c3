use super::{Verdict, VerdictKind, verdict};
use crate::analysis::analyse;
use crate::fake::{self, times};
use crate::metric::MetricId;
use crate::results::{Results, RunSummary};
use crate::worlds::Worlds;

/// Noise that all strategies of a run share.
fn noise(run: usize) -> f64 {
    ((run * 37) % 101) as f64
}

fn race(strategies: &[&str], runs: u32, run: impl Fn(usize, usize) -> RunSummary) -> Results {
    fake::results(&fake::plan(strategies, runs), |(_, _, s), k| run(s, k))
}

fn say(results: &Results, metric: &str) -> Verdict {
    let metric: MetricId = metric.parse().unwrap();
    let mut results = results.clone();
    results.plan.metric = metric;
    let analysis = analyse(&results, 0, 0, metric);
    verdict(&results, 0, 0, &analysis)
}

#[test]
fn a_winner_losers_and_the_price() {
    let results = race(&["sequential", "eps", "round-robin", "fifo"], 30, |s, k| {
        let wobble = (k % 3) as f64;
        let (lcp, si, onload) = match s {
            1 => (1380.0 - wobble, 900.0, 5250.0 + wobble),
            2 => (1810.0 + wobble, 900.0, 5000.0),
            _ => (1500.0, 900.0, 5000.0),
        };
        times(lcp + noise(k), si, onload)
    });
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(1)));
    assert_eq!(
        v.sentence,
        "fast-4g: eps shows the largest element 121 ms (7.8 %) sooner than sequential \
         (95 % interval 120 to 122 ms). Later: round-robin by 311 ms (20 %). \
         Worse with eps: Page Load Time by 251 ms (5.0 %)."
    );
}

#[test]
fn equals_of_the_winner_are_named() {
    // The best contender's median is 0.1 % lower: significant, but too small to notice.
    let results = race(&["sequential", "eps", "fifo", "round-robin"], 30, |s, k| {
        let lcp = [1500.0, 1201.0, 1200.0, 1400.0][s];
        times(lcp + noise(k), 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!(v.winner, Some(2));
    assert!(
        v.sentence
            .contains("(95 % interval 300 to 300 ms). eps does as well."),
        "{}",
        v.sentence
    );
    assert!(!v.sentence.contains("round-robin"), "{}", v.sentence);
}

#[test]
fn who_may_be_worse_than_the_winner_is_not_called_as_good() {
    let results = race(&["sequential", "eps", "fifo"], 30, |s, k| {
        let swing = [200.0, -120.0][k % 2];
        let lcp = [1500.0, 1200.0, 1200.0 + swing][s];
        times(lcp + noise(k), 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!(v.winner, Some(1), "{}", v.sentence);
    assert!(
        v.sentence
            .ends_with("fifo may do as well: 30 runs cannot decide."),
        "{}",
        v.sentence
    );
}

#[test]
fn amounts_are_lower_not_sooner() {
    let results = race(&["sequential", "eps", "fifo"], 30, |s, k| {
        times(1000.0, [2000.0, 1500.0, 2500.0][s] + noise(k), 5000.0)
    });
    let v = say(&results, "speed-index");
    assert_eq!(
        v.sentence,
        "fast-4g: with eps, Speed Index is 500 ms (24 %) lower than with sequential \
         (95 % interval 500 to 500 ms). Higher: fifo by 500 ms (24 %)."
    );
}

#[test]
fn unsure_strategies_are_no_proof_of_no_difference() {
    let results = race(&["sequential", "eps"], 30, |s, k| {
        times(
            1000.0 + (((s + 1) * 7919 * (k + 1)) % 211) as f64,
            900.0,
            5000.0,
        )
    });
    let v = say(&results, "lcp");
    assert_eq!(v.kind, VerdictKind::NoDifference);
    assert_eq!(
        v.sentence,
        "fast-4g: no strategy shows the largest element noticeably sooner or later than \
         sequential, as far as 30 runs can tell."
    );
}

#[test]
fn equal_strategies_do_not_differ() {
    let results = race(&["sequential", "eps"], 30, |_, k| {
        times(1000.0 + noise(k), 900.0, 5000.0)
    });
    assert_eq!(
        say(&results, "lcp").sentence,
        "fast-4g: no difference: no strategy shows the largest element noticeably sooner or later \
         than sequential."
    );
}

#[test]
fn small_but_sure_is_too_small_to_notice() {
    let results = race(&["sequential", "eps"], 30, |s, k| {
        times(1000.0 + noise(k) - 4.0 * s as f64, 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!(v.kind, VerdictKind::NoDifference);
    assert!(
        v.sentence
            .ends_with("1 strategy differs by at most 0.4 %, too little to notice."),
        "{}",
        v.sentence
    );
}

#[test]
fn only_losers() {
    let names = [
        "sequential",
        "eps",
        "fifo",
        "round-robin",
        "firefox-tree",
        "firefox-eps",
    ];
    let results = race(&names, 30, |s, k| {
        times(1000.0 + noise(k) + 200.0 * s as f64, 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::NoDifference, Some(0)));
    assert_eq!(
        v.sentence,
        "fast-4g: no strategy shows the largest element sooner than sequential. \
         Later: firefox-eps by 1000 ms (95 %), firefox-tree by 800 ms (76 %), \
         round-robin by 600 ms (57 %) and 2 more."
    );
}

#[test]
fn too_few_runs_for_many_strategies() {
    let names = [
        "sequential",
        "eps",
        "fifo",
        "round-robin",
        "firefox-tree",
        "firefox-eps",
    ];
    let results = race(&names, 7, |s, k| {
        times(1000.0 + noise(k) - 100.0 * s as f64, 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!(v.kind, VerdictKind::Unknown);
    assert_eq!(
        v.sentence,
        "fast-4g: firefox-eps has the lowest median, but 7 runs are too few to be sure of anything \
         (8 or more are needed, 30 are better)."
    );
}

#[test]
fn too_few_runs_say_nothing_surely() {
    let results = race(&["sequential", "eps"], 3, |s, k| {
        times(1000.0 + noise(k) - 500.0 * s as f64, 900.0, 5000.0)
    });
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Unknown, Some(1)));
    assert!(
        v.sentence
            .starts_with("fast-4g: eps has the lowest median, but 3 runs are too few"),
        "{}",
        v.sentence
    );
}

#[test]
fn failures_are_counted_aloud() {
    let results = race(&["sequential", "eps", "fifo"], 30, |s, k| {
        if s == 2 && k < 2 {
            fake::failed()
        } else {
            times(1000.0 - 100.0 * (s % 2) as f64 + noise(k), 900.0, 5000.0)
        }
    });
    let v = say(&results, "lcp");
    assert!(
        v.sentence
            .ends_with("Failed loads (they count as later than any other): fifo 2 of 30."),
        "{}",
        v.sentence
    );
    assert_eq!(v.winner, Some(1));
}

#[test]
fn a_strategy_that_fails_is_not_given_milliseconds() {
    let results = race(&["sequential", "fifo"], 20, |s, k| {
        if s == 1 {
            fake::failed()
        } else {
            times(1000.0 + noise(k), 900.0, 5000.0)
        }
    });
    let v = say(&results, "lcp");
    assert!(
        v.sentence.contains("Later: fifo by failing."),
        "{}",
        v.sentence
    );
}

#[test]
fn everything_failed() {
    let results = race(&["sequential", "fifo"], 10, |_, _| fake::failed());
    let v = say(&results, "lcp");
    assert_eq!(v.kind, VerdictKind::Unknown);
    assert!(
        v.sentence.starts_with("fast-4g: all loads failed."),
        "{}",
        v.sentence
    );
}

#[test]
fn a_failing_baseline_is_beaten_without_a_number() {
    let results = race(&["sequential", "fifo"], 20, |s, k| {
        if s == 0 {
            fake::failed()
        } else {
            times(1000.0 + noise(k), 900.0, 5000.0)
        }
    });
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(1)));
    assert!(
        v.sentence
            .starts_with("fast-4g: fifo shows the largest element where sequential mostly fails."),
        "{}",
        v.sentence
    );
}

#[test]
fn no_value_and_nobody_to_compare_with() {
    let none = race(&["sequential", "fifo"], 10, |_, _| RunSummary::default());
    assert_eq!(
        say(&none, "lcp").sentence,
        "fast-4g: no load has a value for Largest Contentful Paint."
    );
    assert_eq!(say(&none, "lcp").winner, None);
    let alone = race(&["sequential"], 10, |_, k| {
        times(1000.0 + noise(k), 1.0, 1.0)
    });
    assert!(
        say(&alone, "lcp")
            .sentence
            .contains("sequential raced alone")
    );
}

/// Returns a run with a request that is never answered, and the metrics reached until then.
fn stalled(lcp: Option<f64>) -> RunSummary {
    let mut run = times(lcp.unwrap_or_default(), 900.0, 5000.0);
    run.unanswered = 1;
    run.load.onload = None;
    if lcp.is_none() {
        run.load.lcp = None;
    }
    run
}

#[test]
fn what_never_comes_is_later_for_ever() {
    let results = race(&["sequential", "fifo", "eps"], 20, |s, k| match s {
        0 => times(1000.0 + noise(k), 900.0, 5000.0),
        1 => stalled(None),
        _ => stalled(Some(500.0 + noise(k))),
    });
    let v = say(&results, "lcp");
    assert_eq!(
        v.sentence,
        "fast-4g: eps shows the largest element 500 ms (48 %) sooner than sequential (95 % \
         interval 500 to 500 ms). Later: fifo for ever. Worse with eps: Page Load Time for ever."
    );
    let onload = say(&results, "onload").sentence;
    assert_eq!(
        onload,
        "fast-4g: no strategy fires the load event sooner than sequential. Later: fifo for ever \
         and eps for ever."
    );
}

#[test]
fn a_baseline_that_stalls_is_beaten_without_a_number() {
    let results = race(&["sequential", "fifo"], 20, |s, k| match s {
        0 => stalled(None),
        _ => times(1000.0 + noise(k), 900.0, 5000.0),
    });
    let v = say(&results, "lcp");
    let expected = "fast-4g: fifo shows the largest element where sequential mostly never does.";
    assert_eq!(
        (v.kind, v.sentence.as_str()),
        (VerdictKind::Better, expected)
    );
    let both = race(&["sequential", "fifo"], 20, |_, _| stalled(None));
    let v = say(&both, "lcp");
    let expected = "fast-4g: most loads never reach Largest Contentful Paint.";
    assert_eq!(
        (v.kind, v.sentence.as_str()),
        (VerdictKind::Unknown, expected)
    );
}

/// Returns a run with this onload and number of broken objects.
fn breaking(onload: f64, broken: u64) -> RunSummary {
    let mut run = times(1500.0, 900.0, onload);
    run.transport.broken_objects = broken;
    run
}

#[test]
fn what_breaks_objects_wins_nothing() {
    let results = race(&["sequential", "eps", "fifo"], 30, |s, k| match s {
        1 => breaking(4000.0 + noise(k), 2),
        2 => breaking(4900.0 + noise(k), 0),
        _ => breaking(5000.0 + noise(k), 0),
    });
    let v = say(&results, "onload");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(2)));
    let told = "Broken objects, in the median run: eps 2 of 1; a saving by broken objects is not \
                a gain.";
    assert!(v.sentence.ends_with(told), "{}", v.sentence);
    let analysis = analyse(&results, 0, 0, "onload".parse().unwrap());
    assert_eq!(analysis.rows[1].mark.name(), "breaks objects");
    assert_eq!(analysis.ranking[0], 1, "its number is what it is");
    // It does not win either if runs are too few, or if no other contender is better.
    for runs in [3, 30] {
        let results = race(&["sequential", "eps"], runs, |s, k| {
            breaking(5000.0 - 900.0 * s as f64 + noise(k), s as u64)
        });
        let v = say(&results, "onload");
        assert_eq!(v.winner, Some(0), "{}", v.sentence);
        assert!(!v.sentence.contains("eps has the lowest"), "{}", v.sentence);
    }
}

#[test]
fn what_a_broken_object_would_have_shown_never_comes() {
    let mut run = breaking(5000.0, 1);
    run.load.speed_index = None;
    let value = |run: &RunSummary, metric: &str| run.value(metric.parse().unwrap());
    assert_eq!(value(&run, "speed-index"), Some(f64::INFINITY));
    assert_eq!(value(&run, "lcp"), Some(1500.0));
    assert_eq!(value(&run, "cls"), None, "no simulation has it");
    run.transport.broken_objects = 0;
    assert_eq!(value(&run, "speed-index"), None);
    run.transport.partial_objects = 1;
    assert_eq!(value(&run, "essential"), Some(f64::INFINITY));
    assert_eq!(value(&run, "speed-index"), None);
}

/// Races protocols over plausible worlds.
fn over_worlds(contenders: &[&str], lcp: impl Fn(usize, usize) -> f64) -> Results {
    let mut plan = fake::plan(contenders, 30);
    plan.worlds = Worlds::PLAUSIBLE;
    fake::results(&plan, |(_, _, s), k| times(lcp(s, k), 900.0, 5000.0))
}

/// Values between 0 and 100 in another order for each contender.
fn scatter(s: usize, k: usize) -> f64 {
    ((k * [37, 53, 71][s]) % 101) as f64
}

#[test]
fn a_winner_over_worlds_is_told_with_its_range_and_its_odds() {
    let results = over_worlds(&["h2", "h3"], |s, k| [2500.0, 2100.0][s] + scatter(s, k));
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(1)));
    assert_eq!(v.answer, v.sentence);
    assert!(
        v.answer
            .starts_with("On fast-4g, HTTP/3 shows the largest element 3")
            && v.answer.ends_with("sooner in all pairs of loads)."),
        "{}",
        v.answer
    );
    // The other way round, the baseline is the winner of the sentence.
    let results = over_worlds(&["h3", "h2"], |s, k| [2100.0, 2500.0][s] + scatter(s, k));
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(0)));
    assert!(
        v.answer.starts_with("On fast-4g, HTTP/3 shows the largest"),
        "{}",
        v.answer
    );
}

#[test]
fn overlapping_loads_win_probably_or_leave_it_open() {
    let probable = over_worlds(&["h2", "h3"], |s, k| [1000.0, 930.0][s] + scatter(s, k));
    let v = say(&probable, "lcp");
    assert_eq!(v.kind, VerdictKind::Probable, "{}", v.sentence);
    assert!(
        v.answer.contains("HTTP/3 probably shows the largest"),
        "{}",
        v.answer
    );
    let open = over_worlds(&["h2", "h3"], |s, k| {
        [1000.0, 970.0][s] + 2.0 * scatter(s, k)
    });
    let v = say(&open, "lcp");
    assert_eq!(v.kind, VerdictKind::Unknown, "{}", v.sentence);
    assert!(
        v.answer
            .starts_with("On fast-4g, open by Largest Contentful Paint: HTTP/3 is "),
        "{}",
        v.answer
    );
}

#[test]
fn equal_worlds_make_no_difference() {
    let results = over_worlds(&["h2", "h3"], |s, k| 1000.0 + scatter(0, k) + s as f64);
    let v = say(&results, "lcp");
    assert_eq!(v.kind, VerdictKind::NoDifference);
    assert!(
        v.answer
            .starts_with("On fast-4g, no difference that matters"),
        "{}",
        v.answer
    );
}

#[test]
fn several_contenders_are_sorted_into_sentences() {
    let results = over_worlds(&["h1", "h2", "h3"], |s, k| {
        [1500.0, 1000.0, 2000.0][s] + scatter(s, k)
    });
    let v = say(&results, "lcp");
    assert_eq!((v.kind, v.winner), (VerdictKind::Better, Some(1)));
    assert!(
        v.answer.contains("HTTP/2 shows the largest element"),
        "{}",
        v.answer
    );
    assert!(v.sentence.contains(" Later: HTTP/3 by "), "{}", v.sentence);
}

#[test]
fn open_beside_a_small_p_has_a_reason() {
    // Ten of thirty runs gain a little, twelve lose much, and eight do not change.
    let results = race(&["sequential", "eps"], 30, |s, k| {
        let change = match k {
            0..12 => 500.0,
            12..20 => 0.0,
            _ => -3.0,
        };
        times(1000.0 + noise(k) + change * s as f64, 900.0, 5000.0)
    });
    let analysis = analyse(&results, 0, 0, "lcp".parse().unwrap());
    let row = &analysis.rows[1];
    assert!(row.signed_rank_p_holm.is_some_and(|p| p < 0.05), "{row:?}");
    assert_eq!(row.mark.name(), "open");
    let v = say(&results, "lcp");
    assert!(
        v.sentence
            .contains("eps is open despite a small p: the interval of the median includes zero."),
        "{}",
        v.sentence
    );
}
