// Pictures of accesses: the lanes of a warp, and the banks or sectors that they meet.

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

