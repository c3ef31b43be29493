//! The code that the labs share.
//!
//! A lab reads: parse the command line ([`command_line`]), open the device ([`device`]), plan, measure into a [`result::Report`]
//! ([`timing`], [`check`]), deliver it ([`report`]), and end with a verdict ([`error::conclude`]).

#[cfg(feature = "bench")]
pub mod benching;
pub mod benchmark;
pub mod blas;
pub mod call;
pub mod ceiling;
pub mod choice;
pub mod cold;
pub mod command_line;
pub mod cublas;
pub mod device;
pub mod element;
pub mod error;
pub mod examination;
pub mod exercise;
pub mod experiment;
pub mod forecast;
pub mod gate;
pub mod host_memory;
pub mod instrumentation;
pub mod kernel_text;
pub mod lab;
pub mod ladder;
pub mod lesson;
pub mod matrix;
pub mod memory;
pub mod observations;
pub mod operands;
pub mod owned;
pub mod place;
pub mod plan;
pub mod pristine;
pub mod progress;
pub mod published;
pub mod question;
pub mod recorder;
pub mod report;
pub mod result;
pub mod schedules;
pub mod series;
pub mod shape;
pub mod simulator;
pub mod statistics;
pub mod subject;
pub mod testing;
pub mod timing;
pub mod turns;
pub mod whole_file;

pub use error::{LabError, Verdict, conclude};
pub use numbers::{check, on_host, reference};
