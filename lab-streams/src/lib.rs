//! Lab 4: ways to order the copies and kernels of a batch, from one call after the other to a pipeline over all of a device's engines.
//!
//! The architecture is `main`: options → device → [`Plan`] → [`measure`] → report and timelines. [`VARIANTS`] is the ladder; list, tests
//! and benches follow from it. A variant is host memory and a [`schedule::Schedule`]; [`Engine`] carries any of them out.

mod card;
mod document;
mod engine;
mod exercises;
mod limit;
mod measure;
mod options;
mod plan;
mod planned;
mod question;
pub mod schedule;
pub mod schedules;
pub mod timeline;
mod topics;
mod variants;
mod workload;

pub use engine::{Engine, Run};
pub use exercises::Exercises;
pub use limit::{BusRates, Limit};
pub use measure::{Measured, Streams, measure, run_case};
pub use options::{DEFAULT_RING, Options};
pub use plan::{Case, Plan, Problem};
pub use topics::{Subject, run_topic};
pub use variants::{Batch, COLUMNS, Rung, Topic, VARIANTS};
pub use workload::{GemmKernel, Kind, Workload};
