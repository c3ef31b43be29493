//! The wording: the messages that a user reads about a kernel that went wrong.
//!
//! A race is worded in `race`, a fault that stops a launch in `fault`, an access outside of memory in `access`, an undefined value in
//! `undefined`, a module that cannot be loaded in `refusal`. Only the words of a broken rule stand beside the rule, in
//! [`sanitizer::misuse`](crate::sanitizer::findings::misuse).
//!
//! Every message has one shape: whose fault and what, the source line with a caret, who did it, what it touched, the other
//! party with its line, and one next step.
//!
//! ```text
//! your kernel: `shared_f32` reads 4 bytes past the end of `a`
//!   --> kernels/gemm/3_shared.cu:26:24
//!    |
//! 26 |         tile_a[y][x] = a[row * k + start + x];
//!    |                        ^
//!    = who: thread (0, 1, 0) of block (3, 0, 0), lane 0 of warp 1, with 7 more lanes of the warp
//!    = what: `a`[1600] of `a`[0 … 1599], 6400 bytes in all
//!    = next: compare the index with the bounds of the array before this line
//! ```
mod access;
mod diagnosis;
mod endless;
mod family;
mod fault;
mod finding;
mod leaks;
mod mends;
mod message;
mod proof;
mod race;
mod refusal;
mod replayed;
mod rust;
mod sampled;
mod source;
mod streams;
mod undefined;

pub use diagnosis::Diagnosis;
pub use family::Family;
pub use fault::fault;
pub use finding::{finding, tried};
pub use leaks::leaks;

pub use proof::{RaceFreedom, race_freedom};
pub use refusal::refusals;
pub use replayed::{Told, replayed};
pub use sampled::{not_sampled, reads_a_sample};

pub use source::lines::{NO_LINES, give_source, read_source};
pub use source::names::{array_of, kernel_name};
pub use source::scene::Scene;
pub use streams::{ALLOCATE, FREE, Party, overlapped, unordered, unwritten_operand};
