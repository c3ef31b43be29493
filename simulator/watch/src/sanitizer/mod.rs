//! The sanitizer: a listener that judges.
//!
//! It watches every access of a launch, in the order in which one thread of the host runs it, and keeps what it needs to
//! tell wrong code: who touched each word last (`cells`, `shadow`), who has learnt of whom (`vector_clock`), which bytes were never written
//! (`written`), and how barriers were met (`barrier`). A race is found in `race`. A finding is data ([`finding`]), kept once for each fault
//! (`found`); its words are in [`diagnostics`](crate::diagnostics), those of a broken rule beside it ([`misuse`]).
//!
//! `state` holds the state of a launch, `listener` hears the events and gives them to `accesses` (memory), `proxy` (asynchronous transfers),
//! `neighbours` (arrays of shared memory), `texture`, and `undefined` (values that nobody has written).
//!
//! Out-of-bounds and misaligned accesses never get here: they stop the launch as faults. A load that begins inside an
//! allocation and ends after it does not stop a card, and is told here.
mod access_details;
mod accesses;
mod ascending;
mod barrier;
mod block;
mod by_lane;
mod cells;
mod contexts;
mod copies;
mod dependents;
mod fences;
pub mod finding;
mod found;
mod geometry;
mod knowledge;
pub mod leaks;
mod listener;
pub mod misuse;
mod neighbours;
mod one_instruction;
mod pages;
mod products;
mod proxy;
mod proxy_fences;
mod published;
mod race;
mod read_only;
mod role_cells;
mod scattered;
mod shadow;
mod signals;
mod sites;
mod state;
mod strictly_after;
mod texture;
mod transfer_party;
mod transfers;
mod undefined;
mod undefined_values;
mod updates;
mod vector_clock;
mod visit;
mod warp_access;
mod warp_load;
mod warps;
mod written;

pub use dependents::Touched;
pub use state::Sanitizer;
