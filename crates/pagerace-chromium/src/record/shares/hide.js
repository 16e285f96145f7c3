// Freezes the page and returns how many elements show images of the net.
// `pageraceHide(addresses, text)` then hides the images of these addresses
// (`null`: all), and text as well; it returns when the styles are computed.
// Images are moved out of their boxes, not removed: nothing moves, and nothing is
// fetched again.
(() => {
  const frozen = '*, *::before, *::after { transition: none !important;'
    + ' animation-play-state: paused !important; caret-color: transparent !important }';
  const noText = '*, *::before, *::after, *::marker { text-shadow: none !important;'
    + ' -webkit-text-fill-color: transparent !important; -webkit-text-stroke-width: 0 !important;'
    + ' text-decoration-color: transparent !important }';
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // An important rule in a layer wins over those outside.
  const set = (rules) => sheet.replaceSync(`@layer pagerace { ${frozen} ${rules} }`);
  set('');

  const address = (text) => {
    try {
      const url = new URL(text, document.baseURI);
      url.hash = '';
      return /^https?:$/.test(url.protocol) ? url.href : null;
    } catch {
      return null;
    }
  };
  // The parts of a list, split at commas outside parentheses and quotes.
  const list = (text) => {
    const parts = [''];
    let depth = 0, quoted = false;
    for (let i = 0; i < text.length; i += 1) {
      const c = text[i];
      if (c === '\\') {
        parts[parts.length - 1] += c + (text[i += 1] || '');
        continue;
      }
      if (c === '"') quoted = !quoted;
      else if (!quoted && c === '(') depth += 1;
      else if (!quoted && c === ')') depth -= 1;
      if (c === ',' && depth === 0 && !quoted) parts.push('');
      else parts[parts.length - 1] += c;
    }
    return parts.map((part) => part.trim());
  };
  const addresses = (layer) =>
    [...layer.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g)].map((m) => address(m[1])).filter(Boolean);

  const uses = [];
  let count = 0;
  for (const element of document.querySelectorAll('*')) {
    const here = [];
    const name = element.localName;
    const source = name === 'img' || name === 'input' ? element.currentSrc || element.src
      : name === 'video' ? element.poster
      : name === 'image' ? element.href && element.href.baseVal : '';
    const own = source && address(source);
    if (own) {
      // A video keeps its controls without its poster.
      const rule = name === 'image' ? 'visibility: hidden' : 'object-position: -99999px -99999px';
      here.push({ wanted: (hidden) => hidden(own), pseudo: '', rule: () => rule });
    }
    for (const pseudo of ['', '::before', '::after']) {
      const style = getComputedStyle(element, pseudo || null);
      const layers = list(style.backgroundImage).map(addresses);
      if (!layers.some((layer) => layer.length)) continue;
      const sizes = list(style.backgroundSize);
      const size = (layer, i, hidden) =>
        layer.some(hidden) ? '0px 0px' : sizes[i % sizes.length];
      here.push({
        wanted: (hidden) => layers.some((layer) => layer.some(hidden)),
        pseudo,
        rule: (hidden) =>
          `background-size: ${layers.map((layer, i) => size(layer, i, hidden)).join(', ')}`,
      });
    }
    if (!here.length) continue;
    count += 1;
    element.setAttribute('data-pagerace', count);
    for (const use of here) uses.push({ ...use, selector: `[data-pagerace="${count}"]${use.pseudo}` });
  }
  globalThis.pageraceHide = (only, text) => {
    const hidden = (url) => only === null || only.includes(url);
    const rules = uses.filter((use) => use.wanted(hidden))
      .map((use) => `${use.selector} { ${use.rule(hidden)} !important }`);
    set((text ? noText : '') + rules.join('\n'));
    document.documentElement.getBoundingClientRect();
  };
  return count;
})()
