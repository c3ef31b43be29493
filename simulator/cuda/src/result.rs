//! The numbers that functions of the driver and of the runtime return, their names and their words. A number means the same in both
//! interfaces, so that the runtime passes a result of the driver's on as it is.
use core::ffi::CStr;

macro_rules! results {
    (
        both { $($number:literal $name:ident $runtime_name:ident $words:literal;)* }
        driver { $($driver_number:literal $driver_name:ident $driver_words:literal;)* }
        runtime { $($of_runtime:literal $alone:ident $runtime_words:literal;)* }
    ) => {
        /// The result of a function of the driver, with the interface's names and numbers.
        #[allow(non_camel_case_types, missing_docs, reason = "the interface's names; the words are in the table")]
        #[repr(u32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CUresult { $($name = $number,)* $($driver_name = $driver_number),* }

        static DRIVER: &[Row] = &[
            $(($number, ended(concat!(stringify!($name), "\0")), $words),)*
            $(($driver_number, ended(concat!(stringify!($driver_name), "\0")), $driver_words)),*
        ];
        static RUNTIME: &[Row] = &[
            $(($number, ended(concat!(stringify!($runtime_name), "\0")), $words),)*
            $(($of_runtime, ended(concat!(stringify!($alone), "\0")), $runtime_words)),*
        ];

        #[cfg(test)]
        mod tests {
            use super::*;
            use cudarc::driver::sys;

            #[test]
            fn numbers_are_those_of_the_interface() {
                $(assert_eq!(CUresult::$name as u32, sys::CUresult::$name as u32, stringify!($name));)*
                $(assert_eq!(CUresult::$driver_name as u32, sys::CUresult::$driver_name as u32, stringify!($driver_name));)*
            }

            #[test]
            fn every_number_stands_in_a_table_once() {
                for table in [DRIVER, RUNTIME] {
                    for (number, name, _) in table {
                        assert_eq!(table.iter().filter(|row| row.0 == *number || row.1 == *name).count(), 1, "{name:?}");
                    }
                }
            }
        }
    };
}

/// Number, name, words.
type Row = (u32, &'static CStr, &'static CStr);

/// Name and words of a result of the driver's; `None` for a number that the interface does not define.
pub fn driver_words(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    found(DRIVER, code)
}

/// Name and words of a result of the runtime's, as CUDA 13.0's `driver_types.h` lists them.
pub fn runtime_words(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    found(RUNTIME, code)
}

fn found(table: &[Row], code: u32) -> Option<(&'static CStr, &'static CStr)> {
    table.iter().find(|row| row.0 == code).map(|&(_, name, words)| (name, words))
}

const fn ended(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every text with NUL"),
    }
}

results! {
    both {
        0 CUDA_SUCCESS cudaSuccess c"no error";
        1 CUDA_ERROR_INVALID_VALUE cudaErrorInvalidValue c"invalid argument";
        2 CUDA_ERROR_OUT_OF_MEMORY cudaErrorMemoryAllocation c"out of memory";
        3 CUDA_ERROR_NOT_INITIALIZED cudaErrorInitializationError c"initialization error";
        4 CUDA_ERROR_DEINITIALIZED cudaErrorCudartUnloading c"driver shutting down";
        5 CUDA_ERROR_PROFILER_DISABLED cudaErrorProfilerDisabled c"profiler disabled while using external profiling tool";
        6 CUDA_ERROR_PROFILER_NOT_INITIALIZED cudaErrorProfilerNotInitialized c"profiler not initialized";
        7 CUDA_ERROR_PROFILER_ALREADY_STARTED cudaErrorProfilerAlreadyStarted c"profiler already started";
        8 CUDA_ERROR_PROFILER_ALREADY_STOPPED cudaErrorProfilerAlreadyStopped c"profiler already stopped";
        100 CUDA_ERROR_NO_DEVICE cudaErrorNoDevice c"no CUDA-capable device is detected";
        101 CUDA_ERROR_INVALID_DEVICE cudaErrorInvalidDevice c"invalid device ordinal";
        200 CUDA_ERROR_INVALID_IMAGE cudaErrorInvalidKernelImage c"device kernel image is invalid";
        201 CUDA_ERROR_INVALID_CONTEXT cudaErrorDeviceUninitialized c"invalid device context";
        205 CUDA_ERROR_MAP_FAILED cudaErrorMapBufferObjectFailed c"mapping of buffer object failed";
        206 CUDA_ERROR_UNMAP_FAILED cudaErrorUnmapBufferObjectFailed c"unmapping of buffer object failed";
        207 CUDA_ERROR_ARRAY_IS_MAPPED cudaErrorArrayIsMapped c"array is mapped";
        208 CUDA_ERROR_ALREADY_MAPPED cudaErrorAlreadyMapped c"resource already mapped";
        209 CUDA_ERROR_NO_BINARY_FOR_GPU cudaErrorNoKernelImageForDevice c"no kernel image is available for execution on the device";
        210 CUDA_ERROR_ALREADY_ACQUIRED cudaErrorAlreadyAcquired c"resource already acquired";
        211 CUDA_ERROR_NOT_MAPPED cudaErrorNotMapped c"resource not mapped";
        212 CUDA_ERROR_NOT_MAPPED_AS_ARRAY cudaErrorNotMappedAsArray c"resource not mapped as array";
        213 CUDA_ERROR_NOT_MAPPED_AS_POINTER cudaErrorNotMappedAsPointer c"resource not mapped as pointer";
        214 CUDA_ERROR_ECC_UNCORRECTABLE cudaErrorECCUncorrectable c"uncorrectable ECC error encountered";
        215 CUDA_ERROR_UNSUPPORTED_LIMIT cudaErrorUnsupportedLimit c"limit is not supported on this architecture";
        216 CUDA_ERROR_CONTEXT_ALREADY_IN_USE cudaErrorDeviceAlreadyInUse c"exclusive-thread device already in use by a different thread";
        217 CUDA_ERROR_PEER_ACCESS_UNSUPPORTED cudaErrorPeerAccessUnsupported c"peer access is not supported between these two devices";
        218 CUDA_ERROR_INVALID_PTX cudaErrorInvalidPtx c"a PTX JIT compilation failed";
        219 CUDA_ERROR_INVALID_GRAPHICS_CONTEXT cudaErrorInvalidGraphicsContext c"invalid OpenGL or DirectX context";
        220 CUDA_ERROR_NVLINK_UNCORRECTABLE cudaErrorNvlinkUncorrectable c"uncorrectable NVLink error detected during the execution";
        221 CUDA_ERROR_JIT_COMPILER_NOT_FOUND cudaErrorJitCompilerNotFound c"PTX JIT compiler library not found";
        222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION cudaErrorUnsupportedPtxVersion c"the provided PTX was compiled with an unsupported toolchain";
        223 CUDA_ERROR_JIT_COMPILATION_DISABLED cudaErrorJitCompilationDisabled c"PTX JIT compilation was disabled";
        224 CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY cudaErrorUnsupportedExecAffinity c"the provided execution affinity is not supported";
        225 CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC cudaErrorUnsupportedDevSideSync c"the provided PTX contains unsupported call to cudaDeviceSynchronize";
        300 CUDA_ERROR_INVALID_SOURCE cudaErrorInvalidSource c"device kernel image is invalid";
        301 CUDA_ERROR_FILE_NOT_FOUND cudaErrorFileNotFound c"file not found";
        302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND cudaErrorSharedObjectSymbolNotFound c"shared object symbol not found";
        303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED cudaErrorSharedObjectInitFailed c"shared object initialization failed";
        304 CUDA_ERROR_OPERATING_SYSTEM cudaErrorOperatingSystem c"OS call failed or operation not supported on this OS";
        400 CUDA_ERROR_INVALID_HANDLE cudaErrorInvalidResourceHandle c"invalid resource handle";
        401 CUDA_ERROR_ILLEGAL_STATE cudaErrorIllegalState c"the operation cannot be performed in the present state";
        500 CUDA_ERROR_NOT_FOUND cudaErrorSymbolNotFound c"named symbol not found";
        600 CUDA_ERROR_NOT_READY cudaErrorNotReady c"device not ready";
        700 CUDA_ERROR_ILLEGAL_ADDRESS cudaErrorIllegalAddress c"an illegal memory access was encountered";
        701 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES cudaErrorLaunchOutOfResources c"too many resources requested for launch";
        702 CUDA_ERROR_LAUNCH_TIMEOUT cudaErrorLaunchTimeout c"the launch timed out and was terminated";
        703 CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING cudaErrorLaunchIncompatibleTexturing c"launch with incompatible texturing mode";
        704 CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED cudaErrorPeerAccessAlreadyEnabled c"peer access is already enabled";
        705 CUDA_ERROR_PEER_ACCESS_NOT_ENABLED cudaErrorPeerAccessNotEnabled c"peer access has not been enabled";
        708 CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE cudaErrorSetOnActiveProcess c"cannot set while device is active in this process";
        709 CUDA_ERROR_CONTEXT_IS_DESTROYED cudaErrorContextIsDestroyed c"context is destroyed";
        710 CUDA_ERROR_ASSERT cudaErrorAssert c"device-side assert triggered";
        711 CUDA_ERROR_TOO_MANY_PEERS cudaErrorTooManyPeers c"peer mapping resources exhausted";
        712 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED cudaErrorHostMemoryAlreadyRegistered c"part or all of the requested memory range is already mapped";
        713 CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED cudaErrorHostMemoryNotRegistered c"pointer does not correspond to a registered memory region";
        714 CUDA_ERROR_HARDWARE_STACK_ERROR cudaErrorHardwareStackError c"hardware stack error";
        715 CUDA_ERROR_ILLEGAL_INSTRUCTION cudaErrorIllegalInstruction c"an illegal instruction was encountered";
        716 CUDA_ERROR_MISALIGNED_ADDRESS cudaErrorMisalignedAddress c"misaligned address";
        717 CUDA_ERROR_INVALID_ADDRESS_SPACE cudaErrorInvalidAddressSpace c"operation not supported on global/shared address space";
        718 CUDA_ERROR_INVALID_PC cudaErrorInvalidPc c"invalid program counter";
        719 CUDA_ERROR_LAUNCH_FAILED cudaErrorLaunchFailure c"unspecified launch failure";
        720 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE cudaErrorCooperativeLaunchTooLarge c"too many blocks in cooperative launch";
        800 CUDA_ERROR_NOT_PERMITTED cudaErrorNotPermitted c"operation not permitted";
        801 CUDA_ERROR_NOT_SUPPORTED cudaErrorNotSupported c"operation not supported";
        802 CUDA_ERROR_SYSTEM_NOT_READY cudaErrorSystemNotReady c"system not yet initialized";
        803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH cudaErrorSystemDriverMismatch c"system has unsupported display driver / cuda driver combination";
        804 CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE cudaErrorCompatNotSupportedOnDevice c"forward compatibility was attempted on non supported HW";
        900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED cudaErrorStreamCaptureUnsupported c"operation not permitted when stream is capturing";
        901 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED cudaErrorStreamCaptureInvalidated c"operation failed due to a previous error during capture";
        902 CUDA_ERROR_STREAM_CAPTURE_MERGE cudaErrorStreamCaptureMerge c"operation would result in a merge of separate capture sequences";
        903 CUDA_ERROR_STREAM_CAPTURE_UNMATCHED cudaErrorStreamCaptureUnmatched c"capture was not ended in the same stream as it began";
        904 CUDA_ERROR_STREAM_CAPTURE_UNJOINED cudaErrorStreamCaptureUnjoined c"capturing stream has unjoined work";
        905 CUDA_ERROR_STREAM_CAPTURE_ISOLATION cudaErrorStreamCaptureIsolation c"dependency created on uncaptured work in another stream";
        906 CUDA_ERROR_STREAM_CAPTURE_IMPLICIT cudaErrorStreamCaptureImplicit c"operation would make the legacy stream depend on a capturing blocking stream";
        907 CUDA_ERROR_CAPTURED_EVENT cudaErrorCapturedEvent c"operation not permitted on an event last recorded in a capturing stream";
        908 CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD cudaErrorStreamCaptureWrongThread c"attempt to terminate a thread-local capture sequence from another thread";
        909 CUDA_ERROR_TIMEOUT cudaErrorTimeout c"wait operation timed out";
        910 CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE cudaErrorGraphExecUpdateFailure c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
        911 CUDA_ERROR_EXTERNAL_DEVICE cudaErrorExternalDevice c"an async error has occurred in external entity outside of CUDA";
        912 CUDA_ERROR_INVALID_CLUSTER_SIZE cudaErrorInvalidClusterSize c"a kernel launch error has occurred due to cluster misconfiguration";
        999 CUDA_ERROR_UNKNOWN cudaErrorUnknown c"unknown error";
    }
    driver {
        34 CUDA_ERROR_STUB_LIBRARY c"the loaded libcuda is a stub";
        46 CUDA_ERROR_DEVICE_UNAVAILABLE c"device busy or unavailable";
        102 CUDA_ERROR_DEVICE_NOT_LICENSED c"device not licensed";
        202 CUDA_ERROR_CONTEXT_ALREADY_CURRENT c"context already current";
    }
    runtime {
        9 cudaErrorInvalidConfiguration c"invalid configuration argument";
        12 cudaErrorInvalidPitchValue c"invalid pitch argument";
        13 cudaErrorInvalidSymbol c"invalid device symbol";
        16 cudaErrorInvalidHostPointer c"invalid host pointer";
        17 cudaErrorInvalidDevicePointer c"invalid device pointer";
        18 cudaErrorInvalidTexture c"invalid texture reference";
        19 cudaErrorInvalidTextureBinding c"texture is not bound to a pointer";
        20 cudaErrorInvalidChannelDescriptor c"invalid channel descriptor";
        21 cudaErrorInvalidMemcpyDirection c"invalid copy direction for memcpy";
        22 cudaErrorAddressOfConstant c"address of constant";
        23 cudaErrorTextureFetchFailed c"fetch from texture failed";
        24 cudaErrorTextureNotBound c"cannot fetch from a texture that is not bound";
        25 cudaErrorSynchronizationError c"incorrect use of __syncthreads()";
        26 cudaErrorInvalidFilterSetting c"linear filtering not supported for non-float type";
        27 cudaErrorInvalidNormSetting c"read as normalized float not supported for 32-bit non float type";
        28 cudaErrorMixedDeviceExecution c"device emulation mode and device execution mode cannot be mixed";
        31 cudaErrorNotYetImplemented c"feature not yet implemented";
        32 cudaErrorMemoryValueTooLarge c"memory size or pointer value too large to fit in 32 bit";
        34 cudaErrorStubLibrary c"CUDA driver is a stub library";
        35 cudaErrorInsufficientDriver c"CUDA driver version is insufficient for CUDA runtime version";
        36 cudaErrorCallRequiresNewerDriver c"API call is not supported in the installed CUDA driver";
        37 cudaErrorInvalidSurface c"invalid surface reference";
        43 cudaErrorDuplicateVariableName c"duplicate global variable looked up by string name";
        44 cudaErrorDuplicateTextureName c"duplicate texture looked up by string name";
        45 cudaErrorDuplicateSurfaceName c"duplicate surface looked up by string name";
        46 cudaErrorDevicesUnavailable c"CUDA-capable device(s) is/are busy or unavailable";
        49 cudaErrorIncompatibleDriverContext c"incompatible driver context";
        52 cudaErrorMissingConfiguration c"__global__ function call is not configured";
        53 cudaErrorPriorLaunchFailure c"unspecified launch failure in prior launch";
        65 cudaErrorLaunchMaxDepthExceeded c"launch would exceed maximum depth of nested launches";
        66 cudaErrorLaunchFileScopedTex c"launch failed because kernel uses unsupported, file-scoped textures";
        67 cudaErrorLaunchFileScopedSurf c"launch failed because kernel uses unsupported, file-scoped surfaces";
        68 cudaErrorSyncDepthExceeded c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth";
        69 cudaErrorLaunchPendingCountExceeded c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
        98 cudaErrorInvalidDeviceFunction c"invalid device function";
        102 cudaErrorDeviceNotLicensed c"device doesn't have valid Grid license";
        103 cudaErrorSoftwareValidityNotEstablished c"integrity checks failed";
        127 cudaErrorStartupFailure c"startup failure in cuda runtime";
        226 cudaErrorContained c"Invalid access of peer GPU memory over nvlink or a hardware error";
        402 cudaErrorLossyQuery c"attempted to perform an operation that would lose information";
        721 cudaErrorTensorMemoryLeak c"Tensor memory was not completely freed";
        805 cudaErrorMpsConnectionFailed c"MPS client failed to connect to the MPS control daemon or the MPS server";
        806 cudaErrorMpsRpcFailure c"the remote procedural call between the MPS server and the MPS client failed";
        807 cudaErrorMpsServerNotReady c"MPS server is not ready to accept new MPS client requests";
        808 cudaErrorMpsMaxClientsReached c"the hardware resources required to create MPS client have been exhausted";
        809 cudaErrorMpsMaxConnectionsReached c"the hardware resources required to support device connections have been exhausted";
        810 cudaErrorMpsClientTerminated c"the MPS client has been terminated by the server";
        811 cudaErrorCdpNotSupported c"device-side launch is not supported";
        812 cudaErrorCdpVersionMismatch c"device-side launch: versions do not match";
        913 cudaErrorFunctionNotLoaded c"function not loaded";
        914 cudaErrorInvalidResourceType c"invalid resource type";
        915 cudaErrorInvalidResourceConfiguration c"invalid resource configuration";
        10000 cudaErrorApiFailureBase c"API failure base";
    }
}
