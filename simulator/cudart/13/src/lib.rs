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

exports! {
    cudaRuntimeGetVersion(version: *mut c_int) => out(version, VERSION);
    cudaGetDeviceProperties(to: *mut c_void, device: c_int) => properties::fill(to, properties::THIRTEEN, device);
    cudaGetDriverEntryPoint(symbol: *const c_char, function: *mut Raw, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, VERSION as c_uint, flags, status);
    cudaGetDriverEntryPoint_ptsz(symbol: *const c_char, function: *mut Raw, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, VERSION as c_uint, flags, status);
    cudaGetDriverEntryPointByVersion(symbol: *const c_char, function: *mut Raw, version: c_uint, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, version, flags, status);
    cudaGetDriverEntryPointByVersion_ptsz(symbol: *const c_char, function: *mut Raw, version: c_uint, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, version, flags, status);
    cudaMemAdvise(pointer: Raw, bytes: usize, advice: c_int, location: MemoryLocation) => enter()?.0.cuMemAdvise(pointer as u64, bytes, advice, location.device());
    cudaGraphAddNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, parameters: *mut NodeParameters) => { let _ = data; graph::add_node(node, Place { graph, dependencies, count }, parameters) };
    cudaGraphAddDependencies(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => enter()?.0.cuGraphAddDependencies_v2(graph, from, to, data, count);
    cudaGraphRemoveDependencies(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => enter()?.0.cuGraphRemoveDependencies_v2(graph, from, to, data, count);
    cudaGraphGetEdges(graph: Raw, from: *mut Raw, to: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphGetEdges_v2(graph, from, to, data, count);
    cudaGraphNodeGetDependencies(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependencies_v2(node, nodes, data, count);
    cudaGraphNodeGetDependentNodes(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependentNodes_v2(node, nodes, data, count);
}

exports_with_stream! {
    cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz(pointer: Raw, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Raw) [stream] => { let _ = flags; enter()?.0.cuMemPrefetchAsync(pointer as u64, bytes, location.device(), stream) };
    cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, data: *mut Raw, count: *mut usize) [stream] => streams::capture_info(stream, CaptureInfo { status, id, graph, dependencies, count }, Some(data));
    cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz(stream: Raw, dependencies: *mut Raw, data: Raw, count: usize, flags: c_uint) [stream] => enter()?.0.cuStreamUpdateCaptureDependencies_v2(stream, dependencies, data.cast(), count, flags);
}

/// Names of this version that have no implementation.
pub mod without {
    #![allow(non_snake_case)]
    use cudart::absent;
    cuda::without_cudart_13!(absent);
}
