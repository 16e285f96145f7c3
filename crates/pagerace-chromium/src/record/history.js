// Notes when nodes are put on the page, and when they fade or move. `pageraceHistory(...nodes)` then
// returns [made, motions] for each node: when it or an ancestor was last put on the page (0 if that
// was not seen), and the [begin, middle, settled, end] of each motion of it or an ancestor since. In the
// middle, half of the change is done. A flat colour that fades looks final when it has settled; what
// moves settles in the middle. All times are milliseconds since the navigation.
(() => {
  if (self !== top) return;
  // Changes are steps of one motion if there are this many, no longer apart than the pause.
  const leastSteps = 5;
  const pause = 100;
  // The shortest motion that counts, and the maximum number of motions of a node.
  const shortest = 50;
  const mostMotions = 100;
  // The time at which canvases are no longer watched, and the maximum number of them.
  const horizon = 10000;
  const mostCanvases = 20;
  // The properties and attributes whose changes are seen as a motion.
  const moving = /^(opacity|transform|translate|scale|rotate|filter|clip-?path|left|right|top|bottom|inset.*|margin.*|padding.*|(min-?|max-?)?(width|height))$/i;
  const fading = /opacity|filter/i;
  // The share of a fade after which a flat colour looks final.
  const settled = 0.97;
  const drawing = /^(transform|opacity|d|points|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|width|height|(fill|stroke)-opacity|stroke-dash.*)$/;

  const changes = [];
  const motions = new WeakMap();

  // A vector graphic counts as a whole.
  const outermost = (node) => {
    let at = node;
    while (at.ownerSVGElement) at = at.ownerSVGElement;
    return at;
  };
  const add = (node, motion) => {
    const at = outermost(node);
    const list = motions.get(at) || [];
    if (list.length >= mostMotions) list.shift();
    list.push(motion);
    motions.set(at, list);
  };
  const step = (node, now, fades) => {
    const list = motions.get(outermost(node));
    const last = list && list[list.length - 1];
    if (last && !last.whole && now - last.to <= pause) {
      last.to = now;
      last.steps += 1;
      if (fades) last.shares = [0.5, settled];
      return;
    }
    if (last && !last.whole && last.steps < leastSteps) list.pop();
    add(node, { from: now, to: now, steps: 1, shares: [0.5, fades ? settled : 0.5] });
  };
  // The time at which a motion reaches its middle (0) or has settled (1).
  const reached = ({ from, to, shares, pictures }, which) => {
    if (!pictures) return from + (to - from) * shares[which];
    const last = pictures[pictures.length - 1].data;
    const left = ({ data }) => data.reduce((sum, value, i) => sum + Math.abs(value - last[i]), 0);
    const all = left(pictures[0]);
    return pictures.find((picture) => left(picture) <= all / 2).at;
  };

  const declared = (style) => new Map((style || '').split(';').map((part) => {
    const colon = part.indexOf(':');
    return [part.slice(0, colon).trim(), part.slice(colon + 1)];
  }));
  // The properties and attributes that change in a step of a motion.
  const restyled = (before, after) => {
    const [old, now] = [declared(before), declared(after)];
    return [...old.keys(), ...now.keys()].filter((key) => moving.test(key) && old.get(key) !== now.get(key));
  };
  const stepOf = ({ target, attributeName, oldValue }) => {
    if (attributeName === 'style') return restyled(oldValue, target.getAttribute('style'));
    const draws = target instanceof SVGElement && drawing.test(attributeName)
      && oldValue !== target.getAttribute(attributeName);
    return draws ? [attributeName] : [];
  };

  // Canvases are drawn by calls that leave no trace in the document, so small copies are compared.
  const canvases = new Set();
  const pictures = new WeakMap();
  let copy = null;
  let looked = 0;
  let looking = false;
  const picture = (canvas) => {
    copy ||= new OffscreenCanvas(16, 16).getContext('2d', { willReadFrequently: true });
    copy.clearRect(0, 0, 16, 16);
    copy.drawImage(canvas, 0, 0, 16, 16);
    return copy.getImageData(0, 0, 16, 16).data;
  };
  const look = (now) => {
    if (now < horizon) requestAnimationFrame(look);
    if (now - looked < 40) return;
    looked = now;
    for (const canvas of canvases) {
      if (canvas.width === 0 || canvas.height === 0) continue;
      try {
        const before = pictures.get(canvas);
        const seen = { at: now, data: picture(canvas) };
        pictures.set(canvas, seen);
        if (before && seen.data.some((value, i) => value !== before.data[i])) {
          step(canvas, now);
          const list = motions.get(canvas);
          const last = list[list.length - 1];
          (last.pictures ||= [before]).push(seen);
        }
      } catch {
        // A canvas with an image of another site cannot be read, and neither can the copy any more.
        canvases.delete(canvas);
        copy = null;
      }
    }
  };
  const watchCanvases = (node) => {
    const all = node instanceof HTMLCanvasElement ? [node] : node.getElementsByTagName?.('canvas');
    for (const canvas of all || []) {
      if (canvases.size >= mostCanvases) return;
      if (!looking) requestAnimationFrame(look);
      looking = true;
      canvases.add(canvas);
    }
  };

  new MutationObserver((records) => {
    const now = performance.now();
    const stepped = new Set();
    const compared = new Map();
    const nodes = [];
    for (const record of records) {
      if (record.type !== 'attributes') {
        nodes.push(record);
        for (const node of record.addedNodes) watchCanvases(node);
        continue;
      }
      // The first of several changes in one task has the value from before.
      const names = compared.get(record.target) || new Set();
      if (names.has(record.attributeName)) continue;
      compared.set(record.target, names.add(record.attributeName));
      const changed = stepped.has(outermost(record.target)) ? [] : stepOf(record);
      if (changed.length > 0) {
        stepped.add(outermost(record.target));
        step(record.target, now, changed.some((key) => fading.test(key)));
      }
    }
    if (nodes.length > 0) changes.push([now, nodes]);
  }).observe(document, {
    childList: true, characterData: true, attributes: true, attributeOldValue: true, subtree: true,
  });

  // Transitions and animations of style sheets. Those of pseudo-elements do not move their element.
  const begun = new WeakMap();
  const curves = {
    ease: [0.25, 0.1, 0.25, 1], 'ease-in': [0.42, 0, 1, 1], 'ease-out': [0, 0, 0.58, 1], 'ease-in-out': [0.42, 0, 0.58, 1],
  };
  // The share of the time after which a share of the change is done. Steps count as linear.
  const timeOf = (change, easing) => {
    const told = easing.match(/^cubic-bezier\((.*)\)$/)?.[1].split(',').map(Number);
    const [x1, y1, x2, y2] = told || curves[easing] || [0, 0, 1, 1];
    const bezier = (a, b, s) => 3 * (1 - s) ** 2 * s * a + 3 * (1 - s) * s ** 2 * b + s ** 3;
    let [low, high] = [0, 1];
    for (let i = 0; i < 20; i += 1) {
      const s = (low + high) / 2;
      if (bezier(y1, y2, s) < change) low = s;
      else high = s;
    }
    return bezier(x1, x2, low);
  };
  const sharesOf = (effect, frames) => {
    // The curve of an animation is that of its keyframes, that of a transition belongs to the whole.
    const whole = (share) => timeOf(share, effect.getTiming().easing);
    const between = (before, after, change) => before.computedOffset
      + (after.computedOffset - before.computedOffset) * timeOf(change, before.easing);
    // A fade may be over before the last keyframe.
    const fadeEnd = (property) => {
      const told = frames.filter((frame) => frame[property] !== undefined);
      const last = told[told.length - 1];
      let i = told.length - 1;
      while (i > 0 && told[i - 1][property] === last[property]) i -= 1;
      return i > 0 ? between(told[i - 1], told[i], settled) : 0;
    };
    const middle = frames.length === 2 ? between(frames[0], frames[1], 0.5) : 0.5;
    const end = Math.max(fadeEnd('opacity'), fadeEnd('filter'));
    return [whole(middle), whole(Math.max(middle, end))];
  };
  const begin = (event, name, matches) => {
    const effect = event.target.getAnimations().find(matches)?.effect;
    const frames = effect?.getKeyframes() || [];
    if (!frames.some((frame) => Object.keys(frame).some((key) => moving.test(key)))) return;
    const names = begun.get(event.target) || new Map();
    begun.set(event.target, names.set(name, { from: performance.now(), shares: sharesOf(effect, frames) }));
  };
  const end = (event, name) => {
    const motion = event.isTrusted && !event.pseudoElement && begun.get(event.target)?.get(name);
    const to = performance.now();
    if (motion) add(event.target, { ...motion, to, steps: leastSteps, whole: true });
  };
  const on = (type, heard) => document.addEventListener(type, heard, true);
  on('transitionstart', (event) => begin(event, event.propertyName, (a) => a.transitionProperty === event.propertyName));
  on('transitionend', (event) => end(event, event.propertyName));
  on('animationstart', (event) => begin(event, event.animationName, (a) => a.animationName === event.animationName));
  on('animationend', (event) => end(event, event.animationName));

  globalThis.pageraceHistory = (...nodes) => {
    const asked = performance.now();
    const times = new Map();
    for (const [now, records] of changes) {
      for (const record of records) {
        if (record.type === 'characterData') times.set(record.target, now);
        for (const node of record.addedNodes) times.set(node, now);
      }
    }
    return nodes.map((node) => {
      let made = 0;
      const seen = [];
      for (let at = node; at; at = at.parentNode || at.host) {
        made = Math.max(made, times.get(at) || 0);
        for (const motion of motions.get(at) || []) {
          // An endless motion is left out: its node has been visible all the time.
          if (motion.steps >= leastSteps && asked - motion.to > pause) seen.push(motion);
        }
      }
      const since = seen.map((motion) => {
        const from = Math.max(motion.from, made);
        const [middle, late] = [0, 1].map((which) => Math.max(reached(motion, which), from));
        return [from, middle, late, motion.to];
      });
      const long = since.filter(([from, , , to]) => to - from >= shortest).sort((a, b) => a[0] - b[0]);
      const merged = [];
      for (const motion of long) {
        const last = merged[merged.length - 1];
        if (last && motion[0] <= last[3]) {
          for (let i = 1; i < 4; i += 1) last[i] = Math.max(last[i], motion[i]);
        } else merged.push(motion);
      }
      return [made, merged];
    });
  };
})();
