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

function showSource() {
  if (counted.length === 0) {
    byId('source').append(element('p', {}, 'No launch was counted: a GPU counts nothing here. Run with --device sim.'));
    document.querySelector('#source .controls').hidden = true;
    document.querySelector('#source .split').hidden = true;
    return;
  }
  byId('launch').append(...counted.map((row, index) => element('option', { value: String(index) }, launchName(row))));
  byId('counter').append(...data.counters.map(({ key, heading }) => element('option', { value: key }, heading)));
  byId('launch').addEventListener('change', showListing);
  byId('counter').addEventListener('change', showListing);
  showListing();
}

function showListing() {
  const row = counted[Number(byId('launch').value)];
  const counter = data.counters.find(({ key }) => key === byId('counter').value);
  byId('counter-meaning').textContent = counter.meaning;
  const bodies = [];
  for (const [path, text] of Object.entries(data.sources)) {
    const lines = row.lines.filter((line) => line.file === path);
    if (lines.length === 0) continue;
    const most = Math.max(...lines.map((line) => line[counter.key] ?? 0));
    const total = lines.reduce((sum, line) => sum + (line[counter.key] ?? 0), 0);
    const listing = text.split('\n').map((source, index) => {
      const line = lines.find((line) => line.line === index + 1);
      const count = line?.[counter.key] ?? 0;
      const heat = most > 0 ? count / most : 0;
      const label = count > 0 ? number(count) : '';
      const share = count > 0 && total > 0 ? `${Math.round((100 * count) / total)} %` : '';
      const shade = heat > 0 ? `background: rgba(var(--heat), ${(0.08 + 0.5 * heat).toFixed(3)})` : '';
      const place = line
        ? element('button', { type: 'button', 'aria-label': `line ${index + 1}: details`, onclick: (event) => {
          for (const chosen of document.querySelectorAll('#listing tr.chosen')) chosen.className = '';
          event.target.closest('tr').className = 'chosen';
          showLine(row, line, source);
        } }, String(index + 1))
        : String(index + 1);
      return element('tr', {}, element('td', { class: 'number' }, place),
        element('td', { class: 'number', style: shade }, label),
        element('td', { class: 'number', style: shade }, share), element('td', {}, source));
    });
    bodies.push(element('tbody', {}, element('tr', {}, element('th', { colspan: '4', scope: 'rowgroup' }, path)), ...listing));
  }
  const headings = ['line', counter.heading, 'share', 'source'].map((heading) => element('th', { scope: 'col' }, heading));
  byId('listing').replaceChildren(element('thead', {}, element('tr', {}, ...headings)), ...bodies);
  byId('line').replaceChildren(element('p', { class: 'hint' }, 'Choose the number of a line to see what it does.'));
}

function showLine(row, line, source) {
  const counts = data.counters.filter(({ key }) => (line[key] ?? 0) > 0);
  const list = element('table');
  table(list, [
    { heading: 'counter', of: ({ heading }) => heading },
    { heading: 'one launch', numeric: true, of: ({ key }) => line[key] },
  ], counts);
  const findings = row.findings.filter((finding) => finding.file === line.file && finding.line === line.line);
  byId('line').replaceChildren(
    element('h3', {}, `${line.file}, line ${line.line}`), element('code', {}, source.trim()),
    ...findings.map((finding) => element('pre', {}, finding.message)),
    ...(line.accesses ?? []).flatMap((access) => [element('h3', {}, accessTitle(access)), picture(access), accessText(access)]),
    element('h3', {}, 'Counters of this line'), list);
}

function accessTitle(access) {
  return `${access.space} ${access.kind} of ${access.bytes} bytes a lane: block (${access.block.join(', ')}), warp ${access.warp}`;
}

function accessText(access) {
  const what = access.space === 'shared'
    ? ['wavefront', 'the banks are read one word each at a time, so lanes that want other words of one bank wait']
    : ['sector', 'memory moves in pieces of 32 bytes, so bytes of a piece that no lane asked for are moved in vain'];
  const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const verdict = access.count > access.ideal
    ? `${plural(access.count, what[0])}, where ${access.ideal} would do: ${what[1]}.`
    : `${plural(access.count, what[0])}: as few as can be.`;
  return element('p', {}, verdict);
}

// 32 lanes above, banks or sectors below, a line from each lane to where its bytes lie.
function picture(access) {
  const shared = access.space === 'shared';
  const step = 26;
  const lanes = access.lanes.map((offset, lane) => ({ offset, lane })).filter(({ offset }) => offset !== null);
  const piece = shared ? access.bank_bytes : 32;
  const pieces = [...new Set(lanes.flatMap(({ offset }) => {
    const first = Math.floor(offset / piece);
    const last = Math.floor((offset + access.bytes - 1) / piece);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }))].sort((a, b) => a - b);
  const boxes = shared ? Array.from({ length: 32 }, (_, bank) => bank) : pieces;
  const place = new Map(boxes.map((box, index) => [box, index]));
  const boxOf = (index) => (shared ? index % 32 : index);
  const words = boxes.map((box) => pieces.filter((index) => boxOf(index) === box).length);
  const deepest = Math.max(1, ...words);
  const height = shared ? 130 + 9 * Math.min(deepest, 32) : 180;
  const width = step * Math.max(32, boxes.length) + 20;
  const svg = drawn('svg', { class: 'picture', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${lanes.length} lanes on ${shared ? `${words.filter((count) => count > 0).length} banks, at most ${deepest} words in one` : `${boxes.length} sectors`}` });
  const centre = (index) => 10 + step * (index + 0.5);
  for (const { offset, lane } of lanes) {
    const target = place.get(boxOf(Math.floor(offset / piece)));
    svg.append(drawn('line', { class: 'wire', x1: centre(lane), y1: 38, x2: centre(target), y2: 98 }));
  }
  for (let lane = 0; lane < 32; lane += 1) {
    svg.append(drawn('rect', { class: 'lane', x: centre(lane) - 11, y: 18, width: 22, height: 20 }));
    svg.append(drawn('text', { x: centre(lane), y: 32, 'text-anchor': 'middle' }, String(lane)));
  }
  svg.append(drawn('text', { x: 10, y: 12 }, 'lanes'));
  boxes.forEach((box, index) => {
    const x = centre(index) - 11;
    if (shared) {
      svg.append(drawn('rect', { class: 'empty', x, y: 98, width: 22, height: 9 }));
      for (let word = 0; word < Math.min(words[index], 32); word += 1) {
        svg.append(drawn('rect', { class: 'used', x, y: 98 + 9 * word, width: 22, height: 7 }));
      }
      svg.append(drawn('text', { x: centre(index), y: height - 6, 'text-anchor': 'middle' }, String(box)));
    } else {
      const asked = new Set(lanes.flatMap(({ offset }) =>
        Array.from({ length: access.bytes }, (_, byte) => offset + byte).filter((byte) => Math.floor(byte / 32) === box)));
      svg.append(drawn('rect', { class: 'wasted', x, y: 98, width: 22, height: 40 }));
      svg.append(drawn('rect', { class: 'used', x, y: 138 - (40 * asked.size) / 32, width: 22, height: (40 * asked.size) / 32 }));
      if (index % 4 === 0) svg.append(drawn('text', { x, y: 152 }, `+${box * 32}`));
    }
  });
  const below = shared ? 'banks, with the distinct words in each' : 'sectors of 32 bytes, filled as far as lanes asked for their bytes';
  svg.append(drawn('text', { x: 10, y: shared ? height - 18 : 170 }, below));
  return svg;
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
showFindings();
makeZoomable();
document.documentElement.dataset.ready = 'true';
