//! Every exported function: its name and C signature, and which room answers it.
//!
//! A row's arguments are plain C types; what comes in as an enum is a number here, since any number may come in. Names
//! without an implementation are in [`without`].
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::abi::absent::absent;
use crate::abi::{graphics, lookup, refused, surface};
use crate::calls::capture::Asked;
use crate::calls::graph::Which;
use crate::calls::launch::LaunchRequest;
use crate::calls::occupancy::SharedOf;
use crate::calls::tensor::Tiled;
use crate::calls::{
    array, capture, conditional, context, copy, device, error, event, executable, function, graph, graph_launch,
    graph_memory, graph_picture, host_memory, interprocess, launch, link, logs, managed, memory, module, node,
    node_parameters, occupancy, pointer, pool, pool_sharing, prepared, stream, tensor, texture, user_object,
    virtual_memory,
};
use crate::interface::cause::Cause;
use crate::interface::handles::Raw;
use crate::interface::layout::{
    AccessDescription, AllocationNode, AllocationProperties, ArrayDescriptor, ArrayDescriptor2d, Copy2d, Copy3d,
    FillNode, HostNode, InstantiateParameters, KernelNode, LaunchConfig, MemoryLocation, NewPool, NodeParameters,
    Properties, ResourceDescriptor, TextureDescriptor, UpdateResult, ViewDescriptor,
};
use crate::interface::result::CUresult;
use crate::objects::graph::Step;
use crate::objects::opened::{EventHandle, MemoryHandle};
use crate::objects::work::Fill;
use crate::state::logs::Callback;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

/// The legacy default stream, for calls that name none.
const LEGACY: Raw = std::ptr::null_mut();

macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As NVIDIA's driver interface defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe)]
                surface::call(stringify!($name), &mut || -> Result<(), Cause> { unsafe { $body } })
            }
        )*
        /// The names that have an implementation.
        #[cfg(test)]
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        /// The function of a name, implemented or not.
        pub fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => without::address(name).or_else(|| graphics::address(name)).or_else(|| refused::address(name)),
            }
        }
    };
}

exports! {
    // Starting, errors, names.
    cuInit(flags: c_uint) => device::init(flags);
    cuDriverGetVersion(version: *mut c_int) => lookup::driver_version(version);
    cuGetErrorName(error: c_uint, name: *mut *const c_char) => error::error_name(error, name);
    cuGetErrorString(error: c_uint, words: *mut *const c_char) => error::error_string(error, words);
    cuGetProcAddress(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64) => lookup::proc_address_v1(address, symbol, function, version, flags);
    cuGetProcAddress_v2(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64, status: *mut c_uint) => lookup::proc_address(address, symbol, function, version, flags, status);
    cuGetExportTable(table: *mut *const c_void, id: *const [u8; 16]) => { let _ = table; lookup::export_table(id) };
    cuLogsRegisterCallback(callback: Option<Callback>, data: Raw, handle: *mut Raw) => logs::register(callback, data, handle);
    cuLogsUnregisterCallback(handle: Raw) => logs::unregister(handle);
    cuLogsCurrent(iterator: *mut c_uint, flags: c_uint) => logs::current(iterator, flags);
    cuLogsDumpToFile(iterator: *mut c_uint, path: *const c_char, flags: c_uint) => logs::dump_to_file(iterator, path, flags);
    cuLogsDumpToMemory(iterator: *mut c_uint, buffer: *mut c_char, bytes: *mut usize, flags: c_uint) => logs::dump_to_memory(iterator, buffer, bytes, flags);
    cuProfilerStart() => device::profiler();
    cuProfilerStop() => device::profiler();
    // Devices.
    cuDeviceGet(device: *mut c_int, ordinal: c_int) => device::get(device, ordinal);
    cuDeviceGetCount(count: *mut c_int) => device::count(count);
    cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int) => device::name(name, room, device);
    cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) => device::uuid(uuid, device);
    cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) => device::uuid(uuid, device);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) => device::total_memory(bytes, device);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int) => device::get_attribute(value, attribute, device);
    cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) => device::compute_capability(major, minor, device);
    cuDeviceGetProperties(properties: *mut Properties, device: c_int) => device::properties(properties, device);
    cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) => device::can_access_peer(can, device, peer);
    cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int) => device::peer_attribute(value, attribute, from, to);
    cuDeviceGetPCIBusId(buffer: *mut c_char, room: c_int, device: c_int) => device::pci_bus_id(buffer, room, device);
    cuDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char) => device::by_pci_bus_id(device, id);
    cuDeviceGetExecAffinitySupport(supported: *mut c_int, kind: c_uint, device: c_int) => device::affinity_support(supported, kind, device);
    cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: c_uint, channels: c_uint, device: c_int) => { let _ = (format, channels); device::texture_width(width, device) };
    cuDeviceGetGraphMemAttribute(device: c_int, number: c_uint, value: Raw) => graph_memory::attribute(device, number, value);
    cuDeviceSetGraphMemAttribute(device: c_int, number: c_uint, value: Raw) => graph_memory::set_attribute(device, number, value);
    cuDeviceGraphMemTrim(device: c_int) => device::graph_trim(device);
    cuDeviceGetDefaultMemPool(pool: *mut Raw, device: c_int) => pool::default_pool(pool, device);
    cuDeviceGetMemPool(pool: *mut Raw, device: c_int) => pool::current_pool(pool, device);
    cuMemGetDefaultMemPool(pool: *mut Raw, location: *const MemoryLocation, kind: c_uint) => pool::pool_of(pool, location, kind, true);
    cuMemGetMemPool(pool: *mut Raw, location: *const MemoryLocation, kind: c_uint) => pool::pool_of(pool, location, kind, false);
    cuMemSetMemPool(location: *const MemoryLocation, kind: c_uint, pool: Raw) => pool::set_pool_of(location, kind, pool);
    cuMemPoolExportToShareableHandle(shared: Raw, pool: Raw, kind: c_uint, flags: u64) => pool_sharing::export(shared, pool, kind, flags);
    cuMemPoolImportFromShareableHandle(pool: *mut Raw, shared: Raw, kind: c_uint, flags: u64) => pool_sharing::import(pool, shared, kind, flags);
    cuMemPoolExportPointer(data: *mut MemoryHandle, address: u64) => pool_sharing::export_pointer(data, address);
    cuMemPoolImportPointer(pointer: *mut u64, pool: Raw, data: *const MemoryHandle) => pool_sharing::import_pointer(pointer, pool, data);
    cuDeviceSetMemPool(device: c_int, pool: Raw) => pool::set_current_pool(device, pool);
    cuFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint) => { let _ = (target, scope); device::flush_remote() };
    // Contexts.
    cuDevicePrimaryCtxRetain(context: *mut Raw, device: c_int) => context::primary_retain(context, device);
    cuDevicePrimaryCtxRelease_v2(device: c_int) => context::primary_release(device);
    cuDevicePrimaryCtxReset_v2(device: c_int) => context::primary_reset(device);
    cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) => context::primary_state(device, flags, active);
    cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) => context::primary_set_flags(device, flags);
    cuCtxCreate_v2(context: *mut Raw, flags: c_uint, device: c_int) => context::create(context, flags, device);
    cuCtxCreate_v3(context: *mut Raw, affinity: Raw, count: c_int, flags: c_uint, device: c_int) => { let _ = (affinity, count); context::create(context, flags, device) };
    cuCtxCreate_v4(context: *mut Raw, parameters: Raw, flags: c_uint, device: c_int) => { let _ = parameters; context::create(context, flags, device) };
    cuCtxAttach(context: *mut Raw, flags: c_uint) => context::attach(context, flags);
    cuCtxDetach(context: Raw) => context::detach(context);
    cuCtxDestroy_v2(context: Raw) => context::destroy(context);
    cuCtxGetCurrent(context: *mut Raw) => context::get_current(context);
    cuCtxSetCurrent(context: Raw) => context::set_current(context);
    cuCtxPushCurrent_v2(context: Raw) => context::push_current(context);
    cuCtxPopCurrent_v2(context: *mut Raw) => context::pop_current(context);
    cuCtxGetDevice(device: *mut c_int) => context::get_device(device);
    cuCtxGetDevice_v2(device: *mut c_int, context: Raw) => context::get_device_of(device, context);
    cuCtxSynchronize() => context::synchronize();
    cuCtxSynchronize_v2(context: Raw) => context::synchronize_of(context);
    cuCtxGetFlags(flags: *mut c_uint) => context::get_flags(flags);
    cuCtxSetFlags(flags: c_uint) => context::set_flags(flags);
    cuCtxGetId(context: Raw, id: *mut u64) => context::get_id(context, id);
    cuCtxGetApiVersion(context: Raw, version: *mut c_uint) => context::get_api_version(context, version);
    cuCtxGetLimit(value: *mut usize, limit: c_uint) => context::get_limit(value, limit);
    cuCtxSetLimit(limit: c_uint, value: usize) => context::set_limit(limit, value);
    cuCtxGetCacheConfig(config: *mut c_uint) => context::get_cache_config(config);
    cuCtxSetCacheConfig(config: c_uint) => context::set_cache_config(config);
    cuCtxGetSharedMemConfig(config: *mut c_uint) => context::get_shared_config(config);
    cuCtxSetSharedMemConfig(config: c_uint) => context::set_shared_config(config);
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) => context::get_priority_range(least, greatest);
    cuCtxResetPersistingL2Cache() => context::reset_persisting_l2();
    cuCtxEnablePeerAccess(peer: Raw, flags: c_uint) => context::enable_peer(peer, flags);
    cuCtxDisablePeerAccess(peer: Raw) => context::disable_peer(peer);
    // Linking.
    cuLinkCreate_v2(count: c_uint, options: *const c_uint, values: *mut Raw, link: *mut Raw) => link::create(count, options, values, link);
    cuLinkAddData_v2(link: Raw, kind: c_uint, data: *const c_void, bytes: usize, name: *const c_char, count: c_uint, options: Raw, values: Raw) => { let _ = (count, options, values); link::add_data(link, kind, data, bytes, name) };
    cuLinkAddFile_v2(link: Raw, kind: c_uint, path: *const c_char, count: c_uint, options: Raw, values: Raw) => { let _ = (count, options, values); link::add_file(link, kind, path) };
    cuLinkComplete(link: Raw, image: *mut Raw, bytes: *mut usize) => link::complete(link, image, bytes);
    cuLinkDestroy(link: Raw) => link::destroy(link);
    // Modules, libraries, kernels.
    cuModuleLoad(module: *mut Raw, path: *const c_char) => module::load_file(module, path);
    cuModuleLoadData(module: *mut Raw, image: *const c_void) => module::load_data(module, image);
    cuModuleLoadDataEx(module: *mut Raw, image: *const c_void, count: c_uint, options: *const c_uint, values: *mut Raw) => module::load_data_ex(module, image, count, options, values);
    cuModuleLoadFatBinary(module: *mut Raw, image: *const c_void) => module::load_data(module, image);
    cuModuleUnload(module: Raw) => module::unload(module);
    cuModuleGetFunction(function: *mut Raw, module: Raw, name: *const c_char) => module::get_function(function, module, name);
    cuModuleGetFunctionCount(count: *mut c_uint, module: Raw) => module::function_count(count, module);
    cuModuleEnumerateFunctions(functions: *mut Raw, count: c_uint, module: Raw) => module::enumerate(functions, count, module);
    cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Raw, name: *const c_char) => module::get_global(address, bytes, module, name);
    cuModuleGetLoadingMode(mode: *mut c_uint) => module::loading_mode(mode);
    cuLibraryLoadData(library: *mut Raw, image: *const c_void, options: *const c_uint, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint) => { let _ = (library_options, library_values, library_count); module::load_library(library, image, count, options, values) };
    cuLibraryLoadFromFile(library: *mut Raw, path: *const c_char, options: *const c_uint, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint) => { let _ = (library_options, library_values, library_count); module::load_library_file(library, path, count, options, values) };
    cuLibraryUnload(library: Raw) => module::unload_library(library);
    cuLibraryGetModule(module: *mut Raw, library: Raw) => module::library_module(module, library);
    cuLibraryGetKernel(kernel: *mut Raw, library: Raw, name: *const c_char) => module::library_kernel(kernel, library, name);
    cuLibraryGetKernelCount(count: *mut c_uint, library: Raw) => module::library_kernel_count(count, library);
    cuLibraryEnumerateKernels(kernels: *mut Raw, count: c_uint, library: Raw) => module::library_enumerate(kernels, count, library);
    cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char) => module::library_global(address, bytes, library, name);
    cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char) => module::library_global(address, bytes, library, name);
    cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Raw) => function::get_attribute(value, attribute, function);
    cuFuncSetAttribute(function: Raw, attribute: c_uint, value: c_int) => function::set_attribute(function, attribute, value);
    cuFuncSetBlockShape(function: Raw, x: c_int, y: c_int, z: c_int) => prepared::set_block(function, [x, y, z]);
    cuFuncSetSharedSize(function: Raw, bytes: c_uint) => prepared::set_shared(function, bytes);
    cuParamSetSize(function: Raw, bytes: c_uint) => prepared::set_size(function, bytes);
    cuParamSeti(function: Raw, offset: c_int, value: c_uint) => prepared::set_parameter(function, offset, &value.to_le_bytes());
    cuParamSetf(function: Raw, offset: c_int, value: f32) => prepared::set_parameter(function, offset, &value.to_le_bytes());
    cuParamSetv(function: Raw, offset: c_int, from: *const c_void, bytes: c_uint) => prepared::set_bytes(function, offset, from, bytes);
    cuLaunch(function: Raw) => prepared::launch_grid(function, 1, 1, LEGACY);
    cuLaunchGrid(function: Raw, width: c_int, height: c_int) => prepared::launch_grid(function, width, height, LEGACY);
    cuLaunchGridAsync(function: Raw, width: c_int, height: c_int, stream: Raw) => prepared::launch_grid(function, width, height, stream);
    cuFuncSetCacheConfig(function: Raw, config: c_uint) => function::set_cache_config(function, config);
    cuFuncSetSharedMemConfig(function: Raw, config: c_uint) => function::set_shared_config(function, config);
    cuFuncGetModule(module: *mut Raw, function: Raw) => function::get_module(module, function);
    cuFuncGetName(name: *mut *const c_char, function: Raw) => function::get_name(name, function);
    cuFuncGetParamInfo(function: Raw, index: usize, offset: *mut usize, bytes: *mut usize) => function::param_info(function, index, offset, bytes);
    cuFuncGetParamCount(function: Raw, count: *mut usize) => function::param_count(function, count);
    cuFuncIsLoaded(state: *mut c_uint, function: Raw) => function::is_loaded(state, function);
    cuFuncLoad(function: Raw) => function::load(function);
    cuKernelGetAttribute(value: *mut c_int, attribute: c_uint, kernel: Raw, device: c_int) => { let _ = device; function::get_attribute(value, attribute, kernel) };
    cuKernelSetAttribute(attribute: c_uint, value: c_int, kernel: Raw, device: c_int) => { let _ = device; function::set_attribute(kernel, attribute, value) };
    cuKernelSetCacheConfig(kernel: Raw, config: c_uint, device: c_int) => { let _ = device; function::set_cache_config(kernel, config) };
    cuKernelGetFunction(function: *mut Raw, kernel: Raw) => function::get_function(function, kernel);
    cuKernelGetLibrary(library: *mut Raw, kernel: Raw) => function::get_library(library, kernel);
    cuKernelGetName(name: *mut *const c_char, kernel: Raw) => function::get_name(name, kernel);
    cuKernelGetParamInfo(kernel: Raw, index: usize, offset: *mut usize, bytes: *mut usize) => function::param_info(kernel, index, offset, bytes);
    cuKernelGetParamCount(kernel: Raw, count: *mut usize) => function::param_count(kernel, count);
    // Memory.
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize) => memory::get_info(free, total);
    cuMemAlloc_v2(pointer: *mut u64, bytes: usize) => memory::alloc(pointer, bytes);
    cuMemAllocPitch_v2(pointer: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint) => memory::alloc_pitch(pointer, pitch, width, height, element);
    cuMemAllocManaged(pointer: *mut u64, bytes: usize, flags: c_uint) => managed::alloc_managed(pointer, bytes, flags);
    cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Raw) => memory::alloc_async(pointer, bytes, stream);
    cuMemAllocFromPoolAsync(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw) => memory::alloc_from_pool_async(pointer, bytes, pool, stream);
    cuMemFree_v2(address: u64) => memory::free(address);
    cuMemFreeAsync(address: u64, stream: Raw) => memory::free_async(address, stream);
    cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64) => memory::get_address_range(base, bytes, address);
    cuMemAllocHost_v2(pointer: *mut Raw, bytes: usize) => host_memory::alloc_host(pointer, bytes);
    cuMemHostAlloc(pointer: *mut Raw, bytes: usize, flags: c_uint) => host_memory::host_alloc(pointer, bytes, flags);
    cuMemFreeHost(pointer: Raw) => host_memory::free_host(pointer);
    cuMemHostRegister_v2(pointer: Raw, bytes: usize, flags: c_uint) => host_memory::host_register(pointer, bytes, flags);
    cuMemHostUnregister(pointer: Raw) => host_memory::host_unregister(pointer);
    cuMemHostGetDevicePointer_v2(device: *mut u64, host: Raw, flags: c_uint) => host_memory::host_get_device_pointer(device, host, flags);
    cuMemHostGetFlags(flags: *mut c_uint, host: Raw) => host_memory::host_get_flags(flags, host);
    cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: Raw) => managed::prefetch(address, bytes, device, stream);
    cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: u64, flags: c_uint, stream: Raw) => { let _ = flags; managed::prefetch(address, bytes, managed::place(location), stream) };
    cuMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int) => managed::advise(address, bytes, advice, device);
    cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int, location: u64) => managed::advise(address, bytes, advice, managed::place(location));
    cuMemRangeGetAttribute(data: Raw, room: usize, attribute: c_int, address: u64, bytes: usize) => managed::range_attribute(data, room, attribute, address, bytes);
    cuMemRangeGetAttributes(data: *mut Raw, rooms: *const usize, attributes: *const c_int, count: usize, address: u64, bytes: usize) => managed::range_attributes(data, rooms, attributes, count, address, bytes);
    cuStreamAttachMemAsync(stream: Raw, address: u64, bytes: usize, flags: c_uint) => managed::attach(stream, address, bytes, flags);
    cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const AllocationProperties, option: c_uint) => virtual_memory::granularity(bytes, properties, option);
    cuMemGetAllocationPropertiesFromHandle(properties: *mut AllocationProperties, handle: u64) => virtual_memory::properties(properties, handle);
    cuMemAddressReserve(pointer: *mut u64, bytes: usize, alignment: usize, wish: u64, flags: u64) => virtual_memory::reserve(pointer, bytes, alignment, wish, flags);
    cuMemAddressFree(address: u64, bytes: usize) => virtual_memory::free(address, bytes);
    cuMemCreate(handle: *mut u64, bytes: usize, properties: *const AllocationProperties, flags: u64) => virtual_memory::create(handle, bytes, properties, flags);
    cuMemRelease(handle: u64) => virtual_memory::release(handle);
    cuMemRetainAllocationHandle(handle: *mut u64, address: Raw) => virtual_memory::retain(handle, address);
    cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64) => virtual_memory::map(address, bytes, offset, handle, flags);
    cuMemUnmap(address: u64, bytes: usize) => virtual_memory::unmap(address, bytes);
    cuMemSetAccess(address: u64, bytes: usize, list: *const AccessDescription, count: usize) => virtual_memory::set_access(address, bytes, list, count);
    cuMemGetAccess(flags: *mut u64, location: *const AccessDescription, address: u64) => virtual_memory::get_access(flags, location, address);
    cuMemExportToShareableHandle(shared: Raw, handle: u64, kind: c_uint, flags: u64) => virtual_memory::export(shared, handle, kind, flags);
    cuMemImportFromShareableHandle(handle: *mut u64, shared: Raw, kind: c_uint) => virtual_memory::import(handle, shared, kind);
    cuIpcGetMemHandle(handle: *mut MemoryHandle, address: u64) => interprocess::memory_handle(handle, address);
    cuIpcOpenMemHandle_v2(pointer: *mut u64, handle: MemoryHandle, flags: c_uint) => interprocess::open_memory(pointer, handle, flags);
    cuIpcCloseMemHandle(address: u64) => interprocess::close_memory(address);
    cuIpcGetEventHandle(handle: *mut EventHandle, event: Raw) => interprocess::event_handle(handle, event);
    cuIpcOpenEventHandle(event: *mut Raw, handle: EventHandle) => interprocess::open_event(event, handle);
    cuPointerGetAttribute(data: Raw, attribute: c_uint, address: u64) => pointer::pointer_attribute(data, attribute, address);
    cuPointerGetAttributes(count: c_uint, attributes: *mut c_uint, data: *mut Raw, address: u64) => pointer::pointer_attributes(count, attributes, data, address);
    cuPointerSetAttribute(value: *const c_void, attribute: c_uint, address: u64) => pointer::pointer_set_attribute(value, attribute, address);
    cuMemPoolCreate(pool: *mut Raw, properties: *const NewPool) => pool::create(pool, properties);
    cuMemPoolDestroy(pool: Raw) => pool::destroy(pool);
    cuMemPoolTrimTo(pool: Raw, keep: usize) => { let _ = keep; pool::trim(pool) };
    cuMemPoolGetAttribute(pool: Raw, attribute: c_uint, value: Raw) => pool::get_attribute(pool, attribute, value);
    cuMemPoolSetAttribute(pool: Raw, attribute: c_uint, value: *const c_void) => pool::set_attribute(pool, attribute, value);
    cuMemPoolSetAccess(pool: Raw, list: Raw, count: usize) => { let _ = list; pool::set_access(pool, count) };
    cuMemPoolGetAccess(flags: *mut c_uint, pool: Raw, location: Raw) => { let _ = location; pool::get_access(flags, pool) };
    // Copies and fills.
    cuMemcpy(to: u64, from: u64, bytes: usize) => copy::unified(to, from, bytes, LEGACY, true);
    cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Raw) => copy::unified(to, from, bytes, stream, false);
    cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) => copy::host_to_device(to, from, bytes, LEGACY, true);
    cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Raw) => copy::host_to_device(to, from, bytes, stream, false);
    cuMemcpyDtoH_v2(to: Raw, from: u64, bytes: usize) => copy::device_to_host(to, from, bytes, LEGACY, true);
    cuMemcpyDtoHAsync_v2(to: Raw, from: u64, bytes: usize, stream: Raw) => copy::device_to_host(to, from, bytes, stream, false);
    cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) => copy::within(to, from, bytes, LEGACY, true);
    cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Raw) => copy::within(to, from, bytes, stream, false);
    cuMemcpyPeer(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize) => copy::peer(to, to_context, from, from_context, bytes, LEGACY, true);
    cuMemcpyPeerAsync(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize, stream: Raw) => copy::peer(to, to_context, from, from_context, bytes, stream, false);
    cuMemcpy2D_v2(copy: *const Copy2d) => copy::copy_2d(copy, LEGACY, true);
    cuMemcpy2DUnaligned_v2(copy: *const Copy2d) => copy::copy_2d(copy, LEGACY, true);
    cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Raw) => copy::copy_2d(copy, stream, false);
    cuMemcpy3D_v2(copy: *const Copy3d) => copy::copy_3d(copy, LEGACY, true);
    cuMemcpy3DAsync_v2(copy: *const Copy3d, stream: Raw) => copy::copy_3d(copy, stream, false);
    cuMemcpy3DPeer(copy: *const Copy3d) => copy::copy_3d(copy, LEGACY, true);
    cuMemcpy3DPeerAsync(copy: *const Copy3d, stream: Raw) => copy::copy_3d(copy, stream, false);
    cuMemsetD8_v2(at: u64, value: u8, count: usize) => copy::fill(Fill::row(at, value.into(), 1, count), LEGACY, true);
    cuMemsetD16_v2(at: u64, value: u16, count: usize) => copy::fill(Fill::row(at, value.into(), 2, count), LEGACY, true);
    cuMemsetD32_v2(at: u64, value: c_uint, count: usize) => copy::fill(Fill::row(at, value, 4, count), LEGACY, true);
    cuMemsetD8Async(at: u64, value: u8, count: usize, stream: Raw) => copy::fill(Fill::row(at, value.into(), 1, count), stream, false);
    cuMemsetD16Async(at: u64, value: u16, count: usize, stream: Raw) => copy::fill(Fill::row(at, value.into(), 2, count), stream, false);
    cuMemsetD32Async(at: u64, value: c_uint, count: usize, stream: Raw) => copy::fill(Fill::row(at, value, 4, count), stream, false);
    cuMemsetD2D8_v2(at: u64, pitch: usize, value: u8, width: usize, height: usize) => copy::fill(Fill { at, value: value.into(), element: 1, count: width, height, pitch }, LEGACY, true);
    cuMemsetD2D16_v2(at: u64, pitch: usize, value: u16, width: usize, height: usize) => copy::fill(Fill { at, value: value.into(), element: 2, count: width, height, pitch }, LEGACY, true);
    cuMemsetD2D32_v2(at: u64, pitch: usize, value: c_uint, width: usize, height: usize) => copy::fill(Fill { at, value, element: 4, count: width, height, pitch }, LEGACY, true);
    cuMemsetD2D8Async(at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Raw) => copy::fill(Fill { at, value: value.into(), element: 1, count: width, height, pitch }, stream, false);
    cuMemsetD2D16Async(at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Raw) => copy::fill(Fill { at, value: value.into(), element: 2, count: width, height, pitch }, stream, false);
    cuMemsetD2D32Async(at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Raw) => copy::fill(Fill { at, value, element: 4, count: width, height, pitch }, stream, false);
    // Arrays, textures and surfaces.
    cuArrayCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor2d) => array::create_2d(array, descriptor);
    cuArray3DCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor) => array::create_3d(array, descriptor);
    cuArrayDestroy(array: Raw) => array::destroy(array);
    cuMipmappedArrayCreate(array: *mut Raw, descriptor: *const ArrayDescriptor, levels: c_uint) => array::create_mipmapped(array, descriptor, levels);
    cuMipmappedArrayGetLevel(array: *mut Raw, mipmapped: Raw, level: c_uint) => array::level(array, mipmapped, level);
    cuMipmappedArrayDestroy(array: Raw) => array::destroy_mipmapped(array);
    cuMemcpyAtoH_v2(to: Raw, from: Raw, offset: usize, bytes: usize) => array::to_host(to, from, offset, bytes, LEGACY, true);
    cuMemcpyAtoHAsync_v2(to: Raw, from: Raw, offset: usize, bytes: usize, stream: Raw) => array::to_host(to, from, offset, bytes, stream, false);
    cuMemcpyHtoA_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize) => array::from_host(to, offset, from, bytes, LEGACY, true);
    cuMemcpyHtoAAsync_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize, stream: Raw) => array::from_host(to, offset, from, bytes, stream, false);
    cuMemcpyAtoD_v2(to: u64, from: Raw, offset: usize, bytes: usize) => array::to_device(to, from, offset, bytes, LEGACY);
    cuMemcpyDtoA_v2(to: Raw, offset: usize, from: u64, bytes: usize) => array::from_device(to, offset, from, bytes, LEGACY);
    cuMemcpyAtoA_v2(to: Raw, to_offset: usize, from: Raw, from_offset: usize, bytes: usize) => array::to_array((to, to_offset), (from, from_offset), bytes, LEGACY);
    cuArrayGetDescriptor_v2(descriptor: *mut ArrayDescriptor2d, array: Raw) => array::descriptor_2d(descriptor, array);
    cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: Raw) => array::descriptor_3d(descriptor, array);
    cuTexObjectCreate(object: *mut u64, resource: *const ResourceDescriptor, descriptor: *const TextureDescriptor, view: *const ViewDescriptor) => texture::create(object, resource, descriptor, view);
    cuTexObjectDestroy(object: u64) => texture::destroy(object);
    cuTexObjectGetResourceDesc(descriptor: *mut ResourceDescriptor, object: u64) => texture::resource(descriptor, object);
    cuTexObjectGetResourceViewDesc(descriptor: *mut ViewDescriptor, object: u64) => texture::view(descriptor, object);
    cuTexObjectGetTextureDesc(descriptor: *mut TextureDescriptor, object: u64) => texture::texture(descriptor, object);
    cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor) => texture::create_surface(object, resource);
    cuSurfObjectDestroy(object: u64) => texture::destroy(object);
    cuSurfObjectGetResourceDesc(descriptor: *mut ResourceDescriptor, object: u64) => texture::resource(descriptor, object);
    // Streams.
    cuStreamCreate(stream: *mut Raw, flags: c_uint) => stream::create(stream, flags);
    cuStreamCreateWithPriority(stream: *mut Raw, flags: c_uint, priority: c_int) => stream::create_with_priority(stream, flags, priority);
    cuStreamDestroy_v2(stream: Raw) => stream::destroy(stream);
    cuStreamSynchronize(stream: Raw) => stream::synchronize(stream);
    cuStreamQuery(stream: Raw) => stream::query(stream);
    cuStreamWaitEvent(stream: Raw, event: Raw, flags: c_uint) => stream::wait_event(stream, event, flags);
    cuStreamAddCallback(stream: Raw, callback: Option<unsafe extern "C" fn(Raw, c_uint, Raw)>, data: Raw, flags: c_uint) => stream::add_callback(stream, callback, data, flags);
    cuLaunchHostFunc_v2(stream: Raw, function: Option<unsafe extern "C" fn(Raw)>, data: Raw, waiting: c_uint) => stream::launch_host_function_v2(stream, function, data, waiting);
    cuLaunchHostFunc(stream: Raw, function: Option<unsafe extern "C" fn(Raw)>, data: Raw) => stream::launch_host_function(stream, function, data);
    cuStreamGetFlags(stream: Raw, flags: *mut c_uint) => stream::get_flags(stream, flags);
    cuStreamGetPriority(stream: Raw, priority: *mut c_int) => stream::get_priority(stream, priority);
    cuStreamGetId(stream: Raw, id: *mut u64) => stream::get_id(stream, id);
    cuStreamGetCtx(stream: Raw, context: *mut Raw) => stream::get_context(stream, context);
    cuStreamGetCtx_v2(stream: Raw, context: *mut Raw, green: *mut Raw) => stream::get_context_v2(stream, context, green);
    cuStreamGetDevice(stream: Raw, device: *mut c_int) => stream::get_device(stream, device);
    cuStreamCopyAttributes(to: Raw, from: Raw) => stream::copy_attributes(to, from);
    cuStreamWriteValue32_v2(stream: Raw, at: u64, value: c_uint, flags: c_uint) => { let _ = flags; stream::write_value(stream, at, value.into(), 4) };
    cuStreamWriteValue64_v2(stream: Raw, at: u64, value: u64, flags: c_uint) => { let _ = flags; stream::write_value(stream, at, value, 8) };
    // Events.
    cuEventCreate(event: *mut Raw, flags: c_uint) => event::create(event, flags);
    cuEventDestroy_v2(event: Raw) => event::destroy(event);
    cuEventRecord(event: Raw, stream: Raw) => event::record(event, stream, 0);
    cuEventRecordWithFlags(event: Raw, stream: Raw, flags: c_uint) => event::record(event, stream, flags);
    cuEventQuery(event: Raw) => event::query(event);
    cuEventSynchronize(event: Raw) => event::synchronize(event);
    cuEventElapsedTime(milliseconds: *mut f32, start: Raw, end: Raw) => event::elapsed(milliseconds, start, end);
    cuEventElapsedTime_v2(milliseconds: *mut f32, start: Raw, end: Raw) => event::elapsed(milliseconds, start, end);
    // Launches and occupancy.
    cuLaunchKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw, extra: *mut Raw) => launch::launch(LaunchRequest { function, grid: [gx, gy, gz], block: [bx, by, bz], dynamic_shared_bytes: shared, cooperative: false, cluster: None, parameters, extra }, stream);
    cuLaunchKernelEx(config: *const LaunchConfig, function: Raw, parameters: *mut Raw, extra: *mut Raw) => launch::launch_ex(config, function, parameters, extra);
    cuTensorMapEncodeTiled(map: *mut [u8; 128], element: c_uint, rank: c_uint, address: u64, extents: *const u64, strides: *const u64, box_extents: *const c_uint, element_strides: *const c_uint, interleave: c_uint, swizzle: c_uint, promotion: c_uint, fill: c_uint) => tensor::encode_tiled(map, Tiled { element, rank, address, extents, strides, box_extents, element_strides, interleave, swizzle, promotion, fill });
    cuLaunchCooperativeKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw) => launch::launch(LaunchRequest { function, grid: [gx, gy, gz], block: [bx, by, bz], dynamic_shared_bytes: shared, cooperative: true, cluster: None, parameters, extra: std::ptr::null_mut() }, stream);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, function: Raw, threads: c_int, dynamic: usize) => occupancy::max_active_blocks(count, function, threads, dynamic, 0);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, function: Raw, threads: c_int, dynamic: usize, flags: c_uint) => occupancy::max_active_blocks(count, function, threads, dynamic, flags);
    cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, function: Raw, shared_of: Option<SharedOf>, dynamic: usize, limit: c_int) => occupancy::max_potential_block_size(grid, block, function, shared_of, dynamic, limit, 0);
    cuOccupancyMaxPotentialBlockSizeWithFlags(grid: *mut c_int, block: *mut c_int, function: Raw, shared_of: Option<SharedOf>, dynamic: usize, limit: c_int, flags: c_uint) => occupancy::max_potential_block_size(grid, block, function, shared_of, dynamic, limit, flags);
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Raw, count: c_int, threads: c_int) => occupancy::available_shared(bytes, function, count, threads);
    cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Raw, config: *const LaunchConfig) => occupancy::max_potential_cluster(size, function, config);
    cuOccupancyMaxActiveClusters(count: *mut c_int, function: Raw, config: *const LaunchConfig) => occupancy::max_active_clusters(count, function, config);
    // Capture and graphs.
    cuStreamBeginCapture_v2(stream: Raw, mode: c_uint) => capture::begin(stream, mode);
    cuStreamBeginCaptureToGraph(stream: Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, mode: c_uint) => { let _ = data; capture::begin_to_graph(stream, graph, dependencies, count, mode) };
    cuStreamEndCapture(stream: Raw, graph: *mut Raw) => capture::end(stream, graph);
    cuStreamIsCapturing(stream: Raw, status: *mut c_uint) => capture::is_capturing(stream, status);
    cuStreamGetCaptureInfo(stream: Raw, status: *mut c_uint, id: *mut u64) => capture::info(stream, status, Asked { id, graph: null_mut(), dependencies: null_mut(), edges: null_mut(), count: null_mut() });
    cuStreamGetCaptureInfo_v2(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const usize, count: *mut usize) => capture::info(stream, status, Asked { id, graph, dependencies, edges: null_mut(), count });
    cuStreamGetCaptureInfo_v3(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const usize, edges: *mut *const u64, count: *mut usize) => capture::info(stream, status, Asked { id, graph, dependencies, edges, count });
    cuStreamUpdateCaptureDependencies(stream: Raw, dependencies: *const Raw, count: usize, flags: c_uint) => capture::update_dependencies(stream, dependencies, null(), count, flags);
    cuStreamUpdateCaptureDependencies_v2(stream: Raw, dependencies: *const Raw, edges: *const u64, count: usize, flags: c_uint) => capture::update_dependencies(stream, dependencies, edges, count, flags);
    cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) => capture::exchange_mode(mode);
    cuGraphCreate(graph: *mut Raw, flags: c_uint) => graph::create(graph, flags);
    cuGraphDestroy(graph: Raw) => graph::destroy(graph);
    cuGraphClone(copy: *mut Raw, graph: Raw) => graph::clone(copy, graph);
    cuGraphNodeFindInClone(found: *mut Raw, original: Raw, clone: Raw) => graph::find_in_clone(found, original, clone);
    cuGraphAddEmptyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize) => graph::add(node, graph, dependencies, count, Step::Empty);
    cuGraphAddKernelNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, kernel: *const KernelNode) => graph::add(node, graph, dependencies, count, node::kernel(kernel)?);
    cuGraphAddMemcpyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, copy: *const Copy3d, context: Raw) => { let _ = context; graph::add(node, graph, dependencies, count, node::copy(copy)?) };
    cuGraphAddMemsetNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, fill: *const FillNode, context: Raw) => { let _ = context; graph::add(node, graph, dependencies, count, node::fill(fill)?) };
    cuGraphAddHostNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, host: *const HostNode) => graph::add(node, graph, dependencies, count, node::host(host)?);
    cuGraphAddChildGraphNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, child: Raw) => graph::add_child(node, graph, dependencies, count, child);
    cuGraphChildGraphNodeGetGraph(node: Raw, graph: *mut Raw) => graph::child(node, graph);
    cuGraphDebugDotPrint(graph: Raw, path: *const c_char, flags: c_uint) => graph_picture::print(graph, path, flags);
    cuGraphAddEventRecordNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw) => graph::add_event(node, graph, dependencies, count, event, true);
    cuGraphAddEventWaitNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw) => graph::add_event(node, graph, dependencies, count, event, false);
    cuGraphAddMemAllocNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut AllocationNode) => graph_memory::add_allocation(node, graph, dependencies, count, parameters);
    cuGraphAddMemFreeNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, address: u64) => graph_memory::add_free(node, graph, dependencies, count, address);
    cuGraphConditionalHandleCreate(handle: *mut u64, graph: Raw, context: Raw, first: c_uint, flags: c_uint) => conditional::create_handle(handle, graph, context, first, flags);
    cuGraphAddNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut NodeParameters) => conditional::add_node(node, graph, dependencies, count, parameters);
    cuGraphAddNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, edges: Raw, count: usize, parameters: *mut NodeParameters) => { let _ = edges; conditional::add_node(node, graph, dependencies, count, parameters) };
    cuGraphMemAllocNodeGetParams(node: Raw, parameters: *mut AllocationNode) => graph_memory::allocation_parameters(node, parameters);
    cuGraphMemFreeNodeGetParams(node: Raw, address: *mut u64) => graph_memory::free_parameters(node, address);
    cuGraphRetainUserObject(graph: Raw, object: Raw, count: c_uint, flags: c_uint) => user_object::retain_in_graph(graph, object, count, flags);
    cuGraphReleaseUserObject(graph: Raw, object: Raw, count: c_uint) => user_object::release_in_graph(graph, object, count);
    cuUserObjectCreate(object: *mut Raw, pointer: Raw, destroy: Option<unsafe extern "C" fn(Raw)>, count: c_uint, flags: c_uint) => user_object::create(object, pointer, destroy, count, flags);
    cuUserObjectRetain(object: Raw, count: c_uint) => user_object::retain(object, count);
    cuUserObjectRelease(object: Raw, count: c_uint) => user_object::release(object, count);
    cuGraphAddDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize) => graph::change_dependencies(graph, from, to, count, true);
    cuGraphAddDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => { let _ = data; graph::change_dependencies(graph, from, to, count, true) };
    cuGraphRemoveDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize) => graph::change_dependencies(graph, from, to, count, false);
    cuGraphRemoveDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize) => { let _ = data; graph::change_dependencies(graph, from, to, count, false) };
    cuGraphDestroyNode(node: Raw) => graph::destroy_node(node);
    cuGraphGetNodes(graph: Raw, nodes: *mut Raw, count: *mut usize) => graph::get_nodes(graph, Which::All, nodes, count);
    cuGraphGetRootNodes(graph: Raw, nodes: *mut Raw, count: *mut usize) => graph::get_nodes(graph, Which::Roots, nodes, count);
    cuGraphGetEdges(graph: Raw, from: *mut Raw, to: *mut Raw, count: *mut usize) => graph::get_edges(graph, from, to, count);
    cuGraphGetEdges_v2(graph: Raw, from: *mut Raw, to: *mut Raw, data: Raw, count: *mut usize) => { let _ = data; graph::get_edges(graph, from, to, count) };
    cuGraphNodeGetType(node: Raw, kind: *mut c_uint) => graph::node_type(node, kind);
    cuGraphNodeGetDependencies(node: Raw, nodes: *mut Raw, count: *mut usize) => graph::get_nodes(node, Which::Dependencies, nodes, count);
    cuGraphNodeGetDependencies_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => { let _ = data; graph::get_nodes(node, Which::Dependencies, nodes, count) };
    cuGraphNodeGetDependentNodes(node: Raw, nodes: *mut Raw, count: *mut usize) => graph::get_nodes(node, Which::Dependents, nodes, count);
    cuGraphNodeGetDependentNodes_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize) => { let _ = data; graph::get_nodes(node, Which::Dependents, nodes, count) };
    cuGraphKernelNodeGetParams_v2(node: Raw, kernel: *mut KernelNode) => node_parameters::kernel(node, kernel);
    cuGraphMemsetNodeGetParams(node: Raw, fill: *mut FillNode) => node_parameters::fill(node, fill);
    cuGraphHostNodeGetParams(node: Raw, host: *mut HostNode) => node_parameters::host(node, host);
    cuGraphEventRecordNodeGetEvent(node: Raw, event: *mut Raw) => node_parameters::event(node, event, true);
    cuGraphEventWaitNodeGetEvent(node: Raw, event: *mut Raw) => node_parameters::event(node, event, false);
    cuGraphEventRecordNodeSetEvent(node: Raw, event: Raw) => graph::set_step(node, node_parameters::of_event(event, true)?);
    cuGraphEventWaitNodeSetEvent(node: Raw, event: Raw) => graph::set_step(node, node_parameters::of_event(event, false)?);
    cuGraphExecEventRecordNodeSetEvent(executable: Raw, node: Raw, event: Raw) => graph::set_executable_step(executable, node, node_parameters::of_event(event, true)?);
    cuGraphExecEventWaitNodeSetEvent(executable: Raw, node: Raw, event: Raw) => graph::set_executable_step(executable, node, node_parameters::of_event(event, false)?);
    cuGraphMemcpyNodeGetParams(node: Raw, copy: *mut Copy3d) => node_parameters::copy(node, copy);
    cuGraphNodeGetParams(node: Raw, parameters: *mut NodeParameters) => node_parameters::any(node, parameters);
    cuGraphNodeSetParams(node: Raw, parameters: *mut NodeParameters) => node::set_parameters(node, parameters);
    cuGraphNodeSetParams_v2(node: Raw, parameters: *mut NodeParameters) => node::set_parameters(node, parameters);
    cuGraphExecNodeSetParams(executable: Raw, node: Raw, parameters: *mut NodeParameters) => node::set_executable_parameters(executable, node, parameters);
    cuGraphNodeSetEnabled(executable: Raw, node: Raw, enabled: c_uint) => executable::enable(executable, node, enabled);
    cuGraphNodeGetEnabled(executable: Raw, node: Raw, enabled: *mut c_uint) => executable::is_enabled(executable, node, enabled);
    cuGraphExecGetFlags(executable: Raw, flags: *mut u64) => executable::flags(executable, flags);
    cuGraphGetId(graph: Raw, id: *mut c_uint) => executable::graph_id(graph, false, id);
    cuGraphExecGetId(executable: Raw, id: *mut c_uint) => executable::graph_id(executable, true, id);
    cuGraphNodeGetLocalId(node: Raw, id: *mut c_uint) => executable::local_id(node, id);
    cuGraphNodeGetToolsId(node: Raw, id: *mut u64) => executable::tools_id(node, id);
    cuGraphNodeGetContainingGraph(node: Raw, graph: *mut Raw) => executable::graph_of(node, graph);
    cuGraphKernelNodeSetParams_v2(node: Raw, kernel: *const KernelNode) => graph::set_step(node, node::kernel(kernel)?);
    cuGraphMemcpyNodeSetParams(node: Raw, copy: *const Copy3d) => graph::set_step(node, node::copy(copy)?);
    cuGraphMemsetNodeSetParams(node: Raw, fill: *const FillNode) => graph::set_step(node, node::fill(fill)?);
    cuGraphHostNodeSetParams(node: Raw, host: *const HostNode) => graph::set_step(node, node::host(host)?);
    cuGraphExecKernelNodeSetParams_v2(executable: Raw, node: Raw, kernel: *const KernelNode) => graph::set_executable_step(executable, node, node::kernel(kernel)?);
    cuGraphExecMemcpyNodeSetParams(executable: Raw, node: Raw, copy: *const Copy3d, context: Raw) => { let _ = context; graph::set_executable_step(executable, node, node::copy(copy)?) };
    cuGraphExecMemsetNodeSetParams(executable: Raw, node: Raw, fill: *const FillNode, context: Raw) => { let _ = context; graph::set_executable_step(executable, node, node::fill(fill)?) };
    cuGraphExecHostNodeSetParams(executable: Raw, node: Raw, host: *const HostNode) => graph::set_executable_step(executable, node, node::host(host)?);
    cuGraphInstantiate_v2(executable: *mut Raw, graph: Raw, error_node: *mut Raw, log: *mut c_char, room: usize) => node::instantiate_v2(executable, graph, error_node, log, room);
    cuGraphInstantiateWithFlags(executable: *mut Raw, graph: Raw, flags: u64) => graph::instantiate(executable, graph, flags);
    cuGraphInstantiateWithParams(executable: *mut Raw, graph: Raw, parameters: *mut InstantiateParameters) => node::instantiate(executable, graph, parameters);
    cuGraphExecUpdate_v2(executable: Raw, graph: Raw, result: *mut UpdateResult) => node::update(executable, graph, result);
    cuGraphExecDestroy(executable: Raw) => graph::destroy_executable(executable);
    cuGraphUpload(executable: Raw, stream: Raw) => graph::upload(executable, stream);
    cuGraphLaunch(executable: Raw, stream: Raw) => graph_launch::launch(executable, stream);
    // Graphics, of which nothing can be registered (`abi/graphics.rs`).
    cuGraphicsMapResources() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsUnmapResources() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsUnregisterResource() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsResourceGetMappedPointer_v2() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsResourceGetMappedMipmappedArray() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsResourceSetMapFlags_v2() => Err(Cause::NoHandle("resource of graphics"));
    cuGraphicsSubResourceGetMappedArray() => Err(Cause::NoHandle("resource of graphics"));
}

/// Names that have no implementation: texture references, external memory, green contexts, multicast, coredumps, and what came with CUDA 13.
pub mod without {
    #![allow(non_snake_case)]
    super::absent! {
        cuArrayGetMemoryRequirements cuArrayGetPlane cuArrayGetSparseProperties cuCoredumpDeregisterCompleteCallback
        cuCoredumpDeregisterStartCallback cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal
        cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuCoredumpSetAttribute
        cuCoredumpSetAttributeGlobal cuCtxFromGreenCtx cuCtxGetDevResource cuCtxGetExecAffinity
        cuCtxRecordEvent cuCtxWaitEvent cuDestroyExternalMemory cuDestroyExternalSemaphore cuDevResourceGenerateDesc
        cuDevSmResourceSplit cuDevSmResourceSplitByCount cuDeviceGetCliqueCount cuDeviceGetCliqueInfo
        cuDeviceGetDevResource cuDeviceGetFabricClusterUuid cuDeviceGetHostAtomicCapabilities cuDeviceGetLuid
        cuDeviceGetP2PAtomicCapabilities cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification
        cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray
        cuGraphAddBatchMemOpNode cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode
        cuGraphAddKernelNode cuGraphAddNode_v3 cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams
        cuGraphExecBatchMemOpNodeSetParams
        cuGraphExecChildGraphNodeSetParams
        cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
        cuGraphExecKernelNodeSetParams cuGraphExecUpdate
        cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
        cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams
        cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute
        cuGraphKernelNodeGetParams cuGraphKernelNodeSetAttribute
        cuGraphKernelNodeSetParams
        cuGreenCtxCreate cuGreenCtxDestroy
        cuGreenCtxGetDevResource cuGreenCtxGetId cuGreenCtxRecordEvent cuGreenCtxStreamCreate cuGreenCtxWaitEvent
        cuImportExternalMemory cuImportExternalSemaphore cuLaunchCooperativeKernelMultiDevice
        cuLibraryGetUnifiedFunction cuLogicalEndpointAddDevice
        cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate cuLogicalEndpointDestroy
        cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease cuLogicalEndpointIdReserve
        cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind
        cuMemBatchDecompressAsync
        cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemGetHandleForAddressRange
        cuMemGetLocationInfo cuMemMapArrayAsync
        cuMemPrefetchBatchAsync
        cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2 cuMemcpy3DWithAttributesAsync cuMemcpyBatchAsync
        cuMemcpyBatchAsync_v2 cuMemcpyWithAttributesAsync
        cuMipmappedArrayGetMemoryRequirements cuMipmappedArrayGetSparseProperties
        cuModuleGetSurfRef cuModuleGetTexRef cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindAddr_v2
        cuMulticastBindMem cuMulticastBindMem_v2 cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind
        cuParamSetTexRef
        cuProfilerInitialize cuSignalExternalSemaphoresAsync cuStreamBatchMemOp
        cuStreamBatchMemOp_v2 cuStreamBeginCaptureToCig cuStreamBeginRecaptureToGraph cuStreamEndCaptureToCig
        cuStreamGetAttribute cuStreamGetDevResource cuStreamGetGreenCtx cuStreamSetAttribute cuStreamWaitValue32
        cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWriteValue32 cuStreamWriteValue64
        cuSurfRefGetArray cuSurfRefSetArray cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide
        cuTensorMapReplaceAddress cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode
        cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags
        cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
        cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode
        cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
        cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias
        cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray cuWaitExternalSemaphoresAsync
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_exported_once() {
        let mut all: Vec<&str> = NAMES.iter().chain(without::NAMES).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        // What cudarc 0.19.10 declares, over all its versions of CUDA.
        assert_eq!(count, 514);
        assert!(all.iter().all(|name| address(name).is_some()));
        // None of the others is among them, or it would not link.
        assert!(refused::NAMES.iter().chain(graphics::NAMES).all(|name| address(name).is_some()));
    }

    /// A lookup by name takes the newest variant: a late one that has no implementation must not hide the plain one.
    #[test]
    fn what_is_implemented_is_found_by_name() {
        for name in NAMES {
            let mut found = null_mut();
            let text = std::ffi::CString::new(*name).expect("a name");
            // SAFETY: a text that ends in NUL, and places for the results.
            let asked = unsafe { lookup::proc_address(address, text.as_ptr(), &mut found, 13000, 0, null_mut()) };
            asked.expect("it answers");
            let hidden = without::NAMES.iter().find(|other| without::address(other) == Some(found.cast_const()));
            assert_eq!(hidden, None, "in place of {name}");
        }
    }
}
