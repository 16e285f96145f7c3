// All metrics of one page in one table for each network, for reading and copying.

// A cell: the median, and below it the difference to the baseline.
function metricCell(row, index) {
  const metric = report.metrics[index];
  const value = row.values[index];
  if (!value || value.median === null) return make('td', {}, NONE);
  const kind = row.contender === report.baseline ? 'same' : direction(value, metric);
  const notes = [];
  if (row.contender !== report.baseline && value.difference_percent !== null && value.difference !== 0) notes.push(formatPercent(value.difference_percent));
  const cell = make('td', { class: kind === 'same' ? null : kind }, formatValue(value.median, metric.unit));
  if (notes.length) cell.append(make('small', {}, notes.join(' ')));
  cell.title = metricText(row, value, metric);
  return cell;
}

function metricText(row, value, metric) {
  const unit = (v) => formatDifference(v, metric.unit);
  const lines = value.range ? [`90 % of loads: ${formatInterval(value.range, (v) => formatValue(v, metric.unit))}`] : [];
  if (row.contender !== report.baseline) {
    if (value.probable_range) lines.push(`difference: ${unit(value.difference)}, 80 % within ${formatInterval(value.probable_range, unit)}`);
    else if (value.interval) lines.push(`difference: ${unit(value.difference)}, 95 % interval ${formatInterval(value.interval, unit)}`);
    if (value.sooner !== null) lines.push(`lower in ${formatShare(value.sooner)} of loads`);
    if (value.p_value !== null) lines.push(`p ${formatP(value.p_value)}`);
  }
  return lines.join('; ');
}

function drawTables(state) {
  const list = byId('table-list');
  list.replaceChildren();
  for (const result of report.pages[state.page].networks) {
    const network = report.networks[result.network];
    const rows = rankedRows(result, report.metric);
    const known = report.metrics.map((_, i) => i).filter((i) => rows.some((row) => row.values[i] && row.values[i].median !== null));
    const head = make('tr', {}, make('th', { scope: 'col' }, 'Metric'), ...rows.map((row) => make('th', { scope: 'col' },
      report.contenders[row.contender].name + (row.contender === report.baseline ? ' (baseline)' : ''))));
    const body = known.map((i) => make('tr', { class: i === report.metric ? 'baseline' : null },
      make('th', { scope: 'row', title: report.metrics[i].definition }, report.metrics[i].title), ...rows.map((row) => metricCell(row, i))));
    const failed = make('tr', {}, make('th', { scope: 'row' }, 'Failed loads'), ...rows.map((row) => make('td', {}, String(row.failed))));
    const table = make('table', {},
      make('caption', {}, `${network.name}: ${network.description}. Medians of ${plural(report.runs, 'load', 'loads')}, and differences to the baseline.`),
      make('thead', {}, head), make('tbody', {}, ...body, failed));
    list.append(make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Numbers on ${network.name}` }, table),
      saveBar(`Metrics on ${network.name}`, { csv: () => metricRows(rows, known) }));
  }
}

function metricRows(rows, known) {
  const head = ['metric', 'unit', 'contender', 'median', 'difference', 'difference percent', 'interval low', 'interval high',
    'range low', 'range high', '80 % low', '80 % high', '95 % low', '95 % high', 'p', 'lower in'];
  const ends = (range) => range || [null, null];
  return [head, ...known.flatMap((i) => rows.map((row) => {
    const v = row.values[i];
    return [report.metrics[i].name, report.metrics[i].unit, report.contenders[row.contender].name, v.median, v.difference, v.difference_percent,
      ...ends(v.interval), ...ends(v.range), ...ends(v.probable_range), ...ends(v.sure_range), v.p_value, v.sooner];
  }))];
}
