//! Races of reliability policies.

use serde_json::Value;

use crate::support::{Sandbox, small_har};

const LOSSY: &str = "rate 5mbit rtt 60ms loss 5% queue 100p";

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("site.har", &small_har());
    sandbox
}

#[test]
fn policies_race_and_say_what_they_broke() {
    let sandbox = sandbox("policies");
    let race = sandbox.run(&[
        "race",
        "site.har",
        "-R",
        "full,datagram:images,js,late,adaptive",
        "-n",
        LOSSY,
        "-r",
        "12",
        "-m",
        "onload",
        "--csv",
        "out.csv",
        "--json",
        "out.json",
        "--sessions",
        "sessions.json",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    for text in [
        "against full",
        "datagram:images+js",
        "Objects: medians of the runs",
        "Broken objects, in the median run: datagram:images+js",
    ] {
        assert!(race.out.contains(text), "{text}: {}", race.out);
    }
    let csv = sandbox.read("out.csv");
    assert!(
        csv.contains(",sequential,datagram:images+js,none,"),
        "{csv}"
    );
    let sessions: Value = serde_json::from_str(&sandbox.read("sessions.json")).unwrap();
    let sessions = sessions["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 4 * 12);
    let objects = |session: &Value| session["objects"].as_array().unwrap().clone();
    let states: Vec<_> = sessions.iter().flat_map(objects).collect();
    assert!(
        states
            .iter()
            .any(|o| o["state"] == "broken" && o["transport"] == "datagrams")
    );
    for session in sessions
        .iter()
        .filter(|s| s["contender"] != "datagram:images+js")
    {
        assert_eq!(session["objects_complete"], session["objects_total"]);
    }
    let again = sandbox.run(&["race", "--scenario", "out.json", "--json", "again.json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(sandbox.read("out.json"), sandbox.read("again.json"));
}

#[test]
fn where_nothing_can_be_chosen_a_policy_races_once() {
    let sandbox = sandbox("once-each");
    let race = sandbox.run(&[
        "race",
        "site.har",
        "-P",
        "h1,h2,h3",
        "-R",
        "full,late,datagram:images",
        "-n",
        "cable",
        "-r",
        "1",
        "--csv",
        "out.csv",
    ]);
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    let csv = sandbox.read("out.csv");
    let raced: Vec<String> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            format!("{} {}", fields[2], fields[6])
        })
        .collect();
    assert_eq!(
        raced,
        [
            "h1 full",
            "h2 full",
            "h2 late",
            "h3 full",
            "h3 late",
            "h3 datagram:images"
        ]
    );
}

#[test]
fn what_selects_nothing_is_told() {
    let sandbox = sandbox("idle");
    let race = sandbox.run(&[
        "race",
        "site.har",
        "-R",
        "full,datagram:cdn.nowhere.test",
        "-n",
        "cable",
        "-r",
        "1",
    ]);
    assert_eq!(race.code, 0);
    assert!(
        race.err
            .contains("datagram:cdn.nowhere.test selects no object of site"),
        "{}",
        race.err
    );
}

#[test]
fn sequences_race_as_pages() {
    let sandbox = sandbox("sequence");
    let export = sandbox.run(&["objects", "site.har", "-o", "out"]);
    assert_eq!(export.code, 0, "{}", export.err);
    let race = sandbox.run(&[
        "race",
        "out/transfer_sequence.json",
        "srivastava-news-2",
        "-R",
        "full,datagram:fonts",
        "-n",
        "srivastava-12mbit",
        "-r",
        "1",
        "-m",
        "onload",
        "--csv",
        "out.csv",
    ]);
    assert_eq!(race.code, 0, "{}", race.err);
    let csv = sandbox.read("out.csv");
    let own = csv
        .lines()
        .find(|line| line.starts_with("srivastava-news-2,"));
    let fields: Vec<&str> = own.unwrap().split(',').collect();
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let at = names.iter().position(|name| *name == "onload_ms").unwrap();
    let onload: f64 = fields[at].parse().unwrap();
    // Srivastava 2024, figure 15: 11.68 s.
    assert!((11_000.0..12_500.0).contains(&onload), "{onload}");
    assert!(csv.contains("\nout,"), "{csv}");
}

#[test]
fn mistakes_are_told() {
    let sandbox = sandbox("mistakes");
    for (policies, told) in [
        ("ful", "did you mean full?"),
        ("datagram", "needs a selection"),
        ("deadline:soon", "not a time"),
        ("fec:2", "not a share"),
        ("full,full", "twice"),
    ] {
        let race = sandbox.run(&["race", "site.har", "-R", policies, "-n", "cable"]);
        assert_eq!(race.code, 2, "{policies}");
        assert!(race.err.contains(told), "{policies}: {}", race.err);
    }
    let race = sandbox.run(&["race", "srivastava-news-7", "-n", "cable"]);
    assert_eq!(race.code, 2);
    assert!(
        race.err.contains("srivastava-news-1 to srivastava-news-6"),
        "{}",
        race.err
    );
}

#[test]
fn policies_are_listed_and_explained() {
    let sandbox = sandbox("listed");
    let list = sandbox.run(&["list", "policies"]);
    for name in ["full", "datagram", "deadline", "fec", "late", "adaptive"] {
        assert!(list.out.contains(&format!("\n{name}\n")) || list.out.starts_with(name));
    }
    let why = sandbox.run(&[
        "explain",
        "site.har",
        "full",
        "late:images",
        "-n",
        LOSSY,
        "-r",
        "3",
    ]);
    assert_eq!(why.code, 0, "{}", why.err);
}
