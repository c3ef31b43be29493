//! The table of the driver's functions: `name(argument: type, …) [other names] age;`
//!
//! An argument that is an enum of the interface is a number here, since any number may come in. In brackets stand names by which
//! programs ask for the same function: older ones, and those of programs that were compiled for default streams of threads
//! (`CUDA_API_PER_THREAD_DEFAULT_STREAM`); after a colon the argument whose default is the thread's stream under that name. `newer`
//! functions came after CUDA 12.9, and `older` ones left before it.

/// Hands the rows to a macro, and after them the rows that the caller adds. The rows' types are those of [`types`](crate::types), which
/// the caller imports.
///
/// The receiving macro matches rows as
/// `$($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*`
/// and gives each to a macro that matches `$arguments` as `($($argument:ident: $type:ty),*)`; `examples/cuda.rs` does so.
#[macro_export]
macro_rules! functions {
    ($with:ident $($more:tt)*) => {
        $with! {
            // Starting, errors, names.
            cuInit(flags: c_uint);
            cuDriverGetVersion(version: *mut c_int);
            cuGetErrorName(error: c_uint, name: *mut *const c_char);
            cuGetErrorString(error: c_uint, words: *mut *const c_char);
            cuGetProcAddress(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64) older;
            cuGetProcAddress_v2(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64, status: *mut c_uint);
            cuGetExportTable(table: *mut *const c_void, id: *const [u8; 16]);
            cuLogsRegisterCallback(callback: LogCallback, data: Raw, handle: *mut Raw);
            cuLogsUnregisterCallback(handle: Raw);
            cuLogsCurrent(iterator: *mut c_uint, flags: c_uint);
            cuLogsDumpToFile(iterator: *mut c_uint, path: *const c_char, flags: c_uint);
            cuLogsDumpToMemory(iterator: *mut c_uint, buffer: *mut c_char, bytes: *mut usize, flags: c_uint);
            cuProfilerStart();
            cuProfilerStop();
            // Devices.
            cuDeviceGet(device: *mut c_int, ordinal: c_int);
            cuDeviceGetCount(count: *mut c_int);
            cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int);
            cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int);
            cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int);
            cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
            cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int);
            cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int);
            cuDeviceGetProperties(properties: *mut Properties, device: c_int);
            cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
            cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int);
            cuDeviceGetPCIBusId(buffer: *mut c_char, room: c_int, device: c_int);
            cuDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char);
            cuDeviceGetExecAffinitySupport(supported: *mut c_int, kind: c_uint, device: c_int);
            cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: c_uint, channels: c_uint, device: c_int);
            cuDeviceGetGraphMemAttribute(device: c_int, number: c_uint, value: Raw);
            cuDeviceSetGraphMemAttribute(device: c_int, number: c_uint, value: Raw);
            cuDeviceGraphMemTrim(device: c_int);
            cuDeviceGetDefaultMemPool(pool: *mut Raw, device: c_int);
            cuDeviceGetMemPool(pool: *mut Raw, device: c_int);
            cuMemGetDefaultMemPool(pool: *mut Raw, location: *const MemoryLocation, kind: c_uint) newer;
            cuMemGetMemPool(pool: *mut Raw, location: *const MemoryLocation, kind: c_uint) newer;
            cuMemSetMemPool(location: *const MemoryLocation, kind: c_uint, pool: Raw) newer;
            cuMemPoolExportToShareableHandle(shared: Raw, pool: Raw, kind: c_uint, flags: u64);
            cuMemPoolImportFromShareableHandle(pool: *mut Raw, shared: Raw, kind: c_uint, flags: u64);
            cuMemPoolExportPointer(data: *mut IpcHandle, address: u64);
            cuMemPoolImportPointer(pointer: *mut u64, pool: Raw, data: *mut IpcHandle);
            cuDeviceSetMemPool(device: c_int, pool: Raw);
            cuFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint);
            // Contexts.
            cuDevicePrimaryCtxRetain(context: *mut Raw, device: c_int);
            cuDevicePrimaryCtxRelease_v2(device: c_int) [cuDevicePrimaryCtxRelease];
            cuDevicePrimaryCtxReset_v2(device: c_int) [cuDevicePrimaryCtxReset];
            cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);
            cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) [cuDevicePrimaryCtxSetFlags];
            cuCtxCreate_v2(context: *mut Raw, flags: c_uint, device: c_int) [cuCtxCreate];
            cuCtxCreate_v3(context: *mut Raw, affinity: Raw, count: c_int, flags: c_uint, device: c_int);
            cuCtxCreate_v4(context: *mut Raw, parameters: Raw, flags: c_uint, device: c_int);
            cuCtxAttach(context: *mut Raw, flags: c_uint);
            cuCtxDetach(context: Raw);
            cuCtxDestroy_v2(context: Raw) [cuCtxDestroy];
            cuCtxGetCurrent(context: *mut Raw);
            cuCtxSetCurrent(context: Raw);
            cuCtxPushCurrent_v2(context: Raw) [cuCtxPushCurrent];
            cuCtxPopCurrent_v2(context: *mut Raw) [cuCtxPopCurrent];
            cuCtxGetDevice(device: *mut c_int);
            cuCtxGetDevice_v2(device: *mut c_int, context: Raw) newer;
            cuCtxSynchronize();
            cuCtxSynchronize_v2(context: Raw) newer;
            cuCtxGetFlags(flags: *mut c_uint);
            cuCtxSetFlags(flags: c_uint);
            cuCtxGetId(context: Raw, id: *mut u64);
            cuCtxGetApiVersion(context: Raw, version: *mut c_uint);
            cuCtxGetLimit(value: *mut usize, limit: c_uint);
            cuCtxSetLimit(limit: c_uint, value: usize);
            cuCtxGetCacheConfig(config: *mut c_uint);
            cuCtxSetCacheConfig(config: c_uint);
            cuCtxGetSharedMemConfig(config: *mut c_uint);
            cuCtxSetSharedMemConfig(config: c_uint);
            cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
            cuCtxResetPersistingL2Cache();
            cuCtxEnablePeerAccess(peer: Raw, flags: c_uint);
            cuCtxDisablePeerAccess(peer: Raw);
            // Linking.
            cuLinkCreate_v2(count: c_uint, options: *mut c_uint, values: *mut Raw, link: *mut Raw) [cuLinkCreate];
            cuLinkAddData_v2(link: Raw, kind: c_uint, data: Raw, bytes: usize, name: *const c_char, count: c_uint, options: Raw, values: Raw) [cuLinkAddData];
            cuLinkAddFile_v2(link: Raw, kind: c_uint, path: *const c_char, count: c_uint, options: Raw, values: Raw) [cuLinkAddFile];
            cuLinkComplete(link: Raw, image: *mut Raw, bytes: *mut usize);
            cuLinkDestroy(link: Raw);
            // Modules, libraries, kernels.
            cuModuleLoad(module: *mut Raw, path: *const c_char);
            cuModuleLoadData(module: *mut Raw, image: *const c_void);
            cuModuleLoadDataEx(module: *mut Raw, image: *const c_void, count: c_uint, options: *mut c_uint, values: *mut Raw);
            cuModuleLoadFatBinary(module: *mut Raw, image: *const c_void);
            cuModuleUnload(module: Raw);
            cuModuleGetFunction(function: *mut Raw, module: Raw, name: *const c_char);
            cuModuleGetFunctionCount(count: *mut c_uint, module: Raw);
            cuModuleEnumerateFunctions(functions: *mut Raw, count: c_uint, module: Raw);
            cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Raw, name: *const c_char);
            cuModuleGetLoadingMode(mode: *mut c_uint);
            cuLibraryLoadData(library: *mut Raw, image: *const c_void, options: *mut c_uint, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint);
            cuLibraryLoadFromFile(library: *mut Raw, path: *const c_char, options: *mut c_uint, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint);
            cuLibraryUnload(library: Raw);
            cuLibraryGetModule(module: *mut Raw, library: Raw);
            cuLibraryGetKernel(kernel: *mut Raw, library: Raw, name: *const c_char);
            cuLibraryGetKernelCount(count: *mut c_uint, library: Raw);
            cuLibraryEnumerateKernels(kernels: *mut Raw, count: c_uint, library: Raw);
            cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char);
            cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char);
            cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Raw);
            cuFuncSetAttribute(function: Raw, attribute: c_uint, value: c_int);
            cuFuncSetBlockShape(function: Raw, x: c_int, y: c_int, z: c_int);
            cuFuncSetSharedSize(function: Raw, bytes: c_uint);
            cuParamSetSize(function: Raw, bytes: c_uint);
            cuParamSeti(function: Raw, offset: c_int, value: c_uint);
            cuParamSetf(function: Raw, offset: c_int, value: f32);
            cuParamSetv(function: Raw, offset: c_int, from: Raw, bytes: c_uint);
            cuLaunch(function: Raw);
            cuLaunchGrid(function: Raw, width: c_int, height: c_int);
            cuLaunchGridAsync(function: Raw, width: c_int, height: c_int, stream: Raw);
            cuFuncSetCacheConfig(function: Raw, config: c_uint);
            cuFuncSetSharedMemConfig(function: Raw, config: c_uint);
            cuFuncGetModule(module: *mut Raw, function: Raw);
            cuFuncGetName(name: *mut *const c_char, function: Raw);
            cuFuncGetParamInfo(function: Raw, index: usize, offset: *mut usize, bytes: *mut usize);
            cuFuncGetParamCount(function: Raw, count: *mut usize) newer;
            cuFuncIsLoaded(state: *mut c_uint, function: Raw);
            cuFuncLoad(function: Raw);
            cuKernelGetAttribute(value: *mut c_int, attribute: c_uint, kernel: Raw, device: c_int);
            cuKernelSetAttribute(attribute: c_uint, value: c_int, kernel: Raw, device: c_int);
            cuKernelSetCacheConfig(kernel: Raw, config: c_uint, device: c_int);
            cuKernelGetFunction(function: *mut Raw, kernel: Raw);
            cuKernelGetLibrary(library: *mut Raw, kernel: Raw);
            cuKernelGetName(name: *mut *const c_char, kernel: Raw);
            cuKernelGetParamInfo(kernel: Raw, index: usize, offset: *mut usize, bytes: *mut usize);
            cuKernelGetParamCount(kernel: Raw, count: *mut usize) newer;
            // Memory.
            cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
            cuMemAlloc_v2(pointer: *mut u64, bytes: usize);
            cuMemAllocPitch_v2(pointer: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint);
            cuMemAllocManaged(pointer: *mut u64, bytes: usize, flags: c_uint);
            cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Raw) [cuMemAllocAsync_ptsz: stream];
            cuMemAllocFromPoolAsync(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw) [cuMemAllocFromPoolAsync_ptsz: stream];
            cuMemFree_v2(address: u64);
            cuMemFreeAsync(address: u64, stream: Raw) [cuMemFreeAsync_ptsz: stream];
            cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64);
            cuMemAllocHost_v2(pointer: *mut Raw, bytes: usize);
            cuMemHostAlloc(pointer: *mut Raw, bytes: usize, flags: c_uint);
            cuMemFreeHost(pointer: Raw);
            cuMemHostRegister_v2(pointer: Raw, bytes: usize, flags: c_uint) [cuMemHostRegister];
            cuMemHostUnregister(pointer: Raw);
            cuMemHostGetDevicePointer_v2(device: *mut u64, host: Raw, flags: c_uint);
            cuMemHostGetFlags(flags: *mut c_uint, host: Raw);
            cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: Raw) [cuMemPrefetchAsync_ptsz: stream];
            cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Raw) [cuMemPrefetchAsync_v2_ptsz: stream];
            cuMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int);
            cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int, location: MemoryLocation);
            cuMemRangeGetAttribute(data: Raw, room: usize, attribute: c_int, address: u64, bytes: usize);
            cuMemRangeGetAttributes(data: *mut Raw, rooms: *mut usize, attributes: *mut c_int, count: usize, address: u64, bytes: usize);
            cuStreamAttachMemAsync(stream: Raw, address: u64, bytes: usize, flags: c_uint) [cuStreamAttachMemAsync_ptsz: stream];
            cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const AllocationProperties, option: c_uint);
            cuMemGetAllocationPropertiesFromHandle(properties: *mut AllocationProperties, handle: u64);
            cuMemAddressReserve(pointer: *mut u64, bytes: usize, alignment: usize, wish: u64, flags: u64);
            cuMemAddressFree(address: u64, bytes: usize);
            cuMemCreate(handle: *mut u64, bytes: usize, properties: *const AllocationProperties, flags: u64);
            cuMemRelease(handle: u64);
            cuMemRetainAllocationHandle(handle: *mut u64, address: Raw);
            cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64);
            cuMemUnmap(address: u64, bytes: usize);
            cuMemSetAccess(address: u64, bytes: usize, list: *const AccessDescription, count: usize);
            cuMemGetAccess(flags: *mut u64, location: *const AccessDescription, address: u64);
            cuMemExportToShareableHandle(shared: Raw, handle: u64, kind: c_uint, flags: u64);
            cuMemImportFromShareableHandle(handle: *mut u64, shared: Raw, kind: c_uint);
            cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64);
            cuIpcOpenMemHandle_v2(pointer: *mut u64, handle: IpcHandle, flags: c_uint) [cuIpcOpenMemHandle];
            cuIpcCloseMemHandle(address: u64);
            cuIpcGetEventHandle(handle: *mut IpcHandle, event: Raw);
            cuIpcOpenEventHandle(event: *mut Raw, handle: IpcHandle);
            cuPointerGetAttribute(data: Raw, attribute: c_uint, address: u64);
            cuPointerGetAttributes(count: c_uint, attributes: *mut c_uint, data: *mut Raw, address: u64);
            cuPointerSetAttribute(value: *const c_void, attribute: c_uint, address: u64);
            cuMemPoolCreate(pool: *mut Raw, properties: *const NewPool);
            cuMemPoolDestroy(pool: Raw);
            cuMemPoolTrimTo(pool: Raw, keep: usize);
            cuMemPoolGetAttribute(pool: Raw, attribute: c_uint, value: Raw);
            cuMemPoolSetAttribute(pool: Raw, attribute: c_uint, value: Raw);
            cuMemPoolSetAccess(pool: Raw, list: *const c_void, count: usize);
            cuMemPoolGetAccess(flags: *mut c_uint, pool: Raw, location: Raw);
            // Copies and fills.
            cuMemcpy(to: u64, from: u64, bytes: usize) [cuMemcpy_ptds];
            cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Raw) [cuMemcpyAsync_ptsz: stream];
            cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) [cuMemcpyHtoD_v2_ptds];
            cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Raw) [cuMemcpyHtoDAsync_v2_ptsz: stream];
            cuMemcpyDtoH_v2(to: Raw, from: u64, bytes: usize) [cuMemcpyDtoH_v2_ptds];
            cuMemcpyDtoHAsync_v2(to: Raw, from: u64, bytes: usize, stream: Raw) [cuMemcpyDtoHAsync_v2_ptsz: stream];
            cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) [cuMemcpyDtoD_v2_ptds];
            cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Raw) [cuMemcpyDtoDAsync_v2_ptsz: stream];
            cuMemcpyPeer(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize) [cuMemcpyPeer_ptds];
            cuMemcpyPeerAsync(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize, stream: Raw) [cuMemcpyPeerAsync_ptsz: stream];
            cuMemcpy2D_v2(copy: *const Copy2d) [cuMemcpy2D_v2_ptds];
            cuMemcpy2DUnaligned_v2(copy: *const Copy2d) [cuMemcpy2DUnaligned_v2_ptds];
            cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Raw) [cuMemcpy2DAsync_v2_ptsz: stream];
            cuMemcpy3D_v2(copy: *const Copy3d) [cuMemcpy3D_v2_ptds];
            cuMemcpy3DAsync_v2(copy: *const Copy3d, stream: Raw) [cuMemcpy3DAsync_v2_ptsz: stream];
            cuMemcpy3DPeer(copy: *const Copy3d) [cuMemcpy3DPeer_ptds];
            cuMemcpy3DPeerAsync(copy: *const Copy3d, stream: Raw) [cuMemcpy3DPeerAsync_ptsz: stream];
            cuMemsetD8_v2(at: u64, value: u8, count: usize) [cuMemsetD8_v2_ptds];
            cuMemsetD16_v2(at: u64, value: u16, count: usize) [cuMemsetD16_v2_ptds];
            cuMemsetD32_v2(at: u64, value: c_uint, count: usize) [cuMemsetD32_v2_ptds];
            cuMemsetD8Async(at: u64, value: u8, count: usize, stream: Raw) [cuMemsetD8Async_ptsz: stream];
            cuMemsetD16Async(at: u64, value: u16, count: usize, stream: Raw) [cuMemsetD16Async_ptsz: stream];
            cuMemsetD32Async(at: u64, value: c_uint, count: usize, stream: Raw) [cuMemsetD32Async_ptsz: stream];
            cuMemsetD2D8_v2(at: u64, pitch: usize, value: u8, width: usize, height: usize) [cuMemsetD2D8_v2_ptds];
            cuMemsetD2D16_v2(at: u64, pitch: usize, value: u16, width: usize, height: usize) [cuMemsetD2D16_v2_ptds];
            cuMemsetD2D32_v2(at: u64, pitch: usize, value: c_uint, width: usize, height: usize) [cuMemsetD2D32_v2_ptds];
            cuMemsetD2D8Async(at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Raw) [cuMemsetD2D8Async_ptsz: stream];
            cuMemsetD2D16Async(at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Raw) [cuMemsetD2D16Async_ptsz: stream];
            cuMemsetD2D32Async(at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Raw) [cuMemsetD2D32Async_ptsz: stream];
            // Arrays, textures and surfaces.
            cuArrayCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor2d);
            cuArray3DCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor);
            cuArrayDestroy(array: Raw);
            cuMipmappedArrayCreate(array: *mut Raw, descriptor: *const ArrayDescriptor, levels: c_uint);
            cuMipmappedArrayGetLevel(array: *mut Raw, mipmapped: Raw, level: c_uint);
            cuMipmappedArrayDestroy(array: Raw);
            cuMemcpyAtoH_v2(to: Raw, from: Raw, offset: usize, bytes: usize) [cuMemcpyAtoH_v2_ptds];
            cuMemcpyAtoHAsync_v2(to: Raw, from: Raw, offset: usize, bytes: usize, stream: Raw) [cuMemcpyAtoHAsync_v2_ptsz: stream];
            cuMemcpyHtoA_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize) [cuMemcpyHtoA_v2_ptds];
            cuMemcpyHtoAAsync_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize, stream: Raw) [cuMemcpyHtoAAsync_v2_ptsz: stream];
            cuMemcpyAtoD_v2(to: u64, from: Raw, offset: usize, bytes: usize) [cuMemcpyAtoD_v2_ptds];
            cuMemcpyDtoA_v2(to: Raw, offset: usize, from: u64, bytes: usize) [cuMemcpyDtoA_v2_ptds];
            cuMemcpyAtoA_v2(to: Raw, to_offset: usize, from: Raw, from_offset: usize, bytes: usize) [cuMemcpyAtoA_v2_ptds];
            cuArrayGetDescriptor_v2(descriptor: *mut ArrayDescriptor2d, array: Raw);
            cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: Raw);
            cuTexObjectCreate(object: *mut u64, resource: *const ResourceDescriptor, descriptor: *const TextureDescriptor, view: *const ViewDescriptor);
            cuTexObjectDestroy(object: u64);
            cuTexObjectGetResourceDesc(descriptor: *mut ResourceDescriptor, object: u64);
            cuTexObjectGetResourceViewDesc(descriptor: *mut ViewDescriptor, object: u64);
            cuTexObjectGetTextureDesc(descriptor: *mut TextureDescriptor, object: u64);
            cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor);
            cuSurfObjectDestroy(object: u64);
            cuSurfObjectGetResourceDesc(descriptor: *mut ResourceDescriptor, object: u64);
            // Streams.
            cuStreamCreate(stream: *mut Raw, flags: c_uint);
            cuStreamCreateWithPriority(stream: *mut Raw, flags: c_uint, priority: c_int);
            cuStreamDestroy_v2(stream: Raw) [cuStreamDestroy];
            cuStreamSynchronize(stream: Raw) [cuStreamSynchronize_ptsz: stream];
            cuStreamQuery(stream: Raw) [cuStreamQuery_ptsz: stream];
            cuStreamWaitEvent(stream: Raw, event: Raw, flags: c_uint) [cuStreamWaitEvent_ptsz: stream];
            cuStreamAddCallback(stream: Raw, callback: StreamCallback, data: Raw, flags: c_uint) [cuStreamAddCallback_ptsz: stream];
            cuLaunchHostFunc_v2(stream: Raw, function: HostFunction, data: Raw, waiting: c_uint) newer;
            cuLaunchHostFunc(stream: Raw, function: HostFunction, data: Raw) [cuLaunchHostFunc_ptsz: stream];
            cuStreamGetFlags(stream: Raw, flags: *mut c_uint) [cuStreamGetFlags_ptsz: stream];
            cuStreamGetPriority(stream: Raw, priority: *mut c_int) [cuStreamGetPriority_ptsz: stream];
            cuStreamGetId(stream: Raw, id: *mut u64) [cuStreamGetId_ptsz: stream];
            cuStreamGetCtx(stream: Raw, context: *mut Raw) [cuStreamGetCtx_ptsz: stream];
            cuStreamGetCtx_v2(stream: Raw, context: *mut Raw, green: *mut Raw) [cuStreamGetCtx_v2_ptsz: stream];
            cuStreamGetDevice(stream: Raw, device: *mut c_int) [cuStreamGetDevice_ptsz: stream];
            cuStreamCopyAttributes(to: Raw, from: Raw);
            cuStreamGetAttribute(stream: Raw, attribute: c_uint, value: Raw);
            cuStreamSetAttribute(stream: Raw, attribute: c_uint, value: *const c_void);
            cuStreamWriteValue32_v2(stream: Raw, at: u64, value: c_uint, flags: c_uint) [cuStreamWriteValue32_v2_ptsz: stream];
            cuStreamWriteValue64_v2(stream: Raw, at: u64, value: u64, flags: c_uint) [cuStreamWriteValue64_v2_ptsz: stream];
            cuStreamWaitValue32_v2(stream: Raw, at: u64, value: c_uint, flags: c_uint) [cuStreamWaitValue32_v2_ptsz: stream];
            cuStreamWaitValue64_v2(stream: Raw, at: u64, value: u64, flags: c_uint) [cuStreamWaitValue64_v2_ptsz: stream];
            // Events.
            cuEventCreate(event: *mut Raw, flags: c_uint);
            cuEventDestroy_v2(event: Raw) [cuEventDestroy];
            cuEventRecord(event: Raw, stream: Raw) [cuEventRecord_ptsz: stream];
            cuEventRecordWithFlags(event: Raw, stream: Raw, flags: c_uint) [cuEventRecordWithFlags_ptsz: stream];
            cuEventQuery(event: Raw);
            cuEventSynchronize(event: Raw);
            cuEventElapsedTime(milliseconds: *mut f32, start: Raw, end: Raw);
            cuEventElapsedTime_v2(milliseconds: *mut f32, start: Raw, end: Raw);
            // Launches and occupancy.
            cuLaunchKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw, extra: *mut Raw) [cuLaunchKernel_ptsz: stream];
            cuLaunchKernelEx(config: *const LaunchConfig, function: Raw, parameters: *mut Raw, extra: *mut Raw);
            cuTensorMapEncodeTiled(map: *mut [u8; 128], element: c_uint, rank: c_uint, address: Raw, extents: *const u64, strides: *const u64, box_extents: *const c_uint, element_strides: *const c_uint, interleave: c_uint, swizzle: c_uint, promotion: c_uint, fill: c_uint);
            cuLaunchCooperativeKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw) [cuLaunchCooperativeKernel_ptsz: stream];
            cuOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, function: Raw, threads: c_int, dynamic: usize);
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, function: Raw, threads: c_int, dynamic: usize, flags: c_uint);
            cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, function: Raw, shared_of: SharedOfBlock, dynamic: usize, limit: c_int);
            cuOccupancyMaxPotentialBlockSizeWithFlags(grid: *mut c_int, block: *mut c_int, function: Raw, shared_of: SharedOfBlock, dynamic: usize, limit: c_int, flags: c_uint);
            cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Raw, count: c_int, threads: c_int);
            cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Raw, config: *const LaunchConfig);
            cuOccupancyMaxActiveClusters(count: *mut c_int, function: Raw, config: *const LaunchConfig);
            // Capture and graphs.
            cuStreamBeginCapture_v2(stream: Raw, mode: c_uint) [cuStreamBeginCapture_v2_ptsz: stream];
            cuStreamBeginCaptureToGraph(stream: Raw, graph: Raw, dependencies: *const Raw, data: *const c_void, count: usize, mode: c_uint) [cuStreamBeginCaptureToGraph_ptsz: stream];
            cuStreamEndCapture(stream: Raw, graph: *mut Raw) [cuStreamEndCapture_ptsz: stream];
            cuStreamIsCapturing(stream: Raw, status: *mut c_uint) [cuStreamIsCapturing_ptsz: stream];
            cuStreamGetCaptureInfo(stream: Raw, status: *mut c_uint, id: *mut u64) [cuStreamGetCaptureInfo_ptsz: stream] older;
            cuStreamGetCaptureInfo_v2(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, count: *mut usize) [cuStreamGetCaptureInfo_v2_ptsz: stream];
            cuStreamGetCaptureInfo_v3(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, edges: *mut *const u64, count: *mut usize) [cuStreamGetCaptureInfo_v3_ptsz: stream];
            cuStreamUpdateCaptureDependencies(stream: Raw, dependencies: *mut Raw, count: usize, flags: c_uint) [cuStreamUpdateCaptureDependencies_ptsz: stream];
            cuStreamUpdateCaptureDependencies_v2(stream: Raw, dependencies: *mut Raw, edges: *const u64, count: usize, flags: c_uint) [cuStreamUpdateCaptureDependencies_v2_ptsz: stream];
            cuThreadExchangeStreamCaptureMode(mode: *mut c_uint);
            cuGraphCreate(graph: *mut Raw, flags: c_uint);
            cuGraphDestroy(graph: Raw);
            cuGraphClone(copy: *mut Raw, graph: Raw);
            cuGraphNodeFindInClone(found: *mut Raw, original: Raw, clone: Raw);
            cuGraphAddEmptyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize);
            cuGraphAddKernelNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, kernel: *const KernelNode);
            cuGraphAddMemcpyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, copy: *const Copy3d, context: Raw);
            cuGraphAddMemsetNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, fill: *const FillNode, context: Raw);
            cuGraphAddHostNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, host: *const HostNode);
            cuGraphAddChildGraphNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, child: Raw);
            cuGraphChildGraphNodeGetGraph(node: Raw, graph: *mut Raw);
            cuGraphDebugDotPrint(graph: Raw, path: *const c_char, flags: c_uint);
            cuGraphAddEventRecordNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw);
            cuGraphAddEventWaitNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw);
            cuGraphAddMemAllocNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut AllocationNode);
            cuGraphAddMemFreeNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, address: u64);
            cuGraphConditionalHandleCreate(handle: *mut u64, graph: Raw, context: Raw, first: c_uint, flags: c_uint);
            cuGraphAddNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: *mut NodeParameters);
            cuGraphAddNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, edges: *const c_void, count: usize, parameters: *mut NodeParameters);
            cuGraphMemAllocNodeGetParams(node: Raw, parameters: *mut AllocationNode);
            cuGraphMemFreeNodeGetParams(node: Raw, address: *mut u64);
            cuGraphRetainUserObject(graph: Raw, object: Raw, count: c_uint, flags: c_uint);
            cuGraphReleaseUserObject(graph: Raw, object: Raw, count: c_uint);
            cuUserObjectCreate(object: *mut Raw, pointer: Raw, destroy: HostFunction, count: c_uint, flags: c_uint);
            cuUserObjectRetain(object: Raw, count: c_uint);
            cuUserObjectRelease(object: Raw, count: c_uint);
            cuGraphAddDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize);
            cuGraphAddDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: *const c_void, count: usize);
            cuGraphRemoveDependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize);
            cuGraphRemoveDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: *const c_void, count: usize);
            cuGraphDestroyNode(node: Raw);
            cuGraphGetNodes(graph: Raw, nodes: *mut Raw, count: *mut usize);
            cuGraphGetRootNodes(graph: Raw, nodes: *mut Raw, count: *mut usize);
            cuGraphGetEdges(graph: Raw, from: *mut Raw, to: *mut Raw, count: *mut usize);
            cuGraphGetEdges_v2(graph: Raw, from: *mut Raw, to: *mut Raw, data: Raw, count: *mut usize);
            cuGraphNodeGetType(node: Raw, kind: *mut c_uint);
            cuGraphNodeGetDependencies(node: Raw, nodes: *mut Raw, count: *mut usize);
            cuGraphNodeGetDependencies_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize);
            cuGraphNodeGetDependentNodes(node: Raw, nodes: *mut Raw, count: *mut usize);
            cuGraphNodeGetDependentNodes_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize);
            cuGraphKernelNodeGetParams_v2(node: Raw, kernel: *mut KernelNode);
            cuGraphMemsetNodeGetParams(node: Raw, fill: *mut FillNode);
            cuGraphHostNodeGetParams(node: Raw, host: *mut HostNode);
            cuGraphEventRecordNodeGetEvent(node: Raw, event: *mut Raw);
            cuGraphEventWaitNodeGetEvent(node: Raw, event: *mut Raw);
            cuGraphEventRecordNodeSetEvent(node: Raw, event: Raw);
            cuGraphEventWaitNodeSetEvent(node: Raw, event: Raw);
            cuGraphExecEventRecordNodeSetEvent(executable: Raw, node: Raw, event: Raw);
            cuGraphExecEventWaitNodeSetEvent(executable: Raw, node: Raw, event: Raw);
            cuGraphMemcpyNodeGetParams(node: Raw, copy: *mut Copy3d);
            cuGraphNodeGetParams(node: Raw, parameters: *mut NodeParameters) newer;
            cuGraphNodeSetParams(node: Raw, parameters: *mut NodeParameters);
            cuGraphNodeSetParams_v2(node: Raw, parameters: *mut NodeParameters) newer;
            cuGraphExecNodeSetParams(executable: Raw, node: Raw, parameters: *mut NodeParameters);
            cuGraphNodeSetEnabled(executable: Raw, node: Raw, enabled: c_uint);
            cuGraphNodeGetEnabled(executable: Raw, node: Raw, enabled: *mut c_uint);
            cuGraphExecGetFlags(executable: Raw, flags: *mut u64);
            cuGraphGetId(graph: Raw, id: *mut c_uint) newer;
            cuGraphExecGetId(executable: Raw, id: *mut c_uint) newer;
            cuGraphNodeGetLocalId(node: Raw, id: *mut c_uint) newer;
            cuGraphNodeGetToolsId(node: Raw, id: *mut u64) newer;
            cuGraphNodeGetContainingGraph(node: Raw, graph: *mut Raw) newer;
            cuGraphKernelNodeSetParams_v2(node: Raw, kernel: *const KernelNode);
            cuGraphMemcpyNodeSetParams(node: Raw, copy: *const Copy3d);
            cuGraphMemsetNodeSetParams(node: Raw, fill: *const FillNode);
            cuGraphHostNodeSetParams(node: Raw, host: *const HostNode);
            cuGraphExecKernelNodeSetParams_v2(executable: Raw, node: Raw, kernel: *const KernelNode);
            cuGraphExecMemcpyNodeSetParams(executable: Raw, node: Raw, copy: *const Copy3d, context: Raw);
            cuGraphExecMemsetNodeSetParams(executable: Raw, node: Raw, fill: *const FillNode, context: Raw);
            cuGraphExecHostNodeSetParams(executable: Raw, node: Raw, host: *const HostNode);
            cuGraphInstantiate_v2(executable: *mut Raw, graph: Raw, error_node: *mut Raw, log: *mut c_char, room: usize) [cuGraphInstantiate] older;
            cuGraphInstantiateWithFlags(executable: *mut Raw, graph: Raw, flags: u64);
            cuGraphInstantiateWithParams(executable: *mut Raw, graph: Raw, parameters: *mut InstantiateParameters) [cuGraphInstantiateWithParams_ptsz];
            cuGraphExecUpdate_v2(executable: Raw, graph: Raw, result: *mut UpdateResult);
            cuGraphExecDestroy(executable: Raw);
            cuGraphUpload(executable: Raw, stream: Raw) [cuGraphUpload_ptsz: stream];
            cuGraphLaunch(executable: Raw, stream: Raw) [cuGraphLaunch_ptsz: stream];
            // Graphics. Names that register a resource are in headers of OpenGL, EGL and VDPAU.
            cuGraphicsMapResources(count: c_uint, resources: *mut Raw, stream: Raw) [cuGraphicsMapResources_ptsz];
            cuGraphicsUnmapResources(count: c_uint, resources: *mut Raw, stream: Raw) [cuGraphicsUnmapResources_ptsz];
            cuGraphicsUnregisterResource(resource: Raw);
            cuGraphicsResourceGetMappedPointer_v2(pointer: *mut u64, bytes: *mut usize, resource: Raw);
            cuGraphicsResourceGetMappedMipmappedArray(array: *mut Raw, resource: Raw);
            cuGraphicsResourceSetMapFlags_v2(resource: Raw, flags: c_uint);
            cuGraphicsSubResourceGetMappedArray(array: *mut Raw, resource: Raw, index: c_uint, level: c_uint);
            $($more)*
        }
    };
}

#[cfg(test)]
mod tests {
    extern crate std;
    use crate::types::*;
    use core::any::type_name;
    use cudarc::driver::sys;
    use std::vec::Vec;

    /// Bytes of an argument, and how it points: `*const`, `*mut` or not at all.
    type Shape = (usize, &'static str);

    fn shape<T>() -> Shape {
        let name = type_name::<T>();
        (size_of::<T>(), if name.starts_with('*') { name.split(' ').next().expect("a word") } else { "" })
    }

    /// A function of cudarc's, of as many arguments as the row has.
    trait Declared {
        fn shapes(self) -> Vec<Shape>;
    }

    macro_rules! arities {
        ($first:ident $($rest:ident)*) => {
            arities! { = $first $($rest)* }
            arities! { $($rest)* }
        };
        () => { arities! { = } };
        (= $($type:ident)*) => {
            impl<R, $($type),*> Declared for unsafe fn($($type),*) -> R {
                fn shapes(self) -> Vec<Shape> {
                    Vec::from_iter([$(shape::<$type>()),*] as [Shape; _])
                }
            }
        };
    }
    arities! { A B C D E F G H I J K L }

    macro_rules! compare {
        ($found:ident $name:ident ($($argument:ident: $type:ty),*)) => {
            let theirs = sys::$name as unsafe fn($(compare!(any $argument)),*) -> sys::CUresult;
            let ours: &[Shape] = &[$(shape::<$type>()),*];
            $found.push((stringify!($name), Vec::from(ours), theirs.shapes()));
        };
        ($found:ident $name:ident $arguments:tt $age:ident) => {};
        (any $argument:ident) => { _ };
    }
    macro_rules! compare_all {
        ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
            fn compared() -> Vec<(&'static str, Vec<Shape>, Vec<Shape>)> {
                let mut found = Vec::new();
                $(compare! { found $name $arguments $($age)? })*
                found
            }
        };
    }
    crate::functions!(compare_all);

    #[test]
    fn arguments_are_those_that_cudarc_declares() {
        let compared = compared();
        assert!(compared.len() > 340, "only {} functions were compared", compared.len());
        let other: Vec<_> = compared.iter().filter(|(_, ours, theirs)| ours != theirs).collect();
        assert!(other.is_empty(), "{other:#?}");
    }
}
