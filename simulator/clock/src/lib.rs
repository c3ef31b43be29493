//! The time that a card would have taken: the cards ([`cards`]), how many blocks fit ([`occupancy`]), and a model of time in five rooms.
//!
//! Arrows go one way: [`compiler`] (from the text to machine code) and [`listeners`] (probes on a launch) → [`analytic`] (the model that fits on a
//! page) → [`multiprocessor`] (one multiprocessor played through) and [`streams`] (copies and kernels beside each other). Numbers stand in
//! [`cards`] and in [`constants`], and nowhere else.
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

pub use cards as device;

/// The parts of the model that a driver calls, under one name.
pub mod timeline {
    pub use crate::analytic::stalls;
    pub use crate::compiler::codes;
    pub use crate::listeners::{hand_over, trace, traffic};
    pub use crate::multiprocessor::play;
    pub use crate::streams::span::Span;
    pub use crate::streams::timeline::{Route, Timeline};
    pub use crate::streams::{copy_engine, ready, utilisation};

    /// The time of one kernel.
    pub mod kernel_time {
        pub use crate::analytic::demand::Term;
        pub use crate::analytic::kernel_time::{Estimate, Played, estimate};
        pub use crate::analytic::terms::Launched;
        pub use crate::analytic::work::{Work, beyond_l2};
    }

    /// Kernels side by side.
    pub mod sharing {
        pub use crate::analytic::demand::{Demand, UNITS};
        pub use crate::streams::sharing::{Sharing, Wanted};
    }
}
