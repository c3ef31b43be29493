//! The code that the labs share.
//!
//! A lab reads: parse the command line ([`command_line`]), open the device ([`device`]), plan, measure into a [`result::Report`]
//! ([`timing`], [`check`]), deliver it ([`report`]), and end with a verdict ([`error::conclude`]).
//!
//! Rooms, each of which names only those before it: [`device`], [`matrix`], [`result`], [`timing`], [`report`], [`run`], [`lesson`].

pub mod blas;
pub mod command_line;
pub mod device;
pub mod element;
pub mod error;
pub mod exercise;
pub mod lesson;
pub mod matrix;
pub mod published;
pub mod report;
pub mod result;
pub mod run;
pub mod shape;
pub mod statistics;
pub mod testing;
pub mod timing;
pub mod whole_file;

pub use device::{call, ceiling, choice, kernel_text, memory, observations, recorder, simulator};
pub use error::{LabError, Verdict, conclude};
pub use matrix::{host_memory, lazy_memory, owned};
pub use numbers::{check, on_host, reference};
pub use result::{ladder, question};
#[cfg(feature = "bench")]
pub use run::benching;
pub use run::{cold, compared, examination, experiment, lab, operands, plan, processes, schedules, subject, turns};
pub use timing::{benchmark, cublas, forecast, gate, progress, series, so_far};
