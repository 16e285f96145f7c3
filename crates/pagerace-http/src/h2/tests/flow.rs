//! Flow control: RFC 9113, sections 5.2 and 6.9.

use bytes::Bytes;

use super::support::*;
use crate::h2::{Code, Config, Connection, Event, Role, frame};

fn update(stream: u64, by: u32) -> Vec<u8> {
    frame(frame::WINDOW_UPDATE, 0, stream, &by.to_be_bytes())
}

fn initial_window(size: u32) -> Vec<u8> {
    let payload = [&[0, 4][..], &size.to_be_bytes()].concat();
    frame(frame::SETTINGS, 0, 0, &payload)
}

/// A server with a `GET` request on each of `streams`, from a client with default
/// settings.
fn asked(streams: &[u64]) -> Connection {
    let mut server = ready_server(Config::server());
    for stream in streams {
        feed(&mut server, &[headers(*stream, &get("/"), true)]).unwrap();
    }
    events(&mut server);
    server
}

#[test]
fn the_window_is_the_least_of_three() {
    let mut server = asked(&[1, 3]);
    assert_eq!(server.send_window(1), 16_384, "the peer's largest frame");
    let larger = frame(frame::SETTINGS, 0, 0, &[0, 5, 0, 1, 0x86, 0xa0]);
    feed(&mut server, &[larger]).unwrap();
    assert_eq!(server.send_window(1), 65_535, "the stream's");
    assert_eq!(
        &server.data_frame(1, 65_000, false)[..],
        [0, 0xfd, 0xe8, 0, 0, 0, 0, 0, 1]
    );
    assert_eq!(server.send_window(1), 535);
    assert_eq!(server.send_window(3), 535, "the connection's");
    server.data_frame(3, 535, false);
    assert_eq!(server.send_window(3), 0);
    events(&mut server);

    feed(&mut server, &[update(0, 10), update(1, 1)]).unwrap();
    assert_eq!(events(&mut server), [Event::WindowOpened]);
    assert_eq!((server.send_window(1), server.send_window(3)), (10, 10));
    assert_eq!(server.send_window(5), 0, "no such stream");
}

#[test]
#[should_panic(expected = "flow control lets in 16384")]
fn more_than_the_window_is_a_bug() {
    asked(&[1]).data_frame(1, 16_385, false);
}

/// Section 6.9.2: a smaller initial window can make a stream's window negative.
#[test]
fn windows_below_zero() {
    let mut server = asked(&[1, 3]);
    server.data_frame(1, 100, false);
    feed(&mut server, &[initial_window(40)]).unwrap();
    assert_eq!(server.send_window(1), 0, "at -60");
    assert_eq!(server.send_window(3), 40);
    feed(&mut server, &[update(1, 60)]).unwrap();
    assert_eq!(server.send_window(1), 0, "at 0");
    assert_eq!(events(&mut server), [Event::Settings]);
    feed(&mut server, &[update(1, 1)]).unwrap();
    assert_eq!(server.send_window(1), 1);
    assert_eq!(events(&mut server), [Event::Writable { stream: 1 }]);
    // A change of settings can reopen a window as well.
    server.data_frame(1, 1, false);
    feed(&mut server, &[initial_window(45)]).unwrap();
    assert_eq!(server.send_window(1), 5);
    assert_eq!(
        events(&mut server),
        [Event::Writable { stream: 1 }, Event::Settings]
    );
    // New streams begin with the new initial window.
    feed(&mut server, &[headers(5, &get("/"), true)]).unwrap();
    assert_eq!(server.send_window(5), 45);
}

/// A window update is sent once more than half the window is consumed, as in Chromium.
#[test]
fn windows_open_when_half_is_consumed() {
    let config = Config {
        stream_window: 100_000,
        connection_window: 150_000,
        ..Config::chromium()
    };
    let (mut client, mut server) = pair_of(config, Config::server());
    client.send_request(&get("/"), None, None, None).unwrap();
    carry(&mut client, &mut server);
    let mut send = |client: &mut Connection, length: usize| {
        let mut bytes = server.data_frame(1, length, false).to_vec();
        bytes.resize(bytes.len() + length, b'x');
        client.handle_data(bytes.into()).unwrap();
    };
    let head = headers(1, &ok(), false);
    client.handle_data(head.into()).unwrap();
    for _ in 0..5 {
        send(&mut client, 10_000);
    }
    assert!(written(&mut client).is_empty(), "nothing is consumed");
    events(&mut client);
    assert!(written(&mut client).is_empty(), "no more than half is");
    send(&mut client, 10_000);
    events(&mut client);
    assert_eq!(written(&mut client), update(1, 60_000));
    send(&mut client, 10_000);
    send(&mut client, 10_000);
    events(&mut client);
    assert_eq!(written(&mut client), update(0, 80_000));
}

/// Exceeding a stream's window is a stream error, exceeding the connection's window a
/// connection error.
#[test]
fn more_than_our_windows() {
    let config = Config {
        stream_window: 50_000,
        connection_window: 70_000,
        ..Config::server()
    };
    let post = |stream| headers(stream, &request("POST", "/"), false);
    let full = |stream| data(stream, &[0; 16_384], false);
    let mut server = ready_server(config.clone());
    let frames = [
        post(1),
        full(1),
        full(1),
        full(1),
        data(1, &[0; 848], false),
    ];
    feed(&mut server, &frames).unwrap();
    feed(&mut server, &[data(1, &[0], false)]).unwrap();
    assert!(matches!(
        server.events.back(),
        Some(Event::StreamError {
            stream: 1,
            code: Code::FLOW_CONTROL_ERROR,
            ..
        })
    ));
    // No events are polled, so no bytes are consumed.
    let mut server = ready_server(config);
    let frames = [post(1), post(3), full(1), full(1), full(3), full(3)];
    feed(&mut server, &frames).unwrap();
    let error = feed(&mut server, &[data(3, &[0; 4465], false)]).unwrap_err();
    assert_eq!((error.code, error.stream), (Code::FLOW_CONTROL_ERROR, 3));
}

/// The default window applies until the peer has acknowledged a smaller one.
#[test]
fn our_settings_count_from_their_acknowledgement() {
    let config = Config {
        stream_window: 10,
        ..Config::server()
    };
    let mut server = Connection::new(crate::h2::Role::Server, config);
    let early = [
        PREFACE.to_vec(),
        frame(frame::SETTINGS, 0, 0, &[]),
        headers(1, &request("POST", "/"), false),
        data(1, &[0; 1000], false),
    ];
    feed(&mut server, &early).unwrap();
    feed(&mut server, &[frame(frame::SETTINGS, frame::ACK, 0, &[])]).unwrap();
    // 1000 bytes arrived, although the new window is 10. All of them are returned.
    events(&mut server);
    let updates = frames(&written(&mut server));
    let of_stream = updates
        .iter()
        .find(|f| f.0 == frame::WINDOW_UPDATE && f.2 == 1);
    assert_eq!(of_stream.unwrap().3, 1000_u32.to_be_bytes());
    feed(&mut server, &[data(1, &[0; 11], false)]).unwrap();
    assert!(matches!(
        server.poll_event(),
        Some(Event::StreamError {
            code: Code::FLOW_CONTROL_ERROR,
            ..
        })
    ));
}

/// Padding counts towards the windows, and is returned unread: section 6.1.
#[test]
fn padding_and_refused_content_are_given_back() {
    let mut server = ready_server(Config::server());
    feed(&mut server, &[headers(1, &request("POST", "/"), false)]).unwrap();
    events(&mut server);
    let mut payload = vec![255];
    payload.resize(256, 0);
    let padded = frame(frame::DATA, frame::PADDED, 1, &payload);
    for _ in 0..2049 {
        feed(&mut server, std::slice::from_ref(&padded)).unwrap();
    }
    // This is more than half of 1 MiB: 2049 * 256 = 524,544.
    let by = 524_544;
    assert_eq!(
        written(&mut server),
        [update(0, by), update(1, by)].concat()
    );
    server.reset(1, Code::CANCEL);
    written(&mut server);
    let late = data(1, &[0; 16_384], false);
    for _ in 0..33 {
        feed(&mut server, std::slice::from_ref(&late)).unwrap();
    }
    assert_eq!(written(&mut server), update(0, 33 * 16_384));
    assert!(server.receive.is_whole());
}

/// The content of a malformed message is returned as well.
#[test]
fn malformed_content_is_given_back() {
    let mut server = ready_server(Config::server());
    let mut post = request("POST", "/");
    post.push(field("content-length", "5"));
    let bytes = [headers(1, &post, false), data(1, &[0; 1000], true)].concat();
    let (part, rest) = bytes.split_at(bytes.len() - 400);
    for part in [part, rest] {
        server.handle_data(Bytes::copy_from_slice(part)).unwrap();
    }
    let events = events(&mut server);
    assert!(matches!(
        events[..],
        [Event::Headers { .. }, Event::StreamError { .. }]
    ));
    assert!(server.receive.is_whole());
}

#[test]
fn uploads_keep_to_the_windows() {
    let (mut client, mut server) = pair();
    let body = Bytes::from(vec![b'x'; 3_000_000]);
    let post = request("POST", "/");
    let upload = |client: &mut Connection| {
        client
            .send_request(&post, None, None, Some(body.clone()))
            .unwrap()
    };
    let (first, second) = (upload(&mut client), upload(&mut client));
    carry(&mut client, &mut server);
    let mut received = [0, 0];
    let mut rounds = 0;
    loop {
        for event in events(&mut server) {
            match event {
                Event::Data { stream, data } => {
                    received[usize::from(stream == second)] += data.len();
                }
                Event::Finished { stream } if stream == second => {
                    assert_eq!(received, [3_000_000; 2]);
                    assert!(rounds >= 5, "{rounds} windows for six million bytes");
                    assert!(client.uploads.is_empty());
                    return;
                }
                _ => {}
            }
        }
        carry(&mut server, &mut client);
        assert!(carry(&mut client, &mut server), "stalled at {received:?}");
        rounds += 1;
        assert!(
            received[1] == 0 || received[0] == 3_000_000,
            "{first} first"
        );
    }
}

#[test]
fn an_owner_opens_the_window_itself() {
    let config = Config {
        connection_window: 65_535,
        own_grants: true,
        ..Config::chromium()
    };
    let mut client = Connection::new(Role::Client, config);
    written(&mut client);
    client.send_request(&get("/"), None, None, None).unwrap();
    feed(
        &mut client,
        &[frame(frame::SETTINGS, 0, 0, &[]), headers(1, &ok(), false)],
    )
    .unwrap();
    for _ in 0..4 {
        feed(&mut client, &[data(1, &[0; 16_000], false)]).unwrap();
        events(&mut client);
    }
    let sent = frames(&written(&mut client));
    assert!(
        sent.iter().all(|(ty, ..)| *ty != frame::WINDOW_UPDATE),
        "{sent:?}"
    );
    assert_eq!(client.window_left(), 65_535 - 64_000);
    client.grant(1_200);
    assert_eq!(written(&mut client), update(0, 1_200));
    assert_eq!(client.window_left(), 65_535 - 64_000 + 1_200);
    let error = feed(&mut client, &[data(1, &[0; 2_736], false)]).unwrap_err();
    assert_eq!(error.code, Code::FLOW_CONTROL_ERROR);
}
