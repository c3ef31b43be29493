//! A lab's run, from its command line over plan, examination and turns to the verdict.

#[cfg(feature = "bench")]
pub mod benching;
pub mod cold;
pub mod compared;
pub mod examination;
pub mod experiment;
pub mod lab;
pub mod operands;
pub mod plan;
pub mod processes;
mod replayed;
pub mod schedules;
mod several;
pub mod subject;
pub mod turns;
