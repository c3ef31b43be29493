//! The exercises: kernels on one stream, and schedules.

mod batches;
mod judge;
pub mod printed;
mod questions;

use crate::schedule::{Action, Lane, Part, Schedule, Step};
use crate::workload::{GemmKernel, Kind};
use crate::{Batch, Case, DEFAULT_RING, Options, Rung, Streams, Subject, VARIANTS, run_case, run_topic};
use batches::{batch, workload};
use common::command_line::CommonArgs;
use common::device::Device;
use common::element::Dtype;
use common::exercise::{Compared, Judged, PlanProgram, Runs, Strategy, best_times, sampled, without_tests};
use common::result::Row;
use common::shape::Shape;
use common::timing::Runs as Times;
use kernels::Source;

/// How this lab judges.
pub struct Exercises;

impl Judged for Exercises {
    fn lab(&self) -> &'static str {
        "streams"
    }

    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
        kernel(runs, source)
    }

    /// The function of each is named after its exercise.
    fn strategy(&self, exercise: &str) -> Option<Strategy> {
        let name = exercise.to_owned();
        let program = PlanProgram {
            place: "schedules",
            types: String::new(),
            modules: vec![("schedule", without_tests(include_str!("../schedule.rs")))],
            call: format!(
                "{{ let s = student::{name}(n[0], n[1]); let lanes: String = s.lanes.iter().map(|l| format!(\"{{l:?}} \")).collect(); \
                 let steps: String = s.steps.iter().map(|t| format!(\"{{}} {{}} {{}} {{}} {{}} {{}} {{:?}} \", t.item, t.lane, t.slot.map_or(-1, |s| \
                 s as i64), t.part.start, t.part.end, t.part.of, t.action)).collect(); format!(\"{{}} {{}} {{}} {{}} {{}} {{lanes}}{{steps}}\", s.slots, s.marks, \
                 s.copies_block as usize, s.resident as usize, s.lanes.len()) }}"
            ),
        };
        Some(Strategy {
            program,
            questions: |seed| questions::batches(seed).iter().map(|batch| vec![batch.count, batch.ring]).collect(),
            judge: Box::new(move |device, seed, plans| judge::schedule(device, &name, seed, plans)),
        })
    }

    fn compared(&self, exercises: &[String], card: &str) -> anyhow::Result<Vec<Compared>> {
        let schedules: Vec<(&str, &str)> =
            COMPARED.into_iter().filter(|(exercise, _)| exercises.iter().any(|name| name == exercise)).collect();
        let variants: Vec<String> = schedules.iter().map(|(_, variant)| (*variant).to_owned()).collect();
        // A batch is compared whole, so that none of its kernels can be sampled; they are small.
        let common = CommonArgs { sample: None, ..sampled(&variants, &[Shape::square(COMPARED_CHUNK)], card) };
        let options = Options {
            common,
            workload: vec![Kind::Chunks],
            count: None,
            kernel: GemmKernel::default(),
            ring: DEFAULT_RING,
            timeline: None,
        };
        let mut times = best_times::<Streams>(options)?;
        for time in &mut times {
            let of = schedules.iter().find(|(_, variant)| *variant == time.exercise);
            time.exercise = of.map_or(time.exercise.clone(), |(exercise, _)| (*exercise).to_owned());
        }
        Ok(times)
    }
}

/// Exercises and the rows of the lab's table that show them, with the host memory that each needs.
const COMPARED: [(&str, &str); 7] = [
    ("synchronous", "synchronous"),
    ("resident", "without_transfers"),
    ("streamed", "streamed_pinned"),
    ("default_stream", "default_stream"),
    ("mapped", "mapped"),
    ("pipelined", "pipelined"),
    ("strips", "strips"),
];
/// Elements of a chunk: copies of 2 MiB take longer than the calls that order them.
const COMPARED_CHUNK: usize = 1 << 18;

/// Elements: a multiple of everything, one, and more than the topics' grids have threads, no multiple of a chunk.
const LENGTHS: [usize; 3] = [4096, 1, 60_003];
/// Elements of a chunk of which each launch of [`in_two_launches`] has more chunks, or elements that begin at no multiple of 16 bytes, than the
/// largest grid has threads.
const LONG: usize = 560_003;
/// Elements of the measured run.
const LENGTH: usize = 8192;

/// One item after the other on the default stream: as in the row `synchronous`, but not with the student's schedule.
fn one_after_the_other(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    schedule.copies_block = true;
    (0..count).for_each(|item| schedule.push_item(item, 0, 0));
    schedule
}

/// The same with the kernel launched for three quarters of each item, and then for the rest, which need not begin at a multiple of 16 bytes.
fn in_two_launches(count: usize, ring: usize) -> Schedule {
    let mut schedule = one_after_the_other(count, ring);
    let kernels = std::mem::take(&mut schedule.steps).into_iter();
    schedule.steps = kernels
        .flat_map(|step| match step.action {
            Action::Kernel => {
                [(0, 3), (3, 4)].map(|(start, end)| Step { part: Part { start, end, of: 4 }, ..step }).to_vec()
            }
            _ => vec![step],
        })
        .collect();
    schedule
}

fn kernel(runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
    let mut lengths = LENGTHS.to_vec();
    lengths.extend([runs.extent(100, 3000), runs.extent(100, 3000), LENGTH, LENGTH + runs.size([1024, 2048, 4096])]);
    let drawn = lengths.len() - 1;
    if source.name == "one_touch" {
        lengths.push(LONG);
    }
    for (nth, len) in lengths.into_iter().enumerate() {
        let dtype = runs.dtype(if nth % 2 == 1 && len < LENGTH { Dtype::F64 } else { Dtype::F32 });
        // Among several topics the last one makes the panel: the one that the file is named after.
        let judge = |runs: &mut Runs<'_>, label: &str, run: &dyn Fn(&Device) -> anyhow::Result<Row>| match nth {
            _ if nth == drawn => runs.measure_beside(&format!("at_{len}"), label, run),
            _ if nth + 1 == drawn => drop(runs.measure_share(label, 1.0, run)),
            _ if nth >= LENGTHS.len() && nth < drawn => runs.run_drawn(("", len), label, run),
            _ => drop(runs.run(label, run)),
        };
        if source.name == "one_touch" {
            let (variant, batch) = batch("synchronous")?;
            let schedule = if nth < LENGTHS.len() || nth > drawn { in_two_launches } else { one_after_the_other };
            let (batch, items) = (Batch { schedule, ..batch }, if len == LONG { 1 } else { 3 });
            let case =
                Case { variant, batch, workload: workload(len, items, dtype, runs.next_seed()), ring: DEFAULT_RING };
            let label = format!("one_touch on chunks of {len}, {dtype}");
            judge(runs, &label, &|device| Ok(run_case(device, source, &case, Times::ONCE)?.0));
        } else {
            for variant in VARIANTS {
                if let Rung::Topic(topic) = variant.rung
                    && topic.file() == source.name
                {
                    let (size, seed) = (Shape::square(len), runs.next_seed());
                    let subject = Subject { topic, name: variant.name, size, len, dtype, seed };
                    let label = format!("{} of {len} elements, {dtype}", variant.name);
                    judge(runs, &label, &|device| {
                        let row = run_topic(device, source, &subject, Times::ONCE)?;
                        let no_times = row.figures.get("device_ms").is_some_and(|ms| ms.is_null());
                        anyhow::ensure!(
                            !(no_times && row.correct),
                            "a block has left no times, or an end before its begin"
                        );
                        Ok(row)
                    });
                }
            }
        }
    }
    Ok(())
}
