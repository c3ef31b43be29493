//! Tables and paragraphs within a width. No number is ever broken: where a table is too wide, whole columns go into a second part below,
//! with the first columns, which name the row, repeated.

use super::number::three_digits;
use super::unit::{has_short_times, in_microseconds, scaled};
use crate::result::Table;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{IsTerminal, Write};

/// How tables are shown.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Characters of a line.
    pub width: usize,
    /// Every row and every column.
    pub wide: bool,
    /// A line on each column below the table.
    pub legend: bool,
    /// The term of the model that bounds each row.
    pub explain: bool,
}

/// Width where standard output is no terminal, and the most that the labs' own choice of columns takes.
pub const USUAL_WIDTH: usize = 100;

/// Narrower than this a table says nothing; so much is taken whatever the terminal has.
const LEAST_WIDTH: usize = 40;

/// Blanks between columns.
const GAP: usize = 2;

/// A column of words that may be broken at blanks keeps at least so much.
const LEAST_WORDS: usize = 24;

/// Columns of characters that standard output shows: a terminal's own, else [`USUAL_WIDTH`].
pub fn width() -> usize {
    let out = std::io::stdout();
    if !out.is_terminal() {
        return USUAL_WIDTH;
    }
    match rustix::termios::tcgetwinsize(&out) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col).max(LEAST_WIDTH),
        _ => USUAL_WIDTH,
    }
}

/// A column ready to print: lines of its heading, and of each cell.
struct TextColumn {
    heading: Vec<String>,
    cells: Vec<Vec<String>>,
    width: usize,
    is_number: bool,
}

/// Prints one table under its title within a width. The first `keys` columns name a row.
pub fn write_table(out: &mut impl Write, table: &Table, keys: usize, width: usize) -> std::io::Result<()> {
    if !table.title.is_empty() {
        paragraph(out, "", &table.title, width)?;
    }
    let table = &in_one_unit(table);
    let mut columns: Vec<TextColumn> =
        table.columns.iter().enumerate().map(|(index, heading)| column(table, index, heading)).collect();
    break_words(&mut columns, width);
    for part in parts(&columns, keys, width) {
        let columns: Vec<&TextColumn> = part.iter().map(|&index| &columns[index]).collect();
        let heading_lines = columns.iter().map(|column| column.heading.len()).max().unwrap_or(0);
        for line in 0..heading_lines {
            // Headings stand on the rule, so that the short ones are next to their numbers.
            let of = |column: &TextColumn| {
                (line + column.heading.len())
                    .checked_sub(heading_lines)
                    .and_then(|own| column.heading.get(own).cloned())
            };
            write_line(out, &columns, of)?;
        }
        let rule: usize = columns.iter().map(|column| column.width).sum::<usize>() + GAP * (columns.len() - 1);
        writeln!(out, "{}", "─".repeat(rule))?;
        for row in 0..table.rows.len() {
            let lines = columns.iter().map(|column| column.cells[row].len()).max().unwrap_or(0);
            for line in 0..lines {
                write_line(out, &columns, |column: &TextColumn| column.cells[row].get(line).cloned())?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Characters of a table's widest line, where nothing is broken.
pub fn table_width(table: &Table) -> usize {
    let table = &in_one_unit(table);
    let columns = table.columns.iter().enumerate().map(|(index, heading)| column(table, index, heading).width + GAP);
    columns.sum::<usize>().saturating_sub(GAP)
}

/// The table with all its times in microseconds, where some are short.
fn in_one_unit(table: &Table) -> Cow<'_, Table> {
    let cells = table.rows.iter().flat_map(|row| table.columns.iter().map(String::as_str).zip(row));
    if !has_short_times(cells) {
        return Cow::Borrowed(table);
    }
    let mut changed = table.clone();
    for (index, heading) in changed.columns.iter_mut().enumerate() {
        let Some(other) = in_microseconds(heading) else { continue };
        *heading = other;
        changed.rows.iter_mut().filter_map(|row| row.get_mut(index)).for_each(|cell| *cell = scaled(cell));
    }
    Cow::Owned(changed)
}

/// The width of a column with this heading and these cells, and of the gap after it.
pub fn column_width(heading: &str, cells: &[Value]) -> usize {
    let cells = cells.iter().map(|value| cell(value).chars().count()).max().unwrap_or(0);
    lines_width(&broken_heading(heading, cells)).max(cells) + GAP
}

/// Prints a text whose lines are broken at blanks; those after the first are indented as far as `lead` goes.
pub fn paragraph(out: &mut impl Write, lead: &str, text: &str, width: usize) -> std::io::Result<()> {
    let indent = lead.chars().count();
    for (index, line) in filled(text, width.saturating_sub(indent).max(LEAST_WORDS)).iter().enumerate() {
        match index {
            0 => writeln!(out, "{lead}{line}")?,
            _ => writeln!(out, "{:indent$}{line}", "")?,
        }
    }
    Ok(())
}

/// A cell's text: numbers to three digits, a dash where there is none.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => three_digits(number.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

fn column(table: &Table, index: usize, heading: &str) -> TextColumn {
    let is_number = |value: &Value| {
        value.as_str().map_or(value.is_number() || value.is_null(), |text| {
            text.split(" … ").all(|part| part.is_empty() || part == "–" || part.parse::<f64>().is_ok())
        })
    };
    let values = || table.rows.iter().filter_map(|row| row.get(index));
    let cells: Vec<Vec<String>> =
        table.rows.iter().map(|row| vec![row.get(index).map(cell).unwrap_or_default()]).collect();
    let widest = cells.iter().map(|lines| lines_width(lines)).max().unwrap_or(0);
    let heading = broken_heading(heading, widest);
    TextColumn { width: widest.max(lines_width(&heading)), heading, cells, is_number: values().all(is_number) }
}

/// Two lines where that makes a column narrower.
fn broken_heading(heading: &str, cells: usize) -> Vec<String> {
    let longest = heading.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let all = heading.chars().count();
    let mut widths = (longest.max(cells)..=all.max(cells)).map(|width| filled(heading, width));
    let lines = widths.find(|lines| lines.len() <= 2).unwrap_or_default();
    // Blanks that must not be broken have done their service.
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Breaks the cells of the widest column of words where that lets the table fit.
fn break_words(columns: &mut [TextColumn], width: usize) {
    let all = columns.iter().map(|column| column.width + GAP).sum::<usize>().saturating_sub(GAP);
    let Some(words) = columns.iter_mut().filter(|column| !column.is_number).max_by_key(|column| column.width) else {
        return;
    };
    let room = (words.width + width).saturating_sub(all);
    if all <= width || room < LEAST_WORDS {
        return;
    }
    for lines in &mut words.cells {
        *lines = filled(&lines.join(" "), room);
    }
    words.width =
        words.cells.iter().map(|lines| lines_width(lines)).max().unwrap_or(0).max(lines_width(&words.heading));
}

/// The columns of each part: those that name a row, and as many of the others as there is room for, at least one.
fn parts(columns: &[TextColumn], keys: usize, width: usize) -> Vec<Vec<usize>> {
    let keys: Vec<usize> = (0..keys.min(columns.len())).collect();
    let of_keys: usize = keys.iter().map(|&index| columns[index].width + GAP).sum();
    let mut parts = vec![keys.clone()];
    let mut used = of_keys;
    for (index, column) in columns.iter().enumerate().skip(keys.len()) {
        let last = parts.len() - 1;
        if used + column.width > width && parts[last].len() > keys.len() {
            parts.push(keys.clone());
            used = of_keys;
        }
        let last = parts.len() - 1;
        parts[last].push(index);
        used += column.width + GAP;
    }
    parts
}

fn write_line(
    out: &mut impl Write,
    columns: &[&TextColumn],
    text: impl Fn(&TextColumn) -> Option<String>,
) -> std::io::Result<()> {
    let mut line = String::new();
    for column in columns {
        let text = text(column).unwrap_or_default();
        let blanks = " ".repeat(column.width.saturating_sub(text.chars().count()));
        line += &if column.is_number { blanks + &text } else { text + &blanks };
        line += &" ".repeat(GAP);
    }
    writeln!(out, "{}", line.trim_end())
}

/// The words of a text in lines of at most so many characters, if no word is longer.
fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("never empty");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            *last += if last.is_empty() { "" } else { " " };
            *last += word;
        }
    }
    lines
}

fn lines_width(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table, keys: usize, width: usize) -> String {
        let mut out = Vec::new();
        write_table(&mut out, table, keys, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn table() -> Table {
        Table {
            title: "results".into(),
            columns: ["variant", "load eff. %", "conflicts"].map(str::to_owned).to_vec(),
            rows: vec![vec!["naive".into(), 82.5.into(), 0.into()], vec!["shared".into(), Value::Null, 1024.into()]],
        }
    }

    #[test]
    fn words_stand_left_and_numbers_right_under_headings_of_two_lines() {
        let expected = "\
results
           load
variant  eff. %  conflicts
──────────────────────────
naive      82.5          0
shared        –       1024

";
        assert_eq!(text(&table(), 1, 100), expected);
    }

    #[test]
    fn a_table_too_wide_goes_on_below_with_the_same_first_column() {
        let expected = "\
results
           load
variant  eff. %
───────────────
naive      82.5
shared        –

variant  conflicts
──────────────────
naive            0
shared        1024

";
        assert_eq!(text(&table(), 1, 20), expected);
    }

    #[test]
    fn words_are_broken_and_numbers_never() {
        let idea = "a tree in shared memory, then one atomic addition per row and block";
        let table = Table {
            title: "variants".into(),
            columns: ["name", "idea", "number"].map(str::to_owned).to_vec(),
            rows: vec![vec!["shared_atomic".into(), idea.into(), 123_456_789.into()]],
        };
        let text = text(&table, 1, 60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("123456789") && text.lines().count() > 4, "{text}");
    }

    #[test]
    fn times_of_one_table_have_one_unit() {
        let table = Table {
            title: String::new(),
            columns: ["variant", "device ms", "events ms"].map(str::to_owned).to_vec(),
            rows: vec![vec!["device_timed".into(), 2.5e-4.into(), 0.00705.into()]],
        };
        let text = text(&table, 1, 80);
        assert!(text.contains("events\n") && text.contains("device_timed   0.250    7.05"), "{text}");
        assert!(!text.contains("ms"), "{text}");
    }

    #[test]
    fn an_absent_number_is_a_dash_and_not_a_zero() {
        assert_eq!(cell(&Value::Null), "–");
        assert_eq!(cell(&Value::from(0)), "0");
    }
}
