//! When the page appeared, in the words of its own performance timeline.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{ChromiumError, Session};

/// Reads what the page's timeline holds, after the load. Nothing is put into
/// the page before: the buffers of the browser keep enough.
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

/// The first words of the largest contentful paint, if it is text.
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

/// Has the page's documents remember which scripts make their nodes.
pub(super) fn watch_makers(session: &mut Session) -> Result<(), ChromiumError> {
    session.call("DOM.enable", json!({}))?;
    session.call("DOM.setNodeStackTracesEnabled", json!({"enable": true}))?;
    Ok(())
}

/// The scripts that were running when the largest text was made; none if the parser
/// made it, or if it is an image.
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

/// Cumulative Layout Shift: the largest sum of a window of shifts that are at
/// most 1 s apart and span at most 5 s (<https://web.dev/articles/cls>).
pub(super) fn cumulative_shift(shifts: &Value) -> f64 {
    let pairs = shifts.as_array().map_or(&[][..], Vec::as_slice).iter();
    let mut pairs: Vec<(f64, f64)> = pairs
        .filter_map(|p| Some((p[0].as_f64()?, p[1].as_f64()?)))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut first, mut previous, mut sum, mut worst) = (0.0, 0.0, 0.0, 0.0_f64);
    for (at, value) in pairs {
        if sum == 0.0 || at - previous >= 1000.0 || at - first >= 5000.0 {
            (first, sum) = (at, 0.0);
        }
        previous = at;
        sum += value;
        worst = worst.max(sum);
    }
    worst
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
