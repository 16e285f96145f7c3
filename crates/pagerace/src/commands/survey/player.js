// Replays the paints of loads, side by side and in step.
function pageracePlayer(host, film, options = {}) {
  const end = options.end;
  const make = (tag, name, ...children) => {
    const element = document.createElement(tag);
    element.className = name;
    element.append(...children);
    return element;
  };
  const play = make('button', 'player-play', '▶');
  play.type = 'button';
  play.setAttribute('aria-label', 'Play');
  const [width, height] = film.viewport;
  const panes = film.runs.map((run) => {
    const canvas = make('canvas', '');
    [canvas.width, canvas.height] = [width / 2, height / 2];
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', run.name);
    return { run, canvas, element: make('figure', 'player-pane', make('figcaption', '', run.name), canvas) };
  });
  const root = make('div', 'player', make('div', 'player-bar', play), make('div', 'player-panes', ...panes.map((pane) => pane.element)));
  root.setAttribute('role', 'group');
  root.setAttribute('aria-label', options.label);
  host.append(root);
  let [now, last, request] = [options.at || 0, 0, 0];
  function show() {
    for (const { run, canvas } of panes) {
      const pen = canvas.getContext('2d');
      pen.fillStyle = '#fff';
      pen.fillRect(0, 0, canvas.width, canvas.height);
      for (const [at, part, level] of run.shows) {
        if (at > now) break;
        const [, x, y, w, h] = film.parts[part];
        pen.fillStyle = '#8fb4d0';
        pen.fillRect(x / 2, y / 2, w / 2, (h * level) / 200);
      }
    }
  }
  function seek(ms) { now = Math.max(0, Math.min(end, ms)); show(); }
  function pause() { cancelAnimationFrame(request); request = 0; play.textContent = '▶'; }
  function run(stamp) {
    seek(now + stamp - last);
    last = stamp;
    if (now >= end) pause(); else request = requestAnimationFrame(run);
  }
  play.addEventListener('click', () => {
    if (request) { pause(); return; }
    if (now >= end) seek(0);
    play.textContent = '⏸';
    request = requestAnimationFrame((stamp) => { last = stamp; run(stamp); });
  });
  show();
  return { seek, pause, time: () => now, end, ready: Promise.resolve() };
}
