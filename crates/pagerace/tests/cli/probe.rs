//! `probe` against `serve`, and refusals.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use std::io::{BufRead as _, BufReader, Lines};
use std::net::UdpSocket;
use std::process::{Child, ChildStdout};

use serde_json::Value;

use crate::support::{Run, Sandbox};

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
            &["https://a.example/x", "https://a.example/x#y"],
            "give each URL once",
        ),
        (
            &["--find", "https://a.example/", "https://a.example/x"],
            "--find takes one URL",
        ),
        (
            &["--congestion", "https://a.example/", "https://a.example/x"],
            "--congestion takes one URL",
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

/// Serves the folder `site` of a sandbox over HTTP/3.
struct Served {
    port: String,
    child: Child,
    /// Output of the server. The server ends when nobody reads it.
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Served {
    fn start(sandbox: &Sandbox) -> Self {
        // A port that was free a moment ago.
        let free = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        let options = ["-P", "h3", "-s", "eps", "-p", &port, "--ca", "ca.pem"];
        let mut child = sandbox
            .command(&[&["serve", "site"][..], &options].concat())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("is served at")));
        Self {
            port,
            child,
            _lines: lines,
        }
    }

    /// Probes this path of the folder.
    fn probe(&self, sandbox: &Sandbox, path: &str, options: &[&str]) -> Run {
        let url = format!("https://localhost:{}/{path}", self.port);
        let address = format!("127.0.0.1:{}", self.port);
        let server = ["probe", &url, "--connect", &address, "--ca", "ca.pem"];
        sandbox.run(&[&server[..], options].concat())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Objects that a page of a served folder refers to are probed, and pages without any refused.
#[test]
fn objects_of_a_served_page_are_probed() {
    let sandbox = Sandbox::new("probe-page");
    std::fs::create_dir(sandbox.path("site")).unwrap();
    let page = "<script src=a.js></script><img src=b.png><img src=https://cdn.example/c.png>";
    sandbox.write("site/index.html", page);
    sandbox.write("site/a.js", &"x".repeat(70_000));
    sandbox.write("site/b.png", &"x".repeat(60_000));
    sandbox.write("site/empty.html", "<img src=https://cdn.example/c.png>");
    let served = Served::start(&sandbox);
    let run = served.probe(&sandbox, "empty.html", &[]);
    assert_eq!(run.code, 2, "{}", run.out);
    let reason = "0 objects of this host and 1 of other hosts, such as cdn.example";
    assert!(run.err.contains(reason), "{}", run.err);
    let run = served.probe(&sandbox, "a.js", &["--find"]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("leave out --find"), "{}", run.err);
    let run = served.probe(&sandbox, "", &["--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["found"]["objects"], 2);
    assert_eq!(json["found"]["objects_of_other_hosts"], 1);
    let probed = json["objects"].as_array().unwrap().iter();
    let probed: Vec<_> = probed
        .map(|o| (o["path"].as_str(), o["bytes"].as_u64()))
        .collect();
    assert_eq!(
        probed,
        [
            (Some("/a.js"), Some(70_000)),
            (Some("/b.png"), Some(60_000))
        ]
    );
    assert!(json["requests"].as_u64().unwrap() <= 100);
}

#[test]
fn a_served_folder_is_probed() {
    let sandbox = Sandbox::new("probe-served");
    std::fs::create_dir(sandbox.path("site")).unwrap();
    sandbox.write("site/a.bin", &"x".repeat(80_000));
    let served = Served::start(&sandbox);
    let run = served.probe(&sandbox, "a.bin", &["--json", "--report", "probe.html"]);
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
