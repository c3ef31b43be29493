//! Events: marks in a stream, and the virtual time at which they were passed.
use crate::executor::{finish, poll};
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::event::{DISABLE_TIMING, Event, EventState, INTERPROCESS};
use crate::objects::graphs::{Step, Work};
use crate::state;
use crate::state::host_time::{self, Call};
use cuda::layout::Raw;
use std::ffi::c_uint;

/// The flag of a record that is, in a capture, a node of the graph and records at each launch, instead of a mark for the capture's own waits.
const EXTERNAL: c_uint = 1;

pub unsafe fn cuEventCreate(event: *mut Raw, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    if flags & !7 != 0 || flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0 {
        return Err(Cause::NoSuchValue("Flags", flags.into()));
    }
    let handle = driver.events.insert(Event { context, flags, state: EventState::Never, polled: None });
    unsafe { out("phEvent", event, handle as Raw) }
}

/// `cuEventRecord`, `cuEventRecordWithFlags`
pub fn record(event: Raw, stream: Raw, flags: c_uint) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(flags > 1, Cause::NoSuchValue("flags", flags.into()));
    let context = driver.events.get(event as usize)?.context;
    let stream = driver.stream_of(stream)?;
    refuse_if!(driver.streams.get(stream)?.context != context, Cause::NoHandle("event of this stream's context"));
    driver.healthy(context)?;
    if driver.streams.get(stream)?.capture.is_some() {
        if flags & EXTERNAL != 0 {
            return driver.capture_work(stream, Step::Record(event as usize));
        }
        return driver.capture_record(stream, event as usize);
    }
    if driver.events.get(event as usize)?.flags & DISABLE_TIMING == 0 {
        host_time::stamp(stream);
    } else {
        host_time::spend(Call::Note);
    }
    driver.events.get_mut(event as usize)?.polled = None;
    let seq = driver.submit(stream, Work::Record(event as usize), &[])?;
    if let Some(seq) = seq.filter(|_| driver.events.get(event as usize).is_ok_and(|e| e.flags & INTERPROCESS != 0)) {
        // Another process cannot have this one's work done.
        let driver = finish(driver, &[seq]);
        driver.healthy(context)?;
    }
    Ok(())
}

pub fn cuEventQuery(event: Raw) -> Outcome {
    let mut driver = state::started()?;
    let context = driver.events.get(event as usize)?.context;
    driver.healthy(context)?;
    let found = driver.events.get_mut(event as usize)?;
    match found.state {
        EventState::Never | EventState::Done { .. } => Ok(()),
        EventState::Captured(capture) => {
            driver.spoil(capture);
            Err(Cause::CapturedEvent)
        }
        EventState::Pending(seq) if found.polled != Some(seq) => {
            found.polled = Some(seq);
            Err(Cause::NotReady)
        }
        EventState::Pending(seq) => {
            let (driver, done) = poll(driver, &[seq]);
            driver.healthy(context)?;
            if done { Ok(()) } else { Err(Cause::NotReady) }
        }
    }
}

pub fn cuEventSynchronize(event: Raw) -> Outcome {
    let mut driver = state::started()?;
    let found = driver.events.get(event as usize)?;
    let context = found.context;
    let state = found.state;
    driver.healthy(context)?;
    match state {
        EventState::Never => Ok(()),
        EventState::Captured(capture) => {
            driver.spoil(capture);
            Err(Cause::CapturedEvent)
        }
        EventState::Done { at_ns } => {
            host_time::wait_until_ns(at_ns);
            Ok(())
        }
        EventState::Pending(seq) => {
            let driver = finish(driver, &[seq]);
            if let Ok(Event { state: EventState::Done { at_ns }, .. }) = driver.events.get(event as usize) {
                host_time::wait_until_ns(*at_ns);
            }
            driver.healthy(context).map(|_| ())
        }
    }
}

/// `cuEventElapsedTime`, both versions: milliseconds of the virtual clock.
pub unsafe fn elapsed(milliseconds: *mut f32, start: Raw, end: Raw) -> Outcome {
    let mut driver = state::started()?;
    let mut times = [0; 2];
    for (time, event) in times.iter_mut().zip([start, end]) {
        let found = driver.events.get(event as usize)?;
        refuse_if!(found.flags & DISABLE_TIMING != 0, Cause::NoTime);
        let context = found.context;
        match found.state {
            EventState::Never => return Err(Cause::NoTime),
            EventState::Pending(_) => return Err(Cause::NotReady),
            EventState::Captured(capture) => {
                driver.spoil(capture);
                return Err(Cause::CapturedEvent);
            }
            EventState::Done { at_ns } => *time = at_ns,
        }
        driver.healthy(context)?;
    }
    let elapsed = (times[1] as i64 - times[0] as i64) as f64 / 1e6;
    unsafe { out("pMilliseconds", milliseconds, elapsed as f32) }
}

cuda::forward_events!(forward);
