use bytes::Bytes;
use pagerace_core::Priority;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::support::*;
use crate::fields::filler_fields;
use crate::fuzz;
use crate::h3::{Event, Role, Write};

/// All bytes that a busy client writes, joined by stream.
fn client_streams() -> Vec<(u64, Vec<u8>)> {
    let mut client = client();
    for stream in [0, 4, 8] {
        let mut fields = request("POST", "/a/b?c");
        fields.extend(filler_fields(150));
        let body = Bytes::from(vec![b'x'; 40 * stream as usize]);
        client
            .send_request(stream, &fields, Some(Priority::new(1, true)), Some(body))
            .unwrap();
        client.send_priority_update(stream, Priority::new(7, false));
    }
    let mut streams: Vec<(u64, Vec<u8>)> = Vec::new();
    while let Some(Write { stream, data, .. }) = client.poll_write() {
        match streams.iter_mut().find(|(s, _)| *s == stream) {
            Some((_, bytes)) => bytes.extend_from_slice(&data),
            None => streams.push((stream, data.to_vec())),
        }
    }
    streams
}

/// Delivers the streams to a server one after the other, cut at the given places.
fn deliver(streams: &[(u64, Vec<u8>)], cuts: &[Index]) -> Vec<Event> {
    let mut server = server();
    for (stream, bytes) in streams {
        let bytes = Bytes::from(bytes.clone());
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        for pair in at.windows(2) {
            server
                .handle_data(*stream, bytes.slice(pair[0]..pair[1]), false)
                .unwrap();
        }
        if stream % 4 == 0 {
            server.handle_data(*stream, Bytes::new(), true).unwrap();
        }
    }
    events(&mut server)
}

proptest! {
    #[test]
    fn any_split_gives_the_same_events(cuts in vec(any::<Index>(), 0..60)) {
        let streams = client_streams();
        let whole = deliver(&streams, &[]);
        prop_assert_eq!(whole.len(), 3 + 3 + 2, "heads, ends, two with content");
        prop_assert_eq!(deliver(&streams, &cuts), whole);
    }

    /// Mutated streams cause events or one error, never a panic.
    #[test]
    fn mutations_never_panic(
        changes in vec((any::<Index>(), any::<Index>(), any::<u8>()), 1..6),
    ) {
        let mut streams = client_streams();
        for (which, place, byte) in changes {
            let (_, bytes) = &mut streams[which.index(5)];
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut server = server();
        for (stream, bytes) in streams {
            if server.handle_data(stream, bytes.into(), stream % 4 == 0).is_err() {
                break;
            }
        }
        events(&mut server);
    }

    #[test]
    fn rubbish_never_panics(input in vec(any::<u8>(), 0..400), client: bool) {
        fuzz::h3_connection(if client { Role::Client } else { Role::Server }, &input);
    }
}
