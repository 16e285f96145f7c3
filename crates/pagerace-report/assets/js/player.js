// The player: replays the paints of loads over pictures of the finished page, or screenshots of
// loads in a browser, side by side and in step. docs/player.md describes the data.

const FILM_TONES = {
  paper: '#ffffff', text: '#7a7f88', line: '#b9bdc6', box: '#e7e9ee', image: '#cfe5f3', edge: '#3297d3', ink: '#1a1c20',
};
// Level of text in another font than its own, and the width of such text as a share of its own.
const FILM_FALLBACK = 50;
const FILM_NARROW = 0.94;
const FILM_SPEEDS = [[1, 'real time'], [0.5, '½ speed'], [0.25, '¼ speed'], [0.1, '⅒ speed']];

function filmMake(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function filmSeconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

// The decoded pictures of a film, by name; each film decodes them once.
const filmPictures = new WeakMap();

async function filmDecode(type, data) {
  const image = new Image();
  image.src = `data:image/${type};base64,${data}`;
  await image.decode();
  return image;
}

function loadFilm(film) {
  if (!filmPictures.has(film)) {
    const named = Object.entries(film.pictures || {}).filter(([, data]) => data);
    const decoded = named.map(async ([name, data]) => [name, await filmDecode('webp', data)]);
    const pictures = Promise.all(decoded).then(Object.fromEntries, () => ({}));
    const filmed = film.runs.filter((run) => run.shots);
    const shots = filmed.map(async (run) => [run, await Promise.all(run.shots.map(([, data]) => filmDecode('jpeg', data).catch(() => null)))]);
    const all = Promise.all([pictures, Promise.all(shots)]);
    filmPictures.set(film, all.then(([layers, taken]) => new FilmPainter(film, layers, new Map(taken))));
  }
  return filmPictures.get(film);
}

// Returns what a load shows at a time: the visible share of each part in per cent, and the number of
// changes or screenshots until then.
function filmLook(film, run, ms) {
  const levels = new Uint8Array(film.parts.length);
  let count = 0;
  for (const [at, part, level] of run.shots || run.shows) {
    if (at > ms) break;
    if (!run.shots) levels[part] = level;
    count += 1;
  }
  return { run, levels, count };
}

function filmEnd(film) {
  const ends = film.runs.flatMap((run) => [
    ...(run.shots || run.shows).slice(-1).map(([at]) => at), ...run.marks.map(([, at]) => at),
  ]);
  return Math.max(100, ...ends);
}

function filmProgress(run, ms) {
  return run.progress.reduce((share, [at, percent]) => (at <= ms ? percent : share), 0);
}

function filmMark(run, name) {
  const found = run.marks.find(([own]) => own === name);
  return found ? found[1] : null;
}

function filmIsImage({ kind }) {
  return kind === 'i' || kind === 'p';
}

// Returns what two rectangles have in common: x, y, width and height, which may be negative.
function filmBoth(one, other) {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  return [x, y, Math.min(one.x + one.w, other.x + other.w) - x, Math.min(one.y + one.h, other.y + other.h) - y];
}

// Draws frames of one scene into a canvas of the size of its viewport.
class FilmPainter {
  constructor(film, pictures, shots) {
    this.film = film;
    this.pictures = pictures;
    this.shots = shots;
    [this.width, this.height] = film.viewport;
    this.canvas = filmMake('canvas', { width: this.width, height: this.height });
    this.pen = this.canvas.getContext('2d', { willReadFrequently: false });
    this.places = film.parts.map(([kind, x, y, w, h, name]) => ({ kind, x, y, w, h, name }));
    this.behind = this.places.map(() => null);
    if (pictures.bare) this.sample(pictures.bare, ({ kind }) => kind === 'b');
    if (pictures.textless) this.sample(pictures.textless, filmIsImage);
  }

  // Finds the colour beside each box or image, for the time before the box, or the image in front of
  // another one, is there.
  sample(picture, isMeant) {
    this.copy(picture, 0, 0, this.width, this.height);
    const { data } = this.pen.getImageData(0, 0, this.width, this.height);
    this.places.forEach((place, i) => {
      if (!isMeant(place)) return;
      const { x, y, w, h } = place;
      const beside = [[x - 2, y + h / 2], [x + w / 2, y - 2], [x + w + 1, y + h / 2], [x + w / 2, y + h + 1]];
      const inside = beside.find(([px, py]) => px >= 0 && py >= 0 && px < this.width && py < this.height);
      if (!inside) return;
      const at = 4 * (Math.floor(inside[1]) * this.width + Math.floor(inside[0]));
      this.behind[i] = `rgb(${data[at]},${data[at + 1]},${data[at + 2]})`;
    });
  }

  // Copies a rectangle of a picture to its place, or to a narrower one.
  copy(picture, x, y, w, h, share = 1) {
    if (w <= 0 || h <= 0) return;
    const scale = picture.naturalWidth / this.width;
    this.pen.drawImage(picture, x * scale, y * scale, w * scale, h * scale, x, y, w * share, h);
  }

  fill(tone, x, y, w, h) {
    if (w <= 0 || h <= 0) return;
    this.pen.fillStyle = tone;
    this.pen.fillRect(x, y, w, h);
  }

  frame(levels) {
    const { pen } = this;
    pen.clearRect(0, 0, this.width, this.height);
    this.fill(FILM_TONES.paper, 0, 0, this.width, this.height);
    const isEmpty = levels.every((level) => level === 0);
    if (isEmpty) return this.canvas;
    if (!this.pictures.whole) {
      this.places.forEach((place, i) => this.sketch(place, levels[i]));
    } else if (levels.every((level) => level === 100)) {
      this.copy(this.pictures.whole, 0, 0, this.width, this.height);
    } else {
      this.layers(levels);
    }
    return this.canvas;
  }

  // Boxes first, then text, then images, then the text in front of images.
  layers(levels) {
    const { whole, canvas } = this.pictures;
    const bare = this.pictures.bare || whole;
    const imageless = this.pictures.imageless || whole;
    const textless = this.pictures.textless || whole;
    if (this.pictures.bare) this.copy(bare, 0, 0, this.width, this.height);
    else if (canvas) this.copy(canvas, 0, 0, this.width, this.height);
    const holds = (outer, inner) => outer.x <= inner.x && outer.y <= inner.y
      && outer.x + outer.w >= inner.x + inner.w && outer.y + outer.h >= inner.y + inner.h;
    const shown = [];
    this.places.forEach((place, i) => {
      if (place.kind !== 'b') return;
      const { x, y, w, h } = place;
      if (levels[i]) {
        this.copy(bare, x, y, w, h);
        shown.push(place);
      } else if (this.behind[i] && shown.some((outer) => holds(outer, place))) {
        this.fill(this.behind[i], x, y, w, h);
      } else if (canvas) {
        this.copy(canvas, x, y, w, h);
      }
    });
    const texts = this.places.map((place, i) => ({ ...place, level: levels[i] })).filter((p) => p.kind === 't' && p.level);
    for (const { x, y, w, h, level } of texts) this.copy(imageless, x, y, w, h, level === FILM_FALLBACK ? FILM_NARROW : 1);
    this.places.forEach((place, i) => {
      if (!levels[i] || !filmIsImage(place)) return;
      const seen = this.image(textless, place, levels[i]);
      // The picture also has images in front that are still to come.
      this.places.forEach((front, j) => {
        if (j > i && filmIsImage(front) && levels[j] < 100 && this.behind[j]) this.fill(this.behind[j], ...filmBoth(front, seen));
      });
      if (textless === whole) return;
      for (const text of texts) this.copy(whole, ...filmBoth(text, seen));
    });
  }

  // Draws the visible part of an image, and returns its place.
  image(picture, { kind, x, y, w, h }, level) {
    const rows = Math.ceil((h * level) / 100);
    if (kind !== 'p' || level === 100) {
      this.copy(picture, x, y, w, rows);
    } else {
      // The first scan of a progressive image is coarse.
      const small = filmMake('canvas', { width: Math.max(1, Math.round(w / 16)), height: Math.max(1, Math.round(h / 16)) });
      const scale = picture.naturalWidth / this.width;
      small.getContext('2d').drawImage(picture, x * scale, y * scale, w * scale, h * scale, 0, 0, small.width, small.height);
      this.pen.drawImage(small, 0, 0, small.width, (small.height * rows) / h, x, y, w, rows);
    }
    return { x, y, w, h: rows };
  }

  // Draws a part of a page of which there is no picture.
  sketch({ kind, x, y, w, h, name }, level) {
    if (!level) return;
    if (kind === 't') {
      const step = Math.max(14, Math.min(26, h));
      for (let top = y; top + step * 0.6 <= y + h || top === y; top += step) {
        const isLast = top + 2 * step > y + h && h > step;
        const width = level === FILM_FALLBACK ? w * FILM_NARROW : w;
        this.fill(FILM_TONES.line, x, top, isLast ? width * 0.6 : width, step * 0.5);
      }
      return;
    }
    const rows = (h * level) / 100;
    this.fill(kind === 'b' ? FILM_TONES.box : FILM_TONES.image, x, y, w, rows);
    if (kind === 'b') return;
    this.pen.strokeStyle = FILM_TONES.edge;
    this.pen.lineWidth = 2;
    this.pen.strokeRect(x + 1, y + 1, Math.max(1, w - 2), Math.max(1, rows - 2));
    if (w < 70 || rows < 34 || !name) return;
    const size = Math.min(26, w / Math.max(6, name.length * 0.55));
    this.pen.fillStyle = FILM_TONES.ink;
    this.pen.font = `${size}px system-ui, sans-serif`;
    this.pen.textAlign = 'center';
    this.pen.textBaseline = 'middle';
    this.pen.fillText(name, x + w / 2, y + Math.min(rows, h) / 2, w - 12);
  }

  // Draws what a load shows into another canvas, which keeps its width.
  into(target, look, outlined = false) {
    const pen = target.getContext('2d');
    const shots = this.shots.get(look.run);
    const frame = (shots && shots[look.count - 1]) || this.frame(look.levels);
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(frame, 0, 0, target.width, target.height);
    const largest = this.places[this.film.largest];
    if (!outlined || !largest || shots) return;
    const scale = target.width / this.width;
    pen.strokeStyle = '#d55e00';
    pen.lineWidth = Math.max(2, target.width / 160);
    pen.strokeRect(largest.x * scale + 1, largest.y * scale + 1, Math.max(2, largest.w * scale - 2), Math.max(2, largest.h * scale - 2));
  }
}

// A canvas with the shape of the film's viewport, `width` CSS pixels wide.
function filmCanvas(film, width) {
  const density = Math.min(2, window.devicePixelRatio || 1);
  const [across, down] = film.viewport;
  const canvas = filmMake('canvas', { role: 'img' });
  canvas.width = Math.max(1, Math.min(across, Math.round(width * density)));
  canvas.height = Math.max(1, Math.round((canvas.width * down) / across));
  return canvas;
}

function filmMarkText(run, name, ms) {
  const at = filmMark(run, name);
  if (at === null) return `${name.toUpperCase()} never`;
  return `${name.toUpperCase()} ${at <= ms ? filmSeconds(at) : '…'}`;
}

// Returns true once the largest element is painted.
function filmIsLargest(run, ms) {
  const at = filmMark(run, 'lcp');
  return at !== null && at <= ms;
}

// Shows a film in `host`. `options.onWatched()` is called when the film has played from beginning to end without a jump.
// Returns { seek(ms), play(), pause(), time(), end, ready }.
function pageracePlayer(host, film, options = {}) {
  const end = Math.ceil((options.end || filmEnd(film) * 1.04) / 10) * 10;
  const play = filmMake('button', { type: 'button', class: 'player-play', 'aria-label': 'Play' }, '▶');
  const clock = filmMake('span', { class: 'player-clock' });
  const speed = filmMake('select', { 'aria-label': 'Speed' },
    ...FILM_SPEEDS.map(([value, text]) => filmMake('option', { value }, text)));
  const scrub = filmMake('input', {
    type: 'range', min: 0, max: end, step: 10, value: 0, 'aria-label': 'Time of the load',
  });
  const step = (text, label, move) => {
    const button = filmMake('button', { type: 'button', 'aria-label': label, title: label }, text);
    button.addEventListener('click', () => { pause(); seek(move()); });
    return button;
  };
  const before = step('‹', 'Previous change', () => Math.max(0, ...changes.filter((at) => at < now - 1)));
  const after = step('›', 'Next change', () => Math.min(end, ...changes.filter((at) => at > now + 1)));
  const panes = film.runs.map((run) => filmPane(film, run, end));
  const root = filmMake('div', { class: 'player', role: 'group', 'aria-label': options.label || 'Film of the loads' },
    filmMake('div', { class: 'player-bar' }, play, before, after, clock, speed), scrub,
    filmMake('div', { class: 'player-panes' }, ...panes.map((pane) => pane.element)));
  host.append(root);
  const changes = film.runs.flatMap((run) => (run.shots || run.shows).map(([at]) => at)).map((at) => Math.ceil(at / 10) * 10);
  // `whole`: the film has run from its beginning without a jump.
  let [now, last, request, painter, whole] = [0, 0, 0, null, true];

  function show() {
    clock.textContent = filmSeconds(now);
    scrub.value = String(now);
    scrub.setAttribute('aria-valuetext', filmSeconds(now));
    for (const pane of panes) pane.show(painter, now);
  }
  function seek(ms) {
    now = Math.max(0, Math.min(end, ms));
    whole = now === 0;
    show();
  }
  function pause() {
    cancelAnimationFrame(request);
    request = 0;
    play.textContent = '▶';
    play.setAttribute('aria-label', 'Play');
  }
  function run(stamp) {
    // A hidden page gets no frames, and its film does not go on.
    now += Math.min(stamp - last, 250) * Number(speed.value);
    last = stamp;
    if (now >= end) {
      const watched = whole;
      seek(end);
      pause();
      if (watched && options.onWatched) options.onWatched();
      return;
    }
    show();
    request = requestAnimationFrame(run);
  }
  function start() {
    if (now >= end) seek(0);
    play.textContent = '❚❚';
    play.setAttribute('aria-label', 'Pause');
    request = requestAnimationFrame((stamp) => { last = stamp; run(stamp); });
  }
  const toggle = () => (request ? pause() : start());
  play.addEventListener('click', toggle);
  scrub.addEventListener('input', () => { pause(); seek(Number(scrub.value)); });
  root.addEventListener('keydown', (event) => {
    const own = event.target.tagName;
    const moves = { ArrowLeft: -100, ArrowRight: 100 };
    if (event.ctrlKey || event.metaKey || event.altKey || own === 'SELECT') return;
    if (event.key === ' ' && own === 'BUTTON') return;
    if (event.key === ' ' || event.key === 'k') toggle();
    else if (event.key in moves) { pause(); seek(now + moves[event.key]); }
    else if (event.key === ',') before.click();
    else if (event.key === '.') after.click();
    else if (event.key === 'Home') { pause(); seek(0); }
    else if (event.key === 'End') { pause(); seek(end); }
    else return;
    event.preventDefault();
  });
  show();
  const ready = loadFilm(film).then((loaded) => {
    painter = loaded;
    panes.forEach((pane) => pane.resize());
    seek(options.at ?? end);
  });
  return { seek, play: start, pause, time: () => now, end, ready, element: root };
}

// One load: its name, its picture, and its marks on the axis of time.
function filmPane(film, run, end) {
  const state = filmMake('small');
  const canvas = filmCanvas(film, 480);
  const fill = filmMake('i', { class: 'player-fill' });
  const marks = ['fcp', 'lcp'].filter((name) => filmMark(run, name) !== null).map((name) => {
    const mark = filmMake('b', { class: `player-mark ${name}`, title: `${name.toUpperCase()} ${filmSeconds(filmMark(run, name))}` });
    mark.style.left = `${(filmMark(run, name) / end) * 100}%`;
    return mark;
  });
  const element = filmMake('figure', { class: 'player-pane' },
    filmMake('figcaption', {}, filmMake('b', {}, run.name), ' ', state), canvas,
    filmMake('div', { class: 'player-track', 'aria-hidden': 'true' }, fill, ...marks));
  let drawn = -1;
  function show(painter, ms) {
    const progress = Math.round(filmProgress(run, ms));
    state.textContent = `${filmMarkText(run, 'fcp', ms)} · ${filmMarkText(run, 'lcp', ms)} · ${progress} % visible`;
    fill.style.width = `${Math.min(100, (ms / end) * 100)}%`;
    if (!painter) return;
    const look = filmLook(film, run, ms);
    const told = run.progress.length ? `: ${progress} % of the picture is visible` : '';
    canvas.setAttribute('aria-label', `${run.name} at ${filmSeconds(ms)}${told}`);
    const outlined = filmIsLargest(run, ms);
    const version = 2 * look.count + (outlined ? 1 : 0);
    if (version === drawn) return;
    drawn = version;
    painter.into(canvas, look, outlined);
  }
  function resize() {
    const fresh = filmCanvas(film, canvas.clientWidth || 480);
    [canvas.width, canvas.height] = [fresh.width, fresh.height];
    drawn = -1;
  }
  return { element, show, resize };
}

// Round steps between frames.
const FILM_STEPS = [1, 10, 100, 1000, 10000].flatMap((unit) => [10, 15, 20, 30, 40, 50, 60, 80].map((size) => size * unit));

// Shows frames of the loads at equal times, one row for each. `options.onTime(ms)` is called when
// a frame is chosen.
function pageraceStrip(host, film, options = {}) {
  const columns = options.columns || Math.max(4, Math.min(8, Math.floor((host.clientWidth || 800) / 120)));
  const end = filmEnd(film);
  const step = FILM_STEPS.find((size) => size * columns >= end) || end / columns;
  const times = Array.from({ length: columns }, (_, i) => (i + 1) * step);
  const grid = filmMake('div', { class: 'strip', role: 'group', 'aria-label': options.label || 'Frames at equal times' });
  grid.style.setProperty('--frames', columns);
  host.append(grid);
  const cells = [];
  const axis = times.map((at) => filmMake('span', {}, filmSeconds(at)));
  grid.append(...axis);
  for (const run of film.runs) {
    grid.append(filmMake('p', { class: 'strip-name' }, filmMake('b', {}, run.name)));
    times.forEach((at, i) => {
      const reached = (name) => {
        const mark = filmMark(run, name);
        return mark !== null && mark <= at && mark > (times[i - 1] || 0);
      };
      const kinds = ['fcp', 'lcp'].filter(reached);
      const progress = Math.round(filmProgress(run, at));
      const told = kinds.map((name) => `, ${name.toUpperCase()} at ${filmSeconds(filmMark(run, name))}`).join('');
      const short = kinds.length ? kinds.map((name) => name.toUpperCase()).join(' ') : `${progress} %`;
      const canvas = filmCanvas(film, 150);
      const cell = filmMake('button', {
        type: 'button', class: `strip-frame ${kinds.join(' ')}`,
        'aria-label': `${short}: ${run.name} at ${filmSeconds(at)}, ${progress} % visible${told}`,
      }, canvas, filmMake('small', {}, short));
      canvas.setAttribute('aria-hidden', 'true');
      canvas.removeAttribute('role');
      cell.addEventListener('click', () => options.onTime && options.onTime(at));
      cells.push({ canvas, run, at });
      grid.append(cell);
    });
  }
  const ready = loadFilm(film).then((painter) => {
    for (const { canvas, run, at } of cells) painter.into(canvas, filmLook(film, run, at), filmIsLargest(run, at));
  });
  return { ready, element: grid };
}
