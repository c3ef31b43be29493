// What the page tells, how many steps it marks, its look as text, and what is wrong with it for a reader who hears the sentences, or has a narrow screen or weak eyes.
// The look: the sentence, the lanes of each warp (# active, - masked, w waiting, . ended), the arrays (r read, s stored, a atomic, u not touched, · not written; capital: by this step; ! party of a finding).
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const lane = { active: '#', masked: '-', waits: 'w', ended: '.' };
const warps = all('.warp').map((warp) => `${warp.querySelector('.badge').textContent} ${all('.dots i', warp).map((dot) => lane[dot.className]).join('')}`);
const cell = (made) => {
  const has = (name) => made.classList.contains(name);
  const how = has('read') ? 'r' : has('written') ? 's' : has('atomic') ? 'a' : made.textContent === '·' ? '·' : 'u';
  return has('party') ? '!' : has('now') ? how.toUpperCase() : how;
};
const arrays = all('.array').filter((array) => !array.hidden).map((array) =>
  [array.querySelector('h2').textContent, ...all('tr', array).slice(1).map((row) => all('td', row).map(cell).join(''))].join('\n'));
const told = `${document.querySelector('header code').textContent}: ${all('#findings pre, #sentence, #differs:not([hidden]), #detail h2, #detail p').map((one) => one.textContent).join(' ')}`;
const luminance = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0.05);
const contrast = ({ color, backgroundColor }) => { const both = [color, backgroundColor].map(luminance); return Math.max(...both) / Math.min(...both); };
const defects = [...all('#sentence').filter((one) => one.getAttribute('aria-live') !== 'polite').map(() => 'the sentence of a step is not told when it changes'),
  ...(document.documentElement.scrollWidth > window.innerWidth ? [`${document.documentElement.scrollWidth} pixels wide`] : []),
  ...(all('#source tr.now').length > 1 ? ['several lines are the one of the step'] : []),
  ...all('td.written, td.read, .badge').filter((one) => contrast(getComputedStyle(one)) < 4.5).slice(0, 1).map((one) => `hard to read: ${one.outerHTML}`)];
return { told, marked: all('#findings button').length, look: [document.getElementById('sentence').textContent, ...warps, ...arrays].join('\n'), defects };
