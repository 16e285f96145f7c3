//! How well the model reproduces the load that a recording shows.

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

use super::Page;

/// Least difference in milliseconds that casts doubt on a page.
const LEAST_MS: f64 = 200.0;

/// Errors that cast doubt on a page, as shares of the recorded times. About one in ten of 52 public
/// recordings of 2015 to 2026 has a larger one.
const LOAD_LIMIT: f64 = 0.3;
const PAINT_LIMIT: f64 = 0.3;
const CONTENT_LIMIT: f64 = 0.9;

/// Times of a simulated load over the network of the page's own recording, to set beside the
/// recorded ones. `None` if the load did not reach the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReproducedTimes {
    /// `DOMContentLoaded`.
    pub on_content_load: Option<Duration>,
    /// The load event.
    pub on_load: Option<Duration>,
    /// First contentful paint.
    pub first_paint: Option<Duration>,
    /// Largest contentful paint.
    pub largest_paint: Option<Duration>,
}

impl Page {
    /// Returns a sentence if the page's own load is reproduced badly; `None` if it is reproduced
    /// well, or if nothing can be compared.
    pub fn doubt_in_words(&self) -> Option<String> {
        let recorded = &self.recorded;
        let own = recorded.reproduced?;
        let events = [
            ("load event", recorded.on_load, own.on_load, LOAD_LIMIT),
            (
                "DOMContentLoaded",
                recorded.on_content_load,
                own.on_content_load,
                CONTENT_LIMIT,
            ),
            (
                "first contentful paint",
                recorded.first_paint,
                own.first_paint,
                PAINT_LIMIT,
            ),
            (
                "largest contentful paint",
                recorded.largest_paint,
                own.largest_paint,
                PAINT_LIMIT,
            ),
        ];
        let doubts: Vec<String> = events
            .into_iter()
            .filter_map(|(name, recorded, own, limit)| doubt(name, recorded?, own, limit))
            .collect();
        (!doubts.is_empty()).then(|| {
            let doubts = doubts.join(" and ");
            format!("This recording's own {doubts}: treat the page's times with care.")
        })
    }
}

/// Describes the error of an event, if it is larger than `limit`.
fn doubt(name: &str, recorded: Duration, own: Option<Duration>, limit: f64) -> Option<String> {
    let Some(own) = own else {
        return Some(format!("{name} is not reproduced"));
    };
    let late = own.as_millis_f64() - recorded.as_millis_f64();
    let share = late / recorded.as_millis_f64();
    let way = if late > 0.0 { "late" } else { "early" };
    (late.abs() > LEAST_MS && share.abs() > limit).then(|| {
        let percent = share.abs() * 100.0;
        format!("{name} is reproduced {percent:.0} % {way} ({own} instead of {recorded})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, ResourceId};

    fn page(recorded: u64, own: Option<u64>) -> Page {
        let ms = Duration::from_millis;
        Page {
            name: "p".to_owned(),
            url: String::new(),
            origins: Vec::<Origin>::new(),
            resources: Vec::new(),
            document: ResourceId(0),
            joins: Vec::new(),
            hints: Vec::new(),
            recorded: crate::RecordedPage {
                on_load: Some(ms(recorded)),
                reproduced: Some(ReproducedTimes {
                    on_load: own.map(ms),
                    ..ReproducedTimes::default()
                }),
                ..crate::RecordedPage::default()
            },
            paints: crate::Paints::default(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn only_large_errors_are_told() {
        let told = |recorded, own| page(recorded, own).doubt_in_words();
        assert_eq!(told(5_200, Some(6_000)), None);
        assert_eq!(told(100, Some(250)), None, "a few frames");
        let late = told(5_200, Some(8_400)).unwrap();
        assert!(late.contains("load event is reproduced 62 % late (8400 ms instead of 5200 ms)"));
        assert!(told(5_200, Some(1_000)).unwrap().contains("81 % early"));
        assert!(
            told(5_200, None)
                .unwrap()
                .contains("load event is not reproduced")
        );
    }
}
