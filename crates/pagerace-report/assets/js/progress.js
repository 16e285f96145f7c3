// Curves of visual progress, one chart per network, one legend for all.

const hiddenLines = new Set();

function progressEnd(rows) {
  return rows.reduce((end, row) => {
    const points = progressOf(row.detail);
    return points.length ? Math.max(end, points[points.length - 1][0]) : end;
  }, 1);
}

function buildProgress(result, width) {
  const rows = result.rows.filter((row) => row.detail);
  const network = report.networks[result.network];
  const end = progressEnd(rows) * 1.05;
  const shown = rows.filter((row) => !hiddenLines.has(row.contender));
  return {
    height: Math.round(Math.max(220, Math.min(300, width * 0.6))),
    label: progressLabel(rows, network),
    option: {
      grid: { left: 4, right: 12, top: 10, bottom: 4, containLabel: true },
      xAxis: axis({
        type: 'value', min: 0, max: end, splitNumber: divisions(width),
        axisLabel: { formatter: timeLabel(end), showMaxLabel: false },
      }),
      yAxis: axis({ type: 'value', min: 0, max: 100, interval: 25, axisLabel: { formatter: '{value} %' } }),
      tooltip: tooltip({
        trigger: 'axis',
        axisPointer: { type: 'line', snap: false, lineStyle: { color: colour('muted') } },
        showContent: false,
      }),
      series: shown.map((row) => ({
        type: 'line', step: 'end', showSymbol: false, symbol: 'none',
        name: report.contenders[row.contender].name,
        data: [[0, 0], ...progressOf(row.detail), [end, lastShare(row.detail)]],
        lineStyle: { ...lineStyleOf(row.contender), width: lineWidth(row.contender, result) },
        itemStyle: { color: lineStyleOf(row.contender).color },
        z: row.contender === report.baseline || row.contender === result.winner ? 4 : 3,
      })),
    },
  };
}

function lineWidth(contender, result) {
  return contender === report.baseline || contender === result.winner ? 3 : 1.5;
}

function lastShare(detail) {
  const points = progressOf(detail);
  return points.length ? points[points.length - 1][1] : 0;
}

function shareAt(detail, ms) {
  return progressOf(detail).reduce((share, [at, percent]) => (at <= ms ? percent : share), 0);
}

function progressTip(result, ms) {
  const lines = result.rows
    .filter((row) => row.detail && !hiddenLines.has(row.contender))
    .map((row) => [report.contenders[row.contender].name, shareAt(row.detail, ms)])
    .sort((a, b) => b[1] - a[1])
    .map(([name, share]) => [name, `${grouped(share, 0)} %`]);
  return pairs(`at ${formatMs(ms)}`, lines);
}

function progressLabel(rows, network) {
  const half = (row) => progressOf(row.detail).find(([, share]) => share >= 50);
  const texts = rows.filter(half).map((row) => `${report.contenders[row.contender].name} ${formatMs(half(row)[0])}`);
  return `Visual progress on ${network.name}. Half of the picture is shown at: ${texts.join('; ')}.`;
}

// A button that hides and shows a contender's lines wherever lines are drawn.
function contenderChip(contender) {
  const style = lineStyleOf(contender);
  const sample = make('i');
  sample.style.width = '26px';
  sample.style.borderTop = `${style.width}px ${style.type} ${style.color}`;
  const suffix = contender === report.baseline ? ' (baseline)' : '';
  const chip = make('button', { type: 'button', 'data-contender': contender, 'aria-pressed': String(!hiddenLines.has(contender)) },
    sample, report.contenders[contender].name + suffix);
  chip.addEventListener('click', () => {
    if (!hiddenLines.delete(contender)) hiddenLines.add(contender);
    for (const same of document.querySelectorAll(`[data-contender="${contender}"]`)) {
      same.setAttribute('aria-pressed', String(!hiddenLines.has(contender)));
    }
    redrawAll();
  });
  return chip;
}

function drawLineLegends() {
  for (const legend of document.querySelectorAll('[data-legend]')) {
    legend.replaceChildren(...report.contenders.map((_, i) => contenderChip(i)));
  }
}

function progressRows(result) {
  return [['contender', 'ms', 'percent'], ...result.rows.filter((row) => row.detail).flatMap((row) => progressOf(row.detail).map(
    ([at, percent]) => [report.contenders[row.contender].name, Math.round(at * 10) / 10, percent]))];
}

// Paints that show nothing yet are longer than this, ms.
const UNSEEN_FROM = 30;

// The reason for which progress stays at 0 % after the first contentful paint.
function unseenPaints(result) {
  return result.rows.filter((row) => row.detail && !hiddenLines.has(row.contender)).flatMap((row) => {
    const first = row.detail.marks.find(([name]) => name === 'fcp');
    const seen = progressOf(row.detail).find(([, percent]) => percent > 0);
    if (!first || !seen || seen[0] - inMs(first[1]) < UNSEEN_FROM) return [];
    return [`${report.contenders[row.contender].name}: the first contentful paint, at ${formatMs(inMs(first[1]))}, shows nothing that can be seen. Text waits for its fonts, or scripts hide the page, until ${formatMs(seen[0])}.`];
  });
}

function drawProgress(state) {
  return report.pages[state.page].networks
    .filter((result) => result.rows.some((row) => row.detail))
    .map((result) => {
      const network = report.networks[result.network];
      const figure = make('figure', {}, make('figcaption', {}, make('b', {}, network.name)));
      byId('progress').append(figure);
      const chart = addChart(figure, (width) => buildProgress(result, width), {
        name: `Visual progress on ${network.name}`, rows: () => progressRows(result),
      });
      figure.append(...unseenPaints(result).map((text) => make('p', { class: 'hint' }, text)));
      return withTip(chart, (ms) => progressTip(result, ms));
    });
}
