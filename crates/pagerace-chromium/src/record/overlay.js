// Runs before any script of the page. Looks in each frame for an element that covers the viewport,
// and whether all that the body has is hidden, at DOMContentLoaded as well.
(() => {
  if (window.top !== window) return;
  const POINTS = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
  // An overlay has little text: slides and dialogues are content.
  const TEXT_MAX = 100;
  let covered = false, gone = null, seen = false;
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
  // True if the body has text and shows nothing. Elements that show nothing by themselves are left out.
  const NEVER = /^(SCRIPT|STYLE|LINK|META|NOSCRIPT|TEMPLATE|TITLE|BASE)$/;
  const hides = () => {
    const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    const parts = [...document.body.children].filter((part) => !NEVER.test(part.tagName));
    if ([...document.body.childNodes].some(isText)) parts.push(document.body);
    // An element without a box of its own may still show its children.
    const shows = (part) => getComputedStyle(part).display === 'contents'
      || part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return parts.some((part) => part.textContent.trim()) && !parts.some(shows);
  };
  let hidden = false, shown = null;
  const lookForText = () => {
    const now = Boolean(document.body) && hides();
    if (hidden && !now) shown = performance.now();
    if (now) shown = null;
    seen ||= now;
    hidden = now;
  };
  addEventListener('DOMContentLoaded', () => {
    lookForText();
    setTimeout(lookForText);
  }, true);
  const look = () => {
    lookForText();
    const first = document.body && top(POINTS[0]);
    const now = Boolean(first) && POINTS.every((point) => top(point) === first);
    if (covered && !now) gone = performance.now();
    if (now) gone = null;
    covered = now;
    seen ||= now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const overlay = () => {
    const times = performance.getEntriesByType('navigation')[0] || {};
    return { goneMs: gone, shownMs: shown,
      dclMs: times.domContentLoadedEventStart, dclEndMs: times.domContentLoadedEventEnd,
      loadMs: times.loadEventStart, loadEndMs: times.loadEventEnd };
  };
  Object.defineProperty(window, '__pagerace', { value: { overlay, seen: () => seen }, enumerable: false });
})();
