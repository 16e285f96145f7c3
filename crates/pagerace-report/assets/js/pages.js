// Many pages: one row for each, to sort and to filter; the page that is chosen is shown below.

const PAGES_AT_ONCE = 50;

// Returns the row of a page on one network.
function pageEntry(page, index, network) {
  const result = page.networks.find((r) => r.network === network);
  const base = rowOf(result, report.baseline);
  const best = result && result.winner !== null ? rowOf(result, result.winner) : null;
  const value = (row) => (row ? row.values[report.metric] : null);
  return {
    index, name: page.name, outcome: result ? result.outcome : 'unknown',
    base: value(base) ? value(base).median : null,
    best: best ? report.contenders[result.winner].name : '',
    difference: best && best !== base && value(best) ? value(best).difference_percent : null,
    counts: Boolean(best && value(best) && value(best).counts),
  };
}

const OUTCOMES = { better: 'a winner', probable: 'a probable winner', 'no-difference': 'no winner', unknown: 'open' };

function drawPages() {
  byId('pages-section').hidden = report.pages.length < 2;
  if (report.pages.length < 2) return;
  const unit = report.metrics[report.metric].unit;
  const columns = [
    { name: 'Page', key: 'name', words: true },
    { name: 'Answer', key: 'outcome', words: true, text: (e) => OUTCOMES[e.outcome] },
    { name: 'Best', key: 'best', words: true },
    { name: `${report.metrics[report.metric].title} of the baseline`, key: 'base', text: (e) => formatValue(e.base, unit) },
    { name: 'Difference of the best', key: 'difference', text: (e) => formatPercent(e.difference) },
  ];
  const sorted = { key: null, down: false };
  let shown = PAGES_AT_ONCE;
  const network = make('select', { 'aria-label': 'Network of the table' }, ...report.networks.map((n, i) => make('option', { value: i }, n.name)));
  const filter = make('input', { type: 'search', placeholder: 'part of a name', 'aria-label': 'Filter pages by name' });
  const outcome = make('select', { 'aria-label': 'Filter pages by answer' }, make('option', { value: '' }, 'all answers'),
    ...Object.entries(OUTCOMES).map(([key, text]) => make('option', { value: key }, text)));
  const count = make('span', { class: 'hint', role: 'status' });
  const head = make('tr');
  const body = make('tbody');
  const more = make('button', { type: 'button' }, 'Show more');
  const table = make('table', {}, make('thead', {}, head), body);
  const entries = () => {
    const all = report.pages.map((page, i) => pageEntry(page, i, Number(network.value)));
    const kept = all.filter((e) => e.name.toLowerCase().includes(filter.value.toLowerCase()) && (!outcome.value || e.outcome === outcome.value));
    if (!sorted.key) return kept;
    const last = sorted.down ? -1 : 1;
    return kept.sort((a, b) => {
      const [one, two] = [a[sorted.key], b[sorted.key]];
      if (one === null || two === null) return (one === null) - (two === null);
      return last * (typeof one === 'number' ? one - two : String(one).localeCompare(String(two)));
    });
  };
  const row = (entry) => {
    const choose = make('button', { type: 'button', class: 'link' }, entry.name);
    choose.addEventListener('click', () => { choosePage(entry.index); byId('shown').scrollIntoView(); });
    const kind = entry.counts ? (entry.difference < 0 ? 'better' : 'worse') : null;
    return make('tr', {}, make('th', { scope: 'row' }, choose), ...columns.slice(1).map((column) => make('td', {
      class: column.key === 'difference' ? kind : column.words ? 'words' : null,
    }, column.text ? column.text(entry) : entry[column.key])));
  };
  const fill = () => {
    const all = entries();
    count.textContent = `${grouped(all.length, 0)} of ${plural(report.pages.length, 'page', 'pages')}`;
    body.replaceChildren(...all.slice(0, shown).map(row));
    more.hidden = all.length <= shown;
    head.replaceChildren(...columns.map((column) => {
      const isSorted = sorted.key === column.key;
      const button = make('button', { type: 'button', class: 'link' }, column.name + (isSorted ? (sorted.down ? ' ▾' : ' ▴') : ''));
      button.addEventListener('click', () => {
        sorted.down = isSorted ? !sorted.down : false;
        sorted.key = column.key;
        fill();
      });
      return make('th', { scope: 'col', class: column.words ? 'words' : null, 'aria-sort': isSorted ? (sorted.down ? 'descending' : 'ascending') : 'none' }, button);
    }));
  };
  for (const control of [network, filter, outcome]) control.addEventListener('input', () => { shown = PAGES_AT_ONCE; fill(); });
  more.addEventListener('click', () => { shown += 10 * PAGES_AT_ONCE; fill(); });
  network.hidden = report.networks.length < 2;
  byId('pages').replaceChildren(make('div', { class: 'controls' }, network, filter, outcome, count),
    make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Pages' }, table), more,
    saveBar('Pages', { csv: () => [columns.map((column) => column.name), ...entries().map((e) => columns.map((column) => (column.words && column.text ? column.text(e) : e[column.key])))] }));
  fill();
}
