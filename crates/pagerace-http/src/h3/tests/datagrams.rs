//! HTTP datagrams and their settings.

use bytes::Bytes;

use crate::h3::*;

fn pair() -> (Connection, Connection) {
    let config = Config {
        object_datagrams: true,
        ..Config::default()
    };
    let client = Connection::new(Role::Client, config.clone());
    (client, Connection::new(Role::Server, config))
}

/// Delivers all writes of `from` to `to`.
fn carry(from: &mut Connection, to: &mut Connection) {
    while let Some(write) = from.poll_write() {
        to.handle_data(write.stream, write.data, write.fin)
            .expect("it is well-formed");
    }
}

fn datagram(stream: u64, payload: &[u8]) -> Bytes {
    let mut data = Vec::new();
    encode_datagram_head(stream, &mut data);
    assert_eq!(data.len(), datagram_overhead(stream));
    data.extend_from_slice(payload);
    data.into()
}

fn datagrams(connection: &mut Connection) -> Vec<(u64, Bytes)> {
    let events = std::iter::from_fn(|| connection.poll_event());
    events
        .filter_map(|event| match event {
            Event::Datagram { stream, payload } => Some((stream, payload)),
            _ => None,
        })
        .collect()
}

#[test]
fn both_settings_are_told_or_neither() {
    let (mut client, mut server) = pair();
    carry(&mut client, &mut server);
    let settings = server.peer_settings().expect("told");
    assert!(settings.h3_datagram && settings.object_datagrams);
    let mut plain = Connection::new(Role::Client, Config::default());
    let (_, mut server) = pair();
    carry(&mut plain, &mut server);
    let settings = server.peer_settings().expect("told");
    assert!(!settings.h3_datagram && !settings.object_datagrams);
}

#[test]
fn datagrams_belong_to_requests_that_are_open() {
    let (mut client, _) = pair();
    client.send_request(0, &[], None, None).expect("no limits");
    client.send_request(4, &[], None, None).expect("no limits");
    client.forget(4);
    for stream in [0, 4, 8, 1 << 40] {
        let data = datagram(stream, b"abc");
        client.handle_datagram(data).expect("none is an error");
    }
    assert_eq!(datagrams(&mut client), [(0, Bytes::from_static(b"abc"))]);
}

#[test]
fn what_belongs_to_no_stream_closes_the_connection() {
    for wrong in [&b""[..], &[0x40], &[0xd0, 0, 0, 0, 0, 0, 0, 0]] {
        let (mut client, _) = pair();
        let error = client
            .handle_datagram(Bytes::copy_from_slice(wrong))
            .expect_err("RFC 9297, section 2.1");
        assert_eq!(error.code, Code::DATAGRAM_ERROR);
        assert_eq!(error.code.name(), Some("H3_DATAGRAM_ERROR"));
    }
}
