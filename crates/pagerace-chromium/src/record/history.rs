//! The times at which nodes were put on the page, and at which they faded or moved.
//!
//! The markup tells when the parser reaches an element, but not when a script makes one or slides
//! it into place. An observer in a world of its own, which scripts of the page do not see, notes
//! each change of the tree, changes of styles that follow each other, and the ends of transitions
//! and animations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{ChromiumError, Session};

/// The world of the observer.
const WORLD: &str = "pagerace-history";

/// The maximum number of nodes; each takes a call of the browser.
const NODES_MAX: usize = 1_000;

/// The insertion and the motions of a node or an ancestor of it, in milliseconds since the
/// navigation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct History {
    /// The last time at which it was put on the page; `None` if that was not seen.
    pub(super) made: Option<f64>,
    /// Each motion since, in order.
    pub(super) motions: Vec<Motion>,
}

/// A motion; times in milliseconds since the navigation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub(super) begin: f64,
    /// The time at which half of the change is done.
    pub(super) middle: f64,
    /// The time from which on a flat colour looks final; the middle if it does not fade.
    pub(super) settled: f64,
    pub(super) end: f64,
}

/// Observes the next load of a session.
pub(super) fn watch(session: &mut Session) -> Result<(), ChromiumError> {
    let source = json!({"source": include_str!("history.js"), "worldName": WORLD});
    session.call("Page.addScriptToEvaluateOnNewDocument", source)?;
    Ok(())
}

/// Returns the histories of these nodes of `frame`, which their backend ids name. Nodes that have
/// gone meanwhile are left out.
pub(super) fn of(
    session: &mut Session,
    frame: &str,
    nodes: &[i64],
) -> Result<BTreeMap<i64, History>, ChromiumError> {
    match asked(session, frame, nodes) {
        // A page that does not permit it is recorded without it.
        Err(ChromiumError::Refused { .. }) => Ok(BTreeMap::new()),
        result => result,
    }
}

fn asked(
    session: &mut Session,
    frame: &str,
    nodes: &[i64],
) -> Result<BTreeMap<i64, History>, ChromiumError> {
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
        json!({"functionDeclaration": "(...nodes) => pageraceHistory(...nodes)",
            "executionContextId": context, "returnByValue": true,
            "arguments": arguments.collect::<Vec<_>>()}),
    )?;
    let histories = answer["result"]["value"].as_array();
    let histories = histories.into_iter().flatten().map(|told| {
        let motions = told[1].as_array().into_iter().flatten();
        let times = |motion: &Value| {
            let [begin, middle, settled, end] = [0, 1, 2, 3].map(|i| motion[i].as_f64());
            Some(Motion {
                begin: begin?,
                middle: middle?,
                settled: settled?,
                end: end?,
            })
        };
        History {
            made: told[0].as_f64().filter(|at| *at > 0.0),
            motions: motions.filter_map(times).collect(),
        }
    });
    Ok(found.iter().map(|(node, _)| *node).zip(histories).collect())
}
