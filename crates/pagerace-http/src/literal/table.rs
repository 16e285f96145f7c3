//! Lookup of field lines in a static table.

use std::collections::BTreeMap;

/// The result of a lookup. Positions count from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The position of an entry with this name and value.
    Line(usize),
    /// The position of an entry with this name, but another value.
    Name(usize),
    /// No entry has this name.
    Nothing,
}

/// For each name, its values and their positions, in the table's order.
#[derive(Debug)]
pub(crate) struct Index {
    /// The key begins with the length, which tells most names apart.
    names: BTreeMap<(usize, &'static [u8]), Values>,
}

type Values = Vec<(&'static [u8], usize)>;

impl Index {
    /// Builds the index of a table of names and values.
    pub(crate) fn new(entries: &'static [(&'static str, &'static str)]) -> Self {
        let mut names = BTreeMap::<_, Vec<_>>::new();
        for (at, (name, value)) in entries.iter().enumerate() {
            let values = names.entry((name.len(), name.as_bytes())).or_default();
            values.push((value.as_bytes(), at));
        }
        Self { names }
    }

    /// Looks up a field line. If only the name is known, the result is the first entry
    /// with that name.
    pub(crate) fn find(&self, name: &[u8], value: &[u8]) -> Found {
        let Some(values) = self.names.get(&(name.len(), name)) else {
            return Found::Nothing;
        };
        match values.iter().find(|(v, _)| *v == value) {
            Some((_, at)) => Found::Line(*at),
            None => Found::Name(values[0].1),
        }
    }
}
