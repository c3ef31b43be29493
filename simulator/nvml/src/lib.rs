//! NVML of simulated cards: names, memory, utilisation, clocks, the process that uses them. What the simulator does not model
//! (temperature, power, fans, errors of memory, …) is answered "not supported".
//!
//! The program `nvidia-smi` tells the same ([`smi`]).
//!
//! Arrows go one way: [`table`] (the exported functions) → [`answers`] (what they say) → [`simulator`] (the driver, asked for
//! its cards) → [`status`] (results and their words). Each process has its own cards: what another process does is not seen.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what the interface asks")]
#![allow(missing_docs, reason = "types and functions carry comments; a field whose name says all does not")]

#[macro_use(refuse_if)]
extern crate cuda;

pub mod answers;
pub mod simulator;
pub mod smi;
pub mod status;
pub mod table;
