//! What waits for each response of data.
//!
//! Initiators name the functions that made a request, not the response that called them, and nothing in
//! a trace connects an element with the data that it shows. An experiment does: a load holds one
//! response back until the page is quiet, and then releases it. What comes only then waits for that
//! response.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Duration, Instant};
use pagerace_har::domain::registrable;
use serde_json::{Value, json};
use url::Url;

use super::collect::{TICK, is_page_idle};
use super::har::Load;
use super::layout::{self, STYLES};
use super::log::{Log, Request};
use crate::{Browser, ChromiumError, Event, Session};

/// The maximum number of responses that are held back, each in a load of its own.
const HELD_MAX: usize = 12;

/// The time without events of the network after which a page counts as quiet.
pub(super) const LULL: Duration = Duration::from_millis(400);

/// The maximum time of a load, and again of what follows the release.
const PATIENCE: Duration = Duration::from_secs(10);

/// A name of a request that is the same in all loads of the page: method, URL, body, and its number
/// among those that are alike.
pub(super) type Name = (String, String, String, usize);

/// What waits for responses. Indices are those of the requests of the recorded load.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    /// The requests whose responses were held back.
    pub(super) held: BTreeSet<usize>,
    /// The responses that each request waits for.
    requests: BTreeMap<usize, BTreeSet<usize>>,
    /// The responses that each element waits for.
    elements: BTreeMap<layout::Name, BTreeSet<usize>>,
}

impl Waits {
    /// Returns the responses that a request waits for.
    pub(super) fn of_request(&self, request: usize) -> impl Iterator<Item = usize> {
        self.last(self.requests.get(&request))
    }

    /// Returns the responses that an element waits for.
    pub(super) fn of_element(&self, name: &layout::Name) -> impl Iterator<Item = usize> {
        self.last(self.elements.get(name))
    }

    /// Leaves out responses that another one of them waits for.
    fn last<'a>(&'a self, all: Option<&'a BTreeSet<usize>>) -> impl Iterator<Item = usize> + 'a {
        let leads = move |one: &usize, other: &usize| {
            let before = self.requests.get(other);
            before.is_some_and(|before| before.contains(one))
        };
        let all = move || all.into_iter().flatten().copied();
        all().filter(move |one| !all().any(|other| leads(one, &other)))
    }
}

/// Finds what waits for the responses to the requests `held` of `load`.
pub(super) fn find(
    browser: &mut Browser,
    url: &str,
    load: &Load,
    held: &[usize],
) -> Result<Waits, ChromiumError> {
    let names = names(&load.requests);
    let mut waits = Waits::default();
    for &held in held {
        let Some(after) = held_back(browser, url, load, &names[held])? else {
            continue;
        };
        waits.held.insert(held);
        for (request, name) in names.iter().enumerate() {
            if request != held && after.requests.contains(name) {
                waits.requests.entry(request).or_default().insert(held);
            }
        }
        for name in after.elements {
            waits.elements.entry(name).or_default().insert(held);
        }
    }
    Ok(waits)
}

/// Returns the requests for data whose responses may lead to something, the most important first: those
/// of the page's own site, and large ones.
pub(super) fn candidates(load: &Load) -> Vec<usize> {
    let site = |url: &str| {
        let url = Url::parse(url).ok();
        url.and_then(|url| Some(registrable(url.host_str()?).to_owned()))
    };
    let own = site(&load.url);
    let frame = load.requests.first().and_then(|r| r.frame.as_deref());
    let is_data = |request: &Request| {
        matches!(request.kind.as_str(), "XHR" | "Fetch")
            && request.frame.as_deref() == frame
            && request.ended.is_some()
            && request.failed.is_none()
            && !request.redirected
            && !request.from_memory
    };
    let mut all: Vec<usize> = (0..load.requests.len())
        .filter(|&i| is_data(&load.requests[i]))
        .collect();
    all.sort_by_key(|&i| {
        let request = &load.requests[i];
        let bytes: u64 = request.chunks.iter().map(|chunk| chunk.bytes).sum();
        (site(&request.url) != own, std::cmp::Reverse(bytes))
    });
    all.truncate(HELD_MAX);
    all
}

/// Returns the name of each request.
pub(super) fn names(requests: &[Request]) -> Vec<Name> {
    let mut count: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let name = |request| {
        let (method, url, body) = parts(request);
        let nth = count.entry((method, url, body)).or_default();
        *nth += 1;
        (method.into(), url.into(), body.into(), *nth)
    };
    requests.iter().map(name).collect()
}

fn parts(request: &Request) -> (&str, &str, &str) {
    let text = |key: &str| request.asked[key].as_str().unwrap_or_default();
    (text("method"), &request.url, text("postData"))
}

/// What a load showed after the release of a response, and not before.
struct After {
    requests: BTreeSet<Name>,
    elements: BTreeSet<layout::Name>,
}

/// Loads the page without the response of the request `name` until it is quiet, and releases it then.
/// Returns `None` if this load does not make the request, or if it is never quiet.
fn held_back(
    browser: &mut Browser,
    url: &str,
    load: &Load,
    name: &Name,
) -> Result<Option<After>, ChromiumError> {
    let mut session = browser.page()?;
    session.call("Network.enable", json!({}))?;
    let pattern = json!({"urlPattern": exactly(&name.1), "requestStage": "Response"});
    session.call("Fetch.enable", json!({"patterns": [pattern]}))?;
    let mut watcher = Watcher::new(name, session.now());
    session.navigate(url)?;
    if !watcher.run(&mut session)? {
        return Ok(None);
    }
    let Some(paused) = watcher.paused.take() else {
        return Ok(None);
    };
    let before = (watcher.seen(), elements(&mut session, load)?);
    session.call("Fetch.continueRequest", json!({"requestId": paused}))?;
    watcher.last_activity = session.now();
    if !watcher.run(&mut session)? {
        return Ok(None);
    }
    let after = (watcher.seen(), elements(&mut session, load)?);
    Ok(Some(After {
        requests: after.0.difference(&before.0).cloned().collect(),
        elements: after.1.difference(&before.1).cloned().collect(),
    }))
}

/// Returns a pattern that matches this URL alone.
fn exactly(url: &str) -> String {
    let without_fragment = url.split('#').next().unwrap_or(url);
    let special = |c: char| matches!(c, '*' | '?' | '\\').then_some('\\');
    without_fragment
        .chars()
        .flat_map(|c| special(c).into_iter().chain([c]))
        .collect()
}

/// Returns the names of the elements that are visible.
fn elements(session: &mut Session, load: &Load) -> Result<BTreeSet<layout::Name>, ChromiumError> {
    session.call("DOMSnapshot.enable", json!({}))?;
    let snapshot: Value = session.call(
        "DOMSnapshot.captureSnapshot",
        json!({"computedStyles": STYLES}),
    )?;
    session.call("DOMSnapshot.disable", json!({}))?;
    let base = load.paints["base"]
        .as_str()
        .and_then(|b| Url::parse(b).ok());
    Ok(base.map_or_else(BTreeSet::new, |base| layout::names(&snapshot, &base)))
}

/// Watches a load.
struct Watcher<'a> {
    log: Log,
    /// The request whose response is held back.
    name: &'a Name,
    /// The number of responses like it that have come.
    alike: usize,
    /// The held response.
    paused: Option<String>,
    last_activity: Instant,
}

impl<'a> Watcher<'a> {
    fn new(name: &'a Name, now: Instant) -> Self {
        Self {
            log: Log::default(),
            name,
            alike: 0,
            paused: None,
            last_activity: now,
        }
    }

    /// Returns the names of the requests so far.
    fn seen(&self) -> BTreeSet<Name> {
        names(self.log.requests()).into_iter().collect()
    }

    /// Waits until the page is quiet. Returns false if it never is.
    fn run(&mut self, session: &mut Session) -> Result<bool, ChromiumError> {
        let begin = session.now();
        loop {
            if let Some(event) = session.next_event(TICK)? {
                self.handle(session, &event)?;
                continue;
            }
            let now = session.now();
            let open = self.log.open() - usize::from(self.paused.is_some());
            if open == 0 && now.since(self.last_activity) >= LULL && is_page_idle(session)? {
                return Ok(true);
            }
            if now.since(begin) >= PATIENCE {
                return Ok(false);
            }
        }
    }

    fn handle(&mut self, session: &mut Session, event: &Event) -> Result<(), ChromiumError> {
        let params = &event.params;
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                let Some(id) = params["requestId"].as_str() else {
                    return Ok(());
                };
                let text = |key: &str| params["request"][key].as_str().unwrap_or_default();
                let (method, _, body, nth) = self.name;
                if text("method") == method && text("postData") == body {
                    self.alike += 1;
                    if self.alike == *nth {
                        self.paused = Some(id.into());
                        return Ok(());
                    }
                }
                let target = event.session.clone();
                session.send_in(&target, "Fetch.continueRequest", json!({"requestId": id}))?;
            }
            method if method.starts_with("Network.") => {
                self.log.handle(Some(&event.session), method, params);
                self.last_activity = session.now();
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Waits, exactly};

    #[test]
    fn a_pattern_matches_one_url() {
        assert_eq!(exactly("https://a.test/b?c=*#d"), r"https://a.test/b\?c=\*");
    }

    #[test]
    fn only_the_last_response_of_a_chain_counts() {
        // Request 2 waits for response 1, and request 4 for both and for 3.
        let waits = Waits {
            held: BTreeSet::from([1, 2, 3]),
            requests: BTreeMap::from([(2, BTreeSet::from([1])), (4, BTreeSet::from([1, 2, 3]))]),
            elements: BTreeMap::new(),
        };
        assert_eq!(waits.of_request(4).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(waits.of_request(2).collect::<Vec<_>>(), [1]);
        assert_eq!(waits.of_request(1).count(), 0);
    }
}
