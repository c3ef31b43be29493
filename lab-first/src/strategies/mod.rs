//! The decisions of the host before a launch, as data: numbers in, a configuration out.

mod configuration;
mod launch;

pub use configuration::Launch;
pub use launch::launch;
