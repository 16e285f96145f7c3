// Which resource's bytes left when: a lane per connection, then a lane per
// resource, for two strategies with one time axis.

const WIRE_LANES = 6;
const WIRE_LANE_HEIGHT = 32;
const WIRE_LANE_HEAD = 12;
const MARK_SAMPLES = ['╌', '┈', '─·'];
const LANES_VIEW = 480;

function drawWireLegend(state) {
  const page = report.pages[state.page];
  const types = [...new Set(page.resources.map((r) => r.destination))];
  const items = types.map((type) => {
    const sample = make('i');
    sample.style.cssText = `width:14px;height:12px;background:${palette()[DESTINATION_COLOURS[type] || 'yellow']}`;
    return make('span', {}, sample, type);
  });
  const symbol = (text, tone) => {
    const mark = make('b', {}, text);
    mark.style.color = tone;
    return mark;
  };
  items.push(
    make('span', {}, symbol('×', colour('worse')), 'lost on the link'),
    make('span', {}, symbol('▼', colour('fg')), 'dropped by the queue'),
    make('span', {}, symbol('▄', colour('fg')), 'sent again'),
    make('span', {}, symbol('□', colour('worse')), 'bytes wait behind a gap'),
  );
  byId('wire-legend').replaceChildren(...items);
}

// What one strategy's charts need, or null if the run was not recorded.
function wireView(state, strategy) {
  const page = report.pages[state.page];
  const result = page.networks.find((r) => r.network === state.wireNetwork);
  const row = rowOf(result, strategy);
  if (!row || !row.detail) return null;
  const wire = wireOf(row.detail);
  return {
    page, strategy, wire, detail: row.detail,
    connections: connectionLanes(page, wire),
    colours: resourceColours(page),
    marks: row.detail.marks.map(([name, tick]) => ({ name: markName(name), at: inMs(tick) })),
    end: Math.max(endOf(row.detail), ...wire.until.slice(-1)),
    network: report.networks[result.network],
    groups: groupPieces(wire),
  };
}

// Connections by bytes; those beyond the busiest few share the last lane.
function connectionLanes(page, wire) {
  const bytes = new Map();
  wire.connection.forEach((c, i) => bytes.set(c, (bytes.get(c) || 0) + wire.bytes[i]));
  const ranked = [...bytes.keys()].sort((a, b) => bytes.get(b) - bytes.get(a) || a - b);
  const own = ranked.length > WIRE_LANES ? WIRE_LANES - 1 : ranked.length;
  const laneOf = new Map(ranked.map((c, i) => [c, Math.min(i, own)]));
  const names = ranked.slice(0, own).map((c) => hostsOf(page, wire, c));
  if (ranked.length > own) names.push(`${ranked.length - own} other connections`);
  return { laneOf, names };
}

function hostsOf(page, wire, connection) {
  const on = new Set(wire.resource.filter((_, i) => wire.connection[i] === connection));
  const hosts = [...new Set([...on].filter((r) => page.resources[r]).map((r) => hostOf(page.resources[r].url)))];
  if (hosts.length === 0) return `connection ${connection + 1}`;
  return hosts.length > 1 ? `${hosts[0]} and ${plural(hosts.length - 1, 'other', 'others')}` : hosts[0];
}

// Resources with bytes on the wire in any of the views, in page order, so that
// a lane means the same in all of them.
function resourceLanes(views) {
  const sent = new Set(views.flatMap((view) => [...view.groups.keys()]));
  const order = [...sent].filter((r) => r < views[0].page.resources.length).sort((a, b) => a - b);
  return { order, laneOf: new Map(order.map((r, i) => [r, i])) };
}

// Indices of pieces by resource, and of those sent again.
function groupPieces(wire) {
  const groups = new Map();
  wire.resource.forEach((resource, i) => {
    if (!groups.has(resource)) groups.set(resource, []);
    groups.get(resource).push(i);
  });
  return groups;
}

function drawWire(state) {
  const host = byId('wire');
  host.replaceChildren();
  const views = [state.wireTop, state.wireBottom].map((strategy) => wireView(state, strategy)).filter(Boolean);
  if (views.length === 0) {
    host.append(make('p', { class: 'hint' }, 'These runs were not recorded in detail.'));
    return [];
  }
  const lanes = resourceLanes(views);
  views.forEach((view) => { view.lanes = lanes; });
  const shared = { from: 0, to: 0, end: 0, pinned: null, charts: [], overview: null };
  shared.end = Math.max(...views.map((view) => view.end)) * 1.01;
  shared.to = shared.end;
  shared.overview = addOverview(host, views[0], shared);
  views.forEach((view) => addVariant(host, view, shared));
  state.wireShared = shared;
  return [shared.overview, ...shared.charts];
}

// Moves the time window, keeps it inside, and redraws once per frame.
function showWindow(shared, from, to, fromSlider) {
  const width = Math.max(shared.end / 5000, Math.min(to - from, shared.end));
  shared.from = Math.max(0, Math.min(from, shared.end - width));
  shared.to = shared.from + width;
  if (!fromSlider && shared.overview.instance) {
    shared.overview.instance.dispatchAction({ type: 'dataZoom', startValue: shared.from, endValue: shared.to });
  }
  if (shared.waiting) return;
  shared.waiting = true;
  requestAnimationFrame(() => {
    shared.waiting = false;
    hideTip();
    shared.charts.forEach((chart) => chart.redraw());
  });
}

function zoomWire(shared, factor, shift) {
  const width = shared.to - shared.from;
  const middle = shared.from + width / 2 + shift * width;
  showWindow(shared, middle - (width * factor) / 2, middle + (width * factor) / 2, false);
}

// A bar with the load's throughput, whose ends choose the window.
function addOverview(host, view, shared) {
  const bins = 120;
  const sums = new Array(bins).fill(0);
  view.wire.at.forEach((at, i) => { sums[Math.min(bins - 1, Math.floor((at / shared.end) * bins))] += view.wire.bytes[i]; });
  const data = sums.map((sum, i) => [((i + 0.5) / bins) * shared.end, sum]);
  const chart = addChart(host, () => ({
    height: 62,
    label: `Zoom: ${formatMs(shared.from)} to ${formatMs(shared.to)} of ${formatMs(shared.end)}. The buttons above do the same.`,
    option: {
      grid: { left: 8, right: 8, top: 0, height: 1 },
      xAxis: { type: 'value', min: 0, max: shared.end, show: false },
      yAxis: { type: 'value', show: false },
      series: [{ type: 'line', data, showSymbol: false, lineStyle: { opacity: 0 }, silent: true }],
      dataZoom: [{
        type: 'slider', xAxisIndex: 0, filterMode: 'none', left: 8, right: 8, top: 8, height: 34,
        startValue: shared.from, endValue: shared.to, brushSelect: false, showDetail: false,
        borderColor: colour('line'), fillerColor: isDark() ? 'rgba(86,180,233,0.22)' : 'rgba(0,114,178,0.15)',
        dataBackground: { lineStyle: { color: colour('muted') }, areaStyle: { color: colour('muted'), opacity: 0.35 } },
        selectedDataBackground: { lineStyle: { color: colour('better') }, areaStyle: { color: colour('better'), opacity: 0.4 } },
        handleStyle: { color: colour('bg'), borderColor: colour('muted') }, moveHandleSize: 8,
        moveHandleStyle: { color: colour('muted'), opacity: 0.6 },
      }],
    },
  }));
  chart.instance?.on('datazoom', () => {
    const [zoom] = chart.instance.getOption().dataZoom;
    showWindow(shared, zoom.startValue, zoom.endValue, true);
  });
  return chart;
}

function addVariant(host, view, shared) {
  const name = report.strategies[view.strategy].name;
  const suffix = view.strategy === report.baseline ? ' (baseline)' : '';
  const coarse = view.wire.coarse ? ` Thinned out: about one packet in ${formatMs(view.wire.coarse)} is drawn.` : '';
  const marks = view.marks.map((mark, i) => `${MARK_SAMPLES[i % MARK_SAMPLES.length]} ${mark.name} ${formatMs(mark.at)}`).join(', ');
  const box = make('div', { class: 'variant' },
    make('p', {}, make('b', {}, name), `${suffix} `, make('small', {}, `${marks}.${coarse}`)));
  host.append(box);
  const wires = addChart(box, (width) => buildConnections(view, shared, width));
  const lanes = make('div', { class: 'lanes', tabindex: '0', role: 'region', 'aria-label': `Lanes of ${name}; arrow keys move, plus and minus zoom` });
  lanes.style.maxHeight = `${LANES_VIEW + 2}px`;
  box.append(lanes);
  const resources = addChart(lanes, (width) => buildResources(view, shared, width));
  lanes.addEventListener('keydown', (event) => wireKey(event, shared));
  shared.charts.push(wires, resources);
  followPointer(wires, (x, y) => connectionAt(view, shared, wires, x, y), shared);
  followPointer(resources, (x, y) => resourceAt(view, shared, resources, x, y), shared);
}

function wireKey(event, shared) {
  const moves = {
    ArrowLeft: [1, -0.25], ArrowRight: [1, 0.25], '+': [0.5, 0], '=': [0.5, 0], '-': [2, 0],
  };
  const move = moves[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  zoomWire(shared, ...move);
}

const WIRE_SIDE = 8;

function timeAxis(shared, width, position) {
  return axis({
    type: 'value', min: shared.from, max: shared.to, splitNumber: divisions(width), position,
    axisLabel: { formatter: timeLabel(shared.to - shared.from), showMinLabel: false, showMaxLabel: false },
  });
}

function wireLabel(view) {
  const drops = view.wire.drops.length;
  const again = view.wire.again.filter(Boolean).length;
  return `Bytes on the wire of ${report.strategies[view.strategy].name} on ${view.network.name}: ${
    plural(view.lanes.order.length, 'resource', 'resources')}, ${plural(drops, 'lost packet', 'lost packets')}, ${
    plural(again, 'piece', 'pieces')} sent again, ${plural(view.wire.gaps.length, 'gap', 'gaps')}.`;
}

function paintedSeries(id, elements) {
  return {
    id, type: 'custom', clip: true, silent: true, data: [[0, 0]],
    renderItem: (params) => ({ type: 'group', children: elements(params.coordSys) }),
  };
}

function buildConnections(view, shared, width) {
  const count = Math.max(1, view.connections.names.length);
  return {
    height: 22 + count * (WIRE_LANE_HEIGHT + 4) + 4,
    label: wireLabel(view),
    option: {
      grid: { left: WIRE_SIDE, right: WIRE_SIDE, top: 22, height: count * (WIRE_LANE_HEIGHT + 4) },
      xAxis: timeAxis(shared, width, 'top'),
      yAxis: { type: 'value', show: false, min: 0, max: 1 },
      series: [paintedSeries('wire', (area) => connectionElements(view, shared, area))],
    },
  };
}

function connectionElements(view, shared, area) {
  const laneTop = (lane) => area.y + lane * (WIRE_LANE_HEIGHT + 4) + 2;
  const top = (i) => laneTop(view.connections.laneOf.get(view.wire.connection[i])) + WIRE_LANE_HEAD;
  const height = WIRE_LANE_HEIGHT - WIRE_LANE_HEAD;
  const scale = scaleOf(shared, area);
  const children = view.connections.names.map((_, lane) => ({
    type: 'rect', shape: { x: area.x, y: laneTop(lane), width: area.width, height: WIRE_LANE_HEIGHT },
    style: { fill: colour('panel') },
  }));
  for (const [resource, pieces] of view.groups) {
    children.push(ticks(view, scale, pieces, top, height, view.colours[resource], dimmed(shared, resource)));
  }
  const again = indicesAgain(view.wire);
  children.push(ticks(view, scale, again, (i) => top(i) + height * 0.65, height * 0.35, colour('fg'), 1));
  children.push(...dropElements(view, scale, (c) => laneTop(view.connections.laneOf.get(c) ?? 0)));
  children.push(...connectionNames(view, area, laneTop));
  children.push(...wireMarks(view, scale, area));
  return children;
}

function connectionNames(view, area, laneTop) {
  return view.connections.names.map((text, lane) => ({
    type: 'text', z2: 8,
    style: {
      text, x: area.x + 3, y: laneTop(lane) + 1, fill: colour('fg'), stroke: colour('bg'), lineWidth: 3,
      font: '10px system-ui, sans-serif',
    },
  }));
}

function scaleOf(shared, area) {
  const perMs = area.width / (shared.to - shared.from);
  return { x: (ms) => area.x + (ms - shared.from) * perMs, from: shared.from, to: shared.to, perMs };
}

function dimmed(shared, resource) {
  return shared.pinned === null || shared.pinned === resource ? 1 : 0.12;
}

function indicesAgain(wire) {
  return cached(wire.again, () => wire.again.map((again, i) => (again ? i : -1)).filter((i) => i >= 0));
}

// One element with a rectangle for each of `pieces` in the window.
function ticks(view, scale, pieces, top, height, fill, opacity) {
  const { at, until } = view.wire;
  const paint = (path) => {
    for (const i of pieces) {
      if (until[i] < scale.from || at[i] > scale.to) continue;
      path.rect(scale.x(at[i]), top(i), Math.max(1.5, (until[i] - at[i]) * scale.perMs + 1), height);
    }
  };
  return painted(paint, { fill, opacity });
}

function dropElements(view, scale, laneTop) {
  const inside = view.wire.drops.filter((d) => d.at >= scale.from && d.at <= scale.to);
  const crosses = (path) => inside.filter((d) => !d.queue).forEach((d) => {
    const [x, y] = [scale.x(d.at), laneTop(d.connection) + 7];
    path.moveTo(x - 3, y - 3); path.lineTo(x + 3, y + 3);
    path.moveTo(x + 3, y - 3); path.lineTo(x - 3, y + 3);
  });
  const wedges = (path) => inside.filter((d) => d.queue).forEach((d) => {
    const [x, y] = [scale.x(d.at), laneTop(d.connection) + 4];
    path.moveTo(x - 3.5, y); path.lineTo(x + 3.5, y); path.lineTo(x, y + 6); path.closePath();
  });
  return [
    painted(wedges, { fill: colour('fg') }, 6),
    painted(crosses, { stroke: colour('worse'), lineWidth: 1.6, fill: 'none' }, 7),
  ];
}

function wireMarks(view, scale, area) {
  const marks = view.marks.map((mark, i) => ({ ...mark, dash: MARK_DASHES[i % MARK_DASHES.length] }));
  return marks.filter((m) => m.at >= scale.from && m.at <= scale.to).map((mark) => ({
    type: 'line', z2: 5,
    shape: { x1: scale.x(mark.at), x2: scale.x(mark.at), y1: area.y, y2: area.y + area.height },
    style: { stroke: colour('fg'), lineWidth: 1, lineDash: mark.dash },
  }));
}

function laneHeight(view) {
  const count = Math.max(1, view.lanes.order.length);
  return Math.max(3, Math.min(14, Math.floor(LANES_VIEW / count)));
}

function buildResources(view, shared, width) {
  const height = laneHeight(view);
  const total = Math.max(1, view.lanes.order.length) * height;
  return {
    height: total + 4,
    label: `One lane for each resource. ${wireLabel(view)}`,
    option: {
      grid: { left: WIRE_SIDE - 1, right: WIRE_SIDE - 1, top: 2, height: total },
      xAxis: { ...timeAxis(shared, width, 'top'), axisLabel: { show: false } },
      yAxis: { type: 'value', show: false, min: 0, max: 1 },
      series: [paintedSeries('lanes', (area) => resourceElements(view, shared, area, height))],
    },
  };
}

function resourceElements(view, shared, area, height) {
  const scale = scaleOf(shared, area);
  const gap = height > 4 ? 1 : 0.5;
  const top = (resource) => area.y + view.lanes.laneOf.get(resource) * height;
  const children = [waitBands(view, scale, top, height)];
  for (const resource of view.lanes.order) {
    const pieces = view.groups.get(resource) || [];
    children.push(ticks(view, scale, pieces, () => top(resource) + gap, height - 2 * gap, view.colours[resource], dimmed(shared, resource)));
  }
  const again = indicesAgain(view.wire).filter((i) => view.lanes.laneOf.has(view.wire.resource[i]));
  children.push(ticks(view, scale, again, (i) => top(view.wire.resource[i]) + height / 2, height / 2, colour('fg'), 1));
  children.push(gapBoxes(view, scale, top, height, shared.pinned));
  children.push(...wireMarks(view, scale, area));
  return children;
}

// Behind the ticks: from the request to the last byte.
function waitBands(view, scale, top, height) {
  const rows = timingsOf(view.detail).filter((row) => view.lanes.laneOf.has(row.resource));
  const paint = (path) => {
    for (const row of rows) {
      const start = row.spans[4].from;
      if (row.until < scale.from || start > scale.to) continue;
      path.rect(scale.x(start), top(row.resource), Math.max(1, (row.until - start) * scale.perMs), Math.max(1, height - 1));
    }
  };
  return painted(paint, { fill: colour('line'), opacity: 0.45 });
}

function gapBoxes(view, scale, top, height, pinned) {
  const paint = (path) => {
    for (const gap of view.wire.gaps) {
      if (gap.until < scale.from || gap.from > scale.to || !view.lanes.laneOf.has(gap.resource)) continue;
      if (pinned !== null && pinned !== gap.resource) continue;
      path.rect(scale.x(gap.from), top(gap.resource) + 0.5, Math.max(2, (gap.until - gap.from) * scale.perMs), height - 1);
    }
  };
  return painted(paint, { stroke: colour('worse'), lineWidth: 1, fill: 'none' }, 4);
}

// Tooltip and choice of a lane; `find(x, y)` gives { resource, tip } or null.
function followPointer(chart, find, shared) {
  onPointer(chart, (x, y, show) => {
    const found = find(x, y);
    if (found) show(found.tip());
    else hideTip();
  });
  chart.instance?.getZr().on('click', (event) => {
    const found = find(event.offsetX, event.offsetY);
    shared.pinned = found && found.resource !== shared.pinned ? found.resource : null;
    shared.charts.forEach((other) => other.redraw());
  });
}

function msAt(shared, chart, x) {
  const width = chart.width - 2 * WIRE_SIDE;
  return shared.from + ((x - WIRE_SIDE) / width) * (shared.to - shared.from);
}

// The piece among `pieces` nearest to `ms`, if it is within a few pixels.
function nearestPiece(wire, pieces, ms, reach) {
  let best = null;
  let distance = reach;
  for (const i of pieces) {
    const away = ms < wire.at[i] ? wire.at[i] - ms : Math.max(0, ms - wire.until[i]);
    if (away <= distance) { best = i; distance = away; }
  }
  return best;
}

function reachOf(shared, chart) {
  return (6 / chart.width) * (shared.to - shared.from);
}

function connectionAt(view, shared, chart, x, y) {
  const lane = Math.floor((y - 22) / (WIRE_LANE_HEIGHT + 4));
  if (lane < 0 || lane >= view.connections.names.length) return null;
  const { wire } = view;
  const inLane = wire.at.map((_, i) => i).filter((i) => view.connections.laneOf.get(wire.connection[i]) === lane);
  const piece = nearestPiece(wire, inLane, msAt(shared, chart, x), reachOf(shared, chart));
  return piece === null ? null : { resource: wire.resource[piece], tip: () => pieceTip(view, wire.resource[piece], piece) };
}

function resourceAt(view, shared, chart, x, y) {
  const resource = view.lanes.order[Math.floor((y - 2) / laneHeight(view))];
  if (resource === undefined) return null;
  const piece = nearestPiece(view.wire, view.groups.get(resource) || [], msAt(shared, chart, x), reachOf(shared, chart));
  return { resource, tip: () => pieceTip(view, resource, piece) };
}

function pieceTip(view, index, piece) {
  const resource = view.page.resources[index];
  const { wire } = view;
  const pieces = view.groups.get(index) || [];
  const fresh = pieces.filter((i) => !wire.again[i]);
  const total = fresh.reduce((sum, i) => sum + wire.bytes[i], 0);
  const lines = [
    ['type', resource.destination + (resource.render_blocking ? ', render-blocking' : '')],
    ['sent', `${formatBytes(total)} in ${plural(fresh.length, 'piece', 'pieces')}`],
  ];
  if (fresh.length) {
    lines.push(['from, to', `${formatMs(wire.at[fresh[0]])}, ${formatMs(wire.until[fresh[fresh.length - 1]])}`]);
  }
  if (fresh.length < pieces.length) lines.push(['sent again', plural(pieces.length - fresh.length, 'piece', 'pieces')]);
  if (piece !== null) {
    const before = fresh.filter((i) => i <= piece).reduce((sum, i) => sum + wire.bytes[i], 0);
    lines.push([`here (${formatMs(wire.at[piece])})`, formatBytes(wire.bytes[piece]) + (wire.again[piece] ? ', sent again' : '')]);
    if (total > 0) lines.push(['by then', `${grouped((before / total) * 100, 0)} %`]);
  }
  return pairs(shortUrl(resource.url, view.page.url), lines);
}
