//! Counters: a listener that adds up what a profiler counts.
//!
//! A bank conflict is counted in [`bank_conflicts`], a sector in [`coalescing`]: pure functions of one access of a warp. `listener` hears
//! accesses and adds ([`Counters`]), `report` makes totals and lines of the sums ([`Report`]). [`samples`] is a second listener, which keeps
//! the addresses of single accesses.
mod access_cost;
pub mod bank_conflicts;
pub mod coalescing;
pub mod first_page;
mod listener;
pub mod pattern;
mod profiler;
mod report;
mod sample;
pub mod samples;
pub mod totals;

pub use listener::Counters;
pub use profiler::PROFILED;
pub use report::Report;
pub use sample::Sample;
