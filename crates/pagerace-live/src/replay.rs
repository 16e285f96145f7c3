//! A recorded page as a site: every request gets what was recorded for it.
//!
//! **Which response.** A request means an exchange of the same method, host, path
//! and query; HEAD means GET where HEAD was not recorded. Scheme and port are of
//! no matter. If one URL was recorded several times, its responses come in order
//! and the last is repeated. If only the query differs, the exchange with the most
//! equal parameters is taken, then the one whose query begins alike for longest,
//! then the first: queries hold times and random numbers. (Mahimahi, ATC 2015,
//! takes the longest common beginning alone.) Anything else gets a 404 and is
//! [told](ReplaySite::unknown). A host that is an address or `localhost` means the
//! document's.
//!
//! **What is answered.** Status, fields and body as recorded, but:
//!
//! - fields of the connection that carried them are dropped (`connection`,
//!   `keep-alive`, `transfer-encoding` ..), and those that would lead elsewhere or
//!   outlive the replay (`alt-svc`, `strict-transport-security`, `nel`,
//!   `report-to`, `reporting-endpoints`);
//! - `content-encoding` and `content-length` say what is really sent: bodies are
//!   compressed again, by gzip, deflate or Brotli as recorded, Zstandard by Brotli;
//!   clients that do not take the coding get the body as it is;
//! - `location` with `http:` leads to `https:`, as servers here speak nothing else;
//! - 304 is answered by 200 where the recording has the body: caches are empty;
//! - parts (`range`) and conditional requests are answered from whole responses; a
//!   recorded 206 is sent as it is;
//! - preflight requests (CORS) that were not recorded are granted;
//! - bodies that the recording lacks are filler of the recorded size, without
//!   effect where the type allows it. [`ReplaySite::notes`] lists them.
//!
//! Left out: the content of requests (the first response to a POST of that URL is
//! sent, whatever was posted), trailers, interim responses, and failures below
//! HTTP, which become 404s.

mod adjust;
mod answer;
mod catalogue;
mod coding;
mod filler;
mod preflight;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use pagerace_core::Duration;
use pagerace_page::intervention::Failure;
use pagerace_page::{Recording, ResourceEffect};
use pagerace_peer::{Reply, Request, Site};

pub use adjust::ServedSize;
use answer::Answer;
use catalogue::Catalogue;

use crate::LiveError;
use crate::site::conditional::conditional;
use crate::site::unknown::Unknown;
use crate::site::{ServedSite, not_found};

/// Longer than any load: the think time of what is never answered.
pub const NEVER: Duration = Duration::from_secs(86_400);

/// Serves a recording. Clones share what they have answered.
#[derive(Clone, Debug)]
pub struct ReplaySite {
    recorded: Arc<Recorded>,
    /// How often each URL was asked for, by its place in the catalogue.
    asked: Arc<Mutex<BTreeMap<usize, usize>>>,
    unknown: Unknown,
    think_time: bool,
    /// By resource; empty if there are none.
    effects: Arc<Vec<ResourceEffect>>,
}

/// What does not change.
#[derive(Debug)]
struct Recorded {
    answers: Vec<Answer>,
    catalogue: Catalogue,
    /// The document's.
    host: String,
    hosts: Vec<String>,
    url: String,
    notes: Vec<String>,
}

impl ReplaySite {
    /// Prepares all answers; compresses bodies, on all processors.
    ///
    /// # Errors
    /// [`LiveError::NothingToServe`]: no exchange of the recording was answered.
    pub fn new(recording: &Recording) -> Result<Self, LiveError> {
        let page = &recording.page;
        let document = &page.resource(page.document);
        let origin = page.origin(document.origin);
        let (answers, notes) = answer::all(recording);
        if answers.is_empty() {
            return Err(LiveError::NothingToServe {
                page: page.name.clone(),
            });
        }
        let catalogue = Catalogue::new(&answers);
        let recorded = Recorded {
            hosts: catalogue.hosts(),
            host: origin.host.to_ascii_lowercase(),
            url: page.url.clone(),
            answers,
            catalogue,
            notes,
        };
        Ok(Self {
            recorded: Arc::new(recorded),
            asked: Arc::default(),
            unknown: Unknown::default(),
            think_time: true,
            effects: Arc::default(),
        })
    }

    /// Whether answers take the time that the recorded server took to think; they
    /// do unless turned off.
    #[must_use]
    pub fn with_think_time(mut self, think_time: bool) -> Self {
        self.think_time = think_time;
        self
    }

    /// What is done to each resource of the page, by its number. What is refused is
    /// the browser's to refuse; what hangs is answered after [`NEVER`].
    #[must_use]
    pub fn with_effects(mut self, effects: Vec<ResourceEffect>) -> Self {
        self.effects = Arc::new(effects);
        self
    }

    /// The same site as if nothing had been asked for yet: for the next load.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self {
            asked: Arc::default(),
            unknown: Unknown::default(),
            ..self.clone()
        }
    }

    /// The URL that was navigated to.
    pub fn url(&self) -> &str {
        &self.recorded.url
    }

    /// All hosts of the recording, in alphabetical order.
    pub fn hosts(&self) -> &[String] {
        &self.recorded.hosts
    }

    /// What cannot be replayed as it was: one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.recorded.notes
    }

    /// Requests for what was not recorded, so far: each once, in alphabetical
    /// order, at most 1,000.
    pub fn unknown(&self) -> Vec<String> {
        self.unknown.list()
    }

    /// The answer that is due for this request.
    fn choose(&self, method: &str, host: &str, target: &str) -> Option<&Answer> {
        let recorded = &self.recorded;
        let head = method == "HEAD";
        let found = recorded.catalogue.find(method, host, target).or_else(|| {
            recorded
                .catalogue
                .find("GET", host, target)
                .filter(|_| head)
        })?;
        // Whoever panicked left it whole: nothing in it spans two changes.
        let mut all = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = all.entry(found.place).or_default();
        let nth = (*asked).min(found.answers.len() - 1);
        // Looking at the head takes nothing away.
        *asked += usize::from(!head);
        Some(&recorded.answers[found.answers[nth]])
    }
}

impl Site for ReplaySite {
    fn reply(&mut self, request: &Request) -> Reply {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let method = text(&request.method);
        let host = host_of(&text(&request.authority));
        let target = text(&request.path);
        let known = self.recorded.catalogue.has_host(&host);
        let local = host == "localhost" || host.parse::<IpAddr>().is_ok();
        let looked_up = if local && !known {
            &self.recorded.host
        } else {
            &host
        };
        if let Some(answer) = self.choose(&method, looked_up, &target) {
            let mut reply = conditional(request, answer.reply(request));
            if !self.think_time {
                reply.think_time = Duration::ZERO;
            }
            let effect = answer.resource.and_then(|id| self.effects.get(id.index()));
            if let Some(effect) = effect {
                reply.think_time = match effect.block {
                    Some(Failure::Hang) => NEVER,
                    _ => reply.think_time + effect.delay,
                };
            }
            return reply;
        }
        if let Some(granted) = preflight::grant(request) {
            return granted;
        }
        self.unknown.note(request);
        not_found()
    }
}

impl ServedSite for ReplaySite {
    fn unknown(&self) -> Vec<String> {
        self.unknown()
    }
}

/// The host of an authority: without port and brackets, in lower case.
fn host_of(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
