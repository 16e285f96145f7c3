// Colours. The palette is Okabe and Ito's, which people with any kind of colour
// vision tell apart (https://jfly.uni-koeln.de/color/); on white, its light
// tones are darkened. Lines differ by dash as well, spans by height.

const PALETTES = {
  light: {
    orange: '#c77f00', sky: '#3297d3', green: '#009e73', yellow: '#a89a00',
    blue: '#0072b2', vermilion: '#d55e00', purple: '#c1629b', grey: '#7a7f88',
  },
  dark: {
    orange: '#e69f00', sky: '#56b4e9', green: '#1fb98d', yellow: '#f0e442',
    blue: '#4795d8', vermilion: '#ee7733', purple: '#d88fb8', grey: '#9a9fa9',
  },
};

const LINE_COLOURS = ['blue', 'vermilion', 'green', 'purple', 'orange', 'sky', 'yellow'];
const DASHES = ['solid', 'dashed', 'dotted'];

const DESTINATION_COLOURS = {
  document: 'grey', iframe: 'grey', style: 'vermilion', script: 'orange', font: 'purple',
  image: 'sky', media: 'blue', fetch: 'green', other: 'yellow',
};

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;

function isDark() {
  return darkScheme.matches && !printing;
}

function palette() {
  return isDark() ? PALETTES.dark : PALETTES.light;
}

// A custom property of the style sheet.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function mix(from, to, share) {
  const part = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(from, i) * (1 - share) + part(to, i) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

// Colour and dash of a contender's line; the baseline is the text's colour.
function lineStyleOf(contender) {
  if (contender === report.baseline) return { color: colour('fg'), type: 'solid', width: 3 };
  return styleOf(contender > report.baseline ? contender - 1 : contender);
}

// Colour and dash of the line at a place in a list.
function styleOf(place) {
  const turn = Math.floor(place / LINE_COLOURS.length);
  return {
    color: palette()[LINE_COLOURS[place % LINE_COLOURS.length]],
    type: DASHES[turn % DASHES.length],
    width: 2,
  };
}

// One colour per resource: its type's, in four tones taken in turns.
function resourceColours(page) {
  const seen = {};
  const [near, far] = isDark() ? ['#000000', '#ffffff'] : ['#ffffff', '#000000'];
  return page.resources.map(({ destination }) => {
    const base = palette()[DESTINATION_COLOURS[destination] || 'yellow'];
    const turn = (seen[destination] = (seen[destination] || 0) + 1) % 4;
    if (turn === 1) return base;
    if (turn === 2) return mix(base, far, 0.32);
    if (turn === 3) return mix(base, near, 0.42);
    return mix(base, far, 0.55);
  });
}
