// Keys, buttons, marks, findings.
function jump(wanted) {
  goTo(Math.max(0, Math.min(steps.length, wanted)));
  draw();
}

// The end of the next step that `fits`, from here on or back; where there is none: where one is.
function seek(fits, direction) {
  for (let at = direction > 0 ? here : here - 2; at >= 0 && at < steps.length; at += direction) {
    if (fits(steps[at])) return at + 1;
  }
  return direction > 0 ? here : 0;
}
const isBarrier = (step) => step[0] === ARRIVE || step[0] === RELEASE;
const ofWarp = () => {
  const row = followed ?? (here > 0 ? steps[here - 1][1] : 0);
  return (step) => step[1] === row && step[0] !== RELEASE && step[0] !== COME;
};

let timer = null;
function play(wanted) {
  clearInterval(timer);
  timer = wanted ? setInterval(() => (here < steps.length ? jump(here + 1) : play(false)), 1000 / Number(byId('speed').value)) : null;
  byId('play').setAttribute('aria-pressed', String(wanted));
  byId('play').textContent = wanted ? 'pause' : 'play';
}

// What is worth a jump: the first of its kind.
function marks() {
  const first = (fits) => steps.findIndex(fits);
  const all = [
    ['first conflict', first((step) => isAccess(step) && step[8] && step[8][0] > step[8][1])],
    ['first divergence', first((step) => step[0] === BRANCH)],
    ['first barrier', first(isBarrier)],
  ];
  byId('marks').replaceChildren(...all.filter(([, at]) => at >= 0).map(([name, at]) =>
    element('button', { type: 'button', onclick: () => jump(at + 1) }, name)));
}

// The first wrong element (its value came through JSON, whose last digit may be another), in the array that has there what the check of the result read, and the steps that wrote it. `null`: none has.
function wrongElement() {
  const { wrong } = recording;
  if (!wrong) return null;
  const cell = wrong.row * wrong.columns + wrong.column;
  const missing = wrong.never_written && wrong.never_written.row === wrong.row && wrong.never_written.column === wrong.column;
  goTo(steps.length);
  const found = recording.arrays.map((array, number) => {
    const stores = steps.map((step, at) => at).filter((at) => isAccess(steps[at]) && steps[at][0] !== LOAD && steps[at][4] === number);
    const writers = stores.filter((at) => touchedBy(steps[at]).some(({ element: touched }) => touched === cell));
    const value = valueOf(array, cell);
    const is = missing ? writers.length === 0 : writers.length > 0 && (Math.abs(value - wrong.got) <= 1e-12 * Math.abs(wrong.got) || wrong.got === null && !Number.isFinite(value));
    return stores.length && is && array.block === null && array.bytes / array.element_bytes === wrong.of ? { array, cell, writers } : null;
  }).find((one) => one !== null);
  goTo(0);
  return found ?? null;
}

function wrongInWords() {
  const { array, cell, writers } = wrong;
  const name = elementName(array, cell);
  const [is, should] = [recording.wrong.got, recording.wrong.want].map((value) => shown(value ?? NaN));
  const words = writers.length ? `${name} is ${is} and should be ${should}` : `no thread writes ${name}, which should be ${should}`;
  const last = writers.slice(-3).reverse();
  const go = (where) => () => { parties = writers.length ? [where] : []; jump(where + 1); history(array, cell); };
  return element('div', {}, element('pre', {}, `wrong result: ${words}; ${recording.wrong.wrong} of ${recording.wrong.of} elements are wrong`),
    ...last.map((at, number) => element('button', { type: 'button', onclick: go(at) }, `${number ? 'before it' : 'written last'}: step ${at + 1}`)),
    writers.length ? '' : element('button', { type: 'button', onclick: go(steps.length - 1) }, 'the end of the launch'));
}

function findings() {
  const told = recording.orders[order].findings;
  byId('findings').replaceChildren(...(order === 0 && wrong ? [wrongInWords()] : []), ...told.map(({ message, steps: at }) => {
    const names = at.length === 2 ? ['the first access', 'the second access'] : ['the step'];
    const go = (where) => () => { parties = at; jump(where + 1); };
    return element('div', {}, element('pre', {}, message.split('\n')[0]),
      ...at.map((where, number) => element('button', { type: 'button', onclick: go(where) }, `${names[number]}: step ${where + 1}`)),
      element('details', {}, element('summary', {}, 'the finding in full'), element('pre', {}, message)));
  }));
}

// The elements that both orders leave different, as far as both touch them.
function differences() {
  if (recording.orders.length < 2) return [];
  const ends = [0, 1].map((which) => {
    choose(which);
    goTo(steps.length);
    return recording.arrays.map((array) => [array.now.slice(), array.known.slice()]);
  });
  choose(0);
  return recording.arrays.flatMap((array, number) => array.starts.flatMap(({ start, end, at }) => {
    const found = [];
    for (let offset = 0; offset < end - start; offset += array.element_bytes) {
      const bytes = ends.map((all) => all[number][0].slice(at + offset, at + offset + array.element_bytes));
      if (bytes[0].some((byte, index) => byte !== bytes[1][index])) {
        const values = bytes.map((some) => shown(readers[array.type](new DataView(some.buffer))));
        found.push(`${elementName(array, (start + offset) / array.element_bytes)} is ${values[0]} or ${values[1]}`);
      }
    }
    return found;
  }));
}

function choices() {
  byId('order-label').hidden = recording.orders.length < 2;
  byId('order').addEventListener('change', (event) => {
    choose(Number(event.target.value));
    parties = [];
    index();
    setUp();
  });
  const blocks = [...new Set(recording.rows.map(([of]) => of))].sort((a, b) => a - b);
  byId('block').replaceChildren(...blocks.map((of) => element('option', { value: String(of) }, blockNumber(of))));
  byId('block').addEventListener('change', (event) => {
    const wanted = Number(event.target.value);
    const at = steps.findIndex((step) => rowOf(step)[0] === wanted);
    jump(at + 1);
  });
  const button = (id, act) => byId(id).addEventListener('click', (event) => { play(id === 'play' && timer === null); act(event); });
  button('first', () => jump(0));
  button('back', (event) => jump(event.shiftKey ? seek(ofWarp(), -1) : here - 1));
  button('next', (event) => jump(event.shiftKey ? seek(ofWarp(), 1) : here + 1));
  button('last', () => jump(steps.length));
  button('play', () => {});
  byId('slider').addEventListener('input', (event) => jump(Number(event.target.value)));
  document.addEventListener('keydown', (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.id !== 'slider') return;
    const to = {
      ArrowRight: () => (event.shiftKey ? seek(ofWarp(), 1) : here + 1),
      ArrowLeft: () => (event.shiftKey ? seek(ofWarp(), -1) : here - 1),
      PageDown: () => seek(isBarrier, 1), PageUp: () => seek(isBarrier, -1),
      Home: () => 0, End: () => steps.length,
    }[event.key];
    if (!to) return;
    event.preventDefault();
    jump(to());
  });
}

function setUp() {
  byId('slider').max = String(steps.length);
  marks();
  findings();
  const of = recording.orders[order];
  const found = of.findings.find(({ steps: at }) => at.length);
  if (found) parties = found.steps;
  else if (order === 0 && wrong && wrong.writers.length) parties = wrong.writers.slice(-1);
  jump(found || parties.length ? parties[parties.length - 1] + 1 : 0);
  if (!found && parties.length) history(wrong.array, wrong.cell);
}

const wrong = wrongElement();

const differing = differences();
byId('differs').hidden = recording.orders.length < 2;
byId('differs').textContent = differing.length
  ? `In the other order ${differing.slice(0, 3).join(', ')}${differing.length > 3 ? `, and ${differing.length - 3} more elements differ` : ''}.`
  : 'In the other order the same values stay: here nobody sees the race.';
const blocks = new Set(recording.rows.map(([of]) => of)).size;
const all = recording.grid.reduce((product, extent) => product * extent, 1);
const dropped = recording.orders[0].dropped;
byId('about').textContent = `grid ${recording.grid.join(' × ')}, block ${recording.block.join(' × ')}; ${blocks === all ? 'all blocks' : `${blocks} of ${all} blocks`}`
  + `${dropped ? `, the first ${steps.length} of ${steps.length + dropped} steps` : `, ${steps.length} steps`}`;
buildArrays();
choices();
index();
setUp();
document.documentElement.dataset.ready = 'true';
