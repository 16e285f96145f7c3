//! The `priority` field and the value of `PRIORITY_UPDATE`: a structured-field
//! dictionary with the keys `u` and `i`.
//!
//! Source: RFC 9218, sections 4 and 5, <https://www.rfc-editor.org/rfc/rfc9218#section-4>;
//! RFC 9651 for the syntax, which the `sfv` crate parses.

use pagerace_core::Priority;
use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::Field;

/// Parses the value of a `priority` field (several lines joined by `, `).
///
/// Unknown keys, values of another type and urgencies out of range are ignored, as RFC
/// 9218, section 4 requires. Returns `None` only if the value is not a dictionary at all.
/// A recipient ignores such a field (RFC 9651, section 4.2).
pub fn parse(value: &[u8]) -> Option<Priority> {
    let dictionary = Parser::new(value).parse::<Dictionary>().ok()?;
    let mut priority = Priority::default();
    if let Some(BareItem::Integer(urgency)) = bare_item(&dictionary, "u")
        && let Ok(urgency @ 0..=7) = u8::try_from(i64::from(*urgency))
    {
        priority.urgency = urgency;
    }
    if let Some(BareItem::Boolean(incremental)) = bare_item(&dictionary, "i") {
        priority.incremental = *incremental;
    }
    Some(priority)
}

/// Returns the priority in the `priority` field lines of a request, which are joined.
/// Returns the default priority if there are none or they are not a dictionary.
pub fn of_fields(fields: &[Field]) -> Priority {
    let mut lines = fields.iter().filter(|f| f.name == b"priority"[..]);
    let Some(first) = lines.next() else {
        return Priority::default();
    };
    let joined = lines.fold(first.value.to_vec(), |mut joined, line| {
        joined.extend_from_slice(b", ");
        joined.extend_from_slice(&line.value);
        joined
    });
    parse(&joined).unwrap_or_default()
}

fn bare_item<'a>(dictionary: &'a Dictionary, key: &str) -> Option<&'a BareItem> {
    match dictionary.get(key)? {
        ListEntry::Item(item) => Some(&item.bare_item),
        ListEntry::InnerList(_) => None,
    }
}

#[cfg(test)]
mod tests;
