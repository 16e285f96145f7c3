//! The paint times of a page, from its performance timeline.

use std::collections::BTreeSet;

use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::measure::cumulative_layout_shift;
use crate::{ChromiumError, Session};

/// An expression that reads the page's timeline after the load. No script is injected
/// before the load, because the browser's buffers keep enough entries.
pub(super) const SCRIPT: &str = r"
(async () => {
  const entries = type => new Promise(done => {
    let seen = [];
    try {
      const observer = new PerformanceObserver(list => seen.push(...list.getEntries()));
      observer.observe({type, buffered: true});
    } catch (e) { done(seen); }
    setTimeout(() => done(seen), 100);
  });
  const [lcp, shifts] = await Promise.all(
    [entries('largest-contentful-paint'), entries('layout-shift')]);
  const last = lcp[lcp.length - 1];
  const box = last && last.element && last.element.getBoundingClientRect();
  const navigation = performance.getEntriesByType('navigation')[0] || {};
  const fcp = performance.getEntriesByName('first-contentful-paint')[0];
  return {
    url: location.href,
    base: document.baseURI,
    ratio: devicePixelRatio,
    fcpMs: fcp ? fcp.startTime : null,
    lcp: last ? {ms: last.startTime, url: last.url, size: last.size,
      rect: box ? [box.x + scrollX, box.y + scrollY, box.width, box.height] : null} : null,
    shifts: shifts.filter(s => !s.hadRecentInput).map(s => [s.startTime, s.value]),
    dclMs: navigation.domContentLoadedEventStart || null,
    loadMs: navigation.loadEventStart || null,
  };
})()";

/// An expression that returns the first text node of the largest contentful paint, if
/// that is text.
const LARGEST_TEXT: &str = r"
(async () => {
  const last = await new Promise(done => {
    let seen = [];
    new PerformanceObserver(list => seen.push(...list.getEntries()))
      .observe({type: 'largest-contentful-paint', buffered: true});
    setTimeout(() => done(seen[seen.length - 1]), 100);
  });
  if (!last || last.url || !last.element) return null;
  const texts = document.createTreeWalker(last.element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.data.trim()) return texts.currentNode;
  return null;
})()";

/// Enables the recording of the scripts that create the nodes of the page's documents.
pub(super) fn watch_makers(session: &mut Session) -> Result<(), ChromiumError> {
    session.call("DOM.enable", json!({}))?;
    session.call("DOM.setNodeStackTracesEnabled", json!({"enable": true}))?;
    Ok(())
}

/// Returns the scripts that were running when the largest text was created; empty if the
/// parser created it, or if the largest paint is an image.
pub(super) fn makers(session: &mut Session) -> Result<BTreeSet<String>, ChromiumError> {
    let asked = json!({"expression": LARGEST_TEXT, "awaitPromise": true});
    let answer = session.call("Runtime.evaluate", asked)?;
    let Some(object) = answer["result"]["objectId"].as_str() else {
        return Ok(BTreeSet::new());
    };
    session.call("DOM.getDocument", json!({"depth": 0}))?;
    let node = session.call("DOM.requestNode", json!({"objectId": object}))?;
    let asked = json!({"nodeId": node["nodeId"]});
    let stack = session.call("DOM.getNodeStackTraces", asked)?;
    let frames = stack["creation"]["callFrames"].as_array();
    let urls = frames.into_iter().flatten().map(|f| f["url"].as_str());
    Ok(urls
        .flatten()
        .filter(|url| !url.is_empty())
        .map(str::to_owned)
        .collect())
}

/// Returns Cumulative Layout Shift of a list of [time in ms, value].
pub(super) fn cumulative_shift(shifts: &Value) -> f64 {
    let pairs = shifts.as_array().map_or(&[][..], Vec::as_slice).iter();
    let mut pairs: Vec<(Duration, f64)> = pairs
        .filter_map(|p| Some((Duration::from_millis_f64(p[0].as_f64()?), p[1].as_f64()?)))
        .collect();
    pairs.sort_by_key(|(at, _)| *at);
    cumulative_layout_shift(&pairs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::cumulative_shift;

    #[test]
    fn shifts_are_summed_in_windows() {
        let sum = |shifts| (cumulative_shift(&shifts) * 1000.0).round() as i64;
        assert_eq!(sum(json!([])), 0);
        assert_eq!(sum(json!([[100, 0.1], [900, 0.05]])), 150);
        assert_eq!(
            sum(json!([[100, 0.1], [1100, 0.05]])),
            100,
            "a gap of 1 s ends a window"
        );
        let long: Vec<_> = (0..10).map(|k| json!([k * 900, 0.1])).collect();
        assert_eq!(sum(json!(long)), 600, "a window spans at most 5 s");
        assert_eq!(sum(json!("nonsense")), 0);
    }
}
