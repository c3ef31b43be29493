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

crate::c_structs! {
    /// One side of a copy of rows.
    pub struct Copy2dSide {
        pub x_bytes, y: usize;
        /// 1 host, 2 device, 3 array, 4 unified.
        pub kind: u32;
        pub host: *const c_void;
        pub device: u64;
        pub array: *const c_void;
        pub pitch: usize;
    }
    /// `CUDA_MEMCPY2D`
    pub struct Copy2d {
        pub from, to: Copy2dSide;
        pub width_bytes, height: usize;
    }
    /// One side of a copy of slices.
    pub struct Copy3dSide {
        pub x_bytes, y, z, level: usize;
        pub kind: u32;
        pub host: *const c_void;
        pub device: u64;
        pub array: *const c_void;
        /// Reserved; of a peer copy, the context.
        pub context: *const c_void;
        pub pitch, height: usize;
    }
    /// `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`
    pub struct Copy3d {
        pub from, to: Copy3dSide;
        pub width_bytes, height, depth: usize;
    }
    /// `CUDA_GRAPH_INSTANTIATE_PARAMS`
    pub struct InstantiateParameters {
        pub flags: u64;
        pub upload_stream, error_node: *mut c_void;
        /// 0 is success, 1 an error, 2 a graph that is none.
        pub result: u32;
    }
    /// `CUgraphExecUpdateResultInfo`
    pub struct UpdateResult {
        /// 0 is success, 1 an error, 2 another shape.
        pub result: u32;
        pub error_node, error_from_node: *mut c_void;
    }
    /// The head of `CUmemPoolProps`.
    pub struct PoolProperties {
        pub allocation_kind, handle_kinds, location_kind: u32;
        pub location_id: c_int;
    }
    /// `CUmemPoolProps` up to the most that the pool may give out.
    pub struct NewPool {
        pub properties: PoolProperties;
        pub security: *const c_void;
        pub most_bytes: usize;
    }
    /// `CUmemLocation`
    #[derive(Clone, Copy)]
    pub struct MemoryLocation {
        pub kind: u32;
        pub id: c_int;
    }
    /// `CUmemAllocationProp`
    pub struct AllocationProperties {
        pub kind, handle_kinds: u32;
        pub location: MemoryLocation;
        pub security: *const c_void;
        /// Compression, direct access over the network, usage: hints, which mean nothing here.
        pub hints: u64;
    }
    /// `CUmemAccessDesc`
    pub struct AccessDescription {
        pub location: MemoryLocation;
        pub flags: u32;
    }
    /// `CUDA_MEM_ALLOC_NODE_PARAMS`
    pub struct AllocationNode {
        pub pool: PoolProperties;
        /// The rest of `CUmemPoolProps`, which means nothing here.
        pub rest: [u64; 9];
        pub access: *const c_void;
        pub access_count, bytes: usize;
        /// Answered.
        pub address: u64;
    }
    /// `CUlaunchConfig`
    pub struct LaunchConfig {
        pub grid, block: [u32; 3];
        pub shared_bytes: u32;
        pub stream: *mut c_void;
        pub attributes: *const LaunchAttribute;
        pub attribute_count: u32;
    }
    /// `CUlaunchAttribute`: what `value` holds depends on the id.
    pub struct LaunchAttribute {
        pub id: u32;
        pub value: [u64; 8];
    }
    /// `CUDA_KERNEL_NODE_PARAMS`, second version.
    pub struct KernelNode {
        pub function: *mut c_void;
        pub grid, block: [u32; 3];
        pub shared_bytes: u32;
        pub parameters, extra: *mut *mut c_void;
        /// Instead of `function`.
        pub kernel: *mut c_void;
        pub context: *mut c_void;
    }
    /// `CUDA_MEMSET_NODE_PARAMS`
    pub struct FillNode {
        pub dst: u64;
        pub pitch: usize;
        pub value, element_bytes: u32;
        pub width, height: usize;
    }
    /// `CUDA_HOST_NODE_PARAMS`
    pub struct HostNode {
        pub function: HostFunction;
        pub data: *mut c_void;
    }
    /// `CUgraphNodeParams`: `rest` begins with the struct of the kind.
    pub struct NodeParameters {
        pub kind: u32;
        pub reserved: [u32; 3];
        pub rest: [u64; 29];
        pub last: u64;
    }
    /// `CUDA_CONDITIONAL_NODE_PARAMS`
    pub struct ConditionalNode {
        pub handle: u64;
        pub kind, size: u32;
        /// Answered: the bodies.
        pub graphs: *mut *mut c_void;
        pub context: *mut c_void;
    }
    /// `CUDA_ARRAY_DESCRIPTOR`
    pub struct ArrayDescriptor2d {
        pub width, height: usize;
        pub format, channels: u32;
    }
    /// `CUDA_ARRAY3D_DESCRIPTOR`
    #[derive(Clone, Copy, Default)]
    pub struct ArrayDescriptor {
        pub width, height, depth: usize;
        pub format, channels, flags, unused: u32;
    }
    /// `CUDA_RESOURCE_DESC`: what `words` hold depends on the kind.
    #[derive(Clone, Copy, Default)]
    pub struct ResourceDescriptor {
        /// 0 an array, 1 a mipmapped one, 2 plain memory, 3 rows of it.
        pub kind: u32;
        pub words: [u64; 16];
        pub flags: u32;
    }
    /// `CUDA_TEXTURE_DESC`
    #[derive(Clone, Copy, Default)]
    pub struct TextureDescriptor {
        pub modes: [u32; 3];
        pub filter, flags, anisotropy, mipmap_filter: u32;
        pub mipmap_bias: f32;
        pub mipmap_range: [f32; 2];
        pub border: [f32; 4];
        pub reserved: [u32; 12];
    }
    /// `CUDA_RESOURCE_VIEW_DESC`, up to what is reserved.
    #[derive(Clone, Copy, Default)]
    pub struct ViewDescriptor {
        pub format: u32;
        /// Texels of the view.
        pub extents: [usize; 3];
        /// First and last.
        pub levels: [u32; 2];
        pub layers: [u32; 2];
    }
    /// `CUipcMemHandle`, `CUipcEventHandle` and `CUmemPoolPtrExportData`: 64 bytes that one process gives to another, and only the driver reads.
    #[derive(Clone, Copy)]
    pub struct IpcHandle {
        pub words: [u64; 8];
    }
    /// `CUdevprop`
    pub struct Properties {
        pub max_threads_per_block: c_int;
        pub max_block, max_grid: [c_int; 3];
        pub shared_bytes_per_block, constant_bytes, warp, max_pitch, registers_per_block: c_int;
        pub clock_khz, texture_alignment: c_int;
    }
}

impl AllocationProperties {
    /// The properties of device memory.
    pub fn pinned(device: c_int, handle_kinds: u32) -> Self {
        let location = MemoryLocation { kind: 1, id: device };
        AllocationProperties { kind: 1, handle_kinds, location, security: core::ptr::null(), hints: 0 }
    }
}

impl NodeParameters {
    /// Bytes in `rest` before the struct of a copy: flags, a reserved word and the context.
    pub const BEFORE_COPY: usize = 16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};
    use cudarc::driver::sys;

    /// The sizes are the same, and so is the place of a field.
    macro_rules! same {
        ($($own:ident $(. $field:ident)+ = $theirs:ident . $place:ident;)*) => { $(
            assert_eq!(size_of::<$own>(), size_of::<sys::$theirs>());
            assert_eq!(offset_of!($own, $($field).+), offset_of!(sys::$theirs, $place));
        )* };
    }

    #[test]
    fn layouts_are_those_of_the_interface() {
        same! {
            Copy2d.to.device = CUDA_MEMCPY2D_st.dstDevice;
            Copy3d.to.pitch = CUDA_MEMCPY3D_st.dstPitch;
            Copy3d.to.context = CUDA_MEMCPY3D_PEER_st.dstContext;
            InstantiateParameters.result = CUDA_GRAPH_INSTANTIATE_PARAMS_st.result_out;
            LaunchConfig.attribute_count = CUlaunchConfig.numAttrs;
            LaunchAttribute.value = CUlaunchAttribute.value;
            KernelNode.kernel = CUDA_KERNEL_NODE_PARAMS_v2_st.kern;
            FillNode.width = CUDA_MEMSET_NODE_PARAMS_st.width;
            AllocationNode.address = CUDA_MEM_ALLOC_NODE_PARAMS_v1_st.dptr;
            AllocationProperties.hints = CUmemAllocationProp_st.allocFlags;
            ResourceDescriptor.flags = CUDA_RESOURCE_DESC.flags;
            TextureDescriptor.border = CUDA_TEXTURE_DESC.borderColor;
            Properties.clock_khz = CUdevprop_st.clockRate;
        }
        assert_eq!(size_of::<UpdateResult>(), size_of::<sys::CUgraphExecUpdateResultInfo_st>());
        assert_eq!(size_of::<HostNode>(), size_of::<sys::CUDA_HOST_NODE_PARAMS_st>());
        assert_eq!(size_of::<AccessDescription>(), size_of::<sys::CUmemAccessDesc_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUipcMemHandle_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUipcEventHandle_st>());
        assert_eq!(size_of::<IpcHandle>(), size_of::<sys::CUmemPoolPtrExportData_st>());
        assert_eq!(size_of::<NodeParameters>(), size_of::<sys::CUgraphNodeParams_st>());
        assert_eq!(size_of::<ConditionalNode>(), size_of::<sys::CUDA_CONDITIONAL_NODE_PARAMS>());
        assert_eq!(size_of::<ArrayDescriptor2d>(), size_of::<sys::CUDA_ARRAY_DESCRIPTOR>());
        assert_eq!(size_of::<ArrayDescriptor>(), size_of::<sys::CUDA_ARRAY3D_DESCRIPTOR>());
        assert_eq!(offset_of!(ViewDescriptor, extents), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, width));
        assert_eq!(offset_of!(ViewDescriptor, layers), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, firstLayer));
        assert_eq!(offset_of!(PoolProperties, location_kind), offset_of!(sys::CUmemPoolProps_st, location));
        assert_eq!(offset_of!(NewPool, most_bytes), offset_of!(sys::CUmemPoolProps_st, maxSize));
        assert_eq!(size_of::<ViewDescriptor>(), offset_of!(sys::CUDA_RESOURCE_VIEW_DESC, reserved));
    }
}
