//! When work was handed in, and how long after its due date.

use crate::platforms::Student;
use crate::platforms::dates::At;
use crate::platforms::of_brightspace;
use crate::record::Record;
use exercises::table::Lab;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// When a submission was handed in, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// When.
    pub at: At,
    /// "roster", "export", "file": the last is when the file was last written, which a copy may have changed.
    pub by: &'static str,
}

/// When a submission was handed in, as far as anybody says so: the roster, the export's names, the file.
pub fn handed_in(record: &Record, student: Option<&Student>) -> Option<HandedIn> {
    let roster = student.and_then(|student| student.handed_in).map(|at| HandedIn { at, by: "roster" });
    let export = record.owner.handed_in.as_deref().and_then(of_brightspace);
    let export = export.map(|at| HandedIn { at: At::Local(at), by: "export" });
    let file = record.file_time.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    roster.or(export).or(file.map(|at| HandedIn { at: At::Exact(at), by: "file" }))
}

fn due(lab: &Lab) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(&lab.due?.to_string().replacen(' ', "T", 1), &Rfc3339).ok()
}

/// How late a lab's work is: empty where it is in time, or nothing is due; "unknown" where nobody says when it was handed in.
pub fn late(record: &Record, lab: &Lab, handed_in: Option<HandedIn>) -> String {
    let Some(due) = due(lab) else { return String::new() };
    let Some(HandedIn { at, .. }) = handed_in else {
        return if record.owner.late { "marked late" } else { "unknown" }.to_owned();
    };
    let at = match at {
        At::Exact(at) => at,
        At::Local(at) => at.assume_offset(due.offset()),
    };
    if at > due { words(at - due) } else { String::new() }
}

fn words(late: Duration) -> String {
    let minutes = (late.whole_seconds() + 59) / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms::dates::of_roster;

    const LAB: &str =
        "[[lab]]\nname = \"gemm\"\nsheet = \"s\"\nanswers = \"a\"\ndue = 2026-11-30T23:59:00+01:00\nexercise = []\n";

    fn lab() -> Lab {
        #[derive(serde::Deserialize)]
        struct Rows {
            lab: Vec<Lab>,
        }
        let text = LAB.replace("exercise = []\n", "");
        toml::from_str::<Rows>(&text).unwrap().lab.remove(0)
    }

    #[test]
    fn lateness_is_told_by_whoever_knows_best() {
        let lab = lab();
        let mut record = Record::default();
        assert_eq!((handed_in(&record, None), late(&record, &lab, None)), (None, "unknown".to_owned()));
        record.owner.late = true;
        assert_eq!(late(&record, &lab, None), "marked late");
        // 2026-12-01T01:00:30+01:00.
        record.file_time = Some(1_796_083_230);
        let of = |record: &Record, student: Option<&Student>| {
            let handed_in = handed_in(record, student);
            (handed_in.unwrap().by, late(record, &lab, handed_in))
        };
        assert_eq!(of(&record, None), ("file", "1 h 2 min".to_owned()));
        record.owner.handed_in = Some("Nov 30, 2026 1159 PM".to_owned());
        assert_eq!(of(&record, None), ("export", String::new()));
        for (text, words) in
            [("2026-12-03T00:59:00Z", "2 d 2 h"), ("2026-12-01 00:00", "1 min"), ("2026-11-30 12:00", "")]
        {
            let student = Student { handed_in: of_roster(text), ..Student::default() };
            assert_eq!(of(&record, Some(&student)), ("roster", words.to_owned()), "{text}");
        }
        assert_eq!(late(&record, &Lab { due: None, ..lab.clone() }, None), "");
    }
}
