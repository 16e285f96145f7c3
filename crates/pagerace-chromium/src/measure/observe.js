// Runs before any script of the page. Keeps what the browser's observers report.
(() => {
  if (window.top !== window) return;
  const kept = { lcp: null, shifts: [], tasks: [] };
  Object.defineProperty(window, '__pagerace', { value: kept, enumerable: false });
  const observe = (type, take) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    } catch { /* this browser has no such entries */ }
  };
  observe('largest-contentful-paint', (e) => {
    kept.lcp = e.startTime;
  });
  observe('layout-shift', (e) => {
    if (!e.hadRecentInput) kept.shifts.push([e.startTime, e.value]);
  });
  observe('longtask', (e) => kept.tasks.push([e.startTime, e.duration]));
})();
