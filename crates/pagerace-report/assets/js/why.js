// The causes of differences to the baseline: stacked bars, left of the line
// what a contender saves, right of it what it spends more.

const SENTENCES_MAX = 5;

const PART_COLOURS = ['orange', 'sky', 'green', 'yellow', 'blue', 'purple', 'vermilion', 'grey'];

function partColour(part) {
  return palette()[PART_COLOURS[part % PART_COLOURS.length]];
}

function whyDifferences(why) {
  return why.own.map((ms, part) => ms - why.baseline[part]);
}

function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function drawWhyLegend() {
  byId('why-legend').replaceChildren(...report.parts.map((part, i) => {
    const sample = make('i');
    sample.style.cssText = `width:14px;height:12px;background:${partColour(i)};`;
    return make('span', {}, sample, part.description);
  }));
}

function drawWhy(state) {
  const results = report.pages[state.page].networks.filter((result) => result.whys.length > 0);
  const baseline = report.contenders[report.baseline].name;
  byId('why-section').hidden = report.pages.every((page) => page.networks.every((n) => !n.whys.length));
  byId('why-hint').textContent = results.length
    ? `${report.metrics[report.metric].title}: where the difference to ${baseline} comes from, along the critical path, in the pair of runs whose difference is the median. Right of the line is more time than with ${baseline}, left of it less; the mark is the total difference.`
    : 'No pair of runs of this page was explained.';
  byId('why-tables').replaceChildren(...results.map(whyTable));
  return results.map((result) => {
    const network = report.networks[result.network];
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, network.name), make('small', {}, network.description)));
    byId('why').append(figure);
    const chart = addChart(figure, (width) => buildWhy(result, width), { name: `Causes on ${network.name}`, rows: () => whyRows(result) });
    figure.append(...whySentences(result.whys));
    return chart;
  });
}

// Of many contenders the two extremes, and the others on demand.
function whySentences(whys) {
  const list = (some) => make('ul', {}, ...some.map((why) => make('li', {}, why.sentence)));
  if (whys.length <= SENTENCES_MAX) return [list(whys)];
  const sorted = [...whys].sort((a, b) => total(whyDifferences(a)) - total(whyDifferences(b)));
  const all = make('details', {}, make('summary', {}, `All ${whys.length} sentences`), list(whys));
  return [list([sorted[0], sorted[sorted.length - 1]]), all];
}

function buildWhy(result, width) {
  const { whys } = result;
  const network = report.networks[result.network];
  const names = whys.map((why) => report.contenders[why.contender].name);
  const sums = whys.map((why) => total(whyDifferences(why)));
  const room = Math.min(180, Math.round(width * 0.3));
  return {
    height: whys.length * 34 + 40,
    label: `Parts of the differences to the baseline on ${network.name}. ${whys.map((why) => why.sentence).join(' ')}`,
    option: {
      grid: { left: room, right: 12, top: 6, bottom: 26 },
      xAxis: axis({
        type: 'value', splitNumber: divisions(width - room),
        axisLabel: { formatter: (ms) => formatDifference(ms, 'ms'), showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: {
        type: 'category', inverse: true, data: names, axisTick: { show: false }, axisLine: { lineStyle: { color: colour('fg') } },
        axisLabel: { color: colour('fg'), fontSize: 12, width: room - 12, overflow: 'truncate', margin: room - 4, align: 'left' },
      },
      tooltip: tooltip({ trigger: 'item', formatter: (item) => whyTip(whys[item.dataIndex]) }),
      series: [
        ...report.parts.map((part, i) => ({
          type: 'bar', stack: 'parts', name: part.description, barWidth: 16,
          itemStyle: { color: partColour(i) },
          data: whys.map((why) => whyDifferences(why)[i]),
        })),
        {
          type: 'scatter', symbol: 'diamond', symbolSize: 11, z: 5, name: 'total difference',
          itemStyle: { color: colour('fg'), borderColor: colour('bg'), borderWidth: 1.5 },
          data: sums.map((sum, i) => [sum, i]),
        },
      ],
    },
  };
}

function whyRows(result) {
  return [['contender', 'part', 'baseline ms', 'contender ms'], ...result.whys.flatMap((why) => report.parts.map(
    (part, i) => [report.contenders[why.contender].name, part.name, why.baseline[i], why.own[i]]))];
}

function whyTip(why) {
  const differences = whyDifferences(why);
  const rows = report.parts.map((part, i) => [part.description, formatDifference(differences[i], 'ms')]);
  return pairs(`${report.contenders[why.contender].name}, run ${why.run + 1}`, [...rows, ['total', formatDifference(total(differences), 'ms')]]);
}

function whyTable(result) {
  const network = report.networks[result.network];
  const head = ['', ...result.whys.flatMap((why) => [`${report.contenders[why.contender].name}, run ${why.run + 1}`, 'baseline', 'difference'])];
  const line = (name, cells) => make('tr', {}, make('th', { scope: 'row' }, name), ...cells.map((text) => make('td', {}, text)));
  const cellsOf = (pick) => result.whys.flatMap((why) => {
    const [own, baseline] = [pick(why.own), pick(why.baseline)];
    return [exactMs(own), exactMs(baseline), signed(exactMs(own - baseline), own - baseline)];
  });
  const rows = report.parts.map((part, i) => line(part.description, cellsOf((parts) => parts[i])));
  const table = make('table', {},
    make('caption', {}, `${network.name}: ${report.metrics[report.metric].title} by cause.`),
    make('thead', {}, make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, ...rows, line('total', cellsOf(total))));
  return make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Parts on ${network.name}` }, table);
}

// With so many digits that a reader can add up.
function exactMs(ms) {
  return `${grouped(ms, 1)} ms`;
}
