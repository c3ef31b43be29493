//! Schedules as a student's program prints them.

use crate::schedule::{Action, Lane, Part, Schedule};
use anyhow::{Context, bail};

/// Calls at most for each item of a batch, of which there are three more to be generous. A whole item needs nine: three pieces of work, each with
/// a wait and an event; one in sixteen parts, each of which waits for all parts of another, some four hundred.
const CALLS_PER_ITEM: usize = 256;

/// A printed schedule for a batch of `count` items and `ring` sets of buffers.
/// Errors: a line that is none; one with many times as much of anything as such a batch needs. That is refused before anything is made of it.
pub fn schedule(line: &str, count: usize, ring: usize) -> anyhow::Result<Schedule> {
    let mut words = line.split_whitespace();
    let mut number = |what: &str| -> anyhow::Result<usize> {
        words.next().and_then(|word| word.parse().ok()).with_context(|| format!("not a schedule: no {what}"))
    };
    let (slots, marks) = (number("slots")?, number("events")?);
    let (copies_block, resident) = (number("blocking")? == 1, number("resident")? == 1);
    let lanes = number("lanes")?;
    let most_calls = CALLS_PER_ITEM * (count + 3);
    for (what, has, needs, most) in [
        ("lanes", lanes, 3 * count, 3 * count + 16),
        ("slots", slots, count.max(ring), count + ring + 16),
        ("events", marks, 3 * count, most_calls),
    ] {
        if has > most {
            bail!(
                "the schedule has {has} {what}; {count} items need no more than {needs}, and more than {most} are refused"
            );
        }
    }
    let lane = |word: Option<&str>| match word {
        Some("Default") => Ok(Lane::Default),
        Some("Blocking") => Ok(Lane::Blocking),
        Some("NonBlocking") => Ok(Lane::NonBlocking),
        _ => bail!("not a schedule: no lane"),
    };
    let lanes = (0..lanes).map(|_| lane(words.next())).collect::<anyhow::Result<_>>()?;
    let mut schedule = Schedule { slots, marks, copies_block, resident, ..Schedule::new(lanes, slots) };
    while let Some(item) = words.next() {
        if schedule.steps.len() == most_calls {
            bail!(
                "the schedule has more than {most_calls} calls, and no more are looked at: {count} items need {}\n  \
                 for each item three pieces of work, each with a wait and an event; do its loops add steps without end?",
                9 * count
            );
        }
        let mut word = || words.next().context("not a schedule: a step is cut off");
        let (item, lane, slot) = (item.parse()?, word()?.parse()?, word()?.parse::<i64>()?);
        let part = Part { start: word()?.parse()?, end: word()?.parse()?, of: word()?.parse()? };
        if part.start >= part.end || part.end > part.of || part.of > 1 << 16 {
            bail!("a step is for the pieces {} to {} of {}", part.start, part.end, part.of);
        }
        let action = word()?;
        let mark = |prefix: &str| action.strip_prefix(prefix)?.strip_suffix(')')?.parse().ok();
        let action = match action {
            "CopyIn" => Action::CopyIn,
            "Kernel" => Action::Kernel,
            "CopyOut" => Action::CopyOut,
            _ => match (mark("Mark("), mark("Await(")) {
                (Some(mark), _) => Action::Mark(mark),
                (_, Some(mark)) => Action::Await(mark),
                _ => bail!("not a schedule: '{action}' is no action"),
            },
        };
        schedule.push_part(item, lane, usize::try_from(slot).ok(), action, part);
    }
    Ok(schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_schedule_is_read_and_nonsense_is_refused() {
        let schedule =
            schedule("2 1 0 0 2 NonBlocking Default 0 1 -1 0 1 1 Kernel 0 0 1 0 1 1 Mark(0) ", 1, 1).unwrap();
        assert_eq!((schedule.slots, schedule.lanes.len(), schedule.steps.len()), (2, 2, 2));
        assert_eq!(schedule.steps[0].slot, None);
        for line in [
            "ok",
            "verdict: passed",
            "1 1 0 0 1 Fast",
            "1 1 0 0 0 0 0 0 0 1 1 Win",
            "1 1 0 0 0 0 0 0 0 0 0 Kernel",
            "1 1 0 0 0 0 0",
        ] {
            assert!(super::schedule(line, 1, 1).is_err(), "{line}");
        }
    }

    #[test]
    fn what_no_batch_needs_is_refused_with_its_reason() {
        let refusal = |line: &str| schedule(line, 8, 4).unwrap_err().to_string();
        assert!(refusal("1 60000 0 0 1 Default").contains("has 60000 events; 8 items need no more than 24"));
        assert!(refusal("900 0 0 0 1 Default").contains("has 900 slots"));
        assert!(refusal("1 0 0 0 900 Default").contains("has 900 lanes"));
        let calls = format!("1 1 0 0 1 Default {}", "0 0 0 0 1 1 Mark(0) ".repeat(60_000));
        assert!(refusal(&calls).contains("more than 2816 calls"));
    }
}
