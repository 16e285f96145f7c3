//! What paints make of a resource, as whoever has loaded the page without it
//! found out.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// A paint that is later by less is so by chance: what is gone has moved the
/// frames and tasks of the main thread.
const LATER_LEAST: Duration = Duration::from_millis(250);

/// What becomes of the page's paints without a resource, and with it late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaintEffect {
    /// The first contentful paint without it.
    pub fcp: PaintChange,
    /// The largest contentful paint without it.
    pub lcp: PaintChange,
    /// Without it, another element is the largest.
    pub other_largest: bool,
    /// Share of the final picture that is missing without it, 0 to 1.
    pub missing: f64,
    /// The first contentful paint waits for it: it is later when it is.
    pub fcp_waits: bool,
    /// The largest contentful paint waits for it.
    pub lcp_waits: bool,
    /// Some of the picture waits for it: text for its font, say.
    #[serde(default)]
    pub picture_waits: bool,
}

/// What becomes of a paint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaintChange {
    /// Nothing.
    #[default]
    Same,
    /// It comes this much earlier.
    Earlier(Duration),
    /// It comes this much later.
    Later(Duration),
    /// It never comes.
    Never,
}

impl PaintEffect {
    /// Whether a paint needs the resource: it waits for it, or is worse without.
    /// That a paint is earlier without it is not enough: scripts that nobody
    /// waits for take time of the main thread.
    pub fn needs(&self) -> bool {
        self.fcp_waits || self.lcp_waits || self.is_worse_without()
    }

    /// Whether without it something is missing, or a paint never comes, or much
    /// later.
    pub fn is_worse_without(&self) -> bool {
        let worse = |change: PaintChange| match change {
            PaintChange::Never => true,
            PaintChange::Later(by) => by >= LATER_LEAST,
            PaintChange::Same | PaintChange::Earlier(_) => false,
        };
        self.other_largest || self.missing > 0.0 || worse(self.fcp) || worse(self.lcp)
    }

    /// Whether something that is seen waits for the resource, or is worse without it.
    pub fn is_seen(&self) -> bool {
        self.needs() || self.picture_waits
    }

    /// Whether nothing changes at all.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for PaintEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let metrics = [
            ("the first paint", self.fcp, self.fcp_waits),
            ("the largest paint", self.lcp, self.lcp_waits),
        ];
        for (name, change, waits) in metrics {
            let change = match change {
                PaintChange::Same => None,
                PaintChange::Earlier(by) => Some(format!("is {} earlier without it", shown(by))),
                PaintChange::Later(by) => Some(format!("is {} later without it", shown(by))),
                PaintChange::Never => Some("never comes without it".to_owned()),
            };
            let waits = waits.then(|| "waits for it".to_owned());
            let said: Vec<String> = waits.into_iter().chain(change).collect();
            if !said.is_empty() {
                parts.push(format!("{name} {}", said.join(" and ")));
            }
        }
        if self.other_largest {
            parts.push("something else is the largest element without it".to_owned());
        }
        if self.missing > 0.0 {
            let percent = self.missing * 100.0;
            let digits = usize::from(percent < 9.95);
            parts.push(format!(
                "{percent:.digits$} % of the picture is missing without it"
            ));
        }
        if self.picture_waits && !self.fcp_waits && !self.lcp_waits {
            parts.push("some of the picture waits for it".to_owned());
        }
        if parts.is_empty() {
            return f.write_str("no paint changes without it");
        }
        f.write_str(&parts.join("; "))
    }
}

/// To the millisecond, but never as nothing.
fn shown(by: Duration) -> String {
    let millis = by.as_millis_f64();
    if millis < 1.0 {
        "less than 1 ms".to_owned()
    } else {
        format!("{millis:.0} ms")
    }
}
