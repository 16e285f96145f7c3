//! Entry points for fuzzers: plain functions of bytes that must never panic.

use bytes::Bytes;

use crate::h3::{Config, Connection, Role};
use crate::{priority, qpack};

/// Feeds a connection: `input` is a list of (stream, length, bytes); the high
/// bit of the length ends the stream after them.
///
/// Returns how many events came out.
pub fn h3_connection(role: Role, input: &[u8]) -> usize {
    let config = Config {
        qpack_max_table_capacity: 512,
        qpack_blocked_streams: 4,
        blocked_bytes_max: 4096,
        ..Config::default()
    };
    let mut connection = Connection::new(role, config);
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

/// Parses a priority field; what parses must print and parse to the same.
pub fn priority_field(input: &[u8]) {
    if let Some(parsed) = priority::parse(input) {
        assert_eq!(priority::parse(parsed.to_string().as_bytes()), Some(parsed));
    }
}

/// Splits `input` in an encoder stream and a field section and decodes them.
pub fn qpack_decoder(input: &[u8]) {
    let Some((split, rest)) = input.split_first() else {
        return;
    };
    let (instructions, section) = rest.split_at(usize::from(*split).min(rest.len()));
    let mut decoder = qpack::Decoder::new(512);
    if decoder.handle_encoder_stream(instructions).is_ok() {
        // Either way is fine; only a panic is not.
        let _ = decoder.decode(0, section, 4096);
    }
}
