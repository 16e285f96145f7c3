use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::fuzz;

const REQUESTS: &[u8] = b"\r\n\r\nGET /1 HTTP/1.1\r\nHost: a.test\r\nX: y\r\n\r\n\
    POST /2 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 12\r\n\r\nGET / HTTP/1\r\n\
    POST /3 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n\
    b;x\r\n0123456789a\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n\
    HEAD /4 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

const RESPONSE: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: y\r\n\r\n\
    5\r\nabcde\r\n10\r\n0123456789abcdef\r\n000\r\nA: b\r\nC: d\r\n\r\n";

/// Cuts `bytes` at the given places.
fn cut<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Joins neighbouring content, because it may be cut anywhere.
fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for event in events {
        if let (Some(Event::Data { data: before, .. }), Event::Data { data, .. }) =
            (all.last_mut(), &event)
        {
            *before = [&before[..], &data[..]].concat().into();
        } else {
            all.push(event);
        }
    }
    all
}

fn deliver_requests(cuts: &[Index]) -> Vec<Event> {
    let mut server = Server::new(Config::default());
    for piece in cut(REQUESTS, cuts) {
        server.handle_data(Bytes::copy_from_slice(piece));
    }
    joined(events(|| server.poll_event()))
}

fn deliver_response(cuts: &[Index]) -> Vec<Event> {
    let mut client = Client::new(Config::default());
    client.send_request(&request("GET", "/"), None).unwrap();
    for piece in cut(RESPONSE, cuts) {
        client.handle_data(Bytes::copy_from_slice(piece)).unwrap();
    }
    assert!(client.can_request());
    joined(events(|| client.poll_event()))
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_events(cuts in vec(any::<Index>(), 0..80)) {
        let whole = deliver_requests(&[]);
        prop_assert_eq!(finished(&whole), 4);
        prop_assert_eq!(content(&whole), b"GET / HTTP/10123456789a!");
        prop_assert_eq!(deliver_requests(&cuts), whole);
        let whole = deliver_response(&[]);
        prop_assert_eq!(whole.len(), 5);
        prop_assert_eq!(deliver_response(&cuts), whole);
    }

    /// Arbitrary bytes cause events or one error, never a panic.
    #[test]
    fn mutations_never_panic(
        changes in vec((any::<Index>(), any::<u8>()), 0..6),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        for original in [REQUESTS, RESPONSE] {
            let mut bytes = original.to_vec();
            for (place, byte) in &changes {
                *place.get_mut(&mut bytes) = *byte;
            }
            let mut input = Vec::new();
            for piece in cut(&bytes, &cuts) {
                for piece in piece.chunks(255) {
                    input.push(piece.len() as u8);
                    input.extend_from_slice(piece);
                }
            }
            fuzz::h1_server(&input);
            fuzz::h1_client(&input);
        }
    }

    #[test]
    fn arbitrary_lines_never_panic(
        parts in vec(select(&[
            "GET ", "/", " HTTP/1.1", "\r\n", "\n", "\r", ":", " ", "Host: a\r\n",
            "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "HTTP/1.1 200 ",
            "HTTP/1.1 100 \r\n\r\n", "3\r\nabc\r\n", "0\r\n\r\n", "abc", "\0", "\u{e9}",
        ][..]), 0..40),
    ) {
        let mut input = Vec::new();
        for part in parts {
            input.push(part.len() as u8);
            input.extend_from_slice(part.as_bytes());
        }
        fuzz::h1_server(&input);
        fuzz::h1_client(&input);
    }
}
