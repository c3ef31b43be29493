//! The multiprocessor: plays the blocks that it would have of a launch through, cycle by cycle.
mod choice;
mod draw;
mod issue;
mod joined;
mod l1;
mod load;
mod load_store;
mod machine;
mod meet;
mod phases;
pub mod play;
mod queues;
mod resident_warp;
mod run;
mod setting;
mod shared_lines;
mod transfers;
mod units;
