//! Trials: a launch is played again with one cause of its time taken away, wherever it comes from the same thing. What that gains is
//! said; nothing is said that was not tried.
mod accesses;
mod causes;
mod divergence;
mod room;
mod run;

pub use causes::{Candidate, Cause};
pub use room::Room;
pub use run::{Launch, Trial};
