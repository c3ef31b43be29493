//! Waits of a stream for a value in memory, which the host, a kernel or another stream may write.
use super::job::Job;
use crate::interface::Cause;
use crate::objects::graphs::{ValueWait, Work};
use crate::state::{self, Guard, host_time};
use clock::streams::ready::Ready;

/// Enters the outcome of a wait.
pub(super) fn end(mut driver: Guard, mut job: Job, found: Result<bool, Cause>, wait: ValueWait, waited: bool) {
    // Another operation may have moved the time at which it could begin.
    if let Some(operation) = driver.operation(job.seq) {
        job.ready = operation.ready;
    }
    if waited {
        job.ready = job.ready.and(Ready::at(host_time::host_ns()));
    }
    job.enter(&mut driver, &Work::Wait(wait), found.map(|_| None));
    drop(state::tell_news(driver));
}

impl state::Driver {
    /// True if the value is there, or nobody asks any more: a context with a fault does nothing more, nor does one that has ended.
    pub(super) fn holds(&self, job: &Job, wait: &ValueWait) -> Result<bool, Cause> {
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
