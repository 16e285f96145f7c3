//! The command line, as its users meet it.

mod support;

use std::fs;

use support::{Sandbox, small_har};

#[test]
fn help_shows_examples_and_version_is_told() {
    let sandbox = Sandbox::new("help");
    let help = sandbox.run(&["race", "--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("Examples:") && help.out.contains("--scenario out.json"));
    let version = sandbox.run(&["--version"]);
    assert_eq!(
        version.out.trim(),
        concat!("pagerace ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn lists_name_everything_with_sources() {
    let sandbox = Sandbox::new("lists");
    for (what, known) in [
        ("strategies", "weighted-incremental"),
        ("networks", "slow-4g"),
        ("metrics", "speed-index"),
        ("browsers", "firefox"),
        ("controllers", "cubic"),
        ("protocols", "h2"),
    ] {
        let list = sandbox.run(&["list", what]);
        assert_eq!((list.code, list.err.as_str()), (0, ""), "{what}");
        assert!(
            list.out.lines().any(|line| line == known),
            "{what}: {}",
            list.out
        );
    }
    assert!(sandbox.run(&["list", "networks"]).out.contains("Source: "));
    assert_eq!(sandbox.run(&["list", "cheeses"]).code, 2);
}

#[test]
fn a_race_ranks_and_tells() {
    let sandbox = Sandbox::new("race");
    sandbox.write("site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "--strategy",
        "sequential,round-robin",
        "--network",
        "fast-4g,rate 2mbit rtt 100ms loss 2% queue 1bdp",
        "--runs",
        "6",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    assert!(race.out.contains("seed 1, 6 runs each"), "{}", race.out);
    assert!(
        race.out
            .contains("Largest Contentful Paint against sequential"),
        "{}",
        race.out
    );
    for network in ["fast-4g: ", "rate 2mbit rtt 100ms loss 2% queue 1bdp: "] {
        // Once above the table, once in the sentence.
        assert!(
            race.out.matches(network).count() >= 2,
            "{network}: {}",
            race.out
        );
    }
    for column in ["strategy", "95 % interval", "effect", "p (U)", "baseline"] {
        assert!(race.out.contains(column), "{column}: {}", race.out);
    }
    assert!(!race.out.contains('\x1b'), "colours although nobody looks");
}

#[test]
fn protocols_race_and_are_explained() {
    let sandbox = Sandbox::new("protocols");
    sandbox.write("site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "--protocol",
        "h1,h2,site.example=h3 *=h2",
        "--network",
        "cable",
        "--runs",
        "3",
        "--json",
        "out.json",
        "--csv",
        "out.csv",
        "--report",
        "out.html",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    let out = &race.out;
    for text in [
        "against h1",
        "strategy sequential",
        " variant ",
        "Why: Largest Contentful Paint beyond h1's",
        "connection set-up",
        "site.example=h3 *=h2 shows the largest element",
    ] {
        assert!(out.contains(text), "{text}: {out}");
    }
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    let explained = json["explanations"].as_array().unwrap();
    assert_eq!(explained.len(), 2);
    for why in explained {
        let parts = why["parts"].as_array().unwrap().iter();
        let sum: i64 = parts.map(|p| p["difference_ns"].as_i64().unwrap()).sum();
        assert_eq!(sum, why["difference_ns"].as_i64().unwrap());
    }
    let first = sandbox.read("out.csv");
    let first = first.lines().nth(1).unwrap();
    assert!(
        first.starts_with("site,cable,h1,cubic,cold,sequential,1,"),
        "{first}"
    );
    assert!(sandbox.read("out.html").contains("\"whys\":[{"));
    let again = sandbox.run(&["race", "--scenario", "out.json", "--json", "again.json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(sandbox.read("out.json"), sandbox.read("again.json"));
}

#[test]
fn strategies_race_once_over_http_1_1() {
    let sandbox = Sandbox::new("once");
    sandbox.write("site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "--protocol",
        "h1,h2",
        "--strategy",
        "sequential,fifo",
        "--baseline",
        "fifo",
        "--network",
        "cable",
        "--runs",
        "1",
        "--csv",
        "out.csv",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    assert!(race.out.contains("against h2 fifo"), "{}", race.out);
    assert!(race.out.contains("races once"), "{}", race.out);
    assert_eq!(sandbox.read("out.csv").lines().count(), 1 + 3);
}

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
        out.contains("the median of 3") && out.contains("The critical path with h1:"),
        "{out}"
    );
    // The numbers of a row; the last row is the sum of those above it.
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
fn a_large_transfer_is_compared() {
    let sandbox = Sandbox::new("bulk");
    let words = [
        "bulk",
        "--size",
        "2MB",
        "--cc",
        "cubic,reno",
        "--network",
        "cable",
        "--runs",
        "2",
    ];
    let with = |more: &[&str]| {
        let run = sandbox.run(&[&words, more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    let out = with(&["--json", "one.json", "--report", "out.html", "--jobs", "1"]);
    for text in [
        "h2 cubic",
        "h3 reno",
        "goodput",
        "overhead",
        "Wrote out.html",
    ] {
        assert!(out.contains(text), "{text}: {out}");
    }
    with(&["--json", "two.json", "--jobs", "2"]);
    assert_eq!(
        sandbox.read("one.json"),
        sandbox.read("two.json"),
        "threads show"
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("one.json")).unwrap();
    assert_eq!(json["results"].as_array().unwrap().len(), 4);
    for cell in json["results"].as_array().unwrap() {
        // Not above the link's 5 Mbit/s, and headers are a few per cent.
        let goodput = cell["goodput_bits_per_second"].as_f64().unwrap();
        assert!((2e6..5e6).contains(&goodput), "{goodput}");
        let overhead = cell["overhead_percent"].as_f64().unwrap();
        assert!((2.0..20.0).contains(&overhead), "{overhead}");
    }
    assert!(sandbox.read("out.html").trim_end().ends_with("</html>"));
}

#[test]
fn transfers_that_fail_are_told_and_counted() {
    let sandbox = Sandbox::new("bulk-fails");
    let words = ["bulk", "--size", "2MB", "--network", "cable", "--runs", "2"];
    let run = sandbox.run(&[&words[..], &["--deadline", "1s", "--json", "out.json"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for text in [
        "∞",
        "2 of 2",
        "cable: all transfers failed.",
        "4 of 4 transfers failed: not complete after 1000 ms",
    ] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    assert_eq!(json["results"][0]["failed_runs"], 2);
    assert!(json["results"][0]["time_ms"].is_null());
}

#[test]
fn rules_without_a_host_are_warned_of() {
    let sandbox = Sandbox::new("rules");
    sandbox.write("site.har", &small_har());
    let words = [
        "race",
        "site.har",
        "--network",
        "cable",
        "--runs",
        "1",
        "--protocol",
    ];
    let race = |protocols: &str| sandbox.run(&[&words[..], &[protocols]].concat());
    let wrong = race("nosuch.example=h3 *=h2,h2");
    assert_eq!(wrong.code, 0);
    assert_eq!(
        wrong.err.trim_end(),
        "warning: nosuch.example=h3 decides for no host of site, which has site.example; \
         `pagerace page FILE` shows all"
    );
    assert_eq!(race("site.example=h3 *=h2,h2").err, "");
}

#[test]
fn larger_quic_packets_make_less_overhead() {
    let sandbox = Sandbox::new("mtu");
    // So deep a queue that nothing is lost: repairs would hide what headers cost.
    let network = "rate 5mbit rtt 28ms queue 100bdp";
    let words = ["bulk", "--size", "1MB", "--network", network, "--runs", "1"];
    let overhead = |mtu: &str| {
        let more = ["--json", "out.json", "--quic-mtu", mtu];
        let run = sandbox.run(&[&words[..], &more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        assert!(
            run.out.contains(&format!("QUIC packets of {mtu} bytes")),
            "{}",
            run.out
        );
        let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
        assert_eq!(json["results"][1]["protocol"], "h3");
        json["results"][1]["overhead_percent"].as_f64().unwrap()
    };
    let (small, large) = (overhead("1200"), overhead("1452"));
    assert!(large < small - 0.3, "{large} % and {small} %");
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let sandbox = Sandbox::new("colour");
    sandbox.write("site.har", &small_har());
    let words = [
        "race",
        "site.har",
        "--strategy",
        "eps",
        "--network",
        "cable",
        "--runs",
        "1",
    ];
    let forced = sandbox.run_with(&words, &[("CLICOLOR_FORCE", "1")]);
    assert!(forced.out.contains('\x1b'), "{}", forced.out);
    let forbidden = sandbox.run_with(&words, &[("NO_COLOR", "1")]);
    assert!(!forbidden.out.contains('\x1b'), "{}", forbidden.out);
}

#[test]
fn threads_and_repetition_do_not_show_in_the_files() {
    let sandbox = Sandbox::new("threads");
    sandbox.write("site.har", &small_har());
    let race = |jobs: &str, json: &str| {
        let run = sandbox.run(&[
            "race",
            "site.har",
            "--strategy",
            "sequential,round-robin",
            "--network",
            "lossy-wifi",
            "--runs",
            "4",
            "--jobs",
            jobs,
            "--json",
            json,
        ]);
        assert_eq!(run.code, 0, "{}", run.err);
        sandbox.read(json)
    };
    let one = race("1", "one.json");
    assert_eq!(one, race("2", "two.json"), "threads show");
    let again = sandbox.run(&["race", "--scenario", "one.json", "--json", "again.json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(
        one,
        sandbox.read("again.json"),
        "the scenario is another race"
    );
}

#[test]
fn all_files_are_written_whole_and_nothing_else() {
    let sandbox = Sandbox::new("files");
    sandbox.write("site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "--strategy",
        "eps",
        "--network",
        "cable",
        "--runs",
        "2",
        "--json",
        "out.json",
        "--csv",
        "out.csv",
        "--report",
        "out.html",
    ]);
    assert_eq!(race.code, 0, "{}", race.err);
    let names = sandbox.names();
    assert_eq!(
        names,
        [
            "out-comparisons.csv",
            "out.csv",
            "out.html",
            "out.json",
            "site.har"
        ]
    );
    // Baseline and one strategy, two runs each, and the header.
    assert_eq!(sandbox.read("out.csv").lines().count(), 5);
    assert_eq!(sandbox.read("out-comparisons.csv").lines().count(), 3);
    assert!(sandbox.read("out.html").trim_end().ends_with("</html>"));
    for name in ["out.json", "out.csv", "out-comparisons.csv", "out.html"] {
        assert!(race.out.contains(&format!("Wrote {name}")), "{}", race.out);
    }
}

#[test]
fn qlogs_of_chosen_runs() {
    let sandbox = Sandbox::new("qlog");
    sandbox.write("site.har", &small_har());
    let words = [
        "race",
        "site.har",
        "--strategy",
        "sequential",
        "--network",
        "cable",
        "--runs",
        "3",
    ];
    let race = |more: &[&str]| {
        let run = sandbox.run(&[&words, more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
    };
    race(&["--qlog", "median"]);
    race(&["--qlog", "some/where", "--qlog-runs", "1,3"]);
    let names = |dir: &str| -> Vec<String> {
        let entries = fs::read_dir(sandbox.path(dir)).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    // One connection, two ends.
    assert_eq!(names("median").len(), 2, "{:?}", names("median"));
    let some = names("some/where");
    assert_eq!(some.len(), 4, "{some:?}");
    assert!(
        some[0].starts_with("site_cable_sequential_run1_conn0_client"),
        "{some:?}"
    );
    assert!(
        some[2].starts_with("site_cable_sequential_run3_"),
        "{some:?}"
    );
    for name in some {
        assert!(
            sandbox
                .read(&format!("some/where/{name}"))
                .contains("packet_sent"),
            "{name}"
        );
    }
}

#[test]
fn several_pages_are_counted() {
    let sandbox = Sandbox::new("pages");
    sandbox.write("site.har", &small_har());
    fs::create_dir(sandbox.path("other")).unwrap();
    sandbox.write("other/site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "other/site.har",
        "--strategy",
        "round-robin",
        "--network",
        "cable",
        "--runs",
        "2",
    ]);
    assert_eq!(race.code, 0, "{}", race.err);
    assert!(
        race.out.contains("2 pages") && race.out.contains("site (2)"),
        "{}",
        race.out
    );
    assert!(
        race.out.contains("gain > 5") && race.out.contains("over 2 pages"),
        "{}",
        race.out
    );
}

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
            "cable is there twice",
        ),
        (
            vec!["race", "site.har", "--strategy", "eps,,fifo"],
            "empty item",
        ),
        (vec!["race", "site.har", "--cc", "quantum"], "`cubic`"),
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
            "among those that race: h2, h3",
        ),
        (
            vec!["race", "site.har", "--protocol", "h1,h2", "--qlog", "q"],
            "nothing in this race speaks h3",
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
        // Were the mistake not found before the race, this would not end.
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
            "one is explained",
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
            "run 2: nothing to explain: no run has a value of",
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
        vec!["explain", "site.har", "h2"],
        vec!["explain", "site.har", "h2", "h3", "--run", "0"],
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

#[cfg(unix)]
#[test]
fn an_interrupted_race_leaves_nothing() {
    let sandbox = Sandbox::new("interrupt");
    sandbox.write("site.har", &small_har());
    let mut child = sandbox
        .command(&[
            "race", "site.har", "--runs", "100000", "--json", "out.json", "--report", "out.html",
        ])
        .spawn()
        .unwrap();
    // Long enough to be racing, far too short to be done.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.names(), ["site.har"]);
}

#[test]
fn real_recordings_race_together() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/har");
    let Ok(entries) = fs::read_dir(data) else {
        eprintln!("skipped: ../shared/data is not there (real recordings)");
        return;
    };
    let mut hars: Vec<String> = entries
        .map(|e| e.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".har.gz"))
        .collect();
    hars.sort();
    let sandbox = Sandbox::new("real");
    let mut words = vec!["race"];
    words.extend(hars.iter().map(String::as_str));
    words.extend([
        "--strategy",
        "sequential",
        "--network",
        "fiber",
        "--runs",
        "1",
    ]);
    words.extend(["--csv", "out.csv"]);
    let race = sandbox.run(&words);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    let csv = sandbox.read("out.csv");
    assert_eq!(csv.lines().count(), 1 + hars.len());
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let (failure, onload, ttfb) = (column("failure"), column("onload_ms"), column("ttfb_ms"));
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[failure], "", "{line}");
        let number = |i: usize| -> f64 { fields[i].parse().unwrap() };
        assert!(
            number(ttfb) > 0.0 && number(onload) >= number(ttfb),
            "{line}"
        );
    }
}
