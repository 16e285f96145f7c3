//! The end of a page's load in recordings of sessions, in which users go on to other pages, and
//! timers ask again and again.

use serde::Deserialize as _;
use serde_json::Value;

use super::MAX_PAGE_GAP_MS;
use super::clock::Date;
use super::entry::Entry;
use super::headers::Headers;
use super::initiator::{self, Initiator};
use super::notes::{Kind, Notes};
use super::page::PageObject;
use super::value::{filled, millis, status};
use crate::domain;

/// Milliseconds without a new request or response after which a page is complete, as in the
/// definition of Time to Interactive.
const QUIET_MS: f64 = 5_000.0;
/// Maximum milliseconds from the load event to the end of a page that never rests.
const REST_MS: f64 = 60_000.0;
/// Responses that take longer than this do not keep a page busy: the server holds them back until
/// something happens.
const HELD_MS: f64 = 30_000.0;

/// Facts of an entry on navigations; times in milliseconds since 1970.
struct Step {
    start: f64,
    end: f64,
    /// True if it may be a navigation of the main frame.
    navigates: bool,
    /// True if the browser says so.
    surely: bool,
    by_user: bool,
    redirects: bool,
    host: String,
}

impl Step {
    /// Reads an entry; `None` without a date.
    fn of(value: &Value) -> Option<Self> {
        let (request, response) = (&value["request"], &value["response"]);
        let start = Date::deserialize(&value["startedDateTime"]).ok()?.0;
        let lasted = millis(value, "time").unwrap_or(0.0);
        let headers = Headers::parse(request);
        let method = filled(request, "method").unwrap_or("GET");
        let asks = ["GET", "POST"]
            .iter()
            .any(|m| method.eq_ignore_ascii_case(m));
        let word = headers.get("sec-fetch-dest");
        let is_document = filled(value, "_resourceType")
            .or_else(|| filled(value, "_request_type"))
            .map_or_else(
                || {
                    headers
                        .get("accept")
                        .is_some_and(|a| a.starts_with("text/html"))
                },
                |kind| kind.eq_ignore_ascii_case("document"),
            );
        let initiator = Initiator::parse(value);
        let of_page = initiator.kind != initiator::Kind::Unknown || !initiator.places.is_empty();
        let url = url::Url::parse(filled(request, "url").unwrap_or_default()).ok();
        let host = url.as_ref().and_then(url::Url::host_str);
        Some(Self {
            start,
            end: start + lasted.min(HELD_MS),
            navigates: asks && word.map_or(is_document && !of_page, |word| word == "document"),
            surely: word.is_some(),
            by_user: headers.get("sec-fetch-user") == Some("?1"),
            redirects: matches!(status(response, "status"), Some(301..=303 | 307 | 308)),
            host: host.unwrap_or_default().to_owned(),
        })
    }
}

/// Returns the indices of `entries` at which the user went on to another page, by start. `page` is
/// the object of the page to which the recorder assigned all of them.
pub(super) fn later_navigations(page: Option<&Value>, entries: &[(usize, &Value)]) -> Vec<usize> {
    let mut steps: Vec<(usize, Step)> = entries
        .iter()
        .enumerate()
        .filter_map(|(i, (_, value))| Some((i, Step::of(value)?)))
        .collect();
    steps.sort_by(|a, b| a.1.start.total_cmp(&b.1.start));
    let Some(first) = steps.iter().position(|(_, step)| step.navigates) else {
        return Vec::new();
    };
    let page = page.and_then(|page| PageObject::deserialize(page).ok());
    let page = page.unwrap_or_default();
    if page.own.is_some() {
        return Vec::new();
    }
    let asked = steps[first].1.start;
    let begin = page
        .start()
        .filter(|begin| (begin - asked).abs() <= MAX_PAGE_GAP_MS);
    let begin = begin.unwrap_or(asked);
    let mut loaded = page.loaded().map(|ms| begin + ms);
    let mut last = &steps[first].1;
    let mut busy_until = last.end;
    let mut found = Vec::new();
    for (i, step) in &steps[first + 1..] {
        let quiet = step.start >= busy_until + QUIET_MS;
        busy_until = busy_until.max(step.end);
        if !step.navigates {
            continue;
        }
        let after_load = loaded.is_some_and(|loaded| step.start > loaded);
        let goes_on = if step.surely {
            quiet || after_load || step.by_user
        } else {
            quiet && !domain::is_third_party(&step.host, &last.host)
        };
        if goes_on && !last.redirects {
            found.push(*i);
            loaded = None;
        }
        last = step;
    }
    found
}

/// Drops the entries that begin when the page is complete, or are answered long after that. The
/// first one is the navigation.
pub(super) fn end(entries: &mut Vec<Entry>, page: &PageObject, notes: &mut Notes) {
    if page.own.is_some() {
        return;
    }
    let paints = [
        page.timings.first_contentful,
        page.timings.largest_contentful,
        page.largest_contentful,
        page.largest_by_user_timing,
    ];
    let paints = paints.into_iter().flatten().map(|ms| ms.0);
    let shown = paints.fold(f64::NEG_INFINITY, f64::max);
    let document = || entries[0].end.unwrap_or(f64::NEG_INFINITY);
    let complete = page.loaded().unwrap_or_else(document).max(shown);
    let mut busy_until = complete;
    let mut is_over = false;
    let before = entries.len();
    let mut rest = false;
    entries.retain(|entry| {
        if !std::mem::replace(&mut rest, true) {
            return true;
        }
        let Some(start) = entry.start else {
            return true;
        };
        is_over |= start > busy_until + QUIET_MS || start > complete + REST_MS;
        // Long polls are answered when something happens.
        let answered = entry.first_byte.unwrap_or(start);
        if !is_over
            && page
                .loaded()
                .is_some_and(|loaded| answered > loaded + REST_MS)
        {
            return false;
        }
        let end = entry.end.unwrap_or(start);
        busy_until = busy_until.max(start).max(end.min(start + HELD_MS));
        !is_over
    });
    notes.add_many(Kind::AfterEnd, before - entries.len());
}

#[cfg(test)]
mod tests;
