//! Advice on pages.

use crate::support::{Sandbox, small_har};

#[test]
fn advice_begins_with_the_answer_and_writes_what_it_tried() {
    let sandbox = Sandbox::new("advise");
    sandbox.write("site.har", &small_har());
    let words = [
        "advise",
        "site.har",
        "-n",
        "slow-4g",
        "--json",
        "advice.json",
    ];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = run.out.lines().next().unwrap();
    assert!(
        first.contains(" at ") && first.contains("on slow-4g"),
        "{first}"
    );
    assert!(
        run.out.contains("Largest Contentful Paint of site, seed 1"),
        "{}",
        run.out
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("advice.json")).unwrap();
    assert_eq!(json["format"], "pagerace-advice");
    let tried = [&json["changes"], &json["idle"]].map(|list| list.as_array().unwrap().len());
    assert!(tried.iter().sum::<usize>() > 0, "{json}");
    assert_eq!(sandbox.run(&words).out, run.out, "it repeats");
}

#[test]
fn advice_is_a_report_that_begins_with_the_answer() {
    let sandbox = Sandbox::new("advise-report");
    sandbox.write("site.har", &small_har());
    let run = sandbox.run(&[
        "advise",
        "site.har",
        "-n",
        "slow-4g",
        "--report",
        "advice.html",
    ]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let html = sandbox.read("advice.html");
    assert!(html.contains("<section id=\"advice\""), "what to change");
    let title = html
        .split("<h1>")
        .nth(1)
        .and_then(|rest| rest.split("</h1>").next());
    let title = title.unwrap();
    assert!(run.out.contains(&title.replace("&#39;", "'")), "{title}");
    let run = sandbox.run(&["advise", "site.har", "--open"]);
    assert_eq!(run.code, 2, "there is no report to open");
}

#[test]
fn advice_needs_a_page_and_a_known_goal() {
    let sandbox = Sandbox::new("advise-errors");
    sandbox.write("site.har", &small_har());
    let run = sandbox.run(&["advise", "site.har", "--metric", "tbt"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("tbt") && run.err.contains("lcp"),
        "{}",
        run.err
    );
    let run = sandbox.run(&["advise", "absent.har"]);
    assert_eq!(run.code, 2, "{}", run.err);
}

#[test]
fn advice_for_users_tells_of_the_slower_quarter() {
    let sandbox = Sandbox::new("advise-users");
    sandbox.write("site.har", &small_har());
    sandbox.write(
        "users.csv",
        "rtt_ms,down_mbps,cpu,weight\n20,50,1,60\n150,1.6,4,40\n",
    );
    let words = [
        "advise",
        "site.har",
        "--users",
        "users.csv",
        "--goal",
        "lcp,onload",
        "--server",
        "nginx",
        "--json",
        "advice.json",
        "--markdown",
        "advice.md",
    ];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = run.out.lines().next().unwrap();
    assert!(
        first.contains("for the slower quarter of your users"),
        "{first}"
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("advice.json")).unwrap();
    let networks = json["networks"].as_array().unwrap();
    assert_eq!(networks.len(), 2);
    assert_eq!(networks[1]["share_of_users"], 0.4);
    assert_eq!(networks[1]["cpu"], 4.0);
    // The 75th percentile lies among the slow users.
    let slow = json["now"][0]["networks"][1]["before"].as_f64().unwrap();
    let fast = json["now"][0]["networks"][0]["before"].as_f64().unwrap();
    let users = json["now"][0]["users"]["before"].as_f64().unwrap();
    assert!(fast < users && users <= slow, "{fast} {users} {slow}");
    for change in json["changes"].as_array().unwrap() {
        let metrics: Vec<&str> = change["effects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["metric"].as_str().unwrap())
            .collect();
        assert_eq!(metrics, ["lcp", "onload"]);
    }
    let markdown = sandbox.read("advice.md");
    assert!(markdown.starts_with("## Loading "), "{markdown}");
    assert!(markdown.contains("slower quarter"), "{markdown}");
    let folds = |mark: &str| markdown.matches(mark).count();
    assert_eq!(folds("<details>"), folds("</details>"));
}

#[test]
fn users_are_a_file_or_a_known_mix() {
    let sandbox = Sandbox::new("advise-users-errors");
    sandbox.write("site.har", &small_har());
    sandbox.write("users.csv", "rtt_ms,down_mbps\n20,0\n");
    let run = sandbox.run(&["advise", "site.har", "--users", "crux-phones"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err
            .contains("`crux-phones` is neither a file nor a mix"),
        "{}",
        run.err
    );
    let run = sandbox.run(&["advise", "site.har", "--users", "users.csv"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("users.csv: line 2: column down_mbps"),
        "{}",
        run.err
    );
}

#[test]
fn whether_to_turn_on_http3_is_one_answer() {
    let sandbox = Sandbox::new("advise-http3");
    sandbox.write("site.har", &small_har());
    let words = [
        "advise",
        "site.har",
        "--http3",
        "-n",
        "slow-4g",
        "--json",
        "http3.json",
    ];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(
        run.out.lines().next().unwrap().contains("HTTP/3"),
        "{}",
        run.out
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("http3.json")).unwrap();
    let visitors = json["visitors"].as_array().unwrap();
    let difference = |place: usize| {
        let effects = &visitors[place]["effects"]["networks"][0];
        effects["difference"].as_f64().unwrap()
    };
    // A round trip less for those who return, and one more for a chain that does not fit.
    assert!(difference(2) < -50.0, "{json}");
    assert!(difference(3) > difference(1) + 50.0, "{json}");
}

#[test]
fn priorities_are_tuned_and_beat_no_bound() {
    let sandbox = Sandbox::new("tune");
    sandbox.write("site.har", &small_har());
    let words = ["tune", "site.har", "-n", "slow-4g", "--json", "tuning.json"];
    let run = sandbox.run(&words);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("tuning.json")).unwrap();
    let network = &json["networks"][0];
    let bound = network["bound"].as_f64().unwrap();
    for order in network["orders"].as_array().unwrap() {
        assert!(order["median"].as_f64().unwrap() >= bound, "{json}");
    }
    assert_eq!(sandbox.run(&words).out, run.out, "it repeats");
    let run = sandbox.run(&["tune", "site.har", "-P", "h1"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("nothing to order"), "{}", run.err);
}
