//! Tests of our client against independent servers.

use bytes::Bytes;
use pagerace_core::Priority;
use pagerace_http::fields;

use crate::client::{Client, Connection as _, Fetch, Fetched, get};
use crate::ours::{PATIENCE, client_config, local};
use crate::peers::{Peer, TheirServer, pattern};

fn fetch(server: &TheirServer, requests: &[Fetch]) -> Vec<Fetched> {
    let config = client_config(&server.certificate);
    let fetched = get(local(server.port), "localhost", &config, requests, PATIENCE).unwrap();
    assert_eq!(fetched.len(), requests.len());
    fetched
}

fn everything(peer: Peer) {
    let Some(server) = TheirServer::start(peer) else {
        return;
    };
    let sizes = [0, 1, 1_199, 65_536, 123_457, 400_000, 2_000_000];
    let mut requests: Vec<Fetch> = sizes
        .iter()
        .map(|size| Fetch::get(format!("/bytes/{size}")))
        .collect();
    let priority = Some(Priority::new(1, true));
    requests.push(Fetch {
        priority,
        ..Fetch::get("/none")
    });
    let content = Bytes::from(pattern(40_000));
    let body = Some(content.clone());
    requests.push(Fetch {
        method: "POST".into(),
        body,
        ..Fetch::get("/echo")
    });
    requests.push(Fetch {
        method: "HEAD".into(),
        ..Fetch::get("/bytes/5")
    });
    let fetched = fetch(&server, &requests);
    let of = |path: &str| fetched.iter().find(|f| f.path == path).unwrap();
    for size in sizes {
        let response = of(&format!("/bytes/{size}"));
        assert_eq!(response.status, 200, "{peer:?} {size}");
        assert!(response.body == pattern(size), "{peer:?} {size}");
    }
    assert_eq!(of("/none").status, 404);
    assert_eq!(of("/echo").body, content);
    assert_eq!((of("/bytes/5").status, of("/bytes/5").body.len()), (200, 0));
    let seen = |path| {
        fields::get(&of(path).fields, "x-priority")
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(seen("/none"), "u=1, i");
    assert_eq!(seen("/echo"), "");
}

#[test]
fn aioquic_serves_us() {
    everything(Peer::Aioquic);
}

#[test]
fn quic_go_serves_us() {
    everything(Peer::QuicGo);
}

/// aioquic ignores `PRIORITY_UPDATE`, but the test server records the updates.
#[test]
fn aioquic_reads_our_updates() {
    let Some(server) = TheirServer::start(Peer::Aioquic) else {
        return;
    };
    let requests = [
        Fetch {
            update: Some(Priority::new(6, true)),
            ..Fetch::get("/bytes/300000")
        },
        Fetch {
            update: Some(Priority::default()),
            ..Fetch::get("/bytes/300001")
        },
    ];
    let config = client_config(&server.certificate);
    let mut client = Client::connect(local(server.port), "localhost", &config).unwrap();
    let updates = updates_seen(&mut client, &requests);
    assert_eq!(updates, serde_json::json!({ "0": ["u=6, i"], "4": [""] }));
}

/// Sends the requests, then their priority updates, then asks the server for the updates
/// that it received.
fn updates_seen(client: &mut Client, requests: &[Fetch]) -> serde_json::Value {
    use pagerace_http::Field;
    use pagerace_peer::ClientEvent;
    let fields = |path: &str| {
        vec![
            Field::from_static(":method", "GET"),
            Field::from_static(":scheme", "https"),
            Field::from_static(":authority", "localhost"),
            Field::new(":path", path.to_owned()),
        ]
    };
    for (token, fetch) in requests.iter().enumerate() {
        client.request(token as u64, fields(&fetch.path), fetch.priority, None);
    }
    let (mut ended, mut answer) = (0, Vec::new());
    loop {
        match client
            .next_event(PATIENCE)
            .unwrap()
            .expect("an answer in time")
        {
            ClientEvent::Sent { token, .. } => {
                if let Some(update) = requests.get(token as usize).and_then(|f| f.update) {
                    client.reprioritise(token, update);
                }
            }
            ClientEvent::Data { token: 99, data } => answer.extend_from_slice(&data),
            ClientEvent::End { token: 99 } => return serde_json::from_slice(&answer).unwrap(),
            ClientEvent::End { .. } => {
                ended += 1;
                if ended == requests.len() {
                    client.request(99, fields("/updates"), None, None);
                }
            }
            ClientEvent::Failed { .. } | ClientEvent::Lost { .. } => panic!("failed"),
            _ => {}
        }
    }
}

/// quic-go schedules by the client's priority signals, so the order of completion shows
/// whether it understood the field, and then the update.
#[test]
fn quic_go_obeys_us() {
    let Some(server) = TheirServer::start(Peer::QuicGo) else {
        return;
    };
    let urgent = |urgency| Some(Priority::new(urgency, false));
    let mut requests = [Fetch::get("/bytes/3000000"), Fetch::get("/bytes/3000001")];
    requests[0].priority = urgent(1);
    requests[1].priority = urgent(5);
    let order = |requests: &[Fetch]| -> Vec<String> {
        fetch(&server, requests)
            .into_iter()
            .map(|f| f.path)
            .collect()
    };
    assert_eq!(order(&requests), ["/bytes/3000000", "/bytes/3000001"]);
    requests[0].update = urgent(7);
    assert_eq!(order(&requests), ["/bytes/3000001", "/bytes/3000000"]);
}
