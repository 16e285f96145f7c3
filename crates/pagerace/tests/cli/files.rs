//! Output files and their completeness.

use std::fs;

use crate::support::{Sandbox, small_har};

#[test]
fn threads_and_repetition_do_not_show_in_the_files() {
    let sandbox = Sandbox::new("threads");
    sandbox.write("site.har", &small_har());
    // Threads also fit the pages to their recordings.
    sandbox.write(
        "slower.har",
        &small_har().replace("\"wait\": 60", "\"wait\": 160"),
    );
    let race = |jobs: &str, json: &str| {
        let run = sandbox.run(&[
            "race",
            "site.har",
            "slower.har",
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
    // A header, and two runs each of the baseline and one strategy.
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
    // One connection with two endpoints.
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

#[cfg(unix)]
#[test]
fn an_interrupted_race_leaves_nothing() {
    let sandbox = Sandbox::new("interrupt");
    sandbox.write("site.har", &small_har());
    let words = [
        "race", "site.har", "--runs", "100000", "--json", "out.json", "--report", "out.html",
    ];
    for mut command in [sandbox.command(&words), sandbox.deaf(&words)] {
        let mut child = command.spawn().unwrap();
        // Long enough to start racing, and far too short to finish.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let killed = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(sandbox.names(), ["site.har"]);
    }
}
