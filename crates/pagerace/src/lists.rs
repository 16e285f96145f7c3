//! Comma-separated lists on the command line.

use anyhow::{Result, bail};

/// Splits the values of a repeatable option, each of which is a comma-separated list.
/// Commas inside quotes or brackets do not separate. Spaces around an item and quotes
/// around a whole item are removed.
///
/// # Errors
/// Fails if an item is empty, or a quote or bracket is not closed. The message names
/// `option`.
pub(crate) fn split_all(option: &str, values: &[String]) -> Result<Vec<String>> {
    let mut items = Vec::new();
    for value in values {
        for item in split(option, value)? {
            let item = item.trim();
            if value.trim().is_empty() {
                bail!("--{option}: is empty; leave it out for the default");
            }
            if item.is_empty() {
                bail!("--{option}: \"{value}\" has an empty item; remove a comma");
            }
            items.push(unquote(item).to_owned());
        }
    }
    Ok(items)
}

fn split<'a>(option: &str, text: &'a str) -> Result<Vec<&'a str>> {
    let mut items = Vec::new();
    let mut start = 0;
    // Expected closing quotes and brackets, innermost last.
    let mut awaited: Vec<char> = Vec::new();
    for (at, c) in text.char_indices() {
        if awaited.last() == Some(&c) {
            awaited.pop();
            continue;
        }
        if matches!(awaited.last(), Some('"' | '\'')) {
            continue;
        }
        match c {
            '"' | '\'' => awaited.push(c),
            '(' => awaited.push(')'),
            '[' => awaited.push(']'),
            '{' => awaited.push('}'),
            ',' if awaited.is_empty() => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if let Some(closer) = awaited.last() {
        bail!("--{option}: \"{text}\" lacks a closing {closer}");
    }
    items.push(&text[start..]);
    Ok(items)
}

pub(crate) fn unquote(item: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| item.strip_prefix(*quote)?.strip_suffix(*quote))
        .map_or(item, str::trim)
}

#[cfg(test)]
mod tests;
