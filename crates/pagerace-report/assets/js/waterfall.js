// Waterfalls of two runs, one under the other on one axis. Rows are elements, so that they can be
// read, searched and copied.

// Height in px and colour of each span; wait is hollow. Told apart by both.
const SPAN_LOOKS = {
  queued: { height: 2, colour: 'grey', text: 'queued in the browser' },
  blocked: { height: 4, colour: 'yellow', text: 'blocked by another set-up' },
  dns: { height: 8, colour: 'green', text: 'name look-up' },
  connect: { height: 8, colour: 'orange', text: 'connect' },
  wait: { height: 8, colour: 'sky', text: 'wait', hollow: true },
  receive: { height: 12, colour: 'blue', text: 'receive' },
};

// Third parties with at least so many requests are folded.
const FOLD_FROM = 2;

const PRIORITY_NAMES = { VeryHigh: 'highest', High: 'high', Medium: 'medium', Low: 'low', VeryLow: 'lowest' };

function spanStyle(name) {
  const look = SPAN_LOOKS[name];
  const tone = palette()[look.colour];
  return look.hollow ? { fill: mix(colour('bg'), tone, 0.3), stroke: tone, lineWidth: 1 } : { fill: tone };
}

function spanCss(name) {
  const style = spanStyle(name);
  return `height:${SPAN_LOOKS[name].height}px;background:${style.fill};${style.stroke ? `border:1px solid ${style.stroke};` : ''}`;
}

function drawWaterfallLegend() {
  const items = SPANS.map((name) => {
    const sample = make('i');
    sample.style.cssText = `width:22px;${spanCss(name)}`;
    return make('span', {}, sample, SPAN_LOOKS[name].text);
  });
  items.push(
    make('span', {}, make('b', { class: 'badge' }, 'B'), 'holds back the first paint'),
    make('span', {}, make('b', { class: 'badge lcp' }, 'LCP'), 'largest element'),
    make('span', {}, make('i', { class: 'path-sample' }), 'on the critical path'),
  );
  byId('waterfall-legend').replaceChildren(...items);
}

function waterfallView(state, contender) {
  const page = report.pages[state.page];
  const result = resultShown(state);
  const row = rowOf(result, contender);
  if (!row || !row.detail) return null;
  const why = whyOf(result, state.contender);
  const path = why ? (contender === why.contender ? why.own_path : contender === report.baseline ? why.baseline_path : []) : [];
  return {
    page, row, result,
    marks: row.detail.marks.map(([name, tick]) => ({ name: markName(name), at: inMs(tick) })),
    rows: timingsOf(row.detail),
    end: endOf(row.detail),
    colours: resourceColours(page),
    network: report.networks[result.network],
    path: new Set(path.map(([resource]) => resource)),
  };
}

function markName(name) {
  return name.length <= 4 ? name.toUpperCase() : name;
}

function waterfallHint(view) {
  const { row, rows, page, marks } = view;
  const bytes = rows.reduce((sum, { resource }) => sum + page.resources[resource].bytes, 0);
  const parts = [
    `median run (number ${row.detail.run + 1})`,
    `${plural(rows.length, 'request', 'requests')}, ${formatBytes(bytes)}`,
    ...marks.map((mark) => `${mark.name} ${formatMs(mark.at)}`),
  ];
  const failure = row.detail.failure ? ` The load did not finish: ${row.detail.failure}` : '';
  return `${parts.join(' · ')}.${failure}`;
}

function drawWaterfall(state) {
  const host = byId('waterfall');
  const contenders = [...new Set([report.baseline, state.contender])];
  const views = contenders.map((contender) => waterfallView(state, contender)).filter(Boolean);
  if (!views.length) {
    host.append(make('p', { class: 'hint' }, 'These runs were not recorded in detail.'));
    return [];
  }
  const end = Math.max(...views.map((view) => view.end)) * 1.02;
  host.append(...views.map((view) => waterfall(view, end)));
  return [];
}

function waterfall(view, end) {
  const name = report.contenders[view.row.contender].name;
  const suffix = view.row.contender === report.baseline ? ' (baseline)' : '';
  const head = make('div', { class: 'wf-row wf-head', role: 'row' },
    ...['Request', 'Status', 'Bytes', 'Priority'].map((text) => make('span', { role: 'columnheader' }, text)),
    make('span', { role: 'columnheader', class: 'wf-bars' }, rowAxis(end), make('span', { class: 'unseen' }, 'Times')));
  const table = make('div', { class: 'wf', role: 'table', 'aria-label': `Waterfall of ${name} on ${view.network.name}` }, head);
  for (const group of waterfallGroups(view)) {
    if (group.rows.length === 1) table.append(waterfallRow(view, group.rows[0], end));
    else table.append(...waterfallFold(view, group, end));
  }
  table.append(waterfallLines(view, end));
  const scroll = make('div', { class: 'wf-scroll', tabindex: '0', role: 'region', 'aria-label': `Waterfall of ${name}, scrolls` }, table);
  return make('figure', { class: 'wf-figure' },
    make('figcaption', {}, make('b', {}, name), `${suffix} `, make('small', {}, waterfallHint(view))), scroll,
    saveBar(`Waterfall of ${name} on ${view.network.name}`, { svg: () => waterfallSvg(view, end), csv: () => waterfallRows(view) }));
}

// Rows in order of discovery; those of a third party together, at its first.
function waterfallGroups(view) {
  const groups = [];
  const owners = new Map();
  for (const row of view.rows) {
    const { owner } = view.page.resources[row.resource];
    const known = owner && owners.get(owner);
    if (known) {
      known.rows.push(row);
    } else {
      const group = { owner, rows: [row] };
      groups.push(group);
      if (owner) owners.set(owner, group);
    }
  }
  return groups.flatMap((group) => (group.rows.length < FOLD_FROM ? group.rows.map((row) => ({ owner: '', rows: [row] })) : [group]));
}

function waterfallFold(view, { owner, rows }, end) {
  const bytes = rows.reduce((sum, { resource }) => sum + view.page.resources[resource].bytes, 0);
  const [from, until] = [Math.min(...rows.map((row) => row.from)), Math.max(...rows.map((row) => row.until))];
  const button = make('button', { type: 'button', 'aria-expanded': 'false' }, `▸ ${owner} (${rows.length})`);
  const bar = make('i');
  bar.style.cssText = `left:${(from / end) * 100}%;width:${((until - from) / end) * 100}%;height:6px;background:${colour('same')}`;
  const onPath = rows.some((row) => view.path.has(row.resource));
  const sum = make('div', { class: `wf-row wf-fold${onPath ? ' on-path' : ''}`, role: 'row' },
    make('span', { class: 'wf-name', role: 'cell' }, button),
    make('span', { role: 'cell' }), make('span', { role: 'cell' }, formatBytes(bytes)), make('span', { role: 'cell' }),
    make('span', { class: 'wf-bars', role: 'cell' }, bar));
  const inner = rows.map((row) => waterfallRow(view, row, end));
  const show = (open) => {
    button.setAttribute('aria-expanded', String(open));
    button.textContent = `${open ? '▾' : '▸'} ${owner} (${rows.length})`;
    inner.forEach((row) => { row.hidden = !open; });
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'));
  show(false);
  return [sum, ...inner];
}

function waterfallRow(view, row, end) {
  const resource = view.page.resources[row.resource];
  const sample = make('i', { class: 'kind', title: resource.destination });
  sample.style.background = view.colours[row.resource];
  const badges = [];
  if (resource.render_blocking) badges.push(make('b', { class: 'badge', title: 'holds back the first paint' }, 'B'));
  if (view.page.largest && view.page.largest.resource === row.resource) badges.push(make('b', { class: 'badge lcp', title: 'largest element' }, 'LCP'));
  const bars = row.spans.filter((span) => span.until > span.from).map((span) => {
    const bar = make('i');
    bar.style.cssText = `left:${(span.from / end) * 100}%;width:max(1px, ${((span.until - span.from) / end) * 100}%);${spanCss(span.name)}`;
    return bar;
  });
  const status = resource.status || NONE;
  const line_ = make('div', { class: `wf-row${view.path.has(row.resource) ? ' on-path' : ''}`, role: 'row' },
    make('span', { class: 'wf-name', role: 'cell' }, sample, ...badges, make('span', { title: resource.url }, shortUrl(resource.url, view.page.url))),
    make('span', { role: 'cell', class: resource.status >= 400 || !resource.status ? 'bad' : null }, String(status)),
    make('span', { role: 'cell' }, formatBytes(resource.bytes)),
    make('span', { role: 'cell' }, priorityText(resource, row)),
    make('span', { class: 'wf-bars', role: 'cell' }, ...bars, make('span', { class: 'unseen' }, `${formatMs(row.from)} to ${formatMs(row.until)}`)));
  line_.addEventListener('pointermove', (event) => showTip(waterfallTip(view, row), event.clientX, event.clientY));
  line_.addEventListener('pointerleave', hideTip);
  return line_;
}

// Urgencies that stand for Chromium's priorities; see docs/browser-model.md.
const URGENCIES = { VeryHigh: 0, High: 1, Medium: 2, Low: 3, VeryLow: 4 };

// HTTP/1.1 tells servers no priorities.
// The priority at the request, and the one that the server knew at the end if it is another.
function priorityText(resource, row) {
  const asked = PRIORITY_NAMES[resource.priority] || '';
  const was = URGENCIES[resource.priority];
  if (row.protocol === 'h1' || row.urgency === null || row.urgency === was) return asked;
  const now = Object.keys(URGENCIES).find((name) => URGENCIES[name] === row.urgency);
  return `${asked} → ${now ? PRIORITY_NAMES[now] : `u=${row.urgency}`}`;
}

// Marks with a line through all rows.
const LINED = ['FCP', 'LCP', 'onload'];

// Lines at the marks, with names in up to three rows so that they stay apart.
function waterfallLines(view, end) {
  const ends = [-Infinity, -Infinity, -Infinity];
  const drawn_ = view.marks.filter(({ name }) => LINED.includes(name));
  const lines = drawn_.sort((a, b) => a.at - b.at).map((mark) => {
    const at = (mark.at / end) * 100;
    const free = ends.findIndex((last) => at - last > 14);
    const level = free < 0 ? ends.indexOf(Math.min(...ends)) : free;
    ends[level] = at;
    const line_ = make('i', { class: `wf-mark level-${level}` }, make('b', {}, mark.name));
    line_.style.left = `${at}%`;
    if (at > 88) line_.classList.add('late');
    return line_;
  });
  return make('div', { class: 'wf-lines', 'aria-hidden': 'true' }, ...lines);
}

function waterfallTip(view, row) {
  const resource = view.page.resources[row.resource];
  const lines = [
    ['type', resource.destination + (resource.render_blocking ? ', render-blocking' : '')],
    ['status', String(resource.status || NONE)],
    ['body', formatBytes(resource.bytes)],
    ['priority', priorityText(resource, row) + (row.urgency === null ? '' : ` (u=${row.urgency}${row.incremental ? ', i' : ''})`)],
    ['discovered', formatMs(row.from)],
    ['protocol', row.protocol],
    ['connection', connectionText(row)],
    ...row.spans.filter((s) => s.until > s.from).map((s) => [spanText(s, row), formatMs(s.until - s.from)]),
    ['complete', formatMs(row.until)],
  ];
  if (row.hol > 0) lines.push(['waited behind a gap', formatBytes(row.hol)]);
  if (row.holOther > 0) lines.push(['waited for other streams', formatBytes(row.holOther)]);
  return pairs(resource.url.slice(0, 200), lines);
}

// Connections are counted from one, in the order in which they were opened.
function connectionText(row) {
  if (row.connection === null) return 'none';
  return `${row.connection}${row.reused ? ', was there' : ', opened for this'}`;
}

function spanText(span, row) {
  if (span.name !== 'connect') return SPAN_LOOKS[span.name].text;
  return row.protocol === 'h3' ? 'connect: QUIC' : 'connect: TCP and TLS';
}

function waterfallRows(view) {
  const head = ['url', 'type', 'status', 'bytes', 'priority', 'protocol', 'connection', 'from ms', ...SPANS.map((name) => `${name} ms`), 'complete ms', 'on critical path'];
  const tenth = (ms) => Math.round(ms * 10) / 10;
  return [head, ...view.rows.map((row) => {
    const resource = view.page.resources[row.resource];
    return [resource.url, resource.destination, resource.status, resource.bytes, priorityText(resource, row), row.protocol, row.connection,
      tenth(row.from), ...row.spans.map((span) => tenth(span.until - span.from)), tenth(row.until), view.path.has(row.resource) ? 'yes' : ''];
  })];
}

// The waterfall as a picture of its own.
function waterfallSvg(view, end) {
  const [left, width, height, top] = [330, 1100, 18, 44];
  const scale = (width - left - 20) / end;
  const text = (x, y, content, more = '') => `<text x="${x}" y="${y}" ${more}>${svgText(content)}</text>`;
  const rect = (x, y, w, h, fill, more = '') => `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(1, w).toFixed(1)}" height="${h}" fill="${fill}" ${more}/>`;
  const bottom = top + view.rows.length * height;
  const ticks = axisTicks(end).map((at) => text(left + at * scale, top - 8, timeLabel(end)(at), `text-anchor="middle" fill="${colour('muted')}"`));
  const rows = view.rows.map((row, i) => {
    const resource = view.page.resources[row.resource];
    const y = top + i * height;
    const bars = row.spans.filter((span) => span.until > span.from).map((span) => {
      const style = spanStyle(span.name);
      const size = SPAN_LOOKS[span.name].height;
      return rect(left + span.from * scale, y + (height - size) / 2, (span.until - span.from) * scale, size, style.fill, style.stroke ? `stroke="${style.stroke}"` : '');
    });
    const shade = i % 2 ? rect(0, y, width, height, colour('panel')) : '';
    const bold = view.path.has(row.resource) ? 'font-weight="bold"' : '';
    return shade + text(6, y + 13, shorten(shortUrl(resource.url, view.page.url), 36), bold)
      + text(left - 10, y + 13, formatBytes(resource.bytes), `text-anchor="end" fill="${colour('muted')}"`) + bars.join('');
  });
  const marks = view.marks.map((mark) => `<line x1="${left + mark.at * scale}" x2="${left + mark.at * scale}" y1="${top - 4}" y2="${bottom}" stroke="${colour('fg')}" stroke-dasharray="4 3"/>`
    + text(left + mark.at * scale, 14, mark.name, 'text-anchor="middle" font-weight="bold"'));
  return `<svg xmlns="${'http'}://www.w3.org/2000/svg" width="${width}" height="${bottom + 10}" font-family="system-ui, sans-serif" font-size="12" fill="${colour('fg')}">${
    rect(0, 0, width, bottom + 10, colour('bg'))}${ticks.join('')}${rows.join('')}${marks.join('')}</svg>`;
}
