//! Effect of a resource on paints, measured by loading the page without it.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// Smallest delay of a paint that counts as an effect. Smaller differences occur by
/// chance, because a missing resource shifts the frames and tasks of the main thread.
const LATER_LEAST: Duration = Duration::from_millis(250);

/// Changes of the page's paints when a resource is missing or late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaintEffect {
    /// Change of the first contentful paint without the resource.
    pub fcp: PaintChange,
    /// Change of the largest contentful paint without the resource.
    pub lcp: PaintChange,
    /// True if another element is the largest without the resource.
    pub other_largest: bool,
    /// Share of the final picture that is missing without the resource, 0 to 1.
    pub missing: f64,
    /// True if the first contentful paint waits for the resource: a later resource makes
    /// the paint later.
    pub fcp_waits: bool,
    /// True if the largest contentful paint waits for the resource.
    pub lcp_waits: bool,
    /// True if a part of the picture waits for the resource, such as text for its font.
    #[serde(default)]
    pub picture_waits: bool,
}

/// Change of a paint's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaintChange {
    /// The paint does not change.
    #[default]
    Same,
    /// The paint comes earlier by this much.
    Earlier(Duration),
    /// The paint comes later by this much.
    Later(Duration),
    /// The paint never comes.
    Never,
}

impl PaintEffect {
    /// Returns true if a paint waits for the resource or is worse without it. An earlier
    /// paint without the resource is not sufficient: a script that nothing waits for also
    /// takes main-thread time.
    pub fn needs(&self) -> bool {
        self.fcp_waits || self.lcp_waits || self.is_worse_without()
    }

    /// Returns true if, without the resource, content is missing, another element is the
    /// largest, or a paint never comes or comes much later.
    pub fn is_worse_without(&self) -> bool {
        let worse = |change: PaintChange| match change {
            PaintChange::Never => true,
            PaintChange::Later(by) => by >= LATER_LEAST,
            PaintChange::Same | PaintChange::Earlier(_) => false,
        };
        self.other_largest || self.missing > 0.0 || worse(self.fcp) || worse(self.lcp)
    }

    /// Returns true if visible content waits for the resource or is worse without it.
    pub fn is_seen(&self) -> bool {
        self.needs() || self.picture_waits
    }

    /// Returns true if the resource has no effect.
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

/// Formats a duration in whole milliseconds, but never as zero.
fn shown(by: Duration) -> String {
    let millis = by.as_millis_f64();
    if millis < 1.0 {
        "less than 1 ms".to_owned()
    } else {
        format!("{millis:.0} ms")
    }
}
