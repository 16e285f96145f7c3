//! Scans of domains: refusals in plain words, rows in the order of the list, and a scan that
//! goes on after it was killed. All names lead to a closed port of this machine.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Sandbox};

/// A DNS in which every name has the address 127.77.0.1, at which nothing listens, except for names
/// that begin with `nx`, which do not exist. Its thread ends with the tests.
struct Dns {
    at: SocketAddr,
    questions: Arc<AtomicU64>,
}

impl Dns {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = socket.local_addr().unwrap();
        let questions = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&questions);
        thread::spawn(move || {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                count.fetch_add(1, Ordering::Relaxed);
                let name = buffer[12..length].iter().position(|byte| *byte == 0);
                let end = 12 + name.unwrap() + 5;
                let is_missing = buffer[13..].starts_with(b"nx");
                let is_a = buffer[end - 4..end - 2] == [0, 1] && !is_missing;
                let mut answer = buffer[..end].to_vec();
                // A response with recursion: one question, and perhaps one answer.
                answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
                answer[3] |= 3 * u8::from(is_missing);
                if is_a {
                    answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 77, 0, 1]);
                }
                let _ = socket.send_to(&answer, from);
            }
        });
        Self { at, questions }
    }
}

/// Any port of an address at which nothing listens.
const PORT: &str = "4433";

/// Returns a list of so many domains.
fn domains(count: u32) -> String {
    let names: Vec<String> = (0..count).map(|i| format!("d{i}.example")).collect();
    names.join("\n") + "\n"
}

fn scan(sandbox: &Sandbox, dns: &Dns, arguments: &[&str]) -> Run {
    let resolver = dns.at.to_string();
    let fixed = [
        "scan",
        "domains.txt",
        "--resolver",
        &resolver,
        "--port",
        PORT,
    ];
    sandbox.run(
        &[
            &fixed[..],
            &["--private-addresses", "--no-progress"],
            arguments,
        ]
        .concat(),
    )
}

#[test]
fn a_malformed_line_is_one_row() {
    let sandbox = Sandbox::new("scan-malformed");
    let dns = Dns::start();
    sandbox.write("domains.txt", "a.example\nhttps://b.example/x\nc.example\n");
    let run = scan(&sandbox, &dns, &["-o", "out.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let warning =
        "domains.txt: lines without a domain name: 1, the first is line 2: give the name alone";
    assert!(run.err.contains(warning), "{}", run.err);
    let csv = sandbox.read("out.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 4, "{csv}");
    assert!(lines[2].starts_with("https://b.example/x,,,,,"), "{csv}");
    assert!(lines[2].contains("malformed: line 2: "), "{csv}");
    assert!(lines[3].starts_with("c.example,0,0,0,0,"), "{csv}");
    let asked = dns.questions.load(Ordering::Relaxed);
    assert_eq!(
        asked,
        2 * 3 + 3,
        "three for each domain, and three to see whether the resolver answers"
    );
}

#[test]
fn rows_are_in_the_order_of_the_list() {
    let sandbox = Sandbox::new("scan-rows");
    let dns = Dns::start();
    sandbox.write(
        "domains.txt",
        "# rank, domain\n1,B.example\n2,a.example\n3,b.example\n4,www.no.example\n",
    );
    sandbox.write("no.txt", "no.example\n");
    let arguments = ["-o", "out.csv", "--exclude", "no.txt", "--json", "out.json"];
    let run = scan(&sandbox, &dns, &arguments);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("lines that repeat a domain: 1;"),
        "{}",
        run.err
    );
    let csv = sandbox.read("out.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].starts_with("domain,http3,announced,https,ipv6,cdn,"),
        "{csv}"
    );
    assert!(lines[1].starts_with("b.example,0,0,0,0,"), "{csv}");
    assert!(lines[2].starts_with("a.example,0,0,0,0,"), "{csv}");
    assert!(lines[3].contains("excluded: the domain"), "{csv}");
    assert_eq!(lines.len(), 4);
    assert!(lines[1].contains("refused: "), "{csv}");
    let json: Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    assert_eq!(json["summary"]["excluded"], 1);
    assert_eq!(json["settings"]["rate"], 10.0);
    assert_eq!(json["settings"]["exclude"][0], "no.txt");
    assert_eq!(json["settings"]["resolvers"][0], dns.at.to_string());
    assert!(
        run.out.contains("3 domains, 1 excluded; 10.0 domains/s"),
        "{}",
        run.out
    );
    assert!(run.out.contains("Wrote out.csv"), "{}", run.out);
    let speed = "Asked 3 domains in ";
    assert!(run.out.contains(speed), "{}", run.out);
    let bound = "each second; what bounded it: the rate (--rate).";
    assert!(run.out.contains(bound), "{}", run.out);
    // The journal goes when the results are written.
    assert_eq!(
        sandbox.names(),
        ["domains.txt", "no.txt", "out.csv", "out.json"]
    );
    let run = scan(&sandbox, &dns, &["-o", "out.parquet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let bytes = std::fs::read(sandbox.path("out.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

/// As on a machine whose resolver answers, but knows no names.
#[test]
fn a_scan_without_any_address_says_what_to_check() {
    let sandbox = Sandbox::new("scan-nowhere");
    let dns = Dns::start();
    let names: Vec<String> = (0..10).map(|i| format!("nx{i}.example")).collect();
    sandbox.write("domains.txt", &names.join("\n"));
    let run = scan(&sandbox, &dns, &["-o", "out.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let failed = "Domains that could not be asked: 10; dns: no such domain (10).";
    assert!(run.out.contains(failed), "{}", run.out);
    assert!(run.out.contains("No domain has an address"), "{}", run.out);
    assert!(run.out.contains("--resolver ADDRESS:PORT"), "{}", run.out);
}

#[test]
fn a_killed_scan_goes_on() {
    let sandbox = Sandbox::new("scan-killed");
    let dns = Dns::start();
    let list = domains(100);
    sandbox.write("domains.txt", &list);
    let run_at = |dns: &Dns, rate: &str| {
        let resolver = dns.at.to_string();
        sandbox.command(&[
            "scan",
            "domains.txt",
            "-o",
            "out.csv",
            "--private-addresses",
            "--no-progress",
            "--per-address",
            "10000",
            "--resolver",
            &resolver,
            "--port",
            PORT,
            "--rate",
            rate,
        ])
    };
    let mut child = run_at(&dns, "2").spawn().unwrap();
    let journal = sandbox.path("out.csv.journal");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "the scan ended early");
        thread::sleep(Duration::from_millis(10));
    }
    // SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    let done = lines() as u64 - 1;
    assert!(done < 100 && !sandbox.path("out.csv").exists());
    // A line that was cut off.
    let mut text = sandbox.read("out.csv.journal");
    text.push_str("{\"i\":99,\"row\":{\"dom");
    sandbox.write("out.csv.journal", &text);
    // A DNS of its own, which no late question of the killed process reaches.
    let dns = Dns::start();
    let output = run_at(&dns, "1000").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let asked = dns.questions.load(Ordering::Relaxed);
    // Three for each domain, and three to see whether the resolver answers.
    assert_eq!(asked, 3 * (100 - done) + 3);
    let csv = sandbox.read("out.csv");
    let names: Vec<&str> = csv
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(names, list.lines().collect::<Vec<_>>());
}

#[test]
fn refusals_say_what_to_do() {
    let sandbox = Sandbox::new("scan-refusals");
    let dns = Dns::start();
    let many = domains(101);
    for (list, arguments, expected) in [
        (
            &many[..],
            &["-o", "o.csv"][..],
            "domains.txt: a list of 101 domains needs --rate N, the domains to ask each second; 10 is gentle and takes 1 min here",
        ),
        (
            "https://b.example/x\n",
            &["-o", "o.csv"],
            "domains.txt: line 1: give the name alone, without https:// and path: https://b.example/x",
        ),
        (
            "\n",
            &["-o", "o.csv"],
            "domains.txt: has no domains; give one on each line",
        ),
        (
            "a.example",
            &["-o", "o.txt"],
            "--output o.txt: must end in .parquet or .csv",
        ),
        (
            "a.example",
            &["-o", "o.csv", "--ca", "domains.txt"],
            "domains.txt: has no certificate in PEM format",
        ),
        (
            "a.example",
            &["-o", "o.csv", "--json", "o.csv.journal"],
            "o.csv.journal: two outputs cannot go to one file",
        ),
        (
            "a.example",
            &["-o", "o.csv", "--rate", "0"],
            "a rate cannot be off",
        ),
        (
            "a.example",
            &["-o", "o.csv", "--contact", "a\nb"],
            "give at most 200 letters",
        ),
        (
            "a.example",
            &["-o", "domains.txt.csv", "--exclude", "none"],
            "none: No such file",
        ),
    ] {
        sandbox.write("domains.txt", list);
        let run = scan(&sandbox, &dns, arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(expected), "{arguments:?}: {}", run.err);
    }
    assert_eq!(sandbox.names(), ["domains.txt"], "nothing was written");
}

#[test]
fn a_machine_that_is_offline_is_told_so() {
    let sandbox = Sandbox::new("scan-offline");
    let list = domains(10);
    sandbox.write("domains.txt", &list);
    let resolver = format!("127.77.0.1:{PORT}");
    let words = [
        "scan",
        "domains.txt",
        "-o",
        "o.csv",
        "--resolver",
        &resolver,
    ];
    let run = sandbox.run(&words);
    assert_eq!(run.code, 2, "{}", run.err);
    let expected = format!(
        "error: the DNS resolver {resolver} does not answer (refused: DNS: connection refused), so \
         no domain can be looked up; check that this machine is online, or name another resolver \
         with --resolver ADDRESS:PORT"
    );
    assert!(run.err.contains(&expected), "{}", run.err);
    assert_eq!(sandbox.names(), ["domains.txt"], "nothing is left behind");
}
