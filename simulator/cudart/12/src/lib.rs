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

exports! {
    cudaRuntimeGetVersion(version: *mut c_int) => out(version, VERSION);
    cudaGetDeviceProperties_v2(to: *mut c_void, device: c_int) => properties::fill(to, properties::FIELDS_OF_CUDA_12, device);
    cudaEventElapsedTime_v2(milliseconds: *mut f32, start: Raw, end: Raw) => answer(milliseconds, |driver, found| driver.cuEventElapsedTime(found, start, end));
    cudaGetDriverEntryPoint(symbol: *const c_char, function: *mut Raw, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, VERSION as c_uint, flags, status);
    cudaGetDriverEntryPoint_ptsz(symbol: *const c_char, function: *mut Raw, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, VERSION as c_uint, flags, status);
    cudaGetDriverEntryPointByVersion(symbol: *const c_char, function: *mut Raw, version: c_uint, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, version, flags, status);
    cudaGetDriverEntryPointByVersion_ptsz(symbol: *const c_char, function: *mut Raw, version: c_uint, flags: u64, status: *mut c_uint) => device::entry_point(symbol, function, version, flags, status);
    cudaMemAdvise(pointer: Raw, bytes: usize, advice: c_int, device: c_int) => enter()?.0.cuMemAdvise(pointer as u64, bytes, advice, device);
    cudaMemAdvise_v2(pointer: Raw, bytes: usize, advice: c_int, location: MemoryLocation) => enter()?.0.cuMemAdvise(pointer as u64, bytes, advice, location.device());
    cudaGraphAddNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut NodeParameters) => graph::add_node(node, Place { graph, dependencies, count }, parameters);
    cudaGraphAddNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, parameters: *mut NodeParameters) => { let _ = data; graph::add_node(node, Place { graph, dependencies, count }, parameters) };
    cudaGraphAddDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize) => enter()?.0.cuGraphAddDependencies_v2(graph, from, to, null_mut(), count);
    cudaGraphAddDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => enter()?.0.cuGraphAddDependencies_v2(graph, from, to, data, count);
    cudaGraphRemoveDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize) => enter()?.0.cuGraphRemoveDependencies_v2(graph, from, to, null_mut(), count);
    cudaGraphRemoveDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => enter()?.0.cuGraphRemoveDependencies_v2(graph, from, to, data, count);
    cudaGraphGetEdges(graph: Raw, from: *mut Raw, to: *mut Raw, count: *mut usize) => enter()?.0.cuGraphGetEdges_v2(graph, from, to, null_mut(), count);
    cudaGraphGetEdges_v2(graph: Raw, from: *mut Raw, to: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphGetEdges_v2(graph, from, to, data, count);
    cudaGraphNodeGetDependencies(node: Raw, nodes: *mut Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependencies_v2(node, nodes, null_mut(), count);
    cudaGraphNodeGetDependencies_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependencies_v2(node, nodes, data, count);
    cudaGraphNodeGetDependentNodes(node: Raw, nodes: *mut Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependentNodes_v2(node, nodes, null_mut(), count);
    cudaGraphNodeGetDependentNodes_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => enter()?.0.cuGraphNodeGetDependentNodes_v2(node, nodes, data, count);
    // Names from before CUDA 4.
    cudaThreadExit() => device::reset();
    cudaThreadSynchronize() => enter()?.0.cuCtxSynchronize();
    cudaThreadGetLimit(value: *mut usize, limit: c_uint) => enter()?.0.cuCtxGetLimit(value, limit);
    cudaThreadSetLimit(limit: c_uint, value: usize) => enter()?.0.cuCtxSetLimit(limit, value);
    cudaThreadGetCacheConfig(config: *mut c_uint) => enter()?.0.cuCtxGetCacheConfig(config);
    cudaThreadSetCacheConfig(config: c_uint) => enter()?.0.cuCtxSetCacheConfig(config);
}

exports_with_stream! {
    cudaMemPrefetchAsync / cudaMemPrefetchAsync_ptsz(pointer: Raw, bytes: usize, device: c_int, stream: Raw) [stream] => enter()?.0.cuMemPrefetchAsync(pointer as u64, bytes, device, stream);
    cudaMemPrefetchAsync_v2 / cudaMemPrefetchAsync_v2_ptsz(pointer: Raw, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Raw) [stream] => { let _ = flags; enter()?.0.cuMemPrefetchAsync(pointer as u64, bytes, location.device(), stream) };
    cudaStreamGetCaptureInfo / cudaStreamGetCaptureInfo_ptsz(stream: Raw, status: *mut c_uint, id: *mut u64) [stream] => streams::capture_info(stream, CaptureInfo { status, id, graph: null_mut(), dependencies: null_mut(), count: null_mut() }, None);
    cudaStreamGetCaptureInfo_v2 / cudaStreamGetCaptureInfo_v2_ptsz(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, count: *mut usize) [stream] => streams::capture_info(stream, CaptureInfo { status, id, graph, dependencies, count }, None);
    cudaStreamGetCaptureInfo_v3 / cudaStreamGetCaptureInfo_v3_ptsz(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, data: *mut Raw, count: *mut usize) [stream] => streams::capture_info(stream, CaptureInfo { status, id, graph, dependencies, count }, Some(data));
    cudaStreamUpdateCaptureDependencies / cudaStreamUpdateCaptureDependencies_ptsz(stream: Raw, dependencies: *mut Raw, count: usize, flags: c_uint) [stream] => enter()?.0.cuStreamUpdateCaptureDependencies_v2(stream, dependencies, null_mut(), count, flags);
    cudaStreamUpdateCaptureDependencies_v2 / cudaStreamUpdateCaptureDependencies_v2_ptsz(stream: Raw, dependencies: *mut Raw, data: Raw, count: usize, flags: c_uint) [stream] => enter()?.0.cuStreamUpdateCaptureDependencies_v2(stream, dependencies, data.cast(), count, flags);
}

/// Names of this version that have no implementation.
pub mod without {
    #![allow(non_snake_case)]
    use cudart::absent;
    cuda::without_cudart_12!(absent);
}
