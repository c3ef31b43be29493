//! The verdict on an exercise of a lesson: its shapes and some that are drawn, in its types, then the measured run.

use super::definition::{Case, Lesson};
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
        let mut shapes = L::SHAPES.to_vec();
        for _ in 0..DRAWN {
            shapes.push(L::Extents::from_fn(|_| runs.extent(20, 160)));
        }
        for (nth, extents) in shapes.into_iter().enumerate() {
            let dtype = L::DTYPES[nth % L::DTYPES.len()];
            let case = Case::<L>::new(variant, extents, dtype, runs.next_seed());
            runs.run(&case.label(), |device| L::run_case(device, source, &case, Times::ONCE));
        }
        let measured = Case::<L>::new(variant, L::MEASURED, L::DTYPES[0], runs.next_seed());
        runs.measure(&measured.label(), |device| L::run_case(device, source, &measured, Times::ONCE));
        Ok(())
    }

    fn strategy(&self, exercise: &str) -> Option<Strategy> {
        L::strategy(exercise)
    }
}
