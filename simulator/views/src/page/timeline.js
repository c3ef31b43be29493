// What ran when: a panel for each batch, all over one stretch of time that can be chosen.
const ITEM_COLOURS = ['#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#99ddff', '#44bb99', '#bbcc33', '#aaaa00', '#dddddd', '#cc99cc'];

function showTimelines() {
  const timelines = report.timelines ?? [];
  if (timelines.length === 0) {
    leaveOut('timelines');
    return;
  }
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
  let width = byId('timeline').clientWidth;
  window.addEventListener('resize', () => {
    if (byId('timeline').clientWidth === width) return;
    width = byId('timeline').clientWidth;
    draw();
  });
  const button = (text, label, action) => element('button', { type: 'button', 'aria-label': label, onclick: action }, text);
  byId('timeline-controls').append(button('+', 'shorter stretch of time', actions['+']), button('−', 'longer stretch of time', actions['-']),
    button('←', 'earlier', actions.ArrowLeft), button('→', 'later', actions.ArrowRight), button('all', 'the whole time', actions[0]));
  draw();
}

// A span has a name of its own, is of an item, or waits for all.
const labelOf = ({ name, item }) => name ?? (item === null ? 'waits' : String(item));

// The picture is as wide as its box, so that its letters keep their size.
function timelinePicture(timeline, { from, to }) {
  const { title, elapsed_ms, median_ms, spans } = timeline;
  const tracks = [...new Set(spans.map(({ track }) => track))];
  const devices = [...new Set(spans.map(({ device }) => device))].sort();
  const names = [...new Set(spans.map(({ name }) => name))];
  // One colour for an item or a name; a wait has none.
  const colour = ({ name, item }) => (name === undefined ? item : names.indexOf(name));
  const left = devices.length > 1 ? 78 : 66;
  const width = Math.max(240, byId('timeline').clientWidth - left - 34);
  const height = 16;
  const x = (ms) => left + (Math.min(to, Math.max(from, ms)) - from) / (to - from) * width;
  const svg = drawn('svg', { class: 'timeline', role: 'img', 'data-spans': spans.length,
    'aria-label': `${title}: ${number(elapsed_ms)} ms, ${spans.length} spans; the table below has them` });
  // Lines lie below the bars.
  const lines = drawn('g');
  svg.append(lines);
  let y = 4;
  for (const device of devices) {
    for (const track of tracks) {
      const own = spans.filter((span) => span.device === device && span.track === track).sort((a, b) => a.start_ms - b.start_ms);
      // Spans that overlap lie below each other.
      const ends = [];
      const places = own.map((span) => {
        let row = ends.findIndex((end) => end <= span.start_ms + 1e-3);
        if (row < 0) row = ends.push(0) - 1;
        ends[row] = span.end_ms;
        return row;
      });
      svg.append(drawn('text', { x: left - 6, y: y + 12, 'text-anchor': 'end' }, devices.length > 1 ? `${track} ${device}` : track));
      own.forEach((span, index) => {
        const [begin, end] = [x(span.start_ms), x(span.end_ms)];
        if (span.end_ms < from || span.start_ms > to) return;
        const waits = colour(span) === null;
        const box = drawn('rect', { x: begin.toFixed(1), y: y + places[index] * height, width: Math.max(0.6, end - begin).toFixed(1),
          height: height - 2, ...(waits ? { class: 'waits' } : { fill: ITEM_COLOURS[colour(span) % ITEM_COLOURS.length] }),
          stroke: '#333', 'stroke-width': 0.4 });
        const label = labelOf(span);
        box.append(drawn('title', {}, `${track}, ${label}: ${number(span.start_ms)} to ${number(span.end_ms)} ms`));
        svg.append(box);
        if (end - begin > 7 * label.length + 2) {
          svg.append(drawn('text', { class: waits ? '' : 'on-item', x: (begin + end) / 2, y: y + places[index] * height + 11, 'text-anchor': 'middle' }, label));
        }
      });
      y += height * Math.max(1, ends.length) + 3;
    }
  }
  for (const ms of ticksOf(from, to, Math.max(2, Math.floor(width / 90)))) {
    lines.append(drawn('line', { class: 'tick', x1: x(ms), y1: 0, x2: x(ms), y2: y }));
    lines.append(drawn('text', { class: 'tick-label', x: x(ms), y: y + 12, 'text-anchor': 'middle' }, `${number(ms)} ms`));
  }
  svg.setAttribute('viewBox', `0 0 ${left + width + 30} ${y + 18}`);
  const list = element('table');
  table(list, [
    { heading: 'what', of: ({ track }) => track },
    names.some((name) => name !== undefined) ? { heading: 'name', of: labelOf } : { heading: 'item', numeric: true, of: ({ item }) => item },
    { heading: 'from, ms', numeric: true, of: ({ start_ms }) => start_ms },
    { heading: 'to, ms', numeric: true, of: ({ end_ms }) => end_ms },
  ], spans);
  const drawn_ms = number(median_ms) === number(elapsed_ms) ? '' : ` (${number(elapsed_ms)} ms with an event around each part, as drawn)`;
  return element('div', { class: 'batch' }, element('h3', {}, `${title}: ${number(median_ms)} ms${drawn_ms}`), svg,
    element('details', {}, element('summary', {}, 'Spans as a table'), list));
}
