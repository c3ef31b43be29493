// The answer, the tables of a document's experiment, and those of the run.

// A row's value by its key, as the tables of the lab take it.
function value(row, key) {
  if (key.startsWith('phases_ms.')) return row.phases_ms[key.slice('phases_ms.'.length)];
  const found = row[key] ?? row.counters[key];
  return found === null ? undefined : found;
}

function elements(size) {
  return String(size).split('x').reduce((product, extent) => product * Number(extent), 1);
}

// What rungs are compared by: a rate where all have it, else their time.
function measureOf(rows) {
  const rate = [['gflops', 'GFLOP/s'], ['gbytes_per_s', 'GB/s']].find(([key]) => rows.every((row) => row[key]));
  if (rate && report.timed === 'kernel') return { unit: rate[1], of: (row) => row[rate[0]], better: (a, b) => a / b };
  return { unit: 'ms', of: (row) => row.time_ms.median, better: (a, b) => b / a };
}

// The best right row of each rung at the largest size, in the ladder's order; of several types or kinds of work those that most rows have.
function rungs() {
  const kind = (row) => `${row.dtype} ${row.workload ?? ''}`;
  const counts = new Map();
  for (const row of report.rows) counts.set(kind(row), (counts.get(kind(row)) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  // A batch that moves nothing answers another question.
  const answers = (row) => row.correct && row.findings.length === 0 && (report.timed === 'kernel' || row.gbytes_per_s > 0);
  const alike = report.rows.filter((row) => kind(row) === most && answers(row));
  const largest = Math.max(...alike.map((row) => elements(row.size)));
  const rows = alike.filter((row) => elements(row.size) === largest);
  const measure = measureOf(rows);
  const best = new Map();
  for (const row of rows) {
    const known = best.get(row.variant);
    if (!known || measure.better(measure.of(row), measure.of(known)) > 1) best.set(row.variant, row);
  }
  return { measure, rungs: [...best.values()] };
}

// A limit or a yardstick is nobody's gain.
const isReference = (row) => data.references.includes(row.variant);

function fastest({ measure, rungs: all }) {
  const ladder = all.filter((row) => !isReference(row));
  return ladder.reduce((best, row) => (best && measure.better(measure.of(row), measure.of(best)) <= 1 ? best : row), undefined);
}

function verdict() {
  const wrong = report.rows.filter((row) => !row.correct).length;
  const found = report.rows.filter((row) => row.findings.length > 0).length;
  const subject = report.rows.length === 1 ? 'The result is' : `All ${report.rows.length} results are`;
  if (wrong + found === 0) return element('p', {}, `${subject} right, and nothing was found.`);
  const parts = [wrong && `${wrong} of ${report.rows.length} results WRONG`, found && `findings in ${found} rows`].filter((part) => part);
  return element('p', { class: 'wrong' }, `${parts.join('; ')}: `, element('a', { href: '#findings' }, 'which ones'));
}

function showAnswer() {
  const answer = byId('answer');
  if (data.answer.length > 0) answer.append(...data.answer.map((said, index) => element('p', index === 0 ? { class: 'lead' } : {}, said)));
  else showLadder(answer);
  answer.append(element('ul', {}, ...report.notes.map((note) => element('li', {}, note))));
  if (report.next) answer.append(element('p', {}, 'Next: ', element('code', {}, report.next)));
}

function showLadder(answer) {
  const { measure, rungs: all } = rungs();
  const ladder = all.filter((row) => !isReference(row));
  if (ladder.length > 0) {
    const times = (row, other) => `${number(measure.better(measure.of(row), measure.of(other)))} ×`;
    const first = fastest({ measure, rungs: ladder });
    const against = first === ladder[0] ? '' : `, ${times(first, ladder[0])} as fast as ${ladder[0].variant}`;
    const size = [first.size, first.workload, first.dtype].filter((part) => part).join(', ');
    answer.append(element('p', { class: 'lead' }, element('strong', {}, first.variant),
      `${ladder.length > 1 ? ' is the fastest' : ''} at ${size}: ${number(measure.of(first))} ${measure.unit}${against}.`));
    const most = Math.max(...all.map(measure.of));
    const made = element('table');
    const bar = (row) => element('span', { class: isReference(row) ? 'bar reference' : 'bar', style: `width: ${(100 * measure.of(row) / most).toFixed(1)}%` });
    table(made, [
      { heading: 'rung', of: (row) => row.variant },
      { heading: measure.unit, numeric: true, of: measure.of },
      { heading: measure.unit === 'ms' ? 'time' : 'rate', of: bar, sorts: measure.of },
      { heading: 'over the rung before', numeric: true, sorts: (row) => ladder.indexOf(row),
        of: (row) => (ladder.indexOf(row) > 0 ? times(row, ladder[ladder.indexOf(row) - 1]) : '–') },
      { heading: `over ${ladder[0].variant}`, numeric: true, sorts: (row) => measure.better(measure.of(row), measure.of(ladder[0])),
        of: (row) => times(row, ladder[0]) },
    ], all);
    answer.append(element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The ladder' }, made));
  }
  answer.append(verdict());
}

// The tables of a source document, a published line below each of ours. Sorted, the two still have their label.
function showExperiment() {
  const { experiment } = report;
  if (!experiment) {
    leaveOut('experiment');
    return;
  }
  const labelled = ({ columns, rows, ...table }) => {
    const labels = columns.indexOf('');
    let label = [];
    const whole = rows.map((row) => {
      const own = row.slice(0, Math.max(0, labels));
      if (own.some((cell) => cell !== '')) label = own;
      return [...label, ...row.slice(label.length)];
    });
    return { ...table, columns: columns.map((heading) => heading || 'whose'), rows: whole };
  };
  byId('experiment-tables').append(element('p', { class: 'lead' }, experiment.title), ...experiment.tables.flatMap((table) => reportTable(labelled(table))),
    element('ul', {}, ...experiment.notes.map((note) => element('li', {}, note))));
}

function showResults() {
  if (report.rows.length + report.tables.length === 0) leaveOut('results');
  if (report.rows.some((row) => row.time_ms)) showRows(report.rows);
  for (const comparison of report.comparisons) showComparison(comparison);
  byId('tables').append(...report.tables.flatMap(reportTable));
}

function showRows(rows) {
  const varies = (of) => new Set(rows.map(of).filter((value) => value)).size > 1;
  const columns = [
    { heading: 'variant', of: (row) => row.variant },
    { heading: 'size', of: (row) => row.size },
    ...[['block', 'block'], ['host memory', 'host_memory'], ['type', 'dtype']]
      .filter(([, key]) => varies((row) => row[key]))
      .map(([heading, key]) => ({ heading, of: (row) => row[key] })),
    ...(rows.some((row) => row.sampled)
      ? [{ heading: 'blocks run', of: (row) => (row.sampled ? `sampled, ${row.sampled.percent.toPrecision(3)} %` : 'all') }] : []),
    { heading: 'check', of: (row) => (row.correct ? 'ok' : 'WRONG') },
    { heading: 'error', numeric: true, of: (row) => row.max_relative_error },
    { heading: `${report.timed}, median, ms`, numeric: true, of: (row) => row.time_ms.median },
    ...data.columns
      .filter(({ key }) => rows.some((row) => value(row, key) !== undefined))
      .map(({ heading, key, meaning }) => ({
        heading, meaning, numeric: rows.every((row) => typeof value(row, key) !== 'string'), of: (row) => value(row, key) ?? null,
      })),
  ];
  byId('tables').append(...filtered('results', columns, rows, 'rows'));
}

function showComparison(comparison) {
  const shown = comparison.columns.map((name, index) => ({ name, index }))
    .filter(({ index }) => comparison.rows.some((row) => Math.abs(row.gain_percent[index] ?? 0) >= 0.05));
  byId('tables').append(element('h3', {}, `${comparison.title}: gain in %, a positive number is better`),
    ...filtered(comparison.title, [
      { heading: 'rows', of: (row) => row.label.join(' ') },
      { heading: 'size', of: (row) => row.size },
      ...shown.map(({ name, index }) => ({ heading: name, numeric: true, of: (row) => row.gain_percent[index] ?? null })),
    ], comparison.rows));
}
