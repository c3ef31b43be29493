//! Names that the driver's library has beside those of the table, whose functions are not there: programs that load the driver while
//! they run look up all names that they might use, and give up if one is missing. They are found by name alone, and are refused when called.
#![allow(non_snake_case)]
use crate::abi::absent::absent;

absent! {
    // NvSci. Other graphics are in `graphics.rs`.
    cuDeviceGetNvSciSyncAttributes
    // Checkpoints of processes.
    cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState
    cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock
    // The thread's stream in place of the default one, of functions that are refused with any.
    cuMemBatchDecompressAsync_ptsz
    cuMemMapArrayAsync_ptsz cuMemcpy3DBatchAsync_ptsz cuMemcpyBatchAsync_ptsz
    cuSignalExternalSemaphoresAsync_ptsz cuStreamBatchMemOp_ptsz cuStreamBatchMemOp_v2_ptsz
    cuStreamBeginCapture_ptsz cuStreamCopyAttributes_ptsz cuStreamGetAttribute_ptsz
    cuStreamSetAttribute_ptsz cuStreamWaitValue32_ptsz cuStreamWaitValue64_ptsz
    cuStreamWriteValue32_ptsz cuStreamWriteValue64_ptsz
    cuWaitExternalSemaphoresAsync_ptsz
    // Before CUDA 3.2, with addresses and sizes of 32 bits.
    cuArray3DCreate cuArray3DGetDescriptor cuArrayCreate cuArrayGetDescriptor cuDeviceTotalMem
    cuGraphicsResourceGetMappedPointer cuGraphicsResourceSetMapFlags cuMemAlloc cuMemAllocHost
    cuMemAllocPitch cuMemFree cuMemGetAddressRange cuMemGetInfo cuMemHostGetDevicePointer cuMemcpy2D
    cuMemcpy2DAsync cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync cuMemcpyAtoA cuMemcpyAtoD cuMemcpyAtoH
    cuMemcpyAtoHAsync cuMemcpyDtoA cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoH cuMemcpyDtoHAsync
    cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyHtoD cuMemcpyHtoDAsync cuMemsetD16 cuMemsetD2D16 cuMemsetD2D32
    cuMemsetD2D8 cuMemsetD32 cuMemsetD8 cuModuleGetGlobal cuTexRefGetAddress cuTexRefSetAddress
    cuTexRefSetAddress2D cuTexRefSetAddress2D_v2
}
