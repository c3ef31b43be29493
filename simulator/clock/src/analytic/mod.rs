//! The model that fits on a page: the time of a kernel from totals over its launch, for every card and every kernel.
pub mod atomics;
pub mod demand;
pub mod kernel_time;
pub mod stalls;
pub mod terms;
pub mod work;
