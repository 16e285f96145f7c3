//! Field lines that a connection has coded before.

use bytes::Bytes;

use crate::Field;

/// Most lines that are remembered.
const LINES: usize = 64;
/// Longest code that is remembered, in bytes. Both limits keep a hostile peer from filling memory.
const CODE_MAX: usize = 256;

/// The lines of earlier sections by their place, with their codes. Most sections of a connection
/// repeat most lines of the one before, which then need not be coded again.
#[derive(Debug, Default)]
pub struct Memory(Vec<(Field, Vec<u8>)>);

impl Memory {
    /// Appends the code of the line at `place`, which `encode` writes if it is new.
    pub(crate) fn encode(
        &mut self,
        place: usize,
        field: &Field,
        out: &mut Vec<u8>,
        encode: fn(&Field, &mut Vec<u8>),
    ) {
        match self.0.get(place) {
            Some((known, code)) if known == field => out.extend_from_slice(code),
            _ => {
                let start = out.len();
                encode(field, out);
                self.keep(place, || field.clone(), &out[start..]);
            }
        }
    }

    /// Returns the line at the start of `bytes` and the length of its code, if the last line at
    /// `place` had the same code.
    pub(crate) fn decode(&self, place: usize, bytes: &[u8]) -> Option<(&Field, usize)> {
        let (field, code) = self.0.get(place)?;
        bytes.starts_with(code).then_some((field, code.len()))
    }

    /// Remembers a decoded line. Its code must not depend on any state.
    pub(crate) fn keep_decoded(&mut self, place: usize, field: &Field, code: &[u8]) {
        // The text of a whole section would stay in memory with a part of it.
        let copy = || {
            let text = Bytes::from([&field.name[..], &field.value].concat());
            Field {
                name: text.slice(..field.name.len()),
                value: text.slice(field.name.len()..),
            }
        };
        self.keep(place, copy, code);
    }

    fn keep(&mut self, place: usize, field: impl FnOnce() -> Field, code: &[u8]) {
        if code.len() > CODE_MAX || place >= LINES || place > self.0.len() {
            return;
        }
        let line = (field(), code.to_vec());
        match self.0.get_mut(place) {
            Some(known) => *known = line,
            None => self.0.push(line),
        }
    }
}
