//! Operations of a library that the host computes in place of the card's machine code: PyTorch's, which `sim` has answered by its CPU kernels
//! (`src/bin/sim/python/answers.py`), and those of cuSOLVER and cuSPARSE (the crate `math`). The answer itself is made by the caller, where its operands lie; here it becomes work of its stream.
use super::bridge::read;
use crate::executor::finish;
use crate::interface::{Cause, Outcome};
use crate::objects::graphs::{Answered, Work};
use crate::state::host_time::{self, Call};
use crate::state::{self, Driver};
use cuda::extension::Range;
use cuda::layout::Raw;
use machine::memory::Touch;
use std::ffi::c_char;
use std::panic::catch_unwind;
use watch::diagnostics::unwritten_operand;

/// Does what a stream holds but for other answers, so that its memory is what an operation finds that is submitted now. The host has not waited:
/// its clock stays. Answers the `CUresult`.
///
/// # Safety
/// As the driver's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_before_answer(stream: Raw) -> u32 {
    code(|| {
        let mut driver = state::lock();
        let handle = driver.stream_of(stream)?;
        if driver.streams.get(handle)?.capture.is_some() {
            return driver.spoil_capture(handle, "an operation that the host answers");
        }
        let context = driver.streams.get(handle)?.context;
        let (tails, _) = driver.stream_order(handle)?;
        if driver.needed(&tails).iter().all(|&seq| driver.is_answer(seq)) {
            return driver.healthy(context).map(|_| ());
        }
        let driver = finish(driver, &tails);
        driver.healthy(context).map(|_| ())
    })
}

/// Submits an operation that was computed: its name, what it touched, and its multiply-adds, by which it takes its time with the bytes.
///
/// # Safety
/// `name` ends in NUL, and there are `count` ranges.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_answered(
    stream: Raw,
    name: *const c_char,
    ranges: *const Range,
    count: u64,
    multiply_adds: u64,
) -> u32 {
    // SAFETY: the caller's text.
    let name = unsafe { read(name) };
    // SAFETY: the caller's ranges, which may be none.
    let ranges = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(ranges, count as usize) } };
    code(|| {
        let mut driver = state::lock();
        let handle = driver.stream_of(stream)?;
        host_time::spend(Call::Launch);
        let touch = |range: &Range| if range.is_written == 0 { Touch::Read } else { Touch::Written };
        let touched = ranges.iter().map(|range| (range.address, range.bytes, touch(range))).collect();
        if driver.settings.sanitize {
            driver.note_operands(&name, ranges);
        }
        driver.submit(handle, Work::Answered(Answered { name, touched, multiply_adds }), &[]).map(|_| ())
    })
}

fn code(call: impl FnOnce() -> Outcome + std::panic::UnwindSafe) -> u32 {
    match catch_unwind(call) {
        Ok(Ok(())) => 0,
        Ok(Err(cause)) => cause.code() as u32,
        Err(_) => Cause::Defect("an answer".into()).code() as u32,
    }
}

impl Driver {
    /// Under the sanitizer: tells of an operand that nobody has written, and notes what the operation has.
    fn note_operands(&mut self, name: &str, ranges: &[Range]) {
        for Range { address, bytes, is_written, is_checked } in ranges {
            let found =
                self.devices.iter().find_map(|device| Some((device.memory.clone(), device.memory.find(*address)?)));
            let Some((memory, allocation)) = found else { continue };
            let initialised = memory.initialised();
            let mut initialised = initialised.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if *is_written != 0 {
                initialised.wrote(*address, *bytes);
            } else if *is_checked != 0 {
                initialised.read_by_host(*address, *bytes);
                if let Some(at) = initialised.first_left(*address, *bytes) {
                    self.records.finding(unwritten_operand(name, at, &allocation));
                }
            }
        }
        self.tell_what_the_host_has_read();
    }
}
