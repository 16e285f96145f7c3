//! Requests and elements that wait for the responses of others, as our own recorder found by
//! holding responses back ([`PageFields::held`](crate::extension::PageFields::held)).

use std::collections::{BTreeMap, BTreeSet};

use pagerace_page::{Evidence, ResourceId, Wait};

use super::discovery::{How, Link};
use super::entry::Entry;
use super::loading;
use super::page::PageObject;
use super::recording::Recording;

/// The responses that a recording held back, and what waits for them. Indices refer to the entries.
#[derive(Debug, Default)]
pub(super) struct Waits<'a> {
    /// The last entry of each request that was held.
    held: BTreeMap<&'a str, usize>,
    /// The responses that each entry waits for, apart from `blocking` ones; `None` if that is not
    /// known.
    entries: Vec<Option<Vec<usize>>>,
    /// Scripts that let the parser wait before the first element. While one of them is held back
    /// nothing else happens, which does not tell what needs it.
    blocking: BTreeSet<usize>,
}

impl<'a> Waits<'a> {
    pub(super) fn new(entries: &'a [Entry<'a>], page: &'a PageObject) -> Self {
        let told = page.own.iter().flat_map(|own| &own.held);
        let told: BTreeSet<&str> = told.map(String::as_str).collect();
        let ids = entries.iter().enumerate();
        let ids = ids.filter_map(|(i, entry)| Some((entry.request_id?, i)));
        let mut waits = Self {
            held: ids.filter(|(id, _)| told.contains(id)).collect(),
            entries: Vec::new(),
            blocking: BTreeSet::new(),
        };
        let held = waits.held.values().copied();
        waits.blocking = held
            .filter(|&i| loading::blocks_parser(&entries[i]))
            .collect();
        let of = |(i, entry): (usize, &Entry)| {
            let mut all = waits.find(entry.own.waits_for.as_ref()?);
            all.retain(|response| *response < i && !waits.blocking.contains(response));
            Some(all)
        };
        waits.entries = entries.iter().enumerate().map(of).collect();
        waits
    }

    /// Returns the entries of held requests.
    pub(super) fn find(&self, ids: &[String]) -> Vec<usize> {
        let found = ids.iter().filter_map(|id| self.held.get(id.as_str()));
        let found: BTreeSet<usize> = found.copied().collect();
        found.into_iter().collect()
    }

    /// Returns the responses that an entry waits for.
    pub(super) fn of_entry(&self, i: usize) -> &[usize] {
        self.entries[i].as_deref().unwrap_or_default()
    }

    /// Returns true if entry `i` is known not to wait for the response of `other`.
    pub(super) fn is_free_of(&self, i: usize, other: usize) -> bool {
        let all = self.entries[i].as_ref();
        let is_told = self.was_held(other) && !self.blocking.contains(&other);
        is_told && all.is_some_and(|all| !all.contains(&other))
    }

    /// Returns true if the response of `entry` was held back.
    pub(super) fn was_held(&self, entry: usize) -> bool {
        self.held.values().any(|held| *held == entry)
    }

    /// Returns the responses that entry `i` waits for, and what leads to it does not.
    pub(super) fn beyond(&self, links: &[Option<Link>], i: usize) -> Vec<usize> {
        let parent = |i: &usize| links[*i].as_ref().map(|link| link.parent);
        let before: Vec<usize> = std::iter::successors(parent(&i), parent).collect();
        let implied = |response: &usize| {
            before
                .iter()
                .any(|b| b == response || self.of_entry(*b).contains(response))
        };
        let all = self.of_entry(i).iter().copied();
        all.filter(|response| !implied(response)).collect()
    }
}

/// Links requests that wait for scripts or data to the last of these, unless the markup or a script
/// is known to make them.
pub(super) fn link(recording: &Recording, links: &mut [Option<Link>]) {
    for (i, link) in links.iter_mut().enumerate().skip(1) {
        let is_known = link.as_ref().is_some_and(|link| match link.how {
            How::Redirect | How::Script | How::Inline | How::Style => true,
            How::Markup => is_named(recording, link.parent, i),
            How::After => false,
        });
        let waits = recording.waits.of_entry(i);
        if let Some(last) = recording.last_of(waits).filter(|_| !is_known) {
            *link = Some(Link::new(last, How::Script, Evidence::Recorded));
        }
    }
}

/// Returns true if the markup of `document` names entry `i`.
fn is_named(recording: &Recording, document: usize, i: usize) -> bool {
    let url = recording.url(i);
    let mut references = recording.references.get(&document).into_iter().flatten();
    references.any(|reference| Some(reference.url.as_str()) == url.as_deref())
}

/// The joins of a page, see [`pagerace_page::Page::joins`].
#[derive(Debug, Default)]
pub(super) struct Joins(pub(super) Vec<Vec<ResourceId>>);

impl Joins {
    /// Returns the event that all of these responses have arrived; `None` if there is none.
    pub(super) fn event(&mut self, responses: &[usize]) -> Option<Wait> {
        let mut all: Vec<_> = responses.iter().map(|&i| ResourceId(i as u32)).collect();
        all.sort_unstable();
        match all[..] {
            [] => None,
            [id] => Some(Wait::Resource { id }),
            _ => {
                let known = self.0.iter().position(|join| *join == all);
                let join = known.unwrap_or_else(|| {
                    self.0.push(all);
                    self.0.len() - 1
                });
                Some(Wait::Join { join: join as u32 })
            }
        }
    }
}

#[cfg(test)]
mod tests;
