//! Hints of the document to look up hosts and to connect to them: in its markup, and in `Link`
//! fields of its response (RFC 8288,
//! <https://html.spec.whatwg.org/multipage/links.html#link-type-preconnect>).

use pagerace_page::{Hint, ResourceId};
use url::Url;

use super::layout::Document;
use super::markup::Element;
use super::recording::Recording;
use super::redirects::without_fragment;

/// Returns the hints by offset. Left out are those that no recorded request can use.
pub(super) fn read(recording: &Recording, anonymous: impl Fn(usize) -> bool) -> Vec<Hint> {
    let document = Document::new(recording);
    let references = recording.references.get(&recording.document);
    let in_markup = references.into_iter().flatten().filter_map(|reference| {
        let Element::Hint {
            connects,
            anonymous,
        } = reference.element
        else {
            return None;
        };
        let offset = document.encoded(reference.offset)?;
        Some((offset, reference.url.clone(), connects, anonymous))
    });
    let entry = &recording.entries[recording.document];
    let fields = entry.response_headers.get("link").unwrap_or_default();
    let base = entry.url.as_ref();
    let in_fields = links(fields).filter_map(|link| {
        let url = base?.join(link.url).ok()?;
        let connects = link.has("preconnect");
        let is_hint = connects || link.has("dns-prefetch");
        is_hint.then(|| (0, url.into(), connects, link.is_anonymous))
    });
    let mut hints: Vec<Hint> = in_fields
        .chain(in_markup)
        .filter_map(|(offset, url, connects, without): (u64, String, _, _)| {
            let origin = Url::parse(&url).ok()?.origin();
            let uses = |&i: &usize| {
                let other = recording.entries[i].url.as_ref();
                let is_same = other.is_some_and(|other| other.origin() == origin);
                is_same && (!connects || anonymous(i) == without)
            };
            let first = (recording.document + 1..recording.entries.len()).find(uses)?;
            Some(Hint {
                of: ResourceId(first as u32),
                offset,
                connects,
            })
        })
        .collect();
    hints.sort_by_key(|hint| hint.offset);
    hints
}

/// Returns the URLs that `Link` fields of the document's response preload.
pub(super) fn preloads(recording: &Recording) -> Vec<String> {
    let entry = &recording.entries[recording.document];
    let fields = entry.response_headers.get("link").unwrap_or_default();
    let is_preload = |link: &Link| link.has("preload") || link.has("modulepreload");
    let urls = links(fields)
        .filter(is_preload)
        .filter_map(|link| entry.url.as_ref()?.join(link.url).ok());
    urls.map(without_fragment).collect()
}

/// A link of a `Link` field.
pub(super) struct Link<'a> {
    pub(super) url: &'a str,
    relations: String,
    is_anonymous: bool,
}

impl Link<'_> {
    /// Returns true if the link has this relation.
    pub(super) fn has(&self, relation: &str) -> bool {
        self.relations
            .split_ascii_whitespace()
            .any(|one| one == relation)
    }
}

/// Parses the links of a `Link` field.
pub(super) fn links(field: &str) -> impl Iterator<Item = Link<'_>> {
    // The target is in angle brackets; commas and semicolons may occur in it.
    field.split('<').skip(1).filter_map(|part| {
        let (url, parameters) = part.split_once('>')?;
        let mut link = Link {
            url,
            relations: String::new(),
            is_anonymous: false,
        };
        for parameter in parameters.split([';', ',']) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name.trim().to_ascii_lowercase().as_str() {
                "rel" => link.relations = value.trim().trim_matches('"').to_ascii_lowercase(),
                "crossorigin" => link.is_anonymous = true,
                _ => {}
            }
        }
        Some(link)
    })
}

#[cfg(test)]
mod tests;
