//! Which rungs no data can make race, and what keeps others from being decided: with `--sanitize`.
use crate::observations::RaceFreedom;
use crate::result::Report;

/// A line on those that are proved, and one on each that is not decided. One that has raced is a finding.
pub fn race_freedom(report: &Report) -> Vec<String> {
    let verdicts = report.by_variant().into_iter().filter_map(|rows| {
        let verdict = RaceFreedom::of_all(rows.iter().filter_map(|row| row.race_freedom.clone()))?;
        Some((rows[0].variant.clone(), verdict))
    });
    let mut proved = Vec::new();
    let mut lines = Vec::new();
    for (rung, RaceFreedom { verdict, reason }) in verdicts {
        match (verdict.as_str(), reason) {
            ("proved", _) => proved.push(rung),
            (_, Some(reason)) => lines.push(format!("race freedom of {rung} for all data: not decided; {reason}")),
            _ => {}
        }
    }
    if !proved.is_empty() {
        let rungs = proved.join(", ");
        lines.insert(0, format!("race freedom for all data, at these sizes and blocks: proved of {rungs}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::samples;

    #[test]
    fn a_rung_has_the_worst_verdict_of_its_rows() {
        let row = |rung: &str, verdict: &str, reason: Option<&str>| {
            let mut row = samples::row(rung, 64, "8x8", 1.0);
            row.race_freedom = Some(RaceFreedom { verdict: verdict.into(), reason: reason.map(str::to_owned) });
            row
        };
        let mut report = samples::report();
        report.rows = vec![
            row("a", "proved", None),
            row("b", "proved", None),
            row("b", "not decided", Some("its reason")),
            row("c", "refuted", None),
        ];
        assert_eq!(
            race_freedom(&report),
            [
                "race freedom for all data, at these sizes and blocks: proved of a",
                "race freedom of b for all data: not decided; its reason",
            ]
        );
    }
}
