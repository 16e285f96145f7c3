//! Tests of independent clients against our server.

use pagerace_peer::SentFrame;
use serde_json::{Value, json};

use crate::ours::{OurServer, SIZES, assert_first};
use crate::peers::{Peer, Report, pattern, run_client, sha256};

fn fetch(peer: Peer, strategy: &str, requests: &Value) -> Option<(Vec<Report>, Vec<SentFrame>)> {
    let server = OurServer::start(strategy);
    let reports = run_client(peer, server.port, &server.certificate, requests)?;
    assert_eq!(reports.len(), requests.as_array().unwrap().len());
    Some((reports, server.stop()))
}

fn all_resources(peer: Peer) {
    for strategy in ["eps", "round-robin", "weighted-incremental:alpha=0.5"] {
        let mut requests: Vec<Value> = SIZES
            .iter()
            .map(|(path, _)| json!({ "path": path }))
            .collect();
        requests.push(json!({ "path": "/none" }));
        requests.push(json!({ "path": "/d", "method": "POST", "body": "some content" }));
        let Some((reports, _)) = fetch(peer, strategy, &Value::from(requests)) else {
            return;
        };
        for (path, size) in SIZES {
            let report = reports
                .iter()
                .find(|r| r.path == path && r.status == 200)
                .unwrap();
            assert_eq!(report.length, size as u64, "{peer:?} {strategy} {path}");
            assert_eq!(
                report.sha256,
                sha256(&pattern(size)),
                "{peer:?} {strategy} {path}"
            );
            assert_eq!(report.headers["content-type"], "application/octet-stream");
            assert_eq!(report.headers["server"], "pagerace");
        }
        assert!(reports.iter().any(|r| r.path == "/none" && r.status == 404));
        assert!(reports.iter().any(|r| r.path == "/d" && r.status == 405));
    }
}

#[test]
fn aioquic_gets_everything() {
    all_resources(Peer::Aioquic);
}

#[test]
fn quic_go_gets_everything() {
    all_resources(Peer::QuicGo);
}

/// Requests `/a` on stream 0 and `/b` on stream 4, and asserts which one is sent first.
fn check_order(peer: Peer, requests: &Value, a_first: bool) {
    let Some((_, frames)) = fetch(peer, "eps", requests) else {
        return;
    };
    let (first, other) = if a_first { (0, 4) } else { (4, 0) };
    assert_first(&frames, first, other);
}

fn priority_field(peer: Peer) {
    for (a, b) in [("u=1", "u=5"), ("u=6", "u=0")] {
        let requests = json!([{ "path": "/a", "priority": a }, { "path": "/b", "priority": b }]);
        check_order(peer, &requests, a < b);
    }
}

#[test]
fn aioquic_field_is_obeyed() {
    priority_field(Peer::Aioquic);
}

#[test]
fn quic_go_field_is_obeyed() {
    priority_field(Peer::QuicGo);
}

/// Updates override the field, whether they are sent after the requests or before.
/// quic-go's client has no interface to send them.
#[test]
fn aioquic_updates_are_obeyed() {
    for key in ["update", "early_update"] {
        let requests = json!([
            { "path": "/a", "priority": "u=1", key: "u=7" },
            { "path": "/b", "priority": "u=5" },
        ]);
        check_order(Peer::Aioquic, &requests, false);
    }
}

/// An update that is not a dictionary is ignored, and the connection stays open.
#[test]
fn aioquic_nonsense_is_passed_over() {
    let requests = json!([
        { "path": "/a", "priority": "u=1", "update": "!?" },
        { "path": "/b", "priority": "u=5" },
    ]);
    check_order(Peer::Aioquic, &requests, true);
}
