//! Marking by a spreadsheet: a row for each answer, and two columns for a person to fill in.

use super::ask::End;
use super::sheets::{MOST, Mark, Sheet, Written, answers, marks_of};
use crate::escape::cell;
use crate::platforms::Table;
use anyhow::{Context, ensure};
use exercises::table::{Course, Lab};
use exercises::text::hash;
use std::path::Path;

/// The columns. `text` says which answer was marked, by the begin of its hash; the letter before that keeps a spreadsheet from taking it for
/// a number.
const HEAD: [&str; 7] = ["submission", "question", "asked", "answer", "points", "remark", "text"];

fn of_text(text: &str) -> String {
    format!("t{}", &hash(text)[..8])
}

/// Writes the table of a lab's answers where there is no such file; else takes the points and remarks that stand in it. Returns how many answers
/// have no mark, and what a person should know.
///
/// # Errors
/// A file that cannot be written, or is no such table; rows that cannot be understood, all of them named: then nothing is taken.
pub fn by_table(
    course: &Course,
    lab: &Lab,
    sheets: &[Sheet],
    out: &Path,
    file: &Path,
) -> anyhow::Result<(End, Vec<String>)> {
    let mut marks = marks_of(out, sheets)?;
    let all = answers(course, lab, sheets);
    if !file.exists() {
        let mut writer = csv::Writer::from_path(file).with_context(|| format!("{}", file.display()))?;
        writer.write_record(HEAD)?;
        for answer in &all {
            let Written { question, sheet, text } = answer;
            let mark = answer.mark(&marks);
            let points = mark.map_or(String::new(), |mark| mark.points.to_string());
            let remark = mark.map_or(String::new(), |mark| cell(&mark.remark));
            let lines: Vec<String> = text.lines().map(cell).collect();
            let asked = [cell(&sheet.name), question.key(), cell(question.text()), lines.join("\n")];
            writer.write_record(asked.iter().chain(&[points, remark, of_text(text)]))?;
        }
        writer.flush()?;
        let said = format!(
            "{}: {} answers; fill in points (0 to {MOST}) and, if you like, a remark; next: the same command",
            file.display(),
            all.len()
        );
        return Ok((End::of(&all, &marks), vec![said]));
    }
    let (taken, said) =
        Table::read(file).and_then(|table| read(&table, &all)).with_context(|| format!("{}", file.display()))?;
    for (answer, mark) in taken {
        marks.get_mut(&answer.sheet.name).expect("read above").0.insert(answer.question.key(), mark);
    }
    for (name, own) in &marks {
        own.write(out, name)?;
    }
    Ok((End::of(&all, &marks), said))
}

type Taken<'a> = Vec<(&'a Written<'a>, Mark)>;

/// The marks that a table holds, and the rows that were left out, because their answer is another one now.
fn read<'a>(table: &Table, all: &'a [Written<'a>]) -> anyhow::Result<(Taken<'a>, Vec<String>)> {
    let column = |title: &str| {
        let next = "delete the file, and the same command writes it anew";
        table.column(&[title]).with_context(|| format!("no column '{title}'; next: {next}"))
    };
    let [name, question, points, remark, text] =
        [column("submission")?, column("question")?, column("points")?, column("remark")?, column("text")?];
    let (mut taken, mut said, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (line, row) in &table.rows {
        let at = |column: usize| row.get(column).unwrap_or_default().trim();
        if at(points).is_empty() {
            continue;
        }
        let is = |answer: &&Written| cell(&answer.sheet.name) == at(name) && answer.question.key() == at(question);
        let number = at(points).parse::<u32>().ok().filter(|points| *points <= MOST);
        match (all.iter().find(is), number) {
            (None, _) => wrong.push(format!("line {line}: there is no answer of '{}' to '{}'", at(name), at(question))),
            (_, None) => wrong.push(format!("line {line}: '{}' is no number from 0 to {MOST}", at(points))),
            (Some(answer), _) if of_text(&answer.text) != at(text) => said.push(format!(
                "line {line}: not taken: the answer of {} to {} has changed since",
                at(name),
                at(question)
            )),
            (Some(answer), Some(points)) => {
                let (remark, answer_hash) = (without_guard(at(remark)).to_owned(), hash(&answer.text));
                taken.push((answer, Mark { points, remark, answer: answer_hash }));
            }
        }
    }
    ensure!(wrong.is_empty(), "nothing was taken:\n  {}", wrong.join("\n  "));
    Ok((taken, said))
}

/// A text without the mark that [`cell`] may have put before it.
fn without_guard(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| cell(rest) == text).unwrap_or(text)
}
