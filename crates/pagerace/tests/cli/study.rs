//! Studies: what is done is not done again, parts merge, and statistics come from the files.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

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

const EVALUATION: &str = r#"
[[table]]
name = "Versions"
compare = "protocol"
baseline = "h2"
where = { race = "hosts" }

[[claim]]
name = "HTTP/3 shows pages"
holds = "median over pages of h3 of lcp_ms > 0"
where = { race = "hosts" }

[[claim]]
holds = "maximum over pages of (h2 - h3)/h2 of lcp_ms > 100%"
where = { race = "hosts" }
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

fn refused(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["study"], arguments].concat());
    assert_eq!(run.code, 2, "{arguments:?}: {}", run.out);
    run.err
}

fn exported(sandbox: &Sandbox, folder: &str) -> Vec<u8> {
    run(
        sandbox,
        &["export", "plan.toml", "-o", folder, "--to", "loads.parquet"],
    );
    fs::read(sandbox.path("loads.parquet")).unwrap()
}

/// Copies the files of a folder and of its folders, as `cp -r` does.
fn copy(sandbox: &Sandbox, from: &str, to: &str) {
    fs::create_dir_all(sandbox.path(to)).unwrap();
    for name in sandbox.names_in(from) {
        let (from, to) = (format!("{from}/{name}"), format!("{to}/{name}"));
        if sandbox.path(&from).is_dir() {
            copy(sandbox, &from, &to);
        } else {
            fs::copy(sandbox.path(&from), sandbox.path(&to)).unwrap();
        }
    }
}

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
fn options_have_other_names() {
    let sandbox = sandbox("study-names");
    let plan = PLAN.replace("network = ", "networks = ");
    let plan = plan.replace(
        "protocol = [\"h2\", \"h3\"]",
        "protocols = [\"HTTP/2\", \"H3\"]",
    );
    sandbox.write("named.toml", &plan.replace("strategy = ", "strategies = "));
    assert_eq!(
        run(&sandbox, &["check", "named.toml"]),
        run(&sandbox, &["check", "plan.toml"])
    );
    let twice = PLAN.replace("strategy = ", "networks = \"cable\"\nstrategy = ");
    sandbox.write("twice.toml", &twice);
    let told = refused(&sandbox, &["check", "twice.toml"]);
    let twin = "race 1: `networks` is another name of `network`, which is there, too";
    assert!(told.contains(twin), "{told}");
    for (from, to, near) in [
        ("strategy = ", "stratgy = ", "did you mean strategy?"),
        ("runs = ", "rums = ", "did you mean runs?"),
        (
            "[[race]]\nname = \"loss\"",
            "[[tabel]]\nname = \"loss\"",
            "did you mean table?",
        ),
    ] {
        sandbox.write("typo.toml", &PLAN.replace(from, to));
        let told = refused(&sandbox, &["check", "typo.toml"]);
        assert!(told.contains(near), "{told}");
    }
    let metric = EVALUATION.replace("compare = ", "comapre = ");
    sandbox.write("typo.toml", &format!("{PLAN}{metric}"));
    let told = refused(&sandbox, &["check", "typo.toml"]);
    assert!(told.contains("did you mean compare?"), "{told}");
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
fn tables_and_claims_are_decided() {
    let sandbox = sandbox("study-report");
    sandbox.write("plan.toml", &format!("{PLAN}{EVALUATION}"));
    let told = run(&sandbox, &["check", "plan.toml"]);
    assert!(told.contains("24 loads in 2 shards"), "{told}");
    assert!(told.contains("1 table, 2 claims"), "{told}");
    let told = refused(
        &sandbox,
        &["report", "plan.toml", "-o", "results", "--no-run"],
    );
    assert!(told.contains("results: cannot be read"), "{told}");
    let report = run(&sandbox, &["report", "plan.toml", "-o", "results"]);
    assert!(report.starts_with("Pagerace 0.1.0 (engine "), "{report}");
    assert!(report.contains(") ran 24 loads of "), "{report}");
    assert!(report.contains("\nVersions\n"), "{report}");
    let claim = "HTTP/3 shows pages: median over pages of h3 of lcp_ms > 0: holds\n  holds: ";
    assert!(report.contains(claim), "{report}");
    assert!(
        report.contains("> 100%: does not hold\n  does not hold: "),
        "{report}"
    );
    // The same table from the file alone.
    exported(&sandbox, "results");
    let words = [
        "table",
        "loads.parquet",
        "--compare",
        "protocol",
        "--where",
        "race=hosts",
    ];
    let table = run(&sandbox, &words);
    assert!(report.contains(&table), "{table}");
    let told = refused(&sandbox, &["table", "loads.parquet"]);
    assert!(
        told.contains("several columns vary (protocol, strategy)"),
        "{told}"
    );
    let told = refused(&sandbox, &["table", "one.har"]);
    assert!(told.contains("one.har: "), "{told}");
}

#[test]
fn expected_claims_decide_the_exit_status() {
    let sandbox = sandbox("study-expected");
    let words = ["study", "report", "plan.toml", "--check"];
    let check = |evaluation: &str| {
        sandbox.write("plan.toml", &format!("{PLAN}{evaluation}"));
        sandbox.run(&words)
    };
    let unmarked = check(EVALUATION);
    assert_eq!(unmarked.code, 2, "{}", unmarked.err);
    let told = "plan.toml: has no claims that --check could decide; mark them with expected = true";
    assert!(unmarked.err.contains(told), "{}", unmarked.err);
    let mark = |claim: &str| EVALUATION.replace(claim, &format!("{claim}\nexpected = true"));
    let good = "name = \"HTTP/3 shows pages\"";
    let held = check(&mark(good));
    assert_eq!(held.code, 0, "{}", held.err);
    let both = mark(good).replace("> 100%\"", "> 100%\"\nexpected = true");
    let failed = check(&both);
    assert_eq!(failed.code, 1, "{}", failed.err);
    assert!(failed.out.contains("does not hold"), "{}", failed.out);
    let told = "error: 1 of 2 expected claims does not hold";
    assert!(failed.err.contains(told), "{}", failed.err);
    let report = sandbox.run(&words[..3]);
    assert_eq!((report.code, report.out), (0, failed.out));
}

#[test]
fn metrics_have_hyphens_or_underscores() {
    let sandbox = sandbox("study-spellings");
    let spell = |metric: &str, parts: &str| {
        let evaluation = format!(
            "{EVALUATION}[[plot]]\nname = \"One\"\nmetric = \"{metric}\"\ncompare = \
             \"protocol\"\nwhere = {{ race = \"hosts\" }}\n"
        )
        .replace("of lcp_ms", &format!("of {metric}"));
        let plan = format!("parts = \"{parts}\"\n{PLAN}{evaluation}");
        sandbox.write("plan.toml", &plan);
        run(&sandbox, &["report", "plan.toml"]).replace(metric, "METRIC")
    };
    let hyphens = spell("speed-index", "speed-index");
    for spelling in ["speed_index", "speed_index_ms", "speed-index-ms"] {
        assert_eq!(spell(spelling, spelling), hyphens, "{spelling}");
    }
    let table = |metric: &str| {
        let shared = ["table", "results", "--where", "race=hosts", "--metric"];
        run(&sandbox, &[&shared[..], &[metric]].concat())
    };
    assert_eq!(table("speed-index-ms"), table("speed_index"));
    let race = |metric: &str| {
        let words = ["race", "one.har", "--runs", "2", "--metric", metric];
        let run = sandbox.run(&words);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    assert_eq!(race("speed-index"), race("speed_index_ms"));
}

#[test]
fn contenders_need_not_be_a_product() {
    let sandbox = sandbox("study-explicit");
    let plan = "pages = [\"*.har\"]\nruns = 2\nnetwork = \"cable\"\n";
    let explicit = "contender = [\"h1\", \"h2 cubic\", \"h3 bbr round-robin\"]";
    sandbox.write("plan.toml", &format!("{plan}{explicit}"));
    let told = run(&sandbox, &["check", "plan.toml"]);
    assert!(told.contains("12 loads"), "{told}");
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    let words = [
        "table",
        "results",
        "--compare",
        "contender",
        "--baseline",
        "h2",
    ];
    let table = run(&sandbox, &words);
    assert!(table.contains("h3 bbr round-robin"), "{table}");
    assert!(table.contains("baseline: h2 cubic sequential"), "{table}");
    for (more, told) in [
        ("cc = \"bbr\"", "`cc` and `contender` both name contenders"),
        (
            "scenario = \"race.json\"",
            "`scenario` and `contender` both",
        ),
    ] {
        sandbox.write("plan.toml", &format!("{plan}{explicit}\n{more}"));
        let error = refused(&sandbox, &["check", "plan.toml"]);
        assert!(error.contains(told), "{error}");
    }
    sandbox.write("plan.toml", &format!("{plan}contender = [\"h9\"]"));
    let error = refused(&sandbox, &["check", "plan.toml"]);
    assert!(
        error.contains("contender: `h9` is not a protocol"),
        "{error}"
    );
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
fn traces_lie_beside_the_plan() {
    let sandbox = Sandbox::new("study-traces");
    fs::create_dir(sandbox.path("study")).unwrap();
    sandbox.write("study/one.har", &small_har());
    sandbox.write("study/phone.trace", "1\n");
    let plan = "pages = \"one.har\"\nruns = 1\nnetwork = \"rate trace:phone.trace rtt 40ms\"\n";
    sandbox.write("study/plan.toml", plan);
    let ran = run(&sandbox, &["run", "study"]);
    assert!(!ran.contains("Ran 0 loads"), "{ran}");
    // The place of the command changes neither the loads nor the name of the network.
    let inside = sandbox
        .command(&["study", "run", "plan.toml"])
        .current_dir(sandbox.path("study"))
        .output()
        .unwrap();
    let ran = String::from_utf8_lossy(&inside.stdout);
    assert!(ran.contains("Ran 0 loads"), "{ran}");
    let checked = run(&sandbox, &["check", "study"]);
    assert!(
        checked.contains("  networks    rate trace:phone.trace rtt 40ms\n"),
        "{checked}"
    );
    let whole = sandbox.path("study/phone.trace");
    let absolute = plan.replace("phone.trace", &whole.display().to_string());
    sandbox.write("study/plan.toml", &absolute);
    run(&sandbox, &["check", "study"]);
    sandbox.write("study/plan.toml", &plan.replace("phone", "no"));
    let told = refused(&sandbox, &["check", "study"]);
    assert!(
        told.contains("study/plan.toml: race \"race 1\": --network")
            && told.contains("trace study/no.trace: "),
        "{told}"
    );
}

#[test]
fn mistakes_in_plans_are_named() {
    let sandbox = sandbox("study-errors");
    let many = (0..101).map(|i| format!("\"hybrid:alpha=0.{i:03}\""));
    let many = many.collect::<Vec<String>>().join(", ");
    let huge = format!(
        "strategy = [{many}]\ncc = [{}\"cubic\"]",
        "\"cubic\", ".repeat(99)
    );
    let mistakes = [
        (
            "strategy = [\"sequential\"",
            "strategy = [\"no-such\"",
            "no-such",
        ),
        ("runs = 3", "runs = 0", "runs"),
        (
            "runs = 3",
            "colour = 3",
            "`colour` is no option of a race in a plan",
        ),
        (
            "runs = 3",
            "json = \"x.json\"",
            "`json` is no option of a race in a plan",
        ),
        ("*.har", "*.none", "no file matches"),
        ("runs = 3", "runs = 100000\nseed = -1", "race \"loss\""),
        (
            "protocol = [\"h2\", \"h3\"]",
            &huge,
            "make 10100 contenders",
        ),
        ("[\"h2\", \"h3\"]", "[]", "protocol: the list is empty"),
        (
            "runs = 3",
            "parts = \"tbt\"",
            "parts: `tbt` cannot be explained",
        ),
    ];
    for (from, to, told) in mistakes {
        sandbox.write("plan.toml", &PLAN.replace(from, to));
        let error = refused(&sandbox, &["check", "plan.toml"]);
        assert!(error.starts_with("error: plan.toml: "), "{to}: {error}");
        assert!(error.contains(told), "{to}: {error}");
    }
    let wrong = EVALUATION.replace("of h3 of", "of h9 of");
    sandbox.write("plan.toml", &format!("{PLAN}{wrong}"));
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(
        error.contains("plan.toml: claim 1: `h9` names no contender"),
        "{error}"
    );
    sandbox.write("plan.toml", PLAN);
    sandbox.write("two.har", "no HAR");
    let error = refused(&sandbox, &["check", "plan.toml"]);
    assert!(error.contains("two.har"), "{error}");
    sandbox.write("one.har", "no HAR either");
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(
        error.contains("one.har") && error.contains("two.har"),
        "{error}"
    );
    sandbox.write("taken", "a file");
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "taken"]);
    assert!(error.contains("taken"), "{error}");
}

/// Reads all files with a Python library, and prints the number of rows and the sum of a
/// column.
const READERS: [(&str, &str); 3] = [
    (
        "duckdb",
        "q = duckdb.sql(\"select count(*), sum(lcp_ms), count(failure) from 'loads.parquet'\")\n\
         n, s, f = q.fetchall()[0]\n\
         r = duckdb.sql(\"select count(*) from 'results/requests/*.parquet' \
         join 'loads.parquet' using (cell, run)\").fetchall()[0][0]",
    ),
    (
        "polars",
        "d = polars.read_parquet('loads.parquet')\n\
         n, s, f = len(d), d['lcp_ms'].sum(), d['failure'].count()\n\
         q = polars.read_parquet('results/requests/*.parquet')\n\
         r = len(q.join(d, on=['cell', 'run']))",
    ),
    (
        "pandas",
        "d = pandas.read_parquet('loads.parquet')\n\
         n, s, f = len(d), d['lcp_ms'].sum(), d['failure'].count()\n\
         q = pandas.read_parquet('results/requests')\n\
         r = len(q.merge(d, on=['cell', 'run']))",
    ),
];

#[test]
fn other_programs_read_the_files() {
    let sandbox = sandbox("study-readers");
    sandbox.write("plan.toml", &format!("requests = true\n{PLAN}"));
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    exported(&sandbox, "results");
    let python = |code: &str| {
        let mut command = Command::new("python3");
        command.args(["-c", code]).current_dir(sandbox.path("."));
        command.stdin(Stdio::null()).output()
    };
    let mut sums = Vec::new();
    for (library, code) in READERS {
        let has = |name: &str| {
            python(&format!("import {name}")).is_ok_and(|output| output.status.success())
        };
        // Pandas reads Parquet with the help of another library.
        if !has(library) || (library == "pandas" && !has("pyarrow")) {
            eprintln!("skipped: Python has no {library}");
            continue;
        }
        let code = format!("import {library}\n{code}\nprint(n, round(s, 3), f, r)");
        let output = python(&code).unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{library}: {told}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = told.split_whitespace().collect();
        // 24 loads of five requests each, without failures.
        assert_eq!([words[0], words[2], words[3]], ["24", "0", "120"]);
        sums.push(words[1].to_owned());
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{sums:?}");
}

const PAPER: &str = r#"
title = "A paper"
about = "It compares | strategies."
pages = ["*.har"]
runs = 3

[[race]]
name = "rates"
network = ["rate 1mbit rtt 100ms", "rate 5mbit rtt 100ms"]
strategy = ["sequential", "round-robin"]

[[race]]
name = "again"
network = ["rate 1mbit rtt 100ms"]
strategy = ["sequential", "fifo"]

[[matrix]]
name = "Speed Index"
rows = ["rate 1mbit rtt 100ms", "rate 5mbit rtt 100ms"]
columns = ["round-robin"]
value = "median over pages of ('{column} @ {row}' - 'sequential @ {row}')/'sequential @ {row}' of lcp"
published = [[0.25], [nan]]
where = { race = "rates" }

[[plot]]
name = "First paint"
metric = "fcp_ms"
compare = "strategy"
baseline = "sequential"
where = { race = "rates" }

[[claim]]
name = "More bandwidth shows pages sooner"
holds = "median over pages of 'sequential @ rate 1mbit rtt 100ms' / 'sequential @ rate 5mbit rtt 100ms' of lcp > 1"
published = 100
headline = true
where = { race = "rates" }
"#;

#[test]
fn a_paper_is_a_folder_whose_report_is_a_section() {
    let sandbox = sandbox("study-paper");
    fs::create_dir(sandbox.path("paper-2022")).unwrap();
    sandbox.write("paper-2022/plan.toml", PAPER);
    sandbox.write("text.md", "# Papers\n\nBefore.\n\n## After\n");
    let pages = ["--pages", "small=one.har", "--pages", "large=two.har"];
    let words = ["report", "paper-2022", "--markdown", "text.md"];
    let told = run(&sandbox, &[&words[..], &pages].concat());
    assert!(told.contains("holds, differs in size: "), "{told}");
    assert!(told.contains("; published 100.0\n"), "{told}");
    let text = fs::read_to_string(sandbox.path("text.md")).unwrap();
    assert!(text.starts_with("# Papers\n\nBefore.\n\n## After\n\n<!-- begin of study paper-2022:"));
    // Both races have `sequential` at 1 Mbit/s, which ran once.
    for part in [
        "# A paper\n\nIt compares | strategies.\n",
        "ran 30 loads of 2 pages (1 large, 1 small); none failed.",
        "| **More bandwidth shows pages sooner** | +10000 % | +",
        " | holds, differs in size |\n",
        "| rate 1mbit rtt 100ms | ",
        "(+25 %) |\n",
        "![First paint](paper-2022-first-paint.svg)\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = fs::read_to_string(sandbox.path("paper-2022-first-paint.svg")).unwrap();
    assert!(svg.contains(">rate 5mbit rtt 100ms</text>"), "{svg}");
    let status = [&["status", "paper-2022"][..], &pages].concat();
    let status = run(&sandbox, &status);
    assert!(status.contains("total: 36 of 36 loads"), "{status}");
    // A second report replaces the section, and only that.
    sandbox.write(
        "text.md",
        &text
            .replace("none failed", "all failed")
            .replace("Before", "Now"),
    );
    run(&sandbox, &[&words[..], &pages, &["--no-run"]].concat());
    let again = fs::read_to_string(sandbox.path("text.md")).unwrap();
    assert_eq!(again, text.replace("Before", "Now"));
    let (cut, _) = text.split_once("<!-- end of study").unwrap();
    sandbox.write("text.md", cut);
    let told = refused(&sandbox, &[&words[..], &pages].concat());
    assert!(
        told.contains("its section of paper-2022 must begin with"),
        "{told}"
    );
    let told = refused(&sandbox, &["report", "paper-2022"]);
    assert!(told.contains("pages: no file matches \"*.har\""), "{told}");
}

#[test]
fn a_text_takes_its_numbers_from_the_results() {
    let sandbox = sandbox("study-text");
    let plan = |text: &str, limit: &str| {
        format!(
            "text = \"{text}\"\n{PLAN}\n[[claim]]\nname = \"It lasts\"\nid = \"time\"\nholds = \
             \"median over pages of h3 of lcp_ms > {limit}\"\nwhere = {{ race = \"hosts\" }}\n"
        )
    };
    let text = "It takes {time}{time: holds}.";
    sandbox.write("plan.toml", &plan(text, "0"));
    let words = ["report", "plan.toml", "--markdown", "text.md"];
    run(&sandbox, &words);
    let read = || fs::read_to_string(sandbox.path("text.md")).unwrap();
    let written = read();
    let says = written.split_once("## What the numbers say\n\nIt takes ");
    let (number, _) = says.expect("it has the text").1.split_once(".\n").unwrap();
    assert!(number.ends_with(" ms"), "{number}");
    // The same results do not bear out another claim, and the document stays.
    sandbox.write("plan.toml", &plan(text, "1e9"));
    let broken = sandbox.run(&[&["study"], &words[..]].concat());
    assert_eq!(broken.code, 1, "{}", broken.err);
    let told = "\"It takes {time}{time: holds}.\": it rests on `time: holds`, but the claim \
                \"It lasts\" does not hold";
    assert!(broken.err.contains(told), "{}", broken.err);
    assert_eq!(read(), written);
    sandbox.write("plan.toml", &plan("It takes {gone}.", "0"));
    let told = refused(&sandbox, &["check", "plan.toml"]);
    let gone = "plan.toml: text: no claim or matrix has the id `gone`; there are time";
    assert!(told.contains(gone), "{told}");
}

#[test]
fn a_report_refuses_results_that_are_not_complete() {
    let sandbox = sandbox("study-partial");
    sandbox.write("plan.toml", &format!("{PLAN}{EVALUATION}"));
    run(&sandbox, &["run", "plan.toml", "--shard", "1/2"]);
    let told = refused(&sandbox, &["report", "plan.toml", "--no-run"]);
    let lacks = "lacks 4 loads of the plan: race \"hosts\" has 8 of 12 loads; `pagerace study run`";
    assert!(told.contains(lacks), "{told}");
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

#[test]
fn the_studies_of_papers_are_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let studies = fs::read_dir(format!("{root}/studies")).unwrap();
    let plans = studies.map(|entry| entry.unwrap().path());
    let plans: Vec<_> = plans.filter(|path| path.is_dir()).collect();
    assert!(plans.len() > 2);
    for plan in plans {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagerace"));
        let checked = command.args(["study", "check"]).arg(&plan);
        let checked = checked.output().unwrap();
        let out = String::from_utf8_lossy(&checked.stdout);
        let err = String::from_utf8_lossy(&checked.stderr);
        if err.contains(": trace ") && err.contains("No such file") {
            println!("skipped: {}: its traces are not here", plan.display());
            continue;
        }
        assert!(checked.status.success(), "{}: {err}", plan.display());
        assert!(out.contains(" loads in "), "{}: {out}", plan.display());
    }
}
