//! Names that the driver's library has beside those of the table, whose functions are not there: programs that load the driver while
//! they run look up all names that they might use, and give up if one is missing. They are found by name alone, and are refused when called.
#![allow(non_snake_case)]
use crate::driver::abi::absent::absent;

absent! {
    // Graphics: OpenGL, EGL, VDPAU, NvSci.
    cuDeviceGetNvSciSyncAttributes cuEGLStreamConsumerAcquireFrame cuEGLStreamConsumerConnect
    cuEGLStreamConsumerConnectWithFlags cuEGLStreamConsumerDisconnect cuEGLStreamConsumerReleaseFrame
    cuEGLStreamProducerConnect cuEGLStreamProducerDisconnect cuEGLStreamProducerPresentFrame
    cuEGLStreamProducerReturnFrame cuEventCreateFromEGLSync cuGLCtxCreate cuGLCtxCreate_v2 cuGLGetDevices
    cuGLGetDevices_v2 cuGLInit cuGLMapBufferObject cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2
    cuGLMapBufferObjectAsync_v2_ptsz cuGLMapBufferObject_v2 cuGLMapBufferObject_v2_ptds
    cuGLRegisterBufferObject cuGLSetBufferObjectMapFlags cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync
    cuGLUnregisterBufferObject cuGraphicsEGLRegisterImage cuGraphicsGLRegisterBuffer
    cuGraphicsGLRegisterImage cuGraphicsResourceGetMappedEglFrame cuGraphicsVDPAURegisterOutputSurface
    cuGraphicsVDPAURegisterVideoSurface cuVDPAUCtxCreate cuVDPAUCtxCreate_v2 cuVDPAUGetDevice
    // Checkpoints of processes.
    cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState
    cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock
    // The thread's stream in place of the default one, of functions that are refused with any.
    cuGraphicsMapResources_ptsz cuGraphicsUnmapResources_ptsz cuMemBatchDecompressAsync_ptsz
    cuMemMapArrayAsync_ptsz cuMemcpy3DBatchAsync_ptsz cuMemcpyBatchAsync_ptsz
    cuSignalExternalSemaphoresAsync_ptsz cuStreamBatchMemOp_ptsz cuStreamBatchMemOp_v2_ptsz
    cuStreamBeginCapture_ptsz cuStreamCopyAttributes_ptsz cuStreamGetAttribute_ptsz
    cuStreamSetAttribute_ptsz cuStreamWaitValue32_ptsz cuStreamWaitValue32_v2_ptsz cuStreamWaitValue64_ptsz
    cuStreamWaitValue64_v2_ptsz cuStreamWriteValue32_ptsz cuStreamWriteValue64_ptsz
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
