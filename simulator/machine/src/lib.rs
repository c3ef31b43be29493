//! A GPU's multiprocessor on the host: runs a kernel of a module of PTX, a warp of 32 lanes at a time, and tells listeners.
//!
//! Arrows go one way: [`ptx`]'s tree → [`lower`] (flat code) → [`exec`] (flat code on lanes) → [`memory`]. Listeners are told of a launch
//! by [`probe`]. [`link`] resolves the names between modules.
//!
//! # Invariants
//!
//! - `machine` does not know a card: it has no clock, no counters and no limits of a device, which a [`Request`](exec::launch::Request)
//!   brings along. It depends on `ptx` alone (`the_picture_in_contributing_is_the_code_s`).
//! - `exec` names nothing of `lower`, and `memory` neither (`the_machine_s_rooms_know_only_what_lies_below`). Both tests are in
//!   `common/tests/rooms`.
//! - No fault has words here: faults are data, which `watch` words. All vector levels give the same bits
//!   (`every_level_computes_the_same_and_keeps_inactive_lanes`, `simulator/tests/instructions`).
//!
//! # Example
//!
//! ```
#![doc = include_str!("../examples/kernel.rs")]
//! ```
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

#[macro_use(refuse_if)]
extern crate ptx;

pub mod exec;
pub mod fault;
pub mod host;
pub mod link;
pub mod lower;
pub mod memory;
pub mod probe;
pub mod program;
pub mod tensor;
