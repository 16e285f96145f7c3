//! Essential resources of a page.

use crate::support::{Sandbox, small_har};

/// Returns the small page with one of its images on the host of a tracker.
fn with_tracker() -> String {
    small_har().replace(
        "https://site.example/more.jpg",
        "https://www.google-analytics.com/collect.jpg",
    )
}

#[test]
fn the_table_says_what_and_why() {
    let sandbox = Sandbox::new("essential");
    sandbox.write("site.har", &with_tracker());
    let run = sandbox.run(&["page", "site.har", "--essential"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "+ the document",
        "the first paint waits for it",
        "- analytics, says third-party-web: Google Analytics",
        "1 of 5 requests and 30 of 181 KB (17 %) are not essential; 0 are useful in part.",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn json_has_everything() {
    let sandbox = Sandbox::new("essential-json");
    sandbox.write("site.har", &with_tracker());
    sandbox.write(
        "list.txt",
        "! mine\n||site.example/hero.jpg\n@@||google-analytics.com^\n",
    );
    let words = [
        "page",
        "site.har",
        "--essential",
        "--json",
        "--ad-list",
        "list.txt",
        "--non-essential-if",
        "css",
        "--essential-if",
        "*/style.css",
    ];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let told: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let resources = told["resources"].as_array().unwrap();
    let essential: Vec<bool> = resources
        .iter()
        .map(|r| r["essential"].as_bool().unwrap())
        .collect();
    assert_eq!(essential, [true, true, true, false, false]);
    let first = |i: usize| &resources[i]["reasons"][0];
    assert_eq!(first(1)["text"], "you say that */style.css is essential");
    assert_eq!(first(1)["counts"], "for");
    assert_eq!(
        first(3)["text"],
        "advertisement or tracker, says list.txt line 2: ||site.example/hero.jpg"
    );
    assert_eq!(first(3)["evidence"]["reason"], "listed");
    assert_eq!(first(3)["evidence"]["kind"], "ad-or-tracker");
    // The list excepts this resource, and it is below the fold.
    assert_eq!(first(4)["text"], "not in the first viewport");
    assert!(
        resources[4]["reasons"]
            .to_string()
            .contains("not advertisement, says list.txt line 3")
    );
    assert_eq!(told["total"]["non_essential_requests"], 2);
    assert_eq!(told["total"]["non_essential_bytes"], 120_000);
}

#[test]
fn mistakes_are_said() {
    let sandbox = Sandbox::new("essential-wrong");
    sandbox.write("site.har", &with_tracker());
    sandbox.write("page.txt", "<html>not found</html>");
    for (words, expected) in [
        (&["--ad-list", "none.txt"][..], "none.txt: cannot be read"),
        (
            &["--ad-list", "page.txt"],
            "page.txt: is a web page or data",
        ),
        (
            &["--non-essential-if", "html"],
            "html selects https://site.example/",
        ),
        (&["--non-essential-if", "fontss?"], "--non-essential-if"),
        (&["--essential-if", ""], "--essential-if"),
    ] {
        let all = [&["page", "site.har", "--essential"][..], words].concat();
        let run = sandbox.run(&all);
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{words:?}: {}",
            run.err
        );
        assert!(run.err.contains(expected), "{words:?}: {}", run.err);
        assert_eq!(run.err.trim_end().lines().count(), 1, "{}", run.err);
    }
    let alone = sandbox.run(&["page", "site.har", "--ad-list", "page.txt"]);
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("--essential"), "{}", alone.err);
    let unused = sandbox.run(&[
        "page",
        "site.har",
        "--essential",
        "--essential-if",
        "cdn.exmaple",
    ]);
    assert_eq!(unused.code, 0);
    assert!(
        unused
            .err
            .contains("cdn.exmaple selects no request of site"),
        "{}",
        unused.err
    );
}
