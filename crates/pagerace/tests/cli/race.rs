//! The output of races.

use std::fs;

use crate::recordings;
use crate::support::{Sandbox, small_har};

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
    for network in ["fast-4g", "rate 2mbit rtt 100ms loss 2% queue 1bdp"] {
        // The network appears in the answer and above its table.
        for text in [format!("On {network}, "), format!("\n{network}: ")] {
            assert!(race.out.contains(&text), "{text}: {}", race.out);
        }
    }
    assert!(
        race.out.starts_with("On "),
        "the answer comes first: {}",
        race.out
    );
    for column in [
        "strategy",
        "90 % of loads",
        "80 % range",
        "sooner in",
        "baseline",
    ] {
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
        "12",
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
        "Why: Largest Contentful Paint compared with h1",
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
        first.starts_with("site,cable,h1,cubic,cold,sequential,full,none,unchanged,1,"),
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
        "warning: nosuch.example=h3 applies to no request of site, which has site.example; \
         `pagerace page FILE` shows all\n\
         warning: h2 loads every page exactly as nosuch.example=h3 *=h2 does, and is left out"
    );
    assert_eq!(race("site.example=h3 *=h2,h2").err, "");
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
        race.out.contains("2 pages") && race.out.contains("other/site"),
        "{}",
        race.out
    );
    assert!(
        race.out.contains("probably") && race.out.contains("over 2 pages"),
        "{}",
        race.out
    );
}

#[test]
fn names_are_read_in_any_case_and_lists_add_up() {
    let sandbox = Sandbox::new("case");
    sandbox.write("site.har", &small_har());
    let race = sandbox.run(&[
        "race",
        "site.har",
        "-P",
        "HTTP/2",
        "-P",
        "H3",
        "--cc",
        "CUBIC",
        "--cc",
        "Bbr",
        "-n",
        "Cable",
        "-n",
        "Rate 2Mbit RTT 100ms",
        "-s",
        "Sequential",
        "-m",
        "Speed Index",
        "-r",
        "1",
        "--visits",
        "Cold",
        "--csv",
        "out.csv",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    assert!(
        race.out.contains("Speed Index against h2 cubic"),
        "{}",
        race.out
    );
    let csv = sandbox.read("out.csv");
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 2);
    for line in [
        "site,cable,h2,cubic,cold,sequential,",
        "site,cable,h3,bbr,cold,sequential,",
    ] {
        assert!(
            csv.lines().any(|one| one.starts_with(line)),
            "{line}: {csv}"
        );
    }
    let explained = sandbox.run(&[
        "explain", "site.har", "HTTP/1.1", "H2 BBR", "-n", "cable", "-m", "LCP", "-r", "1",
    ]);
    assert_eq!((explained.code, explained.err.as_str()), (0, ""));
    let two = sandbox.run(&[
        "explain", "site.har", "h1", "h2", "-n", "cable", "-n", "slow-4g",
    ]);
    assert_eq!(two.code, 2);
    assert!(
        two.err.contains("expected one network, found 2"),
        "{}",
        two.err
    );
}

#[test]
fn one_contender_compares_the_pages() {
    let sandbox = Sandbox::new("beside");
    sandbox.write("before.har", &small_har());
    let larger = small_har().replace("90000", "490000");
    let larger = larger.replace("90100", "490100");
    sandbox.write("after.har", &larger);
    let race = sandbox.run(&[
        "race",
        "before.har",
        "after.har",
        "-s",
        "sequential",
        "-n",
        "cable,slow-4g",
        "-r",
        "3",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    for text in [
        "One contender, sequential: the pages are compared with the first, before.",
        " page    ",
        "lowest to highest",
        "On cable, after shows the largest element ",
        "On slow-4g, after shows the largest element ",
        " % later than before in every run.",
    ] {
        assert!(race.out.contains(text), "{text}: {}", race.out);
    }
    assert_eq!(
        race.out
            .matches("The model's error is not measured")
            .count(),
        1
    );
    assert!(!race.out.contains("raced alone"), "{}", race.out);
    let twice = sandbox.run(&[
        "race",
        "before.har",
        "before.har",
        "-s",
        "sequential",
        "-n",
        "cable",
        "-r",
        "2",
    ]);
    let told = "before (2) and before differ by less than 1.0 %.";
    assert!(twice.out.contains(told), "{}", twice.out);
}

#[test]
fn a_recording_that_cannot_be_read_is_skipped() {
    let sandbox = Sandbox::new("skipped");
    sandbox.write("site.har", &small_har());
    sandbox.write("bad.har", "{\"log\": ");
    sandbox.write("worse.har", "{\"log\": {\"entries\": []}}");
    let options = ["-s", "sequential,eps", "-n", "cable", "-r", "2"];
    let race = |files: &[&str]| sandbox.run(&[&["race"], files, &options].concat());
    let some = race(&["bad.har", "site.har", "worse.har"]);
    assert_eq!(some.code, 0, "{}", some.err);
    assert!(
        some.err.starts_with("error: bad.har: line 1, "),
        "{}",
        some.err
    );
    assert!(some.err.contains("error: worse.har: "), "{}", some.err);
    assert_eq!(some.err.lines().count(), 2, "{}", some.err);
    let last = some.out.lines().last();
    let told = "2 of 3 recordings were skipped; standard error says why.";
    assert_eq!(last, Some(told), "{}", some.out);
    assert!(some.out.contains("site: 5 requests"), "{}", some.out);
    let all = race(&["bad.har", "worse.har"]);
    assert_eq!((all.code, all.out.as_str()), (2, ""));
    let told = "error: none of the 2 files can be read as a recording";
    assert!(all.err.contains(told), "{}", all.err);
    let missing = race(&["site.har", "missing.har"]);
    assert_eq!((missing.code, missing.out.as_str()), (2, ""));
}

#[test]
fn all_recordings_race_together() {
    let hars: Vec<String> = recordings::all()
        .iter()
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
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
    words.extend(["--csv", "out.csv", "--no-progress", "--no-layout"]);
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

#[test]
fn films_are_pictures_of_one_page() {
    let sandbox = Sandbox::new("films");
    sandbox.write("site.har", &small_har());
    let race = [
        "race", "site.har", "-P", "h2,h3", "-n", "cable", "--runs", "2",
    ];
    let run = |more: &[&str]| sandbox.run(&[&race[..], more].concat());
    let done = run(&["--film", "strip.png", "--film", "film.gif"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let begins = |file: &str, magic: &[u8]| {
        let bytes = fs::read(sandbox.path(file)).expect("a file");
        bytes.starts_with(magic)
    };
    assert!(begins("strip.png", b"\x89PNG") && begins("film.gif", b"GIF89a"));
    let wrong = run(&["--film", "film.mp4"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("--film writes .png or .gif"),
        "{}",
        wrong.err
    );
}
