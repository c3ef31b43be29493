//! Holds a stream until the host has put all of a series on it.
//!
//! The time between two events of a stream is the device's only while the stream has work: where a call takes the host longer than its
//! kernel takes the device, the events time the host. Behind a closed gate the calls wait in the stream's queue, and run back to back once it opens.

use anyhow::Context;
use cudarc::driver::{CudaStream, result};
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A gate opens by itself after this long: a call that waits for the stream would wait for ever.
pub const LONGEST: Duration = Duration::from_millis(500);

/// A closed gate in a stream; it opens when it is dropped, at the latest.
#[derive(Debug)]
pub struct Gate(Arc<State>);

#[derive(Debug)]
struct State {
    opened: Mutex<Opened>,
    changed: Condvar,
    longest: Duration,
}

/// By whom a gate has been opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    NotYet,
    ByHost,
    ByItself,
}

impl Gate {
    /// Work that comes onto the stream from now on waits, at most for `longest`. Errors: the driver's.
    #[allow(unsafe_code)]
    pub fn close(stream: &CudaStream, longest: Duration) -> anyhow::Result<Gate> {
        let state = Arc::new(State { opened: Mutex::new(Opened::NotYet), changed: Condvar::new(), longest });
        let given = Arc::into_raw(state.clone());
        // SAFETY: the function takes its share of the state over, and is called once.
        let put = unsafe { result::stream::launch_host_function(stream.cu_stream(), wait, given.cast_mut().cast()) };
        put.inspect_err(|_| {
            // SAFETY: the driver has refused the function, so nobody else takes this share.
            drop(unsafe { Arc::from_raw(given) });
        })
        .context("holding the stream")?;
        Ok(Gate(state))
    }

    /// The waiting work runs. False: the gate had opened by itself, so that not all of it had come before it ran.
    pub fn open(&self) -> bool {
        let mut opened = self.0.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if *opened == Opened::NotYet {
            *opened = Opened::ByHost;
            self.0.changed.notify_all();
        }
        *opened == Opened::ByHost
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

/// Returns once the gate is open.
#[allow(unsafe_code)]
unsafe extern "C" fn wait(state: *mut c_void) {
    // SAFETY: `Gate::close` gave this share away, for this one call.
    let State { opened, changed, longest } = &*unsafe { Arc::from_raw(state.cast_const().cast::<State>()) };
    let guard = opened.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = changed.wait_timeout_while(guard, *longest, |opened| *opened == Opened::NotYet);
    let (mut opened, _) = waited.unwrap_or_else(PoisonError::into_inner);
    if *opened == Opened::NotYet {
        *opened = Opened::ByItself;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn a_gate_opens_for_the_host_and_else_by_itself() {
        let device = Device::for_tests().expect("a device");
        let gate = Gate::close(&device.stream, LONGEST).expect("a host function");
        assert!(gate.open(), "nothing has waited yet");
        device.stream.synchronize().expect("an open gate");
        let gate = Gate::close(&device.stream, Duration::from_millis(1)).expect("a host function");
        device.stream.synchronize().expect("a gate that opens by itself");
        assert!(!gate.open(), "it had opened by itself");
    }
}
