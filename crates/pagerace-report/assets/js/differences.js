// Bars from the baseline to each contender, with 95 % intervals.

// Height of a row: name, bar and numbers side by side, or where there is little
// room the bar below the others.
const BAR_ROW = 26;
const TALL_ROW = 42;
const SIDE_BY_SIDE = 460;

// An axis ends at so much of the 90th percentile of what it has to show.
const CLIP_AT = 1.2;

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
    return { at: value.difference, interval: drawnRange(value) };
  }
  if (value.difference_percent === null || !base || !base.median) return null;
  const share = (end) => (end / base.median) * 100;
  return { at: value.difference_percent, interval: drawnRange(value) && drawnRange(value).map(share) };
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

// Where an axis ends although intervals go on, so that one outlier does not
// squeeze all others; Infinity if there is none. Bars are whole, unless one is
// an outlier itself.
function clipLimit(ends, bars) {
  const sizes = ends.map(Math.abs).sort((a, b) => a - b);
  if (sizes.length === 0) return Infinity;
  const usual = CLIP_AT * sizes[Math.floor((sizes.length - 1) * 0.9)];
  const bar = Math.max(...bars.map(Math.abs));
  const limit = bar > 4 * usual ? usual : Math.max(usual, bar * 1.05);
  return limit > 0 && sizes[sizes.length - 1] > 1.5 * limit ? limit : Infinity;
}

// The range of the axis that these networks share.
function differenceRange(results, state) {
  const [ends, bars] = [[], []];
  for (const result of results) {
    const base = rowOf(result, report.baseline);
    for (const row of result.rows) {
      const shown = row.contender === report.baseline ? null : shownDifference(row, base, state);
      if (!shown) continue;
      bars.push(shown.at);
      ends.push(shown.at, ...(shown.interval || []));
    }
  }
  const limit = clipLimit(ends, bars);
  const low = Math.max(Math.min(0, ...ends), -limit);
  const high = Math.min(Math.max(0, ...ends), limit);
  const range = low === high ? [-1, 1] : [low, high];
  return { range, clipped: limit < Infinity };
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
  const place = differencePlace(rows, state, width);
  return {
    height: rows.length * place.row + 34,
    label: differenceLabel(rows, network, state),
    option: {
      grid: { left: place.names, right: place.numbers, top: 4, height: rows.length * place.row },
      xAxis: axis({
        type: 'value', min: low - pad, max: high + pad, splitNumber: divisions(width - place.names - place.numbers),
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
        renderItem: (params, api) => differenceBar(params, api, rows[params.dataIndex], base, state, { ...place, width, low: low - pad, high: high + pad }),
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
    lines.push(['difference', `${unit(value.difference)} (${formatPercent(value.difference_percent)})`]);
    lines.push(...(overWorlds() ? [
      ['80 % range', formatInterval(value.probable_range, unit)],
      ['95 % range', formatInterval(value.sure_range, unit)],
      ['lower in', formatShare(value.sooner)],
    ] : [
      ['95 % interval', formatInterval(value.interval, unit)],
      ['effect size', formatEffect(value.effect_size)],
      ['p', formatP(value.p_value)],
    ]));
  }
  if (row.failed) lines.push(['failed runs', String(row.failed)]);
  return pairs(report.contenders[row.contender].name, lines);
}

// Where the parts of a row stand, in pixels.
function differencePlace(rows, state, width) {
  if (width < SIDE_BY_SIDE) return { row: TALL_ROW, names: 4, numbers: 4, text: 10, bar: 28 };
  const longest = (texts) => Math.max(...texts.map((text) => text.length));
  const names = longest(rows.map((row) => report.contenders[row.contender].name)) * 7 + 14;
  const numbers = longest(rows.map((row) => differenceText(row, state))) * 6.4 + 14;
  return {
    row: BAR_ROW, names: Math.min(names, width * 0.3), numbers: Math.min(numbers, width * 0.36), text: BAR_ROW / 2, bar: BAR_ROW / 2,
  };
}

// One row: name, bar with its interval, and numbers.
function differenceBar(params, api, row, base, state, place) {
  const metric = report.metrics[state.metric];
  const shown = shownDifference(row, base, state);
  const top = params.coordSys.y + params.dataIndex * place.row;
  const x = (value) => api.coord([value, 0])[0];
  const zero = x(0);
  const kind = direction(row.values[state.metric], metric);
  const shade = { fill: params.dataIndex % 2 ? colour('panel') : 'transparent' };
  const children = [
    { type: 'rect', shape: { x: 0, y: top, width: place.width, height: place.row }, style: shade },
    ...differenceTexts(row, state, place, top),
    line(zero, top, zero, top + place.row, colour('fg'), 1),
  ];
  const middle = top + place.bar;
  const within = (value) => Math.min(Math.max(value, place.low), place.high);
  if (shown && row.contender !== report.baseline) {
    const at = x(within(shown.at));
    children.push({
      type: 'rect',
      shape: { x: Math.min(zero, at), y: middle - 5, width: Math.max(1, Math.abs(at - zero)), height: 10 },
      style: { fill: colour(kind), opacity: kind === 'same' ? 0.55 : 1 },
    });
    if (shown.interval) {
      const ends = shown.interval.map((end) => ({ x: x(within(end)), beyond: Math.sign(end - within(end)) }));
      children.push(...whisker(ends, middle));
    }
    const beyond = Math.sign(shown.at - within(shown.at));
    if (beyond && !shown.interval) children.push(arrow(at, middle, beyond));
  } else if (row.contender === report.baseline) {
    children.push({ type: 'circle', shape: { cx: zero, cy: middle, r: 4 }, style: { fill: colour('fg') } });
  }
  return { type: 'group', children };
}

function line(x1, y1, x2, y2, stroke, lineWidth) {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth }, silent: true };
}

// The tip of what goes on beyond the axis, to the left (-1) or right (1).
function arrow(x, y, side) {
  const points = [[x + side * 3, y], [x - side * 5, y - 5], [x - side * 5, y + 5]];
  return { type: 'polygon', shape: { points }, style: { fill: colour('fg') }, silent: true };
}

// An interval; an end beyond the axis is an arrow.
function whisker([low, high], y) {
  const fg = colour('fg');
  const end = ({ x, beyond }) => (beyond ? arrow(x, y, beyond) : line(x, y - 5, x, y + 5, fg, 1.5));
  return [line(low.x, y, high.x, y, fg, 1.5), end(low), end(high)];
}

function differenceTexts(row, state, place, top) {
  const name = report.contenders[row.contender].name;
  const bold = row.contender === report.baseline;
  const numbers = differenceText(row, state);
  const room = place.row === TALL_ROW ? place.width - numbers.length * 6.2 - 10 : place.names - 10;
  const style = { y: top + place.text, verticalAlign: 'middle' };
  return [
    {
      type: 'text', silent: true, z2: 5,
      style: {
        ...style, text: shorten(name, Math.max(8, Math.floor(room / 6.6))), x: 4, fill: colour('fg'),
        font: `${bold ? 'bold ' : ''}12px system-ui, sans-serif`,
      },
    },
    {
      type: 'text', silent: true, z2: 5,
      style: {
        ...style, text: numbers, x: place.width - 4, align: 'right', fill: colour('muted'), font: '12px system-ui, sans-serif',
      },
    },
  ];
}

function drawDifferences(state) {
  const metric = report.metrics[state.metric];
  const results = report.pages[state.page].networks;
  const shared = state.unit === 'percent' ? differenceRange(results, state) : null;
  const ranges = results.map((result) => shared || differenceRange([result], state));
  const arrows = ranges.some(({ clipped }) => clipped) ? ' An arrow marks a value beyond the scale.' : '';
  byId('differences-hint').textContent = `${overWorlds() ? 'Median of the differences, and the range of 80 % of them' : 'Median of the paired differences and its 95 % interval'}. ${
    metric.lower_is_better ? 'Left of the line is better' : 'Right of the line is better'}; grey bars are too small to notice or could be chance.${state.unit === 'percent' ? ' All networks share one scale.' : ''}${arrows}`;
  return results.map((result, i) => {
    const network = report.networks[result.network];
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, network.name), make('small', {}, network.description)));
    byId('differences').append(figure);
    return addChart(figure, (width) => buildDifferences(result, ranges[i].range, state, width), {
      name: `Differences in ${metric.title} on ${network.name}`, rows: () => metricRows(result.rows, [state.metric]),
    });
  });
}
