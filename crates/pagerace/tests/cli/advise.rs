//! Advice on pages.

use crate::support::{Sandbox, small_har};

#[test]
fn advice_begins_with_the_answer_and_writes_what_it_tried() {
    let sandbox = Sandbox::new("advise");
    sandbox.write("site.har", &small_har());
    let words = [
        "advise",
        "site.har",
        "-n",
        "slow-4g",
        "--json",
        "advice.json",
    ];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = run.out.lines().next().unwrap();
    assert!(
        first.contains("after") && first.contains("on slow-4g"),
        "{first}"
    );
    assert!(
        run.out.contains("Largest Contentful Paint of site, seed 1"),
        "{}",
        run.out
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("advice.json")).unwrap();
    assert_eq!(json["format"], "pagerace-advice");
    let tried = [&json["changes"], &json["idle"]].map(|list| list.as_array().unwrap().len());
    assert!(tried.iter().sum::<usize>() > 0, "{json}");
    assert_eq!(sandbox.run(&words).out, run.out, "it repeats");
}

#[test]
fn advice_needs_a_page_and_a_known_goal() {
    let sandbox = Sandbox::new("advise-errors");
    sandbox.write("site.har", &small_har());
    let run = sandbox.run(&["advise", "site.har", "--metric", "tbt"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("tbt") && run.err.contains("lcp"),
        "{}",
        run.err
    );
    let run = sandbox.run(&["advise", "absent.har"]);
    assert_eq!(run.code, 2, "{}", run.err);
}
