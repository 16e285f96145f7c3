//! Encoder for field sections that uses only the static table and literals.

use super::{Error, Memory, static_table};
use crate::Field;
use crate::literal::table::Found;
use crate::literal::{integer, string};

/// Appends an encoded field section. `memory` is the same for all sections that a connection sends.
///
/// The section has a required insert count of zero, so that the peer can decode it at
/// once and never acknowledges it. Source: RFC 9204, section 4.5.
pub fn encode(fields: &[Field], memory: &mut Memory, out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, 0]);
    for (place, field) in fields.iter().enumerate() {
        memory.encode(place, field, out, line);
    }
}

fn line(field: &Field, out: &mut Vec<u8>) {
    match static_table::INDEX.find(&field.name, &field.value) {
        // Indexed field line, T = 1: section 4.5.2.
        Found::Line(index) => integer::encode(6, 0b1100_0000, index as u64, out),
        // Literal field line with name reference, N = 0, T = 1: section 4.5.4.
        Found::Name(index) => {
            integer::encode(4, 0b0101_0000, index as u64, out);
            string::encode(7, 0, &field.value, out);
        }
        // Literal field line with literal name, N = 0: section 4.5.6.
        Found::Nothing => {
            string::encode(3, 0b0010_0000, &field.name, out);
            string::encode(7, 0, &field.value, out);
        }
    }
}

/// Checks the instructions of the peer's decoder and removes them from `buffer`. An
/// incomplete instruction stays.
///
/// The encoder inserts nothing, so the only valid instruction is a stream cancellation
/// (RFC 9204, section 4.4).
///
/// # Errors
/// [`Error::Acknowledgement`] and [`Error::Literal`], each a connection error
/// `QPACK_DECODER_STREAM_ERROR`.
pub fn check_decoder_instructions(buffer: &mut Vec<u8>) -> Result<(), Error> {
    let mut at = 0;
    while let Some(&first) = buffer.get(at) {
        // 1xxxxxxx is a section acknowledgement, 00xxxxxx an insert count increment.
        if first & 0b1100_0000 != 0b0100_0000 {
            return Err(Error::Acknowledgement);
        }
        let Some((_stream, len)) = integer::decode(6, &buffer[at..])? else {
            break;
        };
        at += len;
    }
    buffer.drain(..at);
    Ok(())
}
