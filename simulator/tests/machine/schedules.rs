//! Orders that change a result are found, the same ones every time; results that no order changes are not accused.
use crate::exhibit::schedules::{Changed, Difference, search};
use crate::exhibit::{Exhibit, files, ptx_beside, root};
use simulator::exec::launch::{Settings, run_in_order};
use simulator::exec::steps::Order;
use simulator::listeners::Listeners;
use simulator::lower::Tier;
use simulator::sanitizer::Sanitizer;
use simulator::search::explore::{Begin, Explorer};
use simulator::search::listener::Steps;
use simulator::search::snapshot::Snapshot;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn try_orders(name: &str) -> Option<Difference> {
    let path = root().join("simulator/tests/museum").join(name).with_extension("cu");
    let exhibit = Exhibit::read(&path).expect(name);
    let ptx = ptx_beside(&path).expect(name);
    let setup = exhibit.set_up(&ptx, Tier::Bare).expect(name);
    search(&exhibit.request(&setup, Settings::default()), 16).expect(name)
}

#[test]
fn races_show_in_some_order_and_again_with_its_seed() {
    for name in ["race_shared/scan_in_place", "race_global/index_modulo", "race_global/plain_flag"] {
        let found = try_orders(name);
        assert!(matches!(found, Some(Difference { what: Changed::Memory(_), .. })), "{name}: {found:?}");
        // Not its address: the exhibits share one address space, and run at the same time.
        let seed = |found: Option<Difference>| found.map(|difference| difference.seed);
        assert_eq!(seed(found), seed(try_orders(name)), "{name}");
    }
}

#[test]
fn correct_kernels_give_the_same_in_every_order() {
    for name in ["clean/histogram", "clean/last_block_done", "clean/tiled_product", "clean/scan_with_two_buffers"] {
        assert_eq!(try_orders(name), None, "{name}");
    }
}

/// The orders of the first block's steps, up to `most`: how many were run and whether all were; what was found in them, and the steps that did not come
/// again.
fn all_orders(path: &Path, most: usize) -> (usize, bool, Vec<String>) {
    let name = path.display();
    let exhibit = Exhibit::read(path).unwrap_or_else(|why| panic!("{name}: {why}"));
    let ptx = ptx_beside(path).unwrap_or_else(|why| panic!("{name}: {why}"));
    let setup = exhibit.set_up(&ptx, Tier::Stepped).unwrap_or_else(|why| panic!("{name}: {why}"));
    let request = exhibit.request(&setup, Settings::default().with_budget(3_000_000));
    let before = Snapshot::take(&setup.memory).expect("memory");
    let (mut explorer, mut found, mut orders) = (Explorer::default(), Vec::new(), 0);
    let mut next = Some(Begin { choices: Vec::new(), asleep: Vec::new() });
    while let Some(begin) = next.filter(|_| orders < most && found.is_empty()) {
        before.put_back(&setup.memory).expect("memory");
        let order = Arc::new(Order::new(0, begin.choices, begin.asleep));
        let steps = Some(Steps::new(order.clone()));
        let probe = Listeners { steps, sanitizer: Some(Sanitizer::new()), ..Listeners::default() }.into_probe();
        let mut outcome = run_in_order(&request, &order, probe.expect("listeners"));
        let listeners = Listeners::back(outcome.probe.take());
        let sanitizer = listeners.sanitizer.expect("it listened");
        found.extend(exhibit.judge(&setup, &sanitizer, outcome.fault.as_ref()).into_iter().map(|one| one.message));
        drop(listeners.steps);
        let record = Arc::into_inner(order).expect("nobody else has it").record();
        assert!(!record.diverged && !record.is_cut, "{name}: {} steps", record.steps.len());
        orders += 1;
        next = explorer.next(&record);
    }
    (orders, found.is_empty() && orders < most, found)
}

/// The museum's exhibits in some of its rooms.
fn exhibits(rooms: &[&str]) -> Vec<PathBuf> {
    let museum = root().join("simulator/tests/museum");
    let is_in = |path: &PathBuf| rooms.iter().any(|room| path.parent() == Some(&museum.join(room)));
    files(&museum).into_iter().filter(is_in).collect()
}

#[test]
fn correct_kernels_are_right_in_all_orders_of_their_steps() {
    let paths = exhibits(&["clean", "clean_hopper"]);
    let mut complete = 0;
    // Its waits take more steps than a record holds.
    for path in paths.iter().filter(|path| !path.ends_with("waits_that_end.cu")) {
        let (_, is_complete, found) = all_orders(path, 40);
        assert!(found.is_empty(), "{}: {}", path.display(), found.join("\n"));
        complete += usize::from(is_complete);
    }
    assert!(complete * 10 > paths.len() * 8, "{complete} of {}", paths.len());
}

#[test]
fn a_race_is_found_whatever_the_order_of_steps_is() {
    let paths = exhibits(&["race_shared"]);
    assert!(paths.len() > 20);
    // An update of volatile memory is found where its load and its store are in one basic block, which steps part.
    let parted = |path: &&PathBuf| ["volatile_counter.cu", "volatile_steps.cu"].iter().any(|name| path.ends_with(name));
    for path in paths.iter().filter(|path| !parted(path)) {
        assert!(!all_orders(path, 1).2.is_empty(), "{}", path.display());
    }
}
