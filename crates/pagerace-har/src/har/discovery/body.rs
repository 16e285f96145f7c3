//! Links from recorded bodies: exact positions of existing links, parents of entries without a
//! link, and the data that name an entry.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use pagerace_core::Destination;

use super::{How, Link};
use crate::har::recording::{Recording, upgraded};
use crate::har::redirects::without_fragment;
use pagerace_page::Evidence;

/// Minimum length of a path in text; shorter ones (such as `/a`) occur by chance.
const SHORTEST_PATH: usize = 6;

/// Maximum length of a URL in a style; longer texts are images of their own (`data:`).
const LONGEST_STYLE_URL: usize = 2000;

/// Sets the decoded offset of links into recorded documents: the recorded offset, the
/// position at which the markup names the URL, or the recorded line and column.
pub(super) fn locate(recording: &Recording, links: &mut [Option<Link>]) {
    let mut named: BTreeMap<(usize, &str), u64> = BTreeMap::new();
    for (&document, references) in &recording.references {
        for reference in references {
            named
                .entry((document, &reference.url))
                .or_insert(reference.offset);
        }
    }
    let styled: BTreeMap<(usize, String), u64> = recording
        .references
        .keys()
        .flat_map(|&d| in_styles(recording, d).map(move |(url, end)| ((d, url), end)))
        .collect();
    let line_starts: BTreeMap<usize, Vec<usize>> = recording
        .references
        .keys()
        .map(|&d| (d, lines(body(recording, d))))
        .collect();
    for (i, link) in links.iter_mut().enumerate() {
        let Some(link) = link
            .as_mut()
            .filter(|l| matches!(l.how, How::Markup | How::Inline))
        else {
            continue;
        };
        let recorded = || {
            let offset = recording.entries[i].own.initiator_offset?;
            let whole = recording.decoded_length(link.parent)?;
            (recording.is_document(link.parent) && (1..=whole).contains(&offset)).then_some(offset)
        };
        let by_url = recording
            .url(i)
            .and_then(|url| named.get(&(link.parent, &url)).copied());
        // Media elements select their source in a later task, and styles name images for a later
        // layout, so the recorded position is the parser's position at that time.
        let late = match recording.destinations[i] {
            Destination::Media => by_url,
            Destination::Image if by_url.is_none() => recording
                .url(i)
                .and_then(|url| styled.get(&(link.parent, url)).copied()),
            _ => None,
        };
        if let Some(offset) = recorded() {
            let named = late.filter(|named| *named < offset);
            link.decoded_offset = Some(named.unwrap_or(offset));
            link.evidence = Evidence::Recorded;
            continue;
        }
        let by_place = || {
            // Recorders give the beginning of a document as the position of elements that
            // scripts wrote.
            if link.place.0 == Some(0) && link.place.1.unwrap_or(0) == 0 {
                return None;
            }
            let start = *line_starts
                .get(&link.parent)?
                .get(usize::try_from(link.place.0?).ok()?)?;
            Some(start as u64 + link.place.1.unwrap_or(0))
        };
        link.decoded_offset = by_url.filter(|_| link.how == How::Markup).or_else(by_place);
        if link.decoded_offset.is_some() {
            link.evidence = Evidence::Recorded;
        }
    }
}

/// Removes the links of images that our own recording calls the parser's, although the
/// recorded document does not name them. A script that creates an image requests it in a later
/// microtask, without a stack. While the document is parsed, Chromium then names the parser.
pub(super) fn unlink_unnamed(recording: &Recording, links: &mut [Option<Link>]) {
    for (i, link) in links.iter_mut().enumerate() {
        let Some(document) = link.as_ref().filter(|l| l.how == How::Markup) else {
            continue;
        };
        let is_image = recording.own && recording.destinations[i] == Destination::Image;
        let text = body(recording, document.parent);
        let name = recording.entries[i].url.as_ref();
        let name = name.and_then(|url| url.path().rsplit('/').next());
        // Escapes may be spelt otherwise in the markup.
        let name = name.filter(|name| name.len() >= SHORTEST_PATH && !name.contains('%'));
        if is_image && !text.is_empty() && name.is_some_and(|name| !text.contains(name)) {
            *link = None;
        }
    }
}

/// Returns the URLs in `url()` of style attributes and style elements of `document`, as the
/// browser requests them, with the offset behind each; the last occurrence of a URL first.
pub(crate) fn in_styles<'a>(
    recording: &'a Recording,
    document: usize,
) -> impl Iterator<Item = (String, u64)> + 'a {
    let text = body(recording, document);
    text.rmatch_indices("url(").filter_map(move |(at, open)| {
        let rest = &text[at + open.len()..];
        let end = rest.find(')').filter(|end| *end <= LONGEST_STYLE_URL)?;
        let quotes = ["'", "\"", "&quot;", "&#39;"];
        let mut name = rest[..end].trim();
        for quote in quotes {
            name = name.strip_prefix(quote).unwrap_or(name);
            name = name.strip_suffix(quote).unwrap_or(name);
        }
        let base = recording.entries[document].url.as_ref()?;
        let url = without_fragment(base.join(name).ok()?);
        let behind = (at + open.len() + end + 1) as u64;
        Some((upgraded(&url).unwrap_or(url), behind))
    })
}

/// Finds parents for entries without a link: documents whose markup names the URL, then
/// style sheets, scripts and inline text that contain it.
pub(super) fn search(recording: &Recording, links: &mut [Option<Link>]) {
    let missing: Vec<usize> = (1..links.len())
        .filter(|&i| links[i].is_none() && !asked_after_load(recording, i))
        .collect();
    let mut by_url: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &i in &missing {
        if let Some(url) = recording.url(i) {
            by_url.entry(url).or_default().push(i);
        }
    }
    for (&document, references) in &recording.references {
        for reference in references {
            for &i in by_url.get(&reference.url).into_iter().flatten() {
                if links[i].is_none() && document < i {
                    let link = Link::new(document, How::Markup, Evidence::Body);
                    links[i] = Some(Link {
                        decoded_offset: Some(reference.offset),
                        ..link
                    });
                }
            }
        }
    }
    search_text(recording, links, &missing, exact);
    search_text(recording, links, &missing, by_name);
}

/// Returns true if the browser requested an icon on its own after the load event. The
/// markup names the icon but does not cause the request.
pub(super) fn asked_after_load(recording: &Recording, i: usize) -> bool {
    let loaded = recording.loaded.filter(|_| recording.own);
    let loaded = loaded.zip(recording.start(i));
    let is_icon = matches!(
        recording.destinations[i],
        Destination::Other | Destination::Image
    );
    is_icon && loaded.is_some_and(|(loaded, start)| start >= loaded)
}

/// Returns the URL as it occurs in text: absolute from the root, or relative; also with the escapes
/// of JSON and HTML.
fn exact(url: &url::Url) -> Vec<String> {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let directory = url.path().rfind('/').map_or(0, |at| at + 1);
    let mut all = vec![path.to_owned(), path[directory..].to_owned()];
    all.push(path.replace('/', r"\/"));
    if path.contains('&') {
        all.push(path.replace('&', "&amp;"));
        all.push(path.replace('&', r"\u0026"));
    }
    all
}

/// Returns the file name alone, because scripts and templates append the query.
fn by_name(url: &url::Url) -> Vec<String> {
    let name = url.path().rsplit('/').next().map(str::to_owned);
    name.into_iter().collect()
}

/// Returns, for each entry, the last data complete before it whose text names its URL.
pub(super) fn named_in_data(recording: &Recording) -> Vec<Option<usize>> {
    let mut named: Vec<Option<usize>> = vec![None; recording.entries.len()];
    let is_data = |j: usize| recording.destinations[j] == Destination::Fetch;
    let asked: Vec<usize> = (1..named.len())
        .filter(|&i| recording.redirects.from[i].is_none())
        .collect();
    each_mention(recording, &asked, exact, is_data, |parent, i, _| {
        let end = |j| recording.end(j).unwrap_or(0.0);
        if complete_before(recording, parent, i) && named[i].is_none_or(|j| end(j) <= end(parent)) {
            named[i] = Some(parent);
        }
    });
    named
}

fn search_text(
    recording: &Recording,
    links: &mut [Option<Link>],
    missing: &[usize],
    patterns_of: fn(&url::Url) -> Vec<String>,
) {
    let missing: Vec<usize> = missing
        .iter()
        .copied()
        .filter(|&i| links[i].is_none())
        .collect();
    each_mention(
        recording,
        &missing,
        patterns_of,
        |_| true,
        |parent, i, end| {
            if links[i].is_none() && complete_before(recording, parent, i) {
                links[i] = text_link(recording, parent, i, end);
            }
        },
    );
}

/// Calls `found` with each body in which the URL of one of `asked` occurs, with that entry, which
/// comes later, and with the end of the occurrence. Only the bodies of entries that `counts`
/// accepts are searched, in order.
fn each_mention(
    recording: &Recording,
    asked: &[usize],
    patterns_of: fn(&url::Url) -> Vec<String>,
    counts: impl Fn(usize) -> bool,
    mut found: impl FnMut(usize, usize, usize),
) {
    let mut patterns: Vec<(String, usize)> = Vec::new();
    for &i in asked {
        let Some(url) = &recording.entries[i].url else {
            continue;
        };
        // A file name with an extension is specific enough even without its path.
        for text in patterns_of(url) {
            if text.len() >= SHORTEST_PATH && text.contains(['.', '/']) {
                patterns.push((text, i));
            }
        }
    }
    let has_body = |j: &usize| recording.entries[*j].body.is_some();
    let texts = (0..recording.entries.len()).filter(|j| has_body(j) && counts(*j));
    let texts: Vec<usize> = texts.collect();
    if patterns.is_empty() || texts.is_empty() {
        return;
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(patterns.iter().map(|(text, _)| text.as_bytes()));
    let Ok(automaton) = automaton else { return };
    for parent in texts {
        let text = body(recording, parent);
        for mention in automaton.find_overlapping_iter(text) {
            let i = patterns[mention.pattern().as_usize()].1;
            if parent < i {
                found(parent, i, mention.end());
            }
        }
    }
}

/// Returns the link that a mention in the text of `parent` indicates.
fn text_link(recording: &Recording, parent: usize, i: usize, end: usize) -> Option<Link> {
    let destination = recording.destinations[i];
    let how = match recording.destinations[parent] {
        Destination::Style
            if matches!(
                destination,
                Destination::Font | Destination::Image | Destination::Style
            ) =>
        {
            How::Style
        }
        // Scripts, and data that a script reads.
        Destination::Script | Destination::Fetch => How::Script,
        // The parser (and the preload scanner) finds an `@import` in a style element.
        Destination::Document | Destination::Iframe if destination == Destination::Style => {
            How::Markup
        }
        Destination::Document | Destination::Iframe => How::Inline,
        _ => return None,
    };
    let link = Link::new(parent, how, Evidence::Body);
    Some(Link {
        decoded_offset: matches!(how, How::Inline | How::Markup).then_some(end as u64),
        ..link
    })
}

/// Returns true if `parent` could have caused the request. Documents act while they
/// arrive, other resources once they are complete.
fn complete_before(recording: &Recording, parent: usize, i: usize) -> bool {
    let at = if recording.is_document(parent) {
        recording.entries[parent].first_byte
    } else {
        recording.end(parent)
    };
    at.zip(recording.start(i))
        .is_none_or(|(at, start)| at <= start + 1.0)
}

fn body<'a>(recording: &'a Recording, i: usize) -> &'a str {
    recording.entries[i].body.as_deref().unwrap_or_default()
}

/// Returns the offset of each line.
fn lines(text: &str) -> Vec<usize> {
    let after_breaks = text
        .bytes()
        .enumerate()
        .filter(|(_, b)| *b == b'\n')
        .map(|(i, _)| i + 1);
    std::iter::once(0).chain(after_breaks).collect()
}
