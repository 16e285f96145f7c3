//! Times of each resource, live and simulated.

use std::fmt::Write as _;

use pagerace_calibration::{Observations, Prediction, ResourceTimes};
use pagerace_lab::export::csv::quote;

const HEADER: &str = "page,network,contender,url,world,discovered_ms,request_start_ms,\
                      response_start_ms,response_end_ms\n";

/// Returns one row for each resource and world, of the runs with the median onload.
/// Unknown times are empty.
pub(super) fn csv(observations: &Observations, predictions: &[Prediction]) -> String {
    let mut text = HEADER.to_owned();
    for live in &observations.observations {
        let contender = live.contender.to_string();
        let place = [&live.page, &live.network, &contender].map(|text| quote(text));
        let place = place.join(",");
        rows(&mut text, &place, "live", &live.resources);
        let predicted = predictions.iter().find(|p| {
            p.page == live.page && p.network == live.network && p.contender == live.contender
        });
        if let Some(predicted) = predicted {
            rows(&mut text, &place, "simulated", &predicted.resources);
        }
    }
    text
}

fn rows(text: &mut String, place: &str, world: &str, resources: &[ResourceTimes]) {
    for r in resources {
        let times = [
            r.discovered_ms,
            r.request_start_ms,
            r.response_start_ms,
            r.response_end_ms,
        ];
        let times = times.map(|time| time.map_or(String::new(), |ms| format!("{ms:.3}")));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{place},{},{world},{}",
            quote(&r.url),
            times.join(",")
        );
    }
}
