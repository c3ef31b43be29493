//! Waits of a stream for a value in memory, which the host, a kernel or another stream may write.
//!
//! Work is done when something waits for it, so nobody might come to the stream that writes the value. As long as the value is not there,
//! the thread of the wait therefore does what else is pending.
use super::finish::do_all;
use super::job::Job;
use crate::interface::cause::Cause;
use crate::objects::work::{Chosen, ValueWait, Work};
use crate::state::{self, Guard, clock};
use ::clock::timeline::ready::Ready;
use std::time::Duration;

/// Between two looks at the value: first, and at most.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// Ends an operation once its value is there, on a thread of its own: who submitted it may be the one who writes the value.
pub fn wait_for_value(job: Job, wait: ValueWait) {
    let body = move || {
        let mut pause = PAUSES[0];
        // The clock of a wait that has nothing to wait for is that of its stream.
        let mut waited = false;
        loop {
            let driver = state::lock();
            let found = driver.holds(&job, &wait);
            if !matches!(found, Ok(false)) {
                end(driver, job, found, wait, waited);
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

/// Enters the outcome of a wait.
fn end(mut driver: Guard, mut job: Job, found: Result<bool, Cause>, wait: ValueWait, waited: bool) {
    // Another operation may have moved the time at which it could begin.
    if let Some(operation) = driver.operation(job.seq) {
        job.ready = operation.ready;
    }
    if waited {
        job.ready = job.ready.and(Ready::at(clock::host_ns()));
    }
    job.enter(&mut driver, &Work::Wait(wait), found.map(|_| None));
    drop(state::tell_news(driver));
}

impl state::Driver {
    /// True if the value is there, or nobody asks any more: a context with a fault does nothing more, nor does one that has ended.
    fn holds(&self, job: &Job, wait: &ValueWait) -> Result<bool, Cause> {
        if !self.contexts.get(job.context).is_ok_and(|context| context.fault.is_none()) {
            return Ok(true);
        }
        let Some(allocation) = self.device_location("address", wait.at, wait.bytes.into())? else { return Ok(true) };
        let mut bytes = [0; 8];
        let read = self.devices[allocation.device].memory.read(wait.at, &mut bytes[..usize::from(wait.bytes)]);
        read.map_err(|_| Cause::Defect("an allocation without memory".into()))?;
        Ok(wait.condition.holds(u64::from_le_bytes(bytes), wait.value, wait.bytes))
    }
}
