//! Doing what a wait needs, here and on the workers of other devices.
use super::in_order::do_in_order;
use super::job::Job;
use super::{value, worker};
use crate::objects::graphs::{Chosen, Seq, ValueWait};
use crate::state::{self, Guard};
use std::collections::BTreeSet;
use std::time::Duration;

/// Between two looks at a value that a stream waits for: first, and at most.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// Does what `targets` need and answers when all of it is done. Faults stay in their contexts.
pub fn finish(mut driver: Guard, targets: &[Seq]) -> Guard {
    loop {
        let needed = driver.needed(targets);
        if needed.is_empty() {
            return driver;
        }
        let doable = driver.doable(&needed);
        if doable.is_empty() {
            driver = state::wait_for_news(driver);
        } else {
            let horizon = driver.horizon();
            driver = do_all(driver, Chosen { operations: doable, horizon });
        }
    }
}

/// Does what `targets` need as far as that waits for nobody else, and answers whether all of it is done.
pub fn poll(mut driver: Guard, targets: &[Seq]) -> (Guard, bool) {
    loop {
        let needed = driver.needed(targets);
        let mut doable = driver.doable(&needed);
        let busy = |seq: &Seq| driver.is_launch(*seq) && driver.devices[driver.device_of(*seq)].is_running;
        if let Some(at) = doable.iter().position(busy) {
            doable.truncate(at);
        }
        if doable.is_empty() {
            return (driver, needed.is_empty());
        }
        let horizon = driver.horizon();
        driver = do_all(driver, Chosen { operations: doable, horizon });
    }
}

/// Does the oldest of many pending operations, as far as they wait for nobody else.
pub fn make_room(mut driver: Guard) -> Guard {
    match driver.oldest_of_many() {
        oldest if oldest.is_empty() => driver,
        oldest => poll(driver, &oldest).0,
    }
}

/// Does operations that somebody chose, those of other devices' kernels on these devices' workers.
fn do_all(mut driver: Guard, chosen: Chosen) -> Guard {
    if driver.devices.len() == 1 {
        return do_in_order(driver, &chosen);
    }
    let Chosen { operations: doable, horizon } = chosen;
    let mut devices: Vec<usize> =
        doable.iter().filter(|&&seq| driver.is_launch(seq)).map(|&seq| driver.device_of(seq)).collect();
    devices.dedup();
    let own = devices.first().copied().unwrap_or(0);
    let others: BTreeSet<usize> = devices.into_iter().filter(|&device| device != own).collect();
    // Host functions and waits for values stay here: who waits for a worker must not wait for them.
    let (given, share): (Vec<Seq>, Vec<Seq>) =
        doable.iter().partition(|&&seq| others.contains(&driver.device_of(seq)) && !driver.waits_for_others(seq));
    for &device in &others {
        let operations = given.iter().copied().filter(|&seq| driver.device_of(seq) == device).collect();
        worker::give(&mut driver, device, Chosen { operations, horizon });
    }
    driver = do_in_order(driver, &Chosen { operations: share, horizon });
    while given.iter().any(|&seq| driver.operation(seq).is_some()) {
        driver = state::wait_for_news(driver);
    }
    driver
}

/// Ends a stream's wait once its value is there, on a thread of its own: who submitted it may be the one who writes the value.
///
/// Work is done when something waits for it, so nobody might come to the stream that writes the value. As long as the value is not there,
/// the thread of the wait therefore does what else is pending.
pub(super) fn wait_for_value(job: Job, wait: ValueWait) {
    let body = move || {
        let mut pause = PAUSES[0];
        // The clock of a wait that has nothing to wait for is that of its stream.
        let mut waited = false;
        loop {
            let driver = state::lock();
            let found = driver.holds(&job, &wait);
            if !matches!(found, Ok(false)) {
                value::end(driver, job, found, wait, waited);
                return;
            }
            waited = true;
            let (operations, horizon) = (driver.all_doable(), driver.horizon());
            if operations.is_empty() {
                drop(driver);
                std::thread::sleep(pause);
                pause = (pause * 2).min(PAUSES[1]);
            } else {
                drop(do_all(driver, Chosen { operations, horizon }));
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("cuda wait for a value".into()).spawn(body) {
        eprintln!("[simulator] a stream cannot wait for a value: {error}");
        std::process::abort();
    }
}
