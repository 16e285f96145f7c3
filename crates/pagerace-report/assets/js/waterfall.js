// The waterfall of one run. Only the rows in view are drawn, so that a page of
// a thousand requests scrolls as well as one of ten.

const WATERFALL_TOP = 46;

// Height in px and colour of each span; wait is hollow. Told apart by both.
const SPAN_LOOKS = {
  queued: { height: 2, colour: 'grey', text: 'queued in the browser' },
  blocked: { height: 4, colour: 'yellow', text: 'blocked by another set-up' },
  dns: { height: 8, colour: 'green', text: 'name look-up' },
  connect: { height: 8, colour: 'orange', text: 'connect' },
  wait: { height: 8, colour: 'sky', text: 'wait', hollow: true },
  receive: { height: 12, colour: 'blue', text: 'receive' },
};

const MARK_DASHES = [[6, 3], [2, 3], [10, 3, 2, 3]];

function spanStyle(name) {
  const look = SPAN_LOOKS[name];
  const tone = palette()[look.colour];
  return look.hollow ? { fill: mix(colour('bg'), tone, 0.3), stroke: tone, lineWidth: 1 } : { fill: tone };
}

function drawWaterfallLegend() {
  const items = SPANS.map((name) => {
    const style = spanStyle(name);
    const sample = make('i');
    sample.style.cssText = `width:22px;height:${SPAN_LOOKS[name].height}px;background:${style.fill};${
      style.stroke ? `border:1px solid ${style.stroke}` : ''}`;
    return make('span', {}, sample, SPAN_LOOKS[name].text);
  });
  const badge = make('b', {}, 'B');
  badge.style.color = colour('worse');
  items.push(make('span', {}, badge, 'holds back the first paint'));
  byId('waterfall-legend').replaceChildren(...items);
}

function waterfallView(state) {
  const page = report.pages[state.page];
  const result = page.networks.find((r) => r.network === state.waterfallNetwork);
  const row = rowOf(result, state.waterfallContender);
  if (!row || !row.detail) return null;
  const marks = row.detail.marks.map(([name, tick]) => ({ name: markName(name), at: inMs(tick) }));
  return {
    page, row, marks,
    rows: timingsOf(row.detail),
    end: endOf(row.detail) * 1.02,
    colours: resourceColours(page),
    network: report.networks[result.network],
    first: 0,
  };
}

function markName(name) {
  return name.length <= 4 ? name.toUpperCase() : name;
}

function waterfallHint(view) {
  const { row, rows, page, marks } = view;
  const parts = [
    `Median run (number ${row.detail.run + 1})`,
    `${plural(rows.length, 'request', 'requests')} of ${plural(page.resources.length, 'resource', 'resources')}`,
    ...marks.map((mark) => `${mark.name} ${formatMs(mark.at)}`),
  ];
  const failure = row.detail.failure ? ` The load did not finish: ${row.detail.failure}` : '';
  return `${parts.join(' · ')}.${failure}`;
}

function drawWaterfall(state) {
  const host = byId('waterfall');
  host.replaceChildren();
  const view = waterfallView(state);
  byId('waterfall-hint').textContent = view ? waterfallHint(view) : 'This run was not recorded in detail.';
  if (!view) return [];
  const scroll = make('div', {
    class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Waterfall, scrolls',
  });
  // The library makes its own element relative, so another one sticks.
  const stuck = make('div', { class: 'stuck' });
  const spacer = make('div');
  scroll.append(stuck, spacer);
  host.append(scroll);
  const chart = addChart(stuck, (width) => {
    const shape = waterfallShape(view, width);
    scroll.style.height = `${shape.height + 2}px`;
    spacer.style.height = `${shape.total - shape.height}px`;
    return buildWaterfall(view, shape, width);
  });
  scroll.addEventListener('scroll', () => scrollWaterfall(chart, view, scroll.scrollTop));
  return [chart];
}

function waterfallShape(view, width) {
  const narrow = width < 620;
  const rowHeight = narrow ? 32 : 20;
  const total = WATERFALL_TOP + view.rows.length * rowHeight + 8;
  const room = Math.max(240, Math.min(720, Math.round(window.innerHeight * 0.75)));
  const fits = Math.max(1, Math.min(view.rows.length, Math.floor((room - WATERFALL_TOP) / rowHeight)));
  const height = WATERFALL_TOP + fits * rowHeight + 8;
  return { narrow, rowHeight, total, height, fits, left: narrow ? 6 : Math.min(300, Math.round(width * 0.27)) };
}

function scrollWaterfall(chart, view, scrollTop) {
  const shape = waterfallShape(view, chart.width);
  const first = Math.min(Math.round(scrollTop / shape.rowHeight), Math.max(0, view.rows.length - shape.fits));
  if (first === view.first) return;
  view.first = first;
  chart.instance.setOption({
    yAxis: { min: first, max: first + shape.fits },
    series: [{ id: 'back', data: [[0, first]] }, { id: 'rows', data: rowsInView(view, shape) }],
  }, { lazyUpdate: true });
}

function rowsInView(view, shape) {
  const last = Math.min(view.rows.length, view.first + shape.fits);
  return Array.from({ length: Math.max(0, last - view.first) }, (_, i) => [0, view.first + i]);
}

function waterfallLabel(view) {
  const slowest = view.rows.reduce((a, b) => (b.until > a.until ? b : a), view.rows[0]);
  const home = view.page.url;
  const last = slowest ? ` The last to finish is ${shortUrl(view.page.resources[slowest.resource].url, home)} at ${formatMs(slowest.until)}.` : '';
  return `Waterfall of ${report.contenders[view.row.contender].name} on ${view.network.name}. ${waterfallHint(view)}${last}`;
}

function buildWaterfall(view, shape, width) {
  view.first = Math.min(view.first, Math.max(0, view.rows.length - shape.fits));
  const room = width - shape.left;
  return {
    height: shape.height,
    label: waterfallLabel(view),
    option: {
      grid: { left: shape.left, right: 14, top: WATERFALL_TOP, height: shape.fits * shape.rowHeight },
      xAxis: axis({
        type: 'value', position: 'top', min: 0, max: view.end, splitNumber: divisions(room),
        axisLabel: { formatter: timeLabel(view.end), showMaxLabel: false, margin: 4 },
      }),
      yAxis: { type: 'value', inverse: true, show: false, min: view.first, max: view.first + shape.fits },
      tooltip: tooltip({
        trigger: 'item',
        formatter: (item) => (item.seriesId === 'rows' ? waterfallTip(view, item.value[1]) : ''),
      }),
      series: [
        {
          id: 'back', type: 'custom', clip: false, silent: true, z: 1, data: [[0, view.first]],
          renderItem: (params, api) => ({
            type: 'group',
            children: [...waterfallStripes(params, view, shape), ...waterfallMarks(params, view)],
          }),
        },
        {
          id: 'rows', type: 'custom', clip: false, encode: { x: 0, y: 1 }, data: rowsInView(view, shape),
          renderItem: (params, api) => waterfallRow(params, api, view, shape),
        },
      ],
    },
  };
}

function waterfallRow(params, api, view, shape) {
  const index = api.value(1);
  const row = view.rows[index];
  const top = api.coord([0, index])[1];
  const { x: left, width } = params.coordSys;
  const middle = top + (shape.narrow ? 23 : shape.rowHeight / 2);
  const children = [{
    type: 'rect', z2: -1, shape: { x: 0, y: top, width: left + width + 14, height: shape.rowHeight },
    style: { fill: 'transparent' },
  }];
  for (const span of row.spans) {
    if (span.until <= span.from) continue;
    const [x, end] = [api.coord([span.from, 0])[0], api.coord([span.until, 0])[0]];
    const height = SPAN_LOOKS[span.name].height;
    children.push({
      type: 'rect', style: spanStyle(span.name),
      shape: { x, y: middle - height / 2, width: Math.max(1, end - x), height },
    });
  }
  children.push(...waterfallName(view, row, shape, top, left, width));
  return { type: 'group', children };
}

function waterfallName(view, row, shape, top, left, width) {
  const resource = view.page.resources[row.resource];
  const room = (shape.narrow ? width : left) - 62;
  const y = shape.narrow ? top + 9 : top + shape.rowHeight / 2;
  const font = '11px system-ui, sans-serif';
  return [
    { type: 'rect', silent: true, shape: { x: 4, y: y - 4, width: 8, height: 8 }, style: { fill: view.colours[row.resource] } },
    {
      type: 'text', silent: true,
      style: {
        text: resource.render_blocking ? 'B' : '', x: 16, y, verticalAlign: 'middle',
        fill: colour('worse'), font: `bold ${font}`,
      },
    },
    {
      type: 'text', silent: true,
      style: {
        text: shortUrl(resource.url, view.page.url), x: 27, y, verticalAlign: 'middle', fill: colour('fg'), font,
        width: room, overflow: 'truncate', stroke: colour('bg'), lineWidth: shape.narrow ? 2 : 0,
      },
    },
    {
      type: 'text', silent: true,
      style: {
        text: row.protocol, x: (shape.narrow ? width : left) - 8, y, align: 'right', verticalAlign: 'middle',
        fill: colour('muted'), font,
      },
    },
  ];
}

function waterfallStripes(params, view, shape) {
  const { x, y, width } = params.coordSys;
  const odd = rowsInView(view, shape).map(([, index]) => index).filter((index) => index % 2);
  return odd.map((index) => ({
    type: 'rect', style: { fill: colour('panel') },
    shape: { x: 0, y: y + (index - view.first) * shape.rowHeight, width: x + width + 14, height: shape.rowHeight },
  }));
}

function waterfallMarks(params, view) {
  const { x: left, y: top, width, height } = params.coordSys;
  const ends = [-Infinity, -Infinity];
  return [...view.marks].sort((a, b) => a.at - b.at).flatMap((mark, i) => {
    const x = left + (mark.at / view.end) * width;
    const half = mark.name.length * 3.4 + 3;
    const at = Math.max(left + half, Math.min(left + width - half, x));
    const level = at - half > ends[0] ? 0 : 1;
    ends[level] = at + half;
    const fg = colour('fg');
    return [
      {
        type: 'line', shape: { x1: x, y1: 14 + level * 13, x2: x, y2: top + height },
        style: { stroke: fg, lineWidth: 1.5, lineDash: MARK_DASHES[i % MARK_DASHES.length] },
      },
      {
        type: 'text',
        style: {
          text: mark.name, x: at, y: 2 + level * 13, align: 'center', fill: fg,
          font: 'bold 11px system-ui, sans-serif', stroke: colour('bg'), lineWidth: 3,
        },
      },
    ];
  });
}

function waterfallTip(view, index) {
  const row = view.rows[index];
  const resource = view.page.resources[row.resource];
  const lines = [
    ['type', resource.destination + (resource.render_blocking ? ', render-blocking' : '')],
    ['body', formatBytes(resource.bytes)],
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
