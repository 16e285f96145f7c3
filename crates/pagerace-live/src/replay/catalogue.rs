//! Index of the answers by request.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Answer;

/// Method, host and path of a request.
type Place = (String, String, String);

/// Index of answers by URL.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    paths: BTreeMap<Place, Vec<Found>>,
    hosts: BTreeSet<String>,
}

/// The answers that were recorded for one method and URL.
#[derive(Debug)]
pub(super) struct Found {
    /// Index of this entry among all of the catalogue.
    pub(super) place: usize,
    /// The query, without its question mark.
    query: Option<String>,
    /// The answers in the order of the recording; at least one.
    pub(super) answers: Vec<usize>,
}

impl Catalogue {
    pub(super) fn new(answers: &[Answer]) -> Self {
        let mut catalogue = Self::default();
        let mut places = 0;
        for (i, answer) in answers.iter().enumerate() {
            let (path, query) = split(&answer.target);
            let place = (answer.method.clone(), answer.host.clone(), path.to_owned());
            catalogue.hosts.insert(answer.host.clone());
            let all = catalogue.paths.entry(place).or_default();
            if let Some(found) = all.iter_mut().find(|f| f.query.as_deref() == query) {
                found.answers.push(i);
                continue;
            }
            all.push(Found {
                place: places,
                query: query.map(str::to_owned),
                answers: vec![i],
            });
            places += 1;
        }
        catalogue
    }

    pub(super) fn hosts(&self) -> Vec<String> {
        self.hosts.iter().cloned().collect()
    }

    pub(super) fn has_host(&self, host: &str) -> bool {
        self.hosts.contains(host)
    }

    /// Returns the entry for `target`, a path with query: the same URL, else the most
    /// similar one; see [`super`].
    pub(super) fn find(&self, method: &str, host: &str, target: &str) -> Option<&Found> {
        let (path, query) = split(target);
        let place = (method.to_owned(), host.to_owned(), path.to_owned());
        let all = self.paths.get(&place)?;
        let same = all.iter().find(|f| f.query.as_deref() == query);
        same.or_else(|| {
            // Prefer the first of equal scores: `max_by_key` alone would return the last.
            let query = query.unwrap_or_default();
            let score = |f: &&Found| similarity(query, f.query.as_deref().unwrap_or_default());
            all.iter().rev().max_by_key(score)
        })
    }
}

/// Splits a request target into path and query, and drops a fragment.
fn split(target: &str) -> (&str, Option<&str>) {
    let target = target.split('#').next().unwrap_or_default();
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// Returns the number of equal parameters and the length of the common prefix.
fn similarity(a: &str, b: &str) -> (usize, usize) {
    let mut theirs: Vec<&str> = b.split('&').filter(|p| !p.is_empty()).collect();
    let mut equal = 0;
    for parameter in a.split('&') {
        if let Some(at) = theirs.iter().position(|p| *p == parameter) {
            theirs.swap_remove(at);
            equal += 1;
        }
    }
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    (equal, prefix)
}

#[cfg(test)]
mod tests;
