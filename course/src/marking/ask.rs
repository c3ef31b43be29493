//! The dialogue of marking.

use super::sheets::{ClassMarks, MOST, Mark, Sheet, Written, answers, marks_of, scheme};
use exercises::escape::printable;
use exercises::table::{Course, Lab};
use exercises::text::hash;
use std::io::{BufRead, Write};
use std::path::Path;

/// How the dialogue ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every answer has a mark.
    Complete,
    /// Some answers have none yet.
    Left(usize),
}

impl End {
    /// Counts the answers that have no mark.
    pub fn of(answers: &[Written], marks: &ClassMarks) -> Self {
        match answers.iter().filter(|answer| answer.mark(marks).is_none()).count() {
            0 => End::Complete,
            left => End::Left(left),
        }
    }
}

/// The answer that was typed.
enum Typed {
    Points(u32, String),
    Skip,
    Back,
    Quit,
    Unknown,
}

/// Shows every answer that has no mark, with its question and the scheme, and takes marks until all have one or the reader leaves. Each mark is
/// written at once, so the next call goes on where this one ends.
///
/// # Errors
/// A folder that cannot be written.
pub fn ask(
    course: &Course,
    lab: &Lab,
    sheets: &[Sheet],
    out: &Path,
    (input, output): (&mut dyn BufRead, &mut dyn Write),
) -> anyhow::Result<End> {
    let mut marks = marks_of(out, sheets)?;
    let all = answers(course, lab, sheets);
    let open: Vec<&Written> = all.iter().filter(|answer| answer.mark(&marks).is_none()).collect();
    let (mut at, mut shown_scheme) = (0, String::new());
    while let Some(Written { question, sheet, text }) = open.get(at) {
        if shown_scheme != question.key() {
            shown_scheme = question.key();
            let scheme = scheme(course, lab, question.exercise)?;
            writeln!(output, "\n═══ {shown_scheme}: {}\n\nscheme:\n{}", question.text(), indented(&scheme))?;
        }
        let text_shown = if text.is_empty() { "(nothing was written)".to_owned() } else { printable(text) };
        writeln!(output, "\n[{} of {}] {}\n{}", at + 1, open.len(), printable(&sheet.name), indented(&text_shown))?;
        write!(output, "points 0 to {MOST}, then a remark · Enter skip · b back · q quit > ")?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            break;
        }
        match typed(line.trim()) {
            Typed::Points(points, remark) => {
                let own = marks.get_mut(&sheet.name).expect("read above");
                own.0.insert(question.key(), Mark { points, remark, answer: hash(text) });
                own.write(out, &sheet.name)?;
                at += 1;
            }
            Typed::Skip => at += 1,
            Typed::Back => at = at.saturating_sub(1),
            Typed::Quit => break,
            Typed::Unknown => {
                writeln!(output, "a number from 0 to {MOST}, and what you like after it: `1 only one half`")?
            }
        }
    }
    Ok(End::of(&all, &marks))
}

fn typed(line: &str) -> Typed {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match first {
        "" => Typed::Skip,
        "b" => Typed::Back,
        "q" => Typed::Quit,
        number => match number.parse() {
            Ok(points) if points <= MOST => Typed::Points(points, rest.trim().to_owned()),
            _ => Typed::Unknown,
        },
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect::<String>().trim_end().to_owned()
}
