//! Recommendations: from plans, folders and files, for mixes of networks, and refusals.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use serde_json::Value;

use crate::support::{Sandbox, small_har};

const PLAN: &str = r#"
pages = ["*.har"]
runs = 2
network = ["cable", "rate 2mbit rtt 100ms loss 2%"]
contender = ["h2 cubic", "h3 cubic", "h3 cubic fifo"]
"#;

/// Returns a sandbox with six pages that differ in size.
fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    for page in 1..=6 {
        let har = small_har().replace("90000", &(page * 40_000).to_string());
        sandbox.write(&format!("page{page}.har"), &har);
    }
    sandbox.write("plan.toml", PLAN);
    sandbox
}

fn recommend(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["recommend"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run.out
}

fn refused(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["recommend"], arguments].concat());
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
    run.err
}

#[test]
fn plans_folders_and_files_give_one_answer() {
    let sandbox = sandbox("recommend");
    let of_plan = recommend(&sandbox, &["plan.toml", "--json", "rule.json"]);
    for part in [
        " today: h2 sequential\n",
        "ran 72 loads of 6 pages; none failed.",
        "networks count equally; --mix or --users weights them: cable 50 %,",
        "They leave out the model's error",
        "Rule, learnt from all pages\n  ",
        "Wrote rule.json\n",
    ] {
        assert!(of_plan.contains(part), "{part}: {of_plan}");
    }
    // Nothing is left to run, on however many threads.
    let again = recommend(&sandbox, &["plan.toml", "--no-run", "--jobs", "1"]);
    assert_eq!(format!("{again}Wrote rule.json\n"), of_plan);
    let export = ["study", "export", "plan.toml", "--to", "loads.parquet"];
    assert_eq!(sandbox.run(&export).code, 0);
    let csv = recommend(&sandbox, &["plan.toml", "--csv"]);
    assert_eq!(csv.lines().count(), 7, "a header and six policies: {csv}");
    assert_eq!(recommend(&sandbox, &["results", "--csv"]), csv);
    assert_eq!(recommend(&sandbox, &["loads.parquet", "--csv"]), csv);
    let json: Value = serde_json::from_str(&sandbox.read("rule.json")).unwrap();
    assert_eq!(json["plan"], PLAN);
    assert_eq!(json["networks"][1]["facts"]["loss_percent"], 2.0);
    assert_eq!(json["features"].as_array().unwrap().len(), 7);
    assert_eq!(json["features"][6], "page_providers");
    // The rule ends in choices that exist.
    let mut part = &json["rule"];
    while part.get("if").is_some() {
        part = &part["else"];
    }
    let choices = json["choices"].as_array().unwrap();
    assert!(
        choices
            .iter()
            .any(|choice| choice["name"] == part["choice"])
    );
    // The recommendation is marked in the table.
    let marked = csv.lines().filter(|line| line.contains(",true,")).count();
    assert_eq!(marked, 1, "{csv}");
}

#[test]
fn recommendations_are_documents() {
    let sandbox = sandbox("recommend-documents");
    sandbox.write("notes.md", "Before.\n");
    let outputs = [
        "plan.toml",
        "--markdown",
        "notes.md",
        "--report",
        "choice.html",
    ];
    let printed = recommend(&sandbox, &outputs);
    let answer = printed.lines().next().unwrap();
    let (notes, html) = (sandbox.read("notes.md"), sandbox.read("choice.html"));
    // The name is that of the plan's folder.
    let begin = "Before.\n\n<!-- begin of study recommendation-";
    let folder = notes
        .strip_prefix(begin)
        .and_then(|rest| rest.split(':').next());
    let folder = folder.unwrap();
    assert!(!folder.is_empty(), "{notes}");
    for part in [
        &format!("# What to choose for {folder}: Largest Contentful Paint\n"),
        answer,
        "| oracle |",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    // The rule keeps its indentation.
    let rule = printed
        .split("Rule, learnt from all pages\n")
        .nth(1)
        .unwrap();
    let rule: Vec<&str> = rule
        .lines()
        .take_while(|line| line.starts_with(' '))
        .collect();
    assert!(
        notes.contains(&format!("```\n{}\n```", rule.join("\n"))),
        "{notes}"
    );
    assert!(
        html.contains("id=\"figure-0\"") && html.contains("<pre>"),
        "{html}"
    );
    recommend(&sandbox, &outputs);
    assert_eq!(sandbox.read("notes.md"), notes, "a section is replaced");
}

#[test]
fn all_who_lose_are_named() {
    let sandbox = sandbox("recommend-losers");
    // Pages over HTTP/2 are later with loss.
    let printed = recommend(
        &sandbox,
        &[
            "plan.toml",
            "--today",
            "h3 sequential",
            "--losers",
            "losers.csv",
            "--json",
            "r.json",
        ],
    );
    let csv = sandbox.read("losers.csv");
    let header = "policy,recommended,page,network,share,choice,today,value,change,breaks";
    assert_eq!(csv.lines().next(), Some(header));
    let json: Value = serde_json::from_str(&sandbox.read("r.json")).unwrap();
    let (mut named, mut shown) = (0, 0);
    for policy in json["policies"].as_array().unwrap() {
        let name = match policy["policy"].as_str().unwrap() {
            "http2" => "always HTTP/2",
            "http3" => "always HTTP/3",
            "fixed" => "best fixed choice",
            other => other,
        };
        let worse = policy["worse"].as_array().unwrap().len();
        let rows = csv
            .lines()
            .filter(|line| line.starts_with(&format!("{name},")));
        assert!(rows.count() >= worse, "{name}: {csv}");
        named += worse;
        shown += worse.min(3);
        let all = format!("{name} {worse}");
        assert_eq!(printed.contains(&all), worse > 3, "{all}: {printed}");
    }
    assert!(named > shown, "some are not shown: {csv}");
}

#[test]
fn users_weight_networks() {
    let sandbox = sandbox("recommend-users");
    sandbox.write(
        "users.csv",
        "rtt_ms,down_mbps,loss_percent,weight\n110,2.2,2,3\n30,5,0,1\n900,1,0,0\n",
    );
    let words = ["recommend", "plan.toml", "--users", "users.csv"];
    let run = sandbox.run(&words);
    assert_eq!(run.code, 0, "{}", run.err);
    // A line stands for as many users as its weight says.
    let told = "weighted by the 4 users of users.csv: cable 1, rate 2mbit rtt 100ms loss 2% 3;";
    assert!(run.out.contains(told), "{}", run.out);
    assert!(run.out.contains("cable 25 %, rate 2mbit"), "{}", run.out);
    assert!(
        run.err.contains("outside the range of the networks"),
        "{}",
        run.err
    );
    // A plan may name its mixes, which exports keep.
    sandbox.write(
        "plan.toml",
        &format!("{PLAN}[mix.mobile]\ncable = 0\n\"rate 2mbit rtt 100ms loss 2%\" = 1.5\n"),
    );
    let named = recommend(&sandbox, &["plan.toml", "--mix", "mobile", "--csv"]);
    let poor = ["--where", "network=rate 2mbit rtt 100ms loss 2%", "--csv"];
    assert_eq!(
        named,
        recommend(&sandbox, &[&["plan.toml"], &poor[..]].concat())
    );
    let export = ["study", "export", "plan.toml", "--to", "loads.parquet"];
    assert_eq!(sandbox.run(&export).code, 0);
    assert_eq!(
        recommend(&sandbox, &["loads.parquet", "--mix", "mobile", "--csv"]),
        named
    );
    let error = refused(&sandbox, &["plan.toml", "--mix", "mobil"]);
    assert!(
        error.contains("`mobil` is neither as cable=5 nor a [mix] of the plan, which has mobile"),
        "{error}"
    );
    // Half-way between the networks, by the logarithm, are 53 ms, which all round trips exceed.
    let words = ["recommend", "plan.toml", "--mix", "crux-desktop"];
    let run = sandbox.run(&words);
    assert_eq!(run.code, 0, "{}", run.err);
    let told = "weighted by the round trips of crux-desktop: rate 2mbit rtt 100ms loss 2% 100 %";
    assert!(run.out.contains(told), "{}", run.out);
    let told = "of visits have round trips outside the range of the networks";
    assert!(run.err.contains(told), "{}", run.err);
    let listed = sandbox.run(&["list", "mixes"]);
    assert!(listed.out.contains("\ncrux-desktop\n"), "{}", listed.out);
    // One network with all weight is a study of that network.
    let words = [
        "plan.toml",
        "--mix",
        "cable=2,rate 2mbit rtt 100ms loss 2%=0",
    ];
    let mixed = recommend(&sandbox, &[&words[..], &["--csv"]].concat());
    let alone = ["plan.toml", "--where", "network=cable", "--csv"];
    assert_eq!(mixed, recommend(&sandbox, &alone));
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let sandbox = sandbox("recommend-errors");
    recommend(&sandbox, &["plan.toml"]);
    sandbox.write("empty.csv", "");
    sandbox.write("odd.csv", "down_mbps\n5\n");
    let before = sandbox.names();
    let mistakes: [(&[&str], &str); 13] = [
        (
            &["--mix", "cabel=1"],
            "--mix: no load has the network `cabel`; there are cable,",
        ),
        (
            &["--mix", "cable=-1"],
            "--mix: `cable=-1` is not as cable=5",
        ),
        (
            &["--mix", "cable=0"],
            "--mix: no network has a weight above 0",
        ),
        (&["--users", "empty.csv"], "empty.csv: is empty"),
        (
            &["--users", "odd.csv"],
            "odd.csv: line 1: lacks the column rtt_ms",
        ),
        (&["--users", "none.csv"], "none.csv: cannot be read"),
        (&["--today", "h9"], "has the contender `h9`"),
        (
            &["--where", "protocol=h2"],
            "a recommendation needs two choices at least",
        ),
        (
            &["--where", "page=page1.har"],
            "has all loads of 1 of the pages",
        ),
        (
            &["--metric", "broken-objects"],
            "broken_objects is 0 on page1.har",
        ),
        (&["--no-run"], "--no-run is an option of plans"),
        (
            &["--json", "none/rule.json"],
            "none/rule.json: cannot be written",
        ),
        (&["--depth", "4"], "4 is not in 1..=3"),
    ];
    for (arguments, told) in mistakes {
        let error = refused(&sandbox, &[&["results"], arguments].concat());
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let error = refused(&sandbox, &["none.parquet"]);
    assert!(error.contains("none.parquet: cannot be read"), "{error}");
    assert_eq!(sandbox.names(), before);
}
