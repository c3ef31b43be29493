//! Names by which programs ask for functions of the table that have another name there: those whose default stream is the thread's
//! (`CUDA_API_PER_THREAD_DEFAULT_STREAM`: `_ptsz` with a stream among the arguments, `_ptds` without one), and older names of
//! functions whose arguments are the same, or fewer. Programs that load the driver while they run look up all names that their table
//! has, and give up if one is missing: FFmpeg asks for `cuLinkCreate` and `cuDevicePrimaryCtxRelease`.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::abi::table;
use crate::interface::handles::Raw;
use crate::interface::layout::{Copy2d, Copy3d, InstantiateParameters, LaunchConfig};
use crate::interface::result::CUresult;
use crate::objects::opened::MemoryHandle;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// `CU_STREAM_PER_THREAD`
const PER_THREAD: Raw = 2 as Raw;

macro_rules! aliases {
    ($($alias:ident = $name:ident($($argument:ident: $type:ty),*) [$($stream:ident)?];)*) => {
        $(
            /// As NVIDIA's driver interface defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $alias($($argument: $type),*) -> CUresult {
                $(let $stream = if $stream.is_null() { PER_THREAD } else { $stream };)?
                // SAFETY: the caller keeps the promises that the interface asks of it.
                unsafe { table::$name($($argument),*) }
            }
        )*
        /// The function of such a name.
        pub fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($alias) => Some($alias as *const c_void),)*
                "cuLaunchKernelEx_ptsz" => Some(cuLaunchKernelEx_ptsz as *const c_void),
                _ => None,
            }
        }
    };
}

aliases! {
    // Names from before CUDA 4.
    cuCtxDestroy = cuCtxDestroy_v2(context: Raw) [];
    cuCtxPopCurrent = cuCtxPopCurrent_v2(context: *mut Raw) [];
    cuCtxPushCurrent = cuCtxPushCurrent_v2(context: Raw) [];
    cuEventDestroy = cuEventDestroy_v2(event: Raw) [];
    cuStreamDestroy = cuStreamDestroy_v2(stream: Raw) [];
    // Later ones; `_v2` came with stricter promises, and on machines of 64 bits with the same arguments.
    cuCtxCreate = cuCtxCreate_v2(context: *mut Raw, flags: c_uint, device: c_int) [];
    cuMemHostRegister = cuMemHostRegister_v2(pointer: Raw, bytes: usize, flags: c_uint) [];
    cuDevicePrimaryCtxRelease = cuDevicePrimaryCtxRelease_v2(device: c_int) [];
    cuDevicePrimaryCtxReset = cuDevicePrimaryCtxReset_v2(device: c_int) [];
    cuDevicePrimaryCtxSetFlags = cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) [];
    cuLinkCreate = cuLinkCreate_v2(count: c_uint, options: *const c_uint, values: *mut Raw, link: *mut Raw) [];
    cuLinkAddData = cuLinkAddData_v2(link: Raw, kind: c_uint, data: *const c_void, bytes: usize, name: *const c_char, count: c_uint, options: Raw, values: Raw) [];
    cuLinkAddFile = cuLinkAddFile_v2(link: Raw, kind: c_uint, path: *const c_char, count: c_uint, options: Raw, values: Raw) [];
    cuIpcOpenMemHandle = cuIpcOpenMemHandle_v2(pointer: *mut u64, handle: MemoryHandle, flags: c_uint) [];
    cuGraphInstantiate = cuGraphInstantiate_v2(executable: *mut Raw, graph: Raw, error_node: *mut Raw, log: *mut c_char, room: usize) [];
    // The thread's stream in place of the default one.
    cuGraphicsMapResources_ptsz = cuGraphicsMapResources() [];
    cuGraphicsUnmapResources_ptsz = cuGraphicsUnmapResources() [];
    cuMemAllocAsync_ptsz = cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Raw) [stream];
    cuMemAllocFromPoolAsync_ptsz = cuMemAllocFromPoolAsync(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw) [stream];
    cuMemFreeAsync_ptsz = cuMemFreeAsync(address: u64, stream: Raw) [stream];
    cuMemPrefetchAsync_ptsz = cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: Raw) [stream];
    cuMemPrefetchAsync_v2_ptsz = cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: u64, flags: c_uint, stream: Raw) [stream];
    cuStreamAttachMemAsync_ptsz = cuStreamAttachMemAsync(stream: Raw, address: u64, bytes: usize, flags: c_uint) [stream];
    cuMemcpyAsync_ptsz = cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Raw) [stream];
    cuMemcpyHtoDAsync_v2_ptsz = cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Raw) [stream];
    cuMemcpyDtoHAsync_v2_ptsz = cuMemcpyDtoHAsync_v2(to: Raw, from: u64, bytes: usize, stream: Raw) [stream];
    cuMemcpyDtoDAsync_v2_ptsz = cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Raw) [stream];
    cuMemcpyPeerAsync_ptsz = cuMemcpyPeerAsync(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize, stream: Raw) [stream];
    cuMemcpy2DAsync_v2_ptsz = cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Raw) [stream];
    cuMemcpy3DAsync_v2_ptsz = cuMemcpy3DAsync_v2(copy: *const Copy3d, stream: Raw) [stream];
    cuMemcpy3DPeerAsync_ptsz = cuMemcpy3DPeerAsync(copy: *const Copy3d, stream: Raw) [stream];
    cuMemsetD8Async_ptsz = cuMemsetD8Async(at: u64, value: u8, count: usize, stream: Raw) [stream];
    cuMemsetD16Async_ptsz = cuMemsetD16Async(at: u64, value: u16, count: usize, stream: Raw) [stream];
    cuMemsetD32Async_ptsz = cuMemsetD32Async(at: u64, value: c_uint, count: usize, stream: Raw) [stream];
    cuMemsetD2D8Async_ptsz = cuMemsetD2D8Async(at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Raw) [stream];
    cuMemsetD2D16Async_ptsz = cuMemsetD2D16Async(at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Raw) [stream];
    cuMemsetD2D32Async_ptsz = cuMemsetD2D32Async(at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Raw) [stream];
    cuMemcpyAtoHAsync_v2_ptsz = cuMemcpyAtoHAsync_v2(to: Raw, from: Raw, offset: usize, bytes: usize, stream: Raw) [stream];
    cuMemcpyHtoAAsync_v2_ptsz = cuMemcpyHtoAAsync_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize, stream: Raw) [stream];
    cuStreamAddCallback_ptsz = cuStreamAddCallback(stream: Raw, callback: Option<unsafe extern "C" fn(Raw, c_uint, Raw)>, data: Raw, flags: c_uint) [stream];
    cuLaunchHostFunc_ptsz = cuLaunchHostFunc(stream: Raw, function: Option<unsafe extern "C" fn(Raw)>, data: Raw) [stream];
    cuStreamSynchronize_ptsz = cuStreamSynchronize(stream: Raw) [stream];
    cuStreamQuery_ptsz = cuStreamQuery(stream: Raw) [stream];
    cuStreamWaitEvent_ptsz = cuStreamWaitEvent(stream: Raw, event: Raw, flags: c_uint) [stream];
    cuStreamGetFlags_ptsz = cuStreamGetFlags(stream: Raw, flags: *mut c_uint) [stream];
    cuStreamGetPriority_ptsz = cuStreamGetPriority(stream: Raw, priority: *mut c_int) [stream];
    cuStreamGetId_ptsz = cuStreamGetId(stream: Raw, id: *mut u64) [stream];
    cuStreamGetCtx_ptsz = cuStreamGetCtx(stream: Raw, context: *mut Raw) [stream];
    cuStreamGetCtx_v2_ptsz = cuStreamGetCtx_v2(stream: Raw, context: *mut Raw, green: *mut Raw) [stream];
    cuStreamGetDevice_ptsz = cuStreamGetDevice(stream: Raw, device: *mut c_int) [stream];
    cuStreamWriteValue32_v2_ptsz = cuStreamWriteValue32_v2(stream: Raw, at: u64, value: c_uint, flags: c_uint) [stream];
    cuStreamWriteValue64_v2_ptsz = cuStreamWriteValue64_v2(stream: Raw, at: u64, value: u64, flags: c_uint) [stream];
    cuEventRecord_ptsz = cuEventRecord(event: Raw, stream: Raw) [stream];
    cuEventRecordWithFlags_ptsz = cuEventRecordWithFlags(event: Raw, stream: Raw, flags: c_uint) [stream];
    cuLaunchKernel_ptsz = cuLaunchKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw, extra: *mut Raw) [stream];
    cuLaunchCooperativeKernel_ptsz = cuLaunchCooperativeKernel(function: Raw, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Raw, parameters: *mut Raw) [stream];
    cuStreamBeginCapture_v2_ptsz = cuStreamBeginCapture_v2(stream: Raw, mode: c_uint) [stream];
    cuStreamBeginCaptureToGraph_ptsz = cuStreamBeginCaptureToGraph(stream: Raw, graph: Raw, dependencies: *const Raw, data: Raw, count: usize, mode: c_uint) [stream];
    cuStreamEndCapture_ptsz = cuStreamEndCapture(stream: Raw, graph: *mut Raw) [stream];
    cuStreamIsCapturing_ptsz = cuStreamIsCapturing(stream: Raw, status: *mut c_uint) [stream];
    cuStreamGetCaptureInfo_ptsz = cuStreamGetCaptureInfo(stream: Raw, status: *mut c_uint, id: *mut u64) [stream];
    cuStreamGetCaptureInfo_v2_ptsz = cuStreamGetCaptureInfo_v2(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const usize, count: *mut usize) [stream];
    cuStreamGetCaptureInfo_v3_ptsz = cuStreamGetCaptureInfo_v3(stream: Raw, status: *mut c_uint, id: *mut u64, graph: *mut Raw, dependencies: *mut *const usize, edges: *mut *const u64, count: *mut usize) [stream];
    cuStreamUpdateCaptureDependencies_ptsz = cuStreamUpdateCaptureDependencies(stream: Raw, dependencies: *const Raw, count: usize, flags: c_uint) [stream];
    cuStreamUpdateCaptureDependencies_v2_ptsz = cuStreamUpdateCaptureDependencies_v2(stream: Raw, dependencies: *const Raw, edges: *const u64, count: usize, flags: c_uint) [stream];
    cuGraphUpload_ptsz = cuGraphUpload(executable: Raw, stream: Raw) [stream];
    cuGraphInstantiateWithParams_ptsz = cuGraphInstantiateWithParams(executable: *mut Raw, graph: Raw, parameters: *mut InstantiateParameters) [];
    cuGraphLaunch_ptsz = cuGraphLaunch(executable: Raw, stream: Raw) [stream];
    // Without a stream among the arguments: in the order of the legacy default stream, which waits for more than a thread's would.
    cuMemcpy_ptds = cuMemcpy(to: u64, from: u64, bytes: usize) [];
    cuMemcpyHtoD_v2_ptds = cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) [];
    cuMemcpyDtoH_v2_ptds = cuMemcpyDtoH_v2(to: Raw, from: u64, bytes: usize) [];
    cuMemcpyDtoD_v2_ptds = cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) [];
    cuMemcpyPeer_ptds = cuMemcpyPeer(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize) [];
    cuMemcpy2D_v2_ptds = cuMemcpy2D_v2(copy: *const Copy2d) [];
    cuMemcpy2DUnaligned_v2_ptds = cuMemcpy2DUnaligned_v2(copy: *const Copy2d) [];
    cuMemcpy3D_v2_ptds = cuMemcpy3D_v2(copy: *const Copy3d) [];
    cuMemcpy3DPeer_ptds = cuMemcpy3DPeer(copy: *const Copy3d) [];
    cuMemsetD8_v2_ptds = cuMemsetD8_v2(at: u64, value: u8, count: usize) [];
    cuMemsetD16_v2_ptds = cuMemsetD16_v2(at: u64, value: u16, count: usize) [];
    cuMemsetD32_v2_ptds = cuMemsetD32_v2(at: u64, value: c_uint, count: usize) [];
    cuMemsetD2D8_v2_ptds = cuMemsetD2D8_v2(at: u64, pitch: usize, value: u8, width: usize, height: usize) [];
    cuMemsetD2D16_v2_ptds = cuMemsetD2D16_v2(at: u64, pitch: usize, value: u16, width: usize, height: usize) [];
    cuMemsetD2D32_v2_ptds = cuMemsetD2D32_v2(at: u64, pitch: usize, value: c_uint, width: usize, height: usize) [];
    cuMemcpyAtoH_v2_ptds = cuMemcpyAtoH_v2(to: Raw, from: Raw, offset: usize, bytes: usize) [];
    cuMemcpyHtoA_v2_ptds = cuMemcpyHtoA_v2(to: Raw, offset: usize, from: *const c_void, bytes: usize) [];
    cuMemcpyAtoD_v2_ptds = cuMemcpyAtoD_v2(to: u64, from: Raw, offset: usize, bytes: usize) [];
    cuMemcpyDtoA_v2_ptds = cuMemcpyDtoA_v2(to: Raw, offset: usize, from: u64, bytes: usize) [];
    cuMemcpyAtoA_v2_ptds = cuMemcpyAtoA_v2(to: Raw, to_offset: usize, from: Raw, from_offset: usize, bytes: usize) [];
}

/// `cuStreamBeginCapture` of CUDA 10.0, which had one mode: global.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture(stream: Raw) -> CUresult {
    // SAFETY: the caller keeps the promises that the interface asks of it.
    unsafe { table::cuStreamBeginCapture_v2(stream, 0) }
}

/// `cuLaunchKernelEx` with the thread's stream in place of the default one, which stands in the configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx_ptsz(
    config: *const LaunchConfig,
    function: Raw,
    parameters: *mut Raw,
    extra: *mut Raw,
) -> CUresult {
    // SAFETY: null, or the caller's configuration; its copy lives as long as the call.
    unsafe {
        match config.as_ref() {
            Some(given) if given.stream.is_null() => {
                let own = LaunchConfig { stream: PER_THREAD, ..*given };
                table::cuLaunchKernelEx(&own, function, parameters, extra)
            }
            _ => table::cuLaunchKernelEx(config, function, parameters, extra),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::ptr::null_mut;

    /// The function that a program finds with these flags.
    fn found(name: &CStr, flags: u64) -> *const c_void {
        let (mut function, mut status) = (null_mut(), 9);
        // SAFETY: a text that ends in NUL, and places for the answers.
        let code = unsafe { table::cuGetProcAddress_v2(name.as_ptr(), &mut function, 13000, flags, &mut status) };
        assert_eq!((code, status), (CUresult::CUDA_SUCCESS, 0), "{name:?}");
        function
    }

    #[test]
    fn streams_of_threads_are_found_by_name_and_by_flag() {
        assert_eq!(found(c"cuStreamGetId", 2), cuStreamGetId_ptsz as *const c_void);
        assert_eq!(found(c"cuStreamGetId", 1), table::cuStreamGetId as *const c_void);
        assert_eq!(found(c"cuMemcpyHtoD", 2), cuMemcpyHtoD_v2_ptds as *const c_void);
        assert_eq!(found(c"cuMemAlloc", 2), table::cuMemAlloc_v2 as *const c_void);
        let success = CUresult::CUDA_SUCCESS;
        let (mut context, mut ids) = (null_mut(), [0u64; 3]);
        // SAFETY: live handles, places for results.
        unsafe {
            assert_eq!(table::cuInit(0), success);
            assert_eq!(table::cuCtxCreate_v2(&mut context, 0, 0), success);
            let [of_thread, of_null, legacy] = &mut ids;
            assert_eq!(table::cuStreamGetId(PER_THREAD, of_thread), success);
            assert_eq!(cuStreamGetId_ptsz(null_mut(), of_null), success);
            assert_eq!(table::cuStreamGetId(null_mut(), legacy), success);
            assert_eq!(cuCtxDestroy(context), success);
        }
        assert_eq!(ids[0], ids[1]);
        assert_ne!(ids[1], ids[2]);
    }
}
