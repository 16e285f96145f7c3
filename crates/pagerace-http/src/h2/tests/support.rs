//! Helpers for the connection tests.

use bytes::Bytes;

use crate::h2::{Config, Connection, ConnectionError, Event, Role, frame};
use crate::{Field, hpack};

pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) fn client() -> Connection {
    Connection::new(Role::Client, Config::chromium())
}

pub(super) fn server() -> Connection {
    Connection::new(Role::Server, Config::server())
}

/// Two ends that have exchanged settings.
pub(super) fn pair() -> (Connection, Connection) {
    pair_of(Config::chromium(), Config::server())
}

pub(super) fn pair_of(client: Config, server: Config) -> (Connection, Connection) {
    let mut client = Connection::new(Role::Client, client);
    let mut server = Connection::new(Role::Server, server);
    settle(&mut client, &mut server);
    assert_eq!(client.poll_event(), Some(Event::Settings));
    assert_eq!(server.poll_event(), Some(Event::Settings));
    (client, server)
}

/// Delivers the writes of both ends until neither has any.
pub(super) fn settle(client: &mut Connection, server: &mut Connection) {
    while carry(client, server) || carry(server, client) {}
}

/// Delivers all writes of `from` to `to`. Returns true if there were any.
pub(super) fn carry(from: &mut Connection, to: &mut Connection) -> bool {
    let data = written(from);
    let any = !data.is_empty();
    to.handle_data(data.into()).unwrap();
    any
}

/// All bytes that a connection has to write.
pub(super) fn written(connection: &mut Connection) -> Vec<u8> {
    let mut data = Vec::new();
    while let Some(write) = connection.poll_write() {
        data.extend_from_slice(&write);
    }
    data
}

/// A server that has received the preface of a client with default settings and the
/// acknowledgement of its own settings. It has no pending writes or events.
pub(super) fn ready_server(config: Config) -> Connection {
    let mut server = Connection::new(Role::Server, config);
    let hello = [
        PREFACE,
        &frame(frame::SETTINGS, 0, 0, &[]),
        &frame(frame::SETTINGS, frame::ACK, 0, &[]),
    ];
    server.handle_data(hello.concat().into()).unwrap();
    written(&mut server);
    events(&mut server);
    server
}

/// A client that has received the default settings of a server, and sent `GET /` on
/// stream 1.
pub(super) fn ready_client() -> Connection {
    let mut client = client();
    let hello = [
        frame(frame::SETTINGS, 0, 0, &[]),
        frame(frame::SETTINGS, frame::ACK, 0, &[]),
    ];
    client.handle_data(hello.concat().into()).unwrap();
    client.send_request(&get("/"), None, None, None).unwrap();
    written(&mut client);
    events(&mut client);
    client
}

pub(super) fn feed(connection: &mut Connection, frames: &[Vec<u8>]) -> Result<(), ConnectionError> {
    connection.handle_data(frames.concat().into())
}

pub(super) fn field(name: &'static str, value: &'static str) -> Field {
    Field::from_static(name, value)
}

pub(super) fn get(path: &'static str) -> Vec<Field> {
    request("GET", path)
}

pub(super) fn request(method: &'static str, path: &'static str) -> Vec<Field> {
    vec![
        field(":method", method),
        field(":scheme", "https"),
        field(":authority", "example.org"),
        field(":path", path),
    ]
}

pub(super) fn ok() -> Vec<Field> {
    vec![field(":status", "200")]
}

/// All pending events, with the data of each stream joined.
pub(super) fn events(connection: &mut Connection) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    while let Some(event) = connection.poll_event() {
        match (events.last_mut(), event) {
            (Some(Event::Data { stream: s, data: d }), Event::Data { stream, data })
                if *s == stream =>
            {
                *d = [&d[..], &data].concat().into();
            }
            (_, event) => events.push(event),
        }
    }
    events
}

pub(super) fn frame(ty: u8, flags: u8, stream: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::encode(ty, flags, stream, payload, &mut out);
    out
}

/// A HEADERS frame with `END_HEADERS`, and `END_STREAM` if `end`.
pub(super) fn headers(stream: u64, fields: &[Field], end: bool) -> Vec<u8> {
    let flags = frame::END_HEADERS | if end { frame::END_STREAM } else { 0 };
    frame(frame::HEADERS, flags, stream, &section(fields))
}

pub(super) fn section(fields: &[Field]) -> Vec<u8> {
    let mut section = Vec::new();
    hpack::encode(fields, &mut hpack::Memory::default(), &mut section);
    section
}

pub(super) fn data(stream: u64, content: &[u8], end: bool) -> Vec<u8> {
    let flags = if end { frame::END_STREAM } else { 0 };
    frame(frame::DATA, flags, stream, content)
}

/// The frames in `bytes`: type, flags, stream, payload.
pub(super) fn frames(mut bytes: &[u8]) -> Vec<(u8, u8, u64, Vec<u8>)> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let length = u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]) as usize;
        let stream = frame::stream_id(bytes[5..9].try_into().unwrap());
        frames.push((bytes[3], bytes[4], stream, bytes[9..9 + length].to_vec()));
        bytes = &bytes[9 + length..];
    }
    frames
}

/// A DATA event.
pub(super) fn content(stream: u64, data: &'static [u8]) -> Event {
    Event::Data {
        stream,
        data: Bytes::from_static(data),
    }
}
