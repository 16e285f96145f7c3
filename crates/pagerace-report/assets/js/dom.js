// Elements. Text goes in as text, never as HTML: it comes from recordings.

function byId(id) {
  return document.getElementById(id);
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function fillSelect(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => make('option', { value }, text)));
  if (entries.some(([value]) => String(value) === String(chosen))) select.value = String(chosen);
}

// A small table of names and values, for tooltips.
function pairs(heading, rows, note) {
  const body = rows.map(([name, value]) => make('tr', {}, make('td', {}, name), make('td', {}, value)));
  const box = make('div', { class: 'tip' }, make('b', {}, heading));
  if (note) box.append(make('div', {}, note));
  box.append(make('table', {}, make('tbody', {}, ...body)));
  return box;
}

// Our own tooltip, for charts that find their own things under the pointer.
function showTip(content, x, y) {
  const tip = byId('tip');
  tip.replaceChildren(content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(x + 14, window.innerWidth - width - 6);
  const top = y + 18 + height > window.innerHeight ? y - height - 12 : y + 18;
  tip.style.left = `${Math.max(6, left)}px`;
  tip.style.top = `${Math.max(6, top)}px`;
}

function hideTip() {
  byId('tip').hidden = true;
}
