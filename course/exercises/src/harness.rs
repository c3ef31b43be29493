//! Host-side exercises: a student's Rust is a function from numbers to a plan. It is built into a small program that reads the numbers of
//! [`Questions`](crate::questions::Questions) and prints the plans; what comes out is checked and carried out by others, so there is nothing that
//! it could forge.

use crate::table::Exercise;
use anyhow::{Context, bail};
use lab_gemm::strategies::Memory;
use lab_gemv::strategies::{Buffer, Turn};
use lab_streams::schedule::{Action, Lane, Part, Schedule};
use std::path::Path;

const SCHEDULE: &str = include_str!("../../../lab-streams/src/schedule.rs");
const TURN: &str = include_str!("../../../lab-gemv/src/strategies/turn.rs");
const ROOM: &str = include_str!("../../../lab-gemv/src/strategies/room.rs");
const MEMORY: &str = include_str!("../../../lab-gemm/src/strategies/memory.rs");

/// Calls at most for each item of a batch, of which there are three more to be generous. A whole item needs nine: three pieces of work, each with
/// a wait and an event; one in sixteen parts, each of which waits for all parts of another, some four hundred.
const CALLS_PER_ITEM: usize = 256;
/// Launches at most: the longest plan that is asked for has twenty.
const MOST_LAUNCHES: usize = 64;

/// What the main function of the program does with one line of numbers `n`.
struct Program {
    types: String,
    place: &'static str,
    call: String,
}

/// Writes the program around a student's text into a folder.
///
/// # Errors
/// An exercise that has no program; a folder that cannot be written.
pub fn write(exercise: &Exercise, text: &str, folder: &Path) -> anyhow::Result<()> {
    let Program { types, place, call } = program(exercise)?;
    let modules = folder.join(place);
    std::fs::create_dir_all(&modules)?;
    std::fs::write(modules.join("student.rs"), text)?;
    if place == "schedules" {
        std::fs::write(folder.join("schedule.rs"), without_tests(SCHEDULE))?;
        std::fs::write(modules.join("mod.rs"), "pub mod student;\n")?;
    } else {
        std::fs::write(modules.join("mod.rs"), format!("pub mod student;\n{types}"))?;
    }
    let first = if place == "schedules" { "mod schedule;\n" } else { "" };
    let main = format!(
        "{first}mod {place};\nuse {place}::*;\nfn main() {{\n    let mut lines = std::io::stdin().lines();\n    \
         let word = lines.next().unwrap().unwrap();\n    for line in lines {{\n        \
         let n: Vec<usize> = line.unwrap().split(' ').map(|word| word.parse().unwrap()).collect();\n        \
         let plan = {call};\n        println!(\"\\n{{word}} {{plan}}\");\n    }}\n}}\n"
    );
    std::fs::write(folder.join("main.rs"), main).context("writing the program")
}

fn program(exercise: &Exercise) -> anyhow::Result<Program> {
    Ok(match (exercise.lab.as_str(), exercise.name.as_str()) {
        ("gemm", "result_memory") => Program {
            types: types_of(&[MEMORY]),
            place: "strategies",
            call: "format!(\"{:?}\", student::result_memory(n[0]))".to_owned(),
        },
        ("gemv", "repeated_launches") => Program {
            types: types_of(&[TURN, ROOM]),
            place: "strategies",
            call: "student::turns(n[0], n[1]).iter().map(|t| format!(\"{:?} {:?} {} {} {} \", t.input, t.output, t.columns, \
                   t.blocks, t.multiply as usize)).collect::<String>()"
                .to_owned(),
        },
        ("gemv", "cooperative_grid") => Program {
            types: types_of(&[TURN, ROOM]),
            place: "strategies",
            call: "{ let [c, r] = student::grid(Room { blocks_per_multiprocessor: n[0], multiprocessors: n[1], \
                   rows_of_blocks: n[2], columns_of_blocks: n[3] }); format!(\"{c} {r}\") }"
                .to_owned(),
        },
        ("streams", name) => Program {
            types: String::new(),
            place: "schedules",
            call: format!(
                "{{ let s = student::{name}(n[0], n[1]); let lanes: String = s.lanes.iter().map(|l| format!(\"{{l:?}} \")).collect(); \
                 let steps: String = s.steps.iter().map(|t| format!(\"{{}} {{}} {{}} {{}} {{}} {{}} {{:?}} \", t.item, t.lane, t.slot.map_or(-1, |s| \
                 s as i64), t.part.start, t.part.end, t.part.of, t.action)).collect(); format!(\"{{}} {{}} {{}} {{}} {{}} {{lanes}}{{steps}}\", s.slots, s.marks, \
                 s.copies_block as usize, s.resident as usize, s.lanes.len()) }}"
            ),
        },
        _ => bail!("{} has no program around it", exercise.id()),
    })
}

/// A lab's types, in one module: without their files' own headings.
fn types_of(files: &[&str]) -> String {
    let lines = files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with("//!"));
    without_tests(&lines.map(|line| format!("{line}\n")).collect::<String>())
}

fn without_tests(text: &str) -> String {
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

/// A printed schedule for a batch of `count` items and `ring` sets of buffers.
///
/// # Errors
/// A line that is none; one with many times as much of anything as such a batch needs. That is refused before anything is made of it.
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

/// Printed launches.
///
/// # Errors
/// A line that is none.
pub fn turns(line: &str) -> anyhow::Result<Vec<Turn>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let buffer = |word: &str| match word {
        "A" => Ok(Buffer::A),
        "Even" => Ok(Buffer::Even),
        "Odd" => Ok(Buffer::Odd),
        "B" => Ok(Buffer::B),
        _ => bail!("'{word}' is no buffer"),
    };
    let turn = |five: &[&str]| -> anyhow::Result<Turn> {
        let [input, output, columns, blocks, multiply] = five else { bail!("a launch is cut off") };
        Ok(Turn {
            input: buffer(input)?,
            output: buffer(output)?,
            columns: columns.parse()?,
            blocks: blocks.parse()?,
            multiply: *multiply == "1",
        })
    };
    if words.len() > 5 * MOST_LAUNCHES {
        bail!(
            "the plan has {} launches; no row here needs more than 20, and more than {MOST_LAUNCHES} are refused",
            words.len() / 5
        );
    }
    words.chunks(5).map(turn).collect()
}

/// A printed choice of memory.
///
/// # Errors
/// A line that is none.
pub fn memory(line: &str) -> anyhow::Result<Memory> {
    match line.trim() {
        "Pageable" => Ok(Memory::Pageable),
        "Pinned" => Ok(Memory::Pinned),
        other => bail!("'{other}' is no kind of memory"),
    }
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
        assert!(turns(&"A B 1 1 1 ".repeat(65)).unwrap_err().to_string().contains("65 launches"));
    }

    #[test]
    fn the_types_stand_alone() {
        let gemv = types_of(&[TURN, ROOM]);
        assert!(
            gemv.contains("pub struct Turn") && gemv.contains("pub struct Room") && !gemv.contains("//!"),
            "{gemv}"
        );
        assert!(types_of(&[MEMORY]).contains("pub enum Memory"));
    }
}
