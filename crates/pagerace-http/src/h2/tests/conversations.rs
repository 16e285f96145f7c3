use bytes::Bytes;
use pagerace_core::{Dependency, Priority};

use super::support::*;
use crate::fields::filler_fields;
use crate::h2::{Code, Config, Connection, Event, RequestRefused, Role, frame};
use crate::{Field, hpack};

/// The first bytes of a connection are those in packets of Chromium.
#[test]
fn the_preface_of_chromium() {
    let mut client = client();
    let first = written(&mut client);
    let (preface, rest) = first.split_at(PREFACE.len());
    assert_eq!(preface, PREFACE);
    let mut settings = Vec::new();
    for (id, value) in [(1_u16, 65_536_u32), (2, 0), (4, 6_291_456), (6, 262_144)] {
        settings.extend(id.to_be_bytes());
        settings.extend(value.to_be_bytes());
    }
    let update = 15_663_105_u32.to_be_bytes().to_vec();
    assert_eq!(
        frames(rest),
        [
            (frame::SETTINGS, 0, 0, settings),
            (frame::WINDOW_UPDATE, 0, 0, update)
        ]
    );
}

#[test]
fn settings_arrive_and_are_acknowledged() {
    let (client, server) = pair();
    let seen = server.peer_settings();
    assert_eq!(seen.header_table_size, 65_536);
    assert_eq!(seen.initial_window_size, 6_291_456);
    assert_eq!(seen.max_header_list_size, Some(262_144));
    assert!(!seen.enable_push);
    assert_eq!(client.peer_settings().max_concurrent_streams, Some(128));
    assert!(client.settings_acknowledged && server.settings_acknowledged);
}

#[test]
fn get_and_response() {
    let (mut client, mut server) = pair();
    let mut fields = get("/style.css");
    fields.extend(filler_fields(300));
    let dependency = Dependency {
        parent: 0,
        weight: 256,
        exclusive: true,
    };
    let stream = client
        .send_request(
            &fields,
            Some(Priority::new(1, true)),
            Some(dependency),
            None,
        )
        .unwrap();
    assert_eq!(stream, 1);
    carry(&mut client, &mut server);
    fields.push(field("priority", "u=1, i"));
    assert_eq!(
        events(&mut server),
        [
            Event::Headers {
                stream,
                fields,
                priority: Priority::new(1, true),
                dependency: Some(dependency),
            },
            Event::Finished { stream }
        ]
    );

    let early = vec![field(":status", "103"), field("link", "</a>; rel=preload")];
    let head = vec![field(":status", "200"), field("content-length", "5")];
    let trailers = vec![field("server-timing", "x")];
    let response = [
        server.response_head(stream, &early, false),
        server.response_head(stream, &head, false),
        server.data_frame(stream, 5, false),
        Bytes::from_static(b"hello"),
        server.response_head(stream, &trailers, true),
    ]
    .concat();
    assert!(!server.can_send(stream));
    assert_eq!((server.streams.len(), client.streams.len()), (0, 1));
    client.handle_data(response.into()).unwrap();
    assert_eq!(
        events(&mut client),
        [
            Event::Interim {
                stream,
                fields: early
            },
            Event::Headers {
                stream,
                fields: head,
                priority: Priority::default(),
                dependency: None,
            },
            content(stream, b"hello"),
            Event::Trailers {
                stream,
                fields: trailers
            },
            Event::Finished { stream },
        ]
    );
    assert_eq!(client.streams.len(), 0);
}

#[test]
fn a_response_that_ends_with_its_head() {
    let (mut client, mut server) = pair();
    let head_request = client
        .send_request(&request("HEAD", "/"), None, None, None)
        .unwrap();
    let plain = client.send_request(&get("/"), None, None, None).unwrap();
    carry(&mut client, &mut server);
    // `content-length` without content is valid only for HEAD and 304.
    let fields = [field(":status", "200"), field("content-length", "5")];
    for stream in [head_request, plain] {
        let head = server.response_head(stream, &fields, true);
        client.handle_data(head).unwrap();
    }
    let events = events(&mut client);
    assert!(events.contains(&Event::Finished {
        stream: head_request
    }));
    assert!(events.iter().any(|event| matches!(event,
        Event::StreamError { stream, code: Code::PROTOCOL_ERROR, .. } if *stream == plain)));
}

/// Content is passed on as slices of the input.
#[test]
fn content_is_not_copied() {
    let mut client = ready_client();
    let input: Bytes = [headers(1, &ok(), false), data(1, b"hello", false)]
        .concat()
        .into();
    client.handle_data(input.clone()).unwrap();
    assert!(matches!(client.poll_event(), Some(Event::Headers { .. })));
    let Some(Event::Data { data, .. }) = client.poll_event() else {
        panic!("no content")
    };
    assert_eq!(data.as_ptr(), input[input.len() - 5..].as_ptr());
}

/// Content is passed on as it arrives, before its frame is complete.
#[test]
fn half_a_frame_is_passed_on() {
    let mut client = ready_client();
    let bytes = [headers(1, &ok(), false), data(1, b"hello", true)].concat();
    let (part, rest) = bytes.split_at(bytes.len() - 2);
    client.handle_data(Bytes::copy_from_slice(part)).unwrap();
    assert_eq!(events(&mut client).pop(), Some(content(1, b"hel")));
    client.handle_data(Bytes::copy_from_slice(rest)).unwrap();
    assert_eq!(
        events(&mut client),
        [content(1, b"lo"), Event::Finished { stream: 1 }]
    );
}

#[test]
fn signals_after_the_request() {
    let (mut client, mut server) = pair();
    // The update precedes its request and overrides the `priority` field.
    client.send_priority_update(1, Priority::new(0, false));
    let stream = client
        .send_request(&get("/"), Some(Priority::new(5, true)), None, None)
        .unwrap();
    client.send_priority_update(stream, Priority::new(2, true));
    let dependency = Dependency {
        parent: 7,
        weight: 1,
        exclusive: false,
    };
    client.send_dependency(stream, dependency);
    carry(&mut client, &mut server);
    let events = events(&mut server);
    let Event::Headers { priority, .. } = &events[0] else {
        panic!("{events:?}")
    };
    assert_eq!(*priority, Priority::new(0, false));
    assert_eq!(
        events[1..],
        [
            Event::Finished { stream },
            Event::PriorityUpdate {
                stream,
                priority: Priority::new(2, true)
            },
            Event::Dependency { stream, dependency },
        ]
    );
}

/// RFC 9218, section 2.1: dependencies are neither sent to nor accepted from a peer that
/// has declared that it ignores them.
#[test]
fn no_tree_where_it_means_nothing() {
    let place = Some(Dependency::default());
    let config = Config {
        no_rfc7540_priorities: true,
        ..Config::server()
    };
    let (mut client, mut server) = pair_of(Config::chromium(), config);
    let stream = client.send_request(&get("/"), None, place, None).unwrap();
    client.send_dependency(stream, Dependency::default());
    let sent = frames(&written(&mut client));
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].1 & frame::HAS_PRIORITY, 0);
    server
        .handle_data(frame(frame::HEADERS, sent[0].1, 1, &sent[0].3).into())
        .unwrap();

    let config = Config {
        no_rfc7540_priorities: true,
        ..Config::chromium()
    };
    let (mut client, mut server) = pair_of(config, Config::server());
    let stream = client.send_request(&get("/"), None, place, None).unwrap();
    client.send_dependency(stream, Dependency::default());
    carry(&mut client, &mut server);
    let events = events(&mut server);
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(matches!(
        &events[0],
        Event::Headers {
            dependency: None,
            ..
        }
    ));
}

/// A section larger than a frame continues in CONTINUATION: section 6.10.
#[test]
fn large_sections() {
    let (mut client, mut server) = pair();
    let mut fields = get("/");
    fields.extend(filler_fields(40_000));
    client.send_request(&fields, None, None, None).unwrap();
    let sent = written(&mut client);
    let types: Vec<u8> = frames(&sent).iter().map(|f| f.0).collect();
    assert_eq!(types, [frame::HEADERS, frame::CONTINUATION]);
    server.handle_data(sent.into()).unwrap();
    let Some(Event::Headers { fields: seen, .. }) = server.poll_event() else {
        panic!("no head")
    };
    assert_eq!(seen, fields);
    // The section exceeds the limit in the server's settings.
    fields.extend(filler_fields(40_000));
    let refused = client.send_request(&fields, None, None, None).unwrap_err();
    assert!(matches!(
        refused,
        RequestRefused::TooLarge { max: 65_536, .. }
    ));
}

/// RFC 7541, section 4.2: a peer that allows less than 4096 bytes must get a table size
/// update.
#[test]
fn a_peer_without_dynamic_table() {
    let config = Config {
        header_table_size: 0,
        ..Config::server()
    };
    let (mut client, mut server) = pair_of(Config::chromium(), config);
    for _ in 0..2 {
        client.send_request(&get("/"), None, None, None).unwrap();
        let sent = frames(&written(&mut client)).remove(0);
        assert_eq!(sent.3[0], hpack::EMPTY_TABLE);
        let again = frame(sent.0, sent.1, sent.2, &sent.3);
        server.handle_data(again.into()).unwrap();
        assert_eq!(events(&mut server).len(), 2);
    }
}

#[test]
fn requests_wait_for_streams() {
    let config = Config {
        max_concurrent_streams: Some(2),
        ..Config::server()
    };
    let mut fresh = client();
    for _ in 0..100 {
        fresh.send_request(&get("/"), None, None, None).unwrap();
    }
    assert_eq!(
        fresh.send_request(&get("/"), None, None, None),
        Err(RequestRefused::TooMany(100)),
        "before the settings"
    );

    let generous = Config {
        max_concurrent_streams: None,
        ..Config::server()
    };
    let (mut client, _) = pair_of(Config::chromium(), generous);
    for _ in 0..256 {
        client.send_request(&get("/"), None, None, None).unwrap();
    }
    assert!(!client.can_request(), "Chromium's own limit");

    let (mut client, mut server) = pair_of(Config::chromium(), config);
    client.send_request(&get("/"), None, None, None).unwrap();
    assert!(client.can_request());
    client.send_request(&get("/"), None, None, None).unwrap();
    assert!(!client.can_request());
    assert_eq!(
        client.send_request(&get("/"), None, None, None),
        Err(RequestRefused::TooMany(2))
    );
    carry(&mut client, &mut server);
    let response = server.response_head(3, &ok(), true);
    client.handle_data(response).unwrap();
    assert!(client.can_request());
    assert_eq!(client.send_request(&get("/"), None, None, None), Ok(5));
}

#[test]
fn more_streams_than_allowed_are_refused() {
    let config = Config {
        max_concurrent_streams: Some(1),
        ..Config::server()
    };
    let mut server = ready_server(config);
    feed(
        &mut server,
        &[headers(1, &get("/"), true), headers(3, &get("/"), true)],
    )
    .unwrap();
    let refused = events(&mut server).pop().unwrap();
    assert!(matches!(
        refused,
        Event::StreamError {
            stream: 3,
            code: Code::REFUSED_STREAM,
            ..
        }
    ));
    let reset = frame(frame::RST_STREAM, 0, 3, &7_u32.to_be_bytes());
    assert_eq!(written(&mut server), reset);
    // The first stream ends, so another may open.
    assert!(!server.response_head(1, &ok(), true).is_empty());
    feed(&mut server, &[headers(5, &get("/"), true)]).unwrap();
    assert!(server.can_send(5));
}

#[test]
fn a_server_that_goes_away() {
    let (mut client, mut server) = pair();
    for _ in 0..2 {
        client.send_request(&get("/"), None, None, None).unwrap();
    }
    carry(&mut client, &mut server);
    events(&mut server);
    // A third request is in flight.
    client.send_request(&get("/"), None, None, None).unwrap();
    server.go_away(Code::NO_ERROR);
    carry(&mut server, &mut client);
    assert_eq!(
        events(&mut client),
        [
            Event::GoAway { last: 3 },
            Event::Reset {
                stream: 5,
                code: Code::REFUSED_STREAM
            }
        ]
    );
    assert_eq!(client.goaway_received(), Some((3, Code::NO_ERROR)));
    assert_eq!(
        client.send_request(&get("/"), None, None, None),
        Err(RequestRefused::GoingAway(3))
    );
    carry(&mut client, &mut server);
    assert!(matches!(
        events(&mut server)[..],
        [Event::StreamError {
            stream: 5,
            code: Code::REFUSED_STREAM,
            ..
        }]
    ));
    // Admitted requests are still answered.
    let response = server.response_head(1, &ok(), true);
    client.handle_data(response).unwrap();
    assert_eq!(events(&mut client).len(), 2);
}

#[test]
fn resets_from_both_ends() {
    let (mut client, mut server) = pair();
    let body = Some(Bytes::from(vec![b'x'; 2_000_000]));
    for _ in 0..3 {
        client
            .send_request(&request("POST", "/"), None, None, body.clone())
            .unwrap();
    }
    carry(&mut client, &mut server);
    events(&mut server);
    // Window updates are discarded, so that the uploads stall.
    written(&mut server);

    client.reset(1, Code::CANCEL);
    carry(&mut client, &mut server);
    let reset = Event::Reset {
        stream: 1,
        code: Code::CANCEL,
    };
    assert_eq!(events(&mut server), [reset]);
    assert!(server.response_head(1, &ok(), false).is_empty());
    assert_eq!(server.send_window(1), 0);
    assert!(server.data_frame(1, 0, true).is_empty());
    // A second reset does nothing.
    client.reset(1, Code::CANCEL);
    server.forget(1);
    assert!(written(&mut client).is_empty() && written(&mut server).is_empty());

    // The server responds before the request is complete: section 8.1.
    let response = server.response_head(3, &ok(), true);
    server.forget(3);
    client.handle_data(response).unwrap();
    carry(&mut server, &mut client);
    let events = events(&mut client);
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[1], Event::Finished { stream: 3 });
    assert!(client.uploads.iter().eq(&[5]), "the upload stops");
}

/// Frames that were in flight when a stream was reset are dropped, but still count for
/// flow control and header compression: section 5.1.
#[test]
fn late_frames_after_our_reset() {
    let mut server = ready_server(Config::server());
    let post = headers(1, &request("POST", "/"), false);
    feed(&mut server, &[post]).unwrap();
    server.reset(1, Code::CANCEL);
    let trailers = [
        hpack_incremental(b"x-new", b"1"),
        vec![], // The table now has an entry.
    ]
    .concat();
    let late = [
        data(1, &[0; 16_384], false),
        frame(
            frame::HEADERS,
            frame::END_HEADERS | frame::END_STREAM,
            1,
            &trailers,
        ),
    ];
    feed(&mut server, &late).unwrap();
    let mut section = section(&get("/"));
    section.push(0xbe); // Index 62.
    let next = frame(
        frame::HEADERS,
        frame::END_HEADERS | frame::END_STREAM,
        3,
        &section,
    );
    feed(&mut server, &[next]).unwrap();
    let events = events(&mut server);
    let Some(Event::Headers { fields, .. }) = events.get(1) else {
        panic!("{events:?}")
    };
    assert_eq!(fields.last(), Some(&Field::from_static("x-new", "1")));
}

/// Encodes a literal with incremental indexing.
fn hpack_incremental(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut out = vec![0x40, name.len() as u8];
    out.extend_from_slice(name);
    out.push(value.len() as u8);
    out.extend_from_slice(value);
    out
}

#[test]
fn pings_are_answered() {
    let mut server = ready_server(Config::server());
    let frames = [
        frame(frame::PING, 0, 0, b"12345678"),
        frame(frame::PING, frame::ACK, 0, b"abcdefgh"),
    ];
    feed(&mut server, &frames).unwrap();
    let pong = frame(frame::PING, frame::ACK, 0, b"12345678");
    assert_eq!(written(&mut server), pong);
}

/// Unknown frame types and flags are ignored: sections 4.1 and 5.5.
#[test]
fn extensions_are_passed_over() {
    let mut server = ready_server(Config::server());
    let frames = [
        frame(0x42, 0xff, 0, b"?"),
        frame(0x42, 0xff, 9, b"?"),
        frame(frame::PING, 0xfe, 0, b"12345678"),
        frame(frame::SETTINGS, 0, 0, &[0x7a, 0x7a, 1, 2, 3, 4]),
        headers(1, &get("/"), true),
    ];
    feed(&mut server, &frames).unwrap();
    assert_eq!(events(&mut server).len(), 3);
}

#[test]
fn a_goaway_of_a_client_changes_nothing() {
    let mut client = Connection::new(Role::Client, Config::chromium());
    let mut server = server();
    client.send_request(&get("/"), None, None, None).unwrap();
    client.go_away(Code::NO_ERROR);
    settle(&mut client, &mut server);
    assert_eq!(events(&mut server).pop(), Some(Event::GoAway { last: 0 }));
    assert!(!server.response_head(1, &ok(), true).is_empty());
}
