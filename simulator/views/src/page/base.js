// The page of one run. All it shows comes from the JSON document in it, whose keys docs/json.md describes, and from the
// sources beside it; nothing is loaded.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;

// Lines of a launch are packed by column, because most of their counters are 0 and all have the same names.
function unpacked({ files, file, line, numbers, clock_ns, stalls, accesses }) {
  const entries = (columns, index) => Object.fromEntries(
    Object.entries(columns).map(([key, values]) => [key, values[index]]).filter(([, value]) => value !== 0));
  return line.map((number, index) => ({
    file: files[file === undefined ? 0 : file[index]],
    line: number,
    ...entries(numbers, index),
    clock_ns: entries(clock_ns, index),
    stalls: entries(stalls, index),
    ...(accesses[index] ? { accesses: accesses[index] } : {}),
  }));
}

for (const { row, lines, told } of data.launches) Object.assign(report.rows[row], { lines: unpacked(lines), told });

// Leaves out a part of the page that this run has nothing for, and the link to it.
function leaveOut(id) {
  byId(id).hidden = true;
  document.querySelector(`nav a[href="#${id}"]`).hidden = true;
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

// 1, 2 or 5 times a power of ten, no smaller than `least`.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((part) => part * power).find((step) => step >= least * 0.9999);
}

// Round places from `from` to `to`, about so many.
function ticksOf(from, to, count) {
  const step = roundStep((to - from) / count);
  const first = Math.ceil(from / step - 1e-6);
  const last = Math.floor(to / step + 1e-6);
  // The multiplication leaves decimals that no tick has.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

function cellOf(name, value, column) {
  const made = element(name, column.numeric ? { class: 'number' } : {});
  made.append(value instanceof Node ? value : typeof value === 'string' ? value : number(value));
  if (value === 'WRONG') made.className = 'wrong';
  return made;
}

// A table whose headings sort it, the other way round when pressed again; rows without the value stay below.
function table(target, columns, rows) {
  const lines = rows.map((row) => {
    const values = columns.map((column) => (column.of(row)));
    return { values, keys: columns.map((column, index) => (column.sorts ? column.sorts(row) : values[index])),
      made: element('tr', {}, ...columns.map((column, index) => cellOf('td', values[index], column))) };
  });
  const body = element('tbody', {}, ...lines.map(({ made }) => made));
  const headings = [];
  const sort = (index) => {
    const down = headings[index].getAttribute('aria-sort') === 'ascending';
    headings.forEach((heading) => heading.removeAttribute('aria-sort'));
    headings[index].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const absent = (key) => key === null || key === undefined;
    const order = (a, b) => {
      const [left, right] = [a.keys[index], b.keys[index]];
      if (absent(left) || absent(right)) return Number(absent(left)) - Number(absent(right));
      const before = typeof left === 'number' && typeof right === 'number' ? left - right
        : String(left).localeCompare(String(right), 'en', { numeric: true });
      return down ? -before : before;
    };
    body.append(...[...lines].sort(order).map(({ made }) => made));
  };
  columns.forEach((column, index) => {
    const button = element('button', { type: 'button', onclick: () => sort(index) }, column.heading);
    headings.push(element('th', { scope: 'col', ...(column.numeric ? { class: 'number' } : {}),
      ...(column.meaning ? { title: column.meaning } : {}) }, button));
  });
  target.replaceChildren(element('thead', {}, element('tr', {}, ...headings)), body);
}

// A table in a box that scrolls, with a field above that leaves the rows with all of its words.
function filtered(name, columns, rows, id) {
  const made = element('table', id ? { id } : {});
  table(made, columns, rows);
  const box = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name }, made);
  if (rows.length < 8) return [box];
  const field = element('input', { type: 'search', placeholder: 'words of a row', 'aria-label': `Rows of ${name} with these words` });
  const shown = element('span', { class: 'hint', 'aria-live': 'polite' });
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
    let left = 0;
    for (const row of made.tBodies[0].rows) {
      const text = [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += row.hidden ? 0 : 1;
    }
    shown.textContent = ` ${left} of ${rows.length} rows`;
  });
  return [element('p', { class: 'controls' }, element('label', {}, 'Filter ', field), shown), box];
}

// A table of the report: title, names of the columns, perhaps their meanings, and cells by row.
function reportTable({ title, columns: names, meanings = [], rows: cells }) {
  const numeric = (index) => cells.every((row) => typeof row[index] !== 'string');
  const columns = names.map((heading, index) =>
    ({ heading, meaning: meanings[index], numeric: numeric(index), of: (row) => row[index] ?? null }));
  return [element('h3', {}, title), ...filtered(title, columns, cells)];
}
