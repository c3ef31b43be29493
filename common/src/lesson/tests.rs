//! The tests of a lesson: every rung × element type × shape, and its mutants.

use super::definition::{Case, Lesson};
use crate::ladder;
use crate::testing::{self, RungTest};
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
                tests.push(RungTest::of::<L>("", Case::new(variant, extents, dtype, tests.len() as u64)));
            }
        }
    }
    let mut trials = testing::rung_trials(L::NAME, tests);
    trials.push(ladder);
    // Each shape in the first type, which mutants are compiled for.
    let mutated = |variant| L::SHAPES.iter().map(|&extents| Case::new(variant, extents, L::DTYPES[0], 5)).collect();
    trials.extend(testing::mutant_trials(L::NAME, testing::run_mutant::<L>(mutated)));
    testing::conclude_trials(trials)
}
