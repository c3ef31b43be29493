// The picture of a step: sources, warps, arrays.
const hue = (row) => (row * 67 + 205) % 360;
const badge = (row) => element('span', { class: 'badge', style: `background: hsl(${hue(row)} 65% var(--full))` }, `w${recording.rows[row][1]}`);

// Of each warp: its steps, its stays at barriers, and the lanes that have ended.
let rows = [];
function index() {
  rows = recording.rows.map(() => ({ steps: [], waits: [], ended: [] }));
  const open = [];
  steps.forEach((step, at) => {
    if (step[0] === RELEASE) {
      for (const stay of open) {
        if (stay.until === Infinity && stay.id === step[4] && stay.block === rowOf(step)[0]) stay.until = at;
      }
      return;
    }
    // A copy that has come is no step of its warp, which is elsewhere.
    if (step[0] === COME) return;
    const row = rows[step[1]];
    row.steps.push(at);
    if (step[0] === ARRIVE && step[6]) {
      const stay = { from: at, until: Infinity, mask: step[3], id: step[4], block: rowOf(step)[0] };
      row.waits.push(stay);
      open.push(stay);
    }
    if (step[0] === EXIT) row.ended.push([at, step[3]]);
  });
}

// The last step of a warp before step `until`; -1: it has done none.
function lastStepOf(row, until) {
  const all = rows[row].steps;
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle] < until) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? all[low - 1] : -1;
}

let block = recording.rows.length ? recording.rows[0][0] : 0;
let followed = null;
let parties = [];

// The rows of a block are made once: a button that is replaced loses the focus of a reader who uses keys.
let drawnBlock = null;
let warpRows = [];
function buildWarps() {
  drawnBlock = block;
  const list = recording.rows.map((row, number) => [row, number]).filter(([[of]]) => of === block).sort(([a], [b]) => a[1] - b[1]);
  warpRows = list.map(([[, warp], row]) => {
    const dots = lanesOf(existing(warp)).map(() => element('i', {}));
    const text = element('span', {});
    const button = element('button', { type: 'button', onclick: () => { followed = followed === row ? null : row; draw(); } },
      badge(row), element('span', { class: 'dots', 'aria-hidden': 'true' }, ...dots), text);
    return { warp, row, dots, text, button };
  });
  byId('warps').replaceChildren(...warpRows.map(({ button }) => button));
}

function drawWarps() {
  if (block !== drawnBlock) buildWarps();
  for (const { warp, row, dots, text, button } of warpRows) {
    const last = lastStepOf(row, here);
    const step = last < 0 ? null : steps[last];
    const ended = rows[row].ended.filter(([at]) => at < here).reduce((mask, [, some]) => mask | some, 0);
    const waiting = rows[row].waits.filter(({ from, until }) => from < here && here <= until).reduce((mask, { mask: some }) => mask | some, 0);
    const all = existing(warp);
    const kind = (lane) => ((ended >>> lane) & 1 ? 'ended' : (waiting >>> lane) & 1 ? 'waits' : step && (step[3] >>> lane) & 1 ? 'active' : 'masked');
    dots.forEach((dot, lane) => { if (dot.className !== kind(lane)) dot.className = kind(lane); });
    const place = step && step[2] !== null ? recording.places[step[2]] : null;
    const state = (ended & all) === (all | 0) ? 'ended' : waiting ? `waits${place ? ` in line ${place[1]}` : ''}` : place ? `line ${place[1]}` : 'not begun';
    if (text.textContent !== ` ${state}`) text.textContent = ` ${state}`;
    button.className = `warp${row === followed ? ' followed' : ''}`;
    button.setAttribute('aria-pressed', String(row === followed));
    button.setAttribute('aria-label', `warp ${warp}: ${state}`);
  }
}

let drawnFile = null;
function drawSource() {
  const current = here > 0 ? steps[here - 1] : null;
  const place = current && current[2] !== null ? recording.places[current[2]] : null;
  const files = Object.keys(recording.files);
  const file = place && recording.files[place[0]] !== undefined ? place[0] : drawnFile ?? files[0];
  const table = byId('source');
  if (file !== drawnFile) {
    drawnFile = file;
    const lines = (recording.files[file] ?? 'the source is not at hand').split('\n');
    table.replaceChildren(element('caption', { class: 'hint' }, file ?? ''), ...lines.map((text, at) =>
      element('tr', { 'data-line': at + 1 }, element('td', {}, String(at + 1)), element('td', {}), element('td', {}, text))));
  }
  for (const row of table.querySelectorAll('tr.now')) row.classList.remove('now');
  for (const marked of table.querySelectorAll('td:nth-child(2):not(:empty)')) marked.replaceChildren();
  const at = (line) => table.rows[line - 1];
  const there = new Map();
  recording.rows.forEach(([of], row) => {
    const last = lastStepOf(row, here);
    const where = of === block && last >= 0 && steps[last][2] !== null ? recording.places[steps[last][2]] : null;
    if (where && where[0] === file && at(where[1])) there.set(where[1], [...(there.get(where[1]) ?? []), row]);
  });
  for (const [line, all] of there) {
    const shownRows = current && all.includes(current[1]) ? [current[1]] : all.slice(0, 1);
    at(line).cells[1].append(...shownRows.map(badge), all.length > 1 ? ` +${all.length - 1}` : '');
  }
  if (place && place[0] === file && at(place[1])) {
    const line = at(place[1]);
    line.classList.add('now');
    const box = table.parentElement;
    const top = line.offsetTop - box.scrollTop;
    if (top < 0 || top > box.clientHeight - 40) box.scrollTop = line.offsetTop - box.clientHeight / 2;
  }
}

// An array is drawn as far as it is touched, and of a large one the part around the step.
const MOST_ROWS = { shared: 34, global: 16 };
const MOST_COLUMNS = 34;
function partOf(array, around) {
  // What lies beyond the array is drawn where a step asks for it.
  const count = Math.max(array.bytes, ...array.pieces.map(([, end]) => end)) / array.element_bytes;
  const width = array.columns || Math.min(count, 32);
  const column = (cell) => ((cell % width) + width) % width;
  const cells = array.pieces.flatMap(([start, end]) => [Math.floor(start / array.element_bytes), Math.ceil(end / array.element_bytes) - 1]);
  // A piece that goes on to another row has all columns.
  const spans = array.pieces.some(([start, end]) => Math.floor(start / array.element_bytes / width) !== Math.floor((end - 1) / array.element_bytes / width));
  const along = spans ? [0, width - 1] : cells.map(column);
  const down = cells.map((cell) => Math.floor(cell / width));
  const limits = (numbers, most, wanted) => {
    const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
    if (greatest - least < most) return [least, greatest];
    const [from, to] = wanted.length ? [Math.min(...wanted), Math.max(...wanted)] : [least, least];
    const start = Math.max(least, Math.min(to - from < most ? Math.floor((from + to - most) / 2) + 1 : from, greatest - most + 1));
    return [start, start + most - 1];
  };
  const [left, right] = limits(along, MOST_COLUMNS, around.map(column));
  const [top, bottom] = limits(down, MOST_ROWS[array.space], around.map((cell) => Math.floor(cell / width)));
  return { width, left, right, top, bottom, whole: count };
}

// Shared memory first: it is what a block works in.
const views = recording.arrays.map((array, number) => ({ array, number, cells: new Map(), part: '' }))
  .sort((a, b) => Number(a.array.space === 'global') - Number(b.array.space === 'global'));
function drawArray(view, current) {
  const { array } = view;
  const around = current && arrayOf(current) === view.number ? touchedBy(current).map(({ element: cell }) => cell) : null;
  const part = around || !view.part ? partOf(array, around ?? []) : view.last;
  const key = JSON.stringify(part);
  if (key !== view.part) {
    [view.part, view.last] = [key, part];
    view.cells.clear();
    const head = element('tr', {}, element('th', {}), ...Array.from({ length: part.right - part.left + 1 }, (_, at) => element('th', { scope: 'col' }, String(part.left + at))));
    const lines = Array.from({ length: part.bottom - part.top + 1 }, (_, down) => {
      const row = part.top + down;
      return element('tr', {}, element('th', { scope: 'row' }, String(array.columns ? row : row * part.width)), ...Array.from({ length: part.right - part.left + 1 }, (__, along) => {
        const cell = row * part.width + part.left + along;
        if (cell >= part.whole) return element('td', {});
        const outside = cell < 0 || cell >= array.bytes / array.element_bytes ? { class: 'outside' } : {};
        if (kept(array, cell * array.element_bytes) < 0) return element('td', outside);
        const button = element('button', { type: 'button', tabindex: '-1', onclick: () => history(array, cell) });
        const made = element('td', outside, button);
        view.cells.set(cell, [made, button]);
        return made;
      }));
    });
    view.table.replaceChildren(head, ...lines);
  }
  const now = new Set(around ?? []);
  const party = new Set(parties.flatMap((at) => (arrayOf(steps[at]) === view.number ? touchedBy(steps[at]).map(({ element: cell }) => cell) : [])));
  for (const [cell, shownCell] of view.cells) {
    const [made, button] = shownCell;
    const last = lastOf(array, cell);
    // A cell that nobody has touched since it was drawn, and that is marked as then, looks as then.
    const state = `${order} ${last} ${array.type} ${now.has(cell)} ${party.has(cell)}`;
    if (shownCell[2] === state) continue;
    shownCell[2] = state;
    const how = last < 0 ? '' : ['read', 'written', 'atomic'][steps[last][0]] ?? 'written';
    const text = shown(valueOf(array, cell));
    if (button.textContent !== text) {
      button.textContent = text;
      button.setAttribute('aria-label', `${elementName(array, cell)}: ${text === '·' ? 'not written yet' : text}`);
    }
    const outside = cell < 0 || cell >= array.bytes / array.element_bytes;
    const wanted = `${outside ? 'outside ' : ''}${how}${now.has(cell) ? ' now' : ''}${party.has(cell) ? ' party' : ''}`.trim();
    if (made.className !== wanted) made.className = wanted;
    if (last >= 0) made.style.setProperty('--hue', hue(steps[last][1]));
  }
}

function buildArrays() {
  byId('arrays').replaceChildren(...views.map((view) => {
    const { array } = view;
    const types = ['f32', 'i32', 'u32'];
    const type = array.element_bytes === 4 ? element('label', {}, ' as ', element('select', { 'aria-label': `type of ${array.name}`,
      onchange: (event) => { array.type = event.target.value; draw(); } }, ...types.map((name) => element('option', name === array.type ? { selected: '' } : {}, name)))) : '';
    const columns = element('label', {}, ' columns ', element('input', { type: 'number', min: '0', style: 'width: 4.5rem', value: String(array.columns),
      'aria-label': `columns of ${array.name}`, onchange: (event) => { array.columns = Number(event.target.value); view.part = ''; draw(); } }));
    view.table = element('table', { 'aria-label': array.name });
    view.box = element('div', { class: 'array' }, element('h2', {}, array.name, element('span', { class: 'hint' },
      ` ${array.space}, ${array.bytes / array.element_bytes} element${array.bytes > array.element_bytes ? 's' : ''}${array.block === null ? '' : blockName(array.block)}`)),
    element('div', { class: 'controls' }, type, columns), element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `elements of ${array.name}: Enter goes into it, arrows from element to element, Escape out of it`,
      onkeydown: (event) => goAmong(event, view) }, view.table));
    return view.box;
  }));
}

// Among the elements of an array by keys: into it at an element of the step, from one to the next, and out again.
function goAmong(event, view) {
  const region = event.currentTarget;
  const cell = event.target.closest('td');
  const beside = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  let to = null;
  if (!cell && event.key === 'Enter') to = (region.querySelector('td.now button') ?? region.querySelector('td button'));
  else if (cell && event.key === 'Escape') to = region;
  else if (cell && beside) to = view.table.rows[cell.parentElement.rowIndex + beside[0]]?.cells[cell.cellIndex + beside[1]]?.querySelector('button') ?? event.target;
  else return;
  event.preventDefault();
  event.stopPropagation();
  if (to) to.focus();
}

// Who touched an element, up to now.
function history(array, cell) {
  const number = recording.arrays.indexOf(array);
  const found = [];
  for (let at = here - 1; at >= 0 && found.length < 40; at -= 1) {
    if (!isAccess(steps[at]) || steps[at][4] !== number) continue;
    const who = touchedBy(steps[at]).filter(({ element: touched }) => touched === cell);
    if (who.length) found.push([at, who.map(({ lane }) => lane)]);
  }
  const verb = ['read by', 'written by', 'changed by'];
  byId('lanes').replaceChildren();
  byId('history').replaceChildren(element('h2', {}, `${elementName(array, cell)} = ${shown(valueOf(array, cell))}`),
    found.length ? '' : 'Nobody has touched it yet.', ...found.map(([at, lanes]) => element('p', {}, element('button', { type: 'button', onclick: () => { jump(at + 1); byId('slider').focus(); } }, `step ${at + 1}`),
      ` ${verb[steps[at][0]] ?? 'written by a copy of'} ${lanes.length === 1 ? threadName(rowOf(steps[at])[1], lanes[0]) : `${lanes.length} lanes of warp ${rowOf(steps[at])[1]}`}${blockName(rowOf(steps[at])[0])}`)));
}

function drawDetail(current) {
  byId('history').replaceChildren();
  if (!current || current[0] > ATOMIC) return byId('lanes').replaceChildren();
  const array = recording.arrays[current[4]];
  const warp = rowOf(current)[1];
  const lines = touchedBy(current).map(({ lane, element: cell }) => element('tr', {}, element('td', {}, String(lane)), element('td', {}, threadName(warp, lane)),
    element('td', {}, element('button', { type: 'button', onclick: () => history(array, cell) }, elementName(array, cell))), element('td', {}, shown(valueOf(array, cell)))));
  return byId('lanes').replaceChildren(element('table', { 'aria-label': 'Lanes of the step' }, element('tr', {}, ...['lane', '', 'element', 'value'].map((name) => element('th', {}, name))), ...lines));
}

function draw() {
  const current = here > 0 ? steps[here - 1] : null;
  if (current && rowOf(current)[0] !== block) {
    block = rowOf(current)[0];
    byId('block').value = String(block);
  }
  byId('slider').value = String(here);
  const other = parties.length === 2 && parties.includes(here - 1) ? parties.find((at) => at !== here - 1) : null;
  const race = other === null ? '' : ` This and step ${other + 1} race: nothing makes them come in this order.`;
  const is = order === 0 && wrong && wrong.writers[wrong.writers.length - 1] === here - 1
    ? ` This leaves ${elementName(wrong.array, wrong.cell)} = ${shown(recording.wrong.got ?? NaN)}, and ${shown(recording.wrong.want)} is right.` : '';
  const said = `${here} of ${steps.length}: ${sentence(here - 1)}${race}${is}`;
  byId('slider').setAttribute('aria-valuetext', said);
  byId('sentence').textContent = said;
  drawWarps();
  drawSource();
  for (const view of views) {
    view.box.hidden = view.array.block !== null && view.array.block !== block;
    if (!view.box.hidden) drawArray(view, current);
  }
  drawDetail(current);
}
