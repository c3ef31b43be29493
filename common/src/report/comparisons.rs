//! Comparisons in few lines: what a gain does not depend on is gathered into one line, with the least and the largest gain.

use super::layout::{Look, paragraph, write_table};
use crate::result::{Comparison, ComparisonRow, Table, distinct, grouped};
use crate::shape::Shape;
use serde_json::Value;
use std::io::Write;

/// Gains that are all smaller than this say that the comparison has nothing to do with the column.
pub const LEAST_GAIN_PERCENT: f64 = 0.5;

/// Prints one comparison; with `--wide` row by row.
pub fn write_comparison(out: &mut impl Write, comparison: &Comparison, look: &Look) -> std::io::Result<()> {
    let spread: &[String] = if look.wide { &[] } else { &comparison.spread };
    let gathers = |name: &str| spread.iter().any(|own| own == name);
    let lines = gathered(comparison, &gathers);
    let own: Vec<usize> = (0..comparison.labels.len())
        .filter(|&part| !gathers(&comparison.labels[part]))
        .filter(|&part| lines.iter().any(|line| line[0].label[part] != lines[0][0].label[part]))
        .collect();
    let (changed, unchanged): (Vec<usize>, Vec<usize>) =
        (0..comparison.columns.len()).partition(|&column| look.wide || changes(comparison, column));
    let title = title(comparison, &own, spread);
    if changed.is_empty() {
        return paragraph(out, "", &format!("{title}: no gain and no loss of {LEAST_GAIN_PERCENT} %\n"), look.width);
    }
    let table = match (changed.as_slice(), gathers("size")) {
        (&[column], false) => by_size(comparison, &lines, &own, column),
        _ => by_column(comparison, &lines, &own, &changed, gathers("size")),
    };
    let keys = own.len() + usize::from(changed.len() > 1 && !gathers("size"));
    write_table(out, &Table { title, ..table }, keys.max(1), look.width)?;
    if !unchanged.is_empty() && look.legend {
        let names: Vec<String> = unchanged.iter().map(|&column| words(&comparison.columns[column])).collect();
        let text = format!("changed by less than {LEAST_GAIN_PERCENT} %: {}", names.join(", "));
        paragraph(out, "  ", &text, look.width)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The rows that differ only in what is gathered, together.
fn gathered<'c>(comparison: &'c Comparison, gathers: &dyn Fn(&str) -> bool) -> Vec<Vec<&'c ComparisonRow>> {
    let alike = |a: &ComparisonRow, b: &ComparisonRow| {
        let parts = comparison.labels.iter().zip(a.label.iter().zip(&b.label));
        (gathers("size") || a.size == b.size) && parts.into_iter().all(|(name, (a, b))| a == b || gathers(name))
    };
    grouped(&comparison.rows, |one, other| alike(one, other))
}

fn changes(comparison: &Comparison, column: usize) -> bool {
    comparison.rows.iter().filter_map(|row| row.gain_percent[column]).any(|gain| gain.abs() >= LEAST_GAIN_PERCENT)
}

/// The subject of a comparison, over how many rows a line reaches, and what all lines have in common.
fn title(comparison: &Comparison, own: &[usize], spread: &[String]) -> String {
    let Comparison { title, remark, .. } = comparison;
    let of = match comparison.columns.as_slice() {
        [only] => format!(", {}", words(only)),
        _ => String::new(),
    };
    let blank = if remark.is_empty() { "" } else { " " };
    let mut title = format!("{title}{blank}{remark}{of}: gain in % (positive is better)");
    let mut over = Vec::new();
    for (part, name) in comparison.labels.iter().enumerate() {
        let mut values: Vec<&str> = comparison.rows.iter().map(|row| row.label[part].as_str()).collect();
        values.sort_unstable();
        values.dedup();
        match values.as_slice() {
            [only] => title += &format!(", {name} {only}"),
            several if !own.contains(&part) && spread.contains(name) => {
                over.push(format!("{} {}s", several.len(), name.replace("host memory", "host memory kind")));
            }
            _ => {}
        }
    }
    if !over.is_empty() {
        title += &format!("; least … largest over {}", over.join(" and "));
    }
    title
}

/// One line per label, one column per size.
fn by_size(comparison: &Comparison, lines: &[Vec<&ComparisonRow>], own: &[usize], column: usize) -> Table {
    let label = |line: &[&ComparisonRow]| own_label(line[0], own).map(Value::from).collect::<Vec<Value>>();
    let sizes = distinct(lines.iter().map(|line| &line[0].size));
    let names = distinct(lines.iter().map(|line| label(line)));
    let gain = |name: &[Value], size: &Shape| {
        let line = lines.iter().find(|line| label(line) == name && line[0].size == *size);
        line.map_or(Value::Null, |line| range(line, column))
    };
    let headings = own.iter().map(|&part| comparison.labels[part].clone());
    let rows = names.into_iter().map(|name| {
        let gains: Vec<Value> = sizes.iter().map(|size| gain(&name, size)).collect();
        name.into_iter().chain(gains).collect()
    });
    Table {
        title: String::new(),
        columns: headings.chain(sizes.iter().map(|size| format!("n\u{a0}=\u{a0}{size}"))).collect(),
        rows: rows.collect(),
    }
}

/// One line per label and size, one column per gain.
fn by_column(
    comparison: &Comparison,
    lines: &[Vec<&ComparisonRow>],
    own: &[usize],
    changed: &[usize],
    size_is_gathered: bool,
) -> Table {
    let headings = own.iter().map(|&part| comparison.labels[part].clone());
    let size = (!size_is_gathered).then(|| "size".to_owned());
    let gains = changed.iter().map(|&column| words(&comparison.columns[column]));
    let row = |line: &Vec<&ComparisonRow>| {
        let labels = own_label(line[0], own).map(Value::from);
        let size = (!size_is_gathered).then(|| Value::from(line[0].size.to_string()));
        labels.chain(size).chain(changed.iter().map(|&column| range(line, column))).collect()
    };
    Table {
        title: String::new(),
        columns: headings.chain(size).chain(gains).collect(),
        rows: lines.iter().map(row).collect(),
    }
}

fn own_label<'r>(row: &'r ComparisonRow, own: &[usize]) -> impl Iterator<Item = &'r str> {
    own.iter().map(|&part| row.label[part].as_str())
}

/// "+7.7", or "+1.8 … +18.3" where the gathered rows differ. Signed, so that a gain reads as one.
fn range(line: &[&ComparisonRow], column: usize) -> Value {
    let gains: Vec<f64> = line.iter().filter_map(|row| row.gain_percent[column]).collect();
    if gains.is_empty() {
        return Value::Null;
    }
    let text = |gain: f64| format!("{:+.1}", if gain.abs() < 0.05 { 0.0 } else { gain });
    let least = text(gains.iter().copied().fold(f64::INFINITY, f64::min));
    let largest = text(gains.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    if least == largest { least.into() } else { format!("{least} … {largest}").into() }
}

/// A phase's key as words.
fn words(column: &str) -> String {
    column.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    const LOOK: Look = Look { width: 100, wide: false, legend: true, explain: false };

    fn comparison(columns: &[&str], spread: &[&str], gains: impl Fn(usize, usize) -> Vec<f64>) -> Comparison {
        let mut rows = Vec::new();
        for (number, variant) in ["naive", "shared"].into_iter().enumerate() {
            for n in [64, 128] {
                rows.push(ComparisonRow {
                    label: vec![variant.to_owned(), "32x32".to_owned()],
                    size: Shape::square(n),
                    gain_percent: gains(number, n).into_iter().map(Some).collect(),
                });
            }
        }
        Comparison {
            title: "pinned over pageable".into(),
            remark: "of C alone".into(),
            columns: columns.iter().map(|&text| text.to_owned()).collect(),
            labels: ["variant", "block"].map(str::to_owned).to_vec(),
            spread: spread.iter().map(|&text| text.to_owned()).collect(),
            rows,
        }
    }

    fn text(comparison: &Comparison, look: &Look) -> String {
        let mut out = Vec::new();
        write_comparison(&mut out, comparison, look).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_gain_does_not_depend_on_is_one_line_per_size() {
        let gains = |number: usize, n: usize| vec![0.0, 38.4, (number + 1) as f64 * n as f64 / 64.0];
        let text = text(&comparison(&["copy_in", "copy_out", "total"], &["variant", "block"], gains), &LOOK);
        let lines: Vec<&str> = text.lines().collect();
        assert!(text.replace('\n', " ").contains("block 32x32; least … largest over 2 variants"), "{text}");
        assert!(lines.contains(&"  64  +38.4  +1.0 … +2.0"), "{text}");
        assert!(!text.contains("+0.0"), "{text}");
        assert!(text.contains("changed by less than 0.5 %: copy in"), "{text}");
    }

    #[test]
    fn a_single_gain_stands_size_by_size() {
        let text = text(&comparison(&["kernel"], &[], |number, n| vec![number as f64 * 10.0 + n as f64]), &LOOK);
        assert!(text.contains("n = 64  n = 128"), "{text}");
        assert!(text.contains("naive     +64.0   +128.0") && text.contains("shared    +74.0   +138.0"), "{text}");
    }

    #[test]
    fn wide_has_every_row() {
        let gains = |_: usize, _: usize| vec![0.0, 38.4];
        let text = text(&comparison(&["copy_in", "copy_out"], &["variant"], gains), &Look { wide: true, ..LOOK });
        assert_eq!(text.matches("+38.4").count(), 4, "{text}");
        assert_eq!(text.matches("+0.0").count(), 4, "{text}");
    }
}
