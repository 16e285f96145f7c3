//! Their clients against our server.

use serde_json::{Value, json};

use crate::ours::{OurServer, SIZES};
use crate::peers::{Peer, Report, pattern, run_client, sha256};

fn fetch(peer: Peer, strategy: &str, requests: &Value) -> Option<Vec<Report>> {
    let server = OurServer::start(strategy);
    let reports = run_client(peer, server.port, &server.certificate, requests)?;
    assert_eq!(reports.len(), requests.as_array().unwrap().len());
    Some(reports)
}

fn all_resources(peer: Peer) {
    for strategy in ["eps", "round-robin", "weighted-incremental:alpha=0.5"] {
        let mut requests: Vec<Value> = SIZES
            .iter()
            .map(|(path, _)| json!({ "path": path }))
            .collect();
        requests.push(json!({ "path": "/none" }));
        requests.push(json!({ "path": "/d", "method": "POST", "body": "some content" }));
        let Some(reports) = fetch(peer, strategy, &Value::from(requests)) else {
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

/// The paths in the order of completion.
fn order(peer: Peer, requests: &Value) -> Option<Vec<String>> {
    Some(
        fetch(peer, "eps", requests)?
            .into_iter()
            .map(|r| r.path)
            .collect(),
    )
}

fn priority_field(peer: Peer) {
    let requests = |a: &str, b: &str| json!([{ "path": "/a", "priority": a }, { "path": "/b", "priority": b }]);
    let Some(first) = order(peer, &requests("u=1", "u=5")) else {
        return;
    };
    assert_eq!(first, ["/a", "/b"], "{peer:?}");
    assert_eq!(
        order(peer, &requests("u=6", "u=0")).unwrap(),
        ["/b", "/a"],
        "{peer:?}"
    );
}

#[test]
fn aioquic_field_is_obeyed() {
    priority_field(Peer::Aioquic);
}

#[test]
fn quic_go_field_is_obeyed() {
    priority_field(Peer::QuicGo);
}

/// Updates after the requests, and before them, win over the field. quic-go's
/// client offers no way to send them.
#[test]
fn aioquic_updates_are_obeyed() {
    for key in ["update", "early_update"] {
        let requests = json!([
            { "path": "/a", "priority": "u=1", key: "u=7" },
            { "path": "/b", "priority": "u=5" },
        ]);
        let Some(order) = order(Peer::Aioquic, &requests) else {
            return;
        };
        assert_eq!(order, ["/b", "/a"], "{key}");
    }
    // An update that is no dictionary is passed over, the connection lives.
    let requests = json!([
        { "path": "/a", "priority": "u=1", "update": "!?" },
        { "path": "/b", "priority": "u=5" },
    ]);
    assert_eq!(order(Peer::Aioquic, &requests).unwrap(), ["/a", "/b"]);
}
