//! One file per way to order a batch of copies and kernels.

mod default_stream;
mod mapped;
mod pipelined;
mod resident;
mod streamed;
mod strips;
mod synchronous;

pub use default_stream::default_stream;
pub use mapped::mapped;
pub use pipelined::pipelined;
pub use resident::{resident, resident_concurrent};
pub use streamed::streamed;
pub use strips::strips;
pub use synchronous::synchronous;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Action, Schedule};

    const RING: usize = 3;
    const COUNTS: [usize; 5] = [1, 2, 3, 10, 70];

    fn all(count: usize) -> [(&'static str, Schedule); 8] {
        [
            ("synchronous", synchronous(count, RING)),
            ("streamed", streamed(count, RING)),
            ("default_stream", default_stream(count, RING)),
            ("mapped", mapped(count, RING)),
            ("pipelined", pipelined(count, RING)),
            ("strips", strips(count, RING)),
            ("resident", resident(count, RING)),
            ("resident_concurrent", resident_concurrent(count, RING)),
        ]
    }

    #[test]
    fn every_item_is_copied_in_computed_and_copied_out_once() {
        for count in COUNTS {
            for (name, schedule) in all(count) {
                for item in 0..count {
                    // How often each eighth of the item.
                    let times = |action| {
                        let of_item = schedule.steps.iter().filter(|step| step.item == item && step.action == action);
                        let parts: Vec<_> = of_item.map(|step| step.part.range(8)).collect();
                        [0, 1, 2, 3, 4, 5, 6, 7]
                            .map(|eighth| parts.iter().filter(|part| part.contains(&eighth)).count())
                    };
                    let copies = usize::from(schedule.slots > 0 && !schedule.resident);
                    let found = [Action::CopyIn, Action::Kernel, Action::CopyOut].map(times);
                    assert_eq!(found, [[copies; 8], [1; 8], [copies; 8]], "{name}, item {item} of {count}");
                }
            }
        }
    }

    #[test]
    fn no_schedule_lets_two_items_meet_in_a_buffer() {
        for count in COUNTS {
            for (name, schedule) in all(count) {
                assert_eq!(schedule.hazard(), None, "{name} of {count}");
                assert!(schedule.steps.iter().all(|step| step.lane < schedule.lanes.len()), "{name}");
                assert!(schedule.steps.iter().all(|step| step.slot.is_none_or(|slot| slot < schedule.slots)), "{name}");
            }
        }
    }

    #[test]
    fn the_pipeline_needs_its_waits() {
        assert!(pipelined(10, RING).without_waits().hazard().is_some());
        assert!(strips(10, RING).without_waits().hazard().is_some());
    }
}
