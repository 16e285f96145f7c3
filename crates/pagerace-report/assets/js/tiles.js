// Tiles: what people wait for, for the baseline and its rivals, with the range of loads.

const TILE_METRICS = ['ttfb', 'fcp', 'lcp', 'speed-index', 'onload'];
const TILE_ROWS = 4;

// The baseline, the contender shown, and the best others.
function tileRows(result) {
  const order = rankedRows(result, report.metric);
  const first = order.filter((row) => row.contender === report.baseline || row.contender === state.contender);
  const others = order.filter((row) => !first.includes(row));
  return [...first, ...others].slice(0, Math.max(first.length, TILE_ROWS)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

function drawTiles(state) {
  const host = byId('tiles');
  const result = resultShown(state);
  if (!result) return [];
  const rows = tileRows(result);
  const metrics = TILE_METRICS.map((name) => report.metrics.findIndex((metric) => metric.name === name)).filter((i) => i >= 0);
  const known = metrics.filter((i) => rows.some((row) => row.values[i] && row.values[i].median !== null));
  host.append(...known.map((metric) => tile(metric, rows)));
  const worlds = rows.some((row) => row.values.some((value) => value.range));
  byId('tiles-hint').textContent = `${report.networks[result.network].name}: medians of ${plural(report.runs, 'load', 'loads')} each${
    worlds ? '; a bar spans 90 % of the loads that real browsers are predicted to have, errors of the model included' : ''}. Less is better.`;
  return [];
}

function tile(index, rows) {
  const metric = report.metrics[index];
  const ends = rows.flatMap((row) => {
    const value = row.values[index];
    return value ? [value.median || 0, ...(value.range || [])] : [];
  });
  const end = Math.max(1, ...ends) * 1.02;
  const isRanked = index === report.metric;
  return make('div', { class: `tile${isRanked ? ' ranked' : ''}` },
    make('h3', { title: metric.definition }, metric.title), ...rows.map((row) => tileRow(row, index, end)));
}

function tileRow(row, index, end) {
  const metric = report.metrics[index];
  const value = row.values[index] || {};
  const isBaseline = row.contender === report.baseline;
  const share = (number) => `${Math.min(100, (number / end) * 100).toFixed(1)}%`;
  const bar = make('div', { class: 'bar', 'aria-hidden': 'true' });
  if (value.range) {
    const band = make('i', { class: 'band' });
    band.style.cssText = `left:${share(value.range[0])};width:calc(${share(value.range[1])} - ${share(value.range[0])})`;
    bar.append(band);
  }
  if (value.median !== null && value.median !== undefined) {
    const dot = make('i', { class: isBaseline ? 'dot baseline' : 'dot' });
    dot.style.left = share(value.median);
    bar.append(dot);
  }
  const kind = isBaseline ? 'same' : direction(value, metric);
  const range = value.range ? `${formatValue(value.range[0], metric.unit)} to ${formatValue(value.range[1], metric.unit)}` : '';
  const difference = isBaseline ? 'baseline' : formatPercent(value.difference_percent);
  return make('div', { class: 'tile-row' },
    make('span', { class: 'who', title: report.contenders[row.contender].name }, report.contenders[row.contender].name),
    make('b', {}, formatValue(value.median, metric.unit)),
    make('span', { class: `change ${kind}` }, difference), bar, make('small', {}, range));
}
