//! When work was handed in, and how many hours after its due date.

use crate::platforms::Student;
use crate::platforms::dates::At;
use crate::platforms::{is_of_canvas, of_brightspace};
use crate::record::Record;
use exercises::table::Lab;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// When a submission was handed in, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// When; `None` where a platform marks work as late, or leaves the mark out, and gives no time.
    pub at: Option<At>,
    /// "roster", "export", "file": the last is when the file was last written, which a copy may have changed.
    pub by: &'static str,
}

/// When a submission was handed in, as far as anybody says so: the roster, the export's names, the file. The file of an export of Canvas has
/// the time of the download, so that only the platform's mark counts.
pub fn handed_in(record: &Record, student: Option<&Student>) -> Option<HandedIn> {
    let told = |at, by| HandedIn { at: Some(at), by };
    let roster = student.and_then(|student| student.handed_in).map(|at| told(at, "roster"));
    let export = record.owner.handed_in.as_deref().and_then(of_brightspace).map(|at| told(At::Local(at), "export"));
    let name = record.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mark = || (record.owner.late || is_of_canvas(name)).then_some(HandedIn { at: None, by: "export" });
    let file = || record.file_time.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    roster.or(export).or_else(mark).or_else(|| Some(told(At::Exact(file()?), "file")))
}

/// When a lab is due.
pub fn due(lab: &Lab) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(&lab.due?.to_string().replacen(' ', "T", 1), &Rfc3339).ok()
}

/// Hours after a due date, in hundredths, 0 for work in time; none where nobody says them.
pub fn hours(record: &Record, due: OffsetDateTime, handed_in: Option<HandedIn>) -> Option<f64> {
    let at = match handed_in?.at {
        None => return (!record.owner.late).then_some(0.0),
        Some(At::Exact(at)) => at,
        Some(At::Local(at)) => at.assume_offset(due.offset()),
    };
    // Rounded up, so that no late work is in time.
    Some(((at - due).as_seconds_f64() / 36.0).ceil().max(0.0) / 100.0)
}

/// Lateness for people: empty where work is in time.
pub fn words(record: &Record, hours: Option<f64>) -> String {
    match hours {
        Some(0.0) => String::new(),
        Some(hours) => format!("{hours} h"),
        None if record.owner.late => "marked late".to_owned(),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms::dates::of_roster;

    #[test]
    fn lateness_is_told_by_whoever_knows_best() {
        let due = OffsetDateTime::parse("2026-11-30T23:59:00+01:00", &Rfc3339).unwrap();
        let mut record = Record::default();
        let of = |record: &Record, student: Option<&Student>| {
            let handed_in = handed_in(record, student);
            let hours = hours(record, due, handed_in);
            (handed_in.map_or("", |handed_in| handed_in.by), words(record, hours))
        };
        assert_eq!(of(&record, None), ("", "unknown".to_owned()));
        // 2026-12-01T01:00:30+01:00.
        record.file_time = Some(1_796_083_230);
        assert_eq!(of(&record, None), ("file", "1.03 h".to_owned()));
        record.path = "doejane_1234_5678_labs.zip".into();
        assert_eq!(of(&record, None), ("export", String::new()), "the time is the download's");
        record.owner.late = true;
        assert_eq!(of(&record, None), ("export", "marked late".to_owned()));
        record.owner.handed_in = Some("Nov 30, 2026 1159 PM".to_owned());
        assert_eq!(of(&record, None), ("export", String::new()));
        for (text, words) in [
            ("2026-12-03T00:59:00Z", "50 h"),
            ("2026-12-01 00:00", "0.02 h"),
            ("2026-11-30 12:00", ""),
            ("Tuesday, 1 December 2026, 11:59 PM", "24 h"),
            ("Dienstag, 1. Dezember 2026, 11:59", "12 h"),
        ] {
            let student = Student { handed_in: of_roster(text), ..Student::default() };
            assert_eq!(of(&record, Some(&student)), ("roster", words.to_owned()), "{text}");
        }
    }
}
