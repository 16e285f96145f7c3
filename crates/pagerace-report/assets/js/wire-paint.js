// The wire's two charts: lanes of connections, lanes of resources.

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
  return `Bytes on the wire of ${report.contenders[view.contender].name} on ${view.network.name}: ${
    plural(view.lanes.order.length, 'resource', 'resources')}, ${plural(drops, 'lost packet', 'lost packets')}, ${
    plural(again, 'piece', 'pieces')} retransmitted, ${plural(view.wire.gaps.length, 'gap', 'gaps')}.`;
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
