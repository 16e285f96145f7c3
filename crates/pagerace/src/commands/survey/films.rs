//! The films of a survey, and the player that shows them.
//!
//! A film has one scene, what all versions show, and the times at which its parts appear in each.

use pagerace_core::Instant;
use pagerace_page::Page;
use pagerace_sim::Outcome;
use serde_json::{Value, json};

/// Script of the player.
pub(super) const PLAYER: &str = include_str!("player.js");
/// Style sheet of the player.
pub(super) const STYLE: &str = include_str!("player.css");

/// What all versions show, and when each of them shows it.
pub(super) struct Films {
    pub(super) scene: Value,
    pub(super) runs: Vec<Value>,
}

/// Returns the films of these loads of a page. People shall not see numbers, so the films have
/// neither marks nor progress.
pub(super) fn films(_page: &Page, loads: &[Outcome]) -> Films {
    let (width, height) = (1350, 940);
    let run = |outcome: &Outcome| {
        let show = |(at, share): &(Instant, f64)| {
            json!([
                at.since(Instant::ZERO).as_millis_f64(),
                0,
                (share * 100.0).round() as u8
            ])
        };
        let shows: Vec<Value> = outcome.visual_progress.iter().map(show).collect();
        json!({"name": "", "marks": [], "progress": [], "shows": shows})
    };
    Films {
        scene: json!({
            "viewport": [width, height],
            "pictures": null,
            "guessed": true,
            "parts": [["i", 0, 0, width, height, ""]],
        }),
        runs: loads.iter().map(run).collect(),
    }
}

/// Returns the time of the last change in a film, in milliseconds.
pub(super) fn last_change(run: &Value) -> Option<f64> {
    run["shows"].as_array()?.last()?[0].as_f64()
}
