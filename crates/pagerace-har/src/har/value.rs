//! Lenient access to JSON: a field of the wrong type counts as missing. Numbers may be
//! written as strings, as in old WebPageTest files.

use std::borrow::Cow;

use serde_json::Value;
use url::Url;

use crate::error::shorten;
use pagerace_page::model::MAX_BYTES;

/// Maximum span: an hour. Longer ones are damaged, not part of a page load.
const MAX_MILLIS: f64 = 3_600_000.0;

/// Returns the text at `key`; `None` for other types.
pub(super) fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// Returns the trimmed text at `key`; `None` if it is empty or has another type.
pub(super) fn filled<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    text(object, key).map(str::trim).filter(|s| !s.is_empty())
}

/// Returns the finite number at `key`, which may be negative.
pub(super) fn number(object: &Value, key: &str) -> Option<f64> {
    let n = match object.get(key)? {
        Value::Number(n) => n.as_f64()?,
        Value::String(s) => s.trim().parse().ok()?,
        _ => return None,
    };
    n.is_finite().then_some(n)
}

/// Returns a number of bytes. Negative and excessive values are damaged and count as
/// unknown.
pub(super) fn size(object: &Value, key: &str) -> Option<u64> {
    let n = number(object, key)?;
    (0.0..=MAX_BYTES as f64)
        .contains(&n)
        .then(|| n.round() as u64)
}

/// Returns an HTTP status.
pub(super) fn status(object: &Value, key: &str) -> Option<u16> {
    let n = number(object, key)?;
    (0.0..=999.0).contains(&n).then_some(n as u16)
}

/// Returns a span in milliseconds. Negative values (HAR's -1: "not applicable") and
/// excessive ones count as unknown.
pub(super) fn millis(object: &Value, key: &str) -> Option<f64> {
    number(object, key).filter(|n| (0.0..=MAX_MILLIS).contains(n))
}

/// Returns the integer part of a non-negative position (line, column, offset).
pub(super) fn position(object: &Value, key: &str) -> Option<u64> {
    let n = number(object, key)?;
    (0.0..=1e12).contains(&n).then_some(n as u64)
}

/// Returns true if the value at `key` is `true`, a number other than 0, or the text
/// "true" or "1".
pub(super) fn flag(object: &Value, key: &str) -> bool {
    match object.get(key) {
        Some(Value::Bool(b)) => *b,
        Some(Value::Number(n)) => n.as_f64() != Some(0.0),
        Some(Value::String(s)) => s.eq_ignore_ascii_case("true") || s == "1",
        _ => false,
    }
}

/// Returns the elements at `key`; none if it is not an array.
pub(super) fn list<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Parses a URL. Leaves out user name and password, which must not reach any output.
pub(super) fn url(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    // Fails only for URLs that cannot have user names or passwords.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url)
}

/// Returns a text to show: without user name and password if it is a URL.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    match url(text) {
        Some(url) if text.contains('@') => Cow::Owned(url.into()),
        _ => Cow::Borrowed(text),
    }
}

/// Describes a value for error messages.
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

#[cfg(test)]
mod tests;
