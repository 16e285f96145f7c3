// All numbers, for reading and copying.

function numbersHead(state) {
  const metric = report.metrics[state.metric];
  const names = [capital(report.noun), metric.title, 'Paired difference', '%', '95 % interval', 'With the model’s error', 'Effect size', 'p', 'Failed runs'];
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
  const cells = [
    [formatValue(value.median, metric.unit)],
    [difference(value.difference), kind],
    [formatPercent(value.difference_percent), kind],
    [formatInterval(value.interval, difference)],
    [formatInterval(value.model_interval, difference)],
    [formatEffect(value.effect_size)],
    [formatP(value.p_value)],
    [String(row.failed)],
  ];
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
