//! The sum of a student's grade: the verdicts' points, those that a person decided, the marks of written answers, and what lateness takes.
//!
//! A record holds none of it, because it can be reproduced and a decision cannot.

mod decisions;
pub mod lateness;

pub use decisions::Decisions;

use crate::marking::{ClassMarks, Marks};
use crate::platforms::{Row, dates};
use exercises::table::{Course, Lab};
use lateness::{HandedIn, due, hours, words};

/// All that totals need beside the rows of a class.
pub struct Terms<'a> {
    course: &'a Course,
    marks: &'a ClassMarks,
    decisions: Decisions,
    /// Labs of which somebody's answers are marked: their marks count.
    marked: Vec<&'a str>,
}

/// The sum of one lab for one student.
#[derive(Debug, Default)]
pub struct OfLab {
    /// Possible points; optional ones come on top.
    pub of: f64,
    /// Hours after the due date; none where nothing is due, or nobody says them.
    pub hours: Option<f64>,
    /// Lateness for people.
    pub late: String,
    /// The points that lateness takes.
    pub penalty: f64,
    /// Points of verdicts and marks that a person has set: "gemm/naive 12".
    pub decided: Vec<String>,
    /// None where something is to be repeated, and where nothing came.
    pub total: Option<f64>,
    /// Each rule and each decision that changed something, a line each.
    pub told: Vec<String>,
}

/// The sum of a course for one student.
#[derive(Debug)]
pub struct Total {
    /// In the course's order.
    pub labs: Vec<OfLab>,
    /// The sum of the labs' totals; none where one is open, or there is none.
    pub points: Option<f64>,
    /// Possible points.
    pub of: f64,
    /// When the work came, and who says so.
    pub handed_in: Option<HandedIn>,
}

/// Points in tenths.
fn tenths(points: f64) -> f64 {
    (points * 10.0).round() / 10.0
}

impl<'a> Terms<'a> {
    /// Takes a class's marks and decisions.
    pub fn new(course: &'a Course, marks: &'a ClassMarks, decisions: Decisions) -> Self {
        let marked = course.labs.iter().filter(|lab| marks.values().any(|own| own.sum(course, lab).marked > 0));
        Terms { course, marks, decisions, marked: marked.map(|lab| lab.name.as_str()).collect() }
    }

    /// Returns whether a total may differ from the verdicts' points.
    pub fn matter(&self) -> bool {
        self.course.late.is_some() || !self.decisions.0.is_empty() || !self.marked.is_empty()
    }

    /// The decisions that are about nobody of these rows, a line each.
    pub fn about_nobody(&self, rows: &[Row]) -> Vec<String> {
        let unknown =
            self.decisions.0.iter().filter(|one| !rows.iter().any(|row| one.is_about(row.student, row.record)));
        unknown.map(|one| format!("decisions.csv: nobody here is called '{}' ({})", one.student, one.of)).collect()
    }

    /// The total of a row.
    pub fn total(&self, row: &Row) -> Total {
        let handed_in = row.record.and_then(|record| lateness::handed_in(record, row.student));
        let labs: Vec<OfLab> = self.course.labs.iter().map(|lab| self.of_lab(lab, row, handed_in)).collect();
        let open = |(lab, own): (&Lab, &OfLab)| own.total.is_none() && came(self.course, lab, row);
        let open = self.course.labs.iter().zip(&labs).any(open);
        let sum: Option<f64> = labs.iter().filter_map(|lab| lab.total).reduce(|sum, one| sum + one);
        let of = labs.iter().map(|lab| lab.of).sum();
        Total { points: sum.filter(|_| !open).map(tenths), labs, of, handed_in }
    }

    fn of_lab(&self, lab: &Lab, row: &Row, handed_in: Option<HandedIn>) -> OfLab {
        let decisions = self.decisions.about(row.student, row.record);
        let mut own = OfLab { of: f64::from(self.course.points(&lab.name)), ..OfLab::default() };
        let marks = row.record.and_then(|record| self.marks.get(&record.name)).cloned().unwrap_or_else(Marks::default);
        let answers = marks.sum(self.course, lab);
        let marked = self.marked.contains(&lab.name.as_str());
        own.of += if marked { f64::from(answers.of) } else { 0.0 };
        if let Some(record) = row.record.filter(|_| came(self.course, lab, row)) {
            let mut points = if marked { f64::from(answers.points) } else { 0.0 };
            let mut open = false;
            for verdict in record.of_lab(&lab.name) {
                let decided = decisions.iter().rev().find(|one| one.of == verdict.exercise);
                if let Some((one, set)) = decided.and_then(|one| Some((one, one.points?))) {
                    let (id, was) = (&one.of, verdict.points);
                    own.decided.push(format!("{id} {set}"));
                    own.told.push(format!("{id}: {set} points instead of {was}: {}", one.why()));
                    points += set;
                } else {
                    points += f64::from(verdict.points);
                    open |= !verdict.state.is_final();
                }
            }
            let extension = decisions.iter().rev().find(|one| one.of == lab.name && one.due.is_some());
            let due = extension.and_then(|one| one.due).or_else(|| due(lab));
            if let Some((one, due)) = extension.zip(due) {
                own.told.push(format!("due {}: {}", dates::text_of(dates::At::Exact(due)), one.why()));
            }
            own.hours = due.and_then(|due| hours(record, due, handed_in));
            own.late = due.map_or(String::new(), |_| words(record, own.hours));
            if let Some((rule, hours)) = self.course.late.as_ref().zip(own.hours) {
                let days = rule.days(hours);
                own.penalty = tenths((own.of * rule.percent(days) / 100.0).min(points));
                if days > rule.most {
                    own.penalty = tenths(points);
                    own.told.push(format!("{hours} h late: after {} days nothing counts: −{}", rule.most, own.penalty));
                } else if days > 0 {
                    let (percent, of) = (rule.percent(days), own.of);
                    own.told.push(format!("{hours} h late: {percent} % of {of} points: −{}", own.penalty));
                }
            }
            own.total = (!open).then(|| tenths(points - own.penalty));
        }
        let whole = decisions.iter().rev().find(|one| one.of == lab.name && one.points.is_some());
        if let Some((one, set)) = whole.and_then(|one| Some((one, one.points?))) {
            let was = own.total.map_or("none".to_owned(), |total| total.to_string());
            own.decided.push(format!("{} {set}", lab.name));
            own.told.push(format!("{}: {set} points instead of {was}: {}", lab.name, one.why()));
            own.total = Some(set);
        }
        own
    }
}

/// Returns whether anything of a lab came.
fn came(course: &Course, lab: &Lab, row: &Row) -> bool {
    row.record.is_some_and(|record| !record.lacks_lab(course, lab))
}

#[cfg(test)]
mod tests {
    use super::decisions::Decision;
    use super::*;
    use crate::platforms::Student;
    use crate::record::Record;
    use exercises::verdict::{State, Verdict};
    use std::path::Path;

    /// The total of a lab due at noon, whose `naive` is solved, and the decisions about nobody.
    fn told(handed_in: &str, decisions: &[[&str; 6]]) -> (Total, Vec<String>) {
        let mut course = Course::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap().only("gemm").unwrap();
        course.late = toml::from_str("free = '15 min'\nper_day = 10\nmost = 3").unwrap();
        course.labs[0].due = Some("2026-11-30T12:00:00+01:00".parse().unwrap());
        let mut record = Record { name: "anna".into(), ..Record::default() };
        for exercise in &course.exercises {
            record.hashes.insert(exercise.file.clone(), String::new());
            let (state, points) =
                if exercise.name == "naive" { (State::Passed, exercise.points) } else { (State::Failed, 0) };
            record.verdicts.push(Verdict { points, ..Verdict::new(exercise, state, 1) });
        }
        let decisions = decisions.iter().map(|row| Decision::of(*row, &course).unwrap()).collect();
        let marks = ClassMarks::new();
        let terms = Terms::new(&course, &marks, Decisions(decisions));
        let student = Student { handed_in: dates::of_roster(handed_in), ..Student::default() };
        let rows = [Row { student: Some(&student), record: Some(&record) }];
        (terms.total(&rows[0]), terms.about_nobody(&rows))
    }

    #[test]
    fn a_rule_takes_points_an_extension_gives_them_back_and_a_decision_counts_in_their_place() {
        let extension = ["anna", "gemm", "2026-12-02T12:00:00+01:00", "", "ill", "X"];
        let shared = ["anna", "gemm/shared", "", "7.5", "nearly", "X"];
        let lab = ["anna", "gemm", "", "50", "by word of mouth", "X"];
        for (handed_in, decisions, points, last) in [
            ("2026-11-30 12:14", &[][..], 15.0, ""),
            ("2026-11-30 12:16", &[][..], 5.0, "0.27 h late: 10 % of 100 points: −10"),
            ("2026-12-01 13:00", &[][..], 0.0, "25 h late: 20 % of 100 points: −15"),
            ("2026-12-09 12:00", &[][..], 0.0, "216 h late: after 3 days nothing counts: −15"),
            ("2026-12-01 13:00", &[extension][..], 15.0, "due 2026-12-02T12:00:00+01:00: ill (decided by X)"),
            ("2026-12-04 12:30", &[extension][..], 0.0, "48.5 h late: 30 % of 100 points: −15"),
            ("2026-11-30 12:00", &[shared][..], 22.5, "gemm/shared: 7.5 points instead of 0: nearly (decided by X)"),
            (
                "2026-12-09 12:00",
                &[shared, lab][..],
                50.0,
                "gemm: 50 points instead of 0: by word of mouth (decided by X)",
            ),
        ] {
            let (total, said) = told(handed_in, decisions);
            assert_eq!((total.points, said), (Some(points), Vec::new()), "{handed_in}");
            assert_eq!(total.labs[0].told.last().map_or("", |line| line.as_str()), last);
        }
        let said = told("2026-11-30 12:00", &[["bert", "gemm", "", "50", "r", "X"]]).1;
        assert_eq!(said, ["decisions.csv: nobody here is called 'bert' (gemm)"]);
    }
}
