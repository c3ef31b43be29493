'use strict';
// The page of one run. All it shows comes from the JSON document in it, whose keys docs/json.md describes, and from the
// sources beside it; nothing is loaded.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const byId = (id) => document.getElementById(id);

// An element with attributes and children; text is never taken for markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Three significant digits; whole numbers as they are.
function number(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toString();
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(3)));
  return value.toExponential(1);
}

function table(target, columns, rows) {
  const cell = (name, value, column) => {
    const text = typeof value === 'string' ? value : number(value);
    const made = element(name, typeof value === 'string' && name === 'td' ? {} : { class: column.numeric ? 'number' : '' });
    made.append(text);
    if (value === 'WRONG') made.className = 'wrong';
    return made;
  };
  const head = element('tr', {}, ...columns.map((column) => {
    const made = cell('th', column.heading, column);
    made.setAttribute('scope', 'col');
    return made;
  }));
  const body = rows.map((row) => element('tr', {}, ...columns.map((column) => cell('td', column.of(row), column))));
  target.replaceChildren(element('thead', {}, head), element('tbody', {}, ...body));
}

function showResults() {
  const device = report.device;
  byId('device').textContent = device.simulated
    ? `simulated ${device.name}, compute capability ${device.compute_capability}: times are a model's`
    : `measured on ${device.name}, compute capability ${device.compute_capability}`;
  const rows = report.rows;
  const varies = (of) => new Set(rows.map(of).filter((value) => value)).size > 1;
  const columns = [
    { heading: 'variant', of: (row) => row.variant },
    { heading: 'size', of: (row) => row.size },
    ...[['block', 'block'], ['host memory', 'host_memory'], ['type', 'dtype']]
      .filter(([, key]) => varies((row) => row[key]))
      .map(([heading, key]) => ({ heading, of: (row) => row[key] })),
    ...(report.rows.some((row) => row.sampled)
      ? [{ heading: 'blocks run', of: (row) => (row.sampled ? `sampled, ${row.sampled.percent.toPrecision(3)} %` : 'all') }] : []),
    { heading: 'check', of: (row) => (row.correct ? 'ok' : 'WRONG') },
    { heading: 'error', numeric: true, of: (row) => row.max_relative_error },
    { heading: `${report.timed}, median, ms`, numeric: true, of: (row) => row.time_ms.median },
    ...data.columns
      .filter(({ key }) => rows.some((row) => value(row, key) !== undefined))
      .map(({ heading, key }) => ({
        heading, numeric: rows.every((row) => typeof value(row, key) !== 'string'), of: (row) => value(row, key) ?? null,
      })),
  ];
  table(byId('rows'), columns, rows);
  for (const comparison of report.comparisons) {
    const shown = comparison.columns.map((name, index) => ({ name, index }))
      .filter(({ index }) => comparison.rows.some((row) => Math.abs(row.gain_percent[index] ?? 0) >= 0.05));
    const made = element('table');
    table(made, [
      { heading: 'rows', of: (row) => row.label.join(' ') },
      { heading: 'size', of: (row) => row.size },
      ...shown.map(({ name, index }) => ({ heading: name, numeric: true, of: (row) => row.gain_percent[index] ?? null })),
    ], comparison.rows);
    byId('comparisons').append(
      element('h3', {}, `${comparison.title}: gain in %, a positive number is better`),
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': comparison.title }, made));
  }
  byId('notes').append(...report.notes.map((note) => element('li', {}, note)));
  byId('next').textContent = report.next ? `Next: ${report.next}` : '';
}

// A row's value by its key, as the tables of the lab take it.
function value(row, key) {
  if (key.startsWith('phases_ms.')) return row.phases_ms[key.slice('phases_ms.'.length)];
  const found = row[key] ?? row.counters[key];
  return found === null ? undefined : found;
}

const counted = report.rows.filter((row) => row.lines && row.lines.length > 0)
  .filter((row, index, all) => all.findIndex((other) => launchName(other) === launchName(row)) === index);

function launchName(row) {
  return [row.variant, row.size, row.block && `block ${row.block}`, row.dtype].filter((part) => part).join(', ');
}

// What a source line can be shaded by: counters, and what the clock says of the launch, term by term.
function metricsOf(row) {
  const counters = data.counters.map(({ key, heading, meaning }) => ({ key, heading, meaning, of: (line) => line[key] ?? 0 }));
  const totals = new Map();
  for (const line of row.lines) {
    for (const [term, ns] of Object.entries(line.clock_ns ?? {})) totals.set(term, (totals.get(term) ?? 0) + ns);
  }
  const terms = [...totals].sort((a, b) => b[1] - a[1]).map(([term, ns]) => ({
    key: `clock ${term}`,
    heading: `clock: ${term}, µs`,
    meaning: `What this line has of the clock's term "${term}", which would take ${number(ns / 1e3)} µs alone`
      + `${term === row.bound_by ? ' and bounds this launch' : ''}. Terms overlap: they do not add up to the kernel's time.`
      + ' Of L2, memory and bus a line has what it has of the sectors.',
    of: (line) => (line.clock_ns?.[term] ?? 0) / 1e3,
  }));
  return [...counters, ...terms];
}

// Beside each other: one column for each kind of cost.
const OVERVIEW = 'overview';

function overviewOf(row) {
  const sum = (heading, keys) => ({ heading, of: (line) => keys.reduce((total, key) => total + (line[key] ?? 0), 0) });
  const bounding = metricsOf(row).filter(({ key }) => key === `clock ${row.bound_by}`);
  const columns = [
    sum('instructions', ['instructions']),
    sum('sectors', ['global_load_sectors', 'global_store_sectors', 'atomic_sectors']),
    sum('wavefronts', ['shared_load_wavefronts', 'shared_store_wavefronts']),
    sum('conflicts', ['shared_conflicts']),
    ...bounding,
  ];
  return columns.filter(({ of }) => row.lines.some((line) => of(line) > 0));
}

function showSource() {
  if (counted.length === 0) {
    byId('source').append(element('p', {}, 'No launch was counted: a GPU counts nothing here. Run with --device sim.'));
    document.querySelector('#source .controls').hidden = true;
    document.querySelector('#source .split').hidden = true;
    return;
  }
  byId('launch').append(...counted.map((row, index) => element('option', { value: String(index) }, launchName(row))));
  // The launch whose accesses waste most, to begin with.
  const wasted = counted.map((row) => Math.max(...row.lines.map(waste)));
  byId('launch').value = String(wasted.indexOf(Math.max(...wasted)));
  byId('launch').addEventListener('change', showLaunch);
  byId('counter').addEventListener('change', showListing);
  showLaunch();
}

function chosenLaunch() {
  return counted[Number(byId('launch').value)];
}

// The choices of a launch; what was chosen stays where the launch has it too.
function showLaunch() {
  const before = byId('counter').value;
  const metrics = metricsOf(chosenLaunch());
  byId('counter').replaceChildren(element('option', { value: OVERVIEW }, 'all kinds of cost'),
    ...metrics.map(({ key, heading }) => element('option', { value: key }, heading)));
  byId('counter').value = metrics.some(({ key }) => key === before) ? before : OVERVIEW;
  showListing();
  showWorst();
}

function showListing() {
  const row = chosenLaunch();
  const chosen = byId('counter').value;
  const metric = metricsOf(row).find(({ key }) => key === chosen);
  const columns = metric ? [metric] : overviewOf(row);
  byId('counter-meaning').textContent = metric ? metric.meaning
    : 'Each column is shaded by itself: the darkest line has most of it. Choose one of them to see shares and what it means.';
  const bodies = [];
  for (const [path, text] of Object.entries(data.sources)) {
    const lines = row.lines.filter((line) => line.file === path);
    if (lines.length === 0) continue;
    const most = columns.map(({ of }) => Math.max(...lines.map(of)));
    const total = columns.map(({ of }) => lines.reduce((sum, line) => sum + of(line), 0));
    const listing = text.split('\n').map((source, index) => {
      const line = lines.find((line) => line.line === index + 1);
      const cells = columns.flatMap(({ of }, column) => {
        const count = line ? of(line) : 0;
        const shade = count > 0 ? `background: rgba(var(--heat), ${(0.08 + (0.5 * count) / most[column]).toFixed(3)})` : '';
        const cell = (text) => element('td', { class: 'number', style: shade }, text);
        const share = () => cell(count > 0 ? `${Math.round((100 * count) / total[column])} %` : '');
        return [cell(count > 0 ? number(count) : ''), ...(metric ? [share()] : [])];
      });
      const place = line
        ? element('button', { type: 'button', 'data-line': `${path}:${index + 1}`,
          'aria-label': `line ${index + 1}: details${(line.accesses ?? []).length > 0 ? ', with pictures of its accesses' : ''}`,
          onclick: () => { showLine(row, line); byId('line').scrollIntoView({ block: 'nearest' }); } }, String(index + 1))
        : String(index + 1);
      return element('tr', {}, element('td', { class: 'number' }, place), ...cells,
        element('td', { class: 'mark', 'aria-hidden': 'true' }, (line?.accesses ?? []).length > 0 ? '▦' : ''),
        element('td', {}, source));
    });
    const width = String(3 + columns.length * (metric ? 2 : 1));
    bodies.push(element('tbody', {}, element('tr', {}, element('th', { colspan: width, scope: 'rowgroup' }, path)), ...listing));
  }
  const headings = ['line', ...columns.flatMap(({ heading }) => (metric ? [heading, 'share'] : [heading])), '', 'source'];
  const head = headings.map((heading) => (heading === '' ? element('td') : element('th', { scope: 'col' }, heading)));
  byId('listing').replaceChildren(element('thead', {}, element('tr', {}, ...head)), ...bodies);
  byId('line').replaceChildren(element('p', { class: 'hint' },
    'Choose the number of a line to see what it does; ▦ marks lines with pictures of their accesses.'));
}

// How many times as much as the ideal the worst access of a line takes.
function waste(line) {
  return Math.max(0, ...(line.accesses ?? []).map(({ count, ideal }) => count / ideal));
}

// The line whose accesses waste most, to begin with.
function showWorst() {
  const row = chosenLaunch();
  const known = row.lines.filter((line) => data.sources[line.file] !== undefined && waste(line) > 0);
  if (known.length > 0) showLine(row, known.reduce((worst, line) => (waste(line) > waste(worst) ? line : worst)));
}

function showLine(row, line) {
  const source = (data.sources[line.file] ?? '').split('\n')[line.line - 1] ?? '';
  for (const chosen of document.querySelectorAll('#listing tr.chosen')) chosen.className = '';
  const button = document.querySelector(`#listing button[data-line="${line.file}:${line.line}"]`);
  if (button) {
    const [chosen, box] = [button.closest('tr'), button.closest('.scroll')];
    chosen.className = 'chosen';
    // Into sight inside its box, without moving the page.
    const hidden = chosen.offsetTop < box.scrollTop + 40 || chosen.offsetTop + 40 > box.scrollTop + box.clientHeight;
    if (hidden) box.scrollTop = chosen.offsetTop - box.clientHeight / 2;
  }
  const metrics = metricsOf(row).filter(({ of }) => of(line) > 0);
  const list = element('table');
  table(list, [
    { heading: 'counter', of: ({ heading }) => heading },
    { heading: 'one launch', numeric: true, of: ({ of }) => of(line) },
  ], metrics);
  const findings = row.findings.filter((finding) => finding.file === line.file && finding.line === line.line);
  byId('line').replaceChildren(
    element('h3', {}, `${line.file}, line ${line.line}`), element('code', {}, source.trim()),
    ...findings.map((finding) => element('pre', {}, finding.message)),
    ...(line.accesses ?? []).map(accessFigure),
    element('h3', {}, 'Counters of this line'), list);
}

// One access of one warp: what it does in words, as a picture, and lane by lane; beside it what the ideal would be.
function accessFigure(access) {
  const title = `${access.space} ${access.kind}, ${access.bytes} bytes a lane: block (${access.block.join(', ')}), warp ${access.warp}`;
  const parts = [element('h3', {}, title), element('p', {}, accessText(access)), picture(access)];
  if (access.count > access.ideal) {
    const ideal = idealOf(access);
    parts.push(element('p', {}, `The ideal, ${piecesText(access, access.ideal)}: lanes that follow each other ask for bytes that follow each other.`),
      picture(ideal));
  }
  parts.push(element('details', {}, element('summary', {}, 'Addresses, lane by lane'), laneTable(access)));
  return element('div', { class: 'access' }, ...parts);
}

function piecesText(access, count) {
  const noun = access.space === 'shared' ? 'wavefront' : 'sector';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function accessText(access) {
  const lanes = access.lanes.filter((offset) => offset !== null).length;
  const who = `${lanes === 32 ? 'All 32 lanes' : `${lanes} of 32 lanes`} take part`;
  if (access.count <= access.ideal) return `${who}: ${piecesText(access, access.count)}, as few as can be.`;
  const why = access.space === 'shared'
    ? 'A bank hands out one word at a time: lanes that want other words of the same bank wait for the next wavefront.'
    : 'Memory moves in sectors of 32 bytes: bytes of a sector that no lane asked for are moved in vain.';
  return `${who}: ${piecesText(access, access.count)}, where ${access.ideal} would do. ${why}`;
}

// The same lanes and as many different bytes, in the order of the lanes.
function idealOf(access) {
  const offsets = access.lanes.filter((offset) => offset !== null);
  const distinct = [...new Set(offsets)];
  const lanes = access.lanes.map((offset) => (offset === null ? null : distinct.indexOf(offset) * access.bytes));
  return { ...access, lanes, count: access.ideal };
}

// Whether each lane asks for what its neighbour asks for, or each for what the lane after next does: `in_pairs` of the simulator.
function inPairs({ kind, bytes, bank_bytes, lanes }) {
  const alike = (partner) => lanes.every((offset, lane) => {
    const other = lanes[lane ^ partner];
    return offset === null || other === null || other === offset;
  });
  return kind === 'load' && bank_bytes === 4 && bytes > 4 && [1, 2].some(alike);
}

// Shared memory: successive words of 4 bytes lie in successive banks. A wavefront takes from each bank as many bytes as it is wide, and
// serves as many lanes at a time as fill all banks once, and twice as many of a wide load whose lanes come in pairs. One list of
// wavefronts: which words of which lanes each bank hands out.
function wavefrontsOf(access) {
  const parts = Math.min(32, Math.max(1, Math.floor(access.bytes / access.bank_bytes)));
  const turns = inPairs(access) ? parts / 2 : parts;
  const lanesPerTurn = 32 / turns;
  const wavefronts = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const banks = Array.from({ length: 32 }, () => new Map());
    access.lanes.slice(turn * lanesPerTurn, (turn + 1) * lanesPerTurn).forEach((offset, index) => {
      if (offset === null) return;
      for (let word = Math.floor(offset / 4); word * 4 < offset + access.bytes; word += 1) {
        const served = banks[word % 32];
        // Words that a bank hands out together.
        const group = Math.floor(word / ((32 * access.bank_bytes) / 4));
        if (!served.has(group)) served.set(group, { words: new Set(), lanes: new Set() });
        served.get(group).words.add(word);
        served.get(group).lanes.add(turn * lanesPerTurn + index);
      }
    });
    const depth = Math.max(...banks.map((served) => served.size));
    for (let row = 0; row < depth; row += 1) {
      wavefronts.push({ extra: row > 0, banks: banks.map((served) => [...served.values()][row] ?? null) });
    }
  }
  return wavefronts;
}

// Global memory: the sectors that the lanes touch, each with the bytes that they ask for.
function sectorsOf(access) {
  const sectors = new Map();
  access.lanes.forEach((offset, lane) => {
    if (offset === null) return;
    for (let byte = offset; byte < offset + access.bytes; byte += 1) {
      const sector = Math.floor(byte / 32);
      if (!sectors.has(sector)) sectors.set(sector, { sector, bytes: new Set(), lanes: new Set() });
      sectors.get(sector).bytes.add(byte);
      sectors.get(sector).lanes.add(lane);
    }
  });
  return [...sectors.values()].sort((a, b) => a.sector - b.sector);
}

const STEP = 30;
const centre = (index) => 12 + STEP * (index + 0.5);

function laneRow(svg, lanes, targetsOf) {
  svg.append(drawn('text', { x: 12, y: 12 }, 'lanes of the warp'));
  lanes.forEach((offset, lane) => {
    for (const target of offset === null ? [] : targetsOf(lane)) {
      svg.append(drawn('line', { class: 'wire', x1: centre(lane), y1: 40, x2: centre(target), y2: 100 }));
    }
    svg.append(drawn('rect', { class: offset === null ? 'lane idle' : 'lane', x: centre(lane) - 13, y: 18, width: 26, height: 22 }));
    svg.append(drawn('text', { class: offset === null ? 'faint' : '', x: centre(lane), y: 33, 'text-anchor': 'middle' }, String(lane)));
  });
}

// 32 lanes above, banks or sectors below, a line from each lane to where its bytes lie.
function picture(access) {
  return access.space === 'shared' ? bankPicture(access) : sectorPicture(access);
}

function bankPicture(access) {
  const wavefronts = wavefrontsOf(access);
  const busy = new Set(wavefronts.flatMap(({ banks }) => banks.flatMap((cell, bank) => (cell ? [bank] : []))));
  const height = 132 + 12 * wavefronts.length;
  const svg = drawn('svg', { class: 'picture', viewBox: `0 0 ${STEP * 32 + 130} ${height}`, role: 'img', 'data-count': wavefronts.length,
    'aria-label': `${access.lanes.filter((offset) => offset !== null).length} lanes on ${busy.size} banks: ${piecesText(access, wavefronts.length)}` });
  laneRow(svg, access.lanes, (lane) => [Math.floor(access.lanes[lane] / 4) % 32]);
  for (let bank = 0; bank < 32; bank += 1) {
    svg.append(drawn('text', { x: centre(bank), y: 112, 'text-anchor': 'middle' }, String(bank)));
  }
  svg.append(drawn('text', { x: STEP * 32 + 18, y: 112 }, 'banks'));
  wavefronts.forEach(({ banks, extra }, row) => {
    const y = 118 + 12 * row;
    banks.forEach((cell, bank) => {
      const box = drawn('rect', { class: cell ? (extra ? 'extra' : 'used') : 'empty', x: centre(bank) - 13, y, width: 26, height: 10 });
      if (cell) box.append(drawn('title', {}, `wavefront ${row + 1}, bank ${bank}: word ${[...cell.words].join(', ')} for lane ${[...cell.lanes].join(', ')}`));
      svg.append(box);
    });
    if (row === 0 || row === wavefronts.length - 1 || (row + 1) % 8 === 0) {
      svg.append(drawn('text', { x: STEP * 32 + 18, y: y + 9 }, `wavefront ${row + 1}`));
    }
  });
  return svg;
}

function sectorPicture(access) {
  const sectors = sectorsOf(access);
  const place = new Map(sectors.map(({ sector }, index) => [sector, index]));
  const columns = Math.max(32, sectors.length);
  const asked = sectors.reduce((sum, { bytes }) => sum + bytes.size, 0);
  const svg = drawn('svg', { class: 'picture', viewBox: `0 0 ${STEP * columns + 130} 190`, role: 'img', 'data-count': sectors.length,
    'aria-label': `${access.lanes.filter((offset) => offset !== null).length} lanes on ${piecesText(access, sectors.length)}, of whose bytes they ask for ${Math.round((100 * asked) / (32 * sectors.length))} %` });
  laneRow(svg, access.lanes, (lane) => [place.get(Math.floor(access.lanes[lane] / 32))]);
  sectors.forEach(({ sector, bytes, lanes }, index) => {
    const x = centre(index) - 13;
    const full = (48 * bytes.size) / 32;
    const box = drawn('rect', { class: 'wasted', x, y: 100, width: 26, height: 48 });
    box.append(drawn('title', {}, `bytes ${sector * 32} to ${sector * 32 + 31}: ${bytes.size} asked for, by lane ${[...lanes].join(', ')}`));
    svg.append(box, drawn('rect', { class: 'used', x, y: 148 - full, width: 26, height: full }));
    if (index % 4 === 0) svg.append(drawn('text', { x, y: 162 }, `+${sector * 32}`));
  });
  svg.append(drawn('text', { x: 12, y: 182 },
    'sectors of 32 bytes, filled as far as lanes ask for their bytes, and where they lie from the first line of 128 bytes on'));
  return svg;
}

function laneTable(access) {
  const shared = access.space === 'shared';
  const rows = access.lanes.map((offset, lane) => ({ offset, lane })).filter(({ offset }) => offset !== null);
  const made = element('table');
  table(made, [
    { heading: 'lane', numeric: true, of: ({ lane }) => lane },
    shared
      ? { heading: 'byte of shared memory', numeric: true, of: ({ offset }) => offset }
      : { heading: 'address', of: ({ offset }) => `0x${(access.base + offset).toString(16)}` },
    shared
      ? { heading: 'bank', numeric: true, of: ({ offset }) => Math.floor(offset / 4) % 32 }
      : { heading: 'sector from', of: ({ offset }) => `+${Math.floor(offset / 32) * 32}` },
  ], rows);
  return made;
}

function showFindings() {
  const seen = new Set();
  const findings = report.rows.flatMap((row) => row.findings.map((finding) => ({ row, finding })))
    .filter(({ finding }) => !seen.has(finding.message) && seen.add(finding.message));
  const wrong = report.rows.filter((row) => !row.correct);
  byId('finding-list').append(
    ...wrong.map((row) => element('p', { class: 'wrong' }, `Wrong result: ${launchName(row)}`)),
    ...findings.flatMap(({ row, finding }) => [element('h3', {}, `${finding.kind}: ${row.variant}`), element('pre', {}, finding.message)]));
  if (findings.length + wrong.length === 0) byId('finding-list').append(element('p', {}, 'Every result was right, and nothing was found.'));
}

// What ran when: a panel for each batch, all over one stretch of time that can be chosen.
const ITEM_COLOURS = ['#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#99ddff', '#44bb99', '#bbcc33', '#aaaa00', '#dddddd', '#cc99cc'];

function showTimelines() {
  const timelines = report.timelines ?? [];
  if (timelines.length === 0) return;
  byId('timelines').hidden = false;
  document.querySelector('nav a[href="#timelines"]').hidden = false;
  // The host may make calls after the last work has ended.
  const longest = Math.max(...timelines.flatMap(({ elapsed_ms, spans }) => [elapsed_ms, ...spans.map(({ end_ms }) => end_ms)]));
  const shown = { from: 0, to: longest };
  const draw = () => {
    byId('timeline').replaceChildren(...timelines.map((timeline) => timelinePicture(timeline, shown)));
    byId('timeline-range').textContent = `shown: ${number(shown.from)} to ${number(shown.to)} ms of ${number(longest)}`;
  };
  const zoom = (factor) => {
    const middle = (shown.from + shown.to) / 2;
    const width = Math.min(longest, Math.max(longest / 1e4, (shown.to - shown.from) * factor));
    shown.from = Math.min(longest - width, Math.max(0, middle - width / 2));
    shown.to = shown.from + width;
    draw();
  };
  const move = (part) => {
    const width = shown.to - shown.from;
    shown.from = Math.min(longest - width, Math.max(0, shown.from + part * width));
    shown.to = shown.from + width;
    draw();
  };
  const actions = { '+': () => zoom(0.5), '-': () => zoom(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), 0: () => zoom(1e9) };
  byId('timeline').addEventListener('keydown', (event) => {
    const action = actions[event.key === '=' ? '+' : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, onclick: action }, text);
  byId('timeline-controls').append(button('+', 'shorter stretch of time', actions['+']), button('−', 'longer stretch of time', actions['-']),
    button('←', 'earlier', actions.ArrowLeft), button('→', 'later', actions.ArrowRight), button('all', 'the whole time', actions[0]));
  draw();
}

function timelinePicture({ title, elapsed_ms, spans }, { from, to }) {
  const [left, width, height] = [110, 1000, 16];
  const x = (ms) => left + (Math.min(to, Math.max(from, ms)) - from) / (to - from) * width;
  const svg = drawn('svg', { class: 'timeline', role: 'img', 'data-spans': spans.length,
    'aria-label': `${title}: ${number(elapsed_ms)} ms, ${spans.length} spans; the table below has them` });
  const devices = [...new Set(spans.map(({ device }) => device))].sort();
  let y = 4;
  for (const device of devices) {
    for (const track of [...new Set(spans.map((span) => span.track))]) {
      const own = spans.filter((span) => span.device === device && span.track === track).sort((a, b) => a.start_ms - b.start_ms);
      // Spans that overlap lie below each other.
      const ends = [];
      const places = own.map((span) => {
        let row = ends.findIndex((end) => end <= span.start_ms + 1e-3);
        if (row < 0) row = ends.push(0) - 1;
        ends[row] = span.end_ms;
        return row;
      });
      svg.append(drawn('text', { x: left - 8, y: y + 12, 'text-anchor': 'end' }, devices.length > 1 ? `${track} ${device}` : track));
      own.forEach((span, index) => {
        const [begin, end] = [x(span.start_ms), x(span.end_ms)];
        if (span.end_ms < from || span.start_ms > to) return;
        const box = drawn('rect', { x: begin, y: y + places[index] * height, width: Math.max(0.6, end - begin), height: height - 2,
          fill: span.item === null ? 'var(--field)' : ITEM_COLOURS[span.item % ITEM_COLOURS.length], stroke: '#333', 'stroke-width': 0.4 });
        box.append(drawn('title', {}, `${track} ${span.item ?? ''}: ${number(span.start_ms)} to ${number(span.end_ms)} ms`));
        svg.append(box);
        const label = span.item === null ? 'waits' : String(span.item);
        if (end - begin > 7 * label.length + 2) {
          svg.append(drawn('text', { class: span.item === null ? '' : 'on-item', x: (begin + end) / 2, y: y + places[index] * height + 11, 'text-anchor': 'middle' }, label));
        }
      });
      y += height * Math.max(1, ends.length) + 3;
    }
  }
  for (let tick = 0; tick <= 5; tick += 1) {
    const ms = from + ((to - from) * tick) / 5;
    svg.append(drawn('line', { class: 'tick', x1: x(ms), y1: 0, x2: x(ms), y2: y }));
    svg.append(drawn('text', { x: x(ms), y: y + 12, 'text-anchor': tick === 5 ? 'end' : 'middle' }, `${number(ms)} ms`));
  }
  svg.setAttribute('viewBox', `0 0 ${left + width + 10} ${y + 18}`);
  const list = element('table');
  table(list, [
    { heading: 'what', of: ({ track }) => track },
    { heading: 'item', numeric: true, of: ({ item }) => item },
    { heading: 'from, ms', numeric: true, of: ({ start_ms }) => start_ms },
    { heading: 'to, ms', numeric: true, of: ({ end_ms }) => end_ms },
  ], spans);
  return element('div', { class: 'batch' }, element('h3', {}, `${title}: ${number(elapsed_ms)} ms`), svg,
    element('details', {}, element('summary', {}, 'Spans as a table'), list));
}

function makeZoomable() {
  for (const figure of document.querySelectorAll('figure')) {
    let scale = 1;
    const zoom = (factor) => {
      scale = Math.min(8, Math.max(1, scale * factor));
      for (const svg of figure.querySelectorAll('svg')) svg.style.width = `${100 * scale}%`;
    };
    const button = (text, label, factor) =>
      element('button', { type: 'button', 'aria-label': `${label} this figure`, onclick: () => zoom(factor) }, text);
    figure.querySelector('figcaption').append(button('+', 'enlarge', 1.5), button('−', 'reduce', 1 / 1.5));
  }
}

showResults();
showSource();
showTimelines();
showFindings();
makeZoomable();
document.documentElement.dataset.ready = 'true';
