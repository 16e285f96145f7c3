//! An encoder with a dynamic table, for tests of the decoder: RFC 9204, sections 3.2, 4.3
//! and 4.5, without Huffman codes.

use crate::Field;
use crate::literal::integer;

/// The output of the encoder.
pub(super) struct Encoded {
    /// Stream and bytes in order of sending; stream 0 is the encoder stream.
    pub(super) blocks: Vec<(u64, Vec<u8>)>,
    /// Number of references to the table.
    pub(super) references: usize,
}

struct Table {
    capacity: u64,
    size: u64,
    /// Number of entries inserted, and the number of those evicted.
    inserted: u64,
    evicted: u64,
    entries: Vec<Field>,
}

fn size(field: &Field) -> u64 {
    (field.name.len() + field.value.len() + 32) as u64
}

impl Table {
    /// Returns the absolute index of a field in the table.
    fn find(&self, field: &Field) -> Option<u64> {
        let live = self.evicted as usize..;
        let at = self.entries[live]
            .iter()
            .rposition(|entry| entry == field)?;
        Some(self.evicted + at as u64)
    }

    /// Inserts a field unless an entry from `keep` on would leave the table.
    fn insert(&mut self, field: &Field, keep: u64) -> Option<u64> {
        let (mut evicted, mut used) = (self.evicted, self.size);
        while used + size(field) > self.capacity {
            if evicted == keep.min(self.inserted) {
                return None;
            }
            used -= size(&self.entries[evicted as usize]);
            evicted += 1;
        }
        (self.evicted, self.size) = (evicted, used + size(field));
        self.entries.push(field.clone());
        self.inserted += 1;
        Some(self.inserted - 1)
    }
}

fn text(bytes: &[u8], prefix: u32, pattern: u8, out: &mut Vec<u8>) {
    integer::encode(prefix, pattern, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Encodes sections for streams 4, 8, ...; every second one counts its references from the
/// table before its own inserts.
pub(super) fn encode(sections: &[Vec<Field>], capacity: u64) -> Encoded {
    let mut table = Table {
        capacity,
        size: 0,
        inserted: 0,
        evicted: 0,
        entries: Vec::new(),
    };
    let (mut blocks, mut references) = (Vec::new(), 0);
    for (number, fields) in sections.iter().enumerate() {
        let before = table.inserted;
        let (mut inserts, mut lines) = (Vec::new(), Vec::new());
        // The oldest entry that this section refers to has to stay.
        let mut keep = u64::MAX;
        for field in fields {
            let found = table.find(field).or_else(|| {
                let index = table.insert(field, keep)?;
                text(&field.name, 5, 0b0100_0000, &mut inserts);
                text(&field.value, 7, 0, &mut inserts);
                Some(index)
            });
            keep = keep.min(found.unwrap_or(u64::MAX));
            lines.push((field, found));
        }
        let required = lines.iter().filter_map(|line| Some(line.1? + 1)).max();
        let required = required.unwrap_or(0);
        let base = if number % 2 == 0 {
            required
        } else {
            before.min(required)
        };
        let mut section = Vec::new();
        let full = 2 * (capacity / 32);
        let count = if required == 0 {
            0
        } else {
            required % full + 1
        };
        integer::encode(8, 0, count, &mut section);
        match required - base {
            0 => integer::encode(7, 0, 0, &mut section),
            below => integer::encode(7, 0b1000_0000, below - 1, &mut section),
        }
        for (field, found) in lines {
            match found {
                Some(index) if index < base => {
                    integer::encode(6, 0b1000_0000, base - index - 1, &mut section);
                }
                Some(index) => integer::encode(4, 0b0001_0000, index - base, &mut section),
                None => {
                    text(&field.name, 3, 0b0010_0000, &mut section);
                    text(&field.value, 7, 0, &mut section);
                }
            }
            references += usize::from(found.is_some());
        }
        if !inserts.is_empty() {
            blocks.push((0, inserts));
        }
        blocks.push((4 * (number as u64 + 1), section));
    }
    Encoded { blocks, references }
}
