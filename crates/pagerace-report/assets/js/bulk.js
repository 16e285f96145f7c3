// Transfers: one chart of a series over time for each network, and the numbers.

const sum = (values) => values.reduce((all, value) => all + value, 0);

const SERIES = {
  arrived: {
    title: 'throughput', unit: (v) => `${grouped(v, v < 10 ? 1 : 0)} Mbit/s`,
    of: (transfer) => transfer.arrived,
    join: (bytes) => (sum(bytes) * 8) / (bytes.length * report.interval_ms * 1000),
  },
  window: {
    title: 'congestion window', unit: formatBytes, of: (transfer) => transfer.window, join: (bytes) => bytes[bytes.length - 1],
  },
  queued: {
    title: 'bytes queued at the bottleneck', unit: formatBytes, of: (transfer) => transfer.queued, join: (bytes) => bytes[bytes.length - 1],
  },
};

// More points than this would only be a scrawl.
const POINTS_MAX = 200;

let shownSeries = 'arrived';

// How many intervals one point of the network's chart stands for.
function stepsEach(network) {
  const longest = Math.max(1, ...network.transfers.map((t) => t.arrived.length));
  return Math.ceil(longest / POINTS_MAX);
}

// Points [ms, value], each at the end of what it stands for.
function pointsOf(transfer, each) {
  const series = SERIES[shownSeries];
  const values = series.of(transfer);
  return Array.from({ length: Math.ceil(values.length / each) }, (_, i) => {
    const part = values.slice(i * each, (i + 1) * each);
    return [(i * each + part.length) * report.interval_ms, series.join(part)];
  });
}

function buildTransfers(network, width) {
  const end = Math.max(1, ...network.transfers.map((t) => t.arrived.length * report.interval_ms));
  const series = SERIES[shownSeries];
  return {
    height: Math.round(Math.max(240, Math.min(340, width * 0.55))),
    label: `${capital(series.title)} over time on ${network.name}. ${network.verdict}`,
    option: {
      grid: { left: 4, right: 14, top: 10, bottom: 4, containLabel: true },
      xAxis: axis({
        type: 'value', min: 0, max: end, splitNumber: divisions(width),
        axisLabel: { formatter: timeLabel(end), showMaxLabel: false },
      }),
      yAxis: axis({ type: 'value', min: 0, axisLabel: { formatter: series.unit } }),
      tooltip: tooltip({ trigger: 'axis', axisPointer: { type: 'line', snap: false }, showContent: false }),
      series: network.transfers.map((transfer, i) => ({
        type: 'line', showSymbol: false, name: report.contenders[i].name, data: pointsOf(transfer, stepsEach(network)),
        lineStyle: { ...lineStyleOf(i), width: 1.5 }, itemStyle: { color: lineStyleOf(i).color },
      })),
    },
  };
}

function transfersTip(network, ms) {
  const each = stepsEach(network);
  const step = Math.max(0, Math.ceil(ms / (report.interval_ms * each)) - 1);
  const series = SERIES[shownSeries];
  const rows = network.transfers.map((transfer, i) => {
    const point = pointsOf(transfer, each)[step];
    return [report.contenders[i].name, point === undefined ? 'done' : series.unit(point[1])];
  });
  return pairs(`${series.title} at ${formatMs(ms)}`, rows);
}

function transfersTable(network) {
  const head = ['', 'Transfer time', 'Shortest to longest', 'Set-up', 'Goodput', 'Overhead', 'Retransmitted', 'Packets lost', 'Failed runs'];
  // Failed loads took for ever; JSON has no word for it.
  const row = (t) => {
    const or = (value, format) => (value === null ? (t.failed_runs ? '∞' : NONE) : format(value));
    return [
      or(t.time_ms, formatMs),
      t.time_min_ms === null ? or(null) : `${formatMs(t.time_min_ms)} to ${or(t.time_max_ms, formatMs)}`,
      or(t.connect_ms, formatMs),
      or(t.goodput_bits_per_second, (bits) => `${grouped(bits / 1e6, bits > 0 ? 2 : 0)} Mbit/s`),
      or(t.overhead_percent, (percent) => `${grouped(percent, 2)} %`),
      or(t.retransmitted_bytes, formatBytes),
      or(t.packets_lost, formatCount),
      t.failed_runs ? `${t.failed_runs} of ${report.runs}` : '0',
    ];
  };
  const rows = network.transfers.map((t, i) => make('tr', {},
    make('th', { scope: 'row' }, report.contenders[i].name),
    ...row(t).map((text) => make('td', {}, text))));
  const table = make('table', {},
    make('caption', {}, `${network.name}: medians of ${plural(report.runs, 'run', 'runs')}${network.transfers.some((t) => t.failed_runs) ? ', failed ones as infinitely long' : ''}.`),
    make('thead', {}, make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, ...rows));
  return make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Numbers on ${network.name}` }, table);
}

function drawTransfersLegend() {
  byId('bulk-legend').replaceChildren(...report.contenders.map((contender, i) => {
    const style = lineStyleOf(i);
    const sample = make('i');
    sample.style.cssText = `width:26px;border-top:2px ${style.type} ${style.color}`;
    return make('span', { title: contender.description }, sample, contender.name);
  }));
}

function startBulk() {
  const facts = [['Pagerace', report.version], ['Seed', report.seed], ['Runs of each', String(report.runs)], ['File', formatBytes(report.bytes)]];
  if (report.rerun) facts.push(['Run it again', make('code', {}, report.rerun)]);
  byId('facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  fillSelect(byId('bulk-series'), Object.entries(SERIES).map(([key, { title }]) => [key, title]), shownSeries);
  byId('bulk-series').addEventListener('change', (event) => { shownSeries = event.target.value; redrawAll(); });
  drawTransfersLegend();
  for (const network of report.networks) {
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, network.name), make('small', {}, network.description)));
    byId('bulk').append(figure);
    withTip(addChart(figure, (width) => buildTransfers(network, width)), (ms) => transfersTip(network, ms));
    byId('bulk-tables').append(transfersTable(network));
  }
  followScheme(drawTransfersLegend);
}

startBulk();
