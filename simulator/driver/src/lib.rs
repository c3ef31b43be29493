//! The driver's C surface: every function of `libcuda.so`, and the devices behind it.
//!
//! Arrows between the rooms go one way: `abi` (exported functions, and what each call goes through) → `calls` (one file a family of `cu*`) →
//! `executor` (does the work that streams hold) → `state` (all objects, allocations and pending work, behind one short lock) → `objects`
//! (modules, functions, graphs and the rest that handles name) → `interface` (causes, handles, types of the functions). Structs, results
//! and the table of functions are those of [`cuda`].
//!
//! An exported function goes through [`abi::surface`], which keeps panics inside and remembers why a call failed, to the item of its
//! name in [`calls`]. Handles are looked up, never dereferenced, so a stale or invented one is an error and not a crash. Work on streams
//! waits in [`state::queue`] until something asks for its result; [`executor`] does it without the lock, and [`clock`]
//! tells when a card would have done it.
//!
//! Absent on purpose: a judgement or a word about a kernel (those of `watch`), a number of a card (those of `clock`), and a kernel that runs
//! under the lock. `a_panic_ends_its_context_and_says_where` keeps a defect of the executor inside of its context.
//!
//! To add a driver function, add its row to [`cuda::functions!`] and an item of its name to the file of its family in `calls`.
#![allow(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

#[macro_use(refuse_if)]
extern crate cuda;

mod abi;
mod calls;
mod executor;
mod interface;
pub mod listeners;
mod objects;
mod state;

/// Who listens to a launch and what its clock makes of that: for benchmarks, which run launches without a driver.
pub use executor::{Clock, Listeners};

/// True if the variables of the environment that the simulator reads make sense, before a program is started under it. Says on standard
/// error which are misspelt.
///
/// # Errors
/// The first that does not, with its value and what it could be.
pub fn check_environment() -> Result<(), String> {
    state::variables::tell_of_unknown();
    state::settings::Settings::from_environment().check()
}

/// True if a card has this name, or a file of this path describes one.
///
/// # Errors
/// The nearest names, or what is wrong with the file.
pub fn check_card(name: &str) -> Result<(), String> {
    state::settings::profile(name).map(drop)
}

/// The certificate of a run, which a program that starts another under the driver puts together.
pub use state::logs::certificate::{Certificate, OfKernel};

/// The registers that a kernel's function attribute answers, where no assembler has said them.
pub use objects::modules::function::registers_of;

/// The words for work that was refused or failed in a run, and the exit codes of such a run: for a program that starts another under it.
pub use state::logs::refusals::{
    EXIT_CODE as REFUSED_EXIT_CODE, FAULT_EXIT_CODE, faults_in_words, newer_in_words, summary as refusals_in_words,
};

#[cfg(test)]
mod tests;
