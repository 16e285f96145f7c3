use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_core::{Instant, Protocol};
use pagerace_http::Field;

use crate::stream::{StreamClient, StreamClientConfig, StreamServer, StreamServerConfig};
use crate::tests::Numbers;
use crate::{Body, ClientEvent, Reply, Request, Site};

const NOW: Instant = Instant::ZERO;

fn fields(path: &str) -> Vec<Field> {
    vec![
        Field::from_static(":method", "GET"),
        Field::from_static(":scheme", "https"),
        Field::from_static(":authority", "localhost"),
        Field::new(":path", path.to_owned()),
    ]
}

fn client(protocol: Protocol) -> StreamClient {
    StreamClient::new(protocol, &StreamClientConfig::default())
}

fn server(protocol: Protocol) -> StreamServer<Numbers> {
    let config = StreamServerConfig::new("round-robin".parse().unwrap());
    StreamServer::new(protocol, &config, Numbers)
}

/// Carries bytes in both directions, at most `max` at once, until neither side has any.
fn converse<S: Site>(client: &mut StreamClient, server: &mut StreamServer<S>, max: usize) {
    loop {
        let mut quiet = true;
        while let Some(data) = client.poll_output(max) {
            assert!(data.len() <= max);
            server.handle_data(NOW, data);
            quiet = false;
        }
        while let Some(output) = server.poll_output(NOW, max) {
            assert!(!output.is_empty() && output.len() <= max);
            client.handle_data(NOW, output.head);
            client.handle_data(NOW, output.content);
            quiet = false;
        }
        if quiet {
            return;
        }
    }
}

/// Returns body bytes by token, and the tokens of ended requests.
fn got(client: &mut StreamClient) -> (BTreeMap<u64, u64>, Vec<u64>) {
    let (mut bytes, mut ended) = (BTreeMap::new(), Vec::new());
    while let Some(event) = client.poll_event() {
        match event {
            ClientEvent::Data { token, data } => {
                *bytes.entry(token).or_default() += data.len() as u64;
            }
            ClientEvent::End { token } => ended.push(token),
            ClientEvent::Failed { .. } | ClientEvent::Lost { .. } => panic!("{event:?}"),
            _ => {}
        }
    }
    (bytes, ended)
}

#[test]
fn pieces_of_any_size_carry_everything() {
    for protocol in [Protocol::H1, Protocol::H2] {
        for max in [1, 7, 10, 100, 1_400, 16_384, 1_000_000] {
            let (mut client, mut server) = (client(protocol), server(protocol));
            for token in 0..4 {
                client.request(token, fields("/20000"), None, None);
            }
            converse(&mut client, &mut server, max);
            let (bytes, ended) = got(&mut client);
            assert_eq!(ended, [0, 1, 2, 3], "{protocol} {max}");
            assert!(bytes.values().all(|b| *b == 20_000) && bytes.len() == 4);
            assert!(!server.is_closed());
        }
    }
}

/// Carries what the client has to say, and then the end of its side.
fn half_close(client: &mut StreamClient, server: &mut StreamServer<Numbers>) {
    while let Some(data) = client.poll_output(usize::MAX) {
        server.handle_data(NOW, data);
    }
    server.handle_end(NOW);
}

#[test]
fn a_client_that_half_closes_gets_its_answers() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let (mut client, mut server) = (client(protocol), server(protocol));
        client.request(0, fields("/20000"), None, None);
        half_close(&mut client, &mut server);
        assert!(!server.is_closed(), "{protocol}");
        while let Some(output) = server.poll_output(NOW, 1_000) {
            client.handle_data(NOW, output.head);
            client.handle_data(NOW, output.content);
        }
        assert_eq!(got(&mut client), (BTreeMap::from([(0, 20_000)]), vec![0]));
        assert!(server.is_closed(), "{protocol}");
    }
}

#[test]
fn a_client_that_half_closes_gets_no_more_than_its_windows() {
    let (mut client, mut server) = (client(Protocol::H2), server(Protocol::H2));
    client.request(0, fields("/100000000"), None, None);
    half_close(&mut client, &mut server);
    let outputs = std::iter::from_fn(|| server.poll_output(NOW, 16_384));
    let sent: u64 = outputs.map(|output| output.length).sum();
    assert!((65_535..100_000_000).contains(&sent), "{sent}");
    assert!(server.is_closed());
}

#[test]
fn one_output_is_one_decision() {
    let (mut client, mut server) = (client(Protocol::H2), server(Protocol::H2));
    for token in 0..2 {
        client.request(token, fields("/40000"), None, None);
    }
    while let Some(data) = client.poll_output(usize::MAX) {
        server.handle_data(NOW, data);
    }
    let mut pieces = Vec::new();
    let mut next = BTreeMap::new();
    while let Some(output) = server.poll_output(NOW, usize::MAX) {
        let Some(stream) = output.stream else {
            continue;
        };
        let next: &mut u64 = next.entry(stream).or_default();
        assert_eq!(output.offset, *next);
        *next += output.length;
        assert!(output.len() <= 16_384);
        pieces.push(stream);
    }
    // Each response has three pieces of at most 16 KiB.
    assert_eq!(pieces, [1, 3, 1, 3, 1, 3]);
}

struct Empty(&'static str);

impl Site for Empty {
    fn reply(&mut self, _request: &Request) -> Reply {
        Reply {
            think_time: pagerace_core::Duration::ZERO,
            early: Vec::new(),
            fields: vec![Field::from_static(":status", self.0)],
            body: Body::Filler(100),
            facts: crate::server::UNKNOWN,
            nature: pagerace_delivery::reliability::Nature::ESSENTIAL,
        }
    }
}

/// Content from a site with a status that forbids it does not leave the server.
#[test]
fn statuses_without_content() {
    for protocol in [Protocol::H1, Protocol::H2] {
        for status in ["204", "304"] {
            let config = StreamServerConfig::new("fifo".parse().unwrap());
            let mut server = StreamServer::new(protocol, &config, Empty(status));
            let mut client = client(protocol);
            for token in 0..2 {
                client.request(token, fields("/"), None, None);
            }
            converse(&mut client, &mut server, 1_000);
            let nothing = (BTreeMap::new(), vec![0, 1]);
            assert_eq!(got(&mut client), nothing, "{protocol}, {status}");
        }
    }
}

#[test]
fn rubbish_is_answered_and_ends_the_connection() {
    let mut server = server(Protocol::H1);
    server.handle_data(NOW, Bytes::from_static(b"rubbish\r\n\r\n"));
    let output = server.poll_output(NOW, 1_000).unwrap();
    assert!(output.head.starts_with(b"HTTP/1.1 400 "), "{output:?}");
    assert!(server.is_closed());

    let mut server = self::server(Protocol::H2);
    server.handle_data(
        NOW,
        Bytes::from_static(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
    );
    let mut goaway = false;
    while let Some(output) = server.poll_output(NOW, 1_000) {
        goaway |= output.head.get(3) == Some(&7);
    }
    assert!(goaway && server.is_closed());
}

#[test]
fn a_lost_connection_fails_its_requests() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let (mut client, mut server) = (client(protocol), server(protocol));
        for token in 0..3 {
            client.request(token, fields("/20000"), None, None);
        }
        while let Some(data) = client.poll_output(1_000) {
            server.handle_data(NOW, data);
        }
        client.handle_closed("gone".to_owned());
        let events: Vec<_> = std::iter::from_fn(|| client.poll_event()).collect();
        let failed = |e: &&ClientEvent| matches!(e, ClientEvent::Failed { .. });
        assert_eq!(events.iter().filter(failed).count(), 3, "{protocol}");
        let reason = "gone".to_owned();
        assert_eq!(events.last(), Some(&ClientEvent::Lost { reason }));
        assert_eq!(client.capacity(), 0);
    }
}

/// After the server's announcement that it accepts no more requests, responses in
/// progress still end.
#[test]
fn a_server_that_goes_away_answers_what_it_has() {
    let (mut client, mut server) = (client(Protocol::H2), server(Protocol::H2));
    client.request(0, fields("/20000"), None, None);
    while let Some(data) = client.poll_output(1_000) {
        server.handle_data(NOW, data);
    }
    server.go_away();
    converse(&mut client, &mut server, 1_000);
    client.request(1, fields("/20000"), None, None);
    let events: Vec<_> = std::iter::from_fn(|| client.poll_event()).collect();
    let ended = events
        .iter()
        .position(|e| *e == ClientEvent::End { token: 0 });
    let lost = events
        .iter()
        .position(|e| matches!(e, ClientEvent::Lost { .. }));
    assert!(ended.is_some() && ended < lost, "{events:?}");
    assert!(matches!(
        events.last(),
        Some(ClientEvent::Failed { token: 1, .. })
    ));
}
