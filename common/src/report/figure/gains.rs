//! The figure of a comparison: gains over sizes, a panel for each phase that depends on what is compared.

use super::choose::{add_point, alike, file_name, split, subtitle, titled};
use super::{Figure, Panel, Series};
use crate::report::comparisons::LEAST_GAIN_PERCENT;
use crate::result::{Comparison, ComparisonRow, Report, Row};

/// The gains of one comparison: a panel for each phase that depends on what is compared.
pub fn figure(report: &Report, comparison: &Comparison) -> Option<Figure> {
    let first = comparison.rows.first()?;
    let varies = |part: usize| comparison.rows.iter().any(|row| row.label[part] != first.label[part]);
    // A part that follows from the first one, as a block does that a method always has, says nothing in a label.
    let follows = |part: usize| {
        let rows = &comparison.rows;
        let agree = |a: &ComparisonRow| rows.iter().all(|b| a.label[0] != b.label[0] || a.label[part] == b.label[part]);
        part > 0 && rows.iter().all(agree)
    };
    let (own, common): (Vec<usize>, Vec<usize>) = (0..first.label.len()).partition(|&part| varies(part));
    let own: Vec<usize> = own.into_iter().filter(|&part| !follows(part)).collect();
    let mut panels = Vec::new();
    for (index, column) in
        comparison.columns.iter().enumerate().filter(|(_, column)| !says_the_same(comparison, column))
    {
        let mut series = Vec::new();
        for row in &comparison.rows {
            if let Some(gain) = row.gain_percent[index] {
                let label: Vec<&str> = own.iter().map(|&part| row.label[part].as_str()).collect();
                add_point(&mut series, label.join(" "), row.size.mean_extent(), gain);
            }
        }
        if series.iter().flat_map(|s: &Series| &s.points).any(|(_, gain)| gain.abs() >= LEAST_GAIN_PERCENT) {
            panels.extend(split(Panel { title: phase(column).to_owned(), series: merged(series), ..Panel::default() }));
        }
    }
    let rows: Vec<&Row> = report.rows.iter().collect();
    let common: Vec<&str> = common.iter().map(|&part| first.label[part].as_str()).collect();
    (!panels.is_empty()).then(|| Figure {
        name: format!("{}_{}", report.lab, file_name(&comparison.title)),
        title: titled(report, &format!("Gain, {}", comparison.title)),
        subtitle: subtitle(report, &rows, &common),
        unit: "gain in % (above 0 is better)".to_owned(),
        over: "n",
        linear: true,
        panels,
    })
}

/// Returns whether a column has the gain of another one in another unit: the rate of the whole run beside its time.
fn says_the_same(comparison: &Comparison, column: &str) -> bool {
    column.strip_suffix(" GFLOP/s").is_some_and(|time| comparison.columns.iter().any(|other| other == time))
}

/// A phase in words.
fn phase(column: &str) -> &str {
    match column {
        "copy_in" => "copy of the inputs to the device",
        "copy_out" => "copy of the result to the host",
        "total" => "total time",
        "total GFLOP/s" => "rate of the whole run",
        other => other,
    }
}

/// One line in place of several that lie over each other.
fn merged(series: Vec<Series>) -> Vec<Series> {
    let mut merged: Vec<(Series, Vec<String>)> = Vec::new();
    for series in series {
        match merged.iter_mut().find(|(known, _)| alike(known, &series)) {
            Some((_, names)) => names.push(series.label),
            None => merged.push((series.clone(), vec![series.label])),
        }
    }
    let all = merged.len() == 1;
    let name = |names: Vec<String>| match names.as_slice() {
        [name] => name.clone(),
        names if all && names.len() == 2 => "both".to_owned(),
        names if all => format!("all {}", names.len()),
        [first, second] => format!("{first}, {second}"),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        [] => String::new(),
    };
    merged.into_iter().map(|(series, names)| Series { label: name(names), ..series }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::samples;
    use crate::shape::Shape;

    #[test]
    fn phases_that_do_not_depend_on_the_comparison_have_no_panel() {
        let gains = |variant: &str, gains: [f64; 2]| ComparisonRow {
            label: vec![variant.to_owned(), "32x32".to_owned()],
            size: Shape::square(64),
            gain_percent: gains.map(Some).to_vec(),
        };
        let comparison = Comparison {
            title: "pinned over pageable".to_owned(),
            columns: vec!["kernel".to_owned(), "copy_out".to_owned()],
            rows: vec![gains("naive", [0.1, 50.0]), gains("shared", [0.0, 50.1]), gains("shared_4", [0.0, 50.0])],
            ..Comparison::default()
        };
        let figure = figure(&samples::report(), &comparison).unwrap();
        let [panel] = figure.panels.as_slice() else { panic!("{figure:?}") };
        assert_eq!(panel.title, "copy of the result to the host");
        let labels: Vec<&str> = panel.series.iter().map(|series| series.label.as_str()).collect();
        assert_eq!(labels, ["all 3"], "three lines over each other are drawn as one");
        assert!(figure.linear && figure.subtitle.ends_with("32x32"));
    }
}
