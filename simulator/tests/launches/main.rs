//! Many launches in one process, in memory that does not grow. A program of its own, so that it is the only one to take any.
#![allow(unsafe_code)]
#[path = "../driver/card.rs"]
#[macro_use]
mod card;

use card::{context, device, increment, kernel, ok, words};
use std::ptr::null_mut;

/// A million where the simulator is compiled for speed (`cargo test --release`).
const LAUNCHES: u32 = if cfg!(debug_assertions) { 60_000 } else { 1_000_000 };
/// Launches after which everything is there that is kept.
const FIRST: u32 = LAUNCHES / 20;
/// The growth of memory that is allowed from then on: less than 8 bytes a launch of a million.
const GROWTH_BYTES: u64 = 8 << 20;

/// Memory of this process that is in use.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

#[test]
fn launches_leave_nothing_behind() {
    let _context = context();
    let (f, on_device) = (kernel(c"increment"), device(32, 0));
    let mut first = 0;
    for launch in 1..=LAUNCHES {
        ok(increment(f, on_device, 32, null_mut()));
        if launch % 50 == 0 {
            ok!(cuCtxSynchronize());
        }
        if launch == FIRST {
            first = resident_bytes();
        }
    }
    let grown = resident_bytes().saturating_sub(first);
    assert!(grown < GROWTH_BYTES, "{grown} bytes more after {LAUNCHES} launches than after {FIRST}");
    assert_eq!(words(on_device), [LAUNCHES; 32]);
}
