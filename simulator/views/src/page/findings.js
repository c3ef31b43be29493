// What is wrong, and what was found.
function showFindings() {
  const seen = new Set();
  const findings = report.rows.flatMap((row) => row.findings.map((finding) => ({ row, finding })))
    .filter(({ finding }) => !seen.has(finding.message) && seen.add(finding.message));
  const wrong = report.rows.filter((row) => !row.correct);
  byId('finding-list').append(
    ...wrong.map((row) => element('p', { class: 'wrong' }, `Wrong result: ${launchName(row)}`)),
    ...findings.flatMap(({ row, finding }) => [element('h3', {}, `${finding.kind}: ${row.variant}`), element('pre', { class: 'bad' }, finding.message)]));
  if (findings.length + wrong.length === 0) byId('finding-list').append(element('p', {}, 'Every result was right, and nothing was found.'));
}

