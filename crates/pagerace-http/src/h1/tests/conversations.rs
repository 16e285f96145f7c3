use bytes::Bytes;

use super::*;
use crate::fields;
use crate::h1::RequestRefused;

/// Delivers the client's writes to the server, then answers each request with its own
/// path. Returns the client's events.
fn converse(client: &mut Client, server: &mut Server) -> Vec<Event> {
    while let Some(data) = client.poll_write() {
        server.handle_data(data);
    }
    let asked = events(|| server.poll_event());
    while let Some(data) = server.poll_write() {
        client.handle_data(data).unwrap();
    }
    for event in &asked {
        if let Event::Headers { fields, .. } = event {
            let path = fields::get(fields, ":path").unwrap().clone();
            let head_only = fields::get(fields, ":method").unwrap() == "HEAD";
            let answer = [
                Field::from_static(":status", "200"),
                Field::from_static("server", "x"),
            ];
            let head = server.response_head(&answer, path.len() as u64);
            client.handle_data(head).unwrap();
            if !head_only {
                client.handle_data(path).unwrap();
            }
            server.handle_answered();
        }
    }
    asked
}

#[test]
fn one_request_after_the_other_on_one_connection() {
    let (mut client, mut server) = (
        Client::new(Config::default()),
        Server::new(Config::default()),
    );
    for n in 1..=3 {
        assert!(client.can_request());
        let stream = client.send_request(&request("GET", "/abc"), None).unwrap();
        assert_eq!(stream, n);
        assert_eq!(
            client.send_request(&request("GET", "/"), None),
            Err(RequestRefused::Busy)
        );
        let asked = converse(&mut client, &mut server);
        assert_eq!(
            asked,
            [
                Event::Headers {
                    stream,
                    fields: request("GET", "/abc")
                },
                Event::Finished { stream }
            ]
        );
        let got = events(|| client.poll_event());
        let head = Event::Headers {
            stream,
            fields: vec![
                Field::from_static(":status", "200"),
                Field::from_static("server", "x"),
                Field::from_static("content-length", "4"),
            ],
        };
        assert_eq!(got[0], head);
        assert_eq!((content(&got), finished(&got)), (b"/abc".to_vec(), 1));
    }
    assert!(!client.is_closed() && !server.wants_close());
}

#[test]
fn head_has_a_length_and_no_content() {
    let (mut client, mut server) = (
        Client::new(Config::default()),
        Server::new(Config::default()),
    );
    client.send_request(&request("HEAD", "/abc"), None).unwrap();
    converse(&mut client, &mut server);
    let got = events(|| client.poll_event());
    assert_eq!((content(&got).len(), finished(&got)), (0, 1));
    assert!(client.can_request());
}

#[test]
fn content_travels_to_the_server() {
    let (mut client, mut server) = (
        Client::new(Config::default()),
        Server::new(Config::default()),
    );
    let body = Bytes::from(vec![7; 100_000]);
    client
        .send_request(&request("POST", "/"), Some(body.clone()))
        .unwrap();
    let asked = converse(&mut client, &mut server);
    assert_eq!((content(&asked), finished(&asked)), (body.to_vec(), 1));
}

#[test]
fn chunks_and_trailers_are_read() {
    let (_, events) = served(
        b"POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: Chunked\r\n\r\n\
          4;name=value\r\nWiki\r\n0005\r\npedia\r\n0\r\nDigest: q\r\n\r\n",
    );
    assert_eq!(content(&events), b"Wikipedia");
    let trailers = Event::Trailers {
        stream: 1,
        fields: vec![Field::from_static("digest", "q")],
    };
    assert_eq!(
        &events[events.len() - 2..],
        [trailers, Event::Finished { stream: 1 }]
    );
}

#[test]
fn pipelined_requests_are_answered_in_turn_and_bounded() {
    let config = Config {
        pipelined_max: 3,
        ..Config::default()
    };
    let mut server = Server::new(config);
    for n in 0..5 {
        let get = format!("GET /{n} HTTP/1.1\r\nHost: a.test\r\n\r\n");
        server.handle_data(get.into());
    }
    assert_eq!(
        finished(&events(|| server.poll_event())),
        3,
        "the rest waits"
    );
    assert!(!server.wants_data());
    for n in 1..=5 {
        assert_eq!(server.next_to_answer(), Some(n));
        server.response_head(&[Field::from_static(":status", "404")], 0);
        server.handle_answered();
    }
    assert_eq!(finished(&events(|| server.poll_event())), 2);
    assert!(server.wants_data() && server.next_to_answer().is_none());
}

#[test]
fn who_says_close_gets_it() {
    for (lines, closes) in [
        ("HTTP/1.1\r\nHost: a.test\r\nConnection: x, Close\r\n", true),
        (
            "HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive\r\n",
            false,
        ),
        ("HTTP/1.0\r\nHost: a.test\r\n", true),
        (
            "HTTP/1.0\r\nHost: a.test\r\nConnection: Keep-Alive\r\n",
            false,
        ),
    ] {
        let more = "GET /2 HTTP/1.1\r\nHost: a.test\r\n\r\n";
        let (mut server, events) = served(format!("GET / {lines}\r\n{more}").as_bytes());
        assert_eq!(finished(&events), if closes { 1 } else { 2 }, "{lines}");
        let head = server.response_head(&[Field::from_static(":status", "200")], 0);
        assert_eq!(head.ends_with(b"connection: close\r\n\r\n"), closes);
        server.handle_answered();
        assert_eq!(server.wants_close(), closes, "{lines}");
    }
}

#[test]
fn a_client_that_waits_for_permission_gets_it() {
    let (mut server, _) = served(
        b"PUT / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n",
    );
    assert_eq!(
        server.poll_write().as_deref(),
        Some(&b"HTTP/1.1 100 \r\n\r\n"[..])
    );
    server.handle_data(Bytes::from_static(b"abc"));
    assert_eq!(finished(&events(|| server.poll_event())), 1);
}

#[test]
fn targets_of_all_forms() {
    for (line, method, authority, path) in [
        ("GET http://b.test:8/p?q", "GET", "b.test:8", Some("/p?q")),
        ("GET https://b.test", "GET", "b.test", Some("/")),
        ("GET https://b.test?q", "GET", "b.test", Some("/?q")),
        ("OPTIONS *", "OPTIONS", "a.test", Some("*")),
        ("CONNECT b.test:443", "CONNECT", "b.test:443", None),
    ] {
        let (_, events) = served(format!("{line} HTTP/1.1\r\nHost: a.test\r\n\r\n").as_bytes());
        let Event::Headers { fields, .. } = &events[0] else {
            panic!("{line}: {events:?}");
        };
        let value = |name| fields::get(fields, name).map(|v| std::str::from_utf8(v).unwrap());
        assert_eq!(value(":method"), Some(method));
        assert_eq!(value(":authority"), Some(authority));
        assert_eq!(value(":path"), path);
        assert_eq!(value("host"), None);
    }
}

#[test]
fn responses_end_as_their_heads_say() {
    for (method, response, body, closed) in [
        (
            "GET",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
            "ab",
            false,
        ),
        (
            "GET",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
            "ab",
            false,
        ),
        ("GET", "HTTP/1.1 204 \r\n\r\n", "", false),
        (
            "GET",
            "HTTP/1.1 304 \r\nContent-Length: 9\r\n\r\n",
            "",
            false,
        ),
        (
            "HEAD",
            "HTTP/1.1 200 \r\nContent-Length: 9\r\n\r\n",
            "",
            false,
        ),
        (
            "GET",
            "HTTP/1.1 103 \r\nLink: x\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
            "",
            false,
        ),
        (
            "GET",
            "HTTP/1.1 200 \r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
            "a",
            true,
        ),
    ] {
        let (client, events, result) = answered(method, response.as_bytes());
        assert_eq!(result, Ok(()), "{response}");
        assert_eq!(content(&events), body.as_bytes(), "{response}");
        assert_eq!(finished(&events), 1, "{response}");
        assert_eq!(client.is_closed(), closed, "{response}");
        assert_eq!(client.can_request(), !closed);
    }
}

#[test]
fn content_of_unknown_length_ends_with_the_connection() {
    let (mut client, got, _) = answered("GET", b"HTTP/1.1 200 OK\r\n\r\nabc");
    assert_eq!((content(&got), finished(&got)), (b"abc".to_vec(), 0));
    client.handle_data(Bytes::from_static(b"def")).unwrap();
    client.handle_end().unwrap();
    let got = events(|| client.poll_event());
    assert_eq!((content(&got), finished(&got)), (b"def".to_vec(), 1));
    assert!(client.is_closed());
}

#[test]
fn fields_that_would_break_the_framing_are_left_out() {
    let (mut server, _) = served(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    let fields = [
        Field::from_static(":status", "200"),
        Field::from_static("content-length", "77"),
        Field::from_static("transfer-encoding", "chunked"),
        Field::from_static("x", "a\r\nset-cookie: b"),
        Field::from_static("y z", "a"),
        Field::from_static("fine", "a"),
    ];
    let head = server.response_head(&fields, 5);
    assert_eq!(
        head,
        &b"HTTP/1.1 200 OK\r\nfine: a\r\ncontent-length: 5\r\n\r\n"[..]
    );
}

/// A server whose response to a POST begins before the request's content is complete.
fn answering_early(request: &[u8]) -> Server {
    let (mut server, _) = served(request);
    let head = server.response_head(&[Field::from_static(":status", "404")], 1);
    assert!(head.starts_with(b"HTTP/1.1 404"));
    server
}

#[test]
fn a_response_that_began_early_outlives_the_end_of_the_request() {
    let half = b"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc";
    let mut server = answering_early(half);
    server.handle_end();
    assert_eq!(server.next_to_answer(), Some(1));
    assert!(!server.wants_close(), "the content is not written yet");
    server.handle_answered();
    assert!(server.wants_close());
    // The end after the response.
    let mut server = answering_early(half);
    server.handle_answered();
    assert!(!server.wants_close());
    server.handle_end();
    assert!(server.wants_close());
    assert_eq!(server.next_to_answer(), None);
}

#[test]
fn an_error_after_an_early_response_ends_the_connection() {
    let post = b"POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n";
    for answered_first in [false, true] {
        let mut server = answering_early(post);
        if answered_first {
            server.handle_answered();
        }
        server.handle_data(Bytes::from_static(b"no size\r\n"));
        assert_eq!(server.poll_event(), None, "it has its response");
        assert_eq!(server.wants_close(), answered_first);
        server.handle_answered();
        assert!(server.wants_close());
    }
}
