use bytes::Bytes;

use super::*;

/// The status of the error that `bytes` cause on a server; 0 if there is none.
fn refusal(bytes: &[u8]) -> u16 {
    let (server, events) = served(bytes);
    let status = events.iter().find_map(|e| match e {
        Event::StreamError { error, .. } => Some(error.status),
        _ => None,
    });
    if status.is_some() {
        assert!(!server.wants_data(), "nothing more is read");
    }
    status.unwrap_or(0)
}

#[test]
fn what_is_wrong_with_requests() {
    let long = format!("X: {}\r\n", "y".repeat(70_000));
    let many = "X: y\r\n".repeat(300);
    for (status, line, rest) in [
        (0, "GET / HTTP/1.1", "Host: a\r\n"),
        (400, "GET / HTTP/1.1", ""),
        (400, "GET / HTTP/1.1", "Host: a\r\nHost: a\r\n"),
        (400, "GET / HTTP/1.1", "Host: a/b\r\n"),
        (400, "GET / HTTP/1.1", "Host: u@a\r\n"),
        (400, "GET /", "Host: a\r\n"),
        (400, "GET a HTTP/1.1", "Host: a\r\n"),
        (400, "G(T / HTTP/1.1", "Host: a\r\n"),
        (505, "GET / HTTP/1.2", "Host: a\r\n"),
        (505, "GET / HTTP/2.0", "Host: a\r\n"),
        (400, "GET / HTTP/1.1", "Host : a\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\n folded\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\nX: y\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\nX: y\rz\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\nX: \0\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\nContent-Length: +1\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\nContent-Length: 1, 2\r\n"),
        (400, "GET / HTTP/1.1", "Host: a\r\nContent-Length: \r\n"),
        (
            400,
            "GET / HTTP/1.1",
            "Host: a\r\nContent-Length: 99999999999999999999\r\n",
        ),
        (0, "GET / HTTP/1.1", "Host: a\r\nContent-Length: 0, 0\r\n"),
        (431, "GET / HTTP/1.1", &long),
        (431, "GET / HTTP/1.1", &many),
        // Request smuggling.
        (
            400,
            "GET / HTTP/1.1",
            "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        ),
        (
            400,
            "GET / HTTP/1.0",
            "Host: a\r\nTransfer-Encoding: chunked\r\n",
        ),
        (
            501,
            "GET / HTTP/1.1",
            "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n",
        ),
        (
            501,
            "GET / HTTP/1.1",
            "Host: a\r\nTransfer-Encoding: xchunked\r\n",
        ),
        (501, "GET / HTTP/1.1", "Host: a\r\nTransfer-Encoding:\r\n"),
    ] {
        let bytes = format!("{line}\r\n{rest}\r\n");
        assert_eq!(
            refusal(bytes.as_bytes()),
            status,
            "{}",
            bytes.escape_debug()
        );
    }
    assert_eq!(refusal(b"\x16\x03\x01"), 400, "TLS where there is none");
}

#[test]
fn what_is_wrong_with_chunks() {
    for (status, chunks) in [
        (0, "3\r\nabc\r\n0\r\n\r\n"),
        (0, "3 ;a=b\r\nabc\r\n0\r\n\r\n"),
        (400, "3\nabc\r\n0\r\n\r\n"),
        (400, "\r\nabc"),
        (400, "-1\r\nabc"),
        (400, "0x3\r\nabc"),
        (400, "3 4\r\nabc"),
        (400, "3\r\nabcd\r\n0\r\n\r\n"),
        (400, "1000000000000000\r\n"),
        (400, "3\r\nabc\r\n0\r\nbad line\r\n\r\n"),
    ] {
        let bytes =
            format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        assert_eq!(
            refusal(bytes.as_bytes()),
            status,
            "{}",
            chunks.escape_debug()
        );
    }
    let endless = "3;".to_owned() + &"x".repeat(2_000);
    let bytes =
        format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{endless}");
    assert_eq!(refusal(bytes.as_bytes()), 400);
}

#[test]
fn a_fault_is_answered_after_what_came_before_it() {
    let (mut server, events) = served(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nrubbish\r\n\r\n");
    assert!(matches!(
        events.last(),
        Some(Event::StreamError { stream: 2, .. })
    ));
    assert_eq!(server.next_to_answer(), Some(1));
    server.response_head(&[Field::from_static(":status", "200")], 0);
    server.handle_answered();
    assert!(!server.wants_close());
    assert_eq!(server.next_to_answer(), Some(2));
    let head = server.response_head(&[Field::from_static(":status", "400")], 0);
    assert!(head.ends_with(b"connection: close\r\n\r\n"));
    server.handle_answered();
    assert!(server.wants_close());
}

#[test]
fn what_waits_unread_is_bounded() {
    let mut server = Server::new(Config {
        pipelined_max: 1,
        unread_bytes_max: 1_000,
        ..Config::default()
    });
    let get = Bytes::from_static(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    for _ in 0..100 {
        server.handle_data(get.clone());
    }
    let events = events(|| server.poll_event());
    let Some(Event::StreamError { stream: 2, error }) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(error.status, 503);
}

#[test]
fn what_is_wrong_with_responses() {
    for response in [
        "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX y\r\n\r\n",
    ] {
        let (client, _, result) = answered("GET", response.as_bytes());
        assert!(result.is_err() && client.is_closed(), "{response}");
    }
    // Bytes beyond the response close the connection, but the response is intact.
    let (client, events, result) = answered("GET", b"HTTP/1.1 204 \r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    assert!(result.is_ok() && client.is_closed());
    assert_eq!(finished(&events), 1);
}

#[test]
fn a_response_that_is_cut_off_is_no_response() {
    for response in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
    ] {
        let (mut client, ..) = answered("GET", response.as_bytes());
        assert!(client.handle_end().is_err(), "{response}");
    }
}

#[test]
fn half_a_request_is_not_answered() {
    let (mut server, _) = served(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    server.handle_end();
    assert!(server.wants_close() && server.next_to_answer().is_none());
}
