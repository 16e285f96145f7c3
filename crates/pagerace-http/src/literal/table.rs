//! Finding field lines in a static table.

use std::collections::BTreeMap;

/// Where a field line is in a static table; positions count from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Name and value.
    Line(usize),
    /// The name alone.
    Name(usize),
    /// Neither.
    Nothing,
}

/// For each name every value and where it is, in the table's order.
#[derive(Debug)]
pub(crate) struct Index {
    names: BTreeMap<&'static [u8], Vec<(&'static [u8], usize)>>,
}

impl Index {
    /// Indexes a table of names and values.
    pub(crate) fn new(entries: &'static [(&'static str, &'static str)]) -> Self {
        let mut names = BTreeMap::<_, Vec<_>>::new();
        for (at, (name, value)) in entries.iter().enumerate() {
            let values = names.entry(name.as_bytes()).or_default();
            values.push((value.as_bytes(), at));
        }
        Self { names }
    }

    /// Looks a field line up. A name alone is found at its first entry.
    pub(crate) fn find(&self, name: &[u8], value: &[u8]) -> Found {
        let Some(values) = self.names.get(name) else {
            return Found::Nothing;
        };
        match values.iter().find(|(v, _)| *v == value) {
            Some((_, at)) => Found::Line(*at),
            None => Found::Name(values[0].1),
        }
    }
}
