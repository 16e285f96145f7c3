//! Corpora: providers and versions from recordings, pairs of loads, and refusals.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use serde_json::Value;

use crate::support::{Sandbox, small_har};

/// Returns a sandbox with two pages of one host each; the first announces HTTP/3.
fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    let mut har: Value = serde_json::from_str(&small_har()).unwrap();
    for entry in har["log"]["entries"].as_array_mut().unwrap() {
        entry["response"]["httpVersion"] = "h2".into();
        let headers = [("CF-Ray", "1-ARN"), ("Alt-Svc", "h3=\":443\"; ma=86400")];
        entry["response"]["headers"] = headers
            .map(|(name, value)| serde_json::json!({"name": name, "value": value}))
            .to_vec()
            .into();
    }
    sandbox.write("cloud.har", &har.to_string());
    let plain = small_har().replace("site.example", "plain.example");
    let plain = plain.replace("192.0.2.1", "192.0.2.2");
    sandbox.write("plain.har", &plain.replace("\"h3\"", "\"h2\""));
    sandbox
}

fn corpus(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let all = [&["corpus", "cloud.har", "plain.har"], arguments].concat();
    let run = sandbox.run(&all);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run.out
}

#[test]
fn recordings_alone_show_providers_and_versions() {
    let sandbox = sandbox("corpus-recordings");
    let out = corpus(&sandbox, &["--no-loads", "--json", "a.json"]);
    for part in [
        "Pagerace 0.1.0: 2 pages, 10 answered requests\n",
        "Evidence: fields of the response 100.0 %.\n",
        " Cloudflare  yes                   5  100.0 %        0.0 %         100.0 %      1 \n"
            .trim_end(),
        "Wrote a.json\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let json: Value = serde_json::from_str(&sandbox.read("a.json")).unwrap();
    assert_eq!(json["findings"]["reductions"], Value::Null);
    assert_eq!(json["findings"]["pages"][0]["http3_cdn_requests"], 5);
}

#[test]
fn a_recording_that_cannot_be_read_is_skipped() {
    let sandbox = sandbox("corpus-skipped");
    sandbox.write("bad.har", "[1]");
    let corpus = |files: &[&str]| sandbox.run(&[&["corpus", "--no-loads"], files].concat());
    let some = corpus(&["bad.har", "plain.har"]);
    assert_eq!(some.code, 0, "{}", some.err);
    assert!(some.err.starts_with("error: bad.har: "), "{}", some.err);
    assert!(
        some.out.contains(": 1 page, 5 answered requests"),
        "{}",
        some.out
    );
    let last = some.out.lines().last();
    assert_eq!(
        last,
        Some("1 of 2 recordings was skipped; standard error says why.")
    );
    let one = corpus(&["bad.har"]);
    assert_eq!((one.code, one.out.as_str()), (2, ""), "{}", one.err);
}

#[test]
fn pairs_are_the_loads_of_races_on_any_number_of_threads() {
    let sandbox = sandbox("corpus-pairs");
    let options = ["--runs", "3", "-n", "cable", "--origin-rtt", "same"];
    let one = [
        "--jobs",
        "1",
        "--json",
        "1.json",
        "-o",
        "1.parquet",
        "--loads",
        "1.loads",
    ];
    let out = corpus(&sandbox, &[&options[..], &one].concat());
    assert!(
        out.contains("1 page without requests to content delivery"),
        "{out}"
    );
    let three = [
        "--jobs",
        "3",
        "--json",
        "3.json",
        "-o",
        "3.parquet",
        "--loads",
        "3.loads",
    ];
    corpus(&sandbox, &[&options[..], &three].concat());
    assert_eq!(sandbox.read("1.json"), sandbox.read("3.json"));
    let bytes = |name| std::fs::read(sandbox.path(name)).unwrap();
    assert_eq!(bytes("1.parquet"), bytes("3.parquet"));
    assert_eq!(bytes("1.loads"), bytes("3.loads"));
    let run = sandbox.run(&["recommend", "1.loads", "--today", "h2"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for part in ["today: h2\n", "cable 100 %"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let run = sandbox.run(&["recommend", "1.parquet"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`pagerace corpus --loads`"), "{}", run.err);
    let race = [
        "race",
        "cloud.har",
        "-P",
        "h2,h3",
        "-n",
        "cable",
        "--runs",
        "3",
        "--worlds",
        "nominal",
    ];
    let race = sandbox.run(&[&race[..], &["--json", "race.json"]].concat());
    assert_eq!(race.code, 0, "{}", race.err);
    let json: Value = serde_json::from_str(&sandbox.read("1.json")).unwrap();
    let race: Value = serde_json::from_str(&sandbox.read("race.json")).unwrap();
    let pairs = json["findings"]["pages"][0]["pairs"][0]["onload_ms"]
        .as_array()
        .unwrap();
    for (run, pair) in pairs.iter().enumerate() {
        for contender in 0..2 {
            let onload = &race["results"][contender]["values"]["onload_ms"][run];
            let ms = onload.as_f64().unwrap();
            let found = pair[contender].as_f64().unwrap();
            assert!((found - ms).abs() < 1e-6, "{run} {contender}: {found} {ms}");
        }
    }
}

#[test]
fn the_report_has_figures() {
    let sandbox = sandbox("corpus-report");
    corpus(
        &sandbox,
        &["--runs", "2", "-n", "cable", "--report", "a.html"],
    );
    let page = sandbox.read("a.html");
    assert!(page.contains("<h2>Consecutive visits, cable</h2>"));
    assert!(page.contains("id=\"figure-6\""));
}

#[test]
fn sections_of_markdown_files_are_written_again() {
    let sandbox = sandbox("corpus-markdown");
    sandbox.write("a.md", "# Studies\n\nText.\n");
    corpus(&sandbox, &["--no-loads", "--markdown", "a.md"]);
    let first = sandbox.read("a.md");
    assert!(
        first.starts_with("# Studies\n\nText.\n\n<!-- begin of study corpus:"),
        "{first}"
    );
    assert!(
        first.contains("\n| Cloudflare | yes | 5 | 100.0 % |"),
        "{first}"
    );
    corpus(&sandbox, &["--no-loads", "--markdown", "a.md"]);
    assert_eq!(sandbox.read("a.md"), first);
}

#[test]
fn what_cannot_be_read_or_written_is_refused() {
    let sandbox = sandbox("corpus-refused");
    sandbox.write("bad.har", "{");
    for (arguments, part) in [
        (&["bad.har"][..], "bad.har"),
        (
            &["cloud.har", "--json", "cloud.har"],
            "would overwrite the input",
        ),
        (&["cloud.har", "-n", "cable,cable"], "cable is given twice"),
        (&["cloud.har", "--cc", "fast"], "--cc"),
        (&["cloud.har", "--no-loads", "--runs", "3"], "--runs"),
        (&["cloud.har", "-o", "nosuch/a.parquet"], "nosuch"),
    ] {
        let run = sandbox.run(&[&["corpus"], arguments].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(part), "{arguments:?}: {}", run.err);
    }
}
