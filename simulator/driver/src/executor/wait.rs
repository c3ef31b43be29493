//! Waiting for all of a device or of a context.
use super::finish::finish;
use crate::interface::Cause;
use crate::state::{Guard, host_time};

/// Waits for everything on a device; faults stay in their contexts.
pub fn wait_for_device(driver: Guard, device: usize) -> Guard {
    let targets = driver.pending_on(device);
    finish(driver, &targets)
}

/// Waits for everything in a context and answers its fault.
pub fn wait_for_context(driver: Guard, context: usize) -> Result<Guard, Cause> {
    let targets = driver.pending_in(context);
    let driver = finish(driver, &targets);
    for stream in driver.streams_in(context) {
        host_time::wait_until_ns(driver.streams.get(stream)?.ended.at_ns);
    }
    driver.healthy(context)?;
    Ok(driver)
}
