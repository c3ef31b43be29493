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

exports! {
    __cudaPopCallConfiguration(grid: *mut Dim3, block: *mut Dim3, shared: *mut usize, stream: *mut Raw) => launch::pop(grid, block, shared, stream);
    __cudaGetKernel(kernel: *mut Raw, stand_in: *const c_void) => function::kernel(kernel, stand_in);
    cudaGetKernel(kernel: *mut Raw, stand_in: *const c_void) => function::kernel(kernel, stand_in);
    cudaGetFuncBySymbol(found: *mut Raw, stand_in: *const c_void) => function::by_symbol(found, stand_in);
    // Devices.
    cudaGetDeviceCount(count: *mut c_int) => device::count(count);
    cudaGetDevice(device: *mut c_int) => device::current(device);
    cudaSetDevice(device: c_int) => context::set_device(device);
    cudaInitDevice(device: c_int, device_flags: c_uint, flags: c_uint) => { let _ = (device_flags, flags); device::init(device) };
    cudaChooseDevice(device: *mut c_int, wish: *const c_void) => { let _ = wish; crate::interface::out(device, 0) };
    cudaSetValidDevices(devices: *mut c_int, count: c_int) => device::set_valid(devices, count);
    cudaGetDeviceFlags(flags: *mut c_uint) => device::flags(flags);
    cudaSetDeviceFlags(flags: c_uint) => driver()?.cuDevicePrimaryCtxSetFlags_v2(context::device()?, flags & !device::MAP_HOST);
    cudaDriverGetVersion(version: *mut c_int) => device::driver_version(version);
    cudaDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int) => driver()?.cuDeviceGetAttribute(value, attribute, device);
    cudaDeviceGetPCIBusId(buffer: *mut c_char, room: c_int, device: c_int) => driver()?.cuDeviceGetPCIBusId(buffer, room, device);
    cudaDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char) => driver()?.cuDeviceGetByPCIBusId(device, id);
    cudaDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int) => driver()?.cuDeviceGetP2PAttribute(value, attribute, from, to);
    cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) => driver()?.cuDeviceCanAccessPeer(can, device, peer);
    cudaDeviceEnablePeerAccess(device: c_int, flags: c_uint) => device::peer(device, Some(flags));
    cudaDeviceDisablePeerAccess(device: c_int) => device::peer(device, None);
    cudaDeviceSynchronize() => enter()?.0.cuCtxSynchronize();
    cudaDeviceReset() => device::reset();
    cudaDeviceGetLimit(value: *mut usize, limit: c_uint) => enter()?.0.cuCtxGetLimit(value, limit);
    cudaDeviceSetLimit(limit: c_uint, value: usize) => enter()?.0.cuCtxSetLimit(limit, value);
    cudaDeviceGetCacheConfig(config: *mut c_uint) => enter()?.0.cuCtxGetCacheConfig(config);
    cudaDeviceSetCacheConfig(config: c_uint) => enter()?.0.cuCtxSetCacheConfig(config);
    cudaDeviceGetSharedMemConfig(config: *mut c_uint) => enter()?.0.cuCtxGetSharedMemConfig(config);
    cudaDeviceSetSharedMemConfig(config: c_uint) => enter()?.0.cuCtxSetSharedMemConfig(config);
    cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) => enter()?.0.cuCtxGetStreamPriorityRange(least, greatest);
    cudaCtxResetPersistingL2Cache() => enter()?.0.cuCtxResetPersistingL2Cache();
    cudaDeviceGetDefaultMemPool(found: *mut Raw, device: c_int) => driver()?.cuDeviceGetDefaultMemPool(found, device);
    cudaDeviceGetMemPool(found: *mut Raw, device: c_int) => driver()?.cuDeviceGetMemPool(found, device);
    cudaDeviceSetMemPool(device: c_int, pool: Raw) => driver()?.cuDeviceSetMemPool(device, pool);
    cudaDeviceGetGraphMemAttribute(device: c_int, number: c_uint, value: Raw) => driver()?.cuDeviceGetGraphMemAttribute(device, number, value);
    cudaDeviceSetGraphMemAttribute(device: c_int, number: c_uint, value: Raw) => driver()?.cuDeviceSetGraphMemAttribute(device, number, value);
    cudaDeviceGraphMemTrim(device: c_int) => driver()?.cuDeviceGraphMemTrim(device);
    cudaProfilerStart() => enter()?.0.cuProfilerStart();
    cudaProfilerStop() => enter()?.0.cuProfilerStop();
    // Memory.
    cudaMalloc(pointer: *mut Raw, bytes: usize) => memory::malloc(pointer, bytes);
    cudaFree(pointer: Raw) => unless_null(pointer, |driver| driver.cuMemFree_v2(pointer as u64));
    cudaMallocHost(pointer: *mut Raw, bytes: usize) => memory::host_alloc(pointer, bytes, 0);
    cudaHostAlloc(pointer: *mut Raw, bytes: usize, flags: c_uint) => memory::host_alloc(pointer, bytes, flags);
    cudaFreeHost(pointer: Raw) => unless_null(pointer, |driver| driver.cuMemFreeHost(pointer));
    cudaHostRegister(pointer: Raw, bytes: usize, flags: c_uint) => enter()?.0.cuMemHostRegister_v2(pointer, bytes, flags);
    cudaHostUnregister(pointer: Raw) => enter()?.0.cuMemHostUnregister(pointer);
    cudaHostGetDevicePointer(to: *mut Raw, host: Raw, flags: c_uint) => answer(to, |driver, to| driver.cuMemHostGetDevicePointer_v2(to.cast(), host, flags));
    cudaHostGetFlags(flags: *mut c_uint, host: Raw) => enter()?.0.cuMemHostGetFlags(flags, host);
    cudaMallocManaged(pointer: *mut Raw, bytes: usize, flags: c_uint) => answer(pointer, |driver, made| driver.cuMemAllocManaged(made.cast(), bytes, flags));
    cudaMallocPitch(pointer: *mut Raw, pitch: *mut usize, width: usize, height: usize) => memory::pitch(pointer, pitch, width, height);
    cudaMalloc3D(pointer: *mut Pitched, extent: Extent) => memory::malloc_3d(pointer, extent);
    cudaMemGetInfo(free: *mut usize, total: *mut usize) => enter()?.0.cuMemGetInfo_v2(free, total);
    cudaPointerGetAttributes(to: *mut PointerAttributes, pointer: Raw) => memory::attributes(to, pointer);
    cudaMemRangeGetAttribute(data: Raw, bytes: usize, attribute: c_int, pointer: Raw, length: usize) => enter()?.0.cuMemRangeGetAttribute(data, bytes, attribute, pointer as u64, length);
    cudaMemRangeGetAttributes(data: *mut Raw, sizes: *mut usize, attributes: *mut c_int, count: usize, pointer: Raw, length: usize) => enter()?.0.cuMemRangeGetAttributes(data, sizes, attributes, count, pointer as u64, length);
    cudaMemPoolCreate(made: *mut Raw, properties: *const NewPool) => answer(made, |driver, made| driver.cuMemPoolCreate(made, properties));
    cudaMemPoolDestroy(pool: Raw) => driver()?.cuMemPoolDestroy(pool);
    cudaMemPoolTrimTo(pool: Raw, keep: usize) => driver()?.cuMemPoolTrimTo(pool, keep);
    cudaMemPoolGetAttribute(pool: Raw, attribute: c_uint, value: Raw) => driver()?.cuMemPoolGetAttribute(pool, attribute, value);
    cudaMemPoolSetAttribute(pool: Raw, attribute: c_uint, value: Raw) => driver()?.cuMemPoolSetAttribute(pool, attribute, value);
    cudaMemPoolSetAccess(pool: Raw, list: Raw, count: usize) => driver()?.cuMemPoolSetAccess(pool, list, count);
    cudaMemPoolGetAccess(flags: *mut c_uint, pool: Raw, location: Raw) => driver()?.cuMemPoolGetAccess(flags, pool, location);
    cudaIpcGetMemHandle(handle: *mut IpcHandle, pointer: Raw) => enter()?.0.cuIpcGetMemHandle(handle, pointer as u64);
    cudaIpcOpenMemHandle(pointer: *mut Raw, handle: IpcHandle, flags: c_uint) => answer(pointer, |driver, made| driver.cuIpcOpenMemHandle_v2(made.cast(), handle, flags));
    cudaIpcCloseMemHandle(pointer: Raw) => enter()?.0.cuIpcCloseMemHandle(pointer as u64);
    cudaIpcGetEventHandle(handle: *mut IpcHandle, event: Raw) => enter()?.0.cuIpcGetEventHandle(handle, event);
    cudaIpcOpenEventHandle(event: *mut Raw, handle: IpcHandle) => enter()?.0.cuIpcOpenEventHandle(event, handle);
    // Arrays, textures and surfaces.
    cudaMallocArray(made: *mut Raw, channels: *const ChannelFormat, width: usize, height: usize, flags: c_uint) => array::create(made, channels, Extent { width, height, depth: 0 }, flags);
    cudaMalloc3DArray(made: *mut Raw, channels: *const ChannelFormat, extent: Extent, flags: c_uint) => array::create(made, channels, extent, flags);
    cudaFreeArray(array: Raw) => unless_null(array, |driver| driver.cuArrayDestroy(array));
    cudaMallocMipmappedArray(made: *mut Raw, channels: *const ChannelFormat, extent: Extent, levels: c_uint, flags: c_uint) => array::create_mipmapped(made, channels, extent, levels, flags);
    cudaGetMipmappedArrayLevel(level: *mut Raw, mipmapped: Raw, number: c_uint) => enter()?.0.cuMipmappedArrayGetLevel(level, mipmapped, number);
    cudaFreeMipmappedArray(mipmapped: Raw) => unless_null(mipmapped, |driver| driver.cuMipmappedArrayDestroy(mipmapped));
    cudaArrayGetInfo(channels: *mut ChannelFormat, extent: *mut Extent, flags: *mut c_uint, array: Raw) => array::info(channels, extent, flags, array);
    cudaGetChannelDesc(channels: *mut ChannelFormat, array: Raw) => array::info(channels, std::ptr::null_mut(), std::ptr::null_mut(), array);
    cudaCreateTextureObject(object: *mut u64, resource: *const RuntimeResource, texture: *const RuntimeTexture, view: *const ViewDescriptor) => texture::create_texture(object, resource, texture, view);
    cudaGetTextureObjectResourceDesc(to: *mut RuntimeResource, object: u64) => texture::resource_of_texture(to, object);
    cudaGetTextureObjectTextureDesc(to: *mut RuntimeTexture, object: u64) => texture::texture_of(to, object);
    cudaGetTextureObjectResourceViewDesc(to: *mut ViewDescriptor, object: u64) => enter()?.0.cuTexObjectGetResourceViewDesc(to, object);
    cudaGetSurfaceObjectResourceDesc(to: *mut RuntimeResource, object: u64) => texture::resource_of_surface(to, object);
    cudaDestroyTextureObject(object: u64) => enter()?.0.cuTexObjectDestroy(object);
    cudaCreateSurfaceObject(object: *mut u64, resource: *const RuntimeResource) => texture::create_surface(object, resource);
    cudaDestroySurfaceObject(object: u64) => enter()?.0.cuSurfObjectDestroy(object);
    // Variables and kernels.
    cudaGetSymbolAddress(address: *mut Raw, shadow: *const c_void) => crate::interface::out(address, registry::symbol(shadow)?.0 as Raw);
    cudaGetSymbolSize(bytes: *mut usize, shadow: *const c_void) => crate::interface::out(bytes, registry::symbol(shadow)?.1);
    cudaFuncGetAttributes(to: *mut FunctionAttributes, kernel: *const c_void) => function::attributes(to, kernel);
    cudaFuncSetAttribute(kernel: *const c_void, attribute: c_uint, value: c_int) => function::of(kernel, |driver, kernel| driver.cuFuncSetAttribute(kernel, attribute, value));
    cudaKernelSetAttributeForDevice(kernel: *const c_void, attribute: c_uint, value: c_int, device: c_int) => { let _ = device; function::of(kernel, |driver, kernel| driver.cuFuncSetAttribute(kernel, attribute, value)) };
    cudaFuncSetCacheConfig(kernel: *const c_void, config: c_uint) => function::of(kernel, |driver, kernel| driver.cuFuncSetCacheConfig(kernel, config));
    cudaFuncSetSharedMemConfig(kernel: *const c_void, config: c_uint) => function::of(kernel, |driver, kernel| driver.cuFuncSetSharedMemConfig(kernel, config));
    cudaFuncGetName(name: *mut *const c_char, kernel: *const c_void) => function::name(name, kernel);
    cudaFuncGetParamInfo(kernel: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) => function::of(kernel, |driver, kernel| driver.cuFuncGetParamInfo(kernel, index, offset, bytes));
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, kernel: *const c_void, threads: c_int, dynamic: usize) => function::of(kernel, |driver, kernel| driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, kernel, threads, dynamic, 0));
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, kernel: *const c_void, threads: c_int, dynamic: usize, flags: c_uint) => function::of(kernel, |driver, kernel| driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, kernel, threads, dynamic, flags));
    cudaOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, kernel: *const c_void, blocks: c_int, threads: c_int) => function::of(kernel, |driver, kernel| driver.cuOccupancyAvailableDynamicSMemPerBlock(bytes, kernel, blocks, threads));
    cudaOccupancyMaxPotentialClusterSize(count: *mut c_int, kernel: *const c_void, config: *const RuntimeLaunchConfig) => function::clusters(count, kernel, config, false);
    cudaOccupancyMaxActiveClusters(count: *mut c_int, kernel: *const c_void, config: *const RuntimeLaunchConfig) => function::clusters(count, kernel, config, true);
    cudaLibraryLoadData(made: *mut Raw, image: Raw, options: Raw, values: *mut Raw, count: c_uint, own: Raw, own_values: *mut Raw, own_count: c_uint) => library::load(made, image, false, (options, values, count), (own, own_values, own_count));
    cudaLibraryLoadFromFile(made: *mut Raw, path: Raw, options: Raw, values: *mut Raw, count: c_uint, own: Raw, own_values: *mut Raw, own_count: c_uint) => library::load(made, path, true, (options, values, count), (own, own_values, own_count));
    cudaLibraryUnload(loaded: Raw) => driver()?.cuLibraryUnload(loaded);
    cudaLibraryGetKernel(kernel: *mut Raw, loaded: Raw, name: *const c_char) => library::kernel(kernel, loaded, name);
    cudaLibraryGetKernelCount(count: *mut c_uint, loaded: Raw) => enter()?.0.cuLibraryGetKernelCount(count, loaded);
    cudaLibraryEnumerateKernels(kernels: *mut Raw, count: c_uint, loaded: Raw) => library::enumerate(kernels, count, loaded);
    cudaLibraryGetGlobal(address: *mut Raw, bytes: *mut usize, loaded: Raw, name: *const c_char) => enter()?.0.cuLibraryGetGlobal(address.cast(), bytes, loaded, name);
    cudaLibraryGetManaged(address: *mut Raw, bytes: *mut usize, loaded: Raw, name: *const c_char) => enter()?.0.cuLibraryGetManaged(address.cast(), bytes, loaded, name);
    // Streams and events.
    cudaStreamCreate(made: *mut Raw) => answer(made, |driver, made| driver.cuStreamCreateWithPriority(made, 0, 0));
    cudaStreamCreateWithFlags(made: *mut Raw, flags: c_uint) => answer(made, |driver, made| driver.cuStreamCreateWithPriority(made, flags, 0));
    cudaStreamCreateWithPriority(made: *mut Raw, flags: c_uint, priority: c_int) => answer(made, |driver, made| driver.cuStreamCreateWithPriority(made, flags, priority));
    cudaStreamDestroy(stream: Raw) => enter()?.0.cuStreamDestroy_v2(stream);
    cudaThreadExchangeStreamCaptureMode(mode: *mut c_uint) => enter()?.0.cuThreadExchangeStreamCaptureMode(mode);
    cudaEventCreate(made: *mut Raw) => answer(made, |driver, made| driver.cuEventCreate(made, 0));
    cudaEventCreateWithFlags(made: *mut Raw, flags: c_uint) => answer(made, |driver, made| driver.cuEventCreate(made, flags));
    cudaEventDestroy(event: Raw) => enter()?.0.cuEventDestroy_v2(event);
    cudaEventQuery(event: Raw) => enter()?.0.cuEventQuery(event);
    cudaEventSynchronize(event: Raw) => enter()?.0.cuEventSynchronize(event);
    cudaEventElapsedTime(milliseconds: *mut f32, start: Raw, end: Raw) => answer(milliseconds, |driver, found| driver.cuEventElapsedTime(found, start, end));
    // Copies between devices, which have no second name.
    cudaMemcpyPeer(to: Raw, to_device: c_int, from: Raw, from_device: c_int, bytes: usize) => { let _ = (to_device, from_device); copy::peer(to, from, bytes, Order::Done) };
    cudaMemcpyPeerAsync(to: Raw, to_device: c_int, from: Raw, from_device: c_int, bytes: usize, stream: Raw) => { let _ = (to_device, from_device); copy::peer(to, from, bytes, Order::Begun(stream)) };
    // Graphs.
    cudaGraphCreate(made: *mut Raw, flags: c_uint) => enter()?.0.cuGraphCreate(made, flags);
    cudaGraphDestroy(graph: Raw) => enter()?.0.cuGraphDestroy(graph);
    cudaGraphClone(made: *mut Raw, graph: Raw) => enter()?.0.cuGraphClone(made, graph);
    cudaGraphNodeFindInClone(found: *mut Raw, original: Raw, clone: Raw) => enter()?.0.cuGraphNodeFindInClone(found, original, clone);
    cudaGraphAddEmptyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize) => answer(node, |driver, made| driver.cuGraphAddEmptyNode(made, graph, dependencies, count));
    cudaGraphConditionalHandleCreate(handle: *mut u64, graph: Raw, first: c_uint, flags: c_uint) => { let (driver, context) = enter()?; driver.cuGraphConditionalHandleCreate(handle, graph, context, first, flags) };
    cudaGraphAddKernelNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, kernel: *const RuntimeKernelNode) => graph::add_kernel(node, Place { graph, dependencies, count }, kernel);
    cudaGraphAddMemcpyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, copy: *const RuntimeCopy3d) => graph::add_copy(node, Place { graph, dependencies, count }, copy);
    cudaGraphAddMemcpyNode1D(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, to: Raw, from: Raw, bytes: usize, kind: c_int) => graph::add_copy(node, Place { graph, dependencies, count }, &graph::one_row(to, from, bytes, kind));
    cudaGraphAddMemcpyNodeToSymbol(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, shadow: Raw, from: Raw, bytes: usize, offset: usize, kind: c_int) => graph::add_copy(node, Place { graph, dependencies, count }, &graph::of_symbol(shadow, from, bytes, offset, kind, false)?);
    cudaGraphAddMemcpyNodeFromSymbol(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, to: Raw, shadow: Raw, bytes: usize, offset: usize, kind: c_int) => graph::add_copy(node, Place { graph, dependencies, count }, &graph::of_symbol(shadow, to, bytes, offset, kind, true)?);
    cudaGraphAddMemsetNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, fill: *const FillNode) => graph::add_fill(node, Place { graph, dependencies, count }, fill);
    cudaGraphAddHostNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, host: *const HostNode) => answer(node, |driver, made| driver.cuGraphAddHostNode(made, graph, dependencies, count, host));
    cudaGraphAddChildGraphNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, child: Raw) => answer(node, |driver, made| driver.cuGraphAddChildGraphNode(made, graph, dependencies, count, child));
    cudaGraphAddEventRecordNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw) => answer(node, |driver, made| driver.cuGraphAddEventRecordNode(made, graph, dependencies, count, event));
    cudaGraphAddEventWaitNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw) => answer(node, |driver, made| driver.cuGraphAddEventWaitNode(made, graph, dependencies, count, event));
    cudaGraphAddMemAllocNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut AllocationNode) => answer(node, |driver, made| driver.cuGraphAddMemAllocNode(made, graph, dependencies, count, parameters));
    cudaGraphAddMemFreeNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, address: Raw) => answer(node, |driver, made| driver.cuGraphAddMemFreeNode(made, graph, dependencies, count, address as u64));
    cudaGraphKernelNodeSetParams(node: Raw, kernel: *const RuntimeKernelNode) => graph::set_kernel(None, node, kernel);
    cudaGraphMemsetNodeSetParams(node: Raw, fill: *const FillNode) => enter()?.0.cuGraphMemsetNodeSetParams(node, fill);
    cudaGraphHostNodeSetParams(node: Raw, host: *const HostNode) => enter()?.0.cuGraphHostNodeSetParams(node, host);
    cudaGraphExecKernelNodeSetParams(executable: Raw, node: Raw, kernel: *const RuntimeKernelNode) => graph::set_kernel(Some(executable), node, kernel);
    cudaGraphExecMemcpyNodeSetParams(executable: Raw, node: Raw, copy: *const RuntimeCopy3d) => graph::set_copy(executable, node, copy);
    cudaGraphExecMemcpyNodeSetParams1D(executable: Raw, node: Raw, to: Raw, from: Raw, bytes: usize, kind: c_int) => graph::set_copy(executable, node, &graph::one_row(to, from, bytes, kind));
    cudaGraphExecMemsetNodeSetParams(executable: Raw, node: Raw, fill: *const FillNode) => { let (driver, context) = enter()?; driver.cuGraphExecMemsetNodeSetParams(executable, node, fill, context) };
    cudaGraphExecHostNodeSetParams(executable: Raw, node: Raw, host: *const HostNode) => enter()?.0.cuGraphExecHostNodeSetParams(executable, node, host);
    cudaGraphGetNodes(graph: Raw, nodes: *mut Raw, count: *mut usize) => enter()?.0.cuGraphGetNodes(graph, nodes, count);
    cudaGraphGetRootNodes(graph: Raw, nodes: *mut Raw, count: *mut usize) => enter()?.0.cuGraphGetRootNodes(graph, nodes, count);
    cudaGraphNodeGetType(node: Raw, kind: *mut c_uint) => enter()?.0.cuGraphNodeGetType(node, kind);
    cudaGraphDestroyNode(node: Raw) => enter()?.0.cuGraphDestroyNode(node);
    cudaGraphInstantiate(executable: *mut Raw, graph: Raw, flags: u64) => graph::instantiate(executable, graph, flags);
    cudaGraphInstantiateWithFlags(executable: *mut Raw, graph: Raw, flags: u64) => graph::instantiate(executable, graph, flags);
    cudaGraphExecUpdate(executable: Raw, graph: Raw, result: *mut UpdateResult) => enter()?.0.cuGraphExecUpdate_v2(executable, graph, result);
    cudaGraphExecDestroy(executable: Raw) => enter()?.0.cuGraphExecDestroy(executable);
    cudaGraphRetainUserObject(graph: Raw, object: Raw, count: c_uint, flags: c_uint) => enter()?.0.cuGraphRetainUserObject(graph, object, count, flags);
    cudaGraphReleaseUserObject(graph: Raw, object: Raw, count: c_uint) => enter()?.0.cuGraphReleaseUserObject(graph, object, count);
    cudaGraphMemsetNodeGetParams(node: Raw, fill: *mut FillNode) => enter()?.0.cuGraphMemsetNodeGetParams(node, fill);
    cudaGraphHostNodeGetParams(node: Raw, host: *mut HostNode) => enter()?.0.cuGraphHostNodeGetParams(node, host);
    cudaGraphMemAllocNodeGetParams(node: Raw, parameters: *mut AllocationNode) => enter()?.0.cuGraphMemAllocNodeGetParams(node, parameters);
    cudaGraphMemFreeNodeGetParams(node: Raw, pointer: *mut Raw) => enter()?.0.cuGraphMemFreeNodeGetParams(node, pointer.cast());
    cudaGraphEventRecordNodeGetEvent(node: Raw, event: *mut Raw) => enter()?.0.cuGraphEventRecordNodeGetEvent(node, event);
    cudaGraphEventRecordNodeSetEvent(node: Raw, event: Raw) => enter()?.0.cuGraphEventRecordNodeSetEvent(node, event);
    cudaGraphEventWaitNodeGetEvent(node: Raw, event: *mut Raw) => enter()?.0.cuGraphEventWaitNodeGetEvent(node, event);
    cudaGraphEventWaitNodeSetEvent(node: Raw, event: Raw) => enter()?.0.cuGraphEventWaitNodeSetEvent(node, event);
    cudaGraphExecEventRecordNodeSetEvent(executable: Raw, node: Raw, event: Raw) => enter()?.0.cuGraphExecEventRecordNodeSetEvent(executable, node, event);
    cudaGraphExecEventWaitNodeSetEvent(executable: Raw, node: Raw, event: Raw) => enter()?.0.cuGraphExecEventWaitNodeSetEvent(executable, node, event);
    cudaGraphChildGraphNodeGetGraph(node: Raw, graph: *mut Raw) => enter()?.0.cuGraphChildGraphNodeGetGraph(node, graph);
    cudaGraphNodeSetEnabled(executable: Raw, node: Raw, enabled: c_uint) => enter()?.0.cuGraphNodeSetEnabled(executable, node, enabled);
    cudaGraphNodeGetEnabled(executable: Raw, node: Raw, enabled: *mut c_uint) => enter()?.0.cuGraphNodeGetEnabled(executable, node, enabled);
    cudaGraphExecGetFlags(executable: Raw, flags: *mut u64) => enter()?.0.cuGraphExecGetFlags(executable, flags);
    cudaGraphDebugDotPrint(graph: Raw, path: *const c_char, flags: c_uint) => enter()?.0.cuGraphDebugDotPrint(graph, path, flags);
    cudaUserObjectCreate(made: *mut Raw, data: Raw, destroy: HostFunction, count: c_uint, flags: c_uint) => enter()?.0.cuUserObjectCreate(made, data, destroy, count, flags);
    cudaUserObjectRetain(object: Raw, count: c_uint) => enter()?.0.cuUserObjectRetain(object, count);
    cudaUserObjectRelease(object: Raw, count: c_uint) => enter()?.0.cuUserObjectRelease(object, count);
}

exports_in_default_stream! {
    cudaMemcpy2DToArray / cudaMemcpy2DToArray_ptds(array: Raw, x_bytes: usize, y: usize, from: Raw, pitch: usize, width: usize, height: usize, kind: c_int) [order] => array::rows(Corner { array, x_bytes, y }, Rows { at: from, pitch }, (width, height), kind, false, order);
    cudaMemcpy2DFromArray / cudaMemcpy2DFromArray_ptds(to: Raw, pitch: usize, array: Raw, x_bytes: usize, y: usize, width: usize, height: usize, kind: c_int) [order] => array::rows(Corner { array, x_bytes, y }, Rows { at: to, pitch }, (width, height), kind, true, order);
    cudaMemcpyToArray / cudaMemcpyToArray_ptds(array: Raw, x_bytes: usize, y: usize, from: Raw, bytes: usize, kind: c_int) [order] => array::line(Corner { array, x_bytes, y }, from, bytes, kind, false, order);
    cudaMemcpyFromArray / cudaMemcpyFromArray_ptds(to: Raw, array: Raw, x_bytes: usize, y: usize, bytes: usize, kind: c_int) [order] => array::line(Corner { array, x_bytes, y }, to, bytes, kind, true, order);
    cudaMemcpy / cudaMemcpy_ptds(to: Raw, from: Raw, bytes: usize, kind: c_int) [order] => copy::linear(to, from, bytes, kind, order);
    cudaMemcpyToSymbol / cudaMemcpyToSymbol_ptds(shadow: Raw, from: Raw, bytes: usize, offset: usize, kind: c_int) [order] => copy::symbol(shadow, from, bytes, offset, kind, false, order);
    cudaMemcpyFromSymbol / cudaMemcpyFromSymbol_ptds(to: Raw, shadow: Raw, bytes: usize, offset: usize, kind: c_int) [order] => copy::symbol(shadow, to, bytes, offset, kind, true, order);
    cudaMemcpy2D / cudaMemcpy2D_ptds(to: Raw, to_pitch: usize, from: Raw, from_pitch: usize, width: usize, height: usize, kind: c_int) [order] => copy::rows(Rows { at: to, pitch: to_pitch }, Rows { at: from, pitch: from_pitch }, width, height, kind, order);
    cudaMemcpy3D / cudaMemcpy3D_ptds(copy: *const RuntimeCopy3d) [order] => copy::slices(copy, order);
    cudaMemset / cudaMemset_ptds(at: Raw, value: c_int, bytes: usize) [order] => { let (to, extent) = row(at, bytes); copy::fill(to, value, extent, order) };
    cudaMemset2D / cudaMemset2D_ptds(at: Raw, pitch: usize, value: c_int, width: usize, height: usize) [order] => copy::fill(Pitched { pointer: at, pitch, width, height }, value, Extent { width, height, depth: 1 }, order);
    cudaMemset3D / cudaMemset3D_ptds(to: Pitched, value: c_int, extent: Extent) [order] => copy::fill(to, value, extent, order);
}

exports_with_stream! {
    cudaMemcpy2DToArrayAsync / cudaMemcpy2DToArrayAsync_ptsz(array: Raw, x_bytes: usize, y: usize, from: Raw, pitch: usize, width: usize, height: usize, kind: c_int, stream: Raw) [stream] => array::rows(Corner { array, x_bytes, y }, Rows { at: from, pitch }, (width, height), kind, false, Order::Begun(stream));
    cudaMemcpy2DFromArrayAsync / cudaMemcpy2DFromArrayAsync_ptsz(to: Raw, pitch: usize, array: Raw, x_bytes: usize, y: usize, width: usize, height: usize, kind: c_int, stream: Raw) [stream] => array::rows(Corner { array, x_bytes, y }, Rows { at: to, pitch }, (width, height), kind, true, Order::Begun(stream));
    cudaMemcpyToArrayAsync / cudaMemcpyToArrayAsync_ptsz(array: Raw, x_bytes: usize, y: usize, from: Raw, bytes: usize, kind: c_int, stream: Raw) [stream] => array::line(Corner { array, x_bytes, y }, from, bytes, kind, false, Order::Begun(stream));
    cudaMemcpyFromArrayAsync / cudaMemcpyFromArrayAsync_ptsz(to: Raw, array: Raw, x_bytes: usize, y: usize, bytes: usize, kind: c_int, stream: Raw) [stream] => array::line(Corner { array, x_bytes, y }, to, bytes, kind, true, Order::Begun(stream));
    cudaMemcpyAsync / cudaMemcpyAsync_ptsz(to: Raw, from: Raw, bytes: usize, kind: c_int, stream: Raw) [stream] => copy::linear(to, from, bytes, kind, Order::Begun(stream));
    cudaMemcpyToSymbolAsync / cudaMemcpyToSymbolAsync_ptsz(shadow: Raw, from: Raw, bytes: usize, offset: usize, kind: c_int, stream: Raw) [stream] => copy::symbol(shadow, from, bytes, offset, kind, false, Order::Begun(stream));
    cudaMemcpyFromSymbolAsync / cudaMemcpyFromSymbolAsync_ptsz(to: Raw, shadow: Raw, bytes: usize, offset: usize, kind: c_int, stream: Raw) [stream] => copy::symbol(shadow, to, bytes, offset, kind, true, Order::Begun(stream));
    cudaMemcpy2DAsync / cudaMemcpy2DAsync_ptsz(to: Raw, to_pitch: usize, from: Raw, from_pitch: usize, width: usize, height: usize, kind: c_int, stream: Raw) [stream] => copy::rows(Rows { at: to, pitch: to_pitch }, Rows { at: from, pitch: from_pitch }, width, height, kind, Order::Begun(stream));
    cudaMemcpy3DAsync / cudaMemcpy3DAsync_ptsz(copy: *const RuntimeCopy3d, stream: Raw) [stream] => copy::slices(copy, Order::Begun(stream));
    cudaMemsetAsync / cudaMemsetAsync_ptsz(at: Raw, value: c_int, bytes: usize, stream: Raw) [stream] => { let (to, extent) = row(at, bytes); copy::fill(to, value, extent, Order::Begun(stream)) };
    cudaMemset2DAsync / cudaMemset2DAsync_ptsz(at: Raw, pitch: usize, value: c_int, width: usize, height: usize, stream: Raw) [stream] => copy::fill(Pitched { pointer: at, pitch, width, height }, value, Extent { width, height, depth: 1 }, Order::Begun(stream));
    cudaMemset3DAsync / cudaMemset3DAsync_ptsz(to: Pitched, value: c_int, extent: Extent, stream: Raw) [stream] => copy::fill(to, value, extent, Order::Begun(stream));
    cudaMallocAsync / cudaMallocAsync_ptsz(pointer: *mut Raw, bytes: usize, stream: Raw) [stream] => memory::malloc_async(pointer, bytes, None, stream);
    cudaMallocFromPoolAsync / cudaMallocFromPoolAsync_ptsz(pointer: *mut Raw, bytes: usize, pool: Raw, stream: Raw) [stream] => memory::malloc_async(pointer, bytes, Some(pool), stream);
    cudaFreeAsync / cudaFreeAsync_ptsz(pointer: Raw, stream: Raw) [stream] => unless_null(pointer, |driver| driver.cuMemFreeAsync(pointer as u64, stream));
    cudaLaunchKernel / cudaLaunchKernel_ptsz(kernel: *const c_void, grid: Dim3, block: Dim3, parameters: *mut Raw, shared_bytes: usize, stream: Raw) [stream] => launch::launch(Request { function: kernel, grid, block, shared_bytes, stream, parameters, cooperative: false });
    __cudaLaunchKernel / __cudaLaunchKernel_ptsz(kernel: *const c_void, grid: Dim3, block: Dim3, parameters: *mut Raw, shared_bytes: usize, stream: Raw) [stream] => launch::launch(Request { function: kernel, grid, block, shared_bytes, stream, parameters, cooperative: false });
    cudaLaunchCooperativeKernel / cudaLaunchCooperativeKernel_ptsz(kernel: *const c_void, grid: Dim3, block: Dim3, parameters: *mut Raw, shared_bytes: usize, stream: Raw) [stream] => launch::launch(Request { function: kernel, grid, block, shared_bytes, stream, parameters, cooperative: true });
    cudaLaunchHostFunc / cudaLaunchHostFunc_ptsz(stream: Raw, function: HostFunction, data: Raw) [stream] => enter()?.0.cuLaunchHostFunc(stream, function, data);
    cudaStreamAddCallback / cudaStreamAddCallback_ptsz(stream: Raw, callback: StreamCallback, data: Raw, flags: c_uint) [stream] => enter()?.0.cuStreamAddCallback(stream, callback, data, flags);
    cudaStreamAttachMemAsync / cudaStreamAttachMemAsync_ptsz(stream: Raw, pointer: Raw, bytes: usize, flags: c_uint) [stream] => enter()?.0.cuStreamAttachMemAsync(stream, pointer as u64, bytes, flags);
    cudaStreamSynchronize / cudaStreamSynchronize_ptsz(stream: Raw) [stream] => enter()?.0.cuStreamSynchronize(stream);
    cudaStreamQuery / cudaStreamQuery_ptsz(stream: Raw) [stream] => enter()?.0.cuStreamQuery(stream);
    cudaStreamWaitEvent / cudaStreamWaitEvent_ptsz(stream: Raw, event: Raw, flags: c_uint) [stream] => enter()?.0.cuStreamWaitEvent(stream, event, flags);
    cudaStreamGetFlags / cudaStreamGetFlags_ptsz(stream: Raw, flags: *mut c_uint) [stream] => enter()?.0.cuStreamGetFlags(stream, flags);
    cudaStreamGetPriority / cudaStreamGetPriority_ptsz(stream: Raw, priority: *mut c_int) [stream] => enter()?.0.cuStreamGetPriority(stream, priority);
    cudaStreamGetId / cudaStreamGetId_ptsz(stream: Raw, id: *mut u64) [stream] => enter()?.0.cuStreamGetId(stream, id);
    cudaStreamGetDevice / cudaStreamGetDevice_ptsz(stream: Raw, device: *mut c_int) [stream] => enter()?.0.cuStreamGetDevice(stream, device);
    cudaStreamGetAttribute / cudaStreamGetAttribute_ptsz(stream: Raw, attribute: c_uint, value: Raw) [stream] => enter()?.0.cuStreamGetAttribute(stream, attribute, value);
    cudaStreamSetAttribute / cudaStreamSetAttribute_ptsz(stream: Raw, attribute: c_uint, value: Raw) [stream] => enter()?.0.cuStreamSetAttribute(stream, attribute, value);
    cudaStreamCopyAttributes / cudaStreamCopyAttributes_ptsz(to: Raw, from: Raw) [from] => enter()?.0.cuStreamCopyAttributes(to, from);
    cudaStreamBeginCapture / cudaStreamBeginCapture_ptsz(stream: Raw, mode: c_uint) [stream] => enter()?.0.cuStreamBeginCapture_v2(stream, mode);
    cudaStreamBeginCaptureToGraph / cudaStreamBeginCaptureToGraph_ptsz(stream: Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, mode: c_uint) [stream] => enter()?.0.cuStreamBeginCaptureToGraph(stream, graph, dependencies, data, count, mode);
    cudaStreamEndCapture / cudaStreamEndCapture_ptsz(stream: Raw, graph: *mut Raw) [stream] => enter()?.0.cuStreamEndCapture(stream, graph);
    cudaStreamIsCapturing / cudaStreamIsCapturing_ptsz(stream: Raw, status: *mut c_uint) [stream] => enter()?.0.cuStreamIsCapturing(stream, status);
    cudaEventRecord / cudaEventRecord_ptsz(event: Raw, stream: Raw) [stream] => enter()?.0.cuEventRecordWithFlags(event, stream, 0);
    cudaEventRecordWithFlags / cudaEventRecordWithFlags_ptsz(event: Raw, stream: Raw, flags: c_uint) [stream] => enter()?.0.cuEventRecordWithFlags(event, stream, flags);
    cudaGraphUpload / cudaGraphUpload_ptsz(executable: Raw, stream: Raw) [stream] => enter()?.0.cuGraphUpload(executable, stream);
    cudaGraphLaunch / cudaGraphLaunch_ptsz(executable: Raw, stream: Raw) [stream] => enter()?.0.cuGraphLaunch(executable, stream);
}

exports! {
    cudaLaunchKernelExC(config: *const RuntimeLaunchConfig, kernel: *const c_void, parameters: *mut Raw) => launch::launch_ex(config, kernel, parameters, false);
    cudaLaunchKernelExC_ptsz(config: *const RuntimeLaunchConfig, kernel: *const c_void, parameters: *mut Raw) => launch::launch_ex(config, kernel, parameters, true);
    cudaGraphInstantiateWithParams(executable: *mut Raw, graph: Raw, parameters: *mut InstantiateParameters) => enter()?.0.cuGraphInstantiateWithParams(executable, graph, parameters);
    cudaGraphInstantiateWithParams_ptsz(executable: *mut Raw, graph: Raw, parameters: *mut InstantiateParameters) => enter()?.0.cuGraphInstantiateWithParams(executable, graph, parameters);
}

/// Names that have no implementation in either version: graphics and other external memory, and what few
/// programs call.
pub mod without {
    #![allow(non_snake_case)]
    cuda::without_cudart!(absent);
}
