//! The rules of style sheets that the first screen needs.
//!
//! Their text is what a page can put inside its document, so that its first paint need not wait
//! for the whole sheets. It follows from the loaded page: a rule counts if it matches an element of
//! the first screen. Nothing is known of sheets that are no UTF-8.

use pagerace_core::Duration;
use serde_json::{Value, json};

use super::har::Body;
use super::log::Request;
use crate::{ChromiumError, Session};

/// The time for all files. Pages of tens of thousands of rules and elements would take minutes.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns for each request the rules of its style sheet that elements of the first screen match;
/// `None` if it has none.
pub(super) fn of_first_screen(
    session: &mut Session,
    requests: &[Request],
    bodies: &[Option<Body>],
) -> Result<Vec<Option<String>>, ChromiumError> {
    let mut found = vec![None; requests.len()];
    let sheets = requests.iter().zip(bodies).enumerate();
    let sheets = sheets.filter(|(_, (request, _))| request.kind == "Stylesheet");
    let (numbers, texts): (Vec<usize>, Vec<&str>) = sheets
        .filter_map(|(number, (_, body))| Some((number, body.as_ref()?.as_text()?)))
        .unzip();
    if texts.is_empty() {
        return Ok(found);
    }
    let rules = ask(session, include_str!("styles.js"), &json!(texts))?;
    for (number, rules) in numbers.into_iter().zip(rules) {
        let text = rules.as_str().filter(|text| !text.is_empty());
        found[number] = text.map(str::to_owned);
    }
    Ok(found)
}

/// Returns what a function of the loaded page tells of each of these files, in a limited time. A page
/// that does not permit this is recorded without.
pub(super) fn ask(
    session: &mut Session,
    function: &str,
    files: &Value,
) -> Result<Vec<Value>, ChromiumError> {
    let patience = PATIENCE.as_millis_f64();
    match session.evaluate(&format!("({function})({files}, {patience})")) {
        Err(ChromiumError::Refused { .. }) => Ok(Vec::new()),
        result => Ok(result?.as_array().cloned().unwrap_or_default()),
    }
}
