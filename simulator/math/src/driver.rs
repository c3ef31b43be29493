//! Functions of `libcuda.so.1`, made from the table of the crate `cuda` and found by name when the first call needs the driver.
#![allow(non_snake_case, clippy::too_many_arguments, missing_docs, reason = "the table's names and rows")]
use crate::failure::{Failure, Outcome};
use cuda::client;
use cuda::types::*;

cuda::functions!(client
    labs_sim_refuse(name: *const c_char);
    labs_sim_before_answer(stream: crate::layout::Raw);
    labs_sim_answered(stream: crate::layout::Raw, name: *const c_char, ranges: *const cuda::extension::Range, count: u64, multiply_adds: u64);
);

/// `CUDA_ERROR_NOT_FOUND`
const NOT_FOUND: u32 = 500;

cuda::client_of!("math"; Failure::NotInitialized, Failure::Driver(NOT_FOUND), Failure::Driver);
