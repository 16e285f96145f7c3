// Runs before any script of the page. Looks in each frame for an element that covers the viewport.
(() => {
  if (window.top !== window) return;
  const POINTS = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
  // An overlay has little text: slides and dialogues are content.
  const TEXT_MAX = 100;
  let covered = false, gone = null;
  const covers = (element) => {
    const box = element.getBoundingClientRect();
    const fills = box.left < 1 && box.top < 1 && box.right > innerWidth - 1 && box.bottom > innerHeight - 1;
    if (!fills || element.innerText.length > TEXT_MAX) return false;
    const style = getComputedStyle(element);
    const alpha = /^rgba\(.*, ([\d.]+)\)$/.exec(style.backgroundColor);
    if (!/^(fixed|absolute)$/.test(style.position) || (alpha && alpha[1] < 0.9)) return false;
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    return opacity >= 0.5;
  };
  const top = ([x, y]) => {
    let element = document.elementFromPoint(x * innerWidth, y * innerHeight);
    while (element && !covers(element)) element = element.parentElement;
    return element;
  };
  const look = () => {
    const first = document.body && top(POINTS[0]);
    const now = Boolean(first) && POINTS.every((point) => top(point) === first);
    if (covered && !now) gone = performance.now();
    if (now) gone = null;
    covered = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const overlay = () => {
    const times = performance.getEntriesByType('navigation')[0] || {};
    return { goneMs: gone, dclMs: times.domContentLoadedEventStart, loadMs: times.loadEventStart };
  };
  Object.defineProperty(window, '__pagerace', { value: { overlay }, enumerable: false });
})();
