//! The films of a survey.

use pagerace_lab::film::film;
use pagerace_page::Page;
use pagerace_sim::Outcome;
use serde_json::Value;

/// The scene of all versions, and the times at which each of them shows its parts.
pub(super) struct Films {
    pub(super) scene: Value,
    pub(super) runs: Vec<Value>,
}

/// Returns the films of these loads of a page, which were recorded with a trace. People shall judge
/// what they see, so the films have neither marks nor progress.
pub(super) fn films(page: &Page, loads: Vec<Outcome>) -> Films {
    let named: Vec<(String, Outcome)> = loads
        .into_iter()
        .map(|load| (String::new(), load))
        .collect();
    let mut film = film(page, &named);
    for run in &mut film.runs {
        run.marks.clear();
        run.progress.clear();
    }
    let runs = std::mem::take(&mut film.runs);
    let value = |value: serde_json::Result<Value>| value.expect("a film is JSON");
    let mut scene = value(serde_json::to_value(&film));
    if let Value::Object(fields) = &mut scene {
        fields.remove("runs");
    }
    Films {
        scene,
        runs: runs
            .iter()
            .map(|run| value(serde_json::to_value(run)))
            .collect(),
    }
}

/// Returns the time of the last change in a film, in milliseconds.
pub(super) fn last_change(run: &Value) -> Option<f64> {
    run["shows"].as_array()?.last()?[0].as_f64()
}
