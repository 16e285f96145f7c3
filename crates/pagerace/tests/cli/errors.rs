//! Errors in the input are reported in one line, with exit code 2.

use crate::support::{Sandbox, small_har};

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let sandbox = Sandbox::new("wrong");
    sandbox.write("site.har", &small_har());
    sandbox.write("broken.har", "{\"log\": ");
    sandbox.write("other.json", "{\"colour\": \"blue\"}");
    let long = ["--runs", "100000"];
    for (words, expected) in [
        (vec!["race"], "examples/pages/news.har"),
        (vec!["race", "missing.har"], "missing.har"),
        (vec!["race", "broken.har"], "broken.har"),
        (
            vec!["race", "site.har", "--strategy", "teleport"],
            "teleport",
        ),
        (
            vec!["race", "site.har", "--strategy", "hybrid:alpha=2"],
            "alpha",
        ),
        (
            vec!["race", "site.har", "--baseline", "teleport"],
            "--baseline",
        ),
        (
            vec!["race", "site.har", "--network", "warp-speed"],
            "warp-speed",
        ),
        (
            vec!["race", "site.har", "--network", "rate 2 rtt 100ms"],
            "--network",
        ),
        (
            vec!["race", "site.har", "--network", "cable,cable"],
            "cable is given twice",
        ),
        (
            vec!["race", "site.har", "--strategy", "eps,,fifo"],
            "empty item",
        ),
        (vec!["race", "site.har", "--cc", "quantum"], "`cubic`"),
        (
            vec!["race", "site.har", "--cc", "qubic"],
            "did you mean cubic?",
        ),
        (
            vec!["race", "site.har", "-P", "h2", "H3"],
            "H3 is no file but a value of --protocol; write --protocol H3",
        ),
        (
            vec!["race", "site.har", "cable"],
            "cable is no file but a value of --network",
        ),
        (
            vec!["race", "."],
            "name the files in the folder, as in ./*.har",
        ),
        (
            vec!["race", "*.hra"],
            "the shell found no file for this pattern",
        ),
        (
            vec!["race", "site.har", "-n", "4g"],
            "did you mean `fast-4g` or",
        ),
        (vec!["race", "site.har", "--cc", "cubic,cubic"], "twice"),
        (
            vec!["race", "site.har", "--protocol", "h4"],
            "--protocol: `h4`",
        ),
        (
            vec!["race", "site.har", "--protocol", "site.example=h3"],
            "`*=h2`",
        ),
        (vec!["race", "site.har", "--visit", "hot"], "resumed"),
        (
            vec![
                "race",
                "site.har",
                "--protocol",
                "h1",
                "--connections",
                "single",
            ],
            "--connections single",
        ),
        (
            vec![
                "race",
                "site.har",
                "--protocol",
                "h2,h3",
                "--baseline",
                "h1",
            ],
            "none of the contenders: h2, h3",
        ),
        (
            vec!["race", "site.har", "--protocol", "h1,h2", "--qlog", "q"],
            "no contender uses h3",
        ),
        (
            vec!["race", "site.har", "--tls", "real", "--visit", "resumed"],
            "cold visits only",
        ),
        (
            vec!["race", "site.har", "--json", "no/such/dir/out.json"],
            "no/such/dir/out.json",
        ),
        (vec!["race", "site.har", "--json", "."], "."),
        (vec!["race", "site.har", "--json", "site.har"], "overwrite"),
        (
            vec!["race", "site.har", "--json", "x", "--csv", "x"],
            "one file",
        ),
        (
            vec!["race", "site.har", "--qlog", "q", "--qlog-runs", "100001"],
            "no run 100001",
        ),
        (
            vec!["race", "site.har", "site.har", "--page", "1"],
            "--page",
        ),
        (vec!["race", "--scenario", "missing.json"], "missing.json"),
        (vec!["race", "--scenario", "broken.har"], "not JSON"),
        (
            vec!["race", "--scenario", "other.json"],
            "not the results of a race",
        ),
        (vec!["race", "--scenario", "site.har"], "this is a HAR"),
    ] {
        // If the mistake were not found before the race, the command would not end.
        let mut all = words.clone();
        if words.len() > 1 && !words.contains(&"--scenario") {
            all.extend(long);
        }
        let run = sandbox.run(&all);
        assert_eq!(run.code, 2, "{words:?}: {}", run.err);
        assert_eq!(run.out, "", "{words:?}");
        assert!(run.err.starts_with("error: "), "{words:?}: {}", run.err);
        assert_eq!(
            run.err.trim_end().lines().count(),
            1,
            "{words:?}: {}",
            run.err
        );
        assert!(run.err.contains(expected), "{words:?}: {}", run.err);
    }
    let names = sandbox.names();
    assert!(
        names
            .iter()
            .all(|name| !name.contains("partial") && !name.starts_with('x')),
        "{names:?}"
    );
}

#[test]
fn rules_that_a_recording_lacks_are_not_printed() {
    let sandbox = Sandbox::new("no-rules");
    sandbox.write("site.har", &small_har());
    let run = sandbox.run(&["page", "site.har", "--critical-css"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    let error = "error: site.har: the recording does not tell which styles the first screen needs";
    assert!(run.err.starts_with(error), "{}", run.err);
    assert_eq!(run.err.trim_end().lines().count(), 1, "{}", run.err);
}

#[test]
fn explanations_and_transfers_say_what_is_wrong() {
    let sandbox = Sandbox::new("wrong-more");
    sandbox.write("site.har", &small_har());
    for (words, expected) in [
        (
            vec!["explain", "site.har", "h2", "h2 cubic"],
            "nothing to explain",
        ),
        (
            vec!["explain", "site.har", "h2", "h3 qubic"],
            "did you mean cubic?",
        ),
        (vec!["explain", "site.har", "h2", ""], "B: is empty"),
        (
            vec!["explain", "h1", "h2", "site.har"],
            "B: `site.har` is a file;",
        ),
        (vec!["explain", "missing.har", "h2", "h3"], "missing.har"),
        (
            vec!["explain", "site.har", "h2", "h3", "--metric", "tti"],
            "speed-index",
        ),
        (
            vec![
                "explain",
                "site.har",
                "h2",
                "h3",
                "--network",
                "cable,fiber",
            ],
            "expected one network",
        ),
        (
            vec!["explain", "site.har", "h2", "h3", "--json", "site.har"],
            "overwrite",
        ),
        (
            vec!["bulk", "--protocol", "a.example=h3 *=h2"],
            "--protocol",
        ),
        (
            vec![
                "explain",
                "site.har",
                "h2",
                "h3",
                "--deadline",
                "20ms",
                "--runs",
                "2",
            ],
            "loads failed: 2 of 2 with h2 and 2 of 2 with h3 (not loaded after 20 ms)",
        ),
        (
            vec![
                "explain",
                "site.har",
                "h2",
                "h3",
                "--deadline",
                "20ms",
                "--run",
                "2",
            ],
            "run 2: nothing to explain: no run has a value for",
        ),
        (
            vec![
                "explain",
                "site.har",
                "h2 resumed",
                "h3 resumed",
                "--tls-version",
                "1.2",
                "--early-data",
                "on",
            ],
            "TLS 1.2 has none",
        ),
        (vec!["bulk", "--cc", "quantum"], "`cubic`"),
        (vec!["bulk", "--network", "warp-speed"], "warp-speed"),
        (vec!["bulk", "--json", "x", "--report", "x"], "one file"),
    ] {
        let run = sandbox.run(&words);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{words:?}");
        assert_eq!(run.err.trim_end().lines().count(), 1, "{}", run.err);
        assert!(run.err.contains(expected), "{words:?}: {}", run.err);
    }
    assert_eq!(sandbox.names(), ["site.har"]);
}

#[test]
fn arguments_are_checked_before_files_are_read() {
    let sandbox = Sandbox::new("early");
    // The file does not exist, but the arguments are rejected first.
    for (words, expected) in [
        ("--metric cls", "--metric: cls needs real layout"),
        ("--tls real -P h1", "tls: real TLS needs HTTP/3"),
        ("--quic-mtu 1452 -P h2", "quic-mtu: "),
        (
            "--reliability late -P h1",
            "reliability: late changes nothing over h1",
        ),
        ("--early-data on", "early-data: a first visit"),
        ("--tls-version 1.2 -P h3", "tls-version: "),
        ("--json no/such/folder/out.json", "no/such/folder"),
        ("--baseline bbr", "--baseline"),
    ] {
        let all: Vec<&str> = ["race", "missing.har"]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        let run = sandbox.run(&all);
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{words}: {}",
            run.err
        );
        assert!(run.err.contains(expected), "{words}: {}", run.err);
    }
}

#[test]
fn a_race_in_which_every_load_failed_exits_with_three() {
    let sandbox = Sandbox::new("failed");
    sandbox.write("site.har", &small_har());
    let race = [
        "race",
        "site.har",
        "-n",
        "cable",
        "--runs",
        "2",
        "--deadline",
        "1ms",
    ];
    let run = sandbox.run(&[&race[..], &["--json", "out.json"]].concat());
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("loads failed: "), "{}", run.err);
    assert!(run.out.contains("Wrote out.json"), "{}", run.out);
}

#[test]
fn what_the_parser_refuses_exits_with_two() {
    let sandbox = Sandbox::new("usage");
    sandbox.write("site.har", &small_har());
    for words in [
        vec!["race", "site.har", "--runs", "0"],
        vec!["race", "site.har", "--runs", "many"],
        vec!["race", "site.har", "--jobs", "0"],
        vec!["race", "site.har", "--metric", "happiness"],
        vec!["race", "site.har", "--deadline", "5"],
        vec!["race", "site.har", "--jitter", "-1"],
        vec!["race", "site.har", "--browser", "lynx"],
        vec!["race", "site.har", "--qlog-runs", "all"],
        vec!["race", "site.har", "--scenario", "x.json"],
        vec!["race", "site.har", "--tls-version", "1.1"],
        vec!["explain", "site.har", "h2", "h2"],
        vec!["explain", "site.har", "h2", "h3", "--run", "0"],
        vec!["race", "site.har", "--open"],
        vec!["race", "site.har", "--quic-mtu", "1199"],
        vec!["bulk", "--quic-mtu", "1453"],
        vec!["bulk", "--size", "50"],
        vec!["bulk", "--runs", "0"],
        vec!["walk"],
        vec![],
    ] {
        let run = sandbox.run(&words);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{words:?}");
        assert!(!run.err.is_empty(), "{words:?}");
    }
}
