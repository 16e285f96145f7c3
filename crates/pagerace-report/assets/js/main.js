// The controls, and what follows from them.

const state = {
  page: 0, metric: report.metric, unit: 'percent',
  waterfallNetwork: 0, waterfallContender: 0,
  wireNetwork: 0, wireTop: 0, wireBottom: 0,
};

// Charts by section, so that a section can be drawn anew.
const drawn = {};

function draw(section, make_) {
  (drawn[section] || []).forEach((chart) => chart.remove());
  const host = byId(section);
  if (host) host.replaceChildren();
  drawn[section] = make_(state) || [];
}

function drawComparisons() {
  const metric = report.metrics[state.metric];
  byId('metric-definition').textContent = metric.definition;
  draw('differences', drawDifferences);
  draw('across', drawAcross);
  drawTables(state);
}

function drawLegends() {
  drawLineLegends();
  drawWhyLegend();
  drawWaterfallLegend();
  drawWireLegend(state);
}

// The network's best contender, or another than the baseline.
function rival(network) {
  const result = report.pages[state.page].networks.find((r) => r.network === network);
  if (!result) return report.baseline;
  const others = result.rows.filter((row) => row.contender !== report.baseline && row.detail);
  if (result.winner !== null && result.winner !== report.baseline) return result.winner;
  return others.length ? others[0].contender : report.baseline;
}

// Networks and contenders of the page, for the selectors below.
function fillChoices() {
  const networks = report.pages[state.page].networks.map((r) => [r.network, report.networks[r.network].name]);
  const contenders = report.contenders.map((s, i) => [i, s.name + (i === report.baseline ? ' (baseline)' : '')]);
  const known = (network) => networks.some(([n]) => n === network);
  for (const key of ['waterfallNetwork', 'wireNetwork']) {
    if (!known(state[key]) && networks.length) [[state[key]]] = networks;
  }
  state.waterfallContender = rival(state.waterfallNetwork);
  state.wireTop = report.baseline;
  state.wireBottom = rival(state.wireNetwork);
  fillSelect(byId('waterfall-network'), networks, state.waterfallNetwork);
  fillSelect(byId('waterfall-contender'), contenders, state.waterfallContender);
  fillSelect(byId('wire-network'), networks, state.wireNetwork);
  fillSelect(byId('wire-top'), contenders, state.wireTop);
  fillSelect(byId('wire-bottom'), contenders, state.wireBottom);
}

function drawPage() {
  fillChoices();
  drawLegends();
  drawComparisons();
  draw('why', drawWhy);
  draw('progress', drawProgress);
  draw('waterfall', drawWaterfall);
  draw('wire', drawWire);
}

function onSelect(id, apply) {
  byId(id).addEventListener('change', (event) => apply(event.target.value));
}

function listen() {
  onSelect('page', (value) => { state.page = Number(value); drawPage(); });
  onSelect('metric', (value) => { state.metric = Number(value); drawComparisons(); });
  onSelect('unit', (value) => { state.unit = value; drawComparisons(); });
  onSelect('waterfall-network', (value) => { state.waterfallNetwork = Number(value); draw('waterfall', drawWaterfall); });
  onSelect('waterfall-contender', (value) => { state.waterfallContender = Number(value); draw('waterfall', drawWaterfall); });
  onSelect('wire-top', (value) => { state.wireTop = Number(value); draw('wire', drawWire); });
  onSelect('wire-bottom', (value) => { state.wireBottom = Number(value); draw('wire', drawWire); });
  onSelect('wire-network', (value) => {
    state.wireNetwork = Number(value);
    state.wireBottom = rival(state.wireNetwork);
    byId('wire-bottom').value = String(state.wireBottom);
    draw('wire', drawWire);
  });
  const zooms = { in: [0.5, 0], out: [2, 0], left: [1, -0.25], right: [1, 0.25], all: [1e9, 0] };
  for (const [name, move] of Object.entries(zooms)) {
    byId(`wire-${name}`).addEventListener('click', () => state.wireShared && zoomWire(state.wireShared, ...move));
  }
  byId('copy').addEventListener('click', copyScenario);
  window.addEventListener('scroll', hideTip, { passive: true });
  window.addEventListener('beforeprint', () => { byId('tables').open = true; });
}

function copyScenario() {
  const said = (text) => { byId('copied').textContent = text; };
  const select = () => {
    window.getSelection().selectAllChildren(byId('scenario'));
    said('Selected: copy it with your keyboard.');
  };
  if (!navigator.clipboard) { select(); return; }
  navigator.clipboard.writeText(report.scenario).then(() => said('Copied.'), select);
}

function fillFooter() {
  const facts = [['Pagerace', report.version], ['Seed', report.seed], ['Runs of each variant', String(report.runs)]];
  if (report.rerun) facts.push(['Run it again', make('code', {}, report.rerun)]);
  byId('facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  byId('scenario').textContent = report.scenario;
  byId('scenario-box').hidden = !report.scenario;
}

function start() {
  if (!report.pages.length || !report.metrics.length) return;
  fillSelect(byId('page'), report.pages.map((page, i) => [i, page.name]), 0);
  byId('page-label').hidden = report.pages.length < 2;
  fillSelect(byId('metric'), report.metrics.map((metric, i) => [i, metric.title]), state.metric);
  for (const noun of document.querySelectorAll('[data-noun]')) noun.textContent = report.noun;
  fillFooter();
  listen();
  drawPage();
  followScheme(drawLegends);
}

start();
