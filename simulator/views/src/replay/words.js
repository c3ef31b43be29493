// What a step does, in a sentence.
const rowOf = (step) => recording.rows[step[1]];
const [gridX, gridY] = recording.grid;
const [blockX, blockY, blockZ] = recording.block;
const threads = blockX * blockY * blockZ;
const dimensions = blockZ > 1 ? 3 : blockY > 1 ? 2 : 1;
const coordinates = (number, [x, y], least) => {
  const all = [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
  return `(${all.slice(0, least).join(', ')})`;
};
const inWords = (name) => (name.includes(',') ? name : name.slice(1, -1));
const blockNumber = (block) => inWords(coordinates(block, [gridX, gridY], recording.grid[2] > 1 ? 3 : gridY > 1 ? 2 : 1));
const blockName = (block) => (recording.grid.every((extent) => extent === 1) ? '' : ` of block ${blockNumber(block)}`);
const threadName = (warp, lane) => `thread ${inWords(coordinates(32 * warp + lane, [blockX, blockY], dimensions))}`;
const existing = (warp) => (threads - 32 * warp >= 32 ? 0xffffffff : (1 << (threads - 32 * warp)) - 1) >>> 0;
const bits = (mask) => lanesOf(mask).length;

function lanesInWords(mask) {
  const lanes = lanesOf(mask);
  const runs = [];
  for (const lane of lanes) {
    const last = runs[runs.length - 1];
    if (last && last[1] === lane - 1) last[1] = lane;
    else runs.push([lane, lane]);
  }
  if (runs.length > 4) return `${lanes.length} lanes`;
  const each = runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `lane${lanes.length > 1 ? 's' : ''} ${each.length > 1 ? `${each.slice(0, -1).join(', ')} and ${each[each.length - 1]}` : each[0]}`;
}

const elementName = (array, element) => (array.columns
  ? `${array.name}[${Math.floor(element / array.columns)}][${element % array.columns}]` : `${array.name}[${element}]`);

function shown(value) {
  if (value === undefined) return '·';
  if (value === null) return '?';
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : value > 0 ? 'inf' : value < 0 ? '-inf' : 'NaN';
}

const arrivedBefore = (index) => {
  const step = steps[index];
  const block = rowOf(step)[0];
  let count = 0;
  for (let at = index; at >= 0; at -= 1) {
    const other = steps[at];
    if (other[0] === RELEASE && rowOf(other)[0] === block && other[4] === step[4]) break;
    if (other[0] === ARRIVE && rowOf(other)[0] === block && other[4] === step[4]) count += bits(other[3]);
  }
  return count;
};

function accessInWords(step) {
  const array = recording.arrays[step[4]];
  const touched = touchedBy(step);
  const elements = touched.map(({ element }) => element);
  const one = bits(step[3]) === 1;
  const verb = { [LOAD]: ['load', 'loads'], [STORE]: ['store', 'stores'], [ATOMIC]: ['update', 'updates'] }[step[0]][one ? 1 : 0];
  const distinct = [...new Set(elements)];
  const stride = elements.length > 1 ? elements[1] - elements[0] : 0;
  const even = elements.every((element, index) => index === 0 || element - elements[index - 1] === stride);
  const what = distinct.length === 1 ? `${one ? '' : 'all '}${elementName(array, distinct[0])}`
    : even ? `${elementName(array, elements[0])} to ${elementName(array, elements[elements.length - 1])}${Math.abs(stride) === 1 ? '' : `, ${Math.abs(stride)} elements apart`}`
      : `${distinct.length} elements of ${array.name}, ${elementName(array, elements[0])} first`;
  let cost = '';
  if (step[8] && step[8][0] > step[8][1]) cost = `: ${step[8][0]} wavefronts where ${step[8][1]} would do, because lanes want different words of one bank`;
  else if (step[8] && !one) cost = distinct.length === 1 ? ': one word for all, 1 wavefront' : `: ${step[8][0]} wavefront${step[8][0] > 1 ? 's' : ''}, no conflict`;
  else if (!step[8] && !one) {
    const sectors = new Set(offsetsOf(step).flatMap((offset) => [Math.floor((array.align + offset) / 32), Math.floor((array.align + offset + step[6] - 1) / 32)]));
    cost = `: ${sectors.size} sector${sectors.size > 1 ? 's' : ''} of 32 bytes`;
  }
  const value = one ? ` (${shown(valueOf(array, elements[0]))})` : '';
  return `${verb} ${what}${value}${cost}`;
}

function copyInWords(step, who) {
  const array = recording.arrays[step[4]];
  const count = offsetsOf(step).length * step[6];
  const elements = touchedBy(step).map(({ element }) => element).sort((one, other) => one - other);
  const to = elements.length === 1 ? elementName(array, elements[0]) : `${elementName(array, elements[0])} to ${elementName(array, elements[elements.length - 1])}`;
  const [number, from] = step[9] ?? [null];
  if (number === null) {
    return step[0] === COPY ? `${who} starts a bulk operation that fills or computes ${count} bytes, ${to}: it comes at any time until somebody waits for it.`
      : `The bulk operation of ${who} has come: it filled or computed ${count} bytes, ${to}, whose values are not followed.`;
  }
  const source = `from ${elementName(recording.arrays[number], Math.floor(Math.min(...from[0]) / recording.arrays[number].element_bytes))} on`;
  return step[0] === COPY ? `${who} starts a bulk copy of ${count} bytes to ${to}, ${source}: it comes at any time until somebody waits for it.`
    : `The bulk copy of ${who} has come: ${count} bytes in ${to}, ${source}.`;
}

// The sentence of step `index`, which is the last one that was done.
function sentence(index) {
  if (index < 0) return 'Before the launch: memory as the kernel finds it.';
  const step = steps[index];
  const [block, warp] = rowOf(step);
  const lanes = bits(step[3]) === 1 ? `${threadName(warp, lanesOf(step[3])[0])}${blockName(block)}`
    : `warp ${warp}${blockName(block)}, ${lanesInWords(step[3])}`;
  switch (step[0]) {
    case ARRIVE: return `${lanes} come${bits(step[3]) === 1 ? 's' : ''} to ${step[6] ? 'the barrier and wait' : 'the barrier, and go on'}${bits(step[3]) === 1 && step[6] ? 's' : ''}: ${arrivedBefore(index)} of ${step[5]} threads are there.`;
    case RELEASE: return `The barrier lets the warps${blockName(block)} go on: all threads that it waited for are there.`;
    case BRANCH: return `warp ${warp}${blockName(block)} parts: ${lanesInWords(step[4])} go one way, ${lanesInWords(step[3] & ~step[4])} the other, one after the other.`;
    case CONVERGE: return `${lanes}: ${step[2] === null ? 'meet' : recording.places[step[2]][3]}, which lanes do together.`;
    case STOP: return `${lanes}${step[4] ? ` ask${bits(step[3]) === 1 ? 's' : ''} for ${elementName(recording.arrays[step[4][0]], touchedBy(step)[0].element)}` : ''}: the launch stops here.`;
    case COPY: case COME: return copyInWords(step, lanes);
    case EXIT: return `${lanes} ${bits(step[3]) === 1 ? 'has' : 'have'} ended.`;
    default: return `${lanes} ${accessInWords(step)}.`;
  }
}
