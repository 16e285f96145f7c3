// Strips and the player, for the loads of one page on one network.

const FILM_MAX = 8;

// The film of these contenders, or null if their runs have none.
function filmOf(page, result, contenders) {
  if (!page.scene || !result) return null;
  const rows = contenders.map((contender) => rowOf(result, contender)).filter((row) => row && row.detail);
  const runs = rows.flatMap((row) => {
    const { detail } = row;
    const own = {
      name: report.contenders[row.contender].name + (row.contender === report.baseline ? ' (baseline)' : ''),
      marks: detail.marks.map(([name, tick]) => [name, inMs(tick)]).filter(([name]) => name === 'fcp' || name === 'lcp'),
      progress: progressOf(detail),
      shows: detail.shows,
      shots: detail.shots,
    };
    const all = detail.shows.length || detail.shots ? [own] : [];
    return detail.predicted ? [...all, detail.predicted] : all;
  });
  return runs.length ? { ...page.scene, runs } : null;
}

function drawFilm(state) {
  const page = report.pages[state.page];
  const result = resultShown(state);
  const order = result ? rankedRows(result, report.metric).map((row) => row.contender) : [];
  const pair = [...new Set([report.baseline, state.contender])];
  const [two, all] = [filmOf(page, result, pair), filmOf(page, result, [...new Set([...pair, ...order])].slice(0, FILM_MAX))];
  byId('film-section').hidden = !two;
  byId('strip-section').hidden = !two;
  if (!two) return [];
  const live = two.runs.some((run) => run.shots) ? 'Live loads show the browser’s own screenshots, each beside its prediction. ' : '';
  const about = page.scene.pictures ? `${live}The picture${live ? ' of a prediction' : ''} is the recorded page; when each part appears is simulated.`
    : `${live}${page.scene.guessed ? 'The recording has neither layout nor picture' : 'The recording has no picture'}: grey lines are text, blue boxes images${page.scene.guessed ? ', at assumed places' : ''}.`;
  const largest = page.largest ? ` The largest element is ${page.largest.name}${page.scene.largest === null ? '' : '; it is outlined from its paint on'}.` : '';
  byId('strip-hint').textContent = `${about}${largest} Dashed: first contentful paint; solid: largest contentful paint. Choose a frame to see it large.`;
  const player = pageracePlayer(byId('film'), all, { label: `Films of ${page.name}` });
  const strip = pageraceStrip(byId('strip'), two, {
    onTime: (ms) => { player.pause(); player.seek(ms); byId('film-section').scrollIntoView({ block: 'start' }); },
  });
  const name = `Film strip of ${page.name}`;
  byId('strip').append(saveBar(name, { png: () => stripBlob(two), csv: () => filmRows(two) }));
  player.ready.then(() => { byId('film').dataset.ready = 'true'; });
  strip.ready.then(() => { byId('strip').dataset.ready = 'true'; });
  return [];
}

function filmRows(film) {
  const kinds = { t: 'text', b: 'box', i: 'image', p: 'image' };
  return [['load', 'ms', 'part', 'x', 'y', 'width', 'height', 'percent'], ...film.runs.flatMap((run) => run.shows.map(([ms, part, level]) => {
    const [kind, x, y, w, h, name] = film.parts[part];
    return [run.name, ms, name || kinds[kind], x, y, w, h, level];
  }))];
}

// The strip as one picture.
async function stripBlob(film) {
  const painter = await loadFilm(film);
  const [columns, width, gap, head] = [6, 220, 8, 26];
  const height = Math.round((width * film.viewport[1]) / film.viewport[0]);
  const end = filmEnd(film);
  const step = FILM_STEPS.find((size) => size * columns >= end) || end / columns;
  const canvas = make('canvas', {
    width: columns * (width + gap) + gap, height: film.runs.length * (height + 2 * head) + gap,
  });
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#ffffff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  film.runs.forEach((run, row) => {
    const top = row * (height + 2 * head);
    pen.fillStyle = '#1a1c20';
    pen.font = 'bold 15px system-ui, sans-serif';
    pen.fillText(run.name, gap, top + 18);
    for (let i = 0; i < columns; i += 1) {
      const at = (i + 1) * step;
      const x = gap + i * (width + gap);
      const small = make('canvas', { width, height });
      painter.into(small, filmLook(film, run, at), filmIsLargest(run, at));
      pen.drawImage(small, x, top + head);
      pen.strokeStyle = '#b9bdc6';
      pen.strokeRect(x + 0.5, top + head + 0.5, width - 1, height - 1);
      pen.fillStyle = '#5a5f68';
      pen.font = '13px system-ui, sans-serif';
      pen.fillText(`${filmSeconds(at)} · ${Math.round(filmProgress(run, at))} %`, x, top + head + height + 16);
    }
  });
  return canvasBlob(canvas);
}
