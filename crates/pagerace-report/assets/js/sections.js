// Figures of sections: series of bars, lines, steps or points over two axes.

const KINDS = {
  bars: () => ({ type: 'bar', stack: 'all', barMaxWidth: 40 }),
  line: () => ({ type: 'line', showSymbol: false }),
  steps: () => ({ type: 'line', step: 'start', showSymbol: false }),
  points: () => ({ type: 'scatter', symbolSize: 8 }),
};

// A line has the colour of the points of the same name.
function placeOf(figure, series) {
  const names = [...new Set(figure.series.map(({ name }) => name))];
  return names.indexOf(series.name);
}

function pointText(figure, { seriesName, value, name }) {
  const short = (number) => number.toLocaleString('en', { maximumFractionDigits: 2 });
  const [x, y] = value;
  const place = figure.categories.length ? figure.categories[x] : `${short(x)} ${figure.x}`;
  return pairs(name || seriesName, [[place, `${short(y)} ${figure.y}`]]);
}

function buildFigure(figure, width) {
  const named = { nameLocation: 'middle' };
  const x = figure.categories.length
    ? { type: 'category', data: figure.categories, splitLine: { show: false }, axisLabel: { interval: 0, hideOverlap: false, rotate: width < 90 * figure.categories.length ? 35 : 0 } }
    : { type: 'value', name: figure.x, nameGap: 26, splitNumber: divisions(width), ...named };
  return {
    height: Math.round(Math.max(260, Math.min(420, width * 0.42))),
    label: figure.label,
    option: {
      grid: { left: 44, right: 16, top: 34, bottom: figure.categories.length ? 12 : 40, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: colour('fg'), fontSize: 12 }, data: [...new Set(figure.series.map(({ name }) => name))] },
      xAxis: axis(x),
      yAxis: axis({ type: 'value', name: figure.y, nameGap: 48, max: figure.y_max ?? undefined, ...named }),
      tooltip: tooltip({ trigger: 'item', formatter: (point) => pointText(figure, point) }),
      series: figure.series.map((series) => {
        const style = styleOf(placeOf(figure, series));
        return {
          ...KINDS[series.kind](), name: series.name,
          data: series.points.map((point) => ({ value: [point.x, point.y], name: point.name || '' })),
          lineStyle: style, itemStyle: { color: style.color, opacity: series.kind === 'points' ? 0.75 : 1 },
        };
      }),
    },
  };
}

report.figures.forEach((figure, i) => {
  const host = byId(`figure-${i}`);
  addChart(host, (width) => buildFigure(figure, width));
});
followScheme(() => {});
