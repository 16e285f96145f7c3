//! Conversations between a client and a server, and tests of each with crafted bytes.

mod conversations;
mod faults;
mod properties;

use bytes::Bytes;

use super::{Client, Config, Event, Server};
use crate::Field;

fn request(method: &'static str, path: &'static str) -> Vec<Field> {
    vec![
        Field::from_static(":method", method),
        Field::from_static(":scheme", "https"),
        Field::from_static(":authority", "a.test"),
        Field::from_static(":path", path),
    ]
}

fn events(mut poll: impl FnMut() -> Option<Event>) -> Vec<Event> {
    std::iter::from_fn(&mut poll).collect()
}

/// Feeds `bytes` to a server. Returns the server and its events.
fn served(bytes: &[u8]) -> (Server, Vec<Event>) {
    let mut server = Server::new(Config::default());
    server.handle_data(Bytes::copy_from_slice(bytes));
    let events = events(|| server.poll_event());
    (server, events)
}

/// Feeds `bytes` to a client that has requested `/` with `method`. Returns the client,
/// its events and the result.
fn answered(method: &'static str, bytes: &[u8]) -> (Client, Vec<Event>, Result<(), super::Error>) {
    let mut client = Client::new(Config::default());
    client.send_request(&request(method, "/"), None).unwrap();
    let result = client.handle_data(Bytes::copy_from_slice(bytes));
    let events = events(|| client.poll_event());
    (client, events, result)
}

/// The joined content of all events.
fn content(events: &[Event]) -> Vec<u8> {
    let data = events.iter().filter_map(|e| match e {
        Event::Data { data, .. } => Some(&data[..]),
        _ => None,
    });
    data.flatten().copied().collect()
}

fn finished(events: &[Event]) -> usize {
    let ends = events
        .iter()
        .filter(|e| matches!(e, Event::Finished { .. }));
    ends.count()
}
