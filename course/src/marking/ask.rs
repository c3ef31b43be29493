//! The dialogue of marking: question by question, and of each question student by student, so that one measure serves all.

use super::sheets::{MOST, Mark, Marks, Question, Sheet, answer, hash, questions, scheme};
use exercises::escape::shown;
use exercises::table::{Course, Lab};
use std::collections::BTreeMap;
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
    let mut marks: BTreeMap<&str, Marks> = BTreeMap::new();
    for sheet in sheets {
        marks.insert(&sheet.name, Marks::read(out, &sheet.name)?);
    }
    let mut open: Vec<(Question, &Sheet, String)> = Vec::new();
    for question in questions(course, lab) {
        for sheet in sheets {
            let text = answer(course, lab, &question, &sheet.text);
            let known = marks[sheet.name.as_str()].0.get(&question.key());
            if known.is_none_or(|mark| mark.answer != hash(&text)) {
                open.push((question, sheet, text));
            }
        }
    }
    let (mut at, mut shown_scheme) = (0, String::new());
    while let Some((question, sheet, text)) = open.get(at) {
        if shown_scheme != question.key() {
            shown_scheme = question.key();
            let scheme = scheme(course, lab, question.exercise)?;
            writeln!(output, "\n═══ {shown_scheme}: {}\n\nscheme:\n{}", question.text(), indented(&scheme))?;
        }
        let text_shown = if text.is_empty() { "(nothing was written)".to_owned() } else { shown(text) };
        writeln!(output, "\n[{} of {}] {}\n{}", at + 1, open.len(), shown(&sheet.name), indented(&text_shown))?;
        write!(output, "points 0 to {MOST}, then a remark · Enter skip · b back · q quit > ")?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            break;
        }
        match typed(line.trim()) {
            Typed::Points(points, remark) => {
                let own = marks.get_mut(sheet.name.as_str()).expect("read above");
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
    let has_mark = |(question, sheet, text): &&(Question, &Sheet, String)| {
        marks[sheet.name.as_str()].0.get(&question.key()).is_some_and(|mark| mark.answer == hash(text))
    };
    let left = open.len() - open.iter().filter(has_mark).count();
    Ok(if left == 0 { End::Complete } else { End::Left(left) })
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
