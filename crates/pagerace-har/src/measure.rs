//! Sizes that bodies would have after changes, measured by encoding the recorded ones.

use std::path::Path;

use pagerace_core::Destination;
use pagerace_page::change::Measure;
use pagerace_page::model::MeasuredSize;
use pagerace_page::{Changes, Page, Resource, ResourceId};

use crate::coding::Coding;
use crate::edit::{inside, text};
use crate::error::ImportError;
use crate::har::{ImportOptions, load_recording};
use crate::recording::{Exchange, Recording};

impl Recording {
    /// Writes the sizes that `changes` need to `page`, as far as this recording of it holds the
    /// bodies.
    ///
    /// # Errors
    /// The recording of a dictionary cannot be read.
    pub fn measure(&self, page: &mut Page, changes: &Changes) -> Result<(), ImportError> {
        for change in changes.all() {
            let Some(measure) = change.measure() else {
                continue;
            };
            let selected = change.selected(page);
            for (id, bytes) in self.sizes(page, &selected, &measure)? {
                let (known, name) = (&mut page.resources[id.index()].measured, change.name());
                known.retain(|size| size.change != name);
                known.push(MeasuredSize {
                    change: name,
                    bytes,
                });
            }
        }
        Ok(())
    }

    /// Returns the sizes of those of the resources that can be measured.
    fn sizes(
        &self,
        page: &Page,
        of: &[ResourceId],
        measure: &Measure,
    ) -> Result<Vec<(ResourceId, u64)>, ImportError> {
        let all = of.iter().filter_map(|id| {
            let resource = page.resource(*id);
            Some((*id, resource, self.answering(resource)?))
        });
        Ok(match measure {
            Measure::Coding(name) => {
                let coding = Coding::standing_for(name);
                let bytes = |exchange: &Exchange| {
                    let body = exchange.body.as_ref()?;
                    Some(coding?.encode(body).len() as u64)
                };
                all.filter_map(|(id, _, exchange)| Some((id, bytes(exchange)?)))
                    .collect()
            }
            Measure::Picture(format) => {
                let bytes = |exchange: &Exchange| match *format {
                    "avif" => exchange.avif_bytes,
                    _ => exchange.webp_bytes,
                };
                all.filter_map(|(id, _, exchange)| Some((id, bytes(exchange)?)))
                    .collect()
            }
            Measure::Inside | Measure::FirstScreen => {
                let Some(document) = self.answering(page.resource(page.document)) else {
                    return Ok(Vec::new());
                };
                let Some(html) = text(document) else {
                    return Ok(Vec::new());
                };
                let before = length(document, html);
                all.filter_map(|(id, resource, exchange)| {
                    let is_known = matches!(
                        resource.destination,
                        Destination::Style | Destination::Script
                    );
                    let body = match measure {
                        Measure::FirstScreen => exchange.first_screen.as_deref(),
                        _ => text(exchange),
                    };
                    let body = body.filter(|_| is_known)?;
                    let element = inside::element(resource.destination, body, &exchange.url);
                    let after = length(document, &format!("{html}{element}"));
                    Some((id, after.saturating_sub(before)))
                })
                .collect()
            }
            Measure::Joined => {
                let mut joined: Vec<(&str, &Exchange)> = Vec::new();
                let mut before = 0;
                all.filter_map(|(id, resource, exchange)| {
                    joined.push((text(exchange)?, exchange));
                    let parts = joined.iter().map(|(body, exchange)| (*body, &exchange.url));
                    let whole = inside::joined(resource.destination, parts);
                    let length = length(joined[0].1, &whole);
                    let added = length.saturating_sub(before);
                    before = length;
                    Some((id, added))
                })
                .collect()
            }
            Measure::Dictionary(file) => {
                let old = load_recording(Path::new(file), &ImportOptions::default())?;
                all.filter_map(|(id, resource, exchange)| {
                    let body = exchange.body.as_ref()?;
                    let earlier = old.earlier(resource)?.body.as_ref()?;
                    // A dictionary is what stands before the body in the coding's window.
                    let both = [earlier.as_ref(), body.as_ref()].concat();
                    let alone = Coding::Brotli.encode(earlier).len();
                    let added = Coding::Brotli.encode(&both).len().saturating_sub(alone);
                    Some((id, added as u64))
                })
                .collect()
            }
        })
    }

    /// Returns the exchange that answers the request for a resource.
    fn answering(&self, resource: &Resource) -> Option<&Exchange> {
        let url = without_fragment(&resource.url);
        let mut all = self.exchanges.iter();
        all.find(|one| without_fragment(one.url.as_str()) == url && one.body.is_some())
    }

    /// Returns the exchange of an earlier version of a resource: the same URL, or the same but for
    /// numbers and hashes in its path.
    fn earlier(&self, resource: &Resource) -> Option<&Exchange> {
        let pattern = |url: &str| {
            let path = url.split(['?', '#']).next().unwrap_or(url);
            let part = |part: &str| {
                let is_number = part.bytes().any(|byte| byte.is_ascii_digit());
                if is_number { "*" } else { part }.to_owned()
            };
            let parts = path.split_inclusive(['/', '.', '-', '_']);
            parts.map(part).collect::<String>()
        };
        let wanted = pattern(&resource.url);
        self.answering(resource).or_else(|| {
            let mut all = self.exchanges.iter();
            all.find(|one| one.body.is_some() && pattern(one.url.as_str()) == wanted)
        })
    }
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// Returns the bytes of a text in the content coding of an exchange.
fn length(exchange: &Exchange, text: &str) -> u64 {
    let mut fields = exchange.fields.iter();
    let coding = fields.find(|(name, _)| name == "content-encoding");
    let coding = coding.and_then(|(_, value)| Coding::standing_for(value));
    coding.map_or(text.len(), |coding| coding.encode(text.as_bytes()).len()) as u64
}
