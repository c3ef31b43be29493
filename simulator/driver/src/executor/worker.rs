//! A device's worker: the thread that does the device's share of a wait for several devices.
use super::in_order::do_in_order;
use crate::objects::graphs::Chosen;
use crate::state::{self, Driver};
use std::sync::mpsc::{Sender, channel};

/// Has the device's worker do operations, one after the other.
pub fn give(driver: &mut Driver, device: usize, share: Chosen) {
    let worker = driver.devices[device].worker.get_or_insert_with(|| start(device));
    // A worker ends only with the process: it takes its work as long as its sender is there.
    let _ = worker.send(share);
}

fn start(device: usize) -> Sender<Chosen> {
    let (sender, shares) = channel::<Chosen>();
    let body = move || {
        for share in shares {
            drop(state::tell_news(do_in_order(state::lock(), &share)));
        }
    };
    if let Err(error) = std::thread::Builder::new().name(format!("cuda device {device}")).spawn(body) {
        eprintln!("[simulator] a device's thread could not be started: {error}");
        std::process::abort();
    }
    sender
}
