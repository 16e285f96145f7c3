// Shows the films of a step, and lets people answer once they have seen them.
'use strict';

(async () => {
  const list = document.getElementById('films');
  if (!list) return;
  const status = document.getElementById('status');
  const form = list.closest('form');
  const load = async (name) => {
    const response = await fetch(`/film/${encodeURIComponent(name)}`);
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    return response.json();
  };
  const length = Number(list.dataset.length);
  let players;
  try {
    const [scene, ...runs] = await Promise.all([
      load('scene'),
      ...[...list.children].map(async (item) => ({ ...(await load(item.dataset.film)), name: item.textContent })),
    ]);
    const hosts = list.dataset.oneByOne === 'true' ? runs.map((run) => [run]) : [runs];
    list.textContent = '';
    players = hosts.map((shown) => {
      const host = document.createElement('li');
      list.append(host);
      const label = shown.map((run) => run.name).join(' and ');
      const one = { host, seen: false };
      const onWatched = () => {
        one.seen = true;
        status.textContent = isSeen() ? 'You can answer now.' : 'The next film is below.';
        arrange();
      };
      one.player = pageracePlayer(host, { ...scene, runs: shown }, { end: length, at: 0, label, onWatched });
      return one;
    });
    await Promise.all(players.map(({ player }) => player.ready));
  } catch (error) {
    status.textContent = 'The films cannot be loaded. Please load the page again.';
    throw error;
  }
  const isSeen = () => players.every(({ seen }) => seen);
  const arrange = () => {
    // Of films that follow each other, the next one appears when the one before has ended.
    players.forEach(({ host }, i) => { host.hidden = i > 0 && !players[i - 1].seen; });
    document.body.dataset.seen = String(isSeen());
  };
  arrange();
  for (const slider of document.querySelectorAll('[data-moment]')) {
    const field = form.elements[slider.dataset.moment];
    const output = slider.parentElement.querySelector('output');
    slider.addEventListener('input', () => {
      const [{ player }] = players;
      player.pause();
      player.seek(Number(slider.value));
      field.value = slider.value;
      output.textContent = `${(slider.value / 1000).toFixed(2)} s`;
      slider.setAttribute('aria-valuetext', output.textContent);
    });
  }
  form.addEventListener('submit', (event) => {
    const open = [...document.querySelectorAll('[data-moment]')].find((slider) => !form.elements[slider.dataset.moment].value);
    let problem = '';
    if (!isSeen()) problem = 'Please play the film to its end first.';
    else if (open) problem = 'Please move the slider to choose a moment.';
    if (!problem) return;
    event.preventDefault();
    status.textContent = problem;
    (isSeen() ? open : list.querySelector('button')).focus();
  });
})();
