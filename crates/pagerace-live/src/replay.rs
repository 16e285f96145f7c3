//! A recorded page as a site: every request gets its recorded response.
//!
//! **Matching.** A request matches an exchange with the same method, host, path and
//! query; HEAD matches GET if no HEAD was recorded. Scheme and port are ignored. If a URL
//! was recorded several times, its responses are sent in order and the last one is
//! repeated. If only the query differs, queries are ranked by the number of equal
//! parameters, then by the length of the common prefix, then by their order in the
//! recording, because queries contain times and random numbers. (Mahimahi, ATC 2015, uses
//! only the longest common prefix.) Any other request gets a 404 and is
//! [listed](ReplaySite::unknown). An unrecorded host that is an address or `localhost`
//! stands for the document's host.
//!
//! **Responses.** Status, fields and body are as recorded, with these exceptions:
//!
//! - Fields of the recorded connection are dropped (`connection`, `keep-alive`,
//!   `transfer-encoding` ..), as are fields that would lead elsewhere or outlive the
//!   replay (`alt-svc`, `strict-transport-security`, `nel`, `report-to`,
//!   `reporting-endpoints`).
//! - `content-encoding` and `content-length` describe the bytes that are sent. Bodies are
//!   compressed again with gzip, deflate or Brotli as recorded, and with Brotli instead
//!   of Zstandard. Clients that do not accept the coding get the body uncompressed.
//! - A `location` with `http:` is changed to `https:`, as these servers speak nothing
//!   else.
//! - A 304 becomes a 200 if the recording has the body, as caches are empty.
//! - Range and conditional requests are answered from complete responses. A recorded 206
//!   is sent unchanged.
//! - CORS preflight requests that were not recorded are granted.
//! - Bodies that the recording lacks are replaced by filler of the recorded size, which
//!   has no effect if the media type allows that. [`ReplaySite::notes`] lists them.
//!
//! Left out: the content of requests (a POST gets the next recorded response to a POST of
//! its URL, whatever its content), trailers, recorded interim responses, and failures below HTTP,
//! which become 404s.

mod adjust;
mod answer;
mod catalogue;
mod filler;
mod preflight;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use pagerace_core::Duration;
use pagerace_har::Recording;
use pagerace_http::fields;
use pagerace_page::intervention::Failure;
use pagerace_page::{ResourceEffect, ResourceId};
use pagerace_peer::{Reply, Request, Site};

pub use adjust::ServedSize;
use answer::Answer;
use catalogue::Catalogue;

use crate::LiveError;
use crate::site::conditional::conditional;
use crate::site::unknown::Unknown;
use crate::site::{ServedSite, not_found};

/// Think time of requests that are never answered, longer than any load.
pub const NEVER: Duration = Duration::from_secs(86_400);

/// A site that serves a recording. Clones share the positions in repeated responses.
#[derive(Clone, Debug)]
pub struct ReplaySite {
    recorded: Arc<Recorded>,
    asked: Arc<Mutex<Asked>>,
    unknown: Unknown,
    think_time: bool,
    restarts: bool,
    /// Interventions by resource; empty if there are none.
    effects: Arc<Vec<ResourceEffect>>,
}

/// The requests of a load so far.
#[derive(Debug, Default)]
struct Asked {
    /// The number of requests for each URL, by its place in the catalogue.
    counts: BTreeMap<usize, usize>,
    /// True once a navigation has got the document, at the end of its redirects.
    has_document: bool,
}

/// The immutable part of a site.
#[derive(Debug)]
struct Recorded {
    answers: Vec<Answer>,
    catalogue: Catalogue,
    document: ResourceId,
    /// The host of the document.
    host: String,
    hosts: Vec<String>,
    notes: Vec<String>,
}

impl ReplaySite {
    /// Prepares all answers. Bodies are compressed on all processors.
    ///
    /// # Errors
    /// [`LiveError::NothingToServe`]: the recording has no exchange with a response.
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
            document: page.document,
            host: origin.host.to_ascii_lowercase(),
            answers,
            catalogue,
            notes,
        };
        Ok(Self {
            recorded: Arc::new(recorded),
            asked: Arc::default(),
            unknown: Unknown::default(),
            think_time: true,
            restarts: false,
            effects: Arc::default(),
        })
    }

    /// Sets whether answers take the think time of the recorded server, which is the
    /// default.
    #[must_use]
    pub fn with_think_time(mut self, think_time: bool) -> Self {
        self.think_time = think_time;
        self
    }

    /// Makes the site serve several loads one after the other: with each navigation to the page's
    /// URL, repeated URLs begin with their first response again. The requests must say that they
    /// navigate (`sec-fetch-dest`).
    #[must_use]
    pub fn with_restarts(mut self) -> Self {
        self.restarts = true;
        self
    }

    /// Sets the interventions by resource of the page. Refused requests are left to the
    /// browser; hanging ones are answered after [`NEVER`].
    #[must_use]
    pub(crate) fn with_effects(mut self, effects: Vec<ResourceEffect>) -> Self {
        self.effects = Arc::new(effects);
        self
    }

    /// Returns a copy of the site without request history, for the next load.
    #[must_use]
    pub(crate) fn renewed(&self) -> Self {
        Self {
            asked: Arc::default(),
            unknown: Unknown::default(),
            ..self.clone()
        }
    }

    /// Returns all hosts of the recording, in alphabetical order.
    pub fn hosts(&self) -> &[String] {
        &self.recorded.hosts
    }

    /// Returns notes on responses that cannot be replayed as recorded, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.recorded.notes
    }

    /// Returns the requests so far that the recording does not have: each once, in
    /// alphabetical order, at most 1,000.
    pub fn unknown(&self) -> Vec<String> {
        self.unknown.list()
    }

    /// Returns the next answer to this request. `navigates` is true if it navigates.
    fn choose(
        &self,
        (method, host, target): (&str, &str, &str),
        navigates: bool,
    ) -> Option<&Answer> {
        let recorded = &self.recorded;
        let head = method == "HEAD";
        let found = recorded.catalogue.find(method, host, target).or_else(|| {
            recorded
                .catalogue
                .find("GET", host, target)
                .filter(|_| head)
        })?;
        // A panic elsewhere leaves the map intact, as no change to it has several steps.
        let mut all = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let first = &recorded.answers[found.answers[0]];
        let begins = navigates && first.resource == Some(ResourceId(0)) && all.has_document;
        if self.restarts && begins {
            *all = Asked::default();
        }
        let asked = all.counts.entry(found.place).or_default();
        let nth = (*asked).min(found.answers.len() - 1);
        // A HEAD request does not consume a response.
        *asked += usize::from(!head);
        let answer = &recorded.answers[found.answers[nth]];
        all.has_document |= navigates && answer.resource == Some(recorded.document);
        Some(answer)
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
        let to = fields::get(&request.fields, "sec-fetch-dest");
        let navigates = to.is_some_and(|to| to == b"document".as_slice());
        if let Some(answer) = self.choose((&method, looked_up, &target), navigates) {
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

/// Returns the host of an authority in lower case, without port and brackets.
fn host_of(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
