//! Times as learning platforms, rosters and people write them.

use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

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

/// A time for people.
pub fn shown(at: At) -> String {
    let (date, time) = match at {
        At::Exact(at) => return at.format(&Rfc3339).unwrap_or_default(),
        At::Local(at) => (at.date(), at.time()),
    };
    format!("{date} {:02}:{:02}", time.hour(), time.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

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
