//! Lenient reading of JSON: a field of the wrong type is a field that is not
//! there. Numbers may be written as strings (old WebPageTest does).

use serde_json::Value;

use crate::model::MAX_BYTES;

/// Spans above this (an hour) are taken for damage, not for a page load.
const MAX_MILLIS: f64 = 3_600_000.0;

/// The text at `key`, if it is text.
pub(super) fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// The text at `key`, if it is text and not empty.
pub(super) fn filled<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    text(object, key).map(str::trim).filter(|s| !s.is_empty())
}

/// The finite number at `key`, negative ones included.
pub(super) fn number(object: &Value, key: &str) -> Option<f64> {
    let n = match object.get(key)? {
        Value::Number(n) => n.as_f64()?,
        Value::String(s) => s.trim().parse().ok()?,
        _ => return None,
    };
    n.is_finite().then_some(n)
}

/// A number of bytes; negative and absurd values are damage, and unknown.
pub(super) fn size(object: &Value, key: &str) -> Option<u64> {
    let n = number(object, key)?;
    (0.0..=MAX_BYTES as f64)
        .contains(&n)
        .then(|| n.round() as u64)
}

/// A span in milliseconds; negative (HAR's -1: "not applicable") and absurd
/// values are unknown.
pub(super) fn millis(object: &Value, key: &str) -> Option<f64> {
    number(object, key).filter(|n| (0.0..=MAX_MILLIS).contains(n))
}

/// A position (line, column), whole and not negative.
pub(super) fn position(object: &Value, key: &str) -> Option<u64> {
    let n = number(object, key)?;
    (0.0..=1e12).contains(&n).then_some(n as u64)
}

/// Whether `key` says yes: `true`, a number other than 0, or the text "true".
pub(super) fn flag(object: &Value, key: &str) -> bool {
    match object.get(key) {
        Some(Value::Bool(b)) => *b,
        Some(Value::Number(n)) => n.as_f64() != Some(0.0),
        Some(Value::String(s)) => s.eq_ignore_ascii_case("true") || s == "1",
        _ => false,
    }
}

/// The elements at `key`; none if it is no array.
pub(super) fn list<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// What a value is, for error messages.
pub(super) fn kind(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(b)) => b.to_string(),
        Some(Value::Number(n)) => format!("the number {n}"),
        Some(Value::String(s)) => format!("the text \"{}\"", shorten(s, 40)),
        Some(Value::Array(a)) => format!("an array of {}", a.len()),
        Some(Value::Object(o)) => {
            let keys: Vec<_> = o.keys().take(4).map(|k| shorten(k, 20)).collect();
            format!(
                "an object with {}",
                if keys.is_empty() {
                    "nothing".into()
                } else {
                    keys.join(", ")
                }
            )
        }
    }
}

/// At most `max` characters of `text`, marked if some were left off.
pub(super) fn shorten(text: &str, max: usize) -> String {
    let mut short: String = text.chars().take(max).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
