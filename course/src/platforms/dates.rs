//! Times as rosters and people write them.

use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

/// A time that was read somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// With its offset.
    Exact(OffsetDateTime),
    /// As a clock on a wall of the course showed it.
    Local(PrimitiveDateTime),
}

/// A time of a roster: `2026-11-30T23:59:00+01:00`, without an offset `2026-11-30 23:59`, or as Moodle writes it in its worksheet,
/// `Monday, 30 November 2026, 11:59 PM`.
pub fn of_roster(text: &str) -> Option<At> {
    if let Some(at) = of_moodle(text) {
        return Some(At::Local(at));
    }
    let text = text.trim().replacen(' ', "T", 1);
    if let Ok(at) = OffsetDateTime::parse(&text, &Rfc3339) {
        return Some(At::Exact(at));
    }
    let seconds = if text.matches(':').count() == 1 { ":00" } else { "" };
    let at = OffsetDateTime::parse(&format!("{text}{seconds}Z"), &Rfc3339).ok()?;
    Some(At::Local(PrimitiveDateTime::new(at.date(), at.time())))
}

/// Begins of the names of months, in small letters, in English and German.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez"];

/// The month of a name's begin.
pub fn month(name: &str) -> Option<Month> {
    let name = name.to_lowercase();
    let place = MONTHS.iter().position(|begins| begins.split(' ').any(|begin| name.starts_with(begin)))?;
    Month::try_from(u8::try_from(place).ok()? + 1).ok()
}

/// A time of a clock of 24 or of twice 12 hours.
pub fn clock(hour: u8, minute: u8, half: Option<&str>) -> Option<Time> {
    let hour = match half.map(str::to_uppercase).as_deref() {
        None => hour,
        Some("AM") => hour % 12,
        Some("PM") => hour % 12 + 12,
        Some(_) => return None,
    };
    Time::from_hms(hour, minute, 0).ok()
}

/// `Monday, 30 November 2026, 11:59 PM`, with or without the day of the week, of a clock of 24 hours too.
fn of_moodle(text: &str) -> Option<PrimitiveDateTime> {
    let words: Vec<&str> = text.split([' ', ',', '\u{a0}', '\u{202f}']).filter(|word| !word.is_empty()).collect();
    let first = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let (day, name, year, at, half) = match words[first..] {
        [day, month, year, at] => (day, month, year, at, None),
        [day, month, year, at, half] => (day, month, year, at, Some(half)),
        _ => return None,
    };
    let (hour, minute) = at.split_once(':')?;
    let date = Date::from_calendar_date(year.parse().ok()?, month(name)?, day.trim_end_matches('.').parse().ok()?);
    Some(PrimitiveDateTime::new(date.ok()?, clock(hour.parse().ok()?, minute.parse().ok()?, half)?))
}

/// A time for people.
pub fn text_of(at: At) -> String {
    let (date, time) = match at {
        At::Exact(at) => return at.format(&Rfc3339).unwrap_or_default(),
        At::Local(at) => (at.date(), at.time()),
    };
    format!("{date} {:02}:{:02}", time.hour(), time.minute())
}
