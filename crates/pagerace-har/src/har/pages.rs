//! Selection of a page from a HAR, which may hold several.

use serde::Deserialize as _;
use serde_json::Value;

use super::ImportOptions;
use super::clock::Date;
use super::page::PageObject;
use super::sessions::later_navigations;
use super::value::{filled, kind, list, shown, text};
use crate::ImportError;
use crate::error::shorten;

/// The chosen page, and its entries as (number in the file, value).
pub(super) struct Chosen<'a> {
    /// The page's object; empty if the file has none.
    pub(super) page: PageObject,
    /// 1-based number, if the file has several pages with entries.
    pub(super) number: Option<usize>,
    pub(super) entries: Vec<(usize, &'a Value)>,
    /// Number of entries of other pages.
    pub(super) others: usize,
}

/// A page of the file.
#[derive(Default)]
struct Candidate<'a> {
    id: Option<&'a str>,
    page: Option<&'a Value>,
    entries: Vec<(usize, &'a Value)>,
}

/// Splits the file into pages and selects one.
pub(super) fn choose<'a>(
    file: &str,
    root: &'a Value,
    options: &ImportOptions,
) -> Result<Chosen<'a>, ImportError> {
    let not_har = |field, expected, found: Option<&Value>| {
        let found = kind(found);
        let finding = format!(
            "{field}: expected {expected}, found {found}; a HAR 1.2 file holds its requests in \
             log.entries"
        );
        ImportError::new(file, finding)
    };
    if !root.is_object() {
        return Err(not_har("the root", "an object with log", Some(root)));
    }
    let log = root.get("log").filter(|l| l.is_object());
    let log = log.ok_or_else(|| not_har("log", "an object", root.get("log").or(Some(root))))?;
    let entries = log.get("entries").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| not_har("log.entries", "an array", log.get("entries")))?;
    if entries.is_empty() {
        return Err(not_har(
            "log.entries",
            "at least one entry",
            log.get("entries"),
        ));
    }
    let candidates = split(list(log, "pages"), entries).into_iter();
    let mut candidates: Vec<Candidate> = candidates.flat_map(at_navigations).collect();
    let index = match &options.page {
        None => candidates.iter().position(|c| !c.entries.is_empty()),
        Some(wanted) => find(&candidates, wanted),
    };
    let Some(index) = index else {
        let wanted = options.page.clone().unwrap_or_default();
        let pages = candidates.iter().enumerate();
        let pages: Vec<String> = pages.map(|(i, c)| describe(i, c)).collect();
        let finding = format!(
            "has no page \"{wanted}\"; choose one of: {}",
            pages.join(", ")
        );
        return Err(ImportError::new(file, finding));
    };
    let several = candidates.iter().filter(|c| !c.entries.is_empty()).count() > 1;
    let total = entries.len();
    let chosen = candidates.swap_remove(index);
    Ok(Chosen {
        page: chosen
            .page
            .and_then(|page| PageObject::deserialize(page).ok())
            .unwrap_or_default(),
        number: several.then_some(index + 1),
        others: total - chosen.entries.len(),
        entries: chosen.entries,
    })
}

/// Returns the pages in the file's order, with their entries. A `pageref` without a page
/// object makes a page of its own; entries without `pageref` belong to the first page.
fn split<'a>(pages: &'a [Value], entries: &'a [Value]) -> Vec<Candidate<'a>> {
    let page = |p: &'a Value| Candidate {
        id: filled(p, "id"),
        page: Some(p),
        entries: vec![],
    };
    let mut candidates: Vec<_> = pages.iter().filter(|p| p.is_object()).map(page).collect();
    if candidates.is_empty() {
        candidates.push(Candidate::default());
    }
    let mut by_id: std::collections::BTreeMap<&str, usize> = candidates
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(i, c)| Some((c.id?, i)))
        .collect();
    for (number, entry) in entries.iter().enumerate() {
        let index = match filled(entry, "pageref") {
            None => 0,
            // Without any page object, the first `pageref` names the first page.
            Some(id) if candidates[0].page.is_none() && candidates[0].id.is_none() => {
                candidates[0].id = Some(id);
                by_id.insert(id, 0);
                0
            }
            Some(id) => *by_id.entry(id).or_insert_with(|| {
                candidates.push(Candidate {
                    id: Some(id),
                    ..Candidate::default()
                });
                candidates.len() - 1
            }),
        };
        candidates[index].entries.push((number, entry));
    }
    candidates
}

/// Splits a page where the user went on to another one. The later pages have no object.
fn at_navigations(mut page: Candidate) -> Vec<Candidate> {
    let start = |value: &Value| Date::deserialize(&value["startedDateTime"]).ok();
    let later = later_navigations(page.page, &page.entries);
    let begins: Vec<Option<Date>> = later.iter().map(|&i| start(page.entries[i].1)).collect();
    let mut pages: Vec<Candidate> = later.iter().map(|_| Candidate::default()).collect();
    if !pages.is_empty() {
        let mut number = 0;
        for entry in std::mem::take(&mut page.entries) {
            // Entries without a date belong to the page of the entry before.
            if let Some(at) = start(entry.1) {
                number = begins
                    .iter()
                    .flatten()
                    .filter(|begin| begin.0 <= at.0)
                    .count();
            }
            let of = match number.checked_sub(1) {
                Some(later) => &mut pages[later],
                None => &mut page,
            };
            of.entries.push(entry);
        }
    }
    pages.insert(0, page);
    pages
}

/// Finds a page with entries by id, then title, then 1-based number.
fn find(candidates: &[Candidate], wanted: &str) -> Option<usize> {
    let by = |test: &dyn Fn(&Candidate) -> bool| {
        candidates
            .iter()
            .position(|c| !c.entries.is_empty() && test(c))
    };
    by(&|c| c.id == Some(wanted))
        .or_else(|| by(&|c| c.page.and_then(|p| text(p, "title")) == Some(wanted)))
        .or_else(|| {
            let number: usize = wanted.trim().parse().ok()?;
            let index = number.checked_sub(1)?;
            (!candidates.get(index)?.entries.is_empty()).then_some(index)
        })
}

fn describe(index: usize, candidate: &Candidate) -> String {
    let id = candidate
        .id
        .map(|id| format!(" {}", shorten(id, 40)))
        .unwrap_or_default();
    let title = candidate.page.and_then(|p| filled(p, "title"));
    let begins = candidate
        .entries
        .first()
        .filter(|_| candidate.page.is_none());
    let title = title
        .or_else(|| begins.and_then(|(_, value)| filled(&value["request"], "url")))
        .map(|t| format!(" \"{}\"", shorten(&shown(t), 60)))
        .unwrap_or_default();
    format!(
        "{}{id}{title} ({} entries)",
        index + 1,
        candidate.entries.len()
    )
}

#[cfg(test)]
mod tests;
