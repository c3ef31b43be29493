//! Streams: making, waiting, asking.
use crate::calls::context::PRIORITIES;
use crate::executor::{call_in_time, finish, poll};
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted};
use crate::objects::event::EventState;
use crate::objects::graphs::{Condition, HostFunction, ValueWait, Work};
use crate::objects::stream::Stream;
use crate::state::host_time::{self, Call};
use crate::state::{self, Driver};
use clock::streams::ready::Ready;
use cuda::layout::{self, Raw, StreamCallback};
use std::ffi::{c_int, c_uint};

pub unsafe fn cuStreamCreate(stream: *mut Raw, flags: c_uint) -> Outcome {
    unsafe { cuStreamCreateWithPriority(stream, flags, 0) }
}

/// A priority outside of the range is drawn into it.
pub unsafe fn cuStreamCreateWithPriority(stream: *mut Raw, flags: c_uint, priority: c_int) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    refuse_if!(flags > 1, Cause::NoSuchValue("Flags", flags.into()));
    refuse_if!(stream.is_null(), Cause::Null("phStream"));
    let handle = driver.new_stream(context, flags, priority.clamp(PRIORITIES.1, PRIORITIES.0), false);
    unsafe { out("phStream", stream, handle as Raw) }
}

/// Returns at once; the stream's work is still done. It is done here and now, so that nothing outlives
/// its stream.
pub fn cuStreamDestroy_v2(stream: Raw) -> Outcome {
    let driver = state::started()?;
    let handle = stream as usize;
    refuse_if!(handle <= 2, Cause::NoHandle("stream that can be destroyed"));
    let tail = driver.streams.get(handle)?.tail;
    let mut driver = finish(driver, tail.as_slice());
    // A stream that was drawn into a capture may go before its end: its nodes stay, and are told there if nothing joins them.
    if let Some(capture) = driver.streams.get(handle)?.capture
        && driver.captures.get(capture).is_ok_and(|capture| capture.origin == handle)
    {
        driver.spoil(capture);
    }
    driver.streams.remove(handle).map(|_| ())
}

pub fn cuStreamSynchronize(stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let found = driver.streams.get(handle)?;
    let context = found.context;
    if found.capture.is_some() {
        return driver.spoil_capture(handle, "cuStreamSynchronize");
    }
    // Waiting for the legacy default stream is waiting for what it would come after.
    let (tails, _) =
        if found.is_legacy { driver.stream_order(handle)? } else { (found.tail.into_iter().collect(), found.ended) };
    let driver = finish(driver, &tails);
    host_time::wait_until_ns(driver.stream_order(handle)?.1.at_ns);
    driver.healthy(context).map(|_| ())
}

pub fn cuStreamQuery(stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let found = driver.streams.get_mut(handle)?;
    let context = found.context;
    if found.capture.is_some() {
        return driver.spoil_capture(handle, "cuStreamQuery");
    }
    let Some(tail) = found.tail else { return Ok(()) };
    if found.polled != Some(tail) {
        found.polled = Some(tail);
        return Err(Cause::NotReady);
    }
    let (driver, done) = poll(driver, &[tail]);
    driver.healthy(context)?;
    if done { Ok(()) } else { Err(Cause::NotReady) }
}

/// An event that was never recorded is passed already.
pub fn cuStreamWaitEvent(stream: Raw, event: Raw, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    refuse_if!(flags > 1, Cause::NoSuchValue("Flags", flags.into()));
    let state = driver.events.get(event as usize)?.state;
    host_time::spend(Call::Note);
    if let EventState::Captured(capture) = state {
        return driver.capture_wait(handle, event as usize, capture);
    }
    if driver.streams.get(handle)?.capture.is_some() {
        // A record from before the capture is no part of the graph.
        return match state {
            EventState::Pending(_) => driver.spoil_capture(handle, "waiting for work outside of the capture"),
            _ => Ok(()),
        };
    }
    match state {
        EventState::Never | EventState::Captured(_) => Ok(()),
        EventState::Done { at_ns } => {
            let stream = driver.streams.get_mut(handle)?;
            stream.ended = stream.ended.and(Ready::at(at_ns));
            Ok(())
        }
        EventState::Pending(seq) => driver.submit(handle, Work::Join, &[seq]).map(|_| ()),
    }
}

pub fn cuLaunchHostFunc(stream: Raw, function: layout::HostFunction, data: Raw) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let function = HostFunction { function: function.ok_or(Cause::Null("fn"))?, data: data as usize };
    host_time::spend(Call::Note);
    if driver.streams.get(handle)?.capture.is_some() {
        return driver.capture_work(handle, crate::objects::graphs::graph::Step::Host(function));
    }
    if let Some(pending) = driver.submit(handle, Work::Host(function), &[])? {
        call_in_time(pending);
    }
    Ok(())
}

/// Who waits for the function may sleep (0) or spin (1), which is the same here.
pub fn cuLaunchHostFunc_v2(stream: Raw, function: layout::HostFunction, data: Raw, waiting: c_uint) -> Outcome {
    match waiting {
        0 | 1 => cuLaunchHostFunc(stream, function, data),
        other => Err(Cause::NoSuchValue("syncMode", other.into())),
    }
}

/// As a host function, with a result among its arguments.
pub fn cuStreamAddCallback(stream: Raw, callback: StreamCallback, data: Raw, flags: c_uint) -> Outcome {
    struct Call {
        callback: unsafe extern "C" fn(Raw, c_uint, Raw),
        stream: usize,
        data: usize,
    }
    unsafe extern "C" fn run(call: Raw) {
        // SAFETY: made from a box below, and called once.
        let call = unsafe { Box::from_raw(call.cast::<Call>()) };
        // SAFETY: the application gave the function and its argument for exactly one call.
        unsafe { (call.callback)(call.stream as Raw, 0, call.data as Raw) };
    }
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags.into()));
    let call =
        Call { callback: callback.ok_or(Cause::Null("callback"))?, stream: stream as usize, data: data as usize };
    let call = Box::into_raw(Box::new(call));
    cuLaunchHostFunc(stream, Some(run), call.cast()).inspect_err(|_| {
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(call) });
    })
}

/// `cuStreamWriteValue32`, `cuStreamWriteValue64`
pub fn write_value(stream: Raw, at: u64, value: u64, bytes: u8) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    driver.device_location("addr", at, u64::from(bytes))?;
    if driver.streams.get(handle)?.capture.is_some() {
        return driver.spoil_capture(handle, "cuStreamWriteValue");
    }
    driver.submit(handle, Work::Write { at, value, bytes }, &[]).map(|_| ())
}

/// `cuStreamWaitValue32`, `cuStreamWaitValue64`
pub fn wait_value(stream: Raw, at: u64, value: u64, bytes: u8, flags: c_uint) -> Outcome {
    /// Writes of another device over the bus are to be seen afterwards. An H100 refuses it too, as attribute 98 says.
    const FLUSH: c_uint = 1 << 30;
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    if flags & FLUSH != 0 {
        return Err(Cause::DeviceLacks(driver.current_device()?.1.name, "flushes of other devices' writes"));
    }
    refuse_if!(!at.is_multiple_of(bytes.into()), Cause::NoSuchValue("addr", at as i64));
    let condition = Condition::of(flags).ok_or(Cause::NoSuchValue("flags", flags.into()))?;
    driver.device_location("addr", at, u64::from(bytes))?;
    if driver.streams.get(handle)?.capture.is_some() {
        return driver.spoil_capture(handle, "cuStreamWaitValue");
    }
    driver.submit(handle, Work::Wait(ValueWait { at, value, bytes, condition }), &[]).map(|_| ())
}

/// Which also tells the green context of a stream that was made from one; there are none here.
pub unsafe fn cuStreamGetCtx_v2(stream: Raw, context: *mut Raw, green: *mut Raw) -> Outcome {
    // SAFETY: the caller's pointers; each may be null if it is not wanted.
    unsafe {
        out_if_wanted(green, std::ptr::null_mut());
        cuStreamGetCtx(stream, context)
    }
}

pub fn cuStreamCopyAttributes(to: Raw, from: Raw) -> Outcome {
    let mut driver = state::lock();
    let (to, from) = (driver.stream_of(to)?, driver.stream_of(from)?);
    let priority = driver.streams.get(from)?.priority;
    driver.streams.get_mut(to)?.priority = priority;
    Ok(())
}

fn of<T>(stream: Raw, of: impl FnOnce(&Stream, &Driver) -> Result<T, Cause>) -> Result<T, Cause> {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    of(driver.streams.get(handle)?, &driver)
}

cuda::forward_streams!(forward);
