//! Operations one after the other: each is taken under the state's lock, done without it, and entered under it.
use super::copies;
use super::finish;
use super::job::Job;
use crate::objects::graphs::{Chosen, HostFunction, Seq, Work};
use crate::state::queue::Operation;
use crate::state::{self, Guard};
use clock::streams::copy_engine::Source;
use clock::streams::ready::{Engine, Ready};
use watch::diagnostics::FREE;

/// Does operations one after the other. What another thread has taken is left to it; what comes after that is waited for.
pub fn do_in_order(mut driver: Guard, share: &Chosen) -> Guard {
    for &seq in &share.operations {
        loop {
            let device = driver.device_of(seq);
            let is_running = driver.devices.get(device).is_some_and(|device| device.is_running);
            let Some(operation) = driver.operation(seq) else { break };
            let Some(work) = &operation.work else { break };
            let must_wait = !operation.is_ready() || matches!(work, Work::Launch(_)) && is_running;
            if must_wait {
                driver = state::wait_for_news(driver);
                continue;
            }
            driver = do_one(driver, seq, share.horizon);
            break;
        }
    }
    driver
}

/// Does an operation that waits for nothing any more.
fn do_one(mut driver: Guard, seq: Seq, horizon: Seq) -> Guard {
    let Some(operation) = driver.operation(seq) else { return driver };
    let Some(work) = operation.work.take() else { return driver };
    let Operation { stream, context, ready, submitted_ns, .. } = *operation;
    let mut job = Job { seq, stream, context, ready, horizon };
    let in_graph = operation.in_graph;
    let from = if in_graph { Source::Graph } else { Source::Stream(stream) };
    if let Work::Host(function) = work {
        call_host_function(seq, function);
        return driver;
    }
    if let Work::Wait(wait) = work {
        finish::wait_for_value(job, wait);
        return driver;
    }
    // A context with a fault does nothing more, nor does one that has ended.
    let device = match driver.contexts.get(job.context) {
        Ok(context) if context.fault.is_none() => context.device,
        _ => {
            driver.complete(seq, job.ready, &work);
            return state::tell_news(driver);
        }
    };
    let handover_ns = driver.devices[device].card.engine_handover_ns;
    let start = |engine| ready.on(engine, handover_ns, submitted_ns);
    match &work {
        Work::Join | Work::Record(_) | Work::Allocate { .. } | Work::Host(_) | Work::Wait(_) => {
            driver.complete(seq, job.ready, &work)
        }
        Work::Copy(transfer) => {
            let prepared = driver.prepare_copy(transfer).map(Some);
            driver = job.run(driver, work, device, prepared, copies::copy, |timeline, copy, ()| {
                copies::place_copy(timeline, start, from, copy)
            });
            driver.tell_what_the_host_has_read();
        }
        Work::Fill(fill) => {
            let prepared = driver.prepare_fill(fill);
            driver = job.run(driver, work, device, prepared, copies::fill, |timeline, fill, ()| {
                copies::place_fill(timeline, start(Engine::Multiprocessors), from, fill)
            });
        }
        Work::Answered(answered) => {
            let start_ns = start(Engine::Multiprocessors);
            let gpu = &mut driver.devices[device];
            let placed = copies::place_answer(&mut gpu.timeline, gpu.card, start_ns, from, answered);
            job.enter(&mut driver, &work, Ok(placed));
        }
        Work::Write { at, value, bytes } => {
            let prepared = driver.prepare_write(*at, *value, *bytes);
            driver = job.run(driver, work, device, prepared, copies::write, |_, _, ()| None);
        }
        Work::Free(address) => {
            // Gone already where its context ended first: a free may stand in a stream of another context.
            let stream = Some(driver.stream_id(stream));
            driver.tell_of_free(seq, FREE, stream, *address);
            let freed = if driver.allocations.contains_key(address) { driver.release(*address) } else { Ok(()) };
            job.enter(&mut driver, &work, freed.map(|()| None));
        }
        Work::Conditional { node, bodies } => {
            let chosen;
            (driver, chosen) = job.choose(driver, device, node, bodies);
            job.enter(&mut driver, &work, chosen.map(|()| None));
        }
        Work::Launch(_) => {
            driver = job.launch(driver, work, device, start(Engine::Multiprocessors), in_graph);
        }
    }
    state::tell_news(driver)
}

/// Calls a host function on a thread of its own: it may wait for the thread that submitted it.
fn call_host_function(seq: Seq, host: HostFunction) {
    let body = move || {
        // SAFETY: the application gave the function and its argument for exactly one call in stream order.
        unsafe { (host.function)(host.data as *mut std::ffi::c_void) };
        let mut driver = state::lock();
        let ready = driver.operation(seq).map_or(Ready::default(), |operation| operation.ready);
        driver.complete(seq, ready, &Work::Join);
        drop(state::tell_news(driver));
    };
    if let Err(error) = std::thread::Builder::new().name("cuda host function".into()).spawn(body) {
        eprintln!("[simulator] a host function could not be called: {error}");
        std::process::abort();
    }
}
