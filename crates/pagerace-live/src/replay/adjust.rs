//! Adjusts a page to the sizes that are really served, so that predictions and
//! observations describe the same page.

use std::collections::BTreeMap;

use pagerace_core::Duration;
use pagerace_page::{Page, ResourceId, Trigger};

use super::ReplaySite;

/// Size of a response at the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedSize {
    /// Length of the encoded body, in bytes.
    pub body_bytes: u64,
    /// Length of the decoded body, in bytes.
    pub decoded_bytes: u64,
    /// Length of the field section as text, in bytes, as in [`pagerace_page::Resource`].
    pub header_bytes: u64,
}

impl ReplaySite {
    /// Returns the served size of each resource of the page.
    pub(crate) fn served_sizes(&self) -> BTreeMap<ResourceId, ServedSize> {
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

    /// Sets the page's resources to the served sizes and scales positions in bodies that
    /// were compressed again. Removes think times if they are disabled.
    pub fn adjust(&self, page: &mut Page) {
        let served = self.served_sizes();
        let before: Vec<u64> = page.resources.iter().map(|r| r.body_bytes).collect();
        for resource in &mut page.resources {
            // A response that was validated has no body here either.
            let is_validated = resource.status == 304 && resource.body_bytes == 0;
            if let Some(size) = served.get(&resource.id).filter(|_| !is_validated) {
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
            if let Trigger::Markup { parent, offset } | Trigger::Inline { parent, offset } =
                &mut resource.discovery.trigger
            {
                *offset = scaled(*parent, *offset);
                resource.used_at = resource.used_at.map(|offset| scaled(*parent, offset));
            }
        }
        let document = page.document;
        if let Some(layout) = page.layout_mut() {
            for element in &mut layout.elements {
                element.offset = element.offset.map(|offset| scaled(document, offset));
            }
            layout.body_start = layout.body_start.map(|offset| scaled(document, offset));
        }
        let content = page.guess_mut().and_then(|guess| guess.content.as_mut());
        if let Some(content) = content {
            content.body_start = content.body_start.map(|offset| scaled(document, offset));
            for end in &mut content.text {
                *end = scaled(document, *end);
            }
        }
    }
}

/// Scales `offset` by the ratio of `after` to `before`, rounded up.
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
        // An offset past the end is limited to the end.
        assert_eq!(scale(200, 100, 50), 50);
    }
}
