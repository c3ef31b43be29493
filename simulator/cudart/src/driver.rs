//! Functions of `libcuda.so.1`, found by name when the first call needs the driver.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::status::{Failure, INSUFFICIENT_DRIVER, NOT_SUPPORTED, Outcome};
use cuda::client;
pub use cuda::layout::Raw;
use cuda::types::*;

cuda::functions!(client labs_sim_refuse(name: *const c_char););
cuda::client_of!("cudart"; INSUFFICIENT_DRIVER, NOT_SUPPORTED, Failure);
