//! When work was handed in, and how long after its due date.

use crate::record::Record;
use crate::roster::Student;
use exercises::table::Lab;
use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time};

/// Short names of months, as Brightspace writes them.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time that was read somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// With its offset.
    Exact(OffsetDateTime),
    /// As a clock on a wall of the course showed it.
    Local(PrimitiveDateTime),
}

/// When a submission was handed in, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// When.
    pub at: At,
    /// "roster", "export", "file": the last is when the file was last written, which a copy may have changed.
    pub by: &'static str,
}

/// A date of Brightspace, such as `Nov 25, 2025 312 PM`.
pub fn of_brightspace(text: &str) -> Option<PrimitiveDateTime> {
    let [month, day, year, clock, half] =
        text.split([' ', ',']).filter(|part| !part.is_empty()).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let month = Month::try_from(u8::try_from(month).ok()? + 1).ok()?;
    let clock: u32 = clock.replace(':', "").parse().ok()?;
    let hour = clock / 100 % 12 + if half == "PM" { 12 } else { 0 };
    let time = Time::from_hms(u8::try_from(hour).ok()?, u8::try_from(clock % 100).ok()?, 0).ok()?;
    Some(PrimitiveDateTime::new(Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()?, time))
}

/// A time of a roster: `2026-11-30T23:59:00+01:00`, or without an offset `2026-11-30 23:59`.
pub fn of_roster(text: &str) -> Option<At> {
    let text = text.trim().replacen(' ', "T", 1);
    if let Ok(at) = OffsetDateTime::parse(&text, &Rfc3339) {
        return Some(At::Exact(at));
    }
    let seconds = if text.matches(':').count() == 1 { ":00" } else { "" };
    let at = OffsetDateTime::parse(&format!("{text}{seconds}Z"), &Rfc3339).ok()?;
    Some(At::Local(PrimitiveDateTime::new(at.date(), at.time())))
}

/// When a submission was handed in, as far as anybody says so: the roster, the export's names, the file.
pub fn handed_in(record: &Record, student: Option<&Student>) -> Option<HandedIn> {
    let roster = student.and_then(|student| student.handed_in).map(|at| HandedIn { at, by: "roster" });
    let export = record.owner.handed_in.as_deref().and_then(of_brightspace);
    let export = export.map(|at| HandedIn { at: At::Local(at), by: "export" });
    let file = record.file_time.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    roster.or(export).or(file.map(|at| HandedIn { at: At::Exact(at), by: "file" }))
}

/// The due date of a lab.
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

/// A time for people.
pub fn shown(at: At) -> String {
    let (date, time) = match at {
        At::Exact(at) => return at.format(&Rfc3339).unwrap_or_default(),
        At::Local(at) => (at.date(), at.time()),
    };
    format!("{date} {:02}:{:02}", time.hour(), time.minute())
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
    use exercises::table::Course;

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
        let _: Option<Course> = None;
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

    #[test]
    fn dates_of_brightspace_are_read() {
        for (text, shown_as) in [
            ("Nov 25, 2025 312 PM", "2025-11-25 15:12"),
            ("Jan 1, 2026 1200 AM", "2026-01-01 00:00"),
            ("Jan 1, 2026 12:30 PM", "2026-01-01 12:30"),
        ] {
            assert_eq!(of_brightspace(text).map(|at| shown(At::Local(at))).as_deref(), Some(shown_as), "{text}");
        }
        assert!(of_brightspace("Foo 1, 2026 100 PM").is_none() && of_brightspace("").is_none());
    }
}
