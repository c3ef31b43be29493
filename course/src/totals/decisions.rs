//! Decisions of a person about one student: a later due date, or points in the place of a verdict's or of a lab's. It is kept beside the
//! records, with a reason and a name, and never inside one: a record stays what the grader saw.

use crate::platforms::dates::{At, of_roster};
use crate::platforms::{Student, Table};
use crate::record::Record;
use anyhow::{Context, ensure};
use exercises::table::Course;
use std::fs;
use std::path::Path;
use time::OffsetDateTime;

const HEAD: [&str; 6] = ["student", "of", "due", "points", "reason", "by"];

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The submission's name, or the student's name, id or login.
    pub student: String,
    /// A lab, or an exercise: "gemm", "gemm/naive".
    pub of: String,
    /// The lab's due date for this student.
    pub due: Option<OffsetDateTime>,
    /// The points that count.
    pub points: Option<f64>,
    /// For the student's page.
    pub reason: String,
    /// Who decided.
    pub by: String,
}

/// All of a class; of the same kind, student and lab or exercise the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Decisions(pub Vec<Decision>);

impl Decisions {
    /// Reads those beside the records, which a person writes with a spreadsheet; where there is no file, one is begun with its head.
    ///
    /// # Errors
    /// A row that is no decision; all of them are named.
    pub fn read(out: &Path, course: &Course) -> anyhow::Result<Self> {
        let file = out.join("decisions.csv");
        if !file.exists() {
            fs::write(&file, HEAD.join(",") + "\n").with_context(|| format!("{}", file.display()))?;
        }
        Table::read(&file).and_then(|table| Self::of(&table, course)).with_context(|| format!("{}", file.display()))
    }

    fn of(table: &Table, course: &Course) -> anyhow::Result<Self> {
        let columns = HEAD.map(|title| table.column(&[title]));
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        for (line, row) in &table.rows {
            let cells = columns.map(|at| at.and_then(|at| row.get(at)).unwrap_or_default().trim());
            match Decision::of(cells, course) {
                _ if cells.iter().all(|cell| cell.is_empty()) => {}
                Ok(decision) => all.push(decision),
                Err(error) => wrong.push(format!("line {line}: {error:#}")),
            }
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n  "));
        Ok(Self(all))
    }

    /// Those about one student, by submission or roster.
    pub fn about(&self, student: Option<&Student>, record: Option<&Record>) -> Vec<&Decision> {
        self.0.iter().filter(|one| one.is_about(student, record)).collect()
    }
}

impl Decision {
    /// Takes the words of a row or of a command.
    ///
    /// # Errors
    /// No such lab or exercise; neither a time nor points, or both; no reason, or no name.
    pub fn of([student, of, due, points, reason, by]: [&str; 6], course: &Course) -> anyhow::Result<Self> {
        ensure!(!student.is_empty(), "it names no student");
        ensure!(!reason.is_empty() && !by.is_empty(), "it needs a reason, and the name of who decided (by)");
        let whole = course.whole();
        let exercise = whole.exercises.iter().find(|exercise| exercise.id() == of);
        let lab = exercise.map_or(of, |exercise| &exercise.lab);
        whole.lab(lab).context("it is of a lab or an exercise, such as gemm or gemm/naive")?;
        ensure!(due.is_empty() != points.is_empty(), "it has either a due date or points");
        ensure!(due.is_empty() || exercise.is_none(), "a due date is a lab's: '{lab}'");
        let due = (!due.is_empty()).then(|| match of_roster(due) {
            Some(At::Exact(at)) => Ok(at),
            _ => anyhow::bail!("'{due}' is no time with its offset; write 2026-12-03T23:59:00+01:00"),
        });
        let points = (!points.is_empty()).then(|| {
            let number = points.replacen(',', ".", 1).parse::<f64>().ok().filter(|number| (0.0..1e6).contains(number));
            number.with_context(|| format!("'{points}' is no number of points"))
        });
        let (due, points) = (due.transpose()?, points.transpose()?);
        if let (Some(exercise), Some(points)) = (exercise, points) {
            ensure!(points <= f64::from(exercise.points), "{of} has {}; {points} are more", exercise.worth());
        }
        let [student, of, reason, by] = [student, of, reason, by].map(str::to_owned);
        Ok(Decision { student, of, due, points, reason, by })
    }

    /// Returns whether it is about a student, or the submission.
    pub fn is_about(&self, student: Option<&Student>, record: Option<&Record>) -> bool {
        let known = student.into_iter().flat_map(|student| [&student.name, &student.id, &student.login]);
        known.chain(record.map(|record| &record.name)).any(|name| *name == self.student)
    }

    /// The reason and the name, in brackets after what was decided.
    pub fn why(&self) -> String {
        format!("{} (decided by {})", self.reason, self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        Course::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
    }

    #[test]
    fn a_spreadsheets_rows_are_read_and_what_is_wrong_is_named_by_its_line() {
        let (course, folder) = (course(), tempfile::tempdir().unwrap());
        assert!(Decisions::read(folder.path(), &course).unwrap().0.is_empty());
        let head = fs::read_to_string(folder.path().join("decisions.csv")).unwrap();
        let rows = "anna,gemm,2026-12-03T23:59:00+01:00,,\"ill, with a note\",Prof. X\n17,gemm/naive,,\"12,5\",nearly,Y\n,,,,,\n";
        fs::write(folder.path().join("decisions.csv"), head + rows).unwrap();
        let read = Decisions::read(folder.path(), &course).unwrap();
        let [anna, other] = &read.0[..] else { panic!("{read:?}") };
        assert_eq!((anna.why().as_str(), anna.due.is_some()), ("ill, with a note (decided by Prof. X)", true));
        let student = Student { id: "17".into(), ..Student::default() };
        assert_eq!((read.about(Some(&student), None), other.points), (vec![other], Some(12.5)));
        for (row, why) in [
            (["a", "gem", "", "1", "r", "b"], "gemm or gemm/naive"),
            (["a", "gemm", "", "", "r", "b"], "either a due date or points"),
            (["a", "gemm/naive", "2026-12-03T23:59:00+01:00", "", "r", "b"], "a due date is a lab's"),
            (["a", "gemm", "tomorrow", "", "r", "b"], "no time with its offset"),
            (["a", "gemm/naive", "", "99", "r", "b"], "99 are more"),
            (["a", "gemm", "", "9", "", "b"], "a reason"),
        ] {
            let error = format!("{:#}", Decision::of(row, &course).unwrap_err());
            assert!(error.contains(why), "{why}: {error}");
        }
        let table = Table::parse("student;of;points;reason;by\n;;;;\nanna;gemm;much;r;b\n").unwrap();
        let error = Decisions::of(&table, &course).unwrap_err().to_string();
        assert_eq!(error, "line 3: 'much' is no number of points");
    }
}
