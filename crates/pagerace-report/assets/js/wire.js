// Which resource's bytes left when: a lane per connection, then a lane per
// resource, for two contenders with one time axis.

function drawWireLegend(state) {
  const page = report.pages[state.page];
  const types = [...new Set(page.resources.map((r) => r.destination))];
  const items = types.map((type) => {
    const sample = make('i');
    sample.style.cssText = `width:14px;height:12px;background:${palette()[DESTINATION_COLOURS[type] || 'yellow']}`;
    return make('span', {}, sample, type);
  });
  const symbol = (text, tone) => {
    const mark = make('b', {}, text);
    mark.style.color = tone;
    return mark;
  };
  items.push(
    make('span', {}, symbol('×', colour('worse')), 'lost on the link'),
    make('span', {}, symbol('▼', colour('fg')), 'dropped by the queue'),
    make('span', {}, symbol('▄', colour('fg')), 'retransmitted'),
    make('span', {}, symbol('□', colour('worse')), 'bytes wait behind a gap'),
  );
  byId('wire-legend').replaceChildren(...items);
}

function drawWire(state) {
  const host = byId('wire');
  host.replaceChildren();
  // Nobody knows what each packet of a live run carried.
  byId('wire-section').hidden = report.world === 'live';
  if (report.world === 'live') return [];
  // Drawn when it is unfolded: it is the longest chart, and few need it.
  if (!byId('wire-fold').open) return [];
  const views = [...new Set([report.baseline, state.contender])].map((contender) => wireView(state, contender)).filter(Boolean);
  if (views.length === 0) {
    host.append(make('p', { class: 'hint' }, 'These runs were not recorded in detail.'));
    return [];
  }
  const lanes = resourceLanes(views);
  views.forEach((view) => { view.lanes = lanes; });
  const shared = { from: 0, to: 0, end: 0, pinned: null, charts: [], overview: null };
  shared.end = Math.max(...views.map((view) => view.end)) * 1.01;
  shared.to = shared.end;
  shared.overview = addOverview(host, views[0], shared);
  views.forEach((view) => addVariant(host, view, shared));
  state.wireShared = shared;
  return [shared.overview, ...shared.charts];
}

// Moves the time window, keeps it inside, and redraws once per frame.
function showWindow(shared, from, to, fromSlider) {
  const width = Math.max(shared.end / 5000, Math.min(to - from, shared.end));
  shared.from = Math.max(0, Math.min(from, shared.end - width));
  shared.to = shared.from + width;
  if (!fromSlider && shared.overview.instance) {
    shared.overview.instance.dispatchAction({ type: 'dataZoom', startValue: shared.from, endValue: shared.to });
  }
  if (shared.waiting) return;
  shared.waiting = true;
  requestAnimationFrame(() => {
    shared.waiting = false;
    hideTip();
    shared.charts.forEach((chart) => chart.redraw());
  });
}

function zoomWire(shared, factor, shift) {
  const width = shared.to - shared.from;
  const middle = shared.from + width / 2 + shift * width;
  showWindow(shared, middle - (width * factor) / 2, middle + (width * factor) / 2, false);
}

// A bar with the load's throughput, whose ends choose the window.
function addOverview(host, view, shared) {
  const bins = 120;
  const sums = new Array(bins).fill(0);
  view.wire.at.forEach((at, i) => { sums[Math.min(bins - 1, Math.floor((at / shared.end) * bins))] += view.wire.bytes[i]; });
  const data = sums.map((sum, i) => [((i + 0.5) / bins) * shared.end, sum]);
  const chart = addChart(host, () => ({
    height: 62,
    label: `Zoom: ${formatMs(shared.from)} to ${formatMs(shared.to)} of ${formatMs(shared.end)}. The buttons above do the same.`,
    option: {
      grid: { left: 8, right: 8, top: 0, height: 1 },
      xAxis: { type: 'value', min: 0, max: shared.end, show: false },
      yAxis: { type: 'value', show: false },
      series: [{ type: 'line', data, showSymbol: false, lineStyle: { opacity: 0 }, silent: true }],
      dataZoom: [{
        type: 'slider', xAxisIndex: 0, filterMode: 'none', left: 8, right: 8, top: 8, height: 34,
        startValue: shared.from, endValue: shared.to, brushSelect: false, showDetail: false,
        borderColor: colour('line'), fillerColor: isDark() ? 'rgba(86,180,233,0.22)' : 'rgba(0,114,178,0.15)',
        dataBackground: { lineStyle: { color: colour('muted') }, areaStyle: { color: colour('muted'), opacity: 0.35 } },
        selectedDataBackground: { lineStyle: { color: colour('better') }, areaStyle: { color: colour('better'), opacity: 0.4 } },
        handleStyle: { color: colour('bg'), borderColor: colour('muted') }, moveHandleSize: 8,
        moveHandleStyle: { color: colour('muted'), opacity: 0.6 },
      }],
    },
  }));
  chart.instance?.on('datazoom', () => {
    const [zoom] = chart.instance.getOption().dataZoom;
    showWindow(shared, zoom.startValue, zoom.endValue, true);
  });
  return chart;
}

function addVariant(host, view, shared) {
  const name = report.contenders[view.contender].name;
  const suffix = view.contender === report.baseline ? ' (baseline)' : '';
  const coarse = view.wire.coarse ? ` Thinned out: about one packet in ${formatMs(view.wire.coarse)} is drawn.` : '';
  const marks = view.marks.map((mark, i) => `${MARK_SAMPLES[i % MARK_SAMPLES.length]} ${mark.name} ${formatMs(mark.at)}`).join(', ');
  const box = make('div', { class: 'variant' },
    make('p', {}, make('b', {}, name), `${suffix} `, make('small', {}, `${marks}.${coarse}`)));
  host.append(box);
  const wires = addChart(box, (width) => buildConnections(view, shared, width), {
    name: `Wire of ${name} on ${view.network.name}`, rows: () => wireRows(view),
  });
  const lanes = make('div', { class: 'lanes', tabindex: '0', role: 'region', 'aria-label': `Lanes of ${name}; arrow keys move, plus and minus zoom` });
  lanes.style.maxHeight = `${LANES_VIEW + 8}px`;
  box.append(lanes);
  const resources = addChart(lanes, (width) => buildResources(view, shared, width));
  lanes.addEventListener('keydown', (event) => wireKey(event, shared));
  shared.charts.push(wires, resources);
  followPointer(wires, (x, y) => connectionAt(view, shared, wires, x, y), shared);
  followPointer(resources, (x, y) => resourceAt(view, shared, resources, x, y), shared);
}

function wireKey(event, shared) {
  const moves = {
    ArrowLeft: [1, -0.25], ArrowRight: [1, 0.25], '+': [0.5, 0], '=': [0.5, 0], '-': [2, 0],
  };
  const move = moves[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  zoomWire(shared, ...move);
}
