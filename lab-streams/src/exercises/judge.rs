//! Verdicts on schedules: looked at as data, then carried out with a kernel of this folder, so that a verdict does not depend on another
//! exercise.

use super::batches::{batch, workload};
use super::printed;
use super::questions::{self, Scrutiny};
use crate::Engine;
use crate::schedule::{Action, Lane, Order, Schedule, Step};
use crate::timeline::{Overlap, Span, Track};
use anyhow::ensure;
use common::device::Device;
use common::element::Dtype;
use common::exercise::{Failure, Outcome, Panel};
use common::matrix::distinct_seed;
use kernels::{Source, WRONG_RESULT};

/// The rung that a schedule belongs to: where its matrices live.
fn rung_of(exercise: &str) -> &str {
    match exercise {
        "resident" => "without_transfers",
        "streamed" => "streamed_pinned",
        other => other,
    }
}

/// Looks at each schedule as data, then carries out those that are to be.
pub fn schedule(device: &Device, name: &str, seed: u64, lines: &[String]) -> anyhow::Result<Outcome> {
    let batches = questions::batches(seed);
    ensure!(lines.len() == batches.len(), "{} schedules for {} questions", lines.len(), batches.len());
    let asked: Vec<(questions::Batch, Schedule)> = batches
        .into_iter()
        .zip(lines)
        .map(|(asked, line)| Ok((asked, printed::schedule(line, asked.count, asked.ring)?)))
        .collect::<anyhow::Result<_>>()?;
    let mut outcome = Outcome { not_started: asked.iter().all(|(_, s)| s.steps.is_empty()), ..Outcome::default() };
    if outcome.not_started {
        return Ok(outcome);
    }
    for (questions::Batch { count, ring, .. }, schedule) in &asked {
        if let Some(defect) = defect(name, schedule, *count) {
            outcome.failure = Some(Failure::new("plan", format!("{}, ring of {ring}: {defect}", items(*count))));
            return Ok(outcome);
        }
    }
    let source = fixture()?;
    let (_, batch) = batch(rung_of(name))?;
    // The worst of all schedules in each: a technique is shown by all of them, or it is not.
    let mut panel = Panel::new();
    for (nth, (questions::Batch { count, ring, scrutiny }, schedule)) in asked.iter().enumerate() {
        let (count, ring) = (*count, *ring);
        merge(&mut panel, figures(schedule, count, ring));
        let extent = match scrutiny {
            Scrutiny::Data => continue,
            Scrutiny::Run => 1000 + nth,
            Scrutiny::Measured if [count, ring] == questions::TIMED => TIMED_EXTENT,
            Scrutiny::Measured => MEASURED_EXTENT,
        };
        let workload = workload(extent, count, Dtype::F64, distinct_seed(seed, nth as u64));
        let mut engine = Engine::<f64>::new(device, &source, &workload, batch, ring, |_| schedule.clone())?;
        engine.fill_inputs()?;
        engine.run(false)?;
        let check = engine.check()?;
        let traced = engine.run(true)?;
        // Once more after the timed run: an order that is right by chance may be wrong the next time.
        for check in [check, engine.check()?] {
            if let Some(mismatch) = check.mismatch.filter(|_| !check.correct) {
                let story = format!(
                    "{}, ring of {ring}: {mismatch}\n  a copy or a kernel did not wait for what it needs",
                    items(count)
                );
                outcome.failure = Some(Failure::new(WRONG_RESULT, story));
                return Ok(outcome);
            }
        }
        if *scrutiny == Scrutiny::Measured {
            let covered = covered_smaller_percent(&traced.spans);
            merge(
                &mut panel,
                vec![
                    (covered, f64::min, "covered_smaller_percent"),
                    (covered, f64::max, "covered_smaller_percent_most"),
                ],
            );
        }
        if [count, ring] == questions::TIMED {
            panel.insert("time_us".to_owned(), traced.elapsed_ms * 1e3);
            panel.insert("hidden_percent".to_owned(), Overlap::of(&traced.spans).hidden_percent().unwrap_or(0.0));
            panel.insert("lanes".to_owned(), schedule.lanes.len() as f64);
        }
    }
    outcome.panel = panel;
    Ok(outcome)
}

/// Elements of an item of the timed batch: a copy of a megabyte takes 80 µs.
const TIMED_EXTENT: usize = 1 << 17;
/// The extent of the other measured batches, whatever their number: a copy takes eight times as long as the host's call, so that the order of the calls
/// decides little.
const MEASURED_EXTENT: usize = 1 << 16;

/// A figure of one schedule, which of two is the worse one, its name.
type Figure = (f64, fn(f64, f64) -> f64, &'static str);

/// Keeps the worse of each figure.
fn merge(panel: &mut Panel, figures: Vec<Figure>) {
    for (value, worse, name) in figures {
        let kept = panel.entry(name.to_owned()).or_insert(value);
        *kept = worse(*kept, value);
    }
}

/// Pieces of an item that are looked at, where steps are for parts of it: a multiple of the usual numbers.
const PIECES: usize = 840;

/// Why a schedule cannot be right whatever the device does.
fn defect(name: &str, schedule: &Schedule, count: usize) -> Option<String> {
    if let Some(refusal) = schedule.refusal(count) {
        return Some(refusal);
    }
    let copies = usize::from(!matches!(name, "resident" | "mapped"));
    if schedule.resident != (name == "resident") {
        return Some(
            "`resident` says whether the data stays on the device around the clock; it is wrong here".to_owned(),
        );
    }
    for item in 0..count {
        for (action, wanted) in [(Action::CopyIn, copies), (Action::Kernel, 1), (Action::CopyOut, copies)] {
            let steps = schedule.steps.iter().filter(|step| step.item == item && step.action == action);
            let parts: Vec<_> = steps.map(|step| step.part.range(PIECES)).collect();
            let times = |piece: usize| parts.iter().filter(|part| part.contains(&piece)).count();
            if (0..PIECES).any(|piece| times(piece) != wanted) {
                let all = parts.len();
                return Some(format!("item {item} has {all} steps {action:?}; each piece of it needs {wanted}"));
            }
        }
        let slots = |step: &&Step| {
            step.item == item && matches!(step.action, Action::CopyIn | Action::Kernel | Action::CopyOut)
        };
        let mut own = schedule.steps.iter().filter(slots).map(|step| step.slot);
        let first = own.next().flatten();
        if own.any(|slot| slot != first) || (first.is_some() == (name == "mapped")) {
            return Some(format!(
                "the steps of item {item} do not have the same buffers, or have some where none belong"
            ));
        }
    }
    let (earlier, later) = schedule.hazard()?;
    let [a, b] = [earlier, later].map(|place| schedule.steps[place]);
    let vain = schedule.vain_wait().map_or(String::new(), |place| {
        format!("\n  step {place} waits for an event that no step before it marks: such a wait holds nothing up")
    });
    Some(format!(
        "step {later} ({:?} of item {}) touches the buffers of step {earlier} ({:?} of item {}), and nothing orders the two{vain}",
        b.action, b.item, a.action, a.item
    ))
}

/// The figures that a schedule shows as data.
fn figures(schedule: &Schedule, count: usize, ring: usize) -> Vec<Figure> {
    let order = schedule.order();
    let kernels = schedule.steps.iter().filter(|step| step.action == Action::Kernel);
    let on = |lane: Lane| kernels.clone().filter(|step| schedule.lanes[step.lane] == lane).count() as f64;
    vec![
        (on(Lane::Default), f64::min, "default_lane_kernels"),
        (on(Lane::Default), f64::max, "default_lane_kernels_most"),
        (on(Lane::NonBlocking), f64::max, "non_blocking_kernels"),
        (schedule.slots.saturating_sub(ring) as f64, f64::max, "slots_over_ring"),
        (f64::from(u8::from(schedule.copies_block)), f64::min, "copies_block"),
        (ends_in_parts_percent(schedule, &order), f64::min, "ends_in_parts_percent"),
        (engines_held_up(schedule, &order) as f64, f64::max, "engines_held_up"),
        (items_beside(schedule, &order) as f64, f64::max, "items_beside"),
        (default_lane_off_middle(schedule, count), f64::max, "default_lane_off_middle"),
    ]
}

/// Steps that stand after a step of the item before although another engine does them, in other buffers: a copy in after a kernel or a copy out, and a
/// kernel after a copy out.
fn engines_held_up(schedule: &Schedule, order: &Order) -> usize {
    let places = |action| (0..schedule.steps.len()).filter(move |&place| schedule.steps[place].action == action);
    let mut items: Vec<usize> = places(Action::Kernel).map(|place| schedule.steps[place].item).collect();
    items.dedup();
    let waits =
        [(Action::Kernel, Action::CopyIn), (Action::CopyOut, Action::CopyIn), (Action::CopyOut, Action::Kernel)];
    let held_up = |pair: &[usize], (earlier, later): (Action, Action)| {
        let of = |action, item| places(action).find(|&place| schedule.steps[place].item == item);
        of(earlier, pair[0]).zip(of(later, pair[1])).is_some_and(|(before, after)| {
            schedule.steps[before].slot != schedule.steps[after].slot && order.is_before(before, after)
        })
    };
    items.windows(2).map(|pair| waits.iter().filter(|wait| held_up(pair, **wait)).count()).sum()
}

/// Kernels that nothing orders after the one before.
fn items_beside(schedule: &Schedule, order: &Order) -> usize {
    let is_kernel = |place: &usize| schedule.steps[*place].action == Action::Kernel;
    let kernels: Vec<usize> = (0..schedule.steps.len()).filter(is_kernel).collect();
    kernels.windows(2).filter(|pair| !order.is_before(pair[0], pair[1])).count()
}

/// Items between the middle of the batch and the kernel on the default stream that is the furthest from it.
fn default_lane_off_middle(schedule: &Schedule, count: usize) -> f64 {
    let on_it = |step: &&Step| step.action == Action::Kernel && schedule.lanes[step.lane] == Lane::Default;
    schedule.steps.iter().filter(on_it).map(|step| step.item.abs_diff(count / 2)).max().unwrap_or(0) as f64
}

/// How early the ends of a batch may be worked on, as data: of the input of the item that comes in first, the share that its kernels need not
/// wait for, and of the kernels of the one that goes out last, the share that its copies out need not wait for; on average, and the smaller of
/// the two. An item in one piece has 0, two halves have 25, many small parts nearly 50; a part that is tiny, or one that is nearly all of the
/// item, makes no difference.
fn ends_in_parts_percent(schedule: &Schedule, order: &Order) -> f64 {
    let items = |action| schedule.steps.iter().filter(move |step| step.action == action).map(|step| step.item);
    let (Some(first), Some(last)) = (items(Action::CopyIn).next(), items(Action::CopyOut).next_back()) else {
        return 0.0;
    };
    let share = |place: usize| {
        let part = schedule.steps[place].part;
        (part.end - part.start) as f64 / part.of as f64
    };
    let of = |action: Action, item: usize| -> Vec<usize> {
        let steps = schedule.steps.iter().enumerate();
        steps.filter(|(_, step)| step.item == item && step.action == action).map(|(place, _)| place).collect()
    };
    let not_awaited = |earlier: Action, later: Action, item: usize| -> f64 {
        let earlier = of(earlier, item);
        let of_one = |place: usize| -> f64 {
            earlier
                .iter()
                .filter(|&&before| !order.is_before(before, place))
                .map(|&before| share(before))
                .fold(0.0, |a, b| a + b)
        };
        of(later, item).into_iter().map(|place| share(place) * of_one(place)).fold(0.0, |a, b| a + b)
    };
    not_awaited(Action::CopyIn, Action::Kernel, first).min(not_awaited(Action::Kernel, Action::CopyOut, last)) * 100.0
}

/// Share of the smaller copy side's time during which a kernel ran or the other side copied; 0 without copies.
fn covered_smaller_percent(spans: &[Span]) -> f64 {
    let of = |tracks: &[Track]| -> Vec<(f64, f64)> {
        spans.iter().filter(|span| tracks.contains(&span.track)).map(|span| (span.start_ms, span.end_ms)).collect()
    };
    let sides =
        [Track::CopyIn, Track::CopyOut].map(|track| (of(&[track]).iter().map(|(a, b)| b - a).sum::<f64>(), track));
    let (length, side) = if sides[0].0 <= sides[1].0 { sides[0] } else { sides[1] };
    let other = if side == Track::CopyIn { Track::CopyOut } else { Track::CopyIn };
    let others = of(&[Track::Kernel, other]);
    let covered: f64 = of(&[side]).into_iter().map(|span| covered(span, &others)).sum();
    if length > 0.0 { covered / length * 100.0 } else { 0.0 }
}

/// How much of one interval lies under others, which may overlap.
fn covered((start, end): (f64, f64), others: &[(f64, f64)]) -> f64 {
    let mut inside: Vec<(f64, f64)> =
        others.iter().map(|(a, b)| (a.max(start), b.min(end))).filter(|(a, b)| a < b).collect();
    inside.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut reached) = (0.0, start);
    for (a, b) in inside {
        if b > reached {
            sum += b - a.max(reached);
            reached = b;
        }
    }
    sum
}

/// The kernel that schedules are carried out with, under the name that the lab launches.
fn fixture() -> anyhow::Result<Source> {
    let text = include_str!("touch.cu");
    let rung = kernels::with_text("streams", "one_touch", text.to_owned())?;
    let source = Source { path: "lab-streams/src/exercises/touch.cu", ..rung };
    kernels::adopt(&source, include_str!("touch.ptx"));
    Ok(source)
}

/// "1 item", "2 items".
pub(super) fn items(count: usize) -> String {
    format!("{count} item{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Part;

    #[test]
    fn overlapping_cover_counts_once() {
        assert_eq!(covered((0.0, 10.0), &[(1.0, 3.0), (2.0, 4.0), (9.0, 20.0)]), 4.0);
        assert_eq!(covered((0.0, 10.0), &[]), 0.0);
    }

    #[test]
    fn a_schedule_without_its_waits_is_defective_as_data() {
        let pipelined = crate::schedules::pipelined(6, 2);
        assert_eq!(defect("pipelined", &pipelined, 6), None);
        assert!(defect("pipelined", &pipelined.without_waits(), 6).unwrap().contains("nothing orders"));
        // Waits that come before what they wait for.
        let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);
        let loaded = schedule.new_mark();
        schedule.push(0, 0, Some(0), Action::CopyIn);
        schedule.push(0, 1, Some(0), Action::Await(loaded));
        schedule.push(0, 0, Some(0), Action::Mark(loaded));
        schedule.push(0, 1, Some(0), Action::Kernel);
        schedule.push(0, 1, Some(0), Action::CopyOut);
        let said = defect("streamed", &schedule, 1).unwrap();
        assert!(
            said.contains("nothing orders the two\n  step 1 waits for an event that no step before it marks"),
            "{said}"
        );
        schedule.steps.swap(1, 2);
        assert_eq!(defect("streamed", &schedule, 1), None);
    }

    #[test]
    fn ends_are_in_parts_by_how_much_of_them_need_not_wait() {
        let ends_in_parts_percent = |schedule: &Schedule| super::ends_in_parts_percent(schedule, &schedule.order());
        let strips = crate::schedules::strips(6, 3);
        assert!((ends_in_parts_percent(&strips) - 32.8125).abs() < 1e-9, "{}", ends_in_parts_percent(&strips));
        assert_eq!(ends_in_parts_percent(&crate::schedules::pipelined(6, 3)), 0.0);
        // All parts of a tiny one and of all the rest: as good as one.
        for cut in [1, 65_535] {
            let mut schedule = Schedule::new(vec![Lane::NonBlocking], 1);
            for (start, end) in [(0, cut), (cut, 65_536)] {
                for action in [Action::CopyIn, Action::Kernel, Action::CopyOut] {
                    schedule.push_part(0, 0, Some(0), action, Part { start, end, of: 65_536 });
                }
            }
            assert!(ends_in_parts_percent(&schedule) < 0.01, "{cut}: {}", ends_in_parts_percent(&schedule));
        }
    }

    #[test]
    fn engines_that_share_a_lane_hold_each_other_up() {
        let held_up = |schedule: &Schedule| engines_held_up(schedule, &schedule.order());
        let pipelined = crate::schedules::pipelined(6, 3);
        assert_eq!([held_up(&pipelined), held_up(&crate::schedules::strips(6, 3))], [0, 0]);
        // Items in one set of buffers have to wait.
        assert_eq!(held_up(&crate::schedules::pipelined(6, 1)), 0);
        for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            let mut shared = pipelined.clone();
            shared.steps.iter_mut().filter(|step| step.lane == from).for_each(|step| step.lane = to);
            assert!(held_up(&shared) >= 5, "{from} {to}: {}", held_up(&shared));
        }
    }
}
