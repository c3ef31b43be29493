//! The tests of a lesson: every rung × element type × shape, and its mutants.

use super::definition::{Case, Lesson};
use crate::device::Device;
use crate::ladder;
use crate::result::Row;
use crate::testing::{self, RungTest};
use crate::timing::Runs;
use crate::turns::Ladder;
use kernels::Source;
use libtest_mimic::Trial;
use std::process::ExitCode;

/// The `main` of a lesson's tests: every rung is right at every shape, is the file that the ladder says it is, and each of its mutants fails for
/// its reason.
pub fn test<L: Lesson>() -> ExitCode {
    let symbols = move |variant: &ladder::Variant<L::Rung>| {
        L::DTYPES.iter().map(|dtype| format!("{}_{dtype}", variant.name)).collect()
    };
    let ladder = Trial::test("ladder", move || {
        testing::assert_ladder_is_complete(L::NAME, L::VARIANTS, symbols);
        Ok(())
    });
    let mut tests = Vec::new();
    for variant in L::VARIANTS {
        for &dtype in L::DTYPES {
            for &extents in L::SHAPES {
                let case = Case::<L>::new(variant, extents, dtype, tests.len() as u64);
                tests.push(RungTest {
                    name: format!("{}::{dtype}::{}", variant.name, case.problem.size),
                    run: Box::new(move |device| {
                        L::run_case(device, &kernels::source(L::NAME, variant.name)?, &case, Runs::ONCE)
                    }),
                });
            }
        }
    }
    let mut trials = testing::rung_trials(L::NAME, tests);
    trials.push(ladder);
    trials.extend(testing::mutant_trials(L::NAME, mutant::<L>));
    testing::conclude_trials(trials)
}

/// Each shape in the first type, which mutants are compiled for.
fn mutant<L: Lesson>(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let variant = ladder::select(L::VARIANTS, &[source.name.to_owned()])?[0];
    let run =
        |&extents: &L::Extents| L::run_case(device, source, &Case::new(variant, extents, L::DTYPES[0], 5), Runs::ONCE);
    L::SHAPES.iter().map(run).collect()
}
