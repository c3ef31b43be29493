// Memory at a step. It is what the launch found, with every store up to there; going back takes them away again.
const recording = JSON.parse(document.getElementById('data').textContent);
const [LOAD, STORE, ATOMIC, ARRIVE, RELEASE, BRANCH, CONVERGE, EXIT, STOP, COPY, COME] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const lanesOf = (mask) => Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
const arrayOf = (step) => (isAccess(step) || step[0] === COPY ? step[4] : step[0] === STOP && step[4] ? step[4][0] : -1);
const isAccess = (step) => step[0] <= ATOMIC || step[0] === COME;
const bytesOf = (hex) => Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.substr(2 * at, 2), 16));
// Numbers are written as a first one and a step, or all of them.
const spread = (written, count) => (written.length === 1 ? written[0]
  : Array.from({ length: count }, (_, index) => written[0] + index * written[1]));

for (const array of recording.arrays) {
  let at = 0;
  array.starts = array.pieces.map(([start, end]) => { const here = { start, end, at }; at += end - start; return here; });
  array.now = new Uint8Array(at);
  array.known = new Uint8Array(at);
  array.last = new Int32Array(at).fill(-1);
  array.pieces.forEach(([, , hex, unwritten], index) => {
    if (hex === null) return;
    array.now.set(bytesOf(hex), array.starts[index].at);
    if (!unwritten) array.known.fill(1, array.starts[index].at, array.starts[index].at + hex.length / 2);
  });
}

// Where a byte of an array stands among those that are kept; -1: nobody touches it.
function kept(array, offset) {
  let [low, high] = [0, array.starts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const piece = array.starts[middle];
    if (offset < piece.start) high = middle - 1;
    else if (offset >= piece.end) low = middle + 1;
    else return piece.at + offset - piece.start;
  }
  return -1;
}

// The bytes of each lane of an access: their offsets in its array.
const offsetsOf = (step) => spread(step[5], lanesOf(step[3]).length);

let order = 0;
let steps = recording.orders[0].steps;
let here = 0; // so many steps are done
let undone = [];

function left(step, index, offset) {
  const [, , , , , , bytes, values, , sources] = step;
  if (values) {
    const wide = Math.min(bytes, 16) * 2;
    return bytesOf(values.length === wide ? values : values.substr(index * wide, wide));
  }
  if (!sources || sources[0] === null) return null;
  const from = recording.arrays[sources[0]];
  const at = kept(from, spread(sources[1], lanesOf(step[3]).length)[index]);
  return at < 0 ? null : from.now.slice(at, at + bytes);
}

// The steps that touched bytes last: one number where it is the same for all, as for the bytes of an element.
function lastBefore(array, at, end) {
  for (let byte = at + 1; byte < end; byte += 1) if (array.last[byte] !== array.last[at]) return array.last.slice(at, end);
  return array.last[at];
}

function forward() {
  const step = steps[here];
  const saved = [];
  if (isAccess(step)) {
    const array = recording.arrays[step[4]];
    offsetsOf(step).forEach((offset, index) => {
      const at = kept(array, offset);
      if (at < 0) return;
      const end = at + step[6];
      // A load leaves the values as they are.
      if (step[0] === LOAD) saved.push([at, end, lastBefore(array, at, end)]);
      else {
        saved.push([at, end, lastBefore(array, at, end), array.now.slice(at, end), array.known.slice(at, end)]);
        const value = left(step, index, offset);
        if (value) array.now.set(value, at);
        array.known.fill(value ? 1 : 2, at, end);
      }
      array.last.fill(here, at, end);
    });
  }
  undone.push(saved);
  here += 1;
}

function backward() {
  here -= 1;
  const array = recording.arrays[steps[here][4]];
  for (const [at, end, last, now, known] of undone.pop().reverse()) {
    if (typeof last === 'number') array.last.fill(last, at, end);
    else array.last.set(last, at);
    if (!now) continue;
    array.now.set(now, at);
    array.known.set(known, at);
  }
}

function goTo(wanted) {
  while (here < wanted) forward();
  while (here > wanted) backward();
}

function choose(other) {
  goTo(0);
  order = other;
  steps = recording.orders[order].steps;
}

// What a name's declaration in the sources says of it.
const sources = Object.values(recording.files).join('\n');
const named = (name) => name.replace(/\W/g, '');
function declaredType(name) {
  const types = 'unsigned char|unsigned short|unsigned long long|unsigned int|unsigned|long long|float|double|half|__half|char|short|int|uint8_t|uint16_t|uint32_t|int32_t';
  const found = new RegExp(`\\b(${types})\\s*(?:const\\s*)?[*&]?\\s*(?:__restrict__\\s*)?${named(name)}\\b`).exec(sources);
  return found ? found[1] : '';
}
const constants = Object.fromEntries([...sources.matchAll(/(?:#define\s+|(?:constexpr|const)\s+(?:unsigned\s+)?int\s+)(\w+)\s*=?\s*(\d+)\b/g)]
  .map(([, name, value]) => [name, Number(value)]));
for (const [name, value] of recording.parameters) if (name) constants[name] = value;

// The value of an extent such as `EDGE + 1`; its one unknown name has the value `unknown`.
function extent(text, unknown) {
  const tokens = text.match(/\d+|\w+|[-+*/()]/g) ?? [];
  const atom = () => {
    const token = tokens.shift();
    if (token === '(') { const value = sum(); tokens.shift(); return value; }
    return /^\d/.test(token) ? Number(token) : constants[token] ?? unknown;
  };
  const product = () => {
    let value = atom();
    while (tokens[0] === '*' || tokens[0] === '/') value = tokens.shift() === '*' ? value * atom() : Math.trunc(value / atom());
    return value;
  };
  const sum = () => {
    let value = product();
    while (tokens[0] === '+' || tokens[0] === '-') value = tokens.shift() === '+' ? value + product() : value - product();
    return value;
  };
  return sum();
}

// Elements of a row: as declared, or the factor of a row in an index; 0: the array has one dimension.
function columnsOf(array) {
  const count = array.bytes / array.element_bytes;
  const name = named(array.name);
  const declared = new RegExp(`\\b${name}\\s*\\[([^\\]]+)\\]\\s*\\[([^\\]]+)\\]\\s*;`).exec(sources);
  if (declared) {
    for (let unknown = 1; unknown <= 1024; unknown += 1) {
      if (extent(declared[1], unknown) * extent(declared[2], unknown) === count) return extent(declared[2], unknown);
    }
  }
  const factor = array.space === 'global' && new RegExp(`\\b${name}\\[[^\\]]*\\*\\s*(\\w+)\\s*\\+`).exec(sources);
  const columns = factor ? constants[factor[1]] ?? 0 : 0;
  return columns > 1 && count % columns === 0 && count > columns ? columns : 0;
}

function typeOf(array) {
  const size = array.element_bytes;
  const word = declaredType(array.name);
  const opcodes = steps.filter((step) => isAccess(step) && recording.arrays[step[4]] === array && step[2] !== null)
    .slice(0, 50).map((step) => recording.places[step[2]][3]).join(' ');
  if (size === 8) return word === 'double' || opcodes.includes('.f64') ? 'f64' : word || !/\.f64/.test(opcodes) && !/double/.test(sources) ? 'i64' : 'f64';
  if (size === 2) return /half/.test(word) ? 'f16' : 'u16';
  if (size !== 4) return word === 'char' ? 'i8' : 'u8';
  if (word === 'float' || opcodes.includes('.f32')) return 'f32';
  if (/unsigned|uint/.test(word)) return 'u32';
  return word === 'int' || !/float|\bT\b/.test(sources) ? 'i32' : looksLikeFloat(array) === false ? 'i32' : 'f32';
}

// Small whole numbers are no floats that anybody stores: all of their bits stand at the low end. `undefined`: nothing is known of its values.
function looksLikeFloat(array) {
  const words = new Uint32Array(array.now.slice(0, array.now.length & ~3).buffer);
  const stored = steps.filter((step) => step[0] !== LOAD && isAccess(step) && recording.arrays[step[4]] === array && step[7]).slice(0, 20)
    .map((step) => new DataView(bytesOf(step[7].slice(0, 8)).buffer).getUint32(0, true));
  const some = [...words.slice(0, 200), ...stored].filter((word) => word !== 0 && word !== 0xffffffff);
  if (some.length === 0) return undefined;
  const exponents = some.map((word) => (word >>> 23) & 255);
  return exponents.filter((exponent) => exponent > 70 && exponent < 190).length * 2 > some.length;
}

function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -24 * fraction;
}

const readers = {
  f32: (view) => view.getFloat32(0, true), f64: (view) => view.getFloat64(0, true), f16: (view) => half(view.getUint16(0, true)),
  i32: (view) => view.getInt32(0, true), u32: (view) => view.getUint32(0, true), u16: (view) => view.getUint16(0, true),
  i64: (view) => Number(view.getBigInt64(0, true)), u8: (view) => view.getUint8(0), i8: (view) => view.getInt8(0),
};

for (const array of recording.arrays) {
  // A bulk copy has no type; its array's declaration has one.
  const wide = { double: 8, half: 2, __half: 2, __nv_bfloat16: 2 }[declaredType(array.name)];
  if (wide && recording.orders[0].steps.some((step) => step[0] === COME && step[4] === recording.arrays.indexOf(array))) array.element_bytes = wide;
  array.columns = columnsOf(array);
  array.type = typeOf(array);
}

// The value of an element; `undefined`: nothing has written it; `null`: it is not followed.
function valueOf(array, element) {
  const at = kept(array, element * array.element_bytes);
  if (at < 0 || array.known[at] === 2) return null;
  if (array.known[at] === 0) return undefined;
  return readers[array.type](new DataView(array.now.buffer, at, array.element_bytes));
}
const lastOf = (array, element) => { const at = kept(array, element * array.element_bytes); return at < 0 ? -1 : array.last[at]; };

// The elements that a step touches, with the lane that does; of a stop the element that was asked for.
function touchedBy(step) {
  if (step[0] === STOP && step[4]) {
    const [number, offset] = step[4];
    return [{ lane: lanesOf(step[3])[0], element: Math.floor(offset / recording.arrays[number].element_bytes) }];
  }
  if (!isAccess(step) && step[0] !== COPY) return [];
  const array = recording.arrays[step[4]];
  const lanes = lanesOf(step[3]);
  return offsetsOf(step).flatMap((offset, index) => {
    const first = Math.floor(offset / array.element_bytes);
    return Array.from({ length: Math.max(1, step[6] / array.element_bytes) }, (_, more) => ({ lane: lanes[index] ?? lanes[0], element: first + more }));
  });
}
