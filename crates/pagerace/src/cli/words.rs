//! Arguments that do not come from the command line of this process.

use anyhow::{Result, anyhow};
use clap::Parser;

/// Reads the words of a command as on the command line.
///
/// # Errors
/// The first line that the command line prints, with the possible values.
pub(crate) fn read<A: Parser>(words: impl IntoIterator<Item = String>) -> Result<A> {
    // The first word names the program.
    let words = std::iter::once(String::new()).chain(words);
    A::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        if first.ends_with(':') {
            // The names of the arguments follow.
            let names = lines.map(str::trim).take_while(|line| !line.is_empty());
            let names: Vec<&str> = names.collect();
            return anyhow!("{first} {}", names.join(", "));
        }
        match lines.map(str::trim).find(|line| line.starts_with('[')) {
            Some(values) => anyhow!("{first} {values}"),
            None => anyhow!("{first}"),
        }
    })
}
