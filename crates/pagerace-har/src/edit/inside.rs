//! Style sheets and scripts inside another text: a document, or a file that joins several.

use std::ops::Range;

use pagerace_core::Destination;
use url::Url;

use super::replaced;

/// Returns the element that holds a style sheet or script of this URL inside a document.
pub(crate) fn element(destination: Destination, body: &str, url: &Url) -> String {
    if destination == Destination::Style {
        let sheet = with_absolute_urls(body, url);
        return format!("<style>{}</style>", escaped(&sheet, "</style"));
    }
    let script = escaped(&escaped(body, "</script"), "<!--");
    format!("<script>{script}</script>")
}

/// Returns a text in which nothing ends its element: `tag` in any case has a backslash inside.
fn escaped(text: &str, tag: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let places = lower.match_indices(tag);
    let edits = places.map(|(at, _)| (at + 1..at + 1, "\\".to_owned()));
    replaced(text, edits.collect())
}

/// Returns the text of several files as one. Each has its URL.
pub(crate) fn joined<'a>(
    destination: Destination,
    all: impl Iterator<Item = (&'a str, &'a Url)>,
) -> String {
    let parts = all.map(|(body, url)| match destination {
        Destination::Style => with_absolute_urls(body, url) + "\n",
        // The last statement of a script may lack its end.
        _ => format!("{body}\n;\n"),
    });
    parts.collect()
}

/// Returns a style sheet that names the same resources wherever it is.
pub(super) fn with_absolute_urls(sheet: &str, url: &Url) -> String {
    let mut edits = Vec::new();
    names(sheet, |range, is_string| {
        let name = trimmed(&sheet[range.clone()]);
        if name.is_empty() || name.starts_with('#') || name.starts_with("data:") {
            return;
        }
        if let Ok(whole) = url.join(name)
            && whole.as_str() != name
        {
            let whole = whole.as_str().replace('"', "%22");
            edits.push((
                range,
                if is_string {
                    format!("\"{whole}\"")
                } else {
                    whole
                },
            ));
        }
    });
    replaced(sheet, edits)
}

/// Returns a name of a style sheet without quotes and white space.
pub(super) fn trimmed(name: &str) -> &str {
    name.trim_matches([' ', '\'', '"', '\n', '\t', '\r'])
}

/// Passes the place of each name in a style sheet to `each`: what `url(..)` holds, and, with
/// `true`, the string of an import with its quotes.
pub(super) fn names(text: &str, mut each: impl FnMut(Range<usize>, bool)) {
    for (at, open) in text.match_indices("url(") {
        let from = at + open.len();
        if let Some(length) = text[from..].find(')') {
            each(from..from + length, false);
        }
    }
    for (at, import) in text.match_indices("@import") {
        let from = at + import.len();
        let rest = text[from..].trim_start();
        let from = text.len() - rest.len();
        if let Some(quote) = rest.chars().next().filter(|one| matches!(one, '"' | '\''))
            && let Some(length) = rest[1..].find(quote)
        {
            each(from..from + length + 2, true);
        }
    }
}

/// Returns the places of the names and values of a start tag's attributes. Quotes are no part of
/// values.
pub(super) fn attributes(tag: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let bytes = tag.as_bytes();
    let is_space = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_whitespace);
    let is_end = |i: usize| i >= bytes.len() || bytes[i] == b'>';
    let mut found = Vec::new();
    let mut i = 1;
    while !is_end(i) && !is_space(i) && bytes[i] != b'/' {
        i += 1;
    }
    while !is_end(i) {
        if is_space(i) || bytes[i] == b'/' {
            i += 1;
            continue;
        }
        let from = i;
        i += 1;
        while !is_end(i) && !is_space(i) && !matches!(bytes[i], b'=' | b'/') {
            i += 1;
        }
        let name = from..i;
        while is_space(i) {
            i += 1;
        }
        if bytes.get(i) != Some(&b'=') {
            found.push((name.clone(), name.end..name.end));
            continue;
        }
        i += 1;
        while is_space(i) {
            i += 1;
        }
        if let Some(quote @ (b'"' | b'\'')) = bytes.get(i).copied() {
            let rest = &bytes[i + 1..];
            let length = rest.iter().position(|byte| *byte == quote);
            let length = length.unwrap_or(rest.len());
            found.push((name, i + 1..i + 1 + length));
            i += 2 + length;
        } else {
            let from = i;
            while !is_end(i) && !is_space(i) {
                i += 1;
            }
            found.push((name, from..i));
        }
    }
    found
}
