use bytes::Bytes;
use pagerace_core::Priority;

use super::support::*;
use crate::fields::filler_fields;
use crate::h3::{Code, Config, Connection, Event, RequestRefused, Role, Settings, Write, frame};

#[test]
fn the_first_writes_open_three_streams() {
    for (mut connection, ids) in [(client(), [2, 6, 10]), (server(), [3, 7, 11])] {
        for (id, first) in ids.into_iter().zip([0, 2, 3]) {
            let write = connection.poll_write().unwrap();
            assert_eq!((write.stream, write.data[0], write.fin), (id, first, false));
        }
        assert_eq!(connection.poll_write(), None);
    }
}

#[test]
fn settings_arrive() {
    let config = Config {
        max_field_section_size: 1000,
        ..Config::default()
    };
    let mut client = Connection::new(Role::Client, config);
    let mut server = server();
    carry(&mut client, &mut server);
    let settings = Settings {
        max_field_section_size: Some(1000),
        ..Settings::default()
    };
    assert_eq!(server.poll_event(), Some(Event::Settings(settings)));
    assert_eq!(server.peer_settings(), Some(&settings));
}

#[test]
fn get_and_response() {
    let (mut client, mut server) = (client(), server());
    let mut fields = get("/style.css");
    fields.extend(filler_fields(300));
    client
        .send_request(0, &fields, Some(Priority::new(1, true)), None)
        .unwrap();
    carry(&mut client, &mut server);
    let mut expected = fields.clone();
    expected.push(field("priority", "u=1, i"));
    let priority = Priority::new(1, true);
    assert_eq!(
        events(&mut server),
        [
            Event::Headers {
                stream: 0,
                fields: expected,
                priority
            },
            Event::Finished { stream: 0 }
        ]
    );

    carry(&mut server, &mut client);
    let fields = vec![field(":status", "200"), field("content-length", "5")];
    let mut response = server.response_head(0, &fields, 5).to_vec();
    response.extend_from_slice(b"hello");
    client.handle_data(0, response.into(), true).unwrap();
    assert_eq!(
        events(&mut client),
        [
            Event::Headers {
                stream: 0,
                fields,
                priority: Priority::default()
            },
            Event::Data {
                stream: 0,
                data: Bytes::from_static(b"hello")
            },
            Event::Finished { stream: 0 },
        ]
    );
}

#[test]
fn a_default_priority_sends_no_field() {
    let (mut client, mut server) = (client(), server());
    client
        .send_request(0, &get("/"), Some(Priority::default()), None)
        .unwrap();
    carry(&mut client, &mut server);
    let Some(Event::Headers {
        fields, priority, ..
    }) = events(&mut server).into_iter().next()
    else {
        panic!("no head")
    };
    assert_eq!((fields, priority), (get("/"), Priority::default()));
}

#[test]
fn post_with_content() {
    let (mut client, mut server) = (client(), server());
    let mut fields = request("POST", "/form");
    fields.push(field("content-length", "3"));
    client
        .send_request(4, &fields, None, Some(Bytes::from_static(b"a=b")))
        .unwrap();
    carry(&mut client, &mut server);
    assert_eq!(
        events(&mut server),
        [
            Event::Headers {
                stream: 4,
                fields,
                priority: Priority::default()
            },
            Event::Data {
                stream: 4,
                data: Bytes::from_static(b"a=b")
            },
            Event::Finished { stream: 4 },
        ]
    );
}

#[test]
fn content_is_not_copied() {
    let mut client = client();
    client.send_request(0, &get("/"), None, None).unwrap();
    let mut server = server();
    let head = server.response_head(0, &[field(":status", "200")], 1 << 20);
    client.handle_data(0, head, false).unwrap();
    let content = Bytes::from(vec![7; 1200]);
    client.handle_data(0, content.clone(), false).unwrap();
    client.poll_event();
    let Some(Event::Data { data, .. }) = client.poll_event() else {
        panic!("no data")
    };
    assert_eq!(data.as_ptr(), content.as_ptr());
}

#[test]
fn interim_responses_and_trailers() {
    let (mut client, mut server) = (client(), server());
    client.send_request(0, &get("/"), None, None).unwrap();
    let interim = vec![
        field(":status", "103"),
        field("link", "</a.css>; rel=preload"),
    ];
    let head = vec![field(":status", "200")];
    let trailers = vec![field("server-timing", "db")];
    let mut bytes = server.response_head(0, &interim, 0).to_vec();
    bytes.extend_from_slice(&server.response_head(0, &head, 1));
    bytes.push(b'x');
    bytes.extend_from_slice(&server.response_head(0, &trailers, 0));
    client.handle_data(0, bytes.into(), true).unwrap();
    assert_eq!(
        events(&mut client),
        [
            Event::Interim {
                stream: 0,
                fields: interim
            },
            Event::Headers {
                stream: 0,
                fields: head,
                priority: Priority::default()
            },
            Event::Data {
                stream: 0,
                data: Bytes::from_static(b"x")
            },
            Event::Trailers {
                stream: 0,
                fields: trailers
            },
            Event::Finished { stream: 0 },
        ]
    );
}

#[test]
fn a_head_response_tells_a_length_without_content() {
    for (method, status, ok) in [
        ("HEAD", "200", true),
        ("GET", "304", true),
        ("GET", "200", false),
    ] {
        let (mut client, mut server) = (client(), server());
        client
            .send_request(0, &request(method, "/"), None, None)
            .unwrap();
        let fields = [field(":status", status), field("content-length", "99")];
        client
            .handle_data(0, server.response_head(0, &fields, 0), true)
            .unwrap();
        let last = events(&mut client).pop().unwrap();
        assert_eq!(
            last == Event::Finished { stream: 0 },
            ok,
            "{method} {status}: {last:?}"
        );
    }
}

#[test]
fn an_update_before_the_request_wins_over_its_field() {
    let (mut client, mut server) = (client(), server());
    client
        .send_request(4, &get("/"), Some(Priority::new(6, false)), None)
        .unwrap();
    client.send_priority_update(4, Priority::new(0, true));
    let mut writes: Vec<Write> = std::iter::from_fn(|| client.poll_write()).collect();
    // The network may reorder streams.
    writes.reverse();
    writes.sort_by_key(|w| w.stream.is_multiple_of(4));
    let (mut control, rest): (Vec<_>, Vec<_>) = writes.into_iter().partition(|w| w.stream == 2);
    control.reverse();
    for write in control.into_iter().chain(rest) {
        server
            .handle_data(write.stream, write.data, write.fin)
            .unwrap();
    }
    let Some(Event::Headers { priority, .. }) = events(&mut server).into_iter().next() else {
        panic!("no head")
    };
    assert_eq!(priority, Priority::new(0, true));
}

#[test]
fn an_update_after_the_request_is_an_event_with_defaults_filled_in() {
    let (mut client, mut server) = (client(), server());
    client
        .send_request(0, &get("/"), Some(Priority::new(1, true)), None)
        .unwrap();
    carry(&mut client, &mut server);
    events(&mut server);
    client.send_priority_update(0, Priority::new(5, false));
    client.send_priority_update(0, Priority::default());
    carry(&mut client, &mut server);
    let update = |priority| Event::PriorityUpdate {
        stream: 0,
        priority,
    };
    assert_eq!(
        events(&mut server),
        [update(Priority::new(5, false)), update(Priority::default())]
    );
}

#[test]
fn updates_that_wait_are_bounded() {
    let config = Config {
        pending_priorities_max: 2,
        ..Config::default()
    };
    let mut server = Connection::new(Role::Server, config);
    let (mut other, mut client) = (self::server(), client());
    for stream in [0, 4, 8] {
        client.send_priority_update(stream, Priority::new(0, false));
    }
    for stream in [0, 4, 8] {
        client.send_request(stream, &get("/"), None, None).unwrap();
    }
    let urgencies = |server: &mut Connection, writes: &[Write]| -> Vec<u8> {
        for write in writes {
            server
                .handle_data(write.stream, write.data.clone(), write.fin)
                .unwrap();
        }
        let urgency = |event| match event {
            Event::Headers { priority, .. } => Some(priority.urgency),
            _ => None,
        };
        events(server).into_iter().filter_map(urgency).collect()
    };
    let writes: Vec<Write> = std::iter::from_fn(|| client.poll_write()).collect();
    assert_eq!(urgencies(&mut other, &writes), [0, 0, 0]);
    assert_eq!(urgencies(&mut server, &writes), [3, 0, 0]);
}

#[test]
fn goaway_of_the_server() {
    let (mut client, mut server) = (client(), server());
    let mut goaway = Vec::new();
    frame::encode(frame::GOAWAY, &[4], &mut goaway);
    server.write(server.control_stream(), goaway);
    carry(&mut server, &mut client);
    assert_eq!(events(&mut client).last(), Some(&Event::GoAway { id: 4 }));
    let refused = client.send_request(8, &get("/"), None, None);
    assert_eq!(refused, Err(RequestRefused::GoingAway(4)));
}

#[test]
fn a_section_above_the_servers_limit_is_not_sent() {
    let mut server = Connection::new(
        Role::Server,
        Config {
            max_field_section_size: 300,
            ..Config::default()
        },
    );
    let mut client = client();
    carry(&mut server, &mut client);
    let mut fields = get("/");
    fields.extend(filler_fields(200));
    let refused = client.send_request(0, &fields, None, None).unwrap_err();
    assert!(
        matches!(refused, RequestRefused::TooLarge { max: 300, .. }),
        "{refused:?}"
    );
    client.send_request(0, &get("/"), None, None).unwrap();
}

#[test]
fn resets_are_told_and_end_the_stream() {
    let mut server = server();
    let bytes = headers(&get("/"));
    server
        .handle_data(0, Bytes::from(bytes.clone()).slice(..3), false)
        .unwrap();
    server.handle_reset(0, Code::REQUEST_CANCELLED.0).unwrap();
    server.handle_stop_sending(0, 0x77).unwrap();
    server.handle_data(0, Bytes::from(bytes), true).unwrap();
    assert_eq!(
        events(&mut server),
        [
            Event::Reset {
                stream: 0,
                code: Code::REQUEST_CANCELLED
            },
            Event::StopSending {
                stream: 0,
                code: Code(0x77)
            },
        ]
    );
}
