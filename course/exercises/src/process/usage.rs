//! How much a box holds and does, as the system's file system of processes tells it: of all processes that a worker has started.

use std::fs::read_to_string;

/// The unit of times that the kernel tells; it is the same on all machines that the labs run on, whatever the kernel's own clock.
const TICKS_PER_SECOND: f64 = 100.0;

/// Memory of the box in bytes that is its own: not files that are mapped. The worker's outer process counts too; it is small.
pub fn memory_bytes(worker: u32) -> u64 {
    let held = |process: u32| {
        let status = read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let rows =
            status.lines().filter(|line| ["RssAnon:", "RssShmem:", "VmSwap:"].iter().any(|row| line.starts_with(row)));
        let kilobytes = rows.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        kilobytes.sum::<u64>() << 10
    };
    processes(worker).into_iter().map(held).sum()
}

/// Returns whether a thread of the box runs, could run, or waits for a disk.
pub fn awake(worker: u32) -> bool {
    processes(worker).into_iter().any(|process| {
        threads(process).iter().any(|thread| {
            let stat = read_to_string(format!("/proc/{process}/task/{thread}/stat")).unwrap_or_default();
            matches!(after_name(&stat).next(), Some("R" | "D"))
        })
    })
}

/// Processor time of a worker that has ended and has not been waited for, and of all that it has waited for.
pub fn cpu_seconds(worker: u32) -> f64 {
    let stat = read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
    let ticks = after_name(&stat).skip(11).take(4).filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
    ticks as f64 / TICKS_PER_SECOND
}

/// The columns of a process's line after its name, which may hold anything: the state first.
fn after_name(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

fn threads(process: u32) -> Vec<String> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// A worker and all its descendants.
fn processes(worker: u32) -> Vec<u32> {
    let mut all = vec![worker];
    let mut next = 0;
    while let Some(&process) = all.get(next) {
        next += 1;
        for thread in threads(process) {
            let children = read_to_string(format!("/proc/{process}/task/{thread}/children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
        }
    }
    all
}

/// Returns whether the system tells: then memory is limited also where the kernel's own limits do not reach.
pub fn is_told() -> bool {
    let own = std::process::id();
    memory_bytes(own) > 0 && std::path::Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
}
