//! The cards that can be simulated: one row per card, and one per architecture that cards share. **A new card goes here**, as a row of
//! [`DEVICES`] in `table.rs`, and of `architectures.rs` if no other card has its compute capability; or into a file, which [`choose`] takes.
//!
//! Units stand in the field names, a source beside each number: `[g]` CUDA C++ Programming Guide, technical specifications
//! per compute capability; `[o]` NVIDIA's occupancy calculator; `[w]` NVIDIA's white paper or specification of that chip or
//! card; `[b]` published microbenchmarks (Wong 2010, Mei and Chu 2015, Jia 2018 and 2019, Luo 2024); `[m]` measured by this
//! project on that card; `[e]` an estimate from the card's generation. Numbers that all cards have in common are in [`crate::constants`].
mod architectures;
mod fields;
mod file;
mod table;

pub use architectures::{
    ADA, AMPERE_80, AMPERE_86, BLACKWELL_100, BLACKWELL_120, FERMI, HOPPER, KEPLER, PASCAL_60, PASCAL_61, TURING,
};
pub use fields::{Architecture, Device};
pub use file::{BASE, SOURCES, choose, distance};
pub use table::{DEFAULT, DEVICES, find};
