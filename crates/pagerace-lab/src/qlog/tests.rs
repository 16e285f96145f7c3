use std::fs;

use super::{QlogFile, QlogRuns, write_qlogs};
use crate::detail::Choice;
use crate::fake;
use crate::runner::run_race;

fn results() -> crate::Results {
    let go_on = |_| std::ops::ControlFlow::Continue(());
    run_race(&fake::plan(&["sequential", "round-robin"], 3), 1, &fake::load, &go_on).unwrap()
}

#[test]
fn choices_by_word_and_number() {
    let results = results();
    let choices = |text: &str| text.parse::<QlogRuns>().unwrap().choices(&results);
    assert_eq!(choices("median").unwrap().len(), 4);
    assert_eq!(choices("all").unwrap().len(), 12);
    let some = choices("1, 3").unwrap();
    assert_eq!(some.len(), 8);
    assert_eq!(some[..2], [Choice { variant: 0, run: 0 }, Choice { variant: 0, run: 2 }]);
    assert!(choices("4").unwrap_err().to_string().contains("no run 4"));
    for wrong in ["", "0", "first", "1,,2"] {
        assert!(wrong.parse::<QlogRuns>().is_err(), "{wrong}");
    }
}

#[test]
fn files_are_named_by_variant_and_run() {
    let results = results();
    let dir = std::env::temp_dir().join(format!("pagerace-qlog-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let runner = |_: &pagerace_sim::Scenario, seed: u64| {
        Ok(vec![QlogFile { part: "server/1".to_owned(), extension: "qlog", text: seed.to_string() }])
    };
    let paths = write_qlogs(&results, &[Choice { variant: 1, run: 2 }], &dir, &runner).unwrap();
    let path = dir.join("news_fast-4g_round-robin_run03_server-1.qlog");
    assert_eq!(paths, std::slice::from_ref(&path));
    assert_eq!(fs::read_to_string(path).unwrap(), results.plan.run_seed(2).to_string());
    fs::remove_dir_all(dir).unwrap();
}
