//! When the entries of an archive were written, and which of two archives is the newer one.

use super::names::{attempt, printable};
use crate::platforms::dates::{self, At};
use std::cmp::Ordering;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

/// 1981: what is older was made without a time. A zip's first year is 1980, a tar's 1970.
const FIRST: i64 = 347_155_200;
/// Seconds by which a clock on a wall may differ from universal time, and by which a time is no future one.
const ZONES: i64 = 14 * 3600;

/// When an entry was written: seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Written {
    seconds: i64,
    /// True if a clock on a wall showed it so, of which nobody says where it hangs.
    local: bool,
}

impl Written {
    fn of(seconds: i64, local: bool) -> Option<Self> {
        (seconds >= FIRST).then_some(Written { seconds, local })
    }

    pub(super) fn in_zip(at: zip::DateTime) -> Option<Self> {
        let (year, month) = (at.year().into(), Month::try_from(at.month()).ok()?);
        let date = Date::from_calendar_date(year, month, at.day()).ok()?;
        let time = Time::from_hms(at.hour(), at.minute(), at.second()).ok()?;
        Written::of(PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp(), true)
    }

    pub(super) fn in_tar(header: &tar::Header) -> Option<Self> {
        Written::of(i64::try_from(header.mtime().ok()?).ok()?, false)
    }

    /// Which was later; nothing for a future one, for the same time, and for two that zones could turn round.
    fn compared(self, other: Self) -> Option<Ordering> {
        let future = OffsetDateTime::now_utc().unix_timestamp() + ZONES;
        let least = if self.local == other.local { 0 } else { ZONES };
        let certain = self.seconds.max(other.seconds) <= future && self.seconds.abs_diff(other.seconds) > least as u64;
        certain.then(|| self.cmp(&other))
    }
}

/// An archive that was looked into.
#[derive(Clone, Debug)]
pub(super) struct Archive {
    /// Its entries begin with this number.
    pub(super) first: usize,
    pub(super) name: Vec<u8>,
    /// When the newest file in it was written.
    pub(super) newest: Option<Written>,
}

impl Archive {
    /// A sorting key; whether the one of two that comes later is certainly newer, [`Archive::is_newer`] says.
    pub(super) fn age(&self) -> (Option<Written>, u32) {
        (self.newest, attempt(&self.name).1)
    }

    /// Returns whether it is certainly newer: its times say so, or the number that a platform or a browser gives to a later one of the same name, and
    /// neither says otherwise.
    pub(super) fn is_newer(&self, other: &Self) -> bool {
        let by_time = self.newest.zip(other.newest).and_then(|(own, other)| own.compared(other));
        let [(own, number), (others, older)] = [self, other].map(|archive| attempt(&archive.name));
        let by_name = (own == others && number != older).then(|| number.cmp(&older));
        let said = [by_time, by_name];
        said.contains(&Some(Ordering::Greater)) && !said.contains(&Some(Ordering::Less))
    }

    /// Its name, and what its listing says of its age.
    pub(super) fn told(&self) -> String {
        let at = self.newest.and_then(|written| {
            let at = OffsetDateTime::from_unix_timestamp(written.seconds).ok()?;
            Some(dates::text_of(if written.local {
                At::Local(PrimitiveDateTime::new(at.date(), at.time()))
            } else {
                At::Exact(at)
            }))
        });
        let age = at.map_or("no time in it".to_owned(), |at| format!("its newest file is of {at}"));
        format!("'{}' ({age})", printable(&self.name))
    }
}
