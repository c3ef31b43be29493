//! Listeners to a launch: [`counters`] (what a profiler counts), [`sanitizer`] (what a checker finds), [`proof`] (whether data can
//! make it race), [`sampling`] (whether some blocks may stand for all), and [`diagnostics`], which alone has the words.
//!
//! Absent on purpose: time (a listener of this crate knows no card; `Cargo.toml` does not name `clock`), and words outside of
//! [`diagnostics`] but those of a broken rule (`sanitizer/findings/misuse.rs`). Rooms stand in no circle: `cargo test -p common --test rooms`.
//!
//! # Example
//!
//! ```
#![doc = include_str!("../examples/transposed_tile.rs")]
//! ```
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

pub mod counters;
pub mod diagnostics;
pub mod mends;
pub mod proof;
pub mod replay;
pub mod sampling;
pub mod sanitizer;
pub mod search;
