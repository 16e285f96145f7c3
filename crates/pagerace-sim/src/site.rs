//! The recorded page as a site: requests by number, answers of recorded size.

use std::sync::Arc;

use bytes::Bytes;
use pagerace_browser::Cached;
use pagerace_core::{Duration, Priority, Rng};
use pagerace_delivery::Facts;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_http::fields::{self, filler_fields, text_size};
use pagerace_page::intervention::Failure;
use pagerace_page::{Page, Resource, ResourceEffect, ResourceId};
use pagerace_peer::{Body, Reply, Request, Site};

/// How long a server thinks that never answers: decades, beyond any deadline.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);

/// Serves the resources of a page with their recorded sizes and think times.
#[derive(Clone, Debug)]
pub(crate) struct PageSite {
    page: Arc<Page>,
    seed: u64,
    jitter: f64,
    /// What the browser has, by resource; empty if nothing.
    cached: Arc<Vec<Cached>>,
    /// What is done to its requests, by resource; empty if nothing.
    effects: Arc<Vec<ResourceEffect>>,
    /// What the page makes of its objects, by resource; empty if it needs all.
    natures: Arc<Vec<Nature>>,
    /// Requests since the last look, with their think times and `priority` fields.
    asked: Vec<(ResourceId, Duration, Priority)>,
}

impl PageSite {
    /// `jitter`: sigma of the log-normal factor on think times. `cached`: what
    /// the browser asks for only to see whether it has changed. `effects`: whose
    /// answers are late or never come. `natures`: what the reliability policy is told.
    pub(crate) fn new(
        page: Arc<Page>,
        seed: u64,
        jitter: f64,
        cached: Arc<Vec<Cached>>,
        effects: Arc<Vec<ResourceEffect>>,
        natures: Arc<Vec<Nature>>,
    ) -> Self {
        Self {
            page,
            seed,
            jitter,
            cached,
            effects,
            natures,
            asked: Vec::new(),
        }
    }

    /// Requests that were answered since the last call, with their think times and
    /// `priority` fields.
    pub(crate) fn take_asked(&mut self) -> Vec<(ResourceId, Duration, Priority)> {
        std::mem::take(&mut self.asked)
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
        // One stream of randomness per resource: whatever else a variant
        // changes, this resource's server draws the same.
        let mut rng = Rng::new(self.seed, &format!("think/{}", r.id.0));
        let unchanged = self.cached.get(r.id.index()) == Some(&Cached::Validate);
        let (status, body) = if unchanged {
            (304, 0)
        } else {
            (r.status.clamp(200, 599), r.body_bytes)
        };
        let status = Field::new(":status", status.to_string());
        let own = r.think_time.mul_f64(rng.lognormal(self.jitter));
        let effect = self.effects.get(r.id.index()).copied().unwrap_or_default();
        let reply = Reply {
            think_time: match effect.block {
                Some(Failure::Hang) => FOR_EVER,
                _ => own + effect.delay,
            },
            fields: filled(vec![status], r.response_header_bytes),
            body: Body::Filler(body),
            facts: Facts {
                destination: r.destination,
                script_mode: r.script_mode,
                class: r.priority,
                render_blocking: r.render_blocking,
            },
            nature: self.natures.get(r.id.index()).copied().unwrap_or_default(),
        };
        let asked = (r.id, reply.think_time, request.priority);
        // What repairs an answer is no request of its own.
        if fields::get(&request.fields, "range").is_none() {
            self.asked.push(asked);
        }
        reply
    }
}

/// The fields of the request for a resource.
pub(crate) fn request_fields(page: &Page, id: ResourceId) -> Vec<Field> {
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
    filled(fields, r.request_header_bytes)
}

/// `fields` and filler, to a text size of `bytes`.
fn filled(mut fields: Vec<Field>, bytes: u32) -> Vec<Field> {
    let missing = u64::from(bytes).saturating_sub(text_size(&fields));
    fields.extend(filler_fields(missing as u32));
    fields
}
