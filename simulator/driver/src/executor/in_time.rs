//! Host functions that a program waits for by means of its own, without another call of the driver: a card comes to them by itself.
use super::finish::finish;
use crate::objects::graphs::Seq;
use crate::state;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A host function that nothing has needed for so long is called, and what it comes after is done.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

static CALLER: OnceLock<Sender<(Instant, Seq)>> = OnceLock::new();

/// Has a pending host function called in time.
pub fn call_in_time(seq: Seq) {
    // The thread ends only with the process: it takes what it is given.
    let _ = CALLER.get_or_init(start).send((Instant::now() + LONGEST_WAIT, seq));
}

fn start() -> Sender<(Instant, Seq)> {
    let (sender, functions) = channel();
    if let Err(error) = std::thread::Builder::new().name("cuda host functions".into()).spawn(move || call(&functions)) {
        eprintln!("[simulator] the thread that calls host functions could not be started: {error}");
        std::process::abort();
    }
    sender
}

fn call(functions: &Receiver<(Instant, Seq)>) {
    for (at, seq) in functions {
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        let mut driver = state::lock();
        if driver.operation(seq).is_some() {
            drop(finish(driver, &[seq]));
        }
    }
}
