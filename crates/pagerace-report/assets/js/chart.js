// Charts that follow their width and the colour scheme.

const charts = new Set();

// Batched marks: thousands of rectangles as one element. The function sits in
// an object because the library copies functions in shapes as if they were lists.
echarts.graphic.registerShape('painted', echarts.graphic.extendShape({
  type: 'painted',
  shape: { by: null },
  buildPath(path, shape) {
    if (shape.by) shape.by.paint(path);
  },
}));

function painted(paint, style, z2) {
  return { type: 'painted', z2: z2 || 0, silent: true, shape: { by: { paint } }, style };
}

// A chart in `host`. `build(width)` gives { height, label, option }; it is asked
// again whenever the width or the colours change, and on `redraw()`.
// `saved` names the chart and gives its data as rows, for files of them.
function addChart(host, build, saved) {
  const element = make('div', { class: 'chart', role: 'img' });
  host.append(element);
  if (saved) {
    host.append(saveBar(saved.name, {
      svg: () => chartSvg(build, chart.width || 800),
      png: () => fetchless(chart.instance.getDataURL({ pixelRatio: 2, backgroundColor: colour('bg') })),
      csv: saved.rows,
    }));
  }
  const chart = { element, instance: null, width: 0, redraw, remove };
  function redraw() {
    const width = element.clientWidth;
    if (width === 0) return;
    const { height, label, option } = build(width);
    element.style.height = `${height}px`;
    element.setAttribute('aria-label', label);
    if (!chart.instance) chart.instance = echarts.init(element, null, { renderer: 'canvas' });
    if (chart.instance.getWidth() !== width || chart.instance.getHeight() !== height) {
      chart.instance.resize({ width, height });
    }
    chart.width = width;
    chart.instance.setOption({ animation: false, ...option }, { notMerge: true });
  }
  function remove() {
    observer.disconnect();
    if (chart.instance) chart.instance.dispose();
    charts.delete(chart);
    element.remove();
  }
  const observer = new ResizeObserver(() => {
    if (element.clientWidth !== chart.width) redraw();
  });
  observer.observe(element);
  charts.add(chart);
  redraw();
  return chart;
}

// The bytes of a data URL. The page's policy forbids to fetch it.
function fetchless(url) {
  const bytes = atob(url.split(',')[1]);
  return new Blob([Uint8Array.from(bytes, (c) => c.charCodeAt(0))], { type: 'image/png' });
}

function redrawAll() {
  for (const chart of charts) chart.redraw();
}

function followScheme(also) {
  const again = () => { also(); redrawAll(); };
  darkScheme.addEventListener('change', again);
  window.addEventListener('beforeprint', () => { printing = true; again(); });
  window.addEventListener('afterprint', () => { printing = false; again(); });
}

// The settings that all value axes share.
function axis(more) {
  return {
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: colour('muted'), fontSize: 11, hideOverlap: true, ...(more.axisLabel || {}) },
    splitLine: { showMinLine: false, showMaxLine: false, lineStyle: { color: colour('line'), width: 1 } },
    nameTextStyle: { color: colour('muted'), fontSize: 11 },
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'axisLabel')),
  };
}

function tooltip(more) {
  return {
    confine: true,
    backgroundColor: colour('bg'),
    borderColor: colour('line'),
    textStyle: { color: colour('fg') },
    transitionDuration: 0,
    ...more,
  };
}

// Calls `tell(x, y, event)` as the pointer moves over the chart.
function onPointer(chart, tell) {
  const zr = chart.instance?.getZr();
  if (!zr) return;
  zr.on('mousemove', (event) => {
    const box = chart.element.getBoundingClientRect();
    tell(event.offsetX, event.offsetY, (node) => showTip(node, box.left + event.offsetX, box.top + event.offsetY));
  });
  zr.on('globalout', hideTip);
}

// A tooltip beside the pointer with what `describe` says of its x value.
function withTip(chart, describe) {
  onPointer(chart, (x, y, show) => {
    if (!chart.instance.containPixel('grid', [x, y])) { hideTip(); return; }
    show(describe(chart.instance.convertFromPixel('grid', [x, y])[0]));
  });
  return chart;
}

// How many horizontal divisions a chart of this width has room for.
function divisions(width) {
  return Math.max(3, Math.min(8, Math.floor(width / 110)));
}
