//! Studies: what is done is not done again, and parts merge.

use std::fs;

use crate::support::{Sandbox, small_har};

const PLAN: &str = r#"
pages = ["*.har"]
runs = 3

[[race]]
name = "loss"
network = ["rate 2mbit rtt 100ms loss 1%"]
strategy = ["sequential", "round-robin"]

[[race]]
name = "hosts"
network = "cable"
protocol = ["h2", "h3"]
"#;

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("one.har", &small_har());
    sandbox.write("two.har", &small_har().replace("4000", "9000"));
    sandbox.write("plan.toml", PLAN);
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["study"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run.out
}

fn exported(sandbox: &Sandbox, folder: &str) -> Vec<u8> {
    run(
        sandbox,
        &["export", "plan.toml", "-o", folder, "--to", "loads.parquet"],
    );
    fs::read(sandbox.path("loads.parquet")).unwrap()
}

#[test]
fn parts_merge_to_the_same_bytes() {
    let sandbox = sandbox("study-parts");
    run(
        &sandbox,
        &["run", "plan.toml", "-o", "whole", "--jobs", "1"],
    );
    for part in ["2/2", "1/2"] {
        run(
            &sandbox,
            &["run", "plan.toml", "-o", "parts", "--shard", part],
        );
    }
    let whole = exported(&sandbox, "whole");
    assert_eq!(whole, exported(&sandbox, "parts"));
    // A damaged part is named; removed, it is computed again.
    let lost = &sandbox.names_in("parts")[1];
    let path = format!("parts/{lost}");
    sandbox.write(&path, "PAR1");
    let status = sandbox.run(&["study", "status", "plan.toml", "-o", "parts"]);
    assert_eq!(status.code, 2);
    assert!(status.err.contains(lost.as_str()), "{}", status.err);
    fs::remove_file(sandbox.path(&path)).unwrap();
    let status = run(&sandbox, &["status", "plan.toml", "-o", "parts"]);
    assert!(status.contains("6 of 12 loads"), "{status}");
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
}

#[test]
fn mistakes_in_plans_are_named() {
    let sandbox = sandbox("study-errors");
    let mistakes = [
        (
            "strategy = [\"sequential\"",
            "strategy = [\"no-such\"",
            "no-such",
        ),
        ("runs = 3", "runs = 0", "runs"),
        ("runs = 3", "colour = 3", "`colour` is no option of a plan"),
        (
            "runs = 3",
            "json = \"x.json\"",
            "`json` is no option of a plan",
        ),
        ("*.har", "*.none", "no file matches"),
        ("runs = 3", "runs = 100000\nseed = -1", "race \"loss\""),
    ];
    for (from, to, told) in mistakes {
        sandbox.write("plan.toml", &PLAN.replace(from, to));
        let check = sandbox.run(&["study", "check", "plan.toml"]);
        assert_eq!(check.code, 2, "{to}: {}", check.out);
        assert!(
            check.err.starts_with("error: plan.toml: "),
            "{to}: {}",
            check.err
        );
        assert!(check.err.contains(told), "{to}: {}", check.err);
    }
    sandbox.write("plan.toml", PLAN);
    sandbox.write("taken", "a file");
    let run = sandbox.run(&["study", "run", "plan.toml", "-o", "taken"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("taken"), "{}", run.err);
}
