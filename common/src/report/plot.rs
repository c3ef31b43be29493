//! Plots over the size, as SVG files that print.

use crate::result::{Comparison, Report, Row};
use plotters::prelude::*;
use std::path::Path;

/// Colours that stay apart in print and for most colour-blind readers (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Gains smaller than this many per cent everywhere make no plot: the phase does not depend on what is compared.
const LEAST_GAIN_PERCENT: f64 = 0.5;

/// Points of one line: a label, and a value over each size. The size is the geometric mean of the extents.
type Line = (String, Vec<(f64, f64)>);

/// Writes the plots that a report has data for: the kernels' rate, the whole run's rate, and each comparison's gains.
pub fn write_plots(report: &Report, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let lab = report.lab;
    let place = format!("{lab} on {}", report.device.name);
    for (key, name, unit) in [
        ("gflops", "kernel_gflops", "GFLOP/s of the kernel"),
        ("gbytes_per_s", "kernel_gbytes_per_s", "GB/s of the kernel"),
    ] {
        // A kernel's rate does not depend on where the host keeps its matrices: the best row of a size stands for it.
        let label = |row: &Row| [&row.variant, &row.block, row.dtype.name()].join(" ");
        let path = folder.join(format!("{lab}_{name}.svg"));
        draw(&path, &place, unit, &lines(&report.rows, key, label))?;
    }
    let label = |row: &Row| [&row.variant, &row.block, &row.host_memory].map(String::as_str).join(" ");
    let path = folder.join(format!("{lab}_total_gflops.svg"));
    draw(&path, &place, "GFLOP/s, copies and allocation included", &lines(&report.rows, "total_gflops", label))?;
    for comparison in &report.comparisons {
        for (index, column) in comparison.columns.iter().enumerate() {
            let series = gains(comparison, index);
            if series.iter().flat_map(|(_, points)| points).any(|(_, gain)| gain.abs() >= LEAST_GAIN_PERCENT) {
                let path = folder.join(format!("{lab}_{}_{}.svg", slug(&comparison.title), slug(column)));
                let title = format!("{place}: {}, {column}", comparison.title);
                draw(&path, &title, "gain in %", &series)?;
            }
        }
    }
    Ok(())
}

/// The best value by size, one line per label, in the order of the rows.
fn lines(rows: &[Row], key: &str, label: impl Fn(&Row) -> String) -> Vec<Line> {
    let mut series = Vec::new();
    for row in rows {
        if let Some(value) = row.number(key) {
            add_point(&mut series, label(row), (row.size.mean_extent(), value));
        }
    }
    series
}

/// One column of a comparison, one line per label.
fn gains(comparison: &Comparison, column: usize) -> Vec<Line> {
    let mut series = Vec::new();
    for row in &comparison.rows {
        if let Some(gain) = row.gain_percent[column] {
            add_point(&mut series, row.label.join(" "), (row.size.mean_extent(), gain));
        }
    }
    series
}

fn add_point(series: &mut Vec<Line>, label: String, (size, value): (f64, f64)) {
    let index = series.iter().position(|(known, _)| *known == label).unwrap_or_else(|| {
        series.push((label, Vec::new()));
        series.len() - 1
    });
    let points = &mut series[index].1;
    match points.iter_mut().find(|point| point.0 == size) {
        Some(point) => point.1 = point.1.max(value),
        None => points.push((size, value)),
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
}

/// Draws lines over a logarithmic size axis. No file without points.
fn draw(path: &Path, title: &str, unit: &str, series: &[Line]) -> anyhow::Result<()> {
    let Some((sizes, values)) = ranges(series) else {
        return Ok(());
    };
    let area = SVGBackend::new(path, (960, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(sizes.log_scale().base(2.0), values)?;
    chart.configure_mesh().x_desc("n").y_desc(unit).x_label_formatter(&|n| format!("{n:.0}")).draw()?;
    for (index, (label, points)) in series.iter().enumerate() {
        // The second round of the colours has hollow points.
        let style = COLOURS[index % COLOURS.len()].stroke_width(2);
        let point = if index < COLOURS.len() { style.filled() } else { style };
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, point)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

/// What the axes have to hold: all sizes, all values and 0. A single size still needs an axis of some length.
fn ranges(series: &[Line]) -> Option<(std::ops::Range<f64>, std::ops::Range<f64>)> {
    let points = || series.iter().flat_map(|(_, points)| points);
    let least = points().map(|point| point.0).reduce(f64::min)?;
    let most = points().map(|point| point.0).reduce(f64::max)?;
    let top = points().map(|point| point.1).fold(0.0, f64::max);
    let bottom = points().map(|point| point.1).fold(0.0, f64::min);
    let height = (top - bottom).max(f64::MIN_POSITIVE);
    let low = if bottom < 0.0 { bottom - 0.05 * height } else { 0.0 };
    Some((least * 0.9..most * 1.1, low..top + 0.05 * height))
}

/// Letters and digits of a title, the rest as underscores: part of a file name.
fn slug(title: &str) -> String {
    title.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_value_of_a_size_stands_in_the_line_and_sizes_ascend() {
        let mut series = Vec::new();
        for (label, point) in [("a", (64.0, 2.0)), ("b", (64.0, 9.0)), ("a", (32.0, 1.0)), ("a", (64.0, 3.0))] {
            add_point(&mut series, label.to_owned(), point);
        }
        assert_eq!(series[0], ("a".to_owned(), vec![(32.0, 1.0), (64.0, 3.0)]));
        assert_eq!(series[1], ("b".to_owned(), vec![(64.0, 9.0)]));
    }

    #[test]
    fn the_value_axis_holds_losses_and_the_zero_line() {
        let series = [("a".to_owned(), vec![(64.0, -10.0), (128.0, 30.0)])];
        let (sizes, values) = ranges(&series).unwrap();
        assert!(sizes.contains(&64.0) && sizes.contains(&128.0));
        assert!(values.contains(&-10.0) && values.contains(&0.0) && values.contains(&30.0));
        assert!(ranges(&[]).is_none());
    }
}
