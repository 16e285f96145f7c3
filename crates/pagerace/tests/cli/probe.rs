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
    let few = ["probe", "https://127.0.0.1:9/", "--requests", "42"];
    let run = sandbox.run(&few);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("43..=1000"), "{}", run.err);
    let tcp = ["probe", "--congestion", "-P", "h2", "https://[::1]:9/"];
    let run = sandbox.run(&tcp);
    assert_eq!(run.code, 2);
    let reason = if cfg!(target_os = "linux") {
        "over IPv4 only"
    } else {
        "cannot open a raw socket"
    };
    assert!(run.err.contains(reason), "{}", run.err);
    sandbox.write("ca.pem", "a certificate");
    let files = ["--ca", "ca.pem", "--report", "ca.pem"];
    let run = sandbox.run(&[&["probe", "https://127.0.0.1:9/"][..], &files].concat());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("would overwrite"), "{}", run.err);
    assert_eq!(sandbox.read("ca.pem"), "a certificate");
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
    // The timing is that of the machine, so the answer is left to the tests in virtual time.
    for signal in [
        "urgency",
        "incremental",
        "update_before",
        "update_after",
        "update_in_flight",
    ] {
        let word = json["behaviour"][signal].as_str().unwrap();
        assert!(
            ["honoured", "partly", "ignored", "unseen"].contains(&word),
            "{signal}: {word}"
        );
    }
    assert!((43..=100).contains(&json["requests"].as_u64().unwrap()));
    assert!((7..=10).contains(&json["connections"].as_u64().unwrap()));
    let bytes = json["bytes"].as_u64().unwrap();
    assert!(bytes <= 6_100_000, "{bytes}");
    assert!(json["udp_bytes"].as_u64().unwrap() >= bytes);
    assert_eq!(json["objects"][0]["server"], "pagerace");
    let scripts = json["scripts"].as_array().unwrap();
    assert_eq!(scripts.len(), 6);
    for script in scripts {
        assert_eq!(script["requests"].as_array().unwrap().len(), 7);
        let chunks = &script["chunks_ms_request_offset_bytes"];
        assert!(!chunks.as_array().unwrap().is_empty(), "{}", script["name"]);
    }
    assert!(json["answer"].is_string());
    assert!(!json["groups"].as_array().unwrap().is_empty());
    assert!(sandbox.read("probe.html").contains("Script in-flight"));
}
