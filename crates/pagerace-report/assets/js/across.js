// Several pages: who gains and loses more than 5 %, and the distribution.

const NOTICEABLE = 5;

function improvement(percent, metric) {
  return metric.lower_is_better ? -percent : percent;
}

function countPages(row, metric) {
  const gains = row.differences_percent.map((percent) => improvement(percent, metric));
  return {
    gain: gains.filter((g) => g > NOTICEABLE).length,
    lose: gains.filter((g) => g < -NOTICEABLE).length,
    all: gains.length,
  };
}

function drawAcross(state) {
  byId('across').replaceChildren();
  const metric = report.metrics[state.metric];
  const entries = report.across.filter((across) => across.metric === state.metric);
  byId('across-section').hidden = report.across.length === 0;
  byId('across-hint').textContent = entries.length
    ? `${metric.title}: pages that gain or lose more than ${NOTICEABLE} % against the baseline, and the share of pages up to each difference.`
    : `No counts over all pages for ${metric.title}.`;
  return entries.flatMap((across) => {
    const network = report.networks[across.network];
    byId('across').append(make('h3', {}, network.name));
    const grid = make('div', { class: 'multiples' });
    byId('across').append(grid);
    const [counts, curves] = [make('figure'), make('figure')];
    grid.append(counts, curves);
    return [
      addChart(counts, (width) => buildCounts(across, metric, network, width), {
        name: `Gains and losses on ${network.name}`,
        rows: () => [['contender', 'gain', 'lose', 'pages'], ...across.rows.map((row) => {
          const { gain, lose, all } = countPages(row, metric);
          return [report.contenders[row.contender].name, gain, lose, all];
        })],
      }),
      withTip(addChart(curves, (width) => buildCurves(across, metric, network, width), {
        name: `Distribution on ${network.name}`,
        rows: () => [['contender', 'difference percent'], ...across.rows.flatMap((row) => row.differences_percent.map((p) => [report.contenders[row.contender].name, p]))],
      }), (percent) => curveTip(across.rows, percent)),
    ];
  });
}

const COUNT_ROW = 30;

function buildCounts(across, metric, network, width) {
  const rows = across.rows.map((row) => ({ row, ...countPages(row, metric) }))
    .sort((a, b) => (b.gain - b.lose) - (a.gain - a.lose));
  const most = Math.max(1, ...rows.map((r) => Math.max(r.gain, r.lose)));
  const texts = rows.map((r) => `${report.contenders[r.row.contender].name}: ${r.gain} gain, ${r.lose} lose, of ${r.all}`);
  return {
    height: rows.length * COUNT_ROW + 30,
    label: `Pages on ${network.name} that gain or lose more than ${NOTICEABLE} %. ${texts.join('; ')}.`,
    option: {
      grid: { left: 4, right: 4, top: 4, bottom: 22 },
      xAxis: axis({
        type: 'value', min: -most, max: most, minInterval: 1, splitNumber: divisions(width) - 1,
        axisLabel: { formatter: (v) => (v === 0 ? '' : `${Math.abs(v)} ${v < 0 ? 'lose' : 'gain'}`), showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: { type: 'value', inverse: true, min: 0, max: rows.length, show: false },
      series: [{
        type: 'custom', data: rows.map((_, i) => [0, i]), clip: false, silent: true,
        renderItem: (params, api) => countBar(params, api, rows[params.dataIndex]),
      }],
    },
  };
}

function countBar(params, api, counts) {
  const [zero, top] = api.coord([0, params.dataIndex]);
  const { x: left, width } = params.coordSys;
  const bar = (value, fill) => {
    const end = api.coord([value, 0])[0];
    return { type: 'rect', shape: { x: Math.min(zero, end), y: top + 18, width: Math.abs(end - zero), height: 8 }, style: { fill } };
  };
  const text = (content, x, align, fill) => ({
    type: 'text', z2: 5,
    style: { text: content, x, y: top + 3, align, fill, font: '12px system-ui, sans-serif', stroke: colour('bg'), lineWidth: 3 },
  });
  const missing = counts.row.missing ? `, ${counts.row.missing} without value` : '';
  const numbers = `${counts.lose} lose, ${counts.gain} gain of ${counts.all}${missing}`;
  const room = Math.max(8, Math.floor((width - numbers.length * 6.2) / 6.6));
  return {
    type: 'group',
    children: [
      bar(-counts.lose, colour('worse')),
      bar(counts.gain, colour('better')),
      line(zero, top, zero, top + COUNT_ROW, colour('fg'), 1),
      text(shorten(report.contenders[counts.row.contender].name, room), left, 'left', colour('fg')),
      text(numbers, left + width, 'right', colour('muted')),
    ],
  };
}

// Steps of an empirical distribution: [percent, share of pages].
function distribution(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.map((value, i) => [value, ((i + 1) / sorted.length) * 100]);
}

function buildCurves(across, metric, network, width) {
  const rows = across.rows.filter((row) => row.differences_percent.length > 0 && !hiddenLines.has(row.contender));
  const all = rows.flatMap((row) => row.differences_percent);
  const [low, high] = [Math.min(-10, ...all), Math.max(10, ...all)];
  const pad = (high - low) * 0.04;
  const ends = (points) => [[low - pad, 0], ...points, [high + pad, 100]];
  return {
    height: 280,
    label: `Distribution over pages of the difference in ${metric.title} on ${network.name}, from ${formatPercent(low)} to ${formatPercent(high)}.`,
    option: {
      grid: { left: 4, right: 10, top: 10, bottom: 4, containLabel: true },
      xAxis: axis({
        type: 'value', min: low - pad, max: high + pad, splitNumber: divisions(width),
        axisLabel: { formatter: percentLabel, showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: axis({ type: 'value', min: 0, max: 100, interval: 25, axisLabel: { formatter: '{value} %' } }),
      tooltip: tooltip({
        trigger: 'axis', axisPointer: { type: 'line', snap: false },
        showContent: false,
      }),
      series: rows.map((row, i) => ({
        type: 'line', step: 'end', showSymbol: false, data: ends(distribution(row.differences_percent)),
        name: report.contenders[row.contender].name,
        lineStyle: lineStyleOf(row.contender), itemStyle: { color: lineStyleOf(row.contender).color },
        markArea: i === 0 ? { silent: true, itemStyle: { color: colour('line'), opacity: 0.35 }, data: [[{ xAxis: -NOTICEABLE }, { xAxis: NOTICEABLE }]] } : undefined,
      })),
    },
  };
}

function curveTip(rows, percent) {
  const shown = rows.filter((row) => row.differences_percent.length > 0 && !hiddenLines.has(row.contender));
  const lines = shown.map((row) => {
    const below = row.differences_percent.filter((value) => value <= percent).length;
    return [report.contenders[row.contender].name, `${grouped((below / row.differences_percent.length) * 100, 0)} %`];
  });
  return pairs(`pages up to ${formatPercent(percent)}`, lines);
}
