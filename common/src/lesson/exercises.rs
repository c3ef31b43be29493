//! The verdict on an exercise of a lesson: its shapes and some that are drawn, in its types, then the measured run.

use super::definition::{Case, Lesson};
use crate::device::Device;
use crate::exercise::{Judged, Runs, Strategy};
use crate::ladder;
use crate::plan::{Case as _, Extents};
use crate::timing::Runs as Times;
use crate::turns::Ladder;
use kernels::Source;

/// Shapes that are drawn.
const DRAWN: usize = 3;

impl<L: Lesson + Sync> Judged for L {
    fn lab(&self) -> &'static str {
        L::NAME
    }

    fn kernel(&self, runs: &mut Runs<'_>, source: &Source) -> anyhow::Result<()> {
        let variant = ladder::find(L::VARIANTS, source.name)?;
        let mut shapes = [L::SHAPES, L::large(&variant.rung)].concat();
        let named = shapes.len();
        let fixed = L::MEASURED;
        for _ in 0..DRAWN {
            // Several turns of all blocks, where a kernel takes as many elements.
            shapes.push(L::Extents::from_fn(|at| match fixed.as_ref()[at] {
                many if many > 1024 => runs.extent(many / 2, many * 3 / 4),
                _ => runs.extent(20, 160),
            }));
        }
        for (nth, extents) in shapes.into_iter().enumerate() {
            let dtype = runs.dtype(L::DTYPES[nth % L::DTYPES.len()]);
            let mut case = Case::<L>::new(variant, extents, dtype, runs.next_seed());
            if nth < named {
                runs.run(&case.label(), |device| L::run_case(device, source, &case, Times::ONCE));
            } else {
                case.most_blocks = if L::shares(&variant.rung) { 1 } else { u32::MAX };
                let run = |device: &Device| L::run_case(device, source, &case, Times::ONCE);
                runs.run_drawn(("", extents.as_ref().iter().product()), &case.label(), run);
            }
        }
        let measured = Case::<L>::new(variant, fixed, L::DTYPES[0], runs.next_seed());
        runs.measure_share(&measured.label(), 1.0, |device| L::run_case(device, source, &measured, Times::ONCE));
        // Once more at a size that is drawn and that no block divides.
        let less = runs.size([12, 28, 44]);
        let extents = L::Extents::from_fn(|at| fixed.as_ref()[at] - less);
        let drawn = Case::<L>::new(variant, extents, L::DTYPES[0], runs.next_seed());
        let kind = format!("at_{}", drawn.problem.size);
        runs.measure_beside(&kind, &drawn.label(), |device| L::run_case(device, source, &drawn, Times::ONCE));
        Ok(())
    }

    fn strategy(&self, exercise: &str) -> Option<Strategy> {
        L::strategy(exercise)
    }
}
