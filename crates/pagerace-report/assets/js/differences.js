// Bars from the baseline to each contender, with 95 % intervals.

const BAR_ROW = 30;

// Is the difference sure and noticeable, as the verdicts count? And to which side?
function direction(value, metric) {
  if (!value || value.difference === null || !value.counts) return 'same';
  return (value.difference < 0) === metric.lower_is_better ? 'better' : 'worse';
}

// Difference and interval in the unit shown, or null.
function shownDifference(row, baseRow, state) {
  const value = row.values[state.metric];
  if (!value || value.difference === null) return null;
  const base = baseRow && baseRow.values[state.metric];
  if (state.unit === 'absolute') {
    return { at: value.difference, interval: value.interval };
  }
  if (value.difference_percent === null || !base || !base.median) return null;
  const share = (end) => (end / base.median) * 100;
  return { at: value.difference_percent, interval: value.interval && value.interval.map(share) };
}

function rankedRows(result, metricIndex) {
  const metric = report.metrics[metricIndex];
  const key = (row) => {
    const value = row.values[metricIndex];
    if (!value || value.median === null) return Infinity;
    return metric.lower_is_better ? value.median : -value.median;
  };
  const after = (row) => (row.contender === report.baseline ? 0 : 1);
  const compare = (a, b) => (key(a) === key(b) ? 0 : key(a) - key(b));
  return [...result.rows].sort((a, b) => compare(a, b) || after(a) - after(b) || a.contender - b.contender);
}

// The range that holds all bars of the networks that share the axis.
function differenceRange(results, state) {
  let [low, high] = [0, 0];
  for (const result of results) {
    const base = rowOf(result, report.baseline);
    for (const row of result.rows) {
      const shown = shownDifference(row, base, state);
      if (!shown) continue;
      const ends = [shown.at, ...(shown.interval || [])];
      low = Math.min(low, ...ends);
      high = Math.max(high, ...ends);
    }
  }
  return low === high ? [-1, 1] : [low, high];
}

function differenceText(row, state) {
  const metric = report.metrics[state.metric];
  const value = row.values[state.metric];
  if (row.contender === report.baseline) {
    return value && value.median !== null ? `baseline, ${formatValue(value.median, metric.unit)}` : 'baseline';
  }
  if (!value || value.difference === null) return row.failed ? `${row.failed} of ${report.runs} failed` : 'no value';
  return `${formatDifference(value.difference, metric.unit)} (${formatPercent(value.difference_percent)})`;
}

function differenceLabel(rows, network, state) {
  const metric = report.metrics[state.metric];
  const unsure = (row) => row.contender !== report.baseline && direction(row.values[state.metric], metric) === 'same';
  const texts = rows.map((row) => `${report.contenders[row.contender].name}: ${differenceText(row, state)}${unsure(row) ? ', too small or unsure' : ''}`);
  return `${metric.title} on ${network.name}, differences to the baseline. ${texts.join('; ')}.`;
}

function buildDifferences(result, range, state, width) {
  const rows = rankedRows(result, state.metric);
  const base = rowOf(result, report.baseline);
  const metric = report.metrics[state.metric];
  const network = report.networks[result.network];
  const format = state.unit === 'percent' ? percentLabel : (v) => formatDifference(v, metric.unit);
  const [low, high] = range;
  const pad = (high - low) * 0.06;
  return {
    height: rows.length * BAR_ROW + 34,
    label: differenceLabel(rows, network, state),
    option: {
      grid: { left: 4, right: 4, top: 4, bottom: 24 },
      xAxis: axis({
        type: 'value', min: low - pad, max: high + pad, splitNumber: divisions(width),
        axisLabel: { formatter: format, showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: { type: 'value', inverse: true, min: 0, max: rows.length, show: false },
      tooltip: tooltip({
        trigger: 'item', formatter: (item) => differenceTip(rows[item.dataIndex], state),
      }),
      series: [{
        type: 'custom',
        clip: false,
        data: rows.map((row, i) => [0, i]),
        renderItem: (params, api) => differenceBar(params, api, rows[params.dataIndex], base, state),
      }],
    },
  };
}

function differenceTip(row, state) {
  const metric = report.metrics[state.metric];
  const value = row.values[state.metric] || {};
  const unit = (v) => formatDifference(v, metric.unit);
  const lines = [[metric.title, formatValue(value.median, metric.unit)]];
  if (row.contender !== report.baseline) {
    lines.push(
      ['difference', `${unit(value.difference)} (${formatPercent(value.difference_percent)})`],
      ['95 % interval', formatInterval(value.interval, unit)],
      ['effect size', formatEffect(value.effect_size)],
      ['p', formatP(value.p_value)],
    );
  }
  if (row.failed) lines.push(['failed runs', String(row.failed)]);
  return pairs(report.contenders[row.contender].name, lines);
}

// One row: name and numbers above, bar and interval below.
function differenceBar(params, api, row, base, state) {
  const metric = report.metrics[state.metric];
  const shown = shownDifference(row, base, state);
  const [zero, top] = api.coord([0, params.dataIndex]);
  const { x: left, width } = params.coordSys;
  const kind = direction(row.values[state.metric], metric);
  const children = [
    { type: 'rect', shape: { x: left, y: top, width, height: BAR_ROW }, style: { fill: 'transparent' } },
    ...differenceTexts(row, state, left, width, top),
    line(zero, top, zero, top + BAR_ROW, colour('fg'), 1),
  ];
  const middle = top + 22;
  if (shown && row.contender !== report.baseline) {
    const at = api.coord([shown.at, 0])[0];
    children.push({
      type: 'rect',
      shape: { x: Math.min(zero, at), y: middle - 4, width: Math.max(1, Math.abs(at - zero)), height: 8 },
      style: { fill: colour(kind), opacity: kind === 'same' ? 0.55 : 1 },
    });
    if (shown.interval) children.push(...whisker(api, shown.interval, middle));
  } else if (row.contender === report.baseline) {
    children.push({ type: 'circle', shape: { cx: zero, cy: middle, r: 4 }, style: { fill: colour('fg') } });
  }
  return { type: 'group', children };
}

function line(x1, y1, x2, y2, stroke, lineWidth) {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth }, silent: true };
}

function whisker(api, interval, y) {
  const [low, high] = interval.map((end) => api.coord([end, 0])[0]);
  const fg = colour('fg');
  return [
    line(low, y, high, y, fg, 1.5),
    line(low, y - 4, low, y + 4, fg, 1.5),
    line(high, y - 4, high, y + 4, fg, 1.5),
  ];
}

function differenceTexts(row, state, left, width, top) {
  const name = report.contenders[row.contender].name;
  const bold = row.contender === report.baseline;
  const numbers = differenceText(row, state);
  const halo = { stroke: colour('bg'), lineWidth: 3 };
  const room = width - numbers.length * 6.2 - 10;
  return [
    {
      type: 'text', silent: true, z2: 5,
      style: {
        ...halo, text: shorten(name, Math.max(8, Math.floor(room / 6.6))), x: left, y: top + 3, fill: colour('fg'),
        font: `${bold ? 'bold ' : ''}12px system-ui, sans-serif`,
      },
    },
    {
      type: 'text', silent: true, z2: 5,
      style: {
        ...halo, text: numbers, x: left + width, y: top + 3, align: 'right',
        fill: colour('muted'), font: '12px system-ui, sans-serif',
      },
    },
  ];
}

function drawDifferences(state) {
  const metric = report.metrics[state.metric];
  byId('differences-hint').textContent = `Median of the paired differences and its 95 % interval. ${
    metric.lower_is_better ? 'Left of the line is better' : 'Right of the line is better'}; grey bars are too small to notice or could be chance.${state.unit === 'percent' ? ' All networks share one scale.' : ''}`;
  const results = report.pages[state.page].networks;
  const shared = state.unit === 'percent' ? differenceRange(results, state) : null;
  return results.map((result) => {
    const network = report.networks[result.network];
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, network.name), make('small', {}, network.description)));
    byId('differences').append(figure);
    const range = shared || differenceRange([result], state);
    return addChart(figure, (width) => buildDifferences(result, range, state, width));
  });
}
