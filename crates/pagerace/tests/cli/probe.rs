//! `probe` against `serve`, and refusals.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use std::io::{BufRead as _, BufReader};
use std::net::UdpSocket;

use serde_json::Value;

use crate::support::Sandbox;

#[test]
fn urls_that_cannot_be_probed_are_refused() {
    let sandbox = Sandbox::new("probe-refused");
    for (urls, reason) in [
        (&["site.example/a"][..], "is not a URL"),
        (&["http://site.example/a"], "begins with https://"),
        (&["https://me@site.example/a"], "name or password"),
        (
            &["https://a.example/", "https://b.example/"],
            "same host and port",
        ),
        (
            &["https://a.example/x", "https://a.example/x"],
            "give each URL once",
        ),
    ] {
        let run = sandbox.run(&[&["probe"], urls].concat());
        assert_eq!(run.code, 2, "{urls:?}");
        assert!(run.err.contains(reason), "{urls:?}: {}", run.err);
    }
    let run = sandbox.run(&["probe", "https://127.0.0.1:9/", "--ca", "none.pem"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("none.pem"), "{}", run.err);
}

#[test]
fn a_served_folder_is_probed() {
    let sandbox = Sandbox::new("probe-served");
    std::fs::create_dir(sandbox.path("site")).unwrap();
    sandbox.write("site/a.bin", &"x".repeat(80_000));
    // A port that was free a moment ago.
    let free = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let mut serve = sandbox
        .command(&[
            "serve", "site", "-P", "h3", "-s", "eps", "-p", &port, "--ca", "ca.pem",
        ])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(serve.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("is served at")));
    let url = format!("https://localhost:{port}/a.bin");
    let address = format!("127.0.0.1:{port}");
    let options = ["--ca", "ca.pem", "--json", "--report", "probe.html"];
    let run = sandbox.run(&[&["probe", &url, "--connect", &address][..], &options].concat());
    serve.kill().unwrap();
    serve.wait().unwrap();
    assert_eq!(run.code, 0, "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["behaviour"]["urgency"], "honoured");
    assert_eq!(json["behaviour"]["update_before"], "honoured");
    assert_eq!(json["objects"][0]["server"], "pagerace");
    assert_eq!(json["scripts"].as_array().unwrap().len(), 6);
    assert!(
        json["answer"].as_str().unwrap().starts_with("eps"),
        "{}",
        json["answer"]
    );
    assert!(sandbox.read("probe.html").contains("Script in-flight"));
}
