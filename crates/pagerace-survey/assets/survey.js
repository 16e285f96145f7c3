// Shows the films of a step, and lets people answer once they have seen them.
'use strict';

(async () => {
  const list = document.getElementById('films');
  if (!list) return;
  const status = document.getElementById('status');
  const form = list.closest('form');
  const questions = document.getElementById('questions');
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
    const [width, height] = scene.viewport;
    list.style.setProperty('--ratio', width / height);
    players = hosts.map((shown) => {
      const host = document.createElement('li');
      list.append(host);
      const label = shown.map((run) => run.name).join(' and ');
      const one = { host, seen: false };
      const onWatched = () => {
        one.seen = true;
        status.textContent = isSeen() ? 'You can answer now.' : 'Now play the second film.';
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
    questions.disabled = !isSeen();
  };
  arrange();
  // The player's keys jump in the film, and one that jumped is not seen.
  list.addEventListener('keydown', (event) => event.stopPropagation(), true);
  for (const slider of document.querySelectorAll('[data-moment]')) {
    const field = form.elements[slider.dataset.moment];
    const output = slider.parentElement.querySelector('output');
    slider.setCustomValidity('Please move the slider to choose a moment.');
    slider.addEventListener('input', () => {
      const [{ player }] = players;
      player.pause();
      player.seek(Number(slider.value));
      field.value = slider.value;
      output.textContent = `${(slider.value / 1000).toFixed(2)} s`;
      slider.setAttribute('aria-valuetext', output.textContent);
      slider.setCustomValidity('');
    });
  }
  form.addEventListener('submit', (event) => {
    if (isSeen()) return;
    event.preventDefault();
    status.textContent = 'Please play the film to its end first.';
    players.find(({ seen }) => !seen).host.querySelector('button').focus();
  });
})();
