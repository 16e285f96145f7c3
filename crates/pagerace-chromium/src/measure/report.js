// What the page's clocks and observers say by now.
(() => {
  const kept = window.__pagerace || { lcp: null, shifts: [], tasks: [] };
  const timing = performance.getEntriesByType('navigation')[0] || {};
  const fcp = performance.getEntriesByName('first-contentful-paint')[0];
  return {
    now: performance.now(),
    request: timing.requestStart,
    // `responseStart` is that of a 103 response, if there is one.
    response: timing.finalResponseHeadersStart || timing.responseStart,
    early: timing.firstInterimResponseStart,
    parsed: timing.domContentLoadedEventStart,
    load: timing.loadEventStart,
    fcp: fcp && fcp.startTime,
    lcp: kept.lcp,
    shifts: kept.shifts,
    tasks: kept.tasks,
  };
})()
