// Numbers with units, for people.

const NONE = '–';

function grouped(value, decimals) {
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function formatMs(ms) {
  const size = Math.abs(ms);
  if (size >= 10000) return `${grouped(ms / 1000, 2)} s`;
  return `${grouped(ms, size < 10 && size > 0 ? 1 : 0)} ms`;
}

function formatBytes(bytes) {
  const size = Math.abs(bytes);
  if (size >= 1e6) return `${grouped(bytes / 1e6, 2)} MB`;
  if (size >= 1e4) return `${grouped(bytes / 1e3, 0)} kB`;
  if (size >= 1e3) return `${grouped(bytes / 1e3, 1)} kB`;
  return `${grouped(bytes, 0)} B`;
}

function formatCount(value) {
  return grouped(value, Math.abs(value) < 100 && value % 1 !== 0 ? 1 : 0);
}

function formatValue(value, unit) {
  if (value === null || value === undefined) return NONE;
  if (unit === 'ms') return formatMs(value);
  if (unit === 'bytes') return formatBytes(value);
  return unit ? `${formatCount(value)} ${unit}` : formatCount(value);
}

function signed(text, value) {
  const bare = text.replace(/^[-−]/, '');
  if (!/[1-9]/.test(bare)) return bare;
  return (value < 0 ? '−' : '+') + bare;
}

function formatDifference(value, unit) {
  return value === null || value === undefined ? NONE : signed(formatValue(value, unit), value);
}

function formatPercent(value) {
  if (value === null || value === undefined) return NONE;
  return signed(`${grouped(value, Math.abs(value) < 10 && value !== 0 ? 1 : 0)} %`, value);
}

function formatInterval(interval, format) {
  return interval ? `${format(interval[0])} to ${format(interval[1])}` : NONE;
}

function formatShare(share) {
  return share === null || share === undefined ? NONE : `${Math.round(share * 100)} %`;
}

// True if the runs are of several worlds, whose ranges decide.
function overWorlds() {
  return report.pages.some((page) => page.networks.some((result) => result.rows.some((row) => row.values.some((value) => value.sooner !== null && value.sooner !== undefined))));
}

// The range that is drawn: of 80 % of the differences, or the confidence interval.
function drawnRange(value) {
  return value.probable_range || value.interval;
}

function formatP(p) {
  if (p === null || p === undefined) return NONE;
  return p < 0.001 ? '< 0.001' : grouped(p, 3);
}

function formatEffect(value) {
  return value === null || value === undefined ? NONE : signed(grouped(value, 2), value);
}

// Ticks of a time axis that spans `range` ms.
function timeLabel(range) {
  const short = (value) => value.toLocaleString('en', { maximumFractionDigits: 2 });
  if (range > 4000) return (ms) => `${short(ms / 1000)} s`;
  return (ms) => `${short(ms)} ms`;
}

// Ticks of an axis of percentages.
function percentLabel(value) {
  return signed(`${value.toLocaleString('en', { maximumFractionDigits: 1 })} %`, value);
}

// Text shortened in the middle: names often differ at their ends.
function shorten(text, length) {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

function plural(count, one, many) {
  return `${grouped(count, 0)} ${count === 1 ? one : many}`;
}

// The last part of a path, with the host if it is another than `home`'s.
function shortUrl(url, home) {
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)([^?#]*)/i.exec(url);
  if (!match) return url.slice(0, 60);
  const parts = match[2].split('/').filter(Boolean);
  const name = parts.length ? parts[parts.length - 1] : '/';
  const host = hostOf(home) === match[1] ? '' : match[1];
  if (!host) return name;
  return name === '/' ? `${host}/` : `${name} · ${host}`;
}

function hostOf(url) {
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url);
  return match ? match[1] : '';
}

function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
