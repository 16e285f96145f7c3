// The data of the wire's charts: lanes, groups of pieces, sizes.

const WIRE_LANES = 6;
const WIRE_LANE_HEIGHT = 32;
const WIRE_LANE_HEAD = 12;
const MARK_DASHES = [[6, 3], [2, 3], [10, 3, 2, 3]];
const MARK_SAMPLES = ['╌', '┈', '─·'];
const LANES_VIEW = 480;

// The data of one contender's charts, or null if the run was not recorded.
function wireView(state, contender) {
  const page = report.pages[state.page];
  const result = resultShown(state);
  const row = rowOf(result, contender);
  if (!row || !row.detail) return null;
  const wire = wireOf(row.detail);
  return {
    page, contender, wire, detail: row.detail,
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

// The pieces that left the servers, as rows of a file.
function wireRows(view) {
  const { wire, page } = view;
  const rows = wire.at.map((at, i) => [
    at, wire.until[i], wire.bytes[i], wire.connection[i], page.resources[wire.resource[i]]?.url, wire.again[i] ? 1 : 0,
  ]);
  return [['from ms', 'until ms', 'bytes', 'connection', 'resource', 'retransmitted'], ...rows];
}
