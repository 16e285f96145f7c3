//! Which answers a request may mean.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Answer;

/// Method, host and path.
type Place = (String, String, String);

/// Answers by URL.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    paths: BTreeMap<Place, Vec<Found>>,
    hosts: BTreeSet<String>,
}

/// All answers that were recorded for one method and URL.
#[derive(Debug)]
pub(super) struct Found {
    /// Its number among all such.
    pub(super) place: usize,
    /// Without its question mark.
    query: Option<String>,
    /// In the order of the recording; at least one.
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

    /// `target`: path and query. The same, else the most similar; see
    /// [`super`].
    pub(super) fn find(&self, method: &str, host: &str, target: &str) -> Option<&Found> {
        let (path, query) = split(target);
        let place = (method.to_owned(), host.to_owned(), path.to_owned());
        let all = self.paths.get(&place)?;
        let same = all.iter().find(|f| f.query.as_deref() == query);
        same.or_else(|| {
            // The first of the best: `max_by_key` alone would give the last.
            let query = query.unwrap_or_default();
            let score = |f: &&Found| similarity(query, f.query.as_deref().unwrap_or_default());
            all.iter().rev().max_by_key(score)
        })
    }
}

/// Path and query of a request target; fragments do not belong there.
fn split(target: &str) -> (&str, Option<&str>) {
    let target = target.split('#').next().unwrap_or_default();
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// Equal parameters, then bytes that are equal from the beginning.
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
