//! Reading a plan from a results file.

use pagerace_report::input::Provenance;
use serde::Deserialize;
use serde_json::Value;

use super::{FORMAT, SCHEMA, scenario_text};
use crate::error::LabError;
use crate::plan::Plan;

/// The contents of a results file that describe its race.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPlan {
    /// The plan, ready to be run again.
    pub plan: Plan,
    /// The version that wrote the file; another version may produce different values.
    pub version: String,
    /// The provenance of the results; the plan can be run either way.
    pub provenance: Provenance,
}

/// The fields of a results file that describe its race.
#[derive(Deserialize)]
struct Known {
    version: String,
    world: Provenance,
    plan: Plan,
}

/// Reads the plan of a results file. `file` names it in errors.
///
/// # Errors
/// [`LabError::NotResults`] if the input is not JSON, not a results file, has another
/// schema or an unknown field, or if its plan is damaged or cannot be run.
pub fn read_plan(file: &str, bytes: &[u8]) -> Result<ReadPlan, LabError> {
    let refuse = |reason: String| LabError::NotResults {
        file: file.to_owned(),
        reason,
    };
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| refuse(format!("not JSON ({e}); expected a file written by --json")))?;
    recognise(&value).map_err(refuse)?;
    // Parsing the text rather than the value gives errors with line and column.
    let document: Known = serde_json::from_slice(bytes).map_err(|e| {
        refuse(format!(
            "{e}; the file was changed or is of another version"
        ))
    })?;
    let known = serde_json::from_str(&scenario_text(&document.plan))
        .map_err(|e| refuse(format!("cannot be compared with what was read: {e}")))?;
    if let Some(path) = unknown_field(&value, &known) {
        return Err(refuse(format!(
            "the field {path} is not known; remove it or check its name"
        )));
    }
    document.plan.check().map_err(|e| refuse(e.to_string()))?;
    Ok(ReadPlan {
        plan: document.plan,
        version: document.version,
        provenance: document.world,
    })
}

/// Checks the identification fields, and returns an error unless this is a
/// results file of the current schema.
fn recognise(value: &Value) -> Result<(), String> {
    if value.get("log").is_some() {
        return Err(
            "this is a HAR, not the results of a race; give it without --scenario".to_owned(),
        );
    }
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(format!(
            "not the results of a race: the field format is not \"{FORMAT}\"; \
             expected a file written by --json"
        ));
    }
    match value.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => Ok(()),
        Some(schema) => Err(format!(
            "its schema is {schema}, but this version reads schema {SCHEMA}; \
             use the version of Pagerace that wrote it, or race the recordings again"
        )),
        None => Err(format!(
            "the field schema is missing; expected the number {SCHEMA}"
        )),
    }
}

/// Returns the first field of `given` that was dropped while reading, as a path
/// such as `plan.pages[0].nmae`. Comparing the input with the parsed value finds
/// unknown fields at any depth, independent of the types' definitions.
fn unknown_field(given: &Value, kept: &Value) -> Option<String> {
    match (given, kept) {
        (Value::Object(given), Value::Object(kept)) => given.iter().find_map(|(name, value)| {
            let Some(inner) = kept.get(name) else {
                return Some(name.clone());
            };
            unknown_field(value, inner).map(|rest| joined(name, &rest))
        }),
        (Value::Array(given), Value::Array(kept)) => {
            given
                .iter()
                .zip(kept)
                .enumerate()
                .find_map(|(i, (value, inner))| {
                    unknown_field(value, inner).map(|rest| joined(&format!("[{i}]"), &rest))
                })
        }
        _ => None,
    }
}

fn joined(head: &str, rest: &str) -> String {
    if rest.starts_with('[') {
        format!("{head}{rest}")
    } else {
        format!("{head}.{rest}")
    }
}
