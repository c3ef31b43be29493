//! Functions of `libcuda.so.1`, found by name when the first call needs the driver.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::layout::{
    ArrayDescriptor, Copy2d, Copy3d, Dim3, IpcHandle, KernelNode, LaunchConfig, ResourceDescriptor, TextureDescriptor,
    ViewDescriptor,
};
use crate::status::{Failure, INSUFFICIENT_DRIVER, NOT_SUPPORTED, Outcome};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// An address or a handle, which only the driver knows to read.
pub type Raw = *mut c_void;
/// A function of the host that work on a stream calls.
pub type HostFunction = Option<unsafe extern "C" fn(Raw)>;
/// What `cuStreamAddCallback` calls: stream, result, the caller's data.
pub type Callback = Option<unsafe extern "C" fn(Raw, c_uint, Raw)>;

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The driver's functions; 0 where it lacks one.
        pub struct Driver { $($name: usize),* }

        impl Driver {
            fn find(address: &dyn Fn(&CStr) -> usize) -> Driver {
                Driver { $($name: address(named(concat!(stringify!($name), "\0")))),* }
            }
            $(
                pub unsafe fn $name(&self, $($argument: $type),*) -> Outcome {
                    if self.$name == 0 {
                        return Err(NOT_SUPPORTED);
                    }
                    // SAFETY: the driver's function of this name has these arguments.
                    let function: unsafe extern "C" fn($($type),*) -> u32 = unsafe { std::mem::transmute(self.$name) };
                    // SAFETY: the caller's promise.
                    match unsafe { function($($argument),*) } {
                        0 => Ok(()),
                        code => Err(Failure(code)),
                    }
                }
            )*
        }
    };
}

const fn named(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every name with NUL"),
    }
}

static DRIVER: OnceLock<Result<Driver, Failure>> = OnceLock::new();

/// The driver, if a call needed it already.
pub fn loaded() -> Option<&'static Driver> {
    DRIVER.get().and_then(|driver| driver.as_ref().ok())
}

/// The driver, started.
pub fn driver() -> Result<&'static Driver, Failure> {
    DRIVER.get_or_init(load).as_ref().map_err(|failure| *failure)
}

fn load() -> Result<Driver, Failure> {
    // SAFETY: loading a library runs its initialisers, which the user asked for by running a CUDA program.
    let library = [c"libcuda.so.1", c"libcuda.so"].iter().find_map(|name| unsafe {
        let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
        (!library.is_null()).then_some(library)
    });
    let Some(library) = library else {
        eprintln!("[cudart] there is no CUDA driver (libcuda.so.1); `sim` runs a program on a simulated one");
        return Err(INSUFFICIENT_DRIVER);
    };
    // SAFETY: an open library, which is never closed, and a name that ends in NUL.
    let driver = Driver::find(&|name| unsafe { libc::dlsym(library, name.as_ptr()) } as usize);
    // SAFETY: it has no conditions.
    unsafe { driver.cuInit(0)? };
    Ok(driver)
}

functions! {
    labs_sim_refuse(name: *const c_char);
    cuInit(flags: c_uint);
    cuArray3DCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor);
    cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: Raw);
    cuArrayDestroy(array: Raw);
    cuMipmappedArrayCreate(array: *mut Raw, descriptor: *const ArrayDescriptor, levels: c_uint);
    cuMipmappedArrayGetLevel(array: *mut Raw, mipmapped: Raw, level: c_uint);
    cuMipmappedArrayDestroy(array: Raw);
    cuTexObjectCreate(object: *mut u64, resource: *const ResourceDescriptor, texture: *const TextureDescriptor, view: *const ViewDescriptor);
    cuTexObjectGetResourceDesc(resource: *mut ResourceDescriptor, object: u64);
    cuTexObjectGetTextureDesc(texture: *mut TextureDescriptor, object: u64);
    cuTexObjectGetResourceViewDesc(view: *mut ViewDescriptor, object: u64);
    cuTexObjectDestroy(object: u64);
    cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor);
    cuSurfObjectDestroy(object: u64);
    cuSurfObjectGetResourceDesc(resource: *mut ResourceDescriptor, object: u64);
    cuGraphAddNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: Raw);
    cuGraphConditionalHandleCreate(handle: *mut u64, graph: Raw, context: Raw, first: c_uint, flags: c_uint);
    cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64);
    cuIpcOpenMemHandle_v2(address: *mut u64, handle: IpcHandle, flags: c_uint);
    cuIpcCloseMemHandle(address: u64);
    cuIpcGetEventHandle(handle: *mut IpcHandle, event: Raw);
    cuIpcOpenEventHandle(event: *mut Raw, handle: IpcHandle);
    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorString(error: c_uint, words: *mut *const c_char);
    cuGetProcAddress_v2(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64, status: *mut c_uint);
    cuProfilerStart();
    cuProfilerStop();
    // Devices and contexts.
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int);
    cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int);
    cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
    cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int);
    cuDeviceGetPCIBusId(buffer: *mut c_char, room: c_int, device: c_int);
    cuDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char);
    cuDeviceGetGraphMemAttribute(device: c_int, number: c_uint, value: Raw);
    cuDeviceSetGraphMemAttribute(device: c_int, number: c_uint, value: Raw);
    cuDeviceGraphMemTrim(device: c_int);
    cuDeviceGetDefaultMemPool(pool: *mut Raw, device: c_int);
    cuDeviceGetMemPool(pool: *mut Raw, device: c_int);
    cuDeviceSetMemPool(device: c_int, pool: Raw);
    cuDevicePrimaryCtxRetain(context: *mut Raw, device: c_int);
    cuDevicePrimaryCtxReset_v2(device: c_int);
    cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);
    cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint);
    cuCtxGetCurrent(context: *mut Raw);
    cuCtxGetId(context: Raw, id: *mut u64);
    cuCtxSetCurrent(context: Raw);
    cuCtxGetDevice(device: *mut c_int);
    cuCtxSynchronize();
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
    // Modules.
    cuLinkCreate_v2(count: c_uint, options: *const c_uint, values: *mut Raw, link: *mut Raw);
    cuLinkAddData_v2(link: Raw, kind: c_uint, data: Raw, bytes: usize, name: *const c_char, count: c_uint, options: Raw, values: Raw);
    cuLinkComplete(link: Raw, image: *mut Raw, bytes: *mut usize);
    cuLinkDestroy(link: Raw);
    cuModuleLoadData(module: *mut Raw, image: *const c_void);
    cuModuleGetFunction(function: *mut Raw, module: Raw, name: *const c_char);
    cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Raw, name: *const c_char);
    cuLibraryLoadData(library: *mut Raw, image: *const c_void, options: Raw, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint);
    cuLibraryLoadFromFile(library: *mut Raw, path: *const c_char, options: Raw, values: *mut Raw, count: c_uint, library_options: Raw, library_values: Raw, library_count: c_uint);
    cuLibraryUnload(library: Raw);
    cuLibraryGetKernel(kernel: *mut Raw, library: Raw, name: *const c_char);
    cuLibraryGetKernelCount(count: *mut c_uint, library: Raw);
    cuLibraryEnumerateKernels(kernels: *mut Raw, count: c_uint, library: Raw);
    cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char);
    cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: Raw, name: *const c_char);
    cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Raw);
    cuFuncSetAttribute(function: Raw, attribute: c_uint, value: c_int);
    cuFuncSetCacheConfig(function: Raw, config: c_uint);
    cuFuncSetSharedMemConfig(function: Raw, config: c_uint);
    cuFuncGetName(name: *mut *const c_char, function: Raw);
    cuFuncGetParamInfo(function: Raw, index: usize, offset: *mut usize, bytes: *mut usize);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, function: Raw, threads: c_int, dynamic: usize, flags: c_uint);
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Raw, blocks: c_int, threads: c_int);
    cuOccupancyMaxPotentialClusterSize(blocks: *mut c_int, function: Raw, config: *const LaunchConfig);
    cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: Raw, config: *const LaunchConfig);
    // Memory.
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(pointer: *mut u64, bytes: usize);
    cuMemAllocPitch_v2(pointer: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint);
    cuMemAllocManaged(pointer: *mut u64, bytes: usize, flags: c_uint);
    cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Raw);
    cuMemAllocFromPoolAsync(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw);
    cuMemFree_v2(address: u64);
    cuMemFreeAsync(address: u64, stream: Raw);
    cuMemHostAlloc(pointer: *mut Raw, bytes: usize, flags: c_uint);
    cuMemFreeHost(pointer: Raw);
    cuMemHostRegister_v2(pointer: Raw, bytes: usize, flags: c_uint);
    cuMemHostUnregister(pointer: Raw);
    cuMemHostGetDevicePointer_v2(device: *mut u64, host: Raw, flags: c_uint);
    cuMemHostGetFlags(flags: *mut c_uint, host: Raw);
    cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: Raw);
    cuMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int);
    cuMemRangeGetAttribute(data: Raw, bytes: usize, attribute: c_int, address: u64, length: usize);
    cuMemRangeGetAttributes(data: *mut Raw, sizes: *mut usize, attributes: *mut c_int, count: usize, address: u64, length: usize);
    cuStreamAttachMemAsync(stream: Raw, address: u64, bytes: usize, flags: c_uint);
    cuPointerGetAttribute(data: Raw, attribute: c_uint, address: u64);
    cuMemPoolCreate(pool: *mut Raw, properties: Raw);
    cuMemPoolDestroy(pool: Raw);
    cuMemPoolTrimTo(pool: Raw, keep: usize);
    cuMemPoolGetAttribute(pool: Raw, attribute: c_uint, value: Raw);
    cuMemPoolSetAttribute(pool: Raw, attribute: c_uint, value: Raw);
    cuMemPoolSetAccess(pool: Raw, list: Raw, count: usize);
    cuMemPoolGetAccess(flags: *mut c_uint, pool: Raw, location: Raw);
    // Copies and fills.
    cuMemcpy(to: u64, from: u64, bytes: usize);
    cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Raw);
    cuMemcpyHtoD_v2(to: u64, from: Raw, bytes: usize);
    cuMemcpyHtoDAsync_v2(to: u64, from: Raw, bytes: usize, stream: Raw);
    cuMemcpyDtoH_v2(to: Raw, from: u64, bytes: usize);
    cuMemcpyDtoHAsync_v2(to: Raw, from: u64, bytes: usize, stream: Raw);
    cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize);
    cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Raw);
    cuMemcpy2DUnaligned_v2(copy: *const Copy2d);
    cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Raw);
    cuMemcpy3D_v2(copy: *const Copy3d);
    cuMemcpy3DAsync_v2(copy: *const Copy3d, stream: Raw);
    cuMemsetD8_v2(at: u64, value: u8, count: usize);
    cuMemsetD8Async(at: u64, value: u8, count: usize, stream: Raw);
    cuMemsetD2D8_v2(at: u64, pitch: usize, value: u8, width: usize, height: usize);
    cuMemsetD2D8Async(at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Raw);
    // Streams and events.
    cuStreamCreateWithPriority(stream: *mut Raw, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: Raw);
    cuStreamSynchronize(stream: Raw);
    cuStreamQuery(stream: Raw);
    cuStreamWaitEvent(stream: Raw, event: Raw, flags: c_uint);
    cuStreamAddCallback(stream: Raw, callback: Callback, data: Raw, flags: c_uint);
    cuLaunchHostFunc(stream: Raw, function: HostFunction, data: Raw);
    cuStreamGetFlags(stream: Raw, flags: *mut c_uint);
    cuStreamGetPriority(stream: Raw, priority: *mut c_int);
    cuStreamGetId(stream: Raw, id: *mut u64);
    cuStreamGetDevice(stream: Raw, device: *mut c_int);
    cuStreamCopyAttributes(to: Raw, from: Raw);
    cuStreamGetAttribute(stream: Raw, attribute: c_uint, value: Raw);
    cuStreamSetAttribute(stream: Raw, attribute: c_uint, value: Raw);
    cuStreamBeginCapture_v2(stream: Raw, mode: c_uint);
    cuStreamBeginCaptureToGraph(stream: Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, mode: c_uint);
    cuStreamEndCapture(stream: Raw, graph: *mut Raw);
    cuStreamIsCapturing(stream: Raw, status: *mut c_uint);
    cuStreamGetCaptureInfo_v2(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, count: *mut usize);
    cuStreamGetCaptureInfo_v3(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const Raw, data: *mut Raw, count: *mut usize);
    cuStreamUpdateCaptureDependencies_v2(stream: Raw, dependencies: *mut Raw, data: Raw, count: usize, flags: c_uint);
    cuThreadExchangeStreamCaptureMode(mode: *mut c_uint);
    cuEventCreate(event: *mut Raw, flags: c_uint);
    cuEventDestroy_v2(event: Raw);
    cuEventRecordWithFlags(event: Raw, stream: Raw, flags: c_uint);
    cuEventQuery(event: Raw);
    cuEventSynchronize(event: Raw);
    cuEventElapsedTime(milliseconds: *mut f32, start: Raw, end: Raw);
    // Launches.
    cuLaunchKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw, extra: *mut Raw);
    cuLaunchKernelEx(config: *const LaunchConfig, function: Raw, parameters: *mut Raw, extra: *mut Raw);
    cuLaunchCooperativeKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw);
    // Graphs.
    cuGraphCreate(graph: *mut Raw, flags: c_uint);
    cuGraphDestroy(graph: Raw);
    cuGraphClone(copy: *mut Raw, graph: Raw);
    cuGraphNodeFindInClone(found: *mut Raw, original: Raw, clone: Raw);
    cuGraphAddEmptyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize);
    cuGraphAddKernelNode_v2(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, kernel: *const KernelNode);
    cuGraphAddMemcpyNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, copy: *const Copy3d, context: Raw);
    cuGraphAddMemsetNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, fill: Raw, context: Raw);
    cuGraphAddHostNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, host: Raw);
    cuGraphAddChildGraphNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, child: Raw);
    cuGraphAddEventRecordNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw);
    cuGraphAddEventWaitNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, event: Raw);
    cuGraphAddMemAllocNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, parameters: Raw);
    cuGraphAddMemFreeNode(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, address: u64);
    cuGraphAddDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize);
    cuGraphRemoveDependencies_v2(graph: Raw, from: *const Raw, to: *const Raw, data: Raw, count: usize);
    cuGraphDestroyNode(node: Raw);
    cuGraphGetNodes(graph: Raw, nodes: *mut Raw, count: *mut usize);
    cuGraphGetRootNodes(graph: Raw, nodes: *mut Raw, count: *mut usize);
    cuGraphGetEdges_v2(graph: Raw, from: *mut Raw, to: *mut Raw, data: Raw, count: *mut usize);
    cuGraphNodeGetType(node: Raw, kind: *mut c_uint);
    cuGraphNodeGetDependencies_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize);
    cuGraphNodeGetDependentNodes_v2(node: Raw, nodes: *mut Raw, data: Raw, count: *mut usize);
    cuGraphMemsetNodeGetParams(node: Raw, fill: Raw);
    cuGraphHostNodeGetParams(node: Raw, host: Raw);
    cuGraphMemAllocNodeGetParams(node: Raw, parameters: Raw);
    cuGraphMemFreeNodeGetParams(node: Raw, address: *mut Raw);
    cuGraphEventRecordNodeGetEvent(node: Raw, event: *mut Raw);
    cuGraphEventRecordNodeSetEvent(node: Raw, event: Raw);
    cuGraphEventWaitNodeGetEvent(node: Raw, event: *mut Raw);
    cuGraphEventWaitNodeSetEvent(node: Raw, event: Raw);
    cuGraphExecEventRecordNodeSetEvent(executable: Raw, node: Raw, event: Raw);
    cuGraphExecEventWaitNodeSetEvent(executable: Raw, node: Raw, event: Raw);
    cuGraphChildGraphNodeGetGraph(node: Raw, graph: *mut Raw);
    cuGraphNodeSetEnabled(executable: Raw, node: Raw, enabled: c_uint);
    cuGraphNodeGetEnabled(executable: Raw, node: Raw, enabled: *mut c_uint);
    cuGraphExecGetFlags(executable: Raw, flags: *mut u64);
    cuGraphDebugDotPrint(graph: Raw, path: *const c_char, flags: c_uint);
    cuGraphKernelNodeSetParams_v2(node: Raw, kernel: *const KernelNode);
    cuGraphMemsetNodeSetParams(node: Raw, fill: Raw);
    cuGraphHostNodeSetParams(node: Raw, host: Raw);
    cuGraphExecKernelNodeSetParams_v2(executable: Raw, node: Raw, kernel: *const KernelNode);
    cuGraphExecMemcpyNodeSetParams(executable: Raw, node: Raw, copy: *const Copy3d, context: Raw);
    cuGraphExecMemsetNodeSetParams(executable: Raw, node: Raw, fill: Raw, context: Raw);
    cuGraphExecHostNodeSetParams(executable: Raw, node: Raw, host: Raw);
    cuGraphInstantiateWithFlags(executable: *mut Raw, graph: Raw, flags: u64);
    cuGraphInstantiateWithParams(executable: *mut Raw, graph: Raw, parameters: Raw);
    cuGraphExecUpdate_v2(executable: Raw, graph: Raw, result: Raw);
    cuGraphExecDestroy(executable: Raw);
    cuGraphUpload(executable: Raw, stream: Raw);
    cuGraphLaunch(executable: Raw, stream: Raw);
    cuGraphRetainUserObject(graph: Raw, object: Raw, count: c_uint, flags: c_uint);
    cuGraphReleaseUserObject(graph: Raw, object: Raw, count: c_uint);
    cuUserObjectCreate(object: *mut Raw, pointer: Raw, destroy: HostFunction, count: c_uint, flags: c_uint);
    cuUserObjectRetain(object: Raw, count: c_uint);
    cuUserObjectRelease(object: Raw, count: c_uint);
}

impl Driver {
    /// Launches a function.
    ///
    /// # Safety
    /// The parameters are the kernel's.
    pub unsafe fn launch(
        &self,
        function: Raw,
        grid: Dim3,
        block: Dim3,
        shared: c_uint,
        stream: Raw,
        parameters: *mut Raw,
    ) -> Outcome {
        let (g, b) = (grid, block);
        // SAFETY: the caller's promise.
        unsafe {
            self.cuLaunchKernel(
                function,
                g.x,
                g.y,
                g.z,
                b.x,
                b.y,
                b.z,
                shared,
                stream,
                parameters,
                std::ptr::null_mut(),
            )
        }
    }
}
