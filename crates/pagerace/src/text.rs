//! Sentences on the terminal. They are wrapped to its width, and left whole if the output
//! goes elsewhere.

use std::io::{self, Write};

use comfy_table::Table;

/// Returns the number with its noun: "1 page", "2 pages".
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns the width of the terminal in columns, if there is one.
pub(crate) fn width() -> Option<usize> {
    Table::new().width().map(usize::from)
}

/// Writes a sentence in one or more lines.
pub(crate) fn say(out: &mut impl Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", wrap(text, width()))
}

/// Writes a sentence in bold.
pub(crate) fn stress(out: &mut impl Write, text: &str) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}", wrap(text, width()))
}

/// Writes "head: rest" with the head in bold.
pub(crate) fn headed(out: &mut impl Write, head: &str, rest: &str) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    let text = wrap(&format!("{head}: {rest}"), width());
    match text.strip_prefix(head) {
        Some(rest) => writeln!(out, "{bold}{head}{bold:#}{rest}"),
        // The terminal is too narrow even for the head.
        None => writeln!(out, "{text}"),
    }
}

/// Wraps `text` at spaces into lines of at most `width` characters. A longer word gets
/// its own line. A number and its unit ("12 ms") stay together.
pub(crate) fn wrap(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| text.chars().count() > *width) else {
        return text.to_owned();
    };
    let indent: String = text.chars().take_while(|c| *c == ' ').collect();
    let mut lines = vec![indent.clone()];
    for piece in pieces(text) {
        let line = lines.last_mut().expect("there is always a line");
        let empty = line.trim().is_empty();
        let used = line.chars().count() + usize::from(!empty) + piece.chars().count();
        if empty {
            line.push_str(&piece);
        } else if used <= width {
            line.push(' ');
            line.push_str(&piece);
        } else {
            lines.push(format!("{indent}{piece}"));
        }
    }
    lines.join("\n")
}

/// Splits text into words, but keeps units with their numbers.
fn pieces(text: &str) -> Vec<String> {
    const UNITS: [&str; 8] = ["ms", "s", "%", "B", "kB", "MB", "Mbit/s", "bytes"];
    let number = |word: &str| word.ends_with(|c: char| c.is_ascii_digit());
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches(['.', ',', ';', ':', ')']);
        match pieces.last_mut() {
            Some(last) if UNITS.contains(&unit) && number(last) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", Some(7)), "one two\nthree");
        assert_eq!(wrap(" one two three", Some(8)), " one two\n three");
        assert_eq!(
            wrap("a https://long.example b", Some(5)),
            "a\nhttps://long.example\nb"
        );
        assert_eq!(wrap("one two three", None), "one two three");
    }

    #[test]
    fn numbers_keep_their_units() {
        assert_eq!(
            wrap("it takes 12 ms (3.1 %).", Some(12)),
            "it takes\n12 ms\n(3.1 %)."
        );
    }
}
