//! Filter lists supplied by the user: in the syntax of ad blockers, or lists of hosts.

mod hosts;

use std::fs;
use std::path::{Path, PathBuf};

use adblock::Engine;
use adblock::lists::{FilterSet, ParseOptions, ParsedLine, RuleTypes, parse_filter};
use adblock::request::Request;
use adblock::sourcemap::FilterRuleDebugInfo;
use adblock::url_parser::{ResolvesDomain, set_domain_resolver};
use anyhow::{Context as _, Result, bail};
use pagerace_core::Destination;
use pagerace_essential::ads::{AdKind, AdMatch, AdMatcher, AdRequest};
use pagerace_har::domain;

/// Maximum number of characters of a line in an error message.
const SHOWN_MAX: usize = 60;

/// A combination of filter lists. An exception in one list applies to all of them.
pub(crate) struct AdLists {
    engine: Engine,
    /// Files in the order of the arguments: their names, and the line of each rule.
    files: Vec<(String, Vec<usize>)>,
}

impl AdLists {
    /// Reads the lists.
    pub(crate) fn read(files: &[PathBuf]) -> Result<Self> {
        // An earlier call has set the same resolver.
        let _ = set_domain_resolver(Box::new(Registrable));
        let mut set = FilterSet::new(true);
        let mut read = Vec::new();
        for file in files {
            let text = text(file)?;
            let rules = rules(&text);
            check(&text, &rules).with_context(|| file.display().to_string())?;
            let (lines, rules): (Vec<usize>, Vec<String>) = rules.into_iter().unzip();
            set.add_filter_list(rules.join("\n"), options());
            let name = file.file_name().unwrap_or(file.as_os_str());
            read.push((name.to_string_lossy().into_owned(), lines));
        }
        Ok(Self {
            engine: Engine::new_with_filter_set(set),
            files: read,
        })
    }

    fn told(&self, kind: Option<AdKind>, rule: FilterRuleDebugInfo) -> AdMatch {
        let source = rule.source_location.and_then(|place| {
            let (name, lines) = self.files.get(place.source_index as usize)?;
            let line = lines.get(place.line_number as usize)?;
            Some(format!("{name} line {line}"))
        });
        // Merged rules have no source location.
        let all = || {
            let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
            names.join(" and ")
        };
        let source = source.unwrap_or_else(all);
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

fn options() -> ParseOptions {
    ParseOptions {
        rule_types: RuleTypes::NetworkOnly,
        ..ParseOptions::default()
    }
}

/// Returns the rules of a list in the syntax of ad blockers, with their lines from 1.
fn rules(text: &str) -> Vec<(usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().map(str::trim).enumerate();
    let comment =
        |line: &str| line.starts_with(['!', '[']) || line.starts_with("# ") || line == "#";
    let telling: Vec<(usize, &str)> = lines
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.is_empty() && !comment(line))
        .collect();
    let only_hosts = hosts::are_listed(telling.iter().map(|(_, line)| *line));
    let rules = telling.into_iter().flat_map(|(number, line)| {
        let rules = hosts::rules(line, only_hosts).unwrap_or_else(|| vec![line.to_owned()]);
        rules.into_iter().map(move |rule| (number, rule))
    });
    rules.collect()
}

/// Rejects files that are not filter lists, and lists in which most rules are invalid.
fn check(text: &str, rules: &[(usize, String)]) -> Result<()> {
    if text.trim().is_empty() {
        bail!("is empty");
    }
    if text.trim_start().starts_with(['<', '{']) {
        bail!("is a web page or data, not a filter list; download the list itself");
    }
    let (mut good, mut bad, mut other) = (0_usize, 0_usize, 0_usize);
    let mut first = None;
    for (number, line) in rules {
        match parse_filter(line, false, options()) {
            // The pattern would match no URL.
            Ok(ParsedLine::Network(_)) if !line.starts_with('/') && line.contains(' ') => {
                bad += 1;
                first.get_or_insert_with(|| (number, shown(line), "with a space".to_owned()));
            }
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
            bail!(
                "has no rule for requests among {all} rules; write one such as ||ads.example^, or 0.0.0.0 ads.example"
            )
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
