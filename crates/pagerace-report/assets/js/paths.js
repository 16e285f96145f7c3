// The critical paths of two contenders, one under the other on one axis.

function whyOf(result, contender) {
  return result && result.whys.find((why) => why.contender === contender);
}

function pathEnd(path) {
  return path.reduce((end, [, , until]) => Math.max(end, until), 1);
}

function resourceName(page, resource) {
  const found = page.resources[resource];
  return found ? shortUrl(found.url, page.url) : `request ${resource + 1}`;
}

function drawPaths(state) {
  const host = byId('paths');
  const result = resultShown(state);
  const why = whyOf(result, state.contender);
  byId('paths-hint').hidden = !why;
  if (!why) return [];
  const page = report.pages[state.page];
  const end = Math.max(pathEnd(why.baseline_path), pathEnd(why.own_path));
  const metric = report.metrics[report.metric].title;
  byId('paths-hint').textContent = `The requests that ${metric} waits for, one after the other, in run ${why.run + 1}. Each block is coloured by what takes most of its time; what follows waits for it.`;
  host.append(rowAxis(end));
  for (const [contender, path] of [[report.baseline, why.baseline_path], [why.contender, why.own_path]]) {
    const track = make('div', { class: 'path-track' });
    path.forEach(([resource, from, until, part], i) => {
      const name = resourceName(page, resource);
      const text = `${name}: ${formatMs(from)} to ${formatMs(until)}, mostly ${report.parts[part].description}`;
      const block = make('span', { class: 'path-step', title: text }, make('b', {}, String(i + 1)), ` ${name}`);
      block.style.left = `${(from / end) * 100}%`;
      block.style.width = `${Math.max(0.4, ((until - from) / end) * 100)}%`;
      block.style.borderTopColor = partColour(part);
      track.append(block);
    });
    const steps = make('ol', {}, ...path.map(([resource, from, until, part]) => make('li', {},
      `${resourceName(page, resource)}: ${formatMs(from)} to ${formatMs(until)}, mostly ${report.parts[part].description}`)));
    host.append(make('div', { class: 'path' },
      make('p', {}, make('b', {}, report.contenders[contender].name), ` ${formatMs(pathEnd(path))}`), track,
      make('details', {}, make('summary', {}, plural(path.length, 'step', 'steps')), steps)));
  }
  host.append(saveBar(`Critical paths of ${page.name}`, {
    csv: () => [['contender', 'step', 'request', 'from ms', 'until ms', 'mostly'], ...[[report.baseline, why.baseline_path], [why.contender, why.own_path]].flatMap(
      ([contender, path]) => path.map(([resource, from, until, part], i) => [report.contenders[contender].name, i + 1, page.resources[resource] ? page.resources[resource].url : resource, from, until, report.parts[part].name]))],
  }));
  return [];
}

// An axis of times for rows of HTML.
function rowAxis(end) {
  const format = timeLabel(end);
  const axis_ = make('div', { class: 'time-axis', 'aria-hidden': 'true' });
  // A label near the end would be cut.
  for (const at of axisTicks(end).filter((tick) => tick < 0.8 * end)) {
    const tick = make('span', {}, format(at));
    tick.style.left = `${(at / end) * 100}%`;
    axis_.append(tick);
  }
  return axis_;
}

// Round times from 0 on, few enough for a narrow screen.
function axisTicks(end) {
  const rough = end / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((size) => size >= rough) || rough;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}
