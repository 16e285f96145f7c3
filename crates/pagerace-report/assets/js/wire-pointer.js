// The things under the pointer on the wire's charts.

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
  if (fresh.length < pieces.length) lines.push(['retransmitted', plural(pieces.length - fresh.length, 'piece', 'pieces')]);
  if (piece !== null) {
    const before = fresh.filter((i) => i <= piece).reduce((sum, i) => sum + wire.bytes[i], 0);
    lines.push([`here (${formatMs(wire.at[piece])})`, formatBytes(wire.bytes[piece]) + (wire.again[piece] ? ', retransmitted' : '')]);
    if (total > 0) lines.push(['by then', `${grouped((before / total) * 100, 0)} %`]);
  }
  return pairs(shortUrl(resource.url, view.page.url), lines);
}
