// The data, and its short forms made long again. See src/compact.rs.

const report = JSON.parse(document.getElementById('data').textContent);
const decoded = new WeakMap();

// Comparisons come as lists; see `values` in src/compact.rs.
function unpack(list) {
  const at = (i) => (list[i] === undefined ? null : list[i]);
  const range = (i) => (at(i) === null ? null : [at(i), at(i + 1)]);
  return {
    median: at(0), difference: at(1), difference_percent: at(2), interval: range(3), effect_size: at(5), p_value: at(6),
    range: range(7), sure_range: range(9), probable_range: range(11), sooner: at(13), counts: at(14) === 1,
  };
}

for (const page of report.pages || []) {
  for (const result of page.networks) {
    for (const row of result.rows) row.values = row.values.map(unpack);
  }
}

function cached(key, make) {
  if (!decoded.has(key)) decoded.set(key, make());
  return decoded.get(key);
}

function sums(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

function inMs(ticks) {
  return ticks * report.tick_ms;
}

// Points [ms, percent] of the visual progress.
function progressOf(detail) {
  const at = sums(detail.progress_at);
  return at.map((tick, i) => [inMs(tick), detail.progress_share[i] / 10]);
}

const SPANS = ['queued', 'blocked', 'dns', 'connect', 'wait', 'receive'];

// Rows of the waterfall, in order of discovery.
function timingsOf(detail) {
  const rows = [];
  detail.timings.forEach((timing, resource) => {
    if (!timing) return;
    let at = timing[0];
    const spans = SPANS.map((name, i) => {
      const span = { name, from: inMs(at), until: inMs(at + timing[i + 1]) };
      at += timing[i + 1];
      return span;
    });
    const [, , , , , , , hol, holOther, protocol, connection, reused, priority] = timing;
    rows.push({
      urgency: priority ? (priority - 1) >> 1 : null, incremental: priority ? (priority - 1) % 2 === 1 : false,
      resource, from: inMs(timing[0]), until: inMs(at), spans, hol, holOther,
      protocol: `h${protocol}`, connection: connection || null, reused: reused === 1,
    });
  });
  return rows.sort((a, b) => a.from - b.from || a.resource - b.resource);
}

// Pieces on the wire; arrays of equal length, ascending in time.
function wireOf(detail) {
  return cached(detail.wire, () => {
    const wire = detail.wire;
    const at = sums(wire.at);
    const again = new Set(sums(wire.again));
    const dropAt = sums(wire.drop_at);
    return {
      coarse: inMs(wire.coarse),
      at: at.map(inMs),
      until: at.map((tick, i) => inMs(tick + wire.last[i])),
      resource: wire.resource,
      connection: at.map((_, i) => wire.connection[i] || 0),
      bytes: wire.bytes,
      again: at.map((_, i) => again.has(i)),
      drops: dropAt.map((tick, i) => ({
        at: inMs(tick), connection: wire.drop_connection[i], queue: wire.drop_queue[i] === 1,
      })),
      gaps: wire.gaps.map(([resource, from, length, bytes]) => ({
        resource, from: inMs(from), until: inMs(from + length), bytes,
      })),
    };
  });
}

function rowOf(result, contender) {
  return result && result.rows.find((row) => row.contender === contender);
}

// The time of the last event of a run, ms.
function endOf(detail) {
  const rows = timingsOf(detail);
  const marks = detail.marks.map(([, tick]) => inMs(tick));
  return Math.max(1, ...marks, rows.reduce((end, row) => Math.max(end, row.until), 0));
}
