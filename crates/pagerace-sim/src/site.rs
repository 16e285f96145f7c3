//! The recorded page as a site: requests by resource number, responses of recorded size.

use std::sync::Arc;

use bytes::Bytes;
use pagerace_browser::Cached;
use pagerace_core::{Destination, Duration, Priority, RequestPriority, Rng};
use pagerace_delivery::Facts;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_http::fields::{self, filler_fields, text_size};
use pagerace_page::intervention::Failure;
use pagerace_page::{CacheUse, Page, Resource, ResourceEffect, ResourceId};
use pagerace_peer::{Body, Reply, Reprioritisation, Request, Site};

use crate::reliability::natures;
use crate::scenario::Scenario;
use crate::visit::Visit;
use crate::world::World;

/// Think time of a server that never answers: three decades, beyond any deadline.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);

/// Serves the resources of a page with their recorded sizes and think times.
#[derive(Clone, Debug)]
pub(crate) struct PageSite {
    page: Arc<Page>,
    seed: u64,
    /// Sigma of the log-normal factor on think times.
    jitter: f64,
    /// True if the server knows which images the browser will raise.
    hints: bool,
    world: World,
    /// State of the browser's cache, by resource.
    pub(crate) cached: Arc<Vec<Cached>>,
    /// Interventions on requests, by resource; empty if there are none.
    pub(crate) effects: Arc<Vec<ResourceEffect>>,
    /// Role of each object in the page, by resource; empty if all are essential.
    natures: Arc<Vec<Nature>>,
    /// Requests since the last call of [`take_asked`](Self::take_asked), with their think
    /// times and `priority` fields.
    asked: Vec<(ResourceId, Duration, Priority)>,
}

impl PageSite {
    pub(crate) fn new(scenario: &Scenario, seed: u64) -> Self {
        let page = &scenario.page;
        let cached = |r: &Resource| match (scenario.visit, r.cache) {
            (Visit::Warm, CacheUse::Fresh) => Cached::Fresh,
            (Visit::Warm, CacheUse::Validate) => Cached::Validate,
            _ => Cached::No,
        };
        Self {
            page: page.clone(),
            seed,
            jitter: scenario.browser.jitter,
            hints: scenario.settings.reprioritisation == Reprioritisation::Hints,
            world: scenario.world,
            cached: Arc::new(page.resources.iter().map(cached).collect()),
            effects: Arc::new(if scenario.interventions.is_empty() {
                Vec::new()
            } else {
                scenario.interventions.of_page(page)
            }),
            natures: Arc::new(natures(scenario)),
            asked: Vec::new(),
        }
    }

    /// Returns the requests answered since the last call, with their think times and
    /// `priority` fields.
    pub(crate) fn take_asked(&mut self) -> Vec<(ResourceId, Duration, Priority)> {
        std::mem::take(&mut self.asked)
    }

    /// Returns the `Link` fields of a 103 response before that of the document.
    fn early_hints(&self, id: ResourceId) -> Vec<Field> {
        if id != self.page.document {
            return Vec::new();
        }
        let links = self.page.early_links();
        links.map(|link| Field::new("link", link)).collect()
    }

    /// Returns the class that the server knows of a resource.
    fn class(&self, r: &Resource) -> RequestPriority {
        let is_raised = r.destination == Destination::Image && r.in_viewport;
        if self.hints && is_raised {
            r.priority.min(RequestPriority::High)
        } else {
            r.priority
        }
    }

    fn resource(&self, path: &[u8]) -> Option<&Resource> {
        let number = std::str::from_utf8(path.strip_prefix(b"/")?).ok()?;
        self.page.resources.get(number.parse::<usize>().ok()?)
    }
}

impl Site for PageSite {
    fn reply(&mut self, request: &Request) -> Reply {
        let Some(r) = self.resource(&request.path) else {
            unreachable!("the browser model asks only for resources of the page");
        };
        // Each host has its own random stream, so that its server draws the same values whatever
        // else a variant changes. Its load changes all its responses, and not their order.
        let mut rng = Rng::new(self.seed, &format!("think/{}", r.origin.0));
        let unchanged = self.cached.get(r.id.index()) == Some(&Cached::Validate);
        let (status, body) = match r.status.clamp(200, 599) {
            _ if unchanged => (304, 0),
            // A recorded 304 with content stands for the response that the recording browser
            // had in its cache.
            304 if r.body_bytes > 0 => (200, r.body_bytes),
            status => (status, r.body_bytes),
        };
        let status = Field::new(":status", status.to_string());
        let usual = self.world.think_time(r.think_time);
        let own = usual.mul_f64(rng.lognormal(self.jitter));
        let effect = self.effects.get(r.id.index()).copied().unwrap_or_default();
        let reply = Reply {
            think_time: match effect.block {
                Some(Failure::Hang) => FOR_EVER,
                _ => own + effect.delay,
            },
            early: self.early_hints(r.id),
            fields: filled(vec![status], r.response_header_bytes),
            body: Body::Filler(body),
            facts: Facts {
                destination: r.destination,
                script_mode: r.script_mode,
                class: self.class(r),
                render_blocking: r.render_blocking,
                served: r.served_priority,
            },
            nature: self.natures.get(r.id.index()).copied().unwrap_or_default(),
        };
        let asked = (r.id, reply.think_time, request.priority);
        // A range request repairs an earlier response and is not a request of the page.
        if fields::get(&request.fields, "range").is_none() {
            self.asked.push(asked);
        }
        reply
    }
}

/// Text of the fields that differ between requests for resources of different kinds: `accept`,
/// `sec-fetch-dest`, `sec-fetch-mode` and `priority`.
///
/// # Source
/// Chromium 156 on the emulated link: the first request for a style sheet or script of a page took
/// 148 to 167 bytes of TCP's payload, and further ones 77 to 79. With this value, the model's take
/// as much.
const KIND_BYTES: u64 = 125;

/// The fields of a request that an earlier one of its connection has sent already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The request is the first, or its connection has no table of earlier fields.
    None,
    /// Those that all requests of the browser have in common.
    Common,
    /// Those of requests for resources of the same kind, too.
    Kind,
}

/// Returns the header fields of the request for a resource. Over HTTP/2, browsers send a field that
/// they have sent before as a reference of one byte (RFC 7541, section 2.3.2), and what remains is
/// mostly the path. Our encoder writes no such references. It writes the authority in full, whose
/// bytes stand for them.
pub(crate) fn request_fields(page: &Page, id: ResourceId, sent: Sent) -> Vec<Field> {
    let r = page.resource(id);
    let fields = vec![
        Field::new(":method", Bytes::copy_from_slice(r.method.as_bytes())),
        Field::from_static(":scheme", "https"),
        Field::new(
            ":authority",
            Bytes::copy_from_slice(page.origin(r.origin).host.as_bytes()),
        ),
        Field::new(":path", format!("/{}", id.0)),
    ];
    let whole = u64::from(r.request_header_bytes);
    // The filler stands for the path, whose place the number of the resource takes.
    let path = r.url.splitn(4, '/').nth(3).map_or(0, str::len);
    let path = path.saturating_sub(page.origin(r.origin).host.len()) as u64;
    let bytes = match sent {
        Sent::None => whole,
        Sent::Common => whole.min(text_size(&fields) + path + KIND_BYTES),
        Sent::Kind => whole.min(text_size(&fields) + path),
    };
    filled(fields, bytes as u32)
}

/// Returns `fields` with filler appended, up to a text size of `bytes`.
fn filled(mut fields: Vec<Field>, bytes: u32) -> Vec<Field> {
    let missing = u64::from(bytes).saturating_sub(text_size(&fields));
    fields.extend(filler_fields(missing as u32));
    fields
}
