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
use cuda::c_functions;
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

cuda::cudart_beside_results!(c_functions);

cuda::cudart!(exports);

cuda::cudart_in_default_stream!(exports_in_default_stream);

cuda::cudart_with_stream!(exports_with_stream);

/// Names that have no implementation in either version: graphics and other external memory, and what few
/// programs call.
pub mod without {
    #![allow(non_snake_case)]
    cuda::without_cudart!(absent);
}
