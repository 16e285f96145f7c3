//! Filter lists supplied by the user: in the syntax of ad blockers, or hosts files.

use std::fs;
use std::path::{Path, PathBuf};

use adblock::Engine;
use adblock::lists::{FilterFormat, FilterSet, ParseOptions, ParsedLine, RuleTypes, parse_filter};
use adblock::request::Request;
use adblock::sourcemap::FilterRuleDebugInfo;
use adblock::url_parser::{ResolvesDomain, set_domain_resolver};
use anyhow::{Context as _, Result, bail};
use pagerace_core::Destination;
use pagerace_essential::ads::{AdKind, AdMatch, AdMatcher, AdRequest};
use pagerace_har::domain;

/// Number of lines by which the format of a file is detected.
const TELLING_LINES: usize = 100;

/// Maximum number of characters of a line in an error message.
const SHOWN_MAX: usize = 60;

/// A combination of filter lists. An exception in one list applies to all of them.
pub(crate) struct AdLists {
    engine: Engine,
    /// File names in the order of the arguments.
    names: Vec<String>,
}

impl AdLists {
    /// Reads the lists.
    pub(crate) fn read(files: &[PathBuf]) -> Result<Self> {
        // An earlier call has set the same resolver.
        let _ = set_domain_resolver(Box::new(Registrable));
        let mut set = FilterSet::new(true);
        let mut names = Vec::new();
        for file in files {
            let text = text(file)?;
            let format = format(&text);
            check(&text, format).with_context(|| file.display().to_string())?;
            set.add_filter_list(text, options(format));
            let name = file.file_name().unwrap_or(file.as_os_str());
            names.push(name.to_string_lossy().into_owned());
        }
        Ok(Self {
            engine: Engine::new_with_filter_set(set),
            names,
        })
    }

    fn told(&self, kind: Option<AdKind>, rule: FilterRuleDebugInfo) -> AdMatch {
        let place = rule.source_location;
        let name = place
            .as_ref()
            .and_then(|p| self.names.get(p.source_index as usize));
        let source = match (name, place.as_ref()) {
            (Some(name), Some(place)) => format!("{name} line {}", place.line_number + 1),
            // Merged rules have no source location.
            _ => self.names.join(" and "),
        };
        AdMatch {
            kind,
            source,
            rule: rule.raw_line.unwrap_or_else(|| "a rule".to_owned()),
        }
    }
}

impl AdMatcher for AdLists {
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch> {
        if request.destination == Destination::Document {
            return None;
        }
        let kind = kind(request.destination);
        let request = Request::preparsed(
            request.url,
            request.host,
            request.page_host,
            kind,
            request.third_party,
            request.method,
        );
        let found = self
            .engine
            .check_network_request_subset(&request, false, true);
        let blocks = found.should_block();
        match (found.filter, found.exception) {
            (Some(rule), _) if blocks => Some(self.told(Some(AdKind::AdOrTracker), rule)),
            (_, Some(rule)) => Some(self.told(None, rule)),
            _ => None,
        }
    }
}

/// Resolves registrable domains with this project's list, so that the crate needs none.
struct Registrable;

impl ResolvesDomain for Registrable {
    fn get_host_domain(&self, host: &str) -> (usize, usize) {
        let from = host.len() - domain::registrable(host).len();
        (from, host.len())
    }
}

/// Returns the request type in the vocabulary of filter lists.
const fn kind(destination: Destination) -> &'static str {
    match destination {
        Destination::Document => "document",
        Destination::Iframe => "sub_frame",
        Destination::Style => "stylesheet",
        Destination::Script => "script",
        Destination::Font => "font",
        Destination::Image => "image",
        Destination::Media => "media",
        Destination::Fetch => "xmlhttprequest",
        Destination::Other => "other",
    }
}

fn text(file: &Path) -> Result<String> {
    let name = file.display();
    let bytes = fs::read(file).with_context(|| format!("{name}: cannot be read"))?;
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("{name}: not UTF-8 text, so not a filter list; is it compressed?");
    };
    Ok(text)
}

fn options(format: FilterFormat) -> ParseOptions {
    ParseOptions {
        format,
        rule_types: RuleTypes::NetworkOnly,
        ..ParseOptions::default()
    }
}

/// Returns the lines that may contain rules, with their numbers from 1.
fn rules(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()));
    let comment =
        |line: &str| line.starts_with(['!', '[']) || line.starts_with("# ") || line == "#";
    lines.filter(move |(_, line)| !line.is_empty() && !comment(line))
}

/// Detects the format. A hosts file has an address and a name in each line, or only a
/// name.
fn format(text: &str) -> FilterFormat {
    let is_host = |line: &str| {
        // A comment starts a word; element-hiding rules contain ## within one.
        let words = line.split_whitespace();
        let mut words = words.take_while(|word| !word.starts_with('#'));
        let name = match (words.next(), words.next(), words.next()) {
            (Some(name), None, _) => name,
            (Some(address), Some(name), None) if address.parse::<std::net::IpAddr>().is_ok() => {
                name
            }
            _ => return false,
        };
        let of_names = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
        name.chars().all(of_names)
    };
    let mut telling = rules(text).take(TELLING_LINES).peekable();
    if telling.peek().is_some() && telling.all(|(_, line)| is_host(line)) {
        FilterFormat::Hosts
    } else {
        FilterFormat::Standard
    }
}

/// Rejects files that are not filter lists, and lists in which most rules are invalid.
fn check(text: &str, format: FilterFormat) -> Result<()> {
    if text.trim().is_empty() {
        bail!("is empty");
    }
    if text.trim_start().starts_with(['<', '{']) {
        bail!("is a web page or data, not a filter list; download the list itself");
    }
    let (mut good, mut bad, mut other) = (0_usize, 0_usize, 0_usize);
    let mut first = None;
    for (number, line) in rules(text) {
        match parse_filter(line, false, options(format)) {
            Ok(ParsedLine::Network(_)) => good += 1,
            // Element-hiding rules do not concern requests.
            Ok(ParsedLine::Cosmetic(_)) | Err(adblock::lists::FilterParseError::Unsupported) => {
                other += 1;
            }
            Err(error) => {
                bad += 1;
                first.get_or_insert_with(|| (number, shown(line), error.to_string()));
            }
        }
    }
    let all = good + bad + other;
    match first {
        Some((number, line, error)) if bad > good => bail!(
            "line {number}: `{line}` is not a rule ({error}), and neither are {} other lines of \
             {all}; is it a filter list or a hosts file?",
            bad - 1
        ),
        _ if good == 0 => {
            bail!("has no rule for requests among {all} rules; write one such as ||ads.example^")
        }
        _ => Ok(()),
    }
}

fn shown(line: &str) -> String {
    let mut text: String = line.chars().take(SHOWN_MAX).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
