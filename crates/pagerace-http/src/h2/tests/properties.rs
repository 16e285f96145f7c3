use bytes::Bytes;
use pagerace_core::{Dependency, Priority};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::support::*;
use crate::fields::filler_fields;
use crate::fuzz;
use crate::h2::{Config, Connection, Event, Role};

/// All bytes that a busy client writes.
fn busy_client() -> Vec<u8> {
    let mut client = client();
    for n in 0..3_u8 {
        let mut fields = request("POST", "/a/b?c");
        fields.extend(filler_fields(150));
        let dependency = Dependency {
            parent: 0,
            weight: 1 + 80 * u16::from(n),
            exclusive: n % 2 == 0,
        };
        let body = Bytes::from(vec![b'x'; 20_000 * usize::from(n)]);
        let stream = client
            .send_request(
                &fields,
                Some(Priority::new(1, true)),
                Some(dependency),
                Some(body),
            )
            .unwrap();
        client.send_priority_update(stream, Priority::new(7, false));
        client.send_dependency(stream, Dependency::default());
    }
    written(&mut client)
}

/// Delivers `bytes` to a server, cut at the given places. Returns the events and the
/// server's writes.
fn deliver(bytes: &[u8], cuts: &[Index]) -> (Vec<Event>, Vec<u8>) {
    let mut server = server();
    let bytes = Bytes::copy_from_slice(bytes);
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    for pair in at.windows(2) {
        server.handle_data(bytes.slice(pair[0]..pair[1])).unwrap();
    }
    (events(&mut server), written(&mut server))
}

/// One step of a conversation.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The client sends a request with this many bytes of content.
    Request(usize),
    /// The server sends at most this many bytes of the response on some stream.
    Respond(Index, usize),
    /// All bytes that the client has written arrive.
    ToServer,
    /// Some of the bytes that the server has written arrive, which may end inside a frame.
    ToClient(Index),
    /// The client resets some stream.
    Cancel(Index),
    /// The server resets some stream.
    Reset(Index),
    /// The client polls its events.
    ClientReads,
    /// The server polls its events.
    ServerReads,
    /// The client changes the initial window size.
    Window(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => prop_oneof![Just(0), 1..100_usize, 1..60_000_usize].prop_map(Step::Request),
        8 => (any::<Index>(), prop_oneof![Just(0), 1..30_000_usize])
            .prop_map(|(which, most)| Step::Respond(which, most)),
        4 => Just(Step::ToServer),
        4 => any::<Index>().prop_map(Step::ToClient),
        1 => any::<Index>().prop_map(Step::Cancel),
        1 => any::<Index>().prop_map(Step::Reset),
        3 => Just(Step::ClientReads),
        3 => Just(Step::ServerReads),
        1 => (0..80_000_u32).prop_map(Step::Window),
    ]
}

/// Bytes of content in every response.
const RESPONSE: usize = 60_000;

/// A response that the server is sending.
struct Response {
    stream: u64,
    sent: usize,
}

/// Two ends, the state of their messages, and the bytes in flight to the client.
struct Talk {
    client: Connection,
    server: Connection,
    to_client: Vec<u8>,
    responses: Vec<Response>,
    /// Streams that the client has neither received completely nor reset.
    awaited: Vec<u64>,
}

impl Talk {
    fn new(config: Config) -> Self {
        let (client, server) = pair_of(config, Config::server());
        Self {
            client,
            server,
            to_client: Vec::new(),
            responses: Vec::new(),
            awaited: Vec::new(),
        }
    }

    /// Returns true if no stream is open at either end.
    fn is_over(&self) -> bool {
        self.client.streams.is_empty() && self.server.streams.is_empty()
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Request(content) => {
                let body = Some(Bytes::from(vec![b'x'; content]));
                let post = request("POST", "/");
                if let Ok(stream) = self.client.send_request(&post, None, None, body) {
                    self.awaited.push(stream);
                }
            }
            Step::Respond(which, most) => {
                if !self.responses.is_empty() {
                    self.respond(which.index(self.responses.len()), most);
                }
            }
            Step::ToServer => {
                let data = written(&mut self.client);
                self.server.handle_data(data.into()).unwrap();
            }
            Step::ToClient(share) => {
                self.to_client.extend(written(&mut self.server));
                let length = share.index(self.to_client.len() + 1);
                self.arrive_at_client(length);
            }
            Step::Cancel(which) => {
                if !self.awaited.is_empty() {
                    let stream = self.awaited.swap_remove(which.index(self.awaited.len()));
                    self.client.reset(stream, crate::h2::Code::CANCEL);
                }
            }
            Step::Reset(which) => {
                if !self.responses.is_empty() {
                    let at = which.index(self.responses.len());
                    let stream = self.responses.swap_remove(at).stream;
                    self.server.forget(stream);
                }
            }
            Step::ClientReads => self.client_reads(),
            Step::ServerReads => self.server_reads(),
            Step::Window(size) => {
                // Emulate a client that changes its setting, which the server applies.
                let payload = [&[0, 4][..], &size.to_be_bytes()].concat();
                let settings = frame(crate::h2::frame::SETTINGS, 0, 0, &payload);
                let data = written(&mut self.client);
                self.server.handle_data(data.into()).unwrap();
                self.server.handle_data(settings.into()).unwrap();
            }
        }
    }

    fn respond(&mut self, at: usize, most: usize) {
        self.to_client.extend(written(&mut self.server));
        let Response { stream, sent } = &mut self.responses[at];
        let length = self
            .server
            .send_window(*stream)
            .min(most)
            .min(RESPONSE - *sent);
        if !self.server.can_send(*stream) {
            self.responses.swap_remove(at);
            return;
        }
        *sent += length;
        let end = *sent == RESPONSE;
        let header = self.server.data_frame(*stream, length, end);
        self.to_client.extend_from_slice(&header);
        self.to_client.extend(vec![b'y'; length]);
        if end {
            self.responses.swap_remove(at);
        }
    }

    fn all_arrives_at_client(&mut self) {
        self.to_client.extend(written(&mut self.server));
        self.arrive_at_client(self.to_client.len());
    }

    fn arrive_at_client(&mut self, length: usize) {
        let data: Vec<u8> = self.to_client.drain(..length).collect();
        // No error means that the bytes respect every window of the client.
        self.client.handle_data(data.into()).unwrap();
    }

    fn client_reads(&mut self) {
        for event in events(&mut self.client) {
            match event {
                Event::Finished { stream } | Event::Reset { stream, .. } => {
                    self.awaited.retain(|s| *s != stream);
                }
                Event::StreamError { .. } => panic!("{event:?}"),
                _ => {}
            }
        }
    }

    fn server_reads(&mut self) {
        for event in events(&mut self.server) {
            match event {
                Event::Headers { stream, .. } => {
                    self.to_client.extend(written(&mut self.server));
                    let head = self.server.response_head(stream, &ok(), false);
                    self.to_client.extend_from_slice(&head);
                    self.responses.push(Response { stream, sent: 0 });
                }
                Event::StreamError { .. } => panic!("{event:?}"),
                _ => {}
            }
        }
    }
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_events(cuts in vec(any::<Index>(), 0..60)) {
        let bytes = busy_client();
        let whole = deliver(&bytes, &[]);
        // Per stream there are a head, an update, a dependency and an end; two streams
        // have content.
        prop_assert_eq!(whole.0.len(), 1 + 3 * 4 + 2);
        prop_assert_eq!(deliver(&bytes, &cuts), whole);
    }

    /// Feeds single bytes, because `cuts` seldom falls into one frame header twice.
    #[test]
    fn single_bytes_give_the_same_events(start in any::<Index>()) {
        let bytes = busy_client();
        let start = start.index(bytes.len());
        let mut server = server();
        server.handle_data(Bytes::copy_from_slice(&bytes[..start])).unwrap();
        let end = bytes.len().min(start + 600);
        for byte in &bytes[start..end] {
            server.handle_data(Bytes::copy_from_slice(&[*byte])).unwrap();
        }
        server.handle_data(Bytes::copy_from_slice(&bytes[end..])).unwrap();
        prop_assert_eq!(events(&mut server), deliver(&bytes, &[]).0);
    }

    /// Mutated bytes cause events or one error, never a panic.
    #[test]
    fn mutations_never_panic(changes in vec((any::<Index>(), any::<u8>()), 1..6)) {
        let mut bytes = busy_client();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut server = server();
        let _ = server.handle_data(bytes.into());
        events(&mut server);
        written(&mut server);
    }

    #[test]
    fn rubbish_never_panics(input in vec(any::<u8>(), 0..400), client: bool) {
        fuzz::h2_connection(if client { Role::Client } else { Role::Server }, &input);
    }

    /// In any order of steps, nothing exceeds a window (either end would report an
    /// error), and at the end all content of streams that were not reset has arrived.
    #[test]
    fn windows_hold_and_nothing_stalls(
        steps in vec(step(), 0..150),
        stream_window in 1_u32..100_000,
        connection_window in 65_535_u32..200_000,
    ) {
        let mut talk = Talk::new(Config { stream_window, connection_window, ..Config::chromium() });
        for step in steps {
            // The window never exceeds the client's own setting, so that the client's
            // accounting stays valid.
            if let Step::Window(size) = step {
                talk.take(Step::Window(size.min(stream_window)));
                talk.take(Step::Window(stream_window));
            } else {
                talk.take(step);
            }
        }
        let mut rounds = 0;
        while !talk.is_over() {
            talk.take(Step::ToServer);
            talk.server_reads();
            for at in (0..talk.responses.len()).rev() {
                talk.respond(at, usize::MAX);
            }
            talk.all_arrives_at_client();
            talk.client_reads();
            rounds += 1;
            prop_assert!(rounds < 1_000_000, "stalled");
        }
        // Both ends agree on the windows, and no bytes were lost from one.
        talk.client_reads();
        talk.server_reads();
        talk.take(Step::ToServer);
        talk.all_arrives_at_client();
        talk.take(Step::ToServer);
        let Talk { client, server, awaited, .. } = &talk;
        prop_assert!(awaited.is_empty());
        prop_assert_eq!(server.send.available() as i64, client.receive.left());
        prop_assert_eq!(client.send.available() as i64, server.receive.left());
        prop_assert!(client.receive.is_whole() && server.receive.is_whole());
    }
}
