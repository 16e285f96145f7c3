use std::cell::RefCell;
use std::path::Path;

use super::{QlogRuns, write_qlogs};
use crate::detail::Choice;
use crate::fake;
use crate::runner::run_race;

fn results() -> crate::Results {
    let go_on = |_| std::ops::ControlFlow::Continue(());
    run_race(
        &fake::plan(&["sequential", "round-robin"], 3),
        1,
        &fake::load,
        &go_on,
    )
    .unwrap()
}

#[test]
fn choices_by_word_and_number() {
    let results = results();
    let choices = |text: &str| text.parse::<QlogRuns>().unwrap().choices(&results);
    assert_eq!(choices("median").unwrap().len(), 4);
    assert_eq!(choices("all").unwrap().len(), 12);
    let some = choices("1, 3").unwrap();
    assert_eq!(some.len(), 8);
    assert_eq!(
        some[..2],
        [Choice { variant: 0, run: 0 }, Choice { variant: 0, run: 2 }]
    );
    assert!(choices("4").unwrap_err().to_string().contains("no run 4"));
    for wrong in ["", "0", "first", "1,,2"] {
        assert!(wrong.parse::<QlogRuns>().is_err(), "{wrong}");
    }
}

#[test]
fn the_run_that_was_counted_is_run_again() {
    let results = results();
    let asked = RefCell::new(Vec::new());
    let runner = |scenario: &pagerace_sim::Scenario, seed: u64| {
        asked
            .borrow_mut()
            .push((scenario.strategy.to_string(), seed));
        Ok((fake::outcome(1.0, seed), Vec::new()))
    };
    let choices = [Choice { variant: 1, run: 2 }, Choice { variant: 2, run: 0 }];
    // Without packets, no file is written.
    let paths = write_qlogs(&results, &choices, Path::new("nowhere"), &runner).unwrap();
    assert!(paths.is_empty());
    let seed = |run| results.plan.run_seed(run);
    let expected = [
        ("round-robin".to_owned(), seed(2)),
        ("sequential".to_owned(), seed(0)),
    ];
    assert_eq!(asked.into_inner(), expected);
    let title = super::title(&results, choices[0]);
    assert_eq!(title.file_stem(), "news_fast-4g_round-robin_run3");
}
