//! Blocking and delaying requests.

use crate::support::{Sandbox, small_har};

/// Returns the small page with its script on another host.
fn with_third_party() -> String {
    small_har().replace(
        "https://site.example/app.js",
        "https://cdn.elsewhere.test/app.js",
    )
}

const SHORT: [&str; 6] = ["--network", "cable", "--runs", "12", "--metric", "onload"];

#[test]
fn what_if_adds_variants_beside_the_original() {
    let sandbox = Sandbox::new("what-if");
    sandbox.write("site.har", &with_third_party());
    let words = [
        "race",
        "site.har",
        "--what-if",
        "css=400ms,js=300ms,none",
        "--json",
        "out.json",
        "--csv",
        "out.csv",
    ];
    let race = sandbox.run(&[&words[..], &SHORT].concat());
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    for text in [
        "Page Load Time against original",
        "css=400ms",
        "Why: Page Load Time compared with original",
        "How sure: ",
    ] {
        assert!(race.out.contains(text), "{text}: {}", race.out);
    }
    let csv = sandbox.read("out.csv");
    assert_eq!(csv.lines().count(), 1 + 3 * 12);
    let first = csv.lines().nth(1).unwrap();
    assert!(
        first.starts_with("site,cable,h3,cubic,cold,sequential,full,none,unchanged,1,"),
        "{first}"
    );
    assert!(
        csv.contains(",sequential,full,js=300ms,unchanged,6,"),
        "{csv}"
    );
    let again = sandbox.run(&["race", "--scenario", "out.json", "--json", "again.json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(sandbox.read("out.json"), sandbox.read("again.json"));
}

#[test]
fn a_host_that_is_down_never_lets_the_page_finish() {
    let sandbox = Sandbox::new("each-host");
    sandbox.write("site.har", &with_third_party());
    let race = sandbox.run(&[&["race", "site.har", "--what-if", "each-host"][..], &SHORT].concat());
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    for text in [
        "cdn.elsewhere.test=hang",
        "∞",
        "original fires the load event where cdn.elsewhere.test=hang mostly never does.",
        "Some requests are never answered",
    ] {
        assert!(race.out.contains(text), "{text}: {}", race.out);
    }
    assert!(!race.out.contains("failed"), "{}", race.out);
    let none = sandbox.run(&[
        "race",
        "site.har",
        "--what-if",
        "each-host",
        "--block",
        "ads",
    ]);
    assert_eq!(none.code, 2, "there are no ads: {}", none.err);
}

#[test]
fn what_all_variants_share_is_told_once() {
    let sandbox = Sandbox::new("block-all");
    sandbox.write("site.har", &with_third_party());
    let words = [
        "race",
        "site.har",
        "--strategy",
        "sequential,fifo",
        "--block",
        "cdn.elsewhere.test",
        "--delay",
        "images=50ms",
        "--dns",
        "none",
    ];
    let race = sandbox.run(&[&words[..], &SHORT].concat());
    assert_eq!((race.code, race.err.as_str()), (0, ""));
    let facts = race.out.replace('\n', " ");
    assert!(
        facts.contains("no name look-ups, with cdn.elsewhere.test=refused images=50ms"),
        "{}",
        race.out
    );
}

#[test]
fn an_intervention_is_explained() {
    let sandbox = Sandbox::new("explain-delay");
    sandbox.write("site.har", &with_third_party());
    let explain = sandbox.run(&[
        "explain", "site.har", "h3", "css=1s", "--runs", "3", "--metric", "fcp",
    ]);
    assert_eq!((explain.code, explain.err.as_str()), (0, ""));
    assert!(
        explain.out.contains("more time for server"),
        "{}",
        explain.out
    );
}

#[test]
fn mistakes_in_interventions_are_said() {
    let sandbox = Sandbox::new("wrong-interventions");
    sandbox.write("site.har", &with_third_party());
    for (option, value, expected) in [
        ("--what-if", "fontss=1s", "did you mean fonts?"),
        ("--what-if", "fonts=1s", "selects no request of site"),
        ("--what-if", "css=soon", "`soon`"),
        ("--what-if", "css=1s,css=1000ms", "twice"),
        ("--what-if", "each-host=1s", "each-host=refused"),
        ("--what-if", "html=hang", "blocks site itself"),
        ("--block", "css=1s", "--delay css=1s"),
        (
            "--block",
            "cdn.elsewere.test",
            "did you mean cdn.elsewhere.test?",
        ),
        ("--delay", "css", "`css=1s`"),
        ("--delay", "css=hang", "--block css=hang"),
        ("--delay", "css=2h", "from 1ns to 60min"),
    ] {
        let run = sandbox.run(&["race", "site.har", "--runs", "100000", option, value]);
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{option} {value}: {}",
            run.err
        );
        assert_eq!(run.err.trim_end().lines().count(), 1, "{}", run.err);
        assert!(run.err.contains(expected), "{option} {value}: {}", run.err);
    }
}
