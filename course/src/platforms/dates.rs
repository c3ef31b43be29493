//! Times as rosters and people write them.

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, PrimitiveDateTime};

/// A time that was read somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// With its offset.
    Exact(OffsetDateTime),
    /// As a clock on a wall of the course showed it.
    Local(PrimitiveDateTime),
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
pub fn text_of(at: At) -> String {
    let (date, time) = match at {
        At::Exact(at) => return at.format(&Rfc3339).unwrap_or_default(),
        At::Local(at) => (at.date(), at.time()),
    };
    format!("{date} {:02}:{:02}", time.hour(), time.minute())
}
