'use strict';
// Sorts a table by the column whose heading is pressed; again, the other way around.
for (const heading of document.querySelectorAll('.sortable th')) {
  heading.addEventListener('click', () => {
    const body = heading.closest('table').tBodies[0];
    const column = heading.cellIndex;
    const turn = heading.dataset.turn === 'down' ? 1 : -1;
    heading.dataset.turn = turn === 1 ? 'up' : 'down';
    const key = (row) => row.cells[column].textContent;
    const order = (a, b) => {
      const [x, y] = [parseFloat(key(a)), parseFloat(key(b))];
      return Number.isNaN(x) || Number.isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
    };
    body.append(...[...body.rows].sort((a, b) => turn * order(a, b)));
  });
}
document.getElementById('when').textContent = document.lastModified;
