// Freezes the page and returns how many elements show images of the net.
// `pageraceRows(sizes)`, with the natural size of each background, then returns where the rows of these
// images are: for each visible element the address and a place, which is `null` if it is not known. A place
// has the left, upper, right and lower edge, and the positions at which the image begins and ends.
// `pageraceUnreserved()` returns the addresses of images for which styles and attributes reserve no height.
// `pageraceHide(addresses, text, boxes)` then hides the images of these addresses
// (`null`: all), and text as well, and all elements of the body as well; it returns when the styles are
// computed.
// Images are moved out of their boxes, not removed: nothing moves, and nothing is
// fetched again.
(() => {
  const frozen = '*, *::before, *::after { transition: none !important;'
    + ' animation-play-state: paused !important; caret-color: transparent !important }';
  const noText = '*, *::before, *::after, *::marker { text-shadow: none !important;'
    + ' -webkit-text-fill-color: transparent !important; -webkit-text-stroke-width: 0 !important;'
    + ' text-decoration-color: transparent !important }';
  const noBoxes = 'body *, ::before, ::after { visibility: hidden !important }';
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // An important rule in a layer wins over those outside.
  const set = (rules) => sheet.replaceSync(`@layer pagerace { ${frozen} ${rules} }`);
  set('');

  const address = (text) => {
    try {
      const url = new URL(text, document.baseURI);
      url.hash = '';
      // Chromium requests images of a secure page over https, unless their host is an IP address or this machine.
      const isNamed = !/^(localhost|[\d.]+|\[.*)$/.test(url.hostname);
      if (location.protocol === 'https:' && url.protocol === 'http:' && isNamed) url.protocol = 'https:';
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

  // Converts a computed length or percentage of this room to pixels.
  const distance = (text, room) => (/%$/.test(text) ? room * parseFloat(text) / 100 : parseFloat(text));
  const factor = (fit, box, [width, height]) => {
    const both = [box.width / width, box.height / height];
    return { cover: Math.max(...both), contain: Math.min(...both), 'scale-down': Math.min(...both, 1), none: 1 }[fit];
  };
  const inner = (element, style, sides) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const widthOf = (side) => sides.reduce((sum, part) => sum + parseFloat(style[part(side)]), 0);
    const [l, t, r, b] = ['Left', 'Top', 'Right', 'Bottom'].map(widthOf);
    return { left: left + l, top: top + t, width: width - l - r, height: height - t - b };
  };
  const border = (side) => `border${side}Width`;
  const padding = (side) => `padding${side}`;
  const placed = (box, begin, height) => ({
    edges: [box.left, box.top, box.left + box.width, box.top + box.height], ends: [begin, begin + height],
  });
  const rowsOfOwn = (element) => {
    const style = getComputedStyle(element);
    const box = inner(element, style, [border, padding]);
    const size = [element.naturalWidth, element.naturalHeight];
    const height = style.objectFit === 'fill' ? box.height : size[1] * factor(style.objectFit, box, size);
    return placed(box, box.top + distance(style.objectPosition.split(' ')[1], box.height - height), height);
  };
  const rowsOfBackground = (element, i, size) => {
    const style = getComputedStyle(element);
    const of = (property) => {
      const all = list(style[property]);
      return all[i % all.length];
    };
    const fixed = { left: 0, top: 0, width: innerWidth, height: innerHeight };
    // The background of the root, or else of the body, is that of the canvas.
    const root = document.documentElement;
    const under = getComputedStyle(root);
    const isCanvas = element === root || (element === document.body
      && under.backgroundImage === 'none' && under.backgroundColor === 'rgba(0, 0, 0, 0)');
    const sides = { 'border-box': [], 'content-box': [border, padding] }[of('backgroundOrigin')];
    const own = inner(isCanvas ? root : element, style, sides || [border]);
    const box = of('backgroundAttachment') === 'fixed' ? fixed : own;
    const told = of('backgroundSize');
    let height = size && size[1] * factor(told, box, size);
    if (size && !/^[a-z]+$/.test(told.replace('auto', ''))) {
      const [w, h = 'auto'] = told.split(' ');
      const across = w === 'auto' ? 1 : distance(w, box.width) / size[0];
      height = h === 'auto' ? size[1] * across : distance(h, box.height);
    }
    const repeats = !/^repeat-x$|no-repeat$/.test(of('backgroundRepeat'));
    if (!height || (repeats && height < box.height - 1)) return null;
    const begin = box.top + distance(of('backgroundPositionY'), box.height - height);
    return placed(isCanvas ? fixed : inner(element, style, []), begin, height);
  };

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
      const rows = () => [[own, name === 'img' ? rowsOfOwn(element) : null]];
      here.push({ wanted: (hidden) => hidden(own), pseudo: '', rule: () => rule, rows });
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
        rows: (natural) => layers.flatMap((layer, i) => layer.map((url) =>
          [url, pseudo ? null : rowsOfBackground(element, i, natural[url])])),
      });
    }
    if (!here.length) continue;
    count += 1;
    element.setAttribute('data-pagerace', count);
    const box = element.getBoundingClientRect();
    const isVisible = element === document.body || element === document.documentElement
      || (box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
        && box.top < innerHeight && box.left < innerWidth);
    for (const use of here) uses.push({ ...use, isVisible, selector: `[data-pagerace="${count}"]${use.pseudo}` });
  }
  globalThis.pageraceHide = (only, text, boxes) => {
    const hidden = (url) => only === null || only.includes(url);
    const rules = uses.filter((use) => use.wanted(hidden))
      .map((use) => `${use.selector} { ${use.rule(hidden)} !important }`);
    set((text ? noText : '') + (boxes ? noBoxes : '') + rules.join('\n'));
    document.documentElement.getBoundingClientRect();
  };
  globalThis.pageraceRows = (natural) => uses.filter((use) => use.isVisible).flatMap((use) => use.rows(natural));
  const isUnreserved = (image) => {
    const styles = image.computedStyleMap();
    const of = (property) => String(styles.get(property));
    return of('height') === 'auto' && of('min-height').match(/^(auto|0px)$/) && of('aspect-ratio') === 'auto'
      && of('position').match(/^(static|relative)$/) && image.naturalHeight > 0;
  };
  globalThis.pageraceUnreserved = () => [...document.images].filter(isUnreserved)
    .map((image) => address(image.currentSrc || image.src)).filter(Boolean);
  return count;
})()
