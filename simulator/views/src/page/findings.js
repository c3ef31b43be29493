// What is wrong, what was found, and what was refused.
function showFindings() {
  const seen = new Set();
  const ofRows = report.rows.flatMap((row) => row.findings.map((finding) => ({ kernel: row.variant, finding })));
  const findings = [...(report.findings ?? []).map((finding) => ({ kernel: finding.kernel, finding })), ...ofRows]
    .filter(({ finding }) => !seen.has(finding.message) && seen.add(finding.message));
  const wrong = report.rows.filter((row) => row.correct === false);
  const refused = report.fidelity?.refused ?? [];
  byId('finding-list').append(
    ...wrong.map((row) => element('p', { class: 'wrong' }, `Wrong result: ${launchName(row)}`)),
    ...findings.flatMap(({ kernel, finding }) =>
      [element('h3', {}, [finding.kind, kernel].filter((part) => part).join(': ')), element('pre', { class: 'bad' }, finding.message)]),
    ...(refused.length > 0 ? [element('h3', {}, 'Refused: what depends on it was not computed')] : []),
    ...refused.map((why) => element('pre', { class: 'bad' }, why)));
  if (findings.length + wrong.length + refused.length > 0) return;
  const right = report.rows.length > 0 && report.rows.every((row) => row.correct) ? 'Every result was right, and nothing' : 'Nothing';
  byId('finding-list').append(element('p', {}, `${right} was found.`));
}

