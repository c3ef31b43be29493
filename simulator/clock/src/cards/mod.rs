//! The cards that can be simulated. **A new card goes into `cards.md`**, as a column, or into a file, which [`choose`] takes. Units stand in
//! the fields' names. Numbers that all cards have in common are in [`crate::constants`].
mod fields;
mod file;
mod table;

pub use fields::{Architecture, Device};
pub use file::{BASE, SOURCES, choose, distance};
pub use table::{DEFAULT, DEVICES, find};
