//! The plan of a study.
//!
//! ```toml
//! title = "Priorities on slow networks"
//! pages = ["pages/*.har"]          # or a table: one list of files for each group
//! runs = 30                        # options of all races
//!
//! [[race]]
//! name = "loss"
//! network = ["rate 2mbit rtt 100ms loss 1%", "rate 2mbit rtt 100ms loss 5%"]
//! strategy = ["sequential", "round-robin"]
//! ```
//!
//! The keys of a race are the long options of `pagerace race` without their dashes, or their
//! [`OTHER_NAMES`]. A list
//! gives the option once for each item. The key `contender` lists contenders that are no
//! product. A race with the key `scenario` is that of a results file, which
//! `pagerace race --json` writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pagerace_core::suggest::did_you_mean;
use pagerace_papers::synthetic_page;
use pagerace_sim::Explainable;
use serde::Deserialize;
use toml::{Table, Value};

use crate::StudyError;
use crate::claim::{self, Claim};
use crate::frame::Filter;
use crate::losses::LossSpec;
use crate::matrix::Matrix;
use crate::store::Details;
use crate::table::{TableKind, TableSpec};

pub(crate) mod fields;
mod typed;

/// Keys of a plan that are no options of a race.
pub const KEYS: [&str; 16] = [
    "title",
    "about",
    "text",
    "pages",
    "requests",
    "parts",
    "matrix",
    "plot",
    "table",
    "losses",
    "claim",
    "mix",
    "race",
    "name",
    "scenario",
    "contender",
];

/// Other names of keys of a race. The command line takes those of options, too.
pub const OTHER_NAMES: [(&str, &str); 7] = [
    ("networks", "network"),
    ("protocols", "protocol"),
    ("strategies", "strategy"),
    ("controller", "cc"),
    ("controllers", "cc"),
    ("visits", "visit"),
    ("contenders", "contender"),
];

/// The largest plan that is read, in bytes.
const PLAN_MAX: u64 = 4 << 20;

/// A page of a study.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageFile {
    /// The group of the page; empty if the plan has none.
    pub group: String,
    /// The recording, or the name of a synthetic page.
    pub path: PathBuf,
}

/// A race of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The name, which results carry.
    pub name: String,
    /// The folder of the plan, to which the paths of traces are relative.
    pub folder: PathBuf,
    /// The results file whose race this is, if it is not described by options.
    pub scenario: Option<PathBuf>,
    /// The contenders in words, such as `h2 bbr`, if they are no product of lists.
    pub contenders: Vec<String>,
    /// Arguments of `pagerace race`, pages excepted.
    pub arguments: Vec<String>,
}

/// The plan of a study, with all its files found.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The title.
    pub title: String,
    /// The pages by group and path, without duplicates.
    pub pages: Vec<PageFile>,
    /// The races, in the order of the plan.
    pub races: Vec<Race>,
    /// The rows that are kept besides those of loads.
    pub details: Details,
    /// A description of the study in Markdown; empty if it has none.
    pub about: String,
    /// The text on the results, in Markdown with references to claims and matrices; empty if it is
    /// not said.
    pub text: String,
    /// The matrices to make of the results.
    pub matrices: Vec<Matrix>,
    /// The plots to draw of them.
    pub plots: Vec<TableSpec>,
    /// The tables to make of the results.
    pub tables: Vec<TableSpec>,
    /// The tables of lost packets.
    pub losses: Vec<LossSpec>,
    /// The claims about the results.
    pub claims: Vec<Claim>,
}

/// The weights of networks by the name of a mix.
pub type Mixes = BTreeMap<String, BTreeMap<String, f64>>;

/// A plan as it is written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Plan {
    title: String,
    about: String,
    text: String,
    requests: bool,
    parts: Option<String>,
    matrix: Vec<MatrixSpec>,
    plot: Vec<TableSpec>,
    table: Vec<TableSpec>,
    losses: Vec<LossSpec>,
    claim: Vec<Claim>,
    mix: Mixes,
    #[serde(deserialize_with = "fields::pages")]
    pages: Filter,
    race: Option<Vec<RaceSpec>>,
    /// The options of all races.
    #[serde(flatten)]
    options: Table,
}

/// A race as it is written.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a table of options")]
struct RaceSpec {
    name: Option<String>,
    #[serde(flatten)]
    options: Table,
}

/// A matrix as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of keys")]
struct MatrixSpec {
    #[serde(default)]
    name: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    pooled: bool,
    value: String,
    #[serde(deserialize_with = "fields::texts")]
    rows: Vec<String>,
    #[serde(deserialize_with = "fields::texts")]
    columns: Vec<String>,
    published: Option<Vec<Vec<f64>>>,
    #[serde(default, rename = "where", deserialize_with = "fields::named")]
    filter: Filter,
}

impl Study {
    /// Reads a plan. Paths in it are relative to its folder. The pages are those of `given`,
    /// if there are any: patterns of files, or `GROUP=PATTERN`.
    ///
    /// # Errors
    /// The plan cannot be read, is not TOML, has an invalid or missing value, or names pages that
    /// do not exist.
    pub fn read(path: &Path, given: &[String]) -> Result<Self, StudyError> {
        let unreadable = |error| StudyError::unreadable(path, error);
        let refuse = |reason: String| StudyError::at(path, reason);
        let length = fs::metadata(path).map_err(unreadable)?.len();
        if length > PLAN_MAX {
            return Err(refuse(format!(
                "has {length} bytes, and a plan at most {PLAN_MAX}; it is a TOML file"
            )));
        }
        let text = fs::read_to_string(path).map_err(unreadable)?;
        if text.trim_start().starts_with('{') {
            let reason = "is JSON, and a plan is TOML; `pagerace study plan` makes a plan of the \
                          results file of a race";
            return Err(refuse(reason.to_owned()));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder, given).map_err(refuse)
    }

    /// Returns true if the plan asks for no table, matrix, plot or claim.
    pub fn asks_nothing(&self) -> bool {
        let tables = self.tables.is_empty() && self.losses.is_empty();
        tables && self.matrices.is_empty() && self.plots.is_empty() && self.claims.is_empty()
    }

    /// Returns true if a table, matrix, plot or claim is about some of the pages by name.
    pub fn names_pages(&self) -> bool {
        let tables = self.tables.iter().chain(&self.plots).map(|one| &one.filter);
        let filters = tables.chain(self.losses.iter().map(|one| &one.filter));
        let filters = filters.chain(self.matrices.iter().map(|one| &one.filter));
        let mut filters = filters.chain(self.claims.iter().map(|one| &one.filter));
        filters.any(|filter| filter.contains_key("page"))
    }

    fn parse(text: &str, folder: &Path, given: &[String]) -> Result<Self, String> {
        let plan = Plan::parse(text)?;
        let details = Details {
            requests: plan.requests,
            parts: plan.parts.as_deref().map(explainable).transpose()?,
        };
        if !plan.requests && !plan.losses.is_empty() {
            let reason = "losses: are those of requests; add `requests = true`";
            return Err(reason.to_owned());
        }
        let matrix = |(i, spec): (usize, MatrixSpec)| {
            let sides = (spec.rows, spec.columns);
            let matrix = Matrix::new(spec.name, &spec.value, sides, spec.published, spec.filter)
                .map_err(|error| format!("matrix {}: {error}", i + 1))?;
            let (id, pooled) = (spec.id, spec.pooled);
            Ok::<_, String>(Matrix {
                id,
                pooled,
                ..matrix
            })
        };
        let matrices = plan
            .matrix
            .into_iter()
            .enumerate()
            .map(matrix)
            .collect::<Result<_, _>>()?;
        let mut plots = plan.plot;
        for (i, plot) in plots.iter_mut().enumerate() {
            if plot.name.is_empty() {
                let place = format!("plot {}: name", i + 1);
                return Err(format!("{place}: is missing; its file is called so"));
            }
            if plot.kind != TableKind::default() || plot.with.is_some() {
                let place = format!("plot {}: `kind` and `with` are no keys", i + 1);
                return Err(format!(
                    "{place}; use name, metric, compare, baseline, where"
                ));
            }
            plot.kind = TableKind::Cdf;
        }
        let pages = if given.is_empty() {
            pages(&plan.pages, folder)?
        } else {
            given_pages(given)?
        };
        let races = match plan.race {
            None => vec![RaceSpec::default()],
            Some(races) if races.is_empty() => {
                return Err("race: is empty; add a [[race]], or leave the key out".to_owned());
            }
            Some(races) => races,
        };
        let races: Vec<Race> = races
            .into_iter()
            .enumerate()
            .map(|(i, race)| Race::of(i + 1, race, &plan.options, folder))
            .collect::<Result<_, _>>()?;
        for (i, race) in races.iter().enumerate() {
            if races[..i].iter().any(|other| other.name == race.name) {
                return Err(format!(
                    "race {}: the name \"{}\" is given twice; results need distinct names",
                    i + 1,
                    race.name
                ));
            }
        }
        if pages.is_empty() && races.iter().any(|race| race.scenario.is_none()) {
            return Err("pages: is missing; name recordings, as in [\"*.har\"]".to_owned());
        }
        Ok(Self {
            title: plan.title,
            pages,
            races,
            details,
            about: plan.about,
            text: plan.text,
            matrices,
            plots,
            tables: plan.table,
            losses: plan.losses,
            claims: plan.claim,
        })
    }
}

/// Keys whose values are sentences, with an example for an error.
const EXAMPLES: [(&str, &str); 2] = [
    (
        "holds",
        "a claim, such as \"median over pages of (h2 - h3)/h2 of speed_index_ms > 0\"",
    ),
    (
        "value",
        "a measure, such as \"median over pages of ({column} - h2)/h2 of {row}\"",
    ),
];

impl Plan {
    /// Reads a text. Errors tell a wrong type with its line, and a wrong value with its key.
    fn parse(text: &str) -> Result<Self, String> {
        let told = |error: toml::de::Error| {
            let mut text = error.to_string().trim().to_owned();
            // The unknown key and the known ones are in backquotes.
            let mut keys = error.message().split('`').skip(1).step_by(2);
            if error.message().starts_with("unknown field")
                && let Some(found) = keys.next()
            {
                text += &did_you_mean(found, keys);
            }
            let missing =
                |(key, _): &&(&str, &str)| error.message() == format!("missing field `{key}`");
            match EXAMPLES.iter().find(missing) {
                Some((_, example)) => format!("{text}; write {example}"),
                None => text,
            }
        };
        let table: Table = text.parse().map_err(told)?;
        for name in ["claim", "losses", "matrix", "plot", "race", "table"] {
            if let Some(other) = table.get(name).filter(|value| !value.is_array()) {
                return Err(expected(name, &format!("[[{name}]]"), other));
            }
        }
        let plan: Self = toml::from_str(text).map_err(told)?;
        typed::check(&table)?;
        for (name, weights) in &plan.mix {
            let wrong = |weight: f64| !(weight.is_finite() && weight >= 0.0);
            if let Some((network, weight)) = weights.iter().find(|(_, weight)| wrong(**weight)) {
                let place = format!("mix.{name}.{network}");
                return Err(format!("{place}: found {weight}, expected a number from 0"));
            }
            if weights.values().all(|weight| *weight <= 0.0) {
                return Err(format!("mix.{name}: has no network with a weight above 0"));
            }
        }
        Ok(plan)
    }
}

/// Returns the mixes of networks of a plan's text.
///
/// # Errors
/// A message with the place if the text is not a plan, or if a mix is invalid.
pub fn mixes_of(text: &str) -> Result<Mixes, String> {
    Plan::parse(text).map(|plan| plan.mix)
}

impl Race {
    /// Builds the race at `number`, from 1. Its own options take precedence over `shared`.
    fn of(number: usize, race: RaceSpec, shared: &Table, folder: &Path) -> Result<Self, String> {
        let name = race.name.unwrap_or_else(|| format!("race {number}"));
        if name.trim().is_empty() {
            return Err(format!(
                "race {number}: name: is empty; write one, or leave the key out"
            ));
        }
        let place = format!("race {number}");
        let mut options = named(shared, "options of all races")?;
        options.extend(named(&race.options, &place)?);
        let scenario = match options.remove("scenario") {
            None => None,
            Some(Value::String(file)) => Some(folder.join(file)),
            Some(other) => {
                let place = format!("race {number}: scenario");
                return Err(expected(&place, "a file", &other));
            }
        };
        let contenders = match options.remove("contender") {
            None => Vec::new(),
            Some(Value::Array(items)) if items.is_empty() => {
                return Err(empty(&format!("race {number}: contender")));
            }
            Some(value) => {
                let place = format!("race {number}: contender");
                let texts = items(&value).iter().map(|item| match item {
                    Value::String(text) => Ok(text.clone()),
                    other => Err(expected(
                        &place,
                        "texts, as in [\"h2 cubic\", \"h3 bbr\"]",
                        other,
                    )),
                });
                texts.collect::<Result<_, _>>()?
            }
        };
        let mut arguments = Vec::new();
        for (option, value) in &options {
            let place = format!("race {number}: {option}");
            if matches!(value, Value::Array(items) if items.is_empty()) {
                return Err(empty(&place));
            }
            for item in items(value) {
                match item {
                    Value::Boolean(true) => arguments.push(format!("--{option}")),
                    Value::Boolean(false) => {}
                    item => {
                        let text = word(item).ok_or_else(|| {
                            let wanted = "a text, a number, or a list of them";
                            let near = did_you_mean(option, KEYS.into_iter());
                            format!("{}{near}", expected(&place, wanted, item))
                        })?;
                        // The command line splits lists at commas, a plan does not.
                        let quoted = matches!(value, Value::Array(_)) && text.contains(',');
                        arguments.push(format!("--{option}"));
                        arguments.push(if quoted { format!("\"{text}\"") } else { text });
                    }
                }
            }
        }
        Ok(Self {
            name,
            folder: folder.to_owned(),
            scenario,
            contenders,
            arguments,
        })
    }
}

/// Returns the options by their first names.
fn named(options: &Table, place: &str) -> Result<Table, String> {
    let mut named = Table::new();
    for (key, value) in options {
        let first = OTHER_NAMES.iter().find(|(other, _)| other == key);
        let name = first.map_or(key.as_str(), |(_, name)| name);
        if named.insert(name.to_owned(), value.clone()).is_some() {
            return Err(format!(
                "{place}: `{key}` is another name of `{name}`, which is there, too; use one of them"
            ));
        }
    }
    Ok(named)
}

/// Returns the metric whose parts are kept.
fn explainable(name: &str) -> Result<Explainable, String> {
    let metric = claim::metric(name).map_or("", |one| one.metric().name);
    let found = Explainable::ALL
        .into_iter()
        .find(|one| one.name() == metric);
    found.ok_or_else(|| {
        let known = Explainable::ALL.map(Explainable::name).join(", ");
        format!("parts: `{name}` cannot be explained; use {known}")
    })
}

/// Returns the pages of patterns by group; none if there are none.
fn pages(groups: &Filter, folder: &Path) -> Result<Vec<PageFile>, String> {
    let mut pages: Vec<PageFile> = Vec::new();
    for (group, patterns) in groups {
        let place = match group.as_str() {
            "" => "pages".to_owned(),
            group => format!("pages.{group}"),
        };
        for page in find(&place, group, patterns, folder)? {
            if let Some(twin) = pages.iter().find(|other| other.path == page.path) {
                return Err(format!(
                    "pages: {} is in two groups, {} and {}",
                    page.path.display(),
                    twin.group,
                    page.group
                ));
            }
            pages.push(page);
        }
    }
    Ok(pages)
}

/// Returns the pages of patterns such as `small=pages/*.har`, whose group may be left out.
fn given_pages(patterns: &[String]) -> Result<Vec<PageFile>, String> {
    let mut groups = Filter::new();
    for pattern in patterns {
        let (group, pattern) = match pattern.split_once('=') {
            Some((group, pattern)) if !group.contains(['/', '*', '?']) => (group, pattern),
            _ => ("", pattern.as_str()),
        };
        groups
            .entry(group.to_owned())
            .or_default()
            .push(pattern.to_owned());
    }
    pages(&groups, Path::new("")).map_err(|error| format!("--{error}"))
}

/// Returns the items of a list, or the value itself.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        single => std::slice::from_ref(single),
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the files that the patterns at `place` match, and the synthetic pages that they name,
/// by path and without duplicates.
fn find(
    place: &str,
    group: &str,
    patterns: &[String],
    folder: &Path,
) -> Result<Vec<PageFile>, String> {
    let mut found = Vec::new();
    for pattern in patterns {
        let whole = folder.join(pattern);
        if !whole.exists() && synthetic_page(pattern)?.is_some() {
            found.push(PageFile {
                group: group.to_owned(),
                path: pattern.into(),
            });
            continue;
        }
        let paths = glob::glob(&whole.to_string_lossy())
            .map_err(|error| format!("{place}: \"{pattern}\" is no pattern: {error}"))?;
        let before = found.len();
        for path in paths {
            let path = path.map_err(|error| format!("{place}: \"{pattern}\": {error}"))?;
            found.push(PageFile {
                group: group.to_owned(),
                path,
            });
        }
        if found.len() == before {
            let parent = whole.parent().filter(|path| *path != Path::new(""));
            return Err(format!(
                "{place}: no file matches \"{pattern}\" in {}",
                parent.unwrap_or(Path::new(".")).display()
            ));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn empty(place: &str) -> String {
    format!(
        "{place}: the list is empty, so there is nothing to race; name something, or leave the \
         key out"
    )
}

fn expected(place: &str, wanted: &str, found: &Value) -> String {
    format!("{place}: found {}, expected {wanted}", found.type_str())
}

#[cfg(test)]
mod tests;
