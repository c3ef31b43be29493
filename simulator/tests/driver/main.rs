//! The driver through its own interface: cudarc on the simulator's shared library, as a lab uses it.
//!
//! Every test has a context of its own, so that a fault of one is none of another's; and captures of its own thread alone, since one of the
//! global mode refuses the allocations of all others (`capture_modes` is about that).
#![allow(unsafe_code)]
#![allow(clippy::not_unsafe_ptr_arg_deref, reason = "the driver's handles are opaque, and a wrong one is refused")]
#[macro_use]
mod card;
mod conditional;
mod device_launch;
mod documented;
mod errors;
mod graph_answers;
mod graph_memory;
mod graph_nodes;
mod images;
mod interprocess;
mod link;
mod logs;
mod managed;
mod mipmaps;
mod registers;
mod shared_arrays;
mod textures;
mod threads;
mod values;
mod virtual_memory;

use card::*;
