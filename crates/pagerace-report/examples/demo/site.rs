//! An invented page.

use pagerace_core::{Destination, Rng};
use pagerace_report::input::Resource;

/// A site: its resources, and for each the index of the resource that it is discovered
/// from.
pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) resources: Vec<Resource>,
    pub(crate) parents: Vec<usize>,
}

impl Site {
    /// Invents site number `index` with `count` resources: the document, three style
    /// sheets, two fonts that the first style sheet requests, then mostly images and
    /// scripts.
    pub(crate) fn invent(index: usize, count: usize) -> Self {
        let mut rng = Rng::new(index as u64, "site");
        let host = format!("site-{index}.example");
        let mut resources = Vec::new();
        let mut parents = Vec::new();
        for i in 0..count {
            let destination = match i {
                0 => Destination::Document,
                1..=3 => Destination::Style,
                4..=5 => Destination::Font,
                _ => match rng.below(10) {
                    0..=2 => Destination::Script,
                    3 => Destination::Fetch,
                    4 => Destination::Other,
                    _ => Destination::Image,
                },
            };
            let median = match destination {
                Destination::Document | Destination::Style => 24_000.0,
                Destination::Script | Destination::Font => 30_000.0,
                Destination::Image => 22_000.0,
                _ => 1_500.0,
            };
            let on = if rng.below(4) == 0 {
                "cdn.third-party.example"
            } else {
                host.as_str()
            };
            resources.push(Resource {
                url: format!(
                    "https://{on}/assets/{destination}/a-rather-long-name-{i}.{destination}?v={i}"
                ),
                destination,
                bytes: (median * rng.lognormal(0.9)) as u64 + 200,
                render_blocking: matches!(i, 1..=3 | 6..=8),
            });
            parents.push(match i {
                4..=5 => 1,
                _ if i > 20 && rng.below(4) == 0 => 6 + rng.below(10) as usize,
                _ => 0,
            });
        }
        Self {
            name: host.clone(),
            url: format!("https://{host}/"),
            resources,
            parents,
        }
    }
}
