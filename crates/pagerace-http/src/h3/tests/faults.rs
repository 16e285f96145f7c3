//! Protocol errors of the peer, and the error codes that they cause.

use bytes::Bytes;

use super::support::*;
use crate::Field;
use crate::h3::{Code, Config, Connection, Event, Role};

/// Returns the code of the connection error that `bytes` cause.
fn fault(mut connection: Connection, stream: u64, bytes: impl Into<Bytes>, fin: bool) -> Code {
    if connection.role == Role::Client {
        connection.send_request(0, &get("/"), None, None).unwrap();
    }
    let error = connection
        .handle_data(stream, bytes.into(), fin)
        .expect_err("a connection error");
    // The connection stays failed.
    assert_eq!(
        connection.handle_data(stream, Bytes::new(), false),
        Err(error.clone())
    );
    error.code
}

#[test]
fn control_stream() {
    let frame_of = |ty, payload: &[u8]| frame(ty, payload);
    let on_server = |frames: &[Vec<u8>]| fault(server(), 2, control(frames), false);
    let on_client = |frames: &[Vec<u8>]| fault(client(), 3, control(frames), false);
    // SETTINGS must come first, and once: section 6.2.1.
    let no_settings = [vec![0], frame_of(0x21, &[])].concat();
    assert_eq!(
        fault(server(), 2, no_settings, false),
        Code::MISSING_SETTINGS
    );
    assert_eq!(on_server(&[frame_of(4, &[])]), Code::FRAME_UNEXPECTED);
    // Frames of messages, of HTTP/2 and of the other role are forbidden: section 7.2.
    for ty in [0, 1, 5, 2, 6, 8, 9] {
        assert_eq!(
            on_server(&[frame_of(ty, &[0])]),
            Code::FRAME_UNEXPECTED,
            "type {ty}"
        );
    }
    assert_eq!(on_client(&[frame_of(0x0d, &[0])]), Code::FRAME_UNEXPECTED);
    assert_eq!(
        on_client(&[frame_of(0xf0700, &[0])]),
        Code::FRAME_UNEXPECTED
    );
    assert_eq!(
        on_client(&[frame_of(0xf0701, &[0])]),
        Code::FRAME_UNEXPECTED
    );
    // Payloads that are not exactly one integer: section 7.1.
    assert_eq!(on_server(&[frame_of(7, &[])]), Code::FRAME_ERROR);
    assert_eq!(on_server(&[frame_of(7, &[0, 0])]), Code::FRAME_ERROR);
    assert_eq!(on_server(&[frame_of(0xf0700, &[0x40])]), Code::FRAME_ERROR);
    // Invalid ids: sections 5.2, 7.2.3, 7.2.7; RFC 9218, section 7.2.
    assert_eq!(on_client(&[frame_of(7, &[3])]), Code::ID_ERROR);
    assert_eq!(
        on_client(&[frame_of(7, &[4]), frame_of(7, &[8])]),
        Code::ID_ERROR
    );
    assert_eq!(
        on_server(&[frame_of(0x0d, &[4]), frame_of(0x0d, &[3])]),
        Code::ID_ERROR
    );
    assert_eq!(on_server(&[frame_of(3, &[0])]), Code::ID_ERROR);
    assert_eq!(on_client(&[frame_of(3, &[0])]), Code::ID_ERROR);
    assert_eq!(on_server(&[frame_of(0xf0700, &[2])]), Code::ID_ERROR);
    assert_eq!(on_server(&[frame_of(0xf0701, &[0])]), Code::ID_ERROR);
    // The payload is too long to be collected.
    assert_eq!(
        on_server(&[frame_of(0xf0700, &[0; 5000])]),
        Code::EXCESSIVE_LOAD
    );
}

#[test]
fn settings() {
    let with = |payload: &[u8]| fault(server(), 2, [&[0][..], &frame(4, payload)].concat(), false);
    for id in [0, 2, 3, 4, 5] {
        assert_eq!(with(&[id, 1]), Code::SETTINGS_ERROR, "setting {id}");
    }
    assert_eq!(with(&[6, 1, 6, 1]), Code::SETTINGS_ERROR);
    assert_eq!(with(&[0x33, 2]), Code::SETTINGS_ERROR);
    assert_eq!(with(&[6]), Code::FRAME_ERROR);
    assert_eq!(with(&[6, 0x40]), Code::FRAME_ERROR);
}

#[test]
fn critical_streams() {
    for ty in [0, 2, 3] {
        let opening = if ty == 0 {
            control(&[])
        } else {
            vec![ty].into()
        };
        assert_eq!(
            fault(server(), 2, opening.clone(), true),
            Code::CLOSED_CRITICAL_STREAM
        );
        // A second stream of the same type: section 6.2.1; RFC 9204, section 4.2.
        let mut connection = server();
        connection.handle_data(2, opening.clone(), false).unwrap();
        assert_eq!(
            fault(connection, 6, opening.clone(), false),
            Code::STREAM_CREATION_ERROR
        );
        let mut connection = server();
        connection.handle_data(2, opening, false).unwrap();
        let error = connection.handle_reset(2, 0).unwrap_err();
        assert_eq!(error.code, Code::CLOSED_CRITICAL_STREAM);
    }
    let error = server().handle_stop_sending(3, 0).unwrap_err();
    assert_eq!(error.code, Code::CLOSED_CRITICAL_STREAM);
}

#[test]
fn streams_that_may_not_be() {
    assert_eq!(
        fault(server(), 2, vec![1], false),
        Code::STREAM_CREATION_ERROR
    ); // A push stream.
    assert_eq!(fault(client(), 3, vec![1, 0], false), Code::ID_ERROR); // A push stream.
    assert_eq!(
        fault(client(), 1, vec![0], false),
        Code::STREAM_CREATION_ERROR
    );
}

#[test]
fn request_stream() {
    let head = headers(&get("/"));
    let trailers = headers(&[field("x", "y")]);
    let bad = |connection, bytes: Vec<u8>| fault(connection, 0, bytes, true);
    for ty in [4, 7, 0x0d, 3, 0xf0700, 0xf0701, 2, 6, 8, 9, 5] {
        assert_eq!(
            bad(server(), frame(ty, &[0])),
            Code::FRAME_UNEXPECTED,
            "type {ty}"
        );
    }
    assert_eq!(bad(client(), frame(5, &[0])), Code::ID_ERROR);
    assert_eq!(bad(server(), frame(0, &[])), Code::FRAME_UNEXPECTED);
    let after = |last: &[u8]| [&head[..], &trailers, last].concat();
    assert_eq!(
        bad(server(), after(&frame(0, b"x"))),
        Code::FRAME_UNEXPECTED
    );
    assert_eq!(bad(server(), after(&trailers)), Code::FRAME_UNEXPECTED);
    assert_eq!(
        bad(server(), head[..head.len() - 1].to_vec()),
        Code::FRAME_ERROR
    );
    assert_eq!(
        bad(server(), frame(1, &[0, 0, 0x80])),
        Code::QPACK_DECOMPRESSION_FAILED
    );
    assert_eq!(
        bad(server(), frame(1, &[0])),
        Code::QPACK_DECOMPRESSION_FAILED
    );
}

#[test]
fn qpack_streams() {
    assert_eq!(
        fault(server(), 2, vec![2, 0], false),
        Code::QPACK_ENCODER_STREAM_ERROR
    );
    assert_eq!(
        fault(server(), 2, vec![3, 1], false),
        Code::QPACK_DECODER_STREAM_ERROR
    );
    // A section that refers to the dynamic table.
    assert_eq!(
        fault(server(), 0, frame(1, &[2, 0, 0x80]), false),
        Code::QPACK_DECOMPRESSION_FAILED
    );
}

#[test]
fn what_is_unknown_is_passed_over() {
    let mut server = server();
    // A stream of a reserved type, one of an unknown type, and one that ends early.
    server
        .handle_data(
            2,
            Bytes::from([integer(0x1f * 5 + 0x21), vec![9; 99]].concat()),
            true,
        )
        .unwrap();
    server
        .handle_data(6, Bytes::from(integer(0x4242_4242)), false)
        .unwrap();
    server
        .handle_data(10, Bytes::from_static(&[0x40]), true)
        .unwrap();
    server.handle_reset(14, 7).unwrap();
    server
        .handle_data(
            18,
            control(&[frame(0x21, b"grease"), frame(0x4242, &[1; 9000])]),
            false,
        )
        .unwrap();
    let bytes = [
        frame(0x21, &[7; 10]),
        headers(&get("/")),
        frame(0x40, b"zz"),
    ]
    .concat();
    server.handle_data(0, bytes.into(), true).unwrap();
    let events = events(&mut server);
    assert_eq!(events.len(), 2);
    assert_eq!(events[1], Event::Finished { stream: 0 });
}

/// Returns the code of the stream error that a message causes, if any.
fn stream_error(mut connection: Connection, bytes: Vec<u8>) -> Option<Code> {
    if connection.role == Role::Client {
        connection.send_request(0, &get("/"), None, None).unwrap();
    }
    connection.handle_data(0, bytes.into(), true).unwrap();
    let events = events(&mut connection);
    let finished = events.contains(&Event::Finished { stream: 0 });
    let error = events.into_iter().find_map(|event| match event {
        Event::StreamError { code, .. } => Some(code),
        _ => None,
    });
    assert!(
        finished != error.is_some(),
        "a message is either complete or refused"
    );
    error
}

fn with(mut fields: Vec<Field>, name: &'static str, value: &'static str) -> Vec<Field> {
    fields.push(field(name, value));
    fields
}

fn without(mut fields: Vec<Field>, name: &str) -> Vec<Field> {
    fields.retain(|f| f.name != name.as_bytes());
    fields
}

#[test]
fn malformed_requests() {
    let base = || get("/");
    let malformed = [
        without(base(), ":method"),
        without(base(), ":scheme"),
        without(base(), ":path"),
        without(base(), ":authority"),
        with(without(base(), ":path"), ":path", ""),
        with(without(base(), ":path"), ":path", "x"),
        with(without(base(), ":path"), ":path", "*"),
        with(without(base(), ":authority"), ":authority", ""),
        with(base(), "host", "example.net"),
        with(base(), ":path", "/twice"),
        with(base(), ":status", "200"),
        with(base(), ":protocol", "websocket"),
        with(with(without(base(), ":path"), "a", "b"), ":path", "/late"),
        with(base(), "Accept", "x"),
        with(base(), "", "x"),
        with(base(), "a b", "x"),
        with(base(), "a", "x\ny"),
        with(base(), "a", " x"),
        with(base(), "connection", "close"),
        with(base(), "transfer-encoding", "chunked"),
        with(base(), "te", "gzip"),
        with(base(), "content-length", "1"),
        with(base(), "content-length", "-1"),
        with(with(base(), "content-length", "0"), "content-length", "1"),
        with(
            without(without(base(), ":path"), ":method"),
            ":method",
            "CONNECT",
        ),
        with(without(base(), ":method"), ":method", "GE T"),
    ];
    for fields in malformed {
        let error = stream_error(server(), headers(&fields));
        assert_eq!(error, Some(Code::MESSAGE_ERROR), "{fields:?}");
    }
    let fine = [
        base(),
        with(base(), "te", "trailers"),
        with(base(), "host", "example.org"),
        with(without(base(), ":authority"), "host", "example.org"),
        with(
            with(base(), "content-length", "0"),
            "content-length",
            "0, 0",
        ),
        request("OPTIONS", "*"),
        vec![
            field(":method", "CONNECT"),
            field(":authority", "example.org:443"),
        ],
        with(base(), "a", "x\ty \u{e9}"),
    ];
    for fields in fine {
        assert_eq!(stream_error(server(), headers(&fields)), None, "{fields:?}");
    }
}

#[test]
fn malformed_responses() {
    let malformed: [&[Field]; 6] = [
        &[],
        &[field(":status", "20")],
        &[field(":status", "+20")],
        &[field(":status", "101")],
        &[field(":status", "200"), field(":path", "/")],
        &[field(":status", "200"), field("upgrade", "h2c")],
    ];
    for fields in malformed {
        let error = stream_error(client(), headers(fields));
        assert_eq!(error, Some(Code::MESSAGE_ERROR), "{fields:?}");
    }
    // The stream ends after an interim response.
    let interim = headers(&[field(":status", "103")]);
    assert_eq!(stream_error(client(), interim), Some(Code::MESSAGE_ERROR));
}

#[test]
fn incomplete_and_mismatched_messages() {
    assert_eq!(
        stream_error(server(), vec![]),
        Some(Code::REQUEST_INCOMPLETE)
    );
    assert_eq!(
        stream_error(server(), frame(0x21, &[])),
        Some(Code::REQUEST_INCOMPLETE)
    );
    let head = headers(&with(request("POST", "/"), "content-length", "3"));
    for (content, error) in [
        ("abc", None),
        ("ab", Some(Code::MESSAGE_ERROR)),
        ("abcd", Some(Code::MESSAGE_ERROR)),
    ] {
        let bytes = [head.clone(), frame(0, content.as_bytes())].concat();
        assert_eq!(stream_error(server(), bytes), error, "{content}");
    }
    let trailers = [headers(&get("/")), headers(&[field(":path", "/")])].concat();
    assert_eq!(stream_error(server(), trailers), Some(Code::MESSAGE_ERROR));
}

#[test]
fn a_section_above_our_limit_is_a_stream_error() {
    let config = Config {
        max_field_section_size: 200,
        ..Config::default()
    };
    let small = Connection::new(Role::Server, config);
    let fields = with(
        get("/"),
        "cookie",
        "0123456789012345678901234567890123456789",
    );
    assert_eq!(
        stream_error(small, headers(&fields)),
        Some(Code::EXCESSIVE_LOAD)
    );
}

#[test]
fn a_client_cancels_no_more_than_it_takes() {
    let config = Config {
        cancelled_max: 3,
        ..Config::default()
    };
    let mut server = Connection::new(Role::Server, config);
    let mut cancel = |stream: u64, answered: bool| {
        if answered {
            server.handle_answered();
        }
        // One request, however it is told.
        let both = server
            .handle_reset(stream, Code::REQUEST_CANCELLED.0)
            .and_then(|()| server.handle_stop_sending(stream, Code::REQUEST_CANCELLED.0));
        server.forget(stream);
        both
    };
    for stream in 0..3 {
        assert_eq!(cancel(4 * stream, false), Ok(()));
    }
    assert_eq!(cancel(12, true), Ok(()), "an answer makes up for it");
    let error = cancel(16, false).unwrap_err();
    assert_eq!(error.code, Code::EXCESSIVE_LOAD);
}
