// Pictures and data as files.

function download(name, type, content) {
  const link = make('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function csvText(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return `${rows.map((row) => row.map(cell).join(',')).join('\n')}\n`;
}

// Buttons that save a picture. `make` has any of svg(), png() (a promise of a blob) and csv().
function saveBar(name, makers) {
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const kinds = {
    svg: (content) => download(`${file}.svg`, 'image/svg+xml', content),
    png: (content) => download(`${file}.png`, 'image/png', content),
    csv: (content) => download(`${file}.csv`, 'text/csv', csvText(content)),
  };
  const buttons = Object.entries(kinds).filter(([kind]) => makers[kind]).map(([kind, save]) => {
    const button = make('button', { type: 'button', 'aria-label': `Save ${name} as ${kind.toUpperCase()}` }, kind.toUpperCase());
    button.addEventListener('click', async () => save(await makers[kind]()));
    return button;
  });
  return make('p', { class: 'save' }, 'Save: ', ...buttons);
}

// A chart of the library as SVG.
function chartSvg(build, width) {
  const { height, option } = build(width);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, backgroundColor: colour('bg'), ...option });
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
}

function canvasBlob(canvas) {
  return new Promise((done) => { canvas.toBlob(done, 'image/png'); });
}

function svgText(text) {
  return text.replace(/[<>&"]/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }[c]));
}
