//! A page with the sizes that are really served, so that what is predicted is what
//! is observed.

use std::collections::BTreeMap;

use pagerace_core::Duration;
use pagerace_page::{Page, ResourceId, Trigger};

use super::ReplaySite;

/// The size of a response as a browser gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedSize {
    /// Bytes of the body, encoded.
    pub body_bytes: u64,
    /// Bytes of the body, decoded.
    pub decoded_bytes: u64,
    /// Bytes of the field section as text, as [`pagerace_page::Resource`] counts.
    pub header_bytes: u64,
}

impl ReplaySite {
    /// What is served for each resource of the page.
    pub fn served_sizes(&self) -> BTreeMap<ResourceId, ServedSize> {
        let mut sizes = BTreeMap::new();
        for answer in &self.recorded.answers {
            let Some(id) = answer.resource else { continue };
            let (body_bytes, decoded_bytes) = answer.sizes();
            sizes.entry(id).or_insert(ServedSize {
                body_bytes,
                decoded_bytes,
                header_bytes: answer.header_bytes(),
            });
        }
        sizes
    }

    /// Gives the page's resources the sizes that are served, places in documents
    /// that were compressed again their share of the new size, and no think times
    /// if they are turned off.
    pub fn adjust(&self, page: &mut Page) {
        let served = self.served_sizes();
        let before: Vec<u64> = page.resources.iter().map(|r| r.body_bytes).collect();
        for resource in &mut page.resources {
            if let Some(size) = served.get(&resource.id) {
                resource.body_bytes = size.body_bytes;
                resource.decoded_bytes = Some(size.decoded_bytes);
                resource.response_header_bytes =
                    u32::try_from(size.header_bytes).unwrap_or(u32::MAX);
            }
            if !self.think_time {
                resource.think_time = Duration::ZERO;
            }
        }
        let after: Vec<u64> = page.resources.iter().map(|r| r.body_bytes).collect();
        let scaled = |parent: ResourceId, offset: u64| {
            scale(offset, before[parent.index()], after[parent.index()])
        };
        for resource in &mut page.resources {
            if let Trigger::Markup { parent, offset } = &mut resource.discovery.trigger {
                *offset = scaled(*parent, *offset);
            }
        }
        let document = page.document;
        if let Some(layout) = &mut page.layout {
            for element in &mut layout.elements {
                element.offset = element.offset.map(|offset| scaled(document, offset));
            }
            layout.body_start = layout.body_start.map(|offset| scaled(document, offset));
        }
    }
}

/// The same share of `after` that `offset` is of `before`, rounded up.
fn scale(offset: u64, before: u64, after: u64) -> u64 {
    if before == 0 {
        return offset.min(after);
    }
    let scaled = (u128::from(offset) * u128::from(after)).div_ceil(u128::from(before));
    u64::try_from(scaled).unwrap_or(after).min(after)
}

#[cfg(test)]
mod tests {
    use super::scale;

    #[test]
    fn shares_stay() {
        assert_eq!(scale(0, 100, 200), 0);
        assert_eq!(scale(50, 100, 200), 100);
        assert_eq!(scale(100, 100, 33), 33);
        assert_eq!(scale(1, 100, 33), 1);
        assert_eq!(scale(7, 0, 3), 3);
        assert_eq!(scale(u64::MAX, u64::MAX, 5), 5);
        // A place beyond the end is none.
        assert_eq!(scale(200, 100, 50), 50);
    }
}
