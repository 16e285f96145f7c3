//! Helpers for the connection tests.

use bytes::Bytes;

use crate::h3::{Config, Connection, Event, Role};
use crate::{Field, varint};

pub(super) fn client() -> Connection {
    Connection::new(Role::Client, Config::default())
}

pub(super) fn server() -> Connection {
    Connection::new(Role::Server, Config::default())
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

/// Delivers all writes of `from` to `to`.
pub(super) fn carry(from: &mut Connection, to: &mut Connection) {
    while let Some(write) = from.poll_write() {
        to.handle_data(write.stream, write.data, write.fin).unwrap();
    }
}

/// All pending events except settings, with the data of each stream joined.
pub(super) fn events(connection: &mut Connection) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    while let Some(event) = connection.poll_event() {
        match (events.last_mut(), event) {
            (_, Event::Settings(_)) => {}
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

pub(super) fn frame(ty: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    crate::h3::frame::encode(ty, payload, &mut out);
    out
}

/// A HEADERS frame.
pub(super) fn headers(fields: &[Field]) -> Vec<u8> {
    let mut section = Vec::new();
    crate::qpack::encode(fields, &mut crate::qpack::Memory::default(), &mut section);
    frame(crate::h3::frame::HEADERS, &section)
}

/// A control stream that begins with SETTINGS, followed by `frames`.
pub(super) fn control(frames: &[Vec<u8>]) -> Bytes {
    let mut out = vec![0];
    out.extend(frame(crate::h3::frame::SETTINGS, &[]));
    out.extend(frames.concat());
    out.into()
}

pub(super) fn integer(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    varint::encode(value, &mut out);
    out
}
