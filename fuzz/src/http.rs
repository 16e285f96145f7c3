//! Entry points for the fuzzers and property tests of `pagerace-http`, whose root is the
//! parent module here.

use bytes::Bytes;

use super::h3::{Config, Connection, Role};
use super::{Field, h1, h2, hpack, object, priority, qpack, ranges, varint};

/// Feeds an HTTP/3 connection. `input` is a list of (stream, length, bytes). If the high
/// bit of the length is set, the stream ends after the bytes.
///
/// Returns the number of events.
pub fn h3_connection(role: Role, input: &[u8]) -> usize {
    let mut connection = Connection::new(role, Config::default());
    if role == Role::Client {
        for stream in [0, 4, 8] {
            connection
                .send_request(stream, &[], None, None)
                .expect("no limits yet");
        }
    }
    let mut events = 0;
    let mut rest = input;
    while let [stream, len, bytes @ ..] = rest {
        let (data, after) = bytes.split_at(usize::from(len & 0x7f).min(bytes.len()));
        let fin = len & 0x80 != 0;
        let data = Bytes::copy_from_slice(data);
        let failed = connection
            .handle_data(u64::from(stream & 0x1f), data, fin)
            .is_err();
        while connection.poll_event().is_some() {
            events += 1;
        }
        while connection.poll_write().is_some() {}
        if failed {
            break;
        }
        rest = after;
    }
    events
}

/// Feeds an HTTP/2 connection whose peer has sent a valid preface. `input` is a list of
/// (type, flags, stream, length, payload). Type 255 stands for bytes without a frame
/// header.
///
/// Returns the number of events.
pub fn h2_connection(role: Role, input: &[u8]) -> usize {
    let mut config = h2::Config::server();
    config.max_header_list_size = 512;
    config.limits.idle_frames = 64;
    config.limits.closed_streams = 4;
    let mut connection = h2::Connection::new(role, config);
    let preface = match role {
        Role::Client => &b""[..],
        Role::Server => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    let settings = [[0, 0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 0, 4, 1, 0, 0, 0, 0]].concat();
    connection
        .handle_data([preface, &settings].concat().into())
        .expect("a right beginning");
    if role == Role::Client {
        for _ in 0..3 {
            let body = Some(vec![0; 40_000].into());
            connection
                .send_request(&[], None, None, body)
                .expect("no limits yet");
        }
    }
    let mut events = 0;
    let mut rest = input;
    while let [ty, flags, stream, len, bytes @ ..] = rest {
        let (payload, after) = bytes.split_at(usize::from(*len).min(bytes.len()));
        let len = payload.len() as u8;
        let header = [0, 0, len, *ty, *flags, 0, 0, 0, stream & 0x1f];
        let header = if *ty == 255 { &[][..] } else { &header };
        let failed = connection
            .handle_data([header, payload].concat().into())
            .is_err();
        while let Some(event) = connection.poll_event() {
            events += 1;
            if let (h2::Event::Headers { stream, .. }, Role::Server) = (event, role) {
                let length = connection.send_window(stream);
                connection.data_frame(stream, length, stream.is_multiple_of(3));
            }
        }
        while connection.poll_write().is_some() {}
        if failed {
            break;
        }
        rest = after;
    }
    events
}

/// Splits `input` into two field sections and decodes them.
pub fn hpack_decoder(input: &[u8]) {
    let Some((split, rest)) = input.split_first() else {
        return;
    };
    let (first, second) = rest.split_at(usize::from(*split).min(rest.len()));
    let mut decoder = hpack::Decoder::default();
    if decoder.decode(first, 4096).is_ok() {
        decoder.set_capacity_max(64);
        // Both results are fine. Only a panic is a failure.
        let _ = decoder.decode(second, 4096);
    }
}

/// Parses a priority field. Checks that a parsed priority parses to itself again after
/// printing.
pub fn priority_field(input: &[u8]) {
    if let Some(parsed) = priority::parse(input) {
        assert_eq!(priority::parse(parsed.to_string().as_bytes()), Some(parsed));
    }
}

/// Splits `input` into an encoder stream and a field section and decodes both.
pub fn qpack_decoder(input: &[u8]) {
    let Some((split, rest)) = input.split_first() else {
        return;
    };
    let (instructions, section) = rest.split_at(usize::from(*split).min(rest.len()));
    // All results are fine. Only a panic is a failure.
    let _ = qpack::check_encoder_instructions(instructions);
    let _ = qpack::decode(section, 4096, &mut qpack::Memory::default());
}

/// Feeds an HTTP/1.1 server that answers every request at once. `input` is a list of
/// (length, bytes).
///
/// Returns the number of events.
pub fn h1_server(input: &[u8]) -> usize {
    let mut server = h1::Server::new(h1::Config {
        head_bytes_max: 512,
        pipelined_max: 2,
        ..h1::Config::default()
    });
    let mut events = 0;
    for data in pieces(input) {
        server.handle_data(data);
        let mut whole = 0;
        while let Some(event) = server.poll_event() {
            events += 1;
            whole += usize::from(matches!(
                event,
                h1::Event::Finished { .. } | h1::Event::StreamError { .. }
            ));
        }
        for _ in 0..whole {
            let status = Field::from_static(":status", "404");
            server.response_head(&[status], 0);
            server.handle_answered();
        }
        while server.poll_write().is_some() {}
    }
    server.handle_end();
    events
}

/// Feeds an HTTP/1.1 client that sends a request whenever it can. `input` is as for
/// [`h1_server`].
///
/// Returns the number of events.
pub fn h1_client(input: &[u8]) -> usize {
    let mut client = h1::Client::new(h1::Config {
        head_bytes_max: 512,
        ..h1::Config::default()
    });
    let fields = [":method", ":authority", ":path"].map(|n| Field::from_static(n, "x"));
    let mut events = 0;
    for data in pieces(input) {
        if client.can_request() {
            client.send_request(&fields, None).expect("it may ask");
        }
        let failed = client.handle_data(data).is_err();
        while client.poll_event().is_some() {
            events += 1;
        }
        while client.poll_write().is_some() {}
        if failed {
            assert!(client.is_closed());
        }
    }
    // Both results are fine. Only a panic is a failure.
    let _ = client.handle_end();
    events
}

/// Feeds the parsers for objects in datagrams: HTTP datagrams, chunks, end markers,
/// announcements, `range` fields, and multipart responses.
///
/// Returns the number of parts found.
pub fn objects(input: &[u8]) -> usize {
    let mut client = Connection::new(Role::Client, Config::default());
    client
        .send_request(0, &[], None, None)
        .expect("no limits yet");
    let content = "multipart/byteranges; boundary=b";
    let answer = [(":status", "206"), ("content-type", content)];
    let answer = answer.map(|(name, value)| Field::from_static(name, value));
    let mut reader = ranges::RangeReader::new(&answer).expect("it holds ranges");
    let (mut parts, mut reads) = (0, true);
    for piece in pieces(input) {
        let _ = client.handle_datagram(piece.clone());
        let _ = object::decode_end_marker(&piece);
        if let Some((number, _)) = object::decode_chunk(piece.clone()) {
            assert!(number <= varint::MAX);
        }
        let field = Field::new(object::FIELD, piece.clone());
        if let Some(Ok(announcement)) = object::Announcement::of_fields(&[field]) {
            assert!(announcement.size(announcement.chunks() - 1) > 0);
        }
        let _ = ranges::parse(&piece, 10_000);
        reads &= reader.read(piece, |_, _| parts += 1).is_ok();
        if !reads {
            break;
        }
    }
    parts
}

/// Splits a list of (length, bytes) into pieces.
fn pieces(mut input: &[u8]) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || {
        let (length, rest) = input.split_first()?;
        let (piece, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        input = rest;
        Some(Bytes::copy_from_slice(piece))
    })
}
