//! Instructions from the peer's encoder.
//!
//! Source: RFC 9204, section 4.3.

use super::dynamic_table::DynamicTable;
use super::{Error, static_table};
use crate::Field;
use crate::literal::{integer, string};

/// Executes the instruction at the start of `bytes`. Returns its length, or `None` if it
/// is incomplete.
pub(super) fn execute(table: &mut DynamicTable, bytes: &[u8]) -> Result<Option<usize>, Error> {
    let Some(&first) = bytes.first() else {
        return Ok(None);
    };
    if first & 0b1000_0000 != 0 {
        insert_with_name_reference(table, bytes)
    } else if first & 0b0100_0000 != 0 {
        insert_with_literal_name(table, bytes)
    } else if first & 0b0010_0000 != 0 {
        let Some((capacity, len)) = integer::decode(5, bytes)? else {
            return Ok(None);
        };
        table.set_capacity(capacity)?;
        Ok(Some(len))
    } else {
        let Some((index, len)) = integer::decode(5, bytes)? else {
            return Ok(None);
        };
        let field = table.relative(index)?.clone();
        table.insert(field)?;
        Ok(Some(len))
    }
}

fn insert_with_name_reference(
    table: &mut DynamicTable,
    bytes: &[u8],
) -> Result<Option<usize>, Error> {
    let Some((index, start)) = integer::decode(6, bytes)? else {
        return Ok(None);
    };
    let name = if bytes[0] & 0b0100_0000 != 0 {
        static_entry(index)?.name
    } else {
        table.relative(index)?.name.clone()
    };
    let Some((value, len)) = literal(7, &bytes[start..], table.capacity())? else {
        return Ok(None);
    };
    table.insert(Field::new(name, value))?;
    Ok(Some(start + len))
}

fn insert_with_literal_name(
    table: &mut DynamicTable,
    bytes: &[u8],
) -> Result<Option<usize>, Error> {
    let Some((name, start)) = literal(5, bytes, table.capacity())? else {
        return Ok(None);
    };
    let Some((value, len)) = literal(7, &bytes[start..], table.capacity())? else {
        return Ok(None);
    };
    table.insert(Field::new(name, value))?;
    Ok(Some(start + len))
}

/// Decodes a string. The longest Huffman code has 30 bits, so a code longer than four
/// times the capacity stands for text that no entry can hold.
fn literal(prefix: u32, bytes: &[u8], capacity: u64) -> Result<Option<(Vec<u8>, usize)>, Error> {
    let Some((literal, len)) = string::parse(prefix, bytes, capacity.saturating_mul(4))? else {
        return Ok(None);
    };
    let mut text = Vec::new();
    literal.decode(&mut text)?;
    Ok(Some((text, len)))
}

/// Returns an entry of the static table as a field line.
pub(super) fn static_entry(index: u64) -> Result<Field, Error> {
    let entry = usize::try_from(index)
        .ok()
        .and_then(|at| static_table::ENTRIES.get(at));
    entry
        .map(|(name, value)| Field::from_static(name, value))
        .ok_or(Error::StaticIndex(index))
}
