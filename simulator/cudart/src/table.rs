//! Every exported function that both versions share: its name and C signature, and which room answers it. Two names in a row
//! are the plain function and the one that programs call which were compiled for default streams of threads.
//!
//! Enums of the interface are numbers here, since any number may come in. Names without an implementation are in
//! [`without`].
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::calls::array::Corner;
use crate::calls::copy::{Order, Rows, row};
use crate::calls::graph::Place;
use crate::calls::launch::Request;
use crate::calls::{array, copy, device, error, function, graph, launch, library, memory, texture};
use crate::context::{self, answer, enter, unless_null};
use crate::driver::{Raw, driver};
use crate::layout::{
    ChannelFormat, Dim3, Extent, FunctionAttributes, Pitched, PointerAttributes, RuntimeCopy3d, RuntimeKernelNode,
    RuntimeLaunchConfig, RuntimeResource, RuntimeTexture,
};
use crate::{registry, status};
use cuda::layout::{
    AllocationNode, FillNode, HostFunction, HostNode, InstantiateParameters, IpcHandle, NewPool, StreamCallback,
    UpdateResult, ViewDescriptor,
};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Exports functions that answer a result.
#[macro_export]
macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As NVIDIA's runtime interface defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                // A body is one call that stands in the table below, and most of these calls are unsafe.
                #[allow(unused_unsafe, clippy::macro_metavars_in_unsafe)]
                $crate::status::call(&mut || -> $crate::status::Outcome { unsafe { $body } })
            }
        )*
    };
}

/// Exports functions with a stream among the arguments, and for each the one whose default stream is the thread's.
#[macro_export]
macro_rules! exports_with_stream {
    ($($name:ident / $per_thread:ident($($argument:ident: $type:ty),*) [$stream:ident] => $body:expr;)*) => {
        $crate::exports! {
            $(
                $name($($argument: $type),*) => $body;
                $per_thread($($argument: $type),*) => { let $stream = $crate::interface::per_thread($stream); $body };
            )*
        }
    };
}

/// Exports functions of the default stream: the legacy one, and for each the one whose default stream is the thread's.
macro_rules! exports_in_default_stream {
    ($($name:ident / $per_thread:ident($($argument:ident: $type:ty),*) [$order:ident] => $body:expr;)*) => {
        exports! {
            $(
                $name($($argument: $type),*) => { let $order = Order::Done; $body };
                $per_thread($($argument: $type),*) => { let $order = Order::DoneIn($crate::interface::PER_THREAD); $body };
            )*
        }
    };
}

/// Exports names that have no implementation: they say so once, and answer "not supported". The caller's arguments are left
/// alone: the C convention lets the caller clear them away.
#[macro_export]
macro_rules! absent {
    ($($name:ident)*) => {
        $(
            /// Not implemented.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> u32 {
                $crate::refused::refuse(stringify!($name))
            }
        )*
    };
}

/// `__cudaRegisterFatBinary`: called before `main`.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: Raw) -> *mut Raw {
    registry::image(wrapper)
}

/// `__cudaRegisterFatBinaryEnd`: images are loaded when they are first used.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_image: *mut Raw) {}

/// `__cudaUnregisterFatBinary`
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(image: *mut Raw) {
    registry::forget_image(image);
}

/// `__cudaRegisterFunction`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFunction(
    image: *mut Raw,
    stand_in: *const c_void,
    _device_name: *const c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _thread: Raw,
    _block: Raw,
    _block_extent: Raw,
    _grid_extent: Raw,
    _warp: *mut c_int,
) {
    // SAFETY: constant text of the generated code.
    unsafe { registry::kernel(image, stand_in as usize, name) };
}

/// `__cudaRegisterVar`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterVar(
    image: *mut Raw,
    shadow: *const c_void,
    _device_name: *const c_char,
    name: *const c_char,
    _is_external: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    // SAFETY: constant text of the generated code.
    unsafe { registry::variable(image, shadow as usize, name, false) };
}

/// `__cudaRegisterManagedVar`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    image: *mut Raw,
    kept_at: *mut Raw,
    _device_name: *const c_char,
    name: *const c_char,
    _is_external: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    // SAFETY: constant text of the generated code.
    unsafe { registry::variable(image, kept_at as usize, name, true) };
}

/// `__cudaInitModule`: whether it could be loaded.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(image: *mut Raw) -> c_char {
    c_char::from(status::call(&mut || registry::start(image)) == 0)
}

/// `__cudaPushCallConfiguration`
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared_bytes: usize, stream: Raw) -> c_uint {
    launch::push(grid, block, shared_bytes, stream)
}

/// `cudaGetLastError`
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> u32 {
    status::last_error(true)
}

/// `cudaPeekAtLastError`
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> u32 {
    status::last_error(false)
}

/// `cudaGetErrorName`
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: u32) -> *const c_char {
    status::name(code)
}

/// `cudaGetErrorString`
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: u32) -> *const c_char {
    error::words(code)
}

/// `cudaCreateChannelDesc`
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}

cuda::cudart!(exports);

cuda::cudart_in_default_stream!(exports_in_default_stream);

cuda::cudart_with_stream!(exports_with_stream);

/// Names that have no implementation in either version: graphics and other external memory, and what few
/// programs call.
pub mod without {
    #![allow(non_snake_case)]
    cuda::without_cudart!(absent);
}
