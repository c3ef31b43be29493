//! Results: their numbers, names and words, and what each exported function goes through.
//!
//! A result of the driver's is passed on as it is: its number means the same here.
use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A result that is not 0, by the interface's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// What a function does, or why not.
pub type Outcome = Result<(), Failure>;

macro_rules! failures {
    ($($name:ident = $number:literal)*) => { $(#[doc = "By the interface's number."] pub const $name: Failure = Failure($number);)* };
}
failures! {
    INVALID_VALUE = 1
    INITIALIZATION = 3
    INVALID_CONFIGURATION = 9
    INVALID_SYMBOL = 13
    INVALID_DIRECTION = 21
    INSUFFICIENT_DRIVER = 35
    MISSING_CONFIGURATION = 52
    INVALID_DEVICE_FUNCTION = 98
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    SYMBOL_NOT_FOUND = 500
    NOT_SUPPORTED = 801
    UNKNOWN = 999
}

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Runs the implementation of an exported function; a failure is the thread's last error, and a panic stays inside.
pub fn call(body: &mut dyn FnMut() -> Outcome) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(UNKNOWN)) {
        Ok(()) => 0,
        Err(Failure(code)) => {
            LAST.set(code);
            code
        }
    }
}

/// `cudaGetLastError`, `cudaPeekAtLastError`: the first also forgets it.
pub fn last_error(forget: bool) -> u32 {
    if forget { LAST.replace(0) } else { LAST.get() }
}

/// The name of a result.
pub fn name(code: u32) -> *const c_char {
    let found = RESULTS.iter().find(|(number, ..)| *number == code);
    found.map_or(c"unrecognized error code".as_ptr(), |(_, name, _)| name.as_ptr())
}

/// The standing words of a result.
pub fn words(code: u32) -> *const c_char {
    let found = RESULTS.iter().find(|(number, ..)| *number == code);
    found.map_or(c"unrecognized error code".as_ptr(), |(.., words)| words.as_ptr())
}

/// Number, name and words of every result that CUDA 13.0's `driver_types.h` lists.
static RESULTS: &[(u32, &CStr, &CStr)] = &[
    (0, c"cudaSuccess", c"no error"),
    (1, c"cudaErrorInvalidValue", c"invalid argument"),
    (2, c"cudaErrorMemoryAllocation", c"out of memory"),
    (3, c"cudaErrorInitializationError", c"initialization error"),
    (4, c"cudaErrorCudartUnloading", c"driver shutting down"),
    (5, c"cudaErrorProfilerDisabled", c"profiler disabled while using external profiling tool"),
    (6, c"cudaErrorProfilerNotInitialized", c"profiler not initialized"),
    (7, c"cudaErrorProfilerAlreadyStarted", c"profiler already started"),
    (8, c"cudaErrorProfilerAlreadyStopped", c"profiler already stopped"),
    (9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument"),
    (12, c"cudaErrorInvalidPitchValue", c"invalid pitch argument"),
    (13, c"cudaErrorInvalidSymbol", c"invalid device symbol"),
    (16, c"cudaErrorInvalidHostPointer", c"invalid host pointer"),
    (17, c"cudaErrorInvalidDevicePointer", c"invalid device pointer"),
    (18, c"cudaErrorInvalidTexture", c"invalid texture reference"),
    (19, c"cudaErrorInvalidTextureBinding", c"texture is not bound to a pointer"),
    (20, c"cudaErrorInvalidChannelDescriptor", c"invalid channel descriptor"),
    (21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy"),
    (22, c"cudaErrorAddressOfConstant", c"address of constant"),
    (23, c"cudaErrorTextureFetchFailed", c"fetch from texture failed"),
    (24, c"cudaErrorTextureNotBound", c"cannot fetch from a texture that is not bound"),
    (25, c"cudaErrorSynchronizationError", c"incorrect use of __syncthreads()"),
    (26, c"cudaErrorInvalidFilterSetting", c"linear filtering not supported for non-float type"),
    (27, c"cudaErrorInvalidNormSetting", c"read as normalized float not supported for 32-bit non float type"),
    (28, c"cudaErrorMixedDeviceExecution", c"device emulation mode and device execution mode cannot be mixed"),
    (31, c"cudaErrorNotYetImplemented", c"feature not yet implemented"),
    (32, c"cudaErrorMemoryValueTooLarge", c"memory size or pointer value too large to fit in 32 bit"),
    (34, c"cudaErrorStubLibrary", c"CUDA driver is a stub library"),
    (35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version"),
    (36, c"cudaErrorCallRequiresNewerDriver", c"API call is not supported in the installed CUDA driver"),
    (37, c"cudaErrorInvalidSurface", c"invalid surface reference"),
    (43, c"cudaErrorDuplicateVariableName", c"duplicate global variable looked up by string name"),
    (44, c"cudaErrorDuplicateTextureName", c"duplicate texture looked up by string name"),
    (45, c"cudaErrorDuplicateSurfaceName", c"duplicate surface looked up by string name"),
    (46, c"cudaErrorDevicesUnavailable", c"CUDA-capable device(s) is/are busy or unavailable"),
    (49, c"cudaErrorIncompatibleDriverContext", c"incompatible driver context"),
    (52, c"cudaErrorMissingConfiguration", c"__global__ function call is not configured"),
    (53, c"cudaErrorPriorLaunchFailure", c"unspecified launch failure in prior launch"),
    (65, c"cudaErrorLaunchMaxDepthExceeded", c"launch would exceed maximum depth of nested launches"),
    (66, c"cudaErrorLaunchFileScopedTex", c"launch failed because kernel uses unsupported, file-scoped textures"),
    (67, c"cudaErrorLaunchFileScopedSurf", c"launch failed because kernel uses unsupported, file-scoped surfaces"),
    (68, c"cudaErrorSyncDepthExceeded", c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    (69, c"cudaErrorLaunchPendingCountExceeded", c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, c"cudaErrorInvalidDeviceFunction", c"invalid device function"),
    (100, c"cudaErrorNoDevice", c"no CUDA-capable device is detected"),
    (101, c"cudaErrorInvalidDevice", c"invalid device ordinal"),
    (102, c"cudaErrorDeviceNotLicensed", c"device doesn't have valid Grid license"),
    (103, c"cudaErrorSoftwareValidityNotEstablished", c"integrity checks failed"),
    (127, c"cudaErrorStartupFailure", c"startup failure in cuda runtime"),
    (200, c"cudaErrorInvalidKernelImage", c"device kernel image is invalid"),
    (201, c"cudaErrorDeviceUninitialized", c"invalid device context"),
    (205, c"cudaErrorMapBufferObjectFailed", c"mapping of buffer object failed"),
    (206, c"cudaErrorUnmapBufferObjectFailed", c"unmapping of buffer object failed"),
    (207, c"cudaErrorArrayIsMapped", c"array is mapped"),
    (208, c"cudaErrorAlreadyMapped", c"resource already mapped"),
    (209, c"cudaErrorNoKernelImageForDevice", c"no kernel image is available for execution on the device"),
    (210, c"cudaErrorAlreadyAcquired", c"resource already acquired"),
    (211, c"cudaErrorNotMapped", c"resource not mapped"),
    (212, c"cudaErrorNotMappedAsArray", c"resource not mapped as array"),
    (213, c"cudaErrorNotMappedAsPointer", c"resource not mapped as pointer"),
    (214, c"cudaErrorECCUncorrectable", c"uncorrectable ECC error encountered"),
    (215, c"cudaErrorUnsupportedLimit", c"limit is not supported on this architecture"),
    (216, c"cudaErrorDeviceAlreadyInUse", c"exclusive-thread device already in use by a different thread"),
    (217, c"cudaErrorPeerAccessUnsupported", c"peer access is not supported between these two devices"),
    (218, c"cudaErrorInvalidPtx", c"a PTX JIT compilation failed"),
    (219, c"cudaErrorInvalidGraphicsContext", c"invalid OpenGL or DirectX context"),
    (220, c"cudaErrorNvlinkUncorrectable", c"uncorrectable NVLink error detected during the execution"),
    (221, c"cudaErrorJitCompilerNotFound", c"PTX JIT compiler library not found"),
    (222, c"cudaErrorUnsupportedPtxVersion", c"the provided PTX was compiled with an unsupported toolchain"),
    (223, c"cudaErrorJitCompilationDisabled", c"PTX JIT compilation was disabled"),
    (224, c"cudaErrorUnsupportedExecAffinity", c"the provided execution affinity is not supported"),
    (225, c"cudaErrorUnsupportedDevSideSync", c"the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    (226, c"cudaErrorContained", c"Invalid access of peer GPU memory over nvlink or a hardware error"),
    (300, c"cudaErrorInvalidSource", c"device kernel image is invalid"),
    (301, c"cudaErrorFileNotFound", c"file not found"),
    (302, c"cudaErrorSharedObjectSymbolNotFound", c"shared object symbol not found"),
    (303, c"cudaErrorSharedObjectInitFailed", c"shared object initialization failed"),
    (304, c"cudaErrorOperatingSystem", c"OS call failed or operation not supported on this OS"),
    (400, c"cudaErrorInvalidResourceHandle", c"invalid resource handle"),
    (401, c"cudaErrorIllegalState", c"the operation cannot be performed in the present state"),
    (402, c"cudaErrorLossyQuery", c"attempted to perform an operation that would lose information"),
    (500, c"cudaErrorSymbolNotFound", c"named symbol not found"),
    (600, c"cudaErrorNotReady", c"device not ready"),
    (700, c"cudaErrorIllegalAddress", c"an illegal memory access was encountered"),
    (701, c"cudaErrorLaunchOutOfResources", c"too many resources requested for launch"),
    (702, c"cudaErrorLaunchTimeout", c"the launch timed out and was terminated"),
    (703, c"cudaErrorLaunchIncompatibleTexturing", c"launch with incompatible texturing mode"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled", c"peer access is already enabled"),
    (705, c"cudaErrorPeerAccessNotEnabled", c"peer access has not been enabled"),
    (708, c"cudaErrorSetOnActiveProcess", c"cannot set while device is active in this process"),
    (709, c"cudaErrorContextIsDestroyed", c"context is destroyed"),
    (710, c"cudaErrorAssert", c"device-side assert triggered"),
    (711, c"cudaErrorTooManyPeers", c"peer mapping resources exhausted"),
    (712, c"cudaErrorHostMemoryAlreadyRegistered", c"part or all of the requested memory range is already mapped"),
    (713, c"cudaErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region"),
    (714, c"cudaErrorHardwareStackError", c"hardware stack error"),
    (715, c"cudaErrorIllegalInstruction", c"an illegal instruction was encountered"),
    (716, c"cudaErrorMisalignedAddress", c"misaligned address"),
    (717, c"cudaErrorInvalidAddressSpace", c"operation not supported on global/shared address space"),
    (718, c"cudaErrorInvalidPc", c"invalid program counter"),
    (719, c"cudaErrorLaunchFailure", c"unspecified launch failure"),
    (720, c"cudaErrorCooperativeLaunchTooLarge", c"too many blocks in cooperative launch"),
    (721, c"cudaErrorTensorMemoryLeak", c"Tensor memory was not completely freed"),
    (800, c"cudaErrorNotPermitted", c"operation not permitted"),
    (801, c"cudaErrorNotSupported", c"operation not supported"),
    (802, c"cudaErrorSystemNotReady", c"system not yet initialized"),
    (803, c"cudaErrorSystemDriverMismatch", c"system has unsupported display driver / cuda driver combination"),
    (804, c"cudaErrorCompatNotSupportedOnDevice", c"forward compatibility was attempted on non supported HW"),
    (805, c"cudaErrorMpsConnectionFailed", c"MPS client failed to connect to the MPS control daemon or the MPS server"),
    (806, c"cudaErrorMpsRpcFailure", c"the remote procedural call between the MPS server and the MPS client failed"),
    (807, c"cudaErrorMpsServerNotReady", c"MPS server is not ready to accept new MPS client requests"),
    (808, c"cudaErrorMpsMaxClientsReached", c"the hardware resources required to create MPS client have been exhausted"),
    (809, c"cudaErrorMpsMaxConnectionsReached", c"the hardware resources required to support device connections have been exhausted"),
    (810, c"cudaErrorMpsClientTerminated", c"the MPS client has been terminated by the server"),
    (811, c"cudaErrorCdpNotSupported", c"device-side launch is not supported"),
    (812, c"cudaErrorCdpVersionMismatch", c"device-side launch: versions do not match"),
    (900, c"cudaErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing"),
    (901, c"cudaErrorStreamCaptureInvalidated", c"operation failed due to a previous error during capture"),
    (902, c"cudaErrorStreamCaptureMerge", c"operation would result in a merge of separate capture sequences"),
    (903, c"cudaErrorStreamCaptureUnmatched", c"capture was not ended in the same stream as it began"),
    (904, c"cudaErrorStreamCaptureUnjoined", c"capturing stream has unjoined work"),
    (905, c"cudaErrorStreamCaptureIsolation", c"dependency created on uncaptured work in another stream"),
    (906, c"cudaErrorStreamCaptureImplicit", c"operation would make the legacy stream depend on a capturing blocking stream"),
    (907, c"cudaErrorCapturedEvent", c"operation not permitted on an event last recorded in a capturing stream"),
    (908, c"cudaErrorStreamCaptureWrongThread", c"attempt to terminate a thread-local capture sequence from another thread"),
    (909, c"cudaErrorTimeout", c"wait operation timed out"),
    (910, c"cudaErrorGraphExecUpdateFailure", c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    (911, c"cudaErrorExternalDevice", c"an async error has occurred in external entity outside of CUDA"),
    (912, c"cudaErrorInvalidClusterSize", c"a kernel launch error has occurred due to cluster misconfiguration"),
    (913, c"cudaErrorFunctionNotLoaded", c"function not loaded"),
    (914, c"cudaErrorInvalidResourceType", c"invalid resource type"),
    (915, c"cudaErrorInvalidResourceConfiguration", c"invalid resource configuration"),
    (999, c"cudaErrorUnknown", c"unknown error"),
    (10000, c"cudaErrorApiFailureBase", c"API failure base"),
];
