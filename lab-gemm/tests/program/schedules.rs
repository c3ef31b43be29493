//! `--schedules`: a kernel whose result depends on the order of its warps is found with the seed that replays it; the rungs are not
//! accused.

use super::LAB;
use common::device::{Device, DeviceChoice};
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::result::Row;
use common::schedules::{Outcome, search};
use common::timing::Runs;
use common::turns::Ladder;
use kernels::Source;
use lab_gemm::{Case, MatrixProduct, Placement, Problem, VARIANTS};

/// The orders are the simulator's.
fn on_gpu() -> bool {
    matches!(DeviceChoice::for_tests(), Ok(DeviceChoice::Gpu(_)))
}

fn run(device: &Device, source: &Source) -> anyhow::Result<Row> {
    let problem = Problem::new([48; 3], Dtype::F32, HostMemory::Pageable, 5);
    let variant = common::ladder::find(VARIANTS, source.name)?;
    MatrixProduct::run_case(
        device,
        source,
        &Case { variant, edge: 16, placement: Placement::Result, problem },
        Runs::ONCE,
    )
}

#[test]
fn a_race_is_found_with_the_seed_that_replays_it() {
    if on_gpu() {
        return;
    }
    let device = Device::for_tests().expect("a device");
    let mutant = kernels::MUTANTS.iter().find(|m| (m.lab, m.rung, m.name) == ("gemm", "shared", "missing_barrier"));
    let source = mutant.expect("a mutant").source();
    let once = || run(&device, &source);
    let Outcome::Changed { seed, wrong } = search(&device, 16, once).expect("results") else {
        panic!("no order shows the race")
    };
    assert!(wrong.contains("wrong"), "{wrong}");
    let natural = device.with_schedule_seed(0, once).expect("a result");
    let replayed = device.with_schedule_seed(seed, once).expect("a result");
    let said = |row: &Row| row.mismatch.as_ref().map(ToString::to_string);
    assert_ne!(said(&natural), said(&replayed), "seed {seed}");
}

#[test]
fn an_edit_of_a_rung_changes_nothing_here() {
    let same =
        common::testing::assert_edits_do_not_matter("gemm", "schedules::a_race_is_found_with_the_seed_that_replays_it");
    assert_eq!(same, Ok(()));
}

#[test]
fn every_rung_says_in_one_line_that_no_order_matters() {
    if on_gpu() {
        LAB.assert_refuses(&["--schedules", "2"], &["your command line", "--schedules", "--device sim"]);
        return;
    }
    let sizes = ["--size", "16", "--edge", "8", "--host-memory", "pageable", "--no-cublas"];
    let report = LAB.json(&[&["--device", "sim:h200", "--schedules", "2"][..], &sizes].concat());
    let notes = report["notes"].as_array().expect("notes");
    let said: Vec<&str> =
        notes.iter().filter_map(|note| note.as_str()).filter(|note| note.contains("orders")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    for variant in VARIANTS {
        assert!(said[0].contains(variant.name), "{said:?}");
    }
    LAB.assert_refuses(&["--schedules", "0"], &["your command line", "no order to try"]);
}
