//! NVIDIA's mathematical libraries over any CUDA driver, by kernels that are there as PTX.
//!
//! NVIDIA's cuBLAS, cuRAND and cuFFT hold machine code alone, which the simulated driver does not execute. This library exports their C interface
//! and answers it with the kernels in `kernels/`, so that a program under `sim` is counted, timed and checked for races within them as within
//! its own. One file stands for all of `libcublas.so.12`, `.13`, `libcublasLt.so.12`, `.13`, `libcurand.so.10` and
//! `libcufft.so.11`, `.12`.
//!
//! Arrows go one way: [`cublas`], [`lt`], [`curand`] and [`cufft`] (exported functions) → [`triangles`] (products and solves with a triangle) → [`product`] (products with a matrix) → [`handle`] (what a handle
//! remembers) → [`device`] (kernels and launches) → [`driver`] (functions of `libcuda.so.1`) → [`failure`] (results).
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "a block without a reason of its own uses what the C caller gave, as CUDA's interface asks for it"
)]
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what the interface asks")]
#![allow(clippy::useless_conversion, reason = "functions exist for sizes of 32 and of 64 bits")]

#[macro_use(refuse_if)]
extern crate cuda;

pub mod answer;
pub mod cublas;
pub mod cufft;
pub mod curand;
pub mod dense;
pub mod device;
pub mod driver;
pub mod failure;
pub mod handle;
pub mod layout;
pub mod lt;
pub mod product;
pub mod sparse;
pub mod triangles;
pub mod vector;
