// The source, line by line, with what each line costs.
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
  const waits = { key: 'waits', heading: "warps' time, %", of: (line) => Object.values(line.stalls).reduce((sum, part) => sum + part, 0),
    meaning: 'What warps spend before the instructions of this line, waiting or issuing, of all that the warps of the launch spend.' };
  return [...(row.lines.some((line) => waits.of(line) > 0) ? [waits] : []), ...counters, ...terms];
}

// Stands for a line of a long file far from all that were counted.
const FAR = '\f';

const narrow = matchMedia('(max-width: 40rem)');

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
    ...metricsOf(row).filter(({ key }) => key === 'waits'),
    ...bounding,
  ];
  const counted = columns.filter(({ of }) => row.lines.some((line) => of(line) > 0));
  // Beside several columns a telephone would not show the source.
  return narrow.matches ? [counted.find(({ key }) => key === 'waits') ?? counted[0]] : counted;
}

function showSource() {
  if (counted.length === 0) {
    const why = report.lab ? 'No launch was counted: a GPU counts nothing here. Run with --device sim.' : 'No kernel with source lines was run.';
    byId('source').append(element('p', {}, why));
    for (const part of ['.controls', '.split', '#told']) document.querySelector(`#source ${part}`).hidden = true;
    return;
  }
  byId('launch').append(...counted.map((row, index) => element('option', { value: String(index) }, launchName(row))));
  // The launch of which the answer speaks, to begin with; of a program's kernels the one that takes longest.
  const best = report.lab ? fastest(rungs()) : undefined;
  byId('launch').value = String(Math.max(0, counted.findIndex((row) => best && launchName(row) === launchName(best))));
  byId('launch').addEventListener('change', showLaunch);
  byId('counter').addEventListener('change', showListing);
  narrow.addEventListener('change', showListing);
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
  byId('told').replaceChildren(...chosenLaunch().told.trimEnd().split('\n').map((row) => {
    // What does not fit goes on below the row's own words.
    const [lead] = /^\s*(\d+ %\s+\d+\s+|try\s+)?/.exec(row);
    return element('div', { style: `--lead: ${lead.length}ch` }, row);
  }));
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
    const listing = text.split('\n').map((source, index, all) => {
      if (source === FAR) return all[index - 1] === FAR ? null : element('tr', {}, element('td', { class: 'number' }, '…'));
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
        element('td', { style: `--lead: ${source.search(/\S|$/) + 4}ch` }, source));
    });
    const width = String(3 + columns.length * (metric ? 2 : 1));
    bodies.push(element('tbody', {}, element('tr', {}, element('th', { colspan: width, scope: 'rowgroup' }, path)), ...listing.filter((line) => line)));
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
    ...findings.map((finding) => element('pre', { class: 'bad' }, finding.message)),
    ...(line.accesses ?? []).map(accessFigure),
    element('h3', {}, 'Counters of this line'), list, ...waitsOf(line));
}

// What warps wait for before this line, the longest first.
function waitsOf(line) {
  const waits = Object.entries(line.stalls).sort((a, b) => b[1] - a[1]);
  if (waits.length === 0) return [];
  const list = element('table');
  table(list, [{ heading: 'reason', of: ([reason]) => reason }, { heading: "% of the warps' time", numeric: true, of: ([, part]) => part }], waits);
  return [element('h3', {}, 'What warps do before it'), list];
}
