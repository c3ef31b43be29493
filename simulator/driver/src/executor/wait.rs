//! Waiting for all of a device or of a context.
use super::finish::finish;
use crate::interface::cause::Cause;
use crate::state::{Guard, clock};

/// Waits for everything on a device; faults stay in their contexts.
pub fn wait_for_device(driver: Guard, device: usize) -> Guard {
    let targets = driver.pending_on(device);
    let mut driver = finish(driver, &targets);
    settle(&mut driver, device);
    driver
}

/// Waits for everything in a context and answers its fault.
pub fn wait_for_context(driver: Guard, context: usize) -> Result<Guard, Cause> {
    let targets = driver.pending_in(context);
    let mut driver = finish(driver, &targets);
    let device = driver.contexts.get(context)?.device;
    for stream in driver.streams_in(context) {
        clock::wait_until_ns(driver.streams.get(stream)?.ended.at_ns);
    }
    settle(&mut driver, device);
    driver.healthy(context)?;
    Ok(driver)
}

/// The host has waited for a device: the past is forgotten, if nothing may still be placed there.
fn settle(driver: &mut Guard, device: usize) {
    if driver.pending_on(device).is_empty() {
        driver.devices[device].timeline.forget(clock::host_ns());
    }
}
