//! `libcudart.so.13`: all of [`cudart`], and what CUDA 13 does otherwise than CUDA 12.
#![allow(unsafe_code, non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)]
use cuda::layout::{NodeParameters, Raw};
use cudart::calls::graph::Place;
use cudart::calls::memory::MemoryLocation;
use cudart::calls::stream::CaptureInfo;
use cudart::calls::{device, graph, properties, stream as streams};
use cudart::context::enter;
use cudart::interface::out;
use cudart::{exports, exports_with_stream};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The version whose interface this library has: 13.0.
const VERSION: c_int = 13000;

cuda::cudart_13!(exports);

cuda::cudart_13_with_stream!(exports_with_stream);

/// Names of this version that have no implementation.
pub mod without {
    #![allow(non_snake_case)]
    use cudart::absent;
    cuda::without_cudart_13!(absent);
}
