//! Output files of commands, checked before long work and announced afterwards.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pagerace_lab::Results;
use pagerace_lab::export::csv::{write_comparisons, write_runs};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::export::json::write_json;

use super::groups::OutputArgs;

/// Rejects outputs that cannot be written, that share a file, or that would overwrite one
/// of the inputs.
pub(crate) fn check_files(files: &[impl AsRef<Path>], inputs: &[PathBuf]) -> Result<()> {
    for (i, file) in files.iter().enumerate() {
        let file = file.as_ref();
        check_writable(file)?;
        if files[..i].iter().any(|other| other.as_ref() == file) {
            bail!("{}: two outputs cannot go to one file", file.display());
        }
        if let Some(input) = inputs.iter().find(|input| same_file(input, file)) {
            bail!(
                "{}: would overwrite the input {}",
                file.display(),
                input.display()
            );
        }
    }
    Ok(())
}

impl OutputArgs {
    /// Returns all files that the options name.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let comparisons = self.csv.as_deref().map(comparisons_path);
        let files = self.findings.files().chain(&self.csv).chain(&comparisons);
        files.cloned().collect()
    }

    /// Writes the values as JSON and as CSV, with the comparisons in another file beside it.
    pub(crate) fn write_values(&self, results: &Results) -> Result<()> {
        if let Some(path) = &self.findings.json {
            write(path, |out| write_json(results, out))?;
        }
        if let Some(path) = &self.csv {
            write(path, |out| write_runs(results, out))?;
            let comparisons = comparisons_path(path);
            write(&comparisons, |out| write_comparisons(results, out))?;
        }
        Ok(())
    }
}

/// Returns the file of the comparisons: `out-comparisons.csv` for `out.csv`.
fn comparisons_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .map_or("csv".into(), |e| e.to_string_lossy());
    path.with_file_name(format!("{stem}-comparisons.{extension}"))
}

/// Writes a file, and says so.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    write_atomically(path, |out| content(out))?;
    Ok(say(path)?)
}

/// Writes a file with this text, and says so.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    write(path, |out| out.write_all(text.as_bytes()))
}

/// Prints that a file was written.
pub(crate) fn say(path: &Path) -> io::Result<()> {
    writeln!(anstream::stdout(), "Wrote {}", path.display())
}

/// Opens a file in the system's viewer, or prints its location.
pub(crate) fn open(path: &Path) -> io::Result<()> {
    use std::process::{Command, Stdio};

    let viewer = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(viewer);
    command
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let shown = command.status().is_ok_and(|status| status.success());
    if !shown {
        let place = std::path::absolute(path)?;
        let place = place.display();
        writeln!(
            anstream::stdout(),
            "{viewer} cannot open the report; open file://{place} in a browser."
        )?;
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        // A file that does not exist cannot be an input.
        _ => false,
    }
}

/// Returns the command line, quoted for a shell. Files that are all those of a folder with their
/// ending become a pattern again, as the shell has expanded it.
pub(crate) fn rerun() -> String {
    let words = std::env::args_os().skip(1);
    let words: Vec<String> = words.map(|w| w.to_string_lossy().into_owned()).collect();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect::<Vec<_>>()
    };
    command_line(&words, names)
}

/// Returns the command line of these arguments. `names` lists a folder's files.
fn command_line(mut words: &[String], names: impl Fn(&Path) -> Vec<String>) -> String {
    let mut line = "pagerace".to_owned();
    while let Some(word) = words.first() {
        line.push(' ');
        let pattern = expanded(words, &names);
        let (text, length) = pattern.unwrap_or_else(|| (quoted(word), 1));
        line.push_str(&text);
        words = &words[length..];
    }
    line
}

/// Returns the pattern that the shell expanded into the first of `words`, and their number.
fn expanded(words: &[String], names: impl Fn(&Path) -> Vec<String>) -> Option<(String, usize)> {
    let (folder, first) = words[0].rsplit_once('/')?;
    let ending = &first[first.find('.').filter(|at| *at > 0)?..];
    let is_alike = |word: &&String| {
        let file = word.rsplit_once('/').filter(|(of, _)| *of == folder);
        file.is_some_and(|(_, name)| name.ends_with(ending))
    };
    let alike: Vec<&String> = words.iter().take_while(is_alike).collect();
    let mut there = names(Path::new(folder));
    // A pattern does not match hidden files.
    there.retain(|name| name.ends_with(ending) && !name.starts_with('.'));
    there.sort_unstable();
    let given = alike.iter().filter_map(|word| word.rsplit_once('/'));
    let is_whole = alike.len() > 2 && given.map(|(_, name)| name).eq(&there);
    is_whole.then(|| {
        (
            format!("{}/*{}", quoted(folder), quoted(ending)),
            alike.len(),
        )
    })
}

/// Returns a word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_has_the_pattern_that_the_shell_expanded() {
        let of = |words: &str, names: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
            command_line(&words, |_| names.clone())
        };
        let words = "race p/a.har.gz p/b.har.gz p/c.har.gz -n cable";
        let all = "c.har.gz b.har.gz a.har.gz notes.txt";
        assert_eq!(of(words, all), "pagerace race p/*.har.gz -n cable");
        let twice = "race p/a.har.gz p/a.har.gz p/c.har.gz";
        assert_eq!(of(twice, all), format!("pagerace {twice}"));
        let more = format!("{all} d.har.gz");
        assert_eq!(of(words, &more), format!("pagerace {words}"));
        assert_eq!(
            of("race p/a.har it's", "a.har"),
            r"pagerace race p/a.har 'it'\''s'"
        );
    }
}
