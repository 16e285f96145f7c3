//! Large transfers.

use crate::support::Sandbox;

#[test]
fn a_large_transfer_is_compared() {
    let sandbox = Sandbox::new("bulk");
    let words = [
        "bulk",
        "--size",
        "2MB",
        "--cc",
        "cubic,reno",
        "--network",
        "cable",
        "--runs",
        "2",
    ];
    let with = |more: &[&str]| {
        let run = sandbox.run(&[&words, more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    let files = [
        "--json", "one.json", "--report", "out.html", "--csv", "out.csv",
    ];
    let out = with(&[&files[..], &["--jobs", "1"]].concat());
    let csv = sandbox.read("out.csv");
    let header = "network,protocol,congestion,run,seed,failure,time_ms,connect_ms,goodput_";
    assert!(csv.starts_with(header), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 4 * 2);
    assert!(csv.contains("\ncable,h3,reno,2,"), "{csv}");
    for text in [
        "h2 cubic",
        "h3 reno",
        "goodput",
        "overhead",
        "Wrote out.html",
    ] {
        assert!(out.contains(text), "{text}: {out}");
    }
    with(&["--json", "two.json", "--jobs", "2"]);
    assert_eq!(
        sandbox.read("one.json"),
        sandbox.read("two.json"),
        "threads show"
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("one.json")).unwrap();
    assert_eq!(json["results"].as_array().unwrap().len(), 4);
    for cell in json["results"].as_array().unwrap() {
        // Below the link's 5 Mbit/s; headers take a few per cent.
        let goodput = cell["goodput_bits_per_second"].as_f64().unwrap();
        assert!((2e6..5e6).contains(&goodput), "{goodput}");
        let overhead = cell["overhead_percent"].as_f64().unwrap();
        assert!((2.0..20.0).contains(&overhead), "{overhead}");
    }
    assert!(sandbox.read("out.html").trim_end().ends_with("</html>"));
}

#[test]
fn transfers_that_fail_are_told_and_counted() {
    let sandbox = Sandbox::new("bulk-fails");
    let words = ["bulk", "--size", "2MB", "--network", "cable", "--runs", "2"];
    let files = ["--json", "out.json", "--csv", "out.csv"];
    let run = sandbox.run(&[&words[..], &["--deadline", "1s"], &files].concat());
    let csv = sandbox.read("out.csv");
    assert!(csv.contains(",not complete after 1000 ms,,,,,"), "{csv}");
    assert_eq!(run.code, 3);
    assert!(run.err.contains("all 4 transfers failed"), "{}", run.err);
    for text in [
        "∞",
        "2 of 2",
        "cable: all transfers failed.",
        "4 of 4 transfers failed: not complete after 1000 ms",
    ] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    assert_eq!(json["results"][0]["failed_runs"], 2);
    assert!(json["results"][0]["time_ms"].is_null());
}

/// An interrupt ends a transfer of minutes within a second.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_transfer() {
    use std::time::Duration;

    let sandbox = Sandbox::new("bulk-interrupt");
    let words = [
        "bulk",
        "--size",
        "100GB",
        "-n",
        "rate 1gbit rtt 20ms",
        "--json",
        "out.json",
    ];
    let mut child = sandbox.command(&words).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    // A busy machine may be late.
    let ended = (0..30).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        child.try_wait().unwrap()
    });
    // Nothing is left to end, unless this fails.
    let _ = child.kill();
    assert_eq!(ended.and_then(|status| status.code()), Some(130));
    assert!(sandbox.names().is_empty());
}

#[test]
fn larger_quic_packets_make_less_overhead() {
    let sandbox = Sandbox::new("mtu");
    // The queue is so deep that nothing is lost, as retransmissions would hide the
    // overhead of headers.
    let network = "rate 5mbit rtt 28ms queue 100bdp";
    let words = ["bulk", "--size", "1MB", "--network", network, "--runs", "1"];
    let overhead = |mtu: &str| {
        let more = ["--json", "out.json", "--quic-mtu", mtu];
        let run = sandbox.run(&[&words[..], &more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        assert!(
            run.out.contains(&format!("QUIC packets of {mtu} bytes")),
            "{}",
            run.out
        );
        let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
        assert_eq!(json["results"][1]["protocol"], "h3");
        json["results"][1]["overhead_percent"].as_f64().unwrap()
    };
    let (small, large) = (overhead("1200"), overhead("1452"));
    assert!(large < small - 0.3, "{large} % and {small} %");
}
