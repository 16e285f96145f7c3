// All numbers, for reading and copying.

function numbersHead(state) {
  const metric = report.metrics[state.metric];
  const compared = overWorlds()
    ? ['90 % of loads', 'Difference', '%', '80 % range', '95 % range', `${metric.title} lower in`]
    : ['Paired difference', '%', '95 % interval', 'Effect size', 'p'];
  const names = [capital(report.noun), metric.title, ...compared, 'Failed runs'];
  const others = report.metrics.filter((_, i) => i !== state.metric);
  return make('thead', {}, make('tr', {},
    ...names.map((name) => make('th', { scope: 'col' }, name)),
    ...others.map((other) => make('th', { scope: 'col', class: 'more', title: other.definition }, other.title))));
}

function numbersRow(row, state) {
  const metric = report.metrics[state.metric];
  const value = row.values[state.metric] || {};
  const difference = (v) => formatDifference(v, metric.unit);
  const kind = direction(row.values[state.metric], metric);
  const gap = [[difference(value.difference), kind], [formatPercent(value.difference_percent), kind]];
  const compared = overWorlds() ? [
    [formatInterval(value.range, (v) => formatValue(v, metric.unit))],
    ...gap,
    [formatInterval(value.probable_range, difference)],
    [formatInterval(value.sure_range, difference)],
    [formatShare(value.sooner)],
  ] : [
    ...gap,
    [formatInterval(value.interval, difference)],
    [formatEffect(value.effect_size)],
    [formatP(value.p_value)],
  ];
  const cells = [[formatValue(value.median, metric.unit)], ...compared, [String(row.failed)]];
  report.metrics.forEach((other, i) => {
    if (i !== state.metric) cells.push([formatValue((row.values[i] || {}).median, other.unit), 'more']);
  });
  const isBaseline = row.contender === report.baseline;
  const name = report.contenders[row.contender].name + (isBaseline ? ' (baseline)' : '');
  return make('tr', { class: isBaseline ? 'baseline' : null },
    make('th', { scope: 'row' }, name),
    ...cells.map(([text, mark]) => make('td', { class: mark && mark !== 'same' ? mark : null }, text)));
}

function drawTables(state) {
  const list = byId('table-list');
  list.replaceChildren();
  for (const result of report.pages[state.page].networks) {
    const network = report.networks[result.network];
    const rows = rankedRows(result, state.metric).map((row) => numbersRow(row, state));
    const table = make('table', {},
      make('caption', {}, `${network.name}: ${network.description}. Medians of ${plural(report.runs, 'run', 'runs')}.`),
      numbersHead(state), make('tbody', {}, ...rows));
    list.append(make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Numbers on ${network.name}` }, table));
  }
}
