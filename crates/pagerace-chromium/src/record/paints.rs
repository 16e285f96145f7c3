//! When the page appeared, in the words of its own performance timeline.

use serde_json::Value;

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
  const navigation = performance.getEntriesByType('navigation')[0] || {};
  const fcp = performance.getEntriesByName('first-contentful-paint')[0];
  return {
    url: location.href,
    base: document.baseURI,
    ratio: devicePixelRatio,
    fcpMs: fcp ? fcp.startTime : null,
    lcp: last ? {ms: last.startTime, url: last.url, size: last.size} : null,
    shifts: shifts.filter(s => !s.hadRecentInput).map(s => [s.startTime, s.value]),
    dclMs: navigation.domContentLoadedEventStart || null,
    loadMs: navigation.loadEventStart || null,
  };
})()";

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
