//! The time that a card would have taken: the cards ([`cards`]), how many blocks fit ([`occupancy`]), and a model of time in five rooms.
//!
//! Arrows go one way: [`compiler`] (from the text to machine code) and [`listeners`] (probes on a launch) → [`analytic`] (the model that fits on a
//! page) → [`multiprocessor`] (one multiprocessor played through) → [`trials`] (played again without a cause of its time); and [`streams`]
//! (copies and kernels beside each other). Numbers stand in
//! [`cards`] and in [`constants`], and nowhere else (`numbers_stand_in_the_table` in `tests/model`).
//!
//! Absent on purpose: the host's time, the names of kernels, and whoever counts or judges: this crate names `machine` and `ptx` alone.
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

pub mod analytic;
pub mod cards;
pub mod compiler;
pub mod constants;
pub mod listeners;
pub mod multiprocessor;
pub mod occupancy;
pub mod streams;
pub mod trials;
