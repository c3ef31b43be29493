//! A CUDA driver with no GPU behind it.
//!
//! Built as `libcuda.so`'s stand-in: a program that loads it finds the driver API, and its kernels' PTX is run on the
//! host, a warp of 32 lanes at a time. Arrows go one way: `ptx` (text to tree) → `lower` (tree to flat code) → `exec`
//! (flat code on lanes) → `memory`. `counters`, `sanitizer` and `timeline` listen to `probe`; `driver` is the C surface.
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

pub mod counters;
pub mod device;
pub mod diagnostics;
pub mod driver;
pub mod exec;
pub mod fault;
pub mod host;
pub mod isa;
pub mod link;
pub mod lower;
pub mod memory;
pub mod occupancy;
pub mod probe;
pub mod program;
pub mod ptx;
pub mod sampling;
pub mod sanitizer;
pub mod tensor;
pub mod timeline;
