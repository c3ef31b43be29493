//! The sanitizer: a listener that judges.
//!
//! It is told every access of a launch, in the order in which one thread of the host runs it, and keeps what it needs to tell wrong code.
//! [`listener`] gets the events and gives them to [`accesses`], which asks [`shadow`] who touched a word last and [`order`] who has learnt of
//! whom. A race is found in `accesses/race.rs`. A finding is data ([`findings`]), kept once for each fault; its words are in
//! [`diagnostics`](crate::diagnostics), those of a broken rule beside the rule ([`findings::misuse`]).
//!
//! Arrows go one way: `listener` → `accesses` → `accesses/fast` → `shadow` → `order` → `findings`.
//!
//! Out-of-bounds and misaligned accesses never get here: they stop the launch as faults. A load that begins inside an
//! allocation and ends after it does not stop a card, and is told here.
mod accesses;
pub mod findings;
mod listener;
mod order;
mod shadow;

pub use accesses::dependents::Touched;
pub use accesses::state::Sanitizer;
