//! CUDA's runtime interface over its driver interface: what `nvcc` compiles `<<<…>>>` and `cuda…` calls to.
//!
//! NVIDIA's own runtime library asks the driver by private tables to prove that it is NVIDIA's. This one asks nothing of the
//! kind: it calls the documented functions of whatever `libcuda.so.1` the loader finds, so programs that `nvcc -cudart shared`
//! built run on the simulated driver (and on a real one). The shared libraries are the packages `cudart-12` and `cudart-13`,
//! which add what differs between the two versions.
//!
//! Arrows go one way: [`table`] (the exported functions) → [`calls`] (one file a family) → [`registry`] (what `nvcc`'s code
//! registers before `main`: images, kernels, variables) → [`context`] (the device of a thread) → [`driver`] (functions of
//! `libcuda.so.1`) → [`status`] (results and their words).
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what the interface asks")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

#[macro_use(refuse_if)]
extern crate cuda;

pub mod calls;
pub mod context;
pub mod driver;
pub mod interface;
pub mod layout;
pub mod refused;
pub mod registry;
pub mod status;
pub mod table;
