//! Structs of the driver's interface. Their enums are plain numbers here, since any number may stand there.
#![allow(missing_docs, reason = "types carry comments; a field whose name says all does not")]
use core::ffi::{c_char, c_int, c_uint, c_void};

/// An address or a handle, as it crosses the border.
pub type Raw = *mut c_void;
/// A function of the host that work on a stream calls, with the caller's data.
pub type HostFunction = Option<unsafe extern "C" fn(Raw)>;
/// `CUstreamCallback`: stream, result, the caller's data.
pub type StreamCallback = Option<unsafe extern "C" fn(Raw, c_uint, Raw)>;
/// `CUlogsCallback`: the caller's data, the level, the line and its length.
pub type LogCallback = Option<unsafe extern "C" fn(Raw, c_uint, *mut c_char, usize)>;
/// `CUoccupancyB2DSize`: the dynamic shared memory of a block with so many threads.
pub type SharedOfBlock = Option<extern "C" fn(c_int) -> usize>;

/// One side of a copy of rows.
#[repr(C)]
pub struct Copy2dSide {
    pub x_bytes: usize,
    pub y: usize,
    /// 1 host, 2 device, 3 array, 4 unified.
    pub kind: u32,
    pub host: *const c_void,
    pub device: u64,
    pub array: *const c_void,
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
pub struct Copy2d {
    pub from: Copy2dSide,
    pub to: Copy2dSide,
    pub width_bytes: usize,
    pub height: usize,
}

/// One side of a copy of slices.
#[repr(C)]
pub struct Copy3dSide {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    pub kind: u32,
    pub host: *const c_void,
    pub device: u64,
    pub array: *const c_void,
    /// Reserved; of a peer copy, the context.
    pub context: *const c_void,
    pub pitch: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`
#[repr(C)]
pub struct Copy3d {
    pub from: Copy3dSide,
    pub to: Copy3dSide,
    pub width_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`
#[repr(C)]
pub struct InstantiateParameters {
    pub flags: u64,
    pub upload_stream: *mut c_void,
    pub error_node: *mut c_void,
    /// 0 is success, 1 an error, 2 a graph that is none.
    pub result: u32,
}

/// `CUgraphExecUpdateResultInfo`
#[repr(C)]
pub struct UpdateResult {
    /// 0 is success, 1 an error, 2 another shape.
    pub result: u32,
    pub error_node: *mut c_void,
    pub error_from_node: *mut c_void,
}

/// The head of `CUmemPoolProps`.
#[repr(C)]
pub struct PoolProperties {
    pub allocation_kind: u32,
    pub handle_kinds: u32,
    pub location_kind: u32,
    pub location_id: c_int,
}

/// `CUmemPoolProps` up to the most that the pool may give out.
#[repr(C)]
pub struct NewPool {
    pub properties: PoolProperties,
    pub security: *const c_void,
    pub most_bytes: usize,
}

/// `CUmemLocation`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemoryLocation {
    pub kind: u32,
    pub id: c_int,
}

/// `CUmemAllocationProp`
#[repr(C)]
pub struct AllocationProperties {
    pub kind: u32,
    pub handle_kinds: u32,
    pub location: MemoryLocation,
    pub security: *const c_void,
    /// Compression, direct access over the network, usage: hints, which mean nothing here.
    pub hints: u64,
}

impl AllocationProperties {
    /// Of device memory.
    pub fn pinned(device: c_int, handle_kinds: u32) -> Self {
        let location = MemoryLocation { kind: 1, id: device };
        AllocationProperties { kind: 1, handle_kinds, location, security: core::ptr::null(), hints: 0 }
    }
}

/// `CUmemAccessDesc`
#[repr(C)]
pub struct AccessDescription {
    pub location: MemoryLocation,
    pub flags: u32,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`
#[repr(C)]
pub struct AllocationNode {
    pub pool: PoolProperties,
    /// The rest of `CUmemPoolProps`, which means nothing here.
    pub rest: [u64; 9],
    pub access: *const c_void,
    pub access_count: usize,
    pub bytes: usize,
    /// Answered.
    pub address: u64,
}

/// `CUlaunchConfig`
#[repr(C)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub stream: *mut c_void,
    pub attributes: *const LaunchAttribute,
    pub attribute_count: u32,
}

/// `CUlaunchAttribute`: what `value` holds depends on the id.
#[repr(C)]
pub struct LaunchAttribute {
    pub id: u32,
    pub value: [u64; 8],
}

/// `CUDA_KERNEL_NODE_PARAMS`, second version.
#[repr(C)]
pub struct KernelNode {
    pub function: *mut c_void,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub parameters: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    /// Instead of `function`.
    pub kernel: *mut c_void,
    pub context: *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS`
#[repr(C)]
pub struct FillNode {
    pub dst: u64,
    pub pitch: usize,
    pub value: u32,
    pub element_bytes: u32,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`
#[repr(C)]
pub struct HostNode {
    pub function: HostFunction,
    pub data: *mut c_void,
}

/// `CUgraphNodeParams`: `rest` begins with the struct of the kind.
#[repr(C)]
pub struct NodeParameters {
    pub kind: u32,
    pub reserved: [u32; 3],
    pub rest: [u64; 29],
    pub last: u64,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`
#[repr(C)]
pub struct ConditionalNode {
    pub handle: u64,
    pub kind: u32,
    pub size: u32,
    /// Answered: the bodies.
    pub graphs: *mut *mut c_void,
    pub context: *mut c_void,
}

/// `CUDA_ARRAY_DESCRIPTOR`
#[repr(C)]
pub struct ArrayDescriptor2d {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct ArrayDescriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
    pub unused: u32,
}

/// `CUDA_RESOURCE_DESC`: what `words` hold depends on the kind.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct ResourceDescriptor {
    /// 0 an array, 1 a mipmapped one, 2 plain memory, 3 rows of it.
    pub kind: u32,
    pub words: [u64; 16],
    pub flags: u32,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct TextureDescriptor {
    pub modes: [u32; 3],
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub mipmap_filter: u32,
    pub mipmap_bias: f32,
    pub mipmap_range: [f32; 2],
    pub border: [f32; 4],
    pub reserved: [u32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`, up to what is reserved.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct ViewDescriptor {
    pub format: u32,
    /// Texels of the view.
    pub extents: [usize; 3],
    /// First and last.
    pub levels: [u32; 2],
    pub layers: [u32; 2],
}

/// `CUipcMemHandle`, `CUipcEventHandle` and `CUmemPoolPtrExportData`: 64 bytes that one process gives to another, and only the driver reads.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcHandle {
    pub words: [u64; 8],
}

/// `CUdevprop`
#[repr(C)]
pub struct Properties {
    pub max_threads_per_block: c_int,
    pub max_block: [c_int; 3],
    pub max_grid: [c_int; 3],
    pub shared_bytes_per_block: c_int,
    pub constant_bytes: c_int,
    pub warp: c_int,
    pub max_pitch: c_int,
    pub registers_per_block: c_int,
    pub clock_khz: c_int,
    pub texture_alignment: c_int,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};
    use cudarc::driver::sys;

    #[test]
    fn layouts_are_those_of_the_interface() {
        assert_eq!(size_of::<Copy2d>(), size_of::<sys::CUDA_MEMCPY2D_st>());
        assert_eq!(offset_of!(Copy2d, to.device), offset_of!(sys::CUDA_MEMCPY2D_st, dstDevice));
        assert_eq!(size_of::<Copy3d>(), size_of::<sys::CUDA_MEMCPY3D_st>());
        assert_eq!(offset_of!(Copy3d, to.pitch), offset_of!(sys::CUDA_MEMCPY3D_st, dstPitch));
        assert_eq!(size_of::<Copy3d>(), size_of::<sys::CUDA_MEMCPY3D_PEER_st>());
        assert_eq!(offset_of!(Copy3d, to.context), offset_of!(sys::CUDA_MEMCPY3D_PEER_st, dstContext));
        assert_eq!(size_of::<InstantiateParameters>(), size_of::<sys::CUDA_GRAPH_INSTANTIATE_PARAMS_st>());
        assert_eq!(
            offset_of!(InstantiateParameters, result),
            offset_of!(sys::CUDA_GRAPH_INSTANTIATE_PARAMS_st, result_out)
        );
        assert_eq!(size_of::<UpdateResult>(), size_of::<sys::CUgraphExecUpdateResultInfo_st>());
        assert_eq!(size_of::<LaunchConfig>(), size_of::<sys::CUlaunchConfig>());
        assert_eq!(offset_of!(LaunchConfig, attribute_count), offset_of!(sys::CUlaunchConfig, numAttrs));
        assert_eq!(size_of::<LaunchAttribute>(), size_of::<sys::CUlaunchAttribute>());
        assert_eq!(offset_of!(LaunchAttribute, value), offset_of!(sys::CUlaunchAttribute, value));
        assert_eq!(size_of::<KernelNode>(), size_of::<sys::CUDA_KERNEL_NODE_PARAMS_v2_st>());
        assert_eq!(offset_of!(KernelNode, kernel), offset_of!(sys::CUDA_KERNEL_NODE_PARAMS_v2_st, kern));
        assert_eq!(size_of::<FillNode>(), size_of::<sys::CUDA_MEMSET_NODE_PARAMS_st>());
        assert_eq!(offset_of!(FillNode, width), offset_of!(sys::CUDA_MEMSET_NODE_PARAMS_st, width));
        assert_eq!(size_of::<HostNode>(), size_of::<sys::CUDA_HOST_NODE_PARAMS_st>());
        assert_eq!(size_of::<AllocationNode>(), size_of::<sys::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st>());
        assert_eq!(offset_of!(AllocationNode, address), offset_of!(sys::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, dptr));
        assert_eq!(size_of::<AllocationProperties>(), size_of::<sys::CUmemAllocationProp_st>());
        assert_eq!(offset_of!(AllocationProperties, hints), offset_of!(sys::CUmemAllocationProp_st, allocFlags));
        assert_eq!(size_of::<AccessDescription>(), size_of::<sys::CUmemAccessDesc_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUipcMemHandle_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUipcEventHandle_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUmemPoolPtrExportData_st>());
        assert_eq!(size_of::<NodeParameters>(), size_of::<sys::CUgraphNodeParams_st>());
        assert_eq!(size_of::<ConditionalNode>(), size_of::<sys::CUDA_CONDITIONAL_NODE_PARAMS>());
        assert_eq!(size_of::<ArrayDescriptor2d>(), size_of::<sys::CUDA_ARRAY_DESCRIPTOR>());
        assert_eq!(size_of::<ArrayDescriptor>(), size_of::<sys::CUDA_ARRAY3D_DESCRIPTOR>());
        assert_eq!(size_of::<ResourceDescriptor>(), size_of::<sys::CUDA_RESOURCE_DESC>());
        assert_eq!(offset_of!(ResourceDescriptor, flags), offset_of!(sys::CUDA_RESOURCE_DESC, flags));
        assert_eq!(offset_of!(ViewDescriptor, extents), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, width));
        assert_eq!(offset_of!(ViewDescriptor, layers), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, firstLayer));
        assert_eq!(size_of::<ViewDescriptor>(), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, reserved));
        assert_eq!(size_of::<TextureDescriptor>(), size_of::<sys::CUDA_TEXTURE_DESC>());
        assert_eq!(offset_of!(TextureDescriptor, border), offset_of!(sys::CUDA_TEXTURE_DESC, borderColor));
        assert_eq!(size_of::<Properties>(), size_of::<sys::CUdevprop_st>());
        assert_eq!(offset_of!(Properties, clock_khz), offset_of!(sys::CUdevprop_st, clockRate));
        assert_eq!(offset_of!(PoolProperties, location_kind), offset_of!(sys::CUmemPoolProps_st, location));
        assert_eq!(offset_of!(NewPool, most_bytes), offset_of!(sys::CUmemPoolProps_st, maxSize));
    }
}
