//! The sanitizer's steps for an access of each kind, and the state that they need. [`fast`] has the short ways.
pub mod async_proxy;
pub mod block;
pub mod dependents;
pub mod details;
pub mod fast;
pub mod generic_proxy;
pub mod neighbours;
pub mod one_instruction;
pub mod products;
pub mod race;
pub mod read_only;
pub mod state;
pub mod texture;
pub mod undefined;
pub mod updates;
pub mod visit;
pub mod warp_load;
