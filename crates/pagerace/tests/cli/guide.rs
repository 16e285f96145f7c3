//! The outputs in the README and the user guide are what their commands print.

use std::fs;
use std::path::{Path, PathBuf};

use pagerace_lab::MetricId;
use pagerace_lab::model_error::{DifferenceKind, ModelErrors, Question};
use pagerace_page::PaintEvidence;

use crate::support::Sandbox;

/// A command of a document on example pages, and the lines that the document shows of its output.
struct Shown {
    command: String,
    lines: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the text with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the commands on example pages with the blocks and tables that follow them, up to the
/// next heading or command.
fn commands(document: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut open = false;
    for (k, part) in document.split("```").enumerate() {
        let is_code = k % 2 == 1;
        if is_code && part.trim_start().starts_with("pagerace ") {
            open = part.contains("examples/pages/");
            if open {
                all.push(Shown {
                    command: part.replace("\\\n", " "),
                    lines: Vec::new(),
                });
            }
        } else if is_code && open {
            let lines = part.lines().filter(|line| !line.trim().is_empty());
            all.last_mut()
                .expect("it is open")
                .lines
                .extend(lines.map(plain));
        } else if open {
            let until = part.find("\n## ").unwrap_or(part.len());
            let rows = part[..until].lines().filter(|line| line.starts_with("| "));
            // Headings of tables are words of the document.
            let rows = rows.filter(|row| row.contains(" ms"));
            all.last_mut()
                .expect("it is open")
                .lines
                .extend(rows.map(plain));
            open = until == part.len();
        }
    }
    all
}

/// Returns true if a line of the output begins with the name in a table's first cell, and has the
/// text of its other cells.
fn has_row(output: &[String], row: &str) -> bool {
    let mut cells = row.trim_matches('|').split('|').map(str::trim);
    let name = cells.next().and_then(|cell| cell.split(' ').next());
    let parts: Vec<&str> = cells.flat_map(|cell| cell.split(", ")).collect();
    output
        .iter()
        .any(|line| line.split(' ').next() == name && parts.iter().all(|part| line.contains(part)))
}

#[test]
fn documents_show_what_commands_print() {
    let sandbox = Sandbox::new("guide");
    let mut wrong = Vec::new();
    for (name, least) in [("README.md", 1), ("docs/user-guide.md", 5)] {
        let document = fs::read_to_string(root().join(name)).unwrap();
        let commands = commands(&document);
        assert!(
            commands.len() >= least,
            "{name} has commands on example pages"
        );
        for shown in commands {
            assert!(!shown.lines.is_empty(), "{name}: {}", shown.command);
            let pages = root().join("examples/pages");
            let command = shown
                .command
                .replace("examples/pages", pages.to_str().unwrap());
            let words: Vec<&str> = command.split_whitespace().skip(1).collect();
            let output = sandbox.run(&words).out;
            let output: Vec<String> = output.lines().map(plain).collect();
            for line in shown.lines {
                let is_there = if line.starts_with('|') {
                    has_row(&output, &line)
                } else {
                    output.contains(&line)
                };
                if !is_there {
                    wrong.push(format!("{name}: {}: {line}", plain(&shown.command)));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "the commands print something else now:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_readme_has_the_records_of_answers() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for evidence in [PaintEvidence::Recorded, PaintEvidence::Guessed] {
        let question = Question {
            kinds: vec![DifferenceKind::Protocol],
            unmeasured: Vec::new(),
            metric: MetricId::default(),
            lossy: false,
            evidence,
        };
        let record = ModelErrors::embedded().of(&question).in_words();
        assert!(readme.contains(&record), "README.md lacks: {record}");
    }
}
