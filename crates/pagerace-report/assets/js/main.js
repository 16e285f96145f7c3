// The controls, and what follows from them.

const state = { page: 0, network: 0, contender: report.baseline, metric: report.metric, unit: 'percent' };

// Charts by section, so that a section can be drawn anew.
const drawn = {};

function draw(section, make_) {
  (drawn[section] || []).forEach((chart) => chart.remove());
  const host = byId(section);
  if (host) host.replaceChildren();
  drawn[section] = make_(state) || [];
}

// Returns the result of a page on a network.
function resultShown({ page, network }) {
  return report.pages[page].networks.find((result) => result.network === network);
}

function drawComparisons() {
  byId('metric-definition').textContent = report.metrics[state.metric].definition;
  draw('differences', drawDifferences);
  draw('across', drawAcross);
}

function drawLegends() {
  drawLineLegends();
  drawWhyLegend();
  drawWaterfallLegend();
  drawWireLegend(state);
}

// The network's best contender, or another than the baseline.
function rival(network) {
  const result = resultShown({ page: state.page, network });
  if (!result) return report.baseline;
  const others = rankedRows(result, report.metric).filter((row) => row.contender !== report.baseline);
  const seen = others.filter((row) => row.detail);
  if (result.winner !== null && result.winner !== report.baseline) return result.winner;
  const [first] = [...seen, ...others];
  return first ? first.contender : report.baseline;
}

// Networks and contenders of the page, for the selectors.
function fillChoices() {
  const networks = report.pages[state.page].networks.map((r) => [r.network, report.networks[r.network].name]);
  if (!networks.some(([network]) => network === state.network) && networks.length) [[state.network]] = networks;
  const rivals = report.contenders.map((s, i) => [i, s.name]).filter(([i]) => i !== report.baseline);
  fillSelect(byId('network'), networks, state.network);
  fillSelect(byId('contender'), rivals, state.contender);
  byId('network-label').hidden = networks.length < 2;
  byId('contender-label').hidden = rivals.length < 2;
  byId('shown').hidden = report.pages.length < 2 && networks.length < 2 && rivals.length < 2;
  byId('baseline-name').textContent = report.contenders[report.baseline].name;
}

// Everything that shows the baseline and one contender on one network.
function drawPair() {
  draw('tiles', drawTiles);
  draw('film', () => []);
  draw('strip', drawFilm);
  draw('paths', drawPaths);
  draw('waterfall', drawWaterfall);
  draw('wire', drawWire);
}

function chooseNetwork(network) {
  state.network = network;
  state.contender = rival(network);
  fillChoices();
  drawPair();
}

function drawPage() {
  state.contender = rival(state.network);
  fillChoices();
  state.contender = rival(state.network);
  byId('contender').value = String(state.contender);
  drawLegends();
  drawComparisons();
  drawTables(state);
  draw('why', drawWhy);
  draw('progress', drawProgress);
  drawPair();
}

function choosePage(page) {
  state.page = page;
  byId('page').value = String(page);
  drawPage();
}

function onSelect(id, apply) {
  byId(id).addEventListener('change', (event) => apply(event.target.value));
}

function listen() {
  onSelect('page', (value) => choosePage(Number(value)));
  onSelect('network', (value) => chooseNetwork(Number(value)));
  onSelect('contender', (value) => { state.contender = Number(value); drawPair(); });
  onSelect('metric', (value) => { state.metric = Number(value); drawComparisons(); });
  onSelect('unit', (value) => { state.unit = value; drawComparisons(); });
  byId('wire-fold').addEventListener('toggle', () => draw('wire', drawWire));
  const zooms = { in: [0.5, 0], out: [2, 0], left: [1, -0.25], right: [1, 0.25], all: [1e9, 0] };
  for (const [name, move] of Object.entries(zooms)) {
    byId(`wire-${name}`).addEventListener('click', () => state.wireShared && zoomWire(state.wireShared, ...move));
  }
  byId('copy').addEventListener('click', copyScenario);
  window.addEventListener('scroll', hideTip, { passive: true });
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
  drawPages();
  drawPage();
  followScheme(() => { drawLegends(); drawPair(); });
}

start();
