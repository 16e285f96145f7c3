//! Explanations of differences.

use crate::support::{Sandbox, small_har};

#[test]
fn explanations_add_up_as_printed() {
    let sandbox = Sandbox::new("explain");
    sandbox.write("site.har", &small_har());
    let words = [
        "explain",
        "site.har",
        "h1",
        "h3 round-robin",
        "--network",
        "slow-4g",
    ];
    let with = |more: &[&str]| {
        let run = sandbox.run(&[&words, more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    let out = with(&["--runs", "3", "--json", "why.json"]);
    assert!(
        out.contains("a typical one of 3") && out.contains("The critical path with h1:"),
        "{out}"
    );
    // The numbers of each row. The last row is the sum of those above it.
    let rows: Vec<Vec<i64>> = out
        .lines()
        .map(str::trim_end)
        .filter(|line| line.ends_with('%') || line.ends_with('–'))
        .map(|line| {
            let words = line.split_whitespace().filter(|word| word.contains('.'));
            let tenths = |word: &str| word.replace('.', "").parse().ok();
            words.filter_map(tenths).take(3).collect()
        })
        .collect();
    assert_eq!(rows.len(), 9, "{out}");
    let (total, parts) = rows.split_last().unwrap();
    for column in 0..3 {
        let sum: i64 = parts.iter().map(|row| row[column]).sum();
        assert_eq!(sum, total[column], "{out}");
    }
    assert!(rows.iter().all(|row| row[1] - row[0] == row[2]), "{out}");
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("why.json")).unwrap();
    assert_eq!(json["format"], "pagerace-explanation");
    assert!(!json["a"]["path"].as_array().unwrap().is_empty());
    assert!(with(&["--run", "2", "--metric", "onload"]).contains("run 2"));
}

#[test]
fn one_contender_is_explained_alone() {
    let sandbox = Sandbox::new("explain-one");
    sandbox.write("site.har", &small_har());
    let words = [
        "explain",
        "site.har",
        "h2",
        "-n",
        "cable",
        "--json",
        "late.json",
    ];
    let run = sandbox.run(&[&words[..], &["--runs", "10"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for text in [
        "On cable, site shows the largest element after",
        "over HTTP/2 (90 % of loads:",
        "What could go: ",
        "the same load without",
        "distance to servers",
        "The critical path with h2:",
        "World of this run: rate ",
    ] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("late.json")).unwrap();
    assert_eq!(json["format"], "pagerace-late");
    // Without the distance, no load is later than with it.
    let total = json["load"]["total_ns"].as_u64().unwrap();
    assert!(
        json["without"][0]["left_ns"].as_u64().unwrap() <= total,
        "{json}"
    );
}
