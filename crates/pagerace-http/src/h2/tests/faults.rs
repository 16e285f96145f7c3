//! Protocol errors of the peer, and the error codes that they cause.

use bytes::Bytes;

use super::support::*;
use crate::Field;
use crate::h2::{Code, Config, Connection, Event, Role, Settings, frame};

/// Returns the code of the connection error that the frames cause, and checks that GOAWAY
/// carries it.
fn fault(mut connection: Connection, frames_in: &[Vec<u8>]) -> Code {
    let error = feed(&mut connection, frames_in).expect_err("a connection error");
    let last = match connection.role {
        Role::Server => connection.next_stream.saturating_sub(2),
        Role::Client => 0,
    };
    let goaway = frames(&written(&mut connection)).pop().expect("a GOAWAY");
    assert_eq!(goaway.0, frame::GOAWAY);
    assert_eq!(goaway.3[..4], (last as u32).to_be_bytes());
    assert_eq!(goaway.3[4..8], error.code.0.to_be_bytes());
    assert_eq!(&goaway.3[8..], error.reason.as_bytes());
    // The connection stays failed, and writes nothing more.
    let again = connection.handle_data(Bytes::from_static(b"more"));
    assert_eq!(again, Err(error.clone()));
    assert_eq!(connection.poll_write(), None);
    error.code
}

fn on_server(frames: &[Vec<u8>]) -> Code {
    fault(ready_server(Config::server()), frames)
}

fn on_client(frames: &[Vec<u8>]) -> Code {
    fault(ready_client(), frames)
}

/// Returns the code of the stream error that the frames cause, and checks that
/// `RST_STREAM` carries it and the connection continues.
fn stream_fault(connection: &mut Connection, stream: u64, frames_in: &[Vec<u8>]) -> Code {
    feed(connection, frames_in).expect("no connection error");
    let code = events(connection)
        .into_iter()
        .find_map(|event| match event {
            Event::StreamError {
                stream: s, code, ..
            } if s == stream => Some(code),
            _ => None,
        })
        .expect("a stream error");
    let reset = (frame::RST_STREAM, 0, stream, code.0.to_be_bytes().to_vec());
    assert!(frames(&written(connection)).contains(&reset));
    assert!(!connection.can_send(stream));
    feed(connection, &[frame(frame::PING, 0, 0, &[0; 8])]).unwrap();
    code
}

fn request_fault(frames: &[Vec<u8>]) -> Code {
    stream_fault(&mut ready_server(Config::server()), 1, frames)
}

#[test]
fn preface() {
    // Section 3.4.
    let mut fresh = server();
    let error = fresh
        .handle_data(Bytes::from_static(b"GET / HTTP/1.1\r\n"))
        .unwrap_err();
    assert_eq!(error.code, Code::PROTOCOL_ERROR);
    let mut cut = server();
    cut.handle_data(Bytes::from_static(b"PRI * ")).unwrap();
    assert!(cut.handle_data(Bytes::from_static(b"HTTP/3")).is_err());

    for first in [
        frame(frame::PING, 0, 0, &[0; 8]),
        frame(frame::SETTINGS, frame::ACK, 0, &[]),
        headers(1, &get("/"), true),
        frame(0x42, 0, 0, &[]),
    ] {
        let to_server = [PREFACE.to_vec(), first.clone()];
        assert_eq!(fault(server(), &to_server), Code::PROTOCOL_ERROR);
        let mut fresh = client();
        written(&mut fresh);
        assert_eq!(fault(fresh, &[first]), Code::PROTOCOL_ERROR);
    }
}

/// Sections 4.2 and 6.
#[test]
fn frame_sizes() {
    let size = Code::FRAME_SIZE_ERROR;
    for ty in [frame::DATA, frame::HEADERS, frame::SETTINGS, 0x42] {
        let header = frame::header(ty, 0, 1, 16_385).to_vec();
        assert_eq!(on_server(&[header]), size, "type {ty}");
    }
    let open = headers(1, &get("/"), false);
    for (ty, stream, payload) in [
        (frame::RST_STREAM, 1, &[0; 3][..]),
        (frame::RST_STREAM, 1, &[0; 5]),
        (frame::SETTINGS, 0, &[0; 5]),
        (frame::PING, 0, &[0; 7]),
        (frame::PING, 0, &[0; 9]),
        (frame::GOAWAY, 0, &[0; 7]),
        (frame::WINDOW_UPDATE, 0, &[0; 3]),
        (frame::WINDOW_UPDATE, 1, &[0; 5]),
        (frame::PRIORITY_UPDATE, 0, &[0; 3]),
    ] {
        let wrong = frame(ty, 0, stream, payload);
        assert_eq!(on_server(&[open.clone(), wrong]), size, "type {ty}");
    }
    assert_eq!(
        on_server(&[frame(frame::SETTINGS, frame::ACK, 0, &[0; 6])]),
        size
    );
    // A malformed PRIORITY is a stream error, unless the stream is idle.
    let wrong = frame(frame::PRIORITY, 0, 1, &[0; 4]);
    assert_eq!(request_fault(&[open, wrong.clone()]), size);
    assert_eq!(on_server(&[wrong]), size);
    // HEADERS is too short for its flags.
    for flags in [frame::PADDED, frame::HAS_PRIORITY] {
        assert_eq!(on_server(&[frame(frame::HEADERS, flags, 1, &[])]), size);
    }
}

/// Sections 5.1 and 6: frames on streams that do not allow them.
#[test]
fn frames_on_wrong_streams() {
    let protocol = Code::PROTOCOL_ERROR;
    for (ty, payload) in [
        (frame::DATA, &[0][..]),
        (frame::HEADERS, &[0x82]),
        (frame::PRIORITY, &[0; 5]),
        (frame::RST_STREAM, &[0; 4]),
        (frame::CONTINUATION, &[]),
    ] {
        assert_eq!(on_server(&[frame(ty, 0, 0, payload)]), protocol, "{ty}");
    }
    for (ty, payload) in [
        (frame::SETTINGS, &[][..]),
        (frame::PING, &[0; 8]),
        (frame::GOAWAY, &[0; 8]),
        (frame::PRIORITY_UPDATE, &[0, 0, 0, 1]),
    ] {
        let stray = frame(ty, 0, 1, payload);
        assert_eq!(
            on_server(&[headers(1, &get("/"), true), stray]),
            protocol,
            "{ty}"
        );
    }
    // Idle streams, and server-initiated streams.
    for stream in [1, 2] {
        for (ty, payload) in [
            (frame::DATA, &[][..]),
            (frame::RST_STREAM, &[0; 4]),
            (frame::WINDOW_UPDATE, &[0, 0, 0, 1]),
        ] {
            let stray = frame(ty, 0, stream, payload);
            assert_eq!(on_server(&[stray]), protocol, "{ty}");
            let stray = frame(ty, 0, stream + 2, payload);
            assert_eq!(on_client(&[stray]), protocol, "{ty}");
        }
    }
    assert_eq!(on_server(&[headers(2, &get("/"), true)]), protocol);
    assert_eq!(on_client(&[headers(3, &ok(), true)]), protocol);
    // Stream ids must ascend: section 5.1.1.
    let descending = [headers(5, &get("/"), true), headers(3, &get("/"), true)];
    assert_eq!(on_server(&descending), protocol);
    // Server push: section 8.4.
    let promise = frame(frame::PUSH_PROMISE, frame::END_HEADERS, 1, &[0, 0, 0, 2]);
    assert_eq!(on_client(std::slice::from_ref(&promise)), protocol);
    assert_eq!(on_server(&[promise]), protocol);
}

/// Section 5.1: frames on half-closed and closed streams.
#[test]
fn frames_after_the_end() {
    let closed = Code::STREAM_CLOSED;
    let get = headers(1, &get("/"), true);
    for late in [data(1, b"x", false), headers(1, &[field("a", "b")], true)] {
        // The client has half-closed the stream.
        assert_eq!(request_fault(&[get.clone(), late.clone()]), closed);
        // Both ends have closed the stream.
        let mut server = ready_server(Config::server());
        feed(&mut server, std::slice::from_ref(&get)).unwrap();
        server.response_head(1, &ok(), true);
        assert_eq!(fault(server, std::slice::from_ref(&late)), closed);
        // The client has reset the stream, and gets a reset in return.
        let mut server = ready_server(Config::server());
        let cancel = frame(frame::RST_STREAM, 0, 1, &8_u32.to_be_bytes());
        feed(&mut server, &[get.clone(), cancel, late]).unwrap();
        let reset = (frame::RST_STREAM, 0, 1, closed.0.to_be_bytes().to_vec());
        assert_eq!(frames(&written(&mut server)), [reset]);
    }
    // These frames may cross the end of the stream, and are ignored.
    let mut server = ready_server(Config::server());
    feed(&mut server, &[get]).unwrap();
    server.response_head(1, &ok(), true);
    let crossing = [
        frame(frame::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
        frame(frame::RST_STREAM, 0, 1, &[0, 0, 0, 8]),
        frame(frame::PRIORITY, 0, 1, &[0; 5]),
    ];
    feed(&mut server, &crossing).unwrap();
    assert!(written(&mut server).is_empty());
}

/// Section 6.10.
#[test]
fn continuations() {
    let protocol = Code::PROTOCOL_ERROR;
    let section = section(&get("/"));
    let start = frame(frame::HEADERS, frame::END_STREAM, 1, &section[..2]);
    let rest = |stream| {
        frame(
            frame::CONTINUATION,
            frame::END_HEADERS,
            stream,
            &section[2..],
        )
    };
    let mut server = ready_server(Config::server());
    feed(&mut server, &[start.clone(), rest(1)]).unwrap();
    assert_eq!(events(&mut server).len(), 2);

    assert_eq!(on_server(&[rest(1)]), protocol);
    assert_eq!(on_server(&[headers(1, &get("/"), true), rest(1)]), protocol);
    assert_eq!(on_server(&[start.clone(), rest(3)]), protocol);
    for between in [
        frame(frame::PING, 0, 0, &[0; 8]),
        frame(0x42, 0, 1, &[]),
        headers(3, &get("/"), true),
        data(1, b"", false),
    ] {
        assert_eq!(on_server(&[start.clone(), between]), protocol);
    }
}

#[test]
fn padding() {
    let wrong = frame(frame::HEADERS, frame::PADDED, 1, &[2, 0x82]);
    assert_eq!(on_server(&[wrong]), Code::PROTOCOL_ERROR);
    let mut right = vec![4];
    right.extend(section(&get("/")));
    right.extend([0; 4]);
    let flags = frame::PADDED | frame::END_HEADERS | frame::END_STREAM;
    let mut server = ready_server(Config::server());
    feed(&mut server, &[frame(frame::HEADERS, flags, 1, &right)]).unwrap();
    assert_eq!(events(&mut server).len(), 2);
}

/// Section 6.5.2; RFC 8441, section 3; RFC 9218, section 2.1.
#[test]
fn settings() {
    let setting = |id: u8, value: u32| {
        let payload = [&[0, id][..], &value.to_be_bytes()].concat();
        frame(frame::SETTINGS, 0, 0, &payload)
    };
    let protocol = Code::PROTOCOL_ERROR;
    assert_eq!(on_server(&[setting(2, 2)]), protocol);
    assert_eq!(on_client(&[setting(2, 1)]), protocol);
    assert_eq!(on_server(&[setting(4, 1 << 31)]), Code::FLOW_CONTROL_ERROR);
    assert_eq!(on_server(&[setting(5, 16_383)]), protocol);
    assert_eq!(on_server(&[setting(5, 1 << 24)]), protocol);
    assert_eq!(on_server(&[setting(8, 2)]), protocol);
    assert_eq!(on_server(&[setting(8, 1), setting(8, 0)]), protocol);
    assert_eq!(on_server(&[setting(9, 2)]), protocol);
    assert_eq!(on_server(&[setting(9, 1)]), protocol, "it came too late");

    let mut fresh = client();
    let first = [setting(9, 1), setting(5, 20_000), setting(3, 7)];
    feed(&mut fresh, &first).unwrap();
    let expected = Settings {
        no_rfc7540_priorities: Some(true),
        max_frame_size: 20_000,
        max_concurrent_streams: Some(7),
        ..Settings::default()
    };
    assert_eq!(fresh.peer_settings(), &expected);
}

/// Sections 6.9 and 6.9.1.
#[test]
fn windows() {
    let protocol = Code::PROTOCOL_ERROR;
    let flow = Code::FLOW_CONTROL_ERROR;
    let update = |stream, by: u32| frame(frame::WINDOW_UPDATE, 0, stream, &by.to_be_bytes());
    let open = headers(1, &get("/"), false);
    let most = (1 << 31) - 1;
    assert_eq!(on_server(&[update(0, 0)]), protocol);
    assert_eq!(on_server(&[update(0, most)]), flow);
    assert_eq!(request_fault(&[open.clone(), update(1, 0)]), protocol);
    assert_eq!(request_fault(&[open.clone(), update(1, most)]), flow);
    // A change of settings makes a window too large: section 6.9.2.
    let grown = update(1, most - 65_535);
    let larger = frame(frame::SETTINGS, 0, 0, &[0, 4, 0, 1, 0, 0]);
    assert_eq!(on_server(&[open, grown, larger]), flow);
}

/// RFC 7540, section 5.3.1; RFC 9218, section 7.1.
#[test]
fn priorities() {
    let protocol = Code::PROTOCOL_ERROR;
    let mut payload = vec![0, 0, 0, 1, 15];
    let on_itself = frame(frame::PRIORITY, 0, 1, &payload);
    let open = headers(1, &get("/"), false);
    assert_eq!(request_fault(&[open, on_itself.clone()]), protocol);
    assert_eq!(on_server(&[on_itself]), protocol);
    payload.extend(section(&get("/")));
    let flags = frame::HAS_PRIORITY | frame::END_HEADERS;
    let on_itself = frame(frame::HEADERS, flags, 1, &payload);
    assert_eq!(request_fault(&[on_itself]), protocol);

    let update = |stream: u32| {
        let payload = [&stream.to_be_bytes()[..], b"u=1"].concat();
        frame(frame::PRIORITY_UPDATE, 0, 0, &payload)
    };
    assert_eq!(on_server(&[update(0)]), protocol);
    assert_eq!(on_server(&[update(2)]), protocol);
    assert_eq!(on_client(&[update(1)]), protocol);
    // A value that is not a dictionary is ignored.
    let mut server = ready_server(Config::server());
    let rubbish = frame(frame::PRIORITY_UPDATE, 0, 0, b"\0\0\0\x01u=(");
    feed(&mut server, &[rubbish, headers(1, &get("/"), true)]).unwrap();
    assert_eq!(events(&mut server).len(), 2);
}

#[test]
fn compression() {
    let broken = frame(frame::HEADERS, frame::END_HEADERS, 1, &[0x80]);
    assert_eq!(
        on_server(std::slice::from_ref(&broken)),
        Code::COMPRESSION_ERROR
    );
    assert_eq!(on_client(&[broken]), Code::COMPRESSION_ERROR);
    let mut fields = get("/");
    fields.extend(crate::fields::filler_fields(80_000));
    let bytes = section(&fields);
    let mut frames = vec![frame(frame::HEADERS, 0, 1, &[])];
    for part in bytes.chunks(16_384) {
        frames.push(frame(frame::CONTINUATION, 0, 1, part));
    }
    frames.push(frame(frame::CONTINUATION, frame::END_HEADERS, 1, &[]));
    assert_eq!(request_fault(&frames), Code::ENHANCE_YOUR_CALM);
}

#[test]
fn a_goaway_that_admits_more() {
    let goaway = |last: u8| frame(frame::GOAWAY, 0, 0, &[0, 0, 0, last, 0, 0, 0, 0]);
    assert_eq!(on_client(&[goaway(1), goaway(3)]), Code::PROTOCOL_ERROR);
}

/// Section 8.1.1: malformed messages are stream errors.
#[test]
fn malformed_requests() {
    let without = |name: &str| -> Vec<Field> {
        let mut fields = get("/");
        fields.retain(|f| f.name != name.as_bytes());
        fields
    };
    let with = |name: &'static str, value: &'static str| {
        let mut fields = get("/");
        fields.push(field(name, value));
        fields
    };
    for fields in [
        without(":method"),
        without(":scheme"),
        without(":path"),
        without(":authority"),
        request("GET", ""),
        with(":path", "/"),
        with(":status", "200"),
        with(":protocol", "x"),
        with("Upper", "x"),
        with("", "x"),
        with("x", " y"),
        with("x", "a\nb"),
        with("connection", "close"),
        with("transfer-encoding", "chunked"),
        with("te", "gzip"),
        with("host", "example.com"),
        with("content-length", "-1"),
        with("content-length", "1"),
    ] {
        let code = request_fault(&[headers(1, &fields, true)]);
        assert_eq!(code, Code::PROTOCOL_ERROR, "{fields:?}");
    }
    let mut swapped = vec![field("x", "y")];
    swapped.extend(get("/"));
    let code = request_fault(&[headers(1, &swapped, true)]);
    assert_eq!(code, Code::PROTOCOL_ERROR);

    let post = |length| {
        let mut fields = request("POST", "/");
        fields.push(field("content-length", length));
        headers(1, &fields, false)
    };
    let trailers = [field("x", "y")];
    for frames in [
        vec![post("4"), data(1, b"hello", true)],
        vec![post("6"), data(1, b"hello", true)],
        vec![
            post("6"),
            data(1, b"hello", false),
            headers(1, &trailers, true),
        ],
        // Trailers: section 8.1.
        vec![
            post("5"),
            data(1, b"hello", false),
            headers(1, &trailers, false),
        ],
        vec![post("0"), headers(1, &[field(":path", "/")], true)],
    ] {
        assert_eq!(request_fault(&frames), Code::PROTOCOL_ERROR);
    }
}

#[test]
fn malformed_responses() {
    let status = |status| vec![field(":status", status)];
    for frames in [
        vec![headers(1, &[], true)],
        vec![headers(1, &get("/"), true)],
        vec![headers(1, &status("20"), true)],
        vec![headers(1, &status("101"), false)],
        vec![headers(1, &status("103"), true)],
        vec![data(1, b"x", true)],
        vec![headers(1, &status("103"), false), data(1, b"x", true)],
    ] {
        let code = stream_fault(&mut ready_client(), 1, &frames);
        assert_eq!(code, Code::PROTOCOL_ERROR);
    }
}
