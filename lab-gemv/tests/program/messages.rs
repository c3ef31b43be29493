//! The sanitizer's words about a wrong kernel lead to its cause, the likeliest first.

use common::device::{Device, DeviceChoice, Instrumentation};
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::observations::Finding;
use common::timing::Runs;
use common::turns::Ladder;
use lab_gemv::strategies::Strategies;
use lab_gemv::{Block, CachePreference, Case, MatrixVector, Problem, VARIANTS};
use std::sync::{Mutex, PoisonError};

/// The process has one simulator, and whoever asks takes what it has found: one test after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// The findings in a changed rung, in the order in which they are told; `None` on a GPU, which has no sanitizer.
fn findings(rung: &str, defect: &str) -> Option<Vec<Finding>> {
    let choice = DeviceChoice::for_tests().expect("a choice");
    if matches!(choice, DeviceChoice::Gpu(_)) {
        return None;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let instrumentation = Instrumentation { sanitize: true, ..Instrumentation::default() };
    let device = Device::open(&choice, &instrumentation).expect("a device");
    let mutant = kernels::MUTANTS.iter().find(|m| (m.lab, m.rung, m.name) == ("gemv", rung, defect));
    // No multiple of the rows of a block.
    let problem = Problem::new([62; 2], Dtype::F32, HostMemory::Pageable, 5);
    let variant = common::ladder::find(VARIANTS, rung).expect("a rung");
    let case = Case {
        variant,
        problem,
        block: Block { sx: 16, sy: 4 },
        cache: CachePreference::PreferNone,
        portion: variant.rung.method.portions()[0],
        parts: lab_gemv::Parts::AsAsked,
        strategies: Strategies::default(),
    };
    let source = mutant.expect("a mutant").source();
    Some(MatrixVector::run_case(&device, &source, &case, Runs::ONCE).expect("a row").findings)
}

#[test]
fn blocks_that_race_in_a_cooperative_launch_are_advised_nothing_that_was_not_tried() {
    if let Some(findings) = findings("cooperative", "missing_grid_barrier") {
        assert_eq!(findings[0].kind, "race");
        assert!(
            findings[0].message.contains("= next: blocks run in any order, and nothing was tried that orders them")
        );
    }
}

#[test]
fn a_barrier_that_not_all_threads_reach_is_told_before_the_races_that_it_makes() {
    if let Some(findings) = findings("cooperative", "divergent_barrier") {
        assert_eq!(findings[0].kind, "barrier", "{findings:?}");
        for race in findings.iter().filter(|finding| finding.kind == "race") {
            assert!(race.message.contains("that some threads pass by"), "{}", race.message);
        }
    }
}
