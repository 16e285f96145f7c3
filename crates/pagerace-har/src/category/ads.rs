//! Detection of advertisement and analytics by URL.
//!
//! The list is short and our own: domains of well-known companies that serve little else,
//! and words that are typical of hosts and paths of such URLs. It does not replace a
//! filter list of a hundred thousand rules: it finds the services that most pages share,
//! and misses the rest. Cosmetic rules and exceptions are not supported.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pagerace_core::table;
use url::Url;

use crate::domain;

/// The entries of `data/ads.tsv`, which says what each kind means.
#[derive(Default)]
pub(super) struct Signs {
    pub(super) domains: BTreeSet<&'static str>,
    pub(super) prefixes: BTreeSet<&'static str>,
    pub(super) labels: BTreeSet<&'static str>,
    pub(super) segments: BTreeSet<&'static str>,
    pub(super) own: BTreeSet<&'static str>,
    pub(super) words: BTreeSet<&'static str>,
}

pub(super) static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let mut signs = Signs::default();
    for [kind, entries] in table::rows(TABLE) {
        let list = match kind {
            "domain" => &mut signs.domains,
            "prefix" => &mut signs.prefixes,
            "label" => &mut signs.labels,
            "segment" => &mut signs.segments,
            "own" => &mut signs.own,
            "word" => &mut signs.words,
            _ => panic!("{kind} is no kind of sign"),
        };
        list.extend(entries.split(' '));
    }
    signs
});

pub(super) const TABLE: &str = include_str!("../../data/ads.tsv");

/// Returns true if `url` serves advertisement or analytics.
///
/// For third parties, a typical word in the path is sufficient. For the first party, the
/// word must be a whole path segment that unambiguously indicates ads.
pub fn is_ad(url: &str, third_party: bool) -> bool {
    ad_sign(url, third_party).is_some()
}

/// Returns the domain or word that identifies `url` as advertisement or analytics; `None`
/// if there is none.
pub fn ad_sign(url: &str, third_party: bool) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    let in_name = || by_label(host).map(|label| format!("\"{label}\" in the host's name"));
    let in_path = || by_path(url.path(), third_party).map(|s| format!("\"{s}\" in the path"));
    let known = by_domain(host).or_else(|| by_prefix(host, &url));
    known.map(str::to_owned).or_else(in_name).or_else(in_path)
}

fn by_domain(host: &str) -> Option<&str> {
    // The list has registrable domains and some hosts below them.
    let mut rest = host;
    loop {
        if SIGNS.domains.contains(rest) {
            return Some(rest);
        }
        match rest.split_once('.') {
            Some((_, parent)) if parent.contains('.') => rest = parent,
            _ => return None,
        }
    }
}

fn by_prefix(host: &str, url: &Url) -> Option<&'static str> {
    let tail = domain::registrable(host);
    let fits = |prefix: &&&str| {
        let (domain, path) = prefix.split_once('/').unwrap_or((prefix, ""));
        domain == tail && url.path()[1.min(url.path().len())..].starts_with(path)
    };
    SIGNS.prefixes.iter().find(fits).copied()
}

fn by_label(host: &str) -> Option<&str> {
    let registrable = domain::registrable(host);
    let below = host
        .strip_suffix(registrable)
        .unwrap_or_default()
        .trim_end_matches('.');
    below.split('.').find(|label| {
        let label = label.trim_end_matches(|c: char| c.is_ascii_digit());
        SIGNS.labels.contains(label) || has_any_word(label)
    })
}

fn by_path(path: &str, third_party: bool) -> Option<String> {
    let path = path.to_ascii_lowercase();
    let mut segments = path.split('/').enumerate();
    let found = segments.find(|&(i, segment)| {
        let (stem, extension) = segment.split_once('.').unwrap_or((segment, ""));
        let plain = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let word = if SIGNS.segments.contains(stem) {
            stem
        } else {
            plain
        };
        // One or two letters further down a path are usually a shard of a hash.
        let chance = word.len() <= 2 && i > 1 && extension.is_empty();
        let whole = !word.is_empty() && !chance && SIGNS.segments.contains(word);
        if third_party {
            return whole || has_any_word(segment);
        }
        // A site's own /analytics or /track may be a page about that topic.
        whole && SIGNS.own.contains(plain)
    });
    found.map(|(_, segment)| segment.to_owned())
}

/// Returns true if `text` contains a typical word with no letter before or after it.
fn has_any_word(text: &str) -> bool {
    let bounded = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphabetic());
    let mut found = SIGNS.words.iter().flat_map(|word| text.match_indices(word));
    found.any(|(at, word)| {
        bounded(text[..at].chars().next_back()) && bounded(text[at + word.len()..].chars().next())
    })
}
