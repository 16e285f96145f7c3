//! Experiments that find the requests and elements which wait for a script or for data.
//!
//! Initiators name a function that made a request, not what called it, and nothing in a trace
//! connects an element with the script that made it and the data that it shows. An experiment does:
//! a load holds one response back until the page is quiet, and then releases it. What comes only
//! then waits for that response.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Duration, Instant};
use pagerace_har::domain::registrable;
use pagerace_har::extension::Element;
use serde_json::{Value, json};
use url::Url;

use super::collect::is_page_idle;
use super::har::{self, Load};
use super::layout::{self, STYLES};
use super::log::{Log, Request};
use crate::{Browser, ChromiumError, Event, Session};

/// The maximum numbers of data and of scripts that are held back, each in a load of its own.
const DATA_MAX: usize = 12;
const SCRIPTS_MAX: usize = 24;

/// The number of loads at a time. They mostly wait.
const AT_ONCE: usize = 4;

/// The time without events of the network after which a page counts as quiet.
pub(super) const LULL: Duration = Duration::from_millis(400);

/// The maximum time of a load until the release, and again of what follows it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time after the navigation up to which a load waits for what the recorded one requested.
const LATE: Duration = Duration::from_secs(5);

/// The least number of texts and images of the markup in the viewport, and the largest share of
/// them that a load shows, if scripts hide the page.
const CONTENT_MIN: usize = 3;
const HIDDEN_SHARE: f64 = 0.2;

/// The time after the navigation up to which a load waits for a hidden page to be shown anyway.
const HIDDEN_MAX: Duration = Duration::from_secs(6);

/// The time between two looks at a page that may be hidden.
const LOOK: Duration = Duration::from_millis(100);

/// The time for which each load listens before another one has its turn.
const TURN: Duration = Duration::from_millis(5);

/// A name of a request that is the same in all loads of the page: method, URL, body, and its number
/// among those that are alike.
pub(super) type Name = (String, String, String, usize);

/// The requests and elements that wait for responses. Indices are those of the requests of the
/// recorded load.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    /// The requests whose responses were held back.
    pub(super) held: BTreeSet<usize>,
    /// The responses that each request waits for.
    requests: BTreeMap<usize, BTreeSet<usize>>,
    /// The responses that each element waits for.
    elements: BTreeMap<layout::Name, BTreeSet<usize>>,
    /// The script without which the page stays hidden, and the milliseconds since the navigation
    /// after which it is shown anyway.
    pub(super) hidden_by: Option<(usize, Option<f64>)>,
    /// Elements of the markup that the page shows until a response has come, and not at the end.
    transient: BTreeMap<layout::Name, Element>,
}

impl Waits {
    /// Returns the responses that a request waits for; `None` if no experiment made it.
    pub(super) fn of_request(&self, request: usize) -> Option<Vec<usize>> {
        self.requests.get(&request).map(|all| self.last(all))
    }

    /// Returns the elements of the markup that scripts remove again.
    pub(super) fn transient(&self) -> impl Iterator<Item = Element> {
        let all = self.transient.iter();
        let gone = all.filter(|(name, _)| !self.elements.contains_key(*name));
        gone.map(|(_, element)| Element {
            transient: true,
            ..element.clone()
        })
    }

    /// Returns the responses that an element waits for; `None` if no experiment showed it.
    pub(super) fn of_element(&self, name: &layout::Name) -> Option<Vec<usize>> {
        self.elements.get(name).map(|all| self.last(all))
    }

    /// Adds the requests and elements that an experiment with the request `held` had at its end,
    /// and whether they wait for its response.
    fn add(
        &mut self,
        held: usize,
        requests: impl Iterator<Item = (usize, bool)>,
        elements: impl Iterator<Item = (layout::Name, bool)>,
    ) {
        self.held.insert(held);
        for (request, waits) in requests {
            let all = self.requests.entry(request).or_default();
            all.extend(waits.then_some(held));
        }
        for (name, waits) in elements {
            let all = self.elements.entry(name).or_default();
            all.extend(waits.then_some(held));
        }
    }

    /// Leaves out responses that another one of them waits for.
    fn last(&self, all: &BTreeSet<usize>) -> Vec<usize> {
        let leads = |one: &usize, other: &usize| {
            let before = self.requests.get(other);
            before.is_some_and(|before| before.contains(one))
        };
        let is_last = |one: &&usize| !all.iter().any(|other| leads(one, other));
        all.iter().filter(is_last).copied().collect()
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
    let begun = load.requests.first().map_or(0.0, |first| first.started);
    // The time since the first request.
    let asked =
        |i: usize| Duration::from_millis_f64((load.requests[i].started - begun).max(0.0) * 1e3);
    let last = (0..names.len()).map(asked).filter(|at| *at <= LATE).max();
    let content = content(load);
    let mut waits = Waits::default();
    let mut left = held.iter();
    let mut running: Vec<(usize, Experiment<'_>)> = Vec::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(&next) = left.next()
        {
            let is_script = load.requests[next].kind == "Script";
            let content = Some(&content).filter(|_| is_script);
            let last = last.unwrap_or_default();
            let begin = Experiment::begin(browser, url, &names[next], last, content);
            running.extend(unless_failed(begin)?.map(|begin| (next, begin)));
        }
        if running.is_empty() {
            return Ok(waits);
        }
        let mut over = Vec::new();
        for (held, experiment) in &mut running {
            let progress = unless_failed(experiment.run(load))?.unwrap_or(Progress::Failed);
            if !matches!(progress, Progress::Running) {
                over.push(*held);
            }
            if let Progress::Over(found) = progress {
                let is_known = |i: &usize| i != held && found.requests.1.contains(&names[*i]);
                if let Some(hidden) = found.hidden {
                    let limit = hidden.until.map(Duration::as_millis_f64);
                    waits.hidden_by.get_or_insert((*held, limit));
                }
                // A request that comes later anyway may come after the release by chance.
                let waits_for =
                    |i: usize| !found.requests.0.contains(&names[i]) && asked(i) <= found.released;
                let requests = (0..names.len()).filter(is_known);
                let (shown, after) = found.elements;
                let before: BTreeSet<_> = shown.keys().cloned().collect();
                let whole = shown.into_iter();
                let whole = whole.filter_map(|(name, element)| Some((name, element?)));
                waits.transient.extend(whole);
                let elements = after.into_iter().map(|name| {
                    let waits = !before.contains(&name);
                    (name, waits)
                });
                waits.add(*held, requests.map(|i| (i, waits_for(i))), elements);
            }
        }
        running.retain(|(held, _)| !over.contains(held));
    }
}

/// Returns `None` for an error of one load, such as that of a page that goes on to another address.
/// The recording does not depend on it.
fn unless_failed<T>(result: Result<T, ChromiumError>) -> Result<Option<T>, ChromiumError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ ChromiumError::Ended { .. }) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the requests for scripts and data whose responses may lead to something, the most
/// important first: those of the page's own site, and large ones.
pub(super) fn candidates(load: &Load) -> Vec<usize> {
    let site = |url: &str| {
        let url = Url::parse(url).ok();
        url.and_then(|url| Some(registrable(url.host_str()?).to_owned()))
    };
    let own = site(&load.url);
    let frame = load.requests.first().and_then(|r| r.frame.as_deref());
    let is_used = |request: &Request| {
        request.frame.as_deref() == frame
            && request.ended.is_some()
            && request.failed.is_none()
            && !request.redirected
            && !request.from_memory
    };
    let of = |kinds: &[&str], max: usize| {
        let is_one = |i: &usize| kinds.contains(&load.requests[*i].kind.as_str());
        let all = (0..load.requests.len()).filter(is_one);
        let mut all: Vec<usize> = all.filter(|&i| is_used(&load.requests[i])).collect();
        all.sort_by_key(|&i| {
            let request = &load.requests[i];
            let bytes: u64 = request.chunks.iter().map(|chunk| chunk.bytes).sum();
            (site(&request.url) != own, std::cmp::Reverse(bytes))
        });
        all.truncate(max);
        all
    };
    [
        of(&["XHR", "Fetch"], DATA_MAX),
        of(&["Script"], SCRIPTS_MAX),
    ]
    .concat()
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

/// The requests and elements of a load before the release of a response, and after it.
struct Found {
    /// The time from the navigation to the release.
    released: Duration,
    requests: (BTreeSet<Name>, BTreeSet<Name>),
    elements: (Elements, BTreeSet<layout::Name>),
    /// Set if the page was hidden.
    hidden: Option<Hidden>,
}

/// A page that was hidden without a response.
#[derive(Clone, Copy)]
struct Hidden {
    /// The time since the navigation at which it was shown nevertheless.
    until: Option<Duration>,
}

/// The visible elements; see [`layout::named`].
type Elements = BTreeMap<layout::Name, Option<Element>>;

/// The state of an experiment.
enum Progress {
    Running,
    Over(Found),
    /// The load does not make the request, or is never quiet.
    Failed,
}

/// A load of the page without one response, until it is quiet and again after the response is
/// released.
struct Experiment<'a> {
    session: Session,
    watcher: Watcher<'a>,
    /// The load waits for as long before it releases the response.
    least: Duration,
    begin: Instant,
    /// The time of the last look at the elements.
    looked: Instant,
    /// The texts and images that the recorded load shows in the end, if the page may be hidden.
    content: Option<&'a BTreeSet<layout::Name>>,
    /// See [`Found::hidden`].
    hidden: Option<Hidden>,
    /// The time of the release, and what there was before.
    released: Option<(Instant, BTreeSet<Name>, Elements)>,
}

impl<'a> Experiment<'a> {
    /// Begins a load without the response of the request `name`.
    fn begin(
        browser: &mut Browser,
        url: &str,
        name: &'a Name,
        least: Duration,
        content: Option<&'a BTreeSet<layout::Name>>,
    ) -> Result<Self, ChromiumError> {
        let mut session = browser.page()?;
        session.call("Network.enable", json!({}))?;
        session.call("DOMSnapshot.enable", json!({}))?;
        let pattern = json!({"urlPattern": exactly(&name.1), "requestStage": "Response"});
        session.call("Fetch.enable", json!({"patterns": [pattern]}))?;
        let begin = session.now();
        session.navigate(url)?;
        Ok(Self {
            watcher: Watcher::new(name, session.now()),
            session,
            least,
            begin,
            looked: begin,
            content,
            hidden: None,
            released: None,
        })
    }

    /// Goes on with the load.
    fn run(&mut self, load: &Load) -> Result<Progress, ChromiumError> {
        let session = &mut self.session;
        while let Some(event) = session.next_event(TURN)? {
            self.watcher.handle(session, &event)?;
        }
        let now = session.now();
        let since = self.released.as_ref().map_or(self.begin, |(at, ..)| *at);
        if now.since(since) >= PATIENCE {
            return Ok(Progress::Failed);
        }
        let is_early = self.released.is_none() && now.since(self.begin) < self.least + LULL;
        // A hidden page may be shown before the last request is made.
        let looks = self.content.is_some() && now.since(self.looked) >= LOOK;
        if is_early && !looks || !self.watcher.is_quiet(session)? {
            return Ok(Progress::Running);
        }
        self.looked = now;
        let snapshot = session.call(
            "DOMSnapshot.captureSnapshot",
            json!({"computedStyles": STYLES}),
        )?;
        // Places in the markup take long to find.
        let shown: BTreeSet<_> = named(&snapshot, load, false).into_keys().collect();
        if self.released.is_none() {
            let since = now.since(self.begin);
            if self
                .content
                .is_some_and(|content| is_hidden(content, &shown))
            {
                let is_parsed = session.evaluate("document.readyState !== 'loading'")? == true;
                if is_parsed && since < HIDDEN_MAX {
                    self.hidden = Some(Hidden { until: None });
                    return Ok(Progress::Running);
                }
            } else if let Some(hidden) = &mut self.hidden {
                hidden.until.get_or_insert(since);
            }
            if is_early {
                return Ok(Progress::Running);
            }
        }
        let asked = self.watcher.seen();
        if let Some((at, requests, elements)) = self.released.take() {
            return Ok(Progress::Over(Found {
                released: at.since(self.begin),
                requests: (requests, asked),
                elements: (elements, shown),
                hidden: self.hidden,
            }));
        }
        let Some(paused) = self.watcher.paused.take() else {
            return Ok(Progress::Failed);
        };
        session.call("Fetch.continueRequest", json!({"requestId": paused}))?;
        self.watcher.last_activity = session.now();
        self.released = Some((session.now(), asked, named(&snapshot, load, true)));
        Ok(Progress::Running)
    }
}

/// Returns the texts and images of the markup that the recorded load shows in the end.
fn content(load: &Load) -> BTreeSet<layout::Name> {
    let all = named(&load.snapshot, load, true).into_iter();
    all.filter_map(|(name, element)| element.map(|_| name))
        .collect()
}

/// Returns true if hardly anything of this content is shown.
fn is_hidden(content: &BTreeSet<layout::Name>, shown: &BTreeSet<layout::Name>) -> bool {
    let seen = content.intersection(shown);
    content.len() >= CONTENT_MIN && seen.count() as f64 <= HIDDEN_SHARE * content.len() as f64
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

/// Returns the elements that are visible, with their places in the markup if `places` is set.
fn named(snapshot: &Value, load: &Load, places: bool) -> Elements {
    let base = load.paints["base"]
        .as_str()
        .and_then(|b| Url::parse(b).ok());
    let document = har::main_document(load).filter(|_| places);
    base.map_or_else(BTreeMap::new, |base| {
        let context = layout::Context {
            document: &base,
            html: document.and_then(|i| load.bodies[i].as_ref()?.as_text()),
            faces: &[],
            requested: &|_| false,
            images: &load.trace.images,
            histories: &BTreeMap::new(),
            waits: &|_| None,
            viewport: load.viewport,
        };
        layout::named(snapshot, &context)
    })
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

    /// Returns true if nothing happens on the network, and scripts have nothing to do.
    fn is_quiet(&self, session: &mut Session) -> Result<bool, ChromiumError> {
        // A paused request may not be in the log yet.
        let open = self.log.open();
        let open = open.saturating_sub(self.paused.is_some().into());
        let is_idle = open == 0 && session.now().since(self.last_activity) >= LULL;
        Ok(is_idle && is_page_idle(session)?)
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
            requests: BTreeMap::from([
                (1, BTreeSet::new()),
                (2, BTreeSet::from([1])),
                (4, BTreeSet::from([1, 2, 3])),
            ]),
            ..Waits::default()
        };
        assert_eq!(waits.of_request(4), Some(vec![2, 3]));
        assert_eq!(waits.of_request(2), Some(vec![1]));
        assert_eq!(waits.of_request(1), Some(vec![]));
        assert_eq!(waits.of_request(3), None, "no experiment made it");
    }
}
