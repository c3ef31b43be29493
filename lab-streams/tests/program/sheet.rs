//! The schedule that the assignment sheet works through is right, and stands there as it stands here.

use lab_streams::schedule::{Action, Lane, Schedule};

const SHEET: &str = include_str!("../../ASSIGNMENT.md");
const THIS: &str = include_str!("sheet.rs");

#[rustfmt::skip]
fn alternating(count: usize) -> Schedule {
    // BEGIN EXAMPLE
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);     // lanes 0 and 1, slot 0
    for item in 0..count {
        let (loaded, computed) = (schedule.new_mark(), schedule.new_mark());
        schedule.push(item, 0, Some(0), Action::CopyIn);
        schedule.push(item, 0, Some(0), Action::Mark(loaded));           // lane 0: the input is there
        schedule.push(item, 1, Some(0), Action::Await(loaded));          // lane 1 waits for that
        schedule.push(item, 1, Some(0), Action::Kernel);
        schedule.push(item, 1, Some(0), Action::Mark(computed));
        schedule.push(item, 0, Some(0), Action::Await(computed));        // lane 0 waits for the kernel
        schedule.push(item, 0, Some(0), Action::CopyOut);
    }
    schedule
    // END EXAMPLE
}

#[test]
fn the_example_is_the_sheets() {
    let (_, rest) = THIS.split_once("    // BEGIN EXAMPLE\n").expect("a beginning");
    let (example, _) = rest.split_once("    // END EXAMPLE\n").expect("an end");
    assert!(SHEET.contains(example), "lab-streams/ASSIGNMENT.md has another example than this");
}

#[test]
fn the_example_is_right_and_each_of_its_waits_is_needed() {
    let schedule = alternating(3);
    assert_eq!((schedule.refusal(3), schedule.hazard()), (None, None));
    let waits = schedule.steps.iter().filter(|step| matches!(step.action, Action::Await(_))).count();
    assert_eq!(waits, 6);
    for nth in 0..waits {
        let mut without = schedule.clone();
        let place = (0..without.steps.len())
            .filter(|&place| matches!(without.steps[place].action, Action::Await(_)))
            .nth(nth)
            .expect("a wait");
        without.steps.remove(place);
        assert!(without.hazard().is_some(), "wait {nth} is not needed");
    }
    // The sheet tells which pair is found without the first wait for a kernel.
    let mut without = alternating(1);
    without.steps.remove(5);
    assert_eq!(without.hazard(), Some((3, 5)));
}
