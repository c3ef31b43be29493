//! `libcudart.so.12`: all of [`cudart`], and what CUDA 12 does otherwise than CUDA 13.
#![allow(unsafe_code, non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)]
mod cuda_11;

use cuda::layout::{NodeParameters, Raw};
use cudart::calls::graph::Place;
use cudart::calls::memory::MemoryLocation;
use cudart::calls::stream::CaptureInfo;
use cudart::calls::{device, graph, properties, stream as streams};
use cudart::context::{answer, enter};
use cudart::interface::out;
use cudart::{exports, exports_with_stream};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// The version whose interface this library has: 12.9.
const VERSION: c_int = 12090;

cuda::cudart_12!(exports);

cuda::cudart_12_with_stream!(exports_with_stream);

/// Names of this version that have no implementation.
pub mod without {
    #![allow(non_snake_case)]
    use cudart::absent;
    cuda::without_cudart_12!(absent);
}
