//! Marks for the written answers, which a person gives: points and a remark for each question, one file a student, beside the records.
//!
//! A mark is of one text. An answer that has changed since is marked anew.

use crate::escape::line;
use crate::intake::{self, Taken};
use crate::record::write_whole;
use crate::record::{self, Record};
use anyhow::Context;
use exercises::answers::answer;
use exercises::process::Workers;
use exercises::table::{Course, Exercise, Lab};
use exercises::text::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Points of one question, as the marking schemes count them: full 2, half 1.
pub const MOST: u32 = 2;
/// The folder beside the records.
const FOLDER: &str = "marked";

/// The mark of one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Reached.
    pub points: u32,
    /// For the student; may be empty.
    pub remark: String,
    /// SHA-256 of the answer that was marked.
    pub answer: String,
}

/// The marks of one student, by "gemm/shared 1": the exercise and the question's number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(pub BTreeMap<String, Mark>);

/// Those of a lab together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Reached.
    pub points: u32,
    /// Possible.
    pub of: u32,
    /// Questions that have a mark.
    pub marked: usize,
    /// All questions.
    pub questions: usize,
}

/// The marks of a class, by the names of its submissions.
pub type ClassMarks = BTreeMap<String, Marks>;

impl Marks {
    fn file(out: &Path, name: &str) -> PathBuf {
        out.join(FOLDER).join(format!("{name}.json"))
    }

    /// The marks of a submission; none are there yet where there is no file.
    ///
    /// # Errors
    /// A damaged file.
    pub fn read(out: &Path, name: &str) -> anyhow::Result<Self> {
        let file = Self::file(out, name);
        match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("{}", file.display())),
            Err(_) => Ok(Marks::default()),
        }
    }

    /// Puts them beside the records.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, out: &Path, name: &str) -> anyhow::Result<()> {
        fs::create_dir_all(out.join(FOLDER))?;
        write_whole(&Self::file(out, name), self)
    }

    /// The sum of a lab's marks.
    pub fn sum(&self, course: &Course, lab: &Lab) -> Sum {
        let questions: Vec<Question> = questions(course, lab).collect();
        let marked: Vec<&Mark> = questions.iter().filter_map(|question| self.0.get(&question.key())).collect();
        Sum {
            points: marked.iter().map(|mark| mark.points).sum(),
            of: MOST * questions.len() as u32,
            marked: marked.len(),
            questions: questions.len(),
        }
    }

    /// A lab's line, where something of it is marked: "answers gemm: 5 of 18 points, 9 of 9 marked".
    pub fn line(&self, course: &Course, lab: &Lab) -> Option<String> {
        let Sum { points, of, marked, questions } = self.sum(course, lab);
        let text = || format!("answers {}: {points} of {of} points, {marked} of {questions} marked", lab.name);
        (marked > 0).then(text)
    }

    /// For each lab of which something is marked its line, and below it one for each mark: "gemm/shared 1: 2 of 2, well said".
    pub fn told(&self, course: &Course) -> Vec<String> {
        let mark = |question: Question| {
            let Mark { points, remark, .. } = self.0.get(&question.key())?;
            let remark = if remark.is_empty() { String::new() } else { format!(", {remark}") };
            Some(line(&format!("  {}: {points} of {MOST}{remark}", question.key())))
        };
        let of = |lab: &Lab| {
            let marks = questions(course, lab).filter_map(mark);
            self.line(course, lab).into_iter().chain(marks).collect::<Vec<_>>()
        };
        course.labs.iter().flat_map(of).collect()
    }
}

/// The marks of all these submissions.
///
/// # Errors
/// A damaged file.
pub fn of_class(out: &Path, records: &[Record]) -> anyhow::Result<ClassMarks> {
    records.iter().map(|record| Ok((record.name.clone(), Marks::read(out, &record.name)?))).collect()
}

/// A written question.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The exercise that it belongs to.
    pub exercise: &'a Exercise,
    /// Which of the exercise's, from 0.
    pub number: usize,
}

impl Question<'_> {
    /// "gemm/shared 1"
    pub fn key(&self) -> String {
        format!("{} {}", self.exercise.id(), self.number + 1)
    }

    /// The answer in a sheet.
    pub fn answer(&self, course: &Course, lab: &Lab, sheet: &str) -> String {
        answer(course, lab, (self.exercise, self.number), sheet)
    }

    /// As it was put.
    pub fn text(&self) -> &str {
        &self.exercise.questions[self.number]
    }
}

/// The questions of a lab, in the sheet's order.
pub fn questions<'a>(course: &'a Course, lab: &'a Lab) -> impl Iterator<Item = Question<'a>> {
    course
        .of_lab(&lab.name)
        .flat_map(|exercise| (0..exercise.questions.len()).map(move |number| Question { exercise, number }))
}

/// One student's answers to a lab's questions.
pub struct Sheet {
    /// The submission.
    pub name: String,
    /// The text that was handed in; empty where no answers came.
    pub text: String,
}

/// The sheets of all records in a folder of grades of which something of the lab came, and all records.
///
/// # Errors
/// No records; a submission that is not where it was graded.
pub fn sheets(course: &Course, lab: &Lab, out: &Path) -> anyhow::Result<(Vec<Sheet>, Vec<Record>)> {
    let records = record::all(out, course)?;
    let workers = Workers::of_this_program(true)?;
    let mut sheets = Vec::new();
    for record in records.iter().filter(|record| record.refused.is_none() && record.has_lab(course, lab)) {
        let taken = intake::read(&workers, course, &record.entry().paths());
        let text = match taken.with_context(|| format!("the answers of {}", record.name))? {
            Taken::Files(mut submission) => submission.files.remove(&lab.answers).unwrap_or_default(),
            Taken::Refused(why) => anyhow::bail!("{}: {why}; it was graded, so it has changed since", record.name),
        };
        sheets.push(Sheet { name: record.name.clone(), text });
    }
    Ok((sheets, records))
}

/// One student's answer to one question.
pub struct Written<'a> {
    /// The question.
    pub question: Question<'a>,
    /// Whose.
    pub sheet: &'a Sheet,
    /// Empty where nothing was written.
    pub text: String,
}

impl Written<'_> {
    /// Its mark; none where it has none yet, or has changed since it was marked.
    pub fn mark<'a>(&self, marks: &'a ClassMarks) -> Option<&'a Mark> {
        let mark = marks.get(&self.sheet.name)?.0.get(&self.question.key())?;
        (mark.answer == hash(&self.text)).then_some(mark)
    }
}

/// All answers of a lab: question by question, and of each question student by student, so that one measure serves all.
pub fn answers<'a>(course: &'a Course, lab: &'a Lab, sheets: &'a [Sheet]) -> Vec<Written<'a>> {
    let of = |question: Question<'a>| {
        sheets.iter().map(move |sheet| Written { question, sheet, text: question.answer(course, lab, &sheet.text) })
    };
    questions(course, lab).flat_map(of).collect()
}

/// The marks that some sheets have so far.
///
/// # Errors
/// A damaged file.
pub fn marks_of(out: &Path, sheets: &[Sheet]) -> anyhow::Result<ClassMarks> {
    sheets.iter().map(|sheet| Ok((sheet.name.clone(), Marks::read(out, &sheet.name)?))).collect()
}

/// The marking scheme's words on an exercise; empty where it has none.
///
/// # Errors
/// No scheme of the lab.
pub fn scheme(course: &Course, lab: &Lab, exercise: &Exercise) -> anyhow::Result<String> {
    let file = course.root.join(format!("course/marking/{}.md", lab.name));
    let text = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
    let heading = format!("## {}", exercise.name);
    let lines = text.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "));
    Ok(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
}
