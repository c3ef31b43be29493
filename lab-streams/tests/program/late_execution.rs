//! A program that forgets a synchronisation must be seen to fail, every time: the simulator does work on streams as late as it legally may.
//!
//! On a GPU such programs fail when they please, so these tests are the simulator's whatever `LABS_DEVICE` says.

use common::device::{Device, DeviceChoice, Instrumentation};
use common::element::Dtype;
use common::ladder;
use common::shape::Shape;
use common::timing::Runs;
use lab_streams::schedule::{Action, Schedule};
use lab_streams::{Batch, Engine, GemmKernel, Kind, Rung, VARIANTS, Workload};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often each defect has to show.
const TIMES: usize = 5;

/// All tests of a process share the device's context, and a test that waits for the device would do the waiting that another one forgets.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn simulator() -> Device {
    let choice = DeviceChoice::Simulator { profile: None, devices: 1 };
    Device::open(&choice, &Instrumentation::default()).expect("the simulator opens")
}

fn batch(name: &str) -> Batch {
    let variant = ladder::find(VARIANTS, name).expect("the ladder has it");
    match variant.rung {
        Rung::Batch(batch) => batch,
        Rung::Topic(_) => panic!("{name} is no batch"),
    }
}

fn engine(name: &str, ring: usize, change: impl Fn(Schedule) -> Schedule) -> Engine<f64> {
    let device = simulator();
    let workload = Workload {
        kind: Kind::Chunks,
        size: Shape::square(2000),
        extent: 2000,
        count: 4,
        dtype: Dtype::F64,
        kernel: GemmKernel::default(),
        seed: 3,
    };
    let source = kernels::pristine("streams", "one_touch").expect("kept");
    let mut engine = Engine::new(&device, &source, &workload, batch(name), ring, change).expect("the batch is ready");
    engine.fill_inputs().expect("inputs are drawn");
    engine
}

#[test]
fn results_that_nobody_waited_for_are_not_there() {
    let _alone = alone();
    for name in ["streamed_pinned", "registered", "write_combined", "mapped", "pipelined", "strips"] {
        let mut engine = engine(name, 4, |schedule| schedule);
        for time in 0..TIMES {
            assert!(!engine.check_without_waiting().unwrap().correct, "{name}: time {time} passed");
            engine.run(false).unwrap();
            assert!(engine.check().unwrap().correct, "{name}: with its wait");
        }
    }
}

#[test]
fn a_pipeline_without_its_events_is_wrong() {
    let _alone = alone();
    // Also where each item has buffers of its own, so that none is overwritten: results leave before they are computed.
    for ring in [1, 2, 4] {
        let mut forgetful = engine("pipelined", ring, Schedule::without_waits);
        let mut right = engine("pipelined", ring, |schedule| schedule);
        for time in 0..TIMES {
            forgetful.run(false).unwrap();
            assert!(!forgetful.check().unwrap().correct, "ring {ring}: time {time} passed");
            right.run(false).unwrap();
            assert!(right.check().unwrap().correct, "ring {ring}");
        }
    }
}

#[test]
fn calls_that_wait_need_no_other_wait() {
    let _alone = alone();
    let mut engine = engine("synchronous", 1, |schedule| schedule);
    assert!(engine.check_without_waiting().unwrap().correct);
}

#[test]
fn a_series_ends_where_a_run_does_not_write_an_element_again() {
    let _alone = alone();
    let runs = Runs { warmup: 1, repeat: 4, within: None };
    for name in ["streamed_pinned", "mapped", "without_transfers"] {
        let mut right = engine(name, 4, |schedule| schedule);
        assert_eq!(right.run_series(runs).unwrap().len(), runs.repeat, "{name}");
        assert!(right.check().unwrap().correct, "{name}");
        let mut lazy = engine(name, 4, |mut schedule| {
            let last = schedule.steps.iter().rposition(|step| step.action == Action::Kernel).expect("a kernel runs");
            schedule.steps.remove(last);
            schedule
        });
        assert_eq!(lazy.run_series(runs).unwrap().len(), 1, "{name}");
        assert!(!lazy.check().unwrap().correct, "{name}");
    }
}
