//! Encoder for field sections that uses only the static table and literals.

use super::{Memory, static_table};
use crate::Field;
use crate::literal::table::Found;
use crate::literal::{integer, string};

/// A table size update to zero. A section must begin with it if the peer's settings allow
/// less than [`DEFAULT_CAPACITY`](super::DEFAULT_CAPACITY).
///
/// The update may be repeated, so every section begins with it and the order of sections
/// does not matter. Source: RFC 7541, sections 4.2 and 6.3.
pub const EMPTY_TABLE: u8 = 0b0010_0000;

/// Appends an encoded field section. Source: RFC 7541, section 6.
///
/// `memory` is the same for all sections that a connection sends.
pub fn encode(fields: &[Field], memory: &mut Memory, out: &mut Vec<u8>) {
    for (place, field) in fields.iter().enumerate() {
        memory.encode(place, field, out, line);
    }
}

fn line(field: &Field, out: &mut Vec<u8>) {
    // Indexes count from one.
    match static_table::INDEX.find(&field.name, &field.value) {
        // Indexed header field: section 6.1.
        Found::Line(at) => integer::encode(7, 0b1000_0000, at as u64 + 1, out),
        // Literal header field without indexing, indexed name: section 6.2.2.
        Found::Name(at) => {
            integer::encode(4, 0, at as u64 + 1, out);
            string::encode(7, 0, &field.value, out);
        }
        // Literal header field without indexing, new name: section 6.2.2.
        Found::Nothing => {
            out.push(0);
            string::encode(7, 0, &field.name, out);
            string::encode(7, 0, &field.value, out);
        }
    }
}
