//! Conversion of a line and a column of a document to a byte offset.
//!
//! Chromium counts lines according to the HTML standard (LF, CR LF, or CR alone:
//! <https://infra.spec.whatwg.org/#normalize-newlines>) and columns in UTF-16 code units,
//! both from 0.

/// Returns the byte offset of `line` and `column` in `text`, or `None` if there is no
/// such line. A column beyond the end of its line is the end of the line.
pub(super) fn offset(text: &str, line: u64, column: u64) -> Option<usize> {
    // A byte order mark is not part of the document.
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let start = mark + line_start(&text[mark..], line)?;
    let mut units = 0;
    for (at, c) in text[start..].char_indices() {
        if units >= column || matches!(c, '\n' | '\r') {
            return Some(start + at);
        }
        units += c.len_utf16() as u64;
    }
    Some(text.len())
}

fn line_start(text: &str, line: u64) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut remaining = line;
    let mut at = 0;
    while remaining > 0 {
        let end = at
            + bytes[at..]
                .iter()
                .position(|b| matches!(b, b'\n' | b'\r'))?;
        let pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
        at = end + if pair { 2 } else { 1 };
        remaining -= 1;
    }
    Some(at)
}

/// Returns the offset of the byte after the script element that contains `inside`.
pub(super) fn script_end(text: &str, inside: usize) -> Option<usize> {
    let rest = text.as_bytes().get(inside..)?;
    let close = rest
        .windows(8)
        .position(|w| w.eq_ignore_ascii_case(b"</script"))?;
    let angle = rest[close..].iter().position(|b| *b == b'>')?;
    Some(inside + close + angle + 1)
}

#[cfg(test)]
mod tests;
