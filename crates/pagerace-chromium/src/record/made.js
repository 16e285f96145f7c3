// Notes when nodes are put on the page. `pageraceMade(...nodes)` then returns, for each node, when it
// or an ancestor came last, in milliseconds since the navigation.
(() => {
  if (self !== top) return;
  const seen = [];
  new MutationObserver((records) => seen.push([performance.now(), records]))
    .observe(document, { childList: true, characterData: true, subtree: true });
  globalThis.pageraceMade = (...nodes) => {
    const times = new Map();
    for (const [now, records] of seen) {
      for (const record of records) {
        if (record.type === 'characterData') times.set(record.target, now);
        for (const node of record.addedNodes) times.set(node, now);
      }
    }
    return nodes.map((node) => {
      let last = 0;
      for (let at = node; at; at = at.parentNode || at.host) last = Math.max(last, times.get(at) || 0);
      return last;
    });
  };
})();
