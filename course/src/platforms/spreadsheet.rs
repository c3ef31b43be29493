//! Tables that a person made or filled in: CSV with commas or semicolons, in any encoding that a spreadsheet writes.

use anyhow::{Context, anyhow};
use csv::StringRecord;
use exercises::text;
use std::path::Path;

/// Bytes of the largest table that is read: the answers of a large class.
const MOST: u64 = 64 << 20;

/// A table with a head.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The character between its columns.
    delimiter: u8,
    /// The titles of its columns as they are written.
    titles: StringRecord,
    /// The titles of its columns, in small letters.
    pub head: Vec<String>,
    /// Each row, and the line of the file that it begins in.
    pub rows: Vec<(u64, StringRecord)>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// No such file; no text; a cell that does not end.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let bytes = std::fs::read(file)?;
        Self::parse(&text::of(bytes, MOST).map_err(|why| anyhow!("{why}"))?.text)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// A cell that does not end.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        // Spreadsheets of many countries separate columns by semicolons.
        let first = text.lines().next().unwrap_or_default();
        let semicolons = first.matches(';').count() > first.matches(',').count();
        let delimiter = if semicolons { b';' } else { b',' };
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
        let titles = reader.headers()?.clone();
        let head = titles.iter().map(|title| title.trim().to_lowercase()).collect();
        let line = |row: &StringRecord| row.position().map_or(0, csv::Position::line);
        let rows = reader.records().map(|row| row.map(|row| (line(&row), row)));
        Ok(Table { delimiter, titles, head, rows: rows.collect::<Result<_, _>>().context("a row")? })
    }

    /// The table as it was read, with all its columns, in the same dialect; `changed` says which cells hold something else.
    ///
    /// # Errors
    /// None that is known: it is written to memory.
    pub fn written(&self, changed: impl Fn(usize, usize) -> Option<String>) -> anyhow::Result<String> {
        let mut writer = csv::WriterBuilder::new().delimiter(self.delimiter).flexible(true).from_writer(Vec::new());
        writer.write_record(&self.titles)?;
        for (place, (_, row)) in self.rows.iter().enumerate() {
            let cells = row.iter().enumerate().map(|(at, cell)| changed(place, at).unwrap_or_else(|| cell.to_owned()));
            writer.write_record(cells)?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The place of the first column that has one of these titles.
    pub fn column(&self, titles: &[&str]) -> Option<usize> {
        self.head.iter().position(|title| titles.contains(&title.as_str()))
    }
}
