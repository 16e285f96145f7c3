//! The times at which nodes were put on the page.
//!
//! The markup tells when the parser reaches an element, but not when a script makes one. An observer
//! in a world of its own, which scripts of the page do not see, notes each change of the tree.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{ChromiumError, Session};

/// The world of the observer.
const WORLD: &str = "pagerace-made";

/// The maximum number of nodes; each takes a call of the browser.
const NODES_MAX: usize = 1_000;

/// Observes the next load of a session.
pub(super) fn watch(session: &mut Session) -> Result<(), ChromiumError> {
    let source = json!({"source": include_str!("made.js"), "worldName": WORLD});
    session.call("Page.addScriptToEvaluateOnNewDocument", source)?;
    Ok(())
}

/// Returns the times of these nodes, which their backend ids name, in milliseconds since the
/// navigation of `frame`. Nodes that have gone meanwhile are left out.
pub(super) fn times(
    session: &mut Session,
    frame: &str,
    nodes: &[i64],
) -> Result<BTreeMap<i64, f64>, ChromiumError> {
    match asked(session, frame, nodes) {
        // A page that does not permit it is recorded without these times.
        Err(ChromiumError::Refused { .. }) => Ok(BTreeMap::new()),
        result => result,
    }
}

fn asked(
    session: &mut Session,
    frame: &str,
    nodes: &[i64],
) -> Result<BTreeMap<i64, f64>, ChromiumError> {
    let world = json!({"frameId": frame, "worldName": WORLD});
    let world = session.call("Page.createIsolatedWorld", world)?;
    let context = &world["executionContextId"];
    let mut found = Vec::new();
    for node in nodes.iter().take(NODES_MAX) {
        let asked = json!({"backendNodeId": node, "executionContextId": context});
        match session.call("DOM.resolveNode", asked) {
            Ok(answer) => found.push((*node, answer["object"]["objectId"].clone())),
            Err(ChromiumError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let arguments = found.iter().map(|(_, object)| json!({"objectId": object}));
    let answer = session.call(
        "Runtime.callFunctionOn",
        json!({"functionDeclaration": "(...nodes) => pageraceMade(...nodes)",
            "executionContextId": context, "returnByValue": true,
            "arguments": arguments.collect::<Vec<_>>()}),
    )?;
    let times = answer["result"]["value"].as_array();
    let times = times.into_iter().flatten().filter_map(Value::as_f64);
    let made = found.iter().map(|(node, _)| *node).zip(times);
    Ok(made.filter(|(_, at)| *at > 0.0).collect())
}
