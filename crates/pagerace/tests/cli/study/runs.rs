//! Runs of studies: what is done is not done again, and parts merge.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{PAPER, PLAN, copy, exported, refused, run, sandbox};
use crate::support::small_har;

#[test]
fn parts_merge_to_the_same_bytes() {
    let sandbox = sandbox("study-parts");
    let whole = ["run", "plan.toml", "-o", "whole", "--jobs", "1"];
    run(&sandbox, &whole);
    for part in ["2/2", "1/2"] {
        let folder = part.replace('/', "-");
        let words = ["run", "plan.toml", "-o", &folder, "--shard", part];
        run(&sandbox, &words);
        copy(&sandbox, &folder, "parts");
    }
    assert_eq!(sandbox.names_in("whole"), sandbox.names_in("parts"));
    let whole = exported(&sandbox, "whole");
    assert_eq!(whole, exported(&sandbox, "parts"));
    // A damaged part is named; removed, it is computed again.
    let lost = &sandbox.names_in("parts")[1];
    let path = format!("parts/{lost}");
    sandbox.write(&path, "PAR1");
    let told = refused(&sandbox, &["status", "plan.toml", "-o", "parts"]);
    assert!(told.contains(lost.as_str()), "{told}");
    assert!(told.contains("remove the file and run the study again"));
    fs::remove_file(sandbox.path(&path)).unwrap();
    let status = run(&sandbox, &["status", "plan.toml", "-o", "parts"]);
    assert!(!status.contains("total: 24 of 24 loads"), "{status}");
    run(&sandbox, &["run", "plan.toml", "-o", "parts"]);
    assert_eq!(whole, exported(&sandbox, "parts"));
}

#[test]
fn only_what_is_new_runs() {
    let sandbox = sandbox("study-new");
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(ran.contains("Ran 24 loads"), "{ran}");
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(ran.contains("Ran 0 loads"), "{ran}");
    // A run more for both races, and a network more for one.
    let more = PLAN.replace("runs = 3", "runs = 4");
    let more = more.replace("\"cable\"", "[\"cable\", \"slow-4g\"]");
    sandbox.write("plan.toml", &more);
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    // On each of two pages: a fourth run of four cells, and four runs of two new ones.
    assert!(ran.contains("Ran 24 loads"), "{ran}");
    let grown = exported(&sandbox, "results");
    run(&sandbox, &["run", "plan.toml", "-o", "fresh"]);
    assert_eq!(grown, exported(&sandbox, "fresh"));
    // Other names in the plan need no loads, and exports have them.
    sandbox.write("plan.toml", &more.replace("\"hosts\"", "\"versions\""));
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(ran.contains("Ran 0 loads"), "{ran}");
    let exported = exported(&sandbox, "results");
    let named = |name: &str| exported.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(named("versions") && !named("hosts"));
}

#[test]
fn a_recording_that_cannot_be_read_is_skipped() {
    let sandbox = sandbox("study-skipped");
    sandbox.write("bad.har", "{\"log\": {}}");
    let words = ["study", "run", "plan.toml", "-o", "results"];
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = ran.err.lines().filter(|line| line.starts_with("error: "));
    let told: Vec<&str> = told.collect();
    assert_eq!(told.len(), 1, "{}", ran.err);
    assert!(told[0].contains("bad.har: "), "{}", ran.err);
    assert!(ran.out.contains("Ran 24 loads"), "{}", ran.out);
    let last = ran.out.lines().last();
    assert_eq!(
        last,
        Some("1 of 3 recordings was skipped; standard error says why.")
    );
    // Mended, it is the only one that runs.
    sandbox.write("bad.har", &small_har().replace("30000", "31000"));
    let mended = sandbox.run(&words);
    assert!(!mended.err.contains("error"), "{}", mended.err);
    assert!(mended.out.contains("Ran 12 loads"), "{}", mended.out);
    for file in ["bad.har", "one.har", "two.har"] {
        sandbox.write(file, "{");
    }
    let none = sandbox.run(&words);
    assert_eq!((none.code, none.out.as_str()), (2, ""), "{}", none.err);
    let told = "none of the 3 files can be read as a recording";
    assert!(none.err.contains(told), "{}", none.err);
}

#[test]
fn a_killed_run_goes_on() {
    let sandbox = sandbox("study-killed");
    sandbox.write("plan.toml", &PLAN.replace("runs = 3", "runs = 40"));
    let words = ["study", "run", "plan.toml", "-o", "results", "--jobs", "1"];
    let mut child = sandbox.command(&words).spawn().unwrap();
    let begun = || sandbox.path("results").exists() && !sandbox.names_in("results").is_empty();
    let mut looks = (0..10_000).map(|_| thread::sleep(Duration::from_millis(5)));
    assert!(looks.any(|()| begun()), "no shard appears");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = sandbox.names_in("results");
    let run_again = sandbox.run(&words);
    assert_eq!(run_again.code, 0, "{}", run_again.err);
    let after = sandbox.names_in("results");
    assert!(before.iter().all(|name| after.contains(name)));
    // One line for each shard that was missing.
    let lines = run_again.err.lines().count();
    let complete = |names: &[String]| names.iter().filter(|n| n.ends_with(".parquet")).count();
    assert_eq!(lines, complete(&after) - complete(&before));
    let again = exported(&sandbox, "results");
    run(&sandbox, &["run", "plan.toml", "-o", "fresh"]);
    assert_eq!(again, exported(&sandbox, "fresh"));
}

#[test]
fn two_runs_may_share_a_folder() {
    let sandbox = sandbox("study-two");
    let words = ["study", "run", "plan.toml", "-o", "results"];
    let both = [(); 2].map(|()| sandbox.command(&words).spawn().unwrap());
    for child in both {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let names = sandbox.names_in("results");
    assert!(
        names.iter().all(|name| name.ends_with(".parquet")),
        "{names:?}"
    );
    let both = exported(&sandbox, "results");
    run(&sandbox, &["run", "plan.toml", "-o", "alone"]);
    assert_eq!(both, exported(&sandbox, "alone"));
}

#[test]
fn values_are_those_of_a_race() {
    let sandbox = sandbox("study-race");
    let plan = "pages = [\"one.har\"]\nruns = 3\nnetwork = \"cable\"\nprotocol = [\"h2\", \"h3\"]";
    sandbox.write("plan.toml", plan);
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    let race = [
        "race", "one.har", "-n", "cable", "-P", "h2,h3", "--runs", "3",
    ];
    let race = sandbox.run(&[&race[..], &["--json", "race.json"]].concat());
    assert_eq!(race.code, 0, "{}", race.err);
    // The race as a plan has the same loads.
    sandbox.write("same.toml", &run(&sandbox, &["plan", "race.json"]));
    run(&sandbox, &["run", "same.toml", "-o", "same"]);
    let table = |folder: &str| {
        let words = [
            "table",
            folder,
            "--kind",
            "quantiles",
            "--csv",
            "-m",
            "speed-index",
        ];
        run(&sandbox, &words)
    };
    assert_eq!(table("results"), table("same"));
    let json: Value = serde_json::from_str(&sandbox.read("race.json")).unwrap();
    for (line, result) in table("same").lines().skip(1).zip(0..) {
        let mut values: Vec<f64> = json["results"][result]["values"]["speed_index_ms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect();
        values.sort_by(f64::total_cmp);
        let median: f64 = line.split(',').nth(5).unwrap().parse().unwrap();
        assert!((median - values[1]).abs() < 1e-9, "{line}: {values:?}");
    }
    // Other pages take the place of those of the race.
    let same = sandbox
        .read("same.toml")
        .replace("# pages = [\"pages/*.har\"]", "pages = [\"t*.har\"]");
    sandbox.write("other.toml", &same);
    let told = run(&sandbox, &["check", "other.toml"]);
    assert!(told.contains("3 runs of 1 page"), "{told}");
    sandbox.write("wrong.toml", &format!("{same}cpu = 2\n"));
    let told = refused(&sandbox, &["check", "wrong.toml"]);
    assert!(told.contains("`cpu` is decided by race.json"), "{told}");
}

#[test]
fn requests_and_parts_are_kept() {
    let sandbox = sandbox("study-details");
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    let plain = exported(&sandbox, "results");
    let before = sandbox.names_in("results");
    sandbox.write(
        "plan.toml",
        &format!("requests = true\nparts = \"lcp\"\n{PLAN}"),
    );
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(ran.contains("Ran 24 loads"), "{ran}");
    for folder in ["requests", "parts-lcp"] {
        assert_eq!(sandbox.names_in(&format!("results/{folder}")), before);
    }
    // The loads are the same, though they were explained.
    sandbox.write("plan.toml", PLAN);
    assert_eq!(plain, exported(&sandbox, "results"));
}

#[test]
fn loads_that_races_share_run_once() {
    let sandbox = sandbox("study-shared");
    sandbox.write("plan.toml", PAPER);
    let ran = run(&sandbox, &["run", "plan.toml"]);
    assert!(ran.contains("Ran 30 loads"), "{ran}");
    let ran = run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(ran.contains("Ran 0 loads"), "{ran}");
}
