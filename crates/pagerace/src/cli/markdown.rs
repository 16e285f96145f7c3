//! Sections of Markdown files that commands write as a whole, between two marks.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use pagerace_lab::export::file::check_writable;

use super::files::write_text;

/// A Markdown file, and the place of a section in it.
pub(crate) struct Section {
    text: String,
    section: Range<usize>,
}

fn begin(name: &str) -> String {
    format!("<!-- begin of study {name}:")
}

fn end(name: &str) -> String {
    format!("<!-- end of study {name} -->")
}

impl Section {
    /// Checks that the section can be written.
    pub(crate) fn check(file: &Path, name: &str) -> Result<()> {
        Self::read(file, name)?;
        Ok(check_writable(file)?)
    }

    /// Writes the content of a section, which `command` made.
    pub(crate) fn write(file: &Path, name: &str, command: &str, content: &str) -> Result<()> {
        let Self { text, section } = Self::read(file, name)?;
        let (before, after) = (&text[..section.start], &text[section.end..]);
        let (begin, end) = (begin(name), end(name));
        let own = format!("{begin} `{command}` writes this section -->\n\n{content}{end}\n");
        write_text(file, &format!("{before}{own}{after}"))
    }

    /// Reads a file. Without a section, its place is at the end.
    fn read(file: &Path, name: &str) -> Result<Self> {
        let mut text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| file.display().to_string()),
        };
        let (begin, end) = (begin(name), end(name));
        let section = match (text.find(&begin), text.find(&end)) {
            (None, None) => {
                if !text.is_empty() {
                    text.truncate(text.trim_end().len());
                    text.push_str("\n\n");
                }
                text.len()..text.len()
            }
            (Some(first), Some(last)) if first < last => {
                let after = last + end.len();
                // The end of its line belongs to it.
                let newline = usize::from(text[after..].starts_with('\n'));
                first..after + newline
            }
            _ => bail!(
                "{}: its section of {name} must begin with `{begin} ... -->` and end with \
                 `{end}`; put right the one that is there, or remove it",
                file.display()
            ),
        };
        Ok(Self { text, section })
    }
}

/// Returns a text as it may be in a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
