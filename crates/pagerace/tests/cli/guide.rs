//! Outputs and figures in documents are those of today's build.
//!
//! A block of output after a command on a page of the repository shows paragraphs of what the command
//! prints. A figure stands between `<!-- figure NAME -->` and `<!-- /figure -->`, and the headlines
//! of all studies between `<!-- claims -->` and `<!-- /claims -->`, and published experiments with
//! ours between `<!-- cases -->` and `<!-- /cases -->`. The test fails
//! where a document says something else; with `PAGERACE_DOCS=write` it writes the documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pagerace_lab::MetricId;
use pagerace_lab::model_error::{DifferenceKind, ModelErrors, Question};
use pagerace_page::{Changes, PaintEvidence};

use crate::cases::{Case, Published, cases};
use crate::support::Sandbox;

/// The documents, with the least number of commands and figures in each.
const DOCUMENTS: [(&str, usize, usize); 5] = [
    ("README.md", 1, 2),
    ("docs/user-guide.md", 5, 0),
    ("docs/limitations.md", 0, 10),
    ("docs/reproductions.md", 0, 0),
    ("docs/published-cases.md", 0, 0),
];
/// The folders with pages whose commands are run.
const FOLDERS: [&str; 2] = ["examples/pages/", "tests/corpus/"];
/// The header of the table of a study's claims.
const CLAIMS: &str = "| claim | published | here | verdict |\n|---|---|---|---|\n";
/// The metrics of figures, with their titles in docs/accuracy.md.
const METRICS: [(&str, &str); 4] = [
    ("fcp", "First Contentful Paint"),
    ("lcp", "Largest Contentful Paint"),
    ("si", "Speed Index"),
    ("plt", "Page Load Time"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("the file is there")
}

/// Returns the paragraphs of a text.
fn paragraphs(text: &str) -> Vec<&str> {
    let all = text.trim_matches('\n').split("\n\n");
    all.map(|one| one.trim_matches('\n')).collect()
}

/// Returns the words of a text that are no numbers.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split_whitespace();
    words
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

/// Returns the paragraph of the output that has most words in common with the one shown.
fn alike<'a>(shown: &str, output: &'a str) -> &'a str {
    let wanted = names(shown);
    let likeness = |one: &&str| {
        let found = names(one);
        let common = wanted.intersection(&found).count();
        // Of equals, the shorter one.
        (common, usize::MAX - found.len())
    };
    let all = paragraphs(output).into_iter();
    all.max_by_key(likeness).unwrap_or_default()
}

/// Returns what a command on pages of the repository prints.
fn output(sandbox: &Sandbox, command: &str) -> String {
    let mut command = command.replace("\\\n", " ");
    for folder in FOLDERS {
        let pages = root().join(folder);
        command = command.replace(folder, pages.to_str().expect("a path in UTF-8"));
    }
    // Words in quotes are whole.
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    let words: Vec<&str> = words.skip(1).collect();
    let run = sandbox.run(&words);
    assert_eq!(run.code, 0, "{command}: {}", run.err);
    run.out
}

/// Returns the document with today's outputs, and the number of its commands on example pages.
fn with_outputs(document: &str, sandbox: &Sandbox) -> (String, usize) {
    let mut printed: Option<String> = None;
    let mut count = 0;
    let parts = document.split("```").enumerate().map(|(k, part)| {
        if k % 2 == 0 {
            return part.to_owned();
        }
        if part.trim_start().starts_with("pagerace ") {
            let command =
                Some(part).filter(|part| FOLDERS.iter().any(|folder| part.contains(folder)));
            count += usize::from(command.is_some());
            printed = command.map(|command| output(sandbox, command.trim()));
            return part.to_owned();
        }
        let Some(printed) = &printed else {
            return part.to_owned();
        };
        let shown = paragraphs(part).into_iter();
        let shown: Vec<&str> = shown.map(|one| alike(one, printed)).collect();
        format!("\n{}\n", shown.join("\n\n"))
    });
    let parts: Vec<String> = parts.collect();
    (parts.join("```"), count)
}

/// Returns the document with today's figures, and their number.
fn with_figures(document: &str) -> (String, usize) {
    let mut parts = document.split("<!-- figure ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        let (name, rest) = part.split_once(" -->").expect("a figure has a name");
        let (_, rest) = rest.split_once("<!-- /figure -->").expect("a figure ends");
        let value = figure(name);
        text.extend(["<!-- figure ", name, " -->", &value]);
        text.extend(["<!-- /figure -->", rest]);
        count += 1;
    }
    (text, count)
}

fn figure(name: &str) -> String {
    let accuracy = read("docs/accuracy.md");
    match name {
        "record-recorded" => record(PaintEvidence::Recorded),
        "record-guessed" => record(PaintEvidence::Guessed),
        "record-changes" => record_of_changes(),
        "pages-tuned" => number_after(&accuracy, "tuned on "),
        "pages-held-out" => number_after(&accuracy, "the other "),
        name => error_of(name, &accuracy),
    }
}

/// Returns how often winners by the default metric won live.
fn record(evidence: PaintEvidence) -> String {
    let question = Question {
        kinds: vec![DifferenceKind::Protocol],
        unmeasured: Vec::new(),
        metric: MetricId::default(),
        lossy: false,
        evidence,
        inferred: None,
    };
    ModelErrors::embedded().of(&question).in_words()
}

/// Returns what became of claims about changes and the default metric.
fn record_of_changes() -> String {
    let (_, record) = pagerace_lab::advice::record(MetricId::default(), &Changes::default());
    format!(
        "of {} claimed effects on Largest Contentful Paint, {} were measured as claimed, {} were too small for \
         the measurement, and {} had the wrong sign",
        record.claims, record.came_true, record.undecided, record.wrong
    )
}

fn number_after(text: &str, before: &str) -> String {
    let (_, rest) = text.split_once(before).expect("the text has it");
    rest.chars().take_while(char::is_ascii_digit).collect()
}

/// Returns the errors on held-out pages without random loss: `fcp-h2-h3` or `fcp-h1`.
fn error_of(name: &str, accuracy: &str) -> String {
    let (metric, protocols) = name.split_once('-').expect("a metric and protocols");
    let (_, title) = METRICS
        .iter()
        .find(|(key, _)| *key == metric)
        .expect("a metric");
    let row = format!("| {title} | {} | lossless |", protocols.replace('-', ", "));
    let row = accuracy.lines().find(|line| line.starts_with(&row));
    let cells: Vec<&str> = row
        .expect("there is a row")
        .split('|')
        .map(str::trim)
        .collect();
    format!("{} / {}", cells[9].trim_end_matches(" %"), cells[10])
}

/// Returns the document with today's headlines of the studies, if it has any.
fn with_claims(document: &str) -> String {
    let (begin, end) = ("<!-- claims -->", "<!-- /claims -->");
    let Some((before, rest)) = document.split_once(begin) else {
        return document.to_owned();
    };
    let (_, after) = rest.split_once(end).expect("the claims end");
    let rows: String = pages_of_results()
        .iter()
        .map(|name| rows_of(name))
        .collect();
    let header = "| study | claim | published | here | verdict |\n|---|---|---|---|---|\n";
    format!("{before}{begin}\n\n{header}{rows}\n{end}{after}")
}

/// Returns the document with today's results of published experiments, if it has any.
fn with_cases(document: &str) -> String {
    let (begin, end) = ("<!-- cases -->", "<!-- /cases -->");
    let Some((before, rest)) = document.split_once(begin) else {
        return document.to_owned();
    };
    let (_, after) = rest.split_once(end).expect("the cases end");
    let all = cases();
    assert!(all.len() >= 14, "{} cases", all.len());
    let rows: String = all.iter().map(row_of).collect();
    let header = "| what changes | network | metric | published | difference | here | difference | ratio |\n\
                  |---|---|---|---:|---:|---:|---:|---:|\n";
    format!("{before}{begin}\n\n{header}{rows}\n{end}{after}")
}

/// Returns the row of a published experiment.
fn row_of(case: &Case) -> String {
    let both = |(before, after): (f64, f64)| format!("{before:.0} → {after:.0} ms");
    let published = match case.published {
        Published::Times(before, after) => both((before, after)),
        Published::Difference(_) => "–".to_owned(),
    };
    let (theirs, measured) = (case.published.difference(), case.measure());
    let ours = measured.1 - measured.0;
    // The sizes of others are none of a known setting.
    let ratio = case.factor.map_or_else(
        || "sign only".to_owned(),
        |_| format!("{:.2}", ours / theirs),
    );
    format!(
        "| [{}]({}) | {} | {} | {published} | {theirs:+.0} ms | {} | {ours:+.0} ms | {ratio} |\n",
        case.name,
        case.source,
        case.network,
        case.metric.name(),
        both(measured)
    )
}

/// The names of the pages in docs/reproductions.
fn pages_of_results() -> Vec<String> {
    let folder = fs::read_dir(root().join("docs/reproductions")).expect("the studies");
    let paths = folder.map(|entry| entry.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut names: Vec<String> = texts
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// Returns the rows of a study: a sum of its claims, and those in bold. A file without claims has
/// none.
fn rows_of(name: &str) -> String {
    let text = read(&format!("docs/reproductions/{name}"));
    let Some((before, table)) = text.split_once(CLAIMS) else {
        return String::new();
    };
    let title = before.lines().find_map(|line| line.strip_prefix("# "));
    let title = title.expect("a study has a title");
    let claims = table.lines().take_while(|line| line.starts_with('|'));
    let claims: Vec<&str> = claims.collect();
    let count = |verdict: &str| {
        let last = |line: &str| {
            line.rsplit(" | ")
                .next()
                .map(|last| last.starts_with(verdict))
        };
        let of = |line: &&&str| last(line) == Some(true);
        claims.iter().filter(of).count()
    };
    let (hold, differ) = (count("holds"), count("holds, differs in size"));
    let unsure = count("cannot be told");
    let mut rows = format!(
        "| [{title}](reproductions/{name}) | {} claims | | | holds: {}; differs in size: \
         {differ}; cannot be told: {unsure}; does not hold: {} |\n",
        claims.len(),
        hold - differ,
        claims.len() - hold - unsure,
    );
    let mut headlines = 0;
    for line in claims.iter().filter(|line| line.starts_with("| **")) {
        rows.extend(["| ", &line.replacen("**", "", 2), "\n"]);
        headlines += 1;
    }
    assert!(0 < headlines && headlines <= 8, "{name}: {headlines}");
    rows
}

/// Every page of results names the engine that it was made with. If this fails, the model has
/// changed, and `studies/report.sh` makes the pages anew.
#[test]
fn results_are_those_of_todays_engine() {
    let sandbox = Sandbox::new("engine");
    let plan = root().join("studies/liu-2024");
    let checked = sandbox.run(&["study", "check", plan.to_str().expect("a path in UTF-8")]);
    let engine = checked
        .out
        .lines()
        .find_map(|line| line.strip_prefix("engine "));
    let engine = engine.expect("a plan is checked for an engine");
    let names = pages_of_results();
    assert!(names.len() > 12, "{names:?}");
    let stale = |name: &&String| {
        let text = read(&format!("docs/reproductions/{name}"));
        !text.contains(&format!("ngine {engine}"))
    };
    let stale: Vec<&String> = names.iter().filter(stale).collect();
    assert!(
        stale.is_empty(),
        "these pages in docs/reproductions are not of engine {engine}; studies/report.sh makes \
         them anew: {stale:?}"
    );
}

#[test]
fn documents_say_what_is() {
    let sandbox = Sandbox::new("guide");
    let writes = std::env::var("PAGERACE_DOCS").is_ok_and(|what| what == "write");
    let mut stale = Vec::new();
    for (name, commands, figures) in DOCUMENTS {
        let document = read(name);
        let (now, found) = with_outputs(&document, &sandbox);
        assert!(found >= commands, "{name} has {found} commands");
        let (now, found) = with_figures(&now);
        assert!(found >= figures, "{name} has {found} figures");
        let now = with_cases(&with_claims(&now));
        if now == document {
            continue;
        }
        if writes {
            fs::write(root().join(name), &now).unwrap();
        }
        let old: BTreeSet<&str> = document.lines().collect();
        let new = now.lines().filter(|line| !old.contains(line));
        stale.extend(new.map(|line| format!("{name}: {line}")));
    }
    assert!(
        writes || stale.is_empty(),
        "these lines are stale; PAGERACE_DOCS=write cargo test -p pagerace --test cli documents \
         writes them:\n{}",
        stale.join("\n")
    );
}
