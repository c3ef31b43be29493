//! Kernels on the machine itself, without the driver: what they compute, what is counted, what is found, what is proved.

#[path = "../exhibit/mod.rs"]
mod exhibit;
#[path = "../counted/launches.rs"]
mod launches;
#[path = "../module/mod.rs"]
mod module;
#[path = "../../benches/work/mod.rs"]
mod work;

mod counters;
mod fixtures_run;
mod fuzz;
mod hindsight;
mod hopper;
mod late;
mod lowering;
mod memory;
mod mutations;
mod proofs;
mod schedules;
mod together;
mod without_lines;
