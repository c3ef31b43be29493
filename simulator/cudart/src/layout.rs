//! Structs of the two interfaces. Their enums are plain numbers here, since any number may stand there.
use std::ffi::{c_int, c_uint, c_void};

/// `dim3`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    pub fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// `CUDA_MEMCPY2D`'s sides.
#[repr(C)]
pub struct Side2d {
    pub x_bytes: usize,
    pub y: usize,
    /// 1 host, 2 device, 3 array, 4 unified.
    pub kind: c_uint,
    pub host: *const c_void,
    pub device: u64,
    pub array: *const c_void,
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
pub struct Copy2d {
    pub from: Side2d,
    pub to: Side2d,
    pub width_bytes: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`'s sides.
#[repr(C)]
pub struct Side3d {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    pub kind: c_uint,
    pub host: *const c_void,
    pub device: u64,
    pub array: *const c_void,
    pub reserved: *const c_void,
    pub pitch: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`
#[repr(C)]
pub struct Copy3d {
    pub from: Side3d,
    pub to: Side3d,
    pub width_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUlaunchConfig`
#[repr(C)]
pub struct LaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: c_uint,
    pub stream: *mut c_void,
    pub attributes: *const c_void,
    pub attribute_count: c_uint,
}

/// `cudaLaunchConfig_t`
#[repr(C)]
pub struct RuntimeLaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: usize,
    pub stream: *mut c_void,
    /// An element is laid out as the driver's.
    pub attributes: *const c_void,
    pub attribute_count: c_uint,
}

/// `CUDA_KERNEL_NODE_PARAMS`, second version.
#[repr(C)]
pub struct KernelNode {
    pub function: *mut c_void,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: c_uint,
    pub parameters: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kernel: *mut c_void,
    pub context: *mut c_void,
}

/// `cudaKernelNodeParams`
#[repr(C)]
pub struct RuntimeKernelNode {
    pub function: *const c_void,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: c_uint,
    pub parameters: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

/// `cudaGraphNodeParams`: `rest` begins with the struct of the kind.
#[repr(C)]
pub struct RuntimeNode {
    pub kind: u32,
    pub reserved: [u32; 3],
    pub rest: [u64; 29],
    pub last: u64,
}

/// `cudaPitchedPtr`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pitched {
    pub pointer: *mut c_void,
    pub pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `cudaExtent` and `cudaPos`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaMemcpy3DParms`
#[repr(C)]
pub struct RuntimeCopy3d {
    pub from_array: *mut c_void,
    pub from_position: Extent,
    pub from: Pitched,
    pub to_array: *mut c_void,
    pub to_position: Extent,
    pub to: Pitched,
    pub extent: Extent,
    pub kind: c_int,
}

/// `cudaChannelFormatDesc`: the bits of each of four channels, and what they hold.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ChannelFormat {
    pub bits: [c_int; 4],
    pub kind: c_int,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Default)]
pub struct ArrayDescriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: c_uint,
    pub channels: c_uint,
    pub flags: c_uint,
    pub unused: c_uint,
}

/// `CUDA_RESOURCE_DESC`: what `words` hold depends on the kind.
#[repr(C)]
#[derive(Default)]
pub struct ResourceDescriptor {
    pub kind: c_uint,
    pub words: [u64; 16],
    pub flags: c_uint,
}

/// `cudaResourceDesc`, up to where the versions part.
#[repr(C)]
pub struct RuntimeResource {
    pub kind: c_uint,
    /// An array's handle, or an address.
    pub pointer: u64,
    pub channels: ChannelFormat,
    /// Bytes of plain memory; or width, height, pitch.
    pub sizes: [u64; 3],
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Default)]
pub struct TextureDescriptor {
    pub modes: [c_uint; 3],
    pub filter: c_uint,
    pub flags: c_uint,
    pub anisotropy: c_uint,
    pub mipmap_filter: c_uint,
    /// Bias, least and most level.
    pub mipmap: [f32; 3],
    pub border: [f32; 4],
    pub reserved: [c_uint; 12],
}

/// `cudaResourceViewDesc`, which begins as the driver's, and has in CUDA 12 nothing behind that.
#[repr(C)]
#[derive(Default)]
pub struct ViewDescriptor {
    pub format: c_uint,
    pub extents: [usize; 3],
    /// First and last.
    pub levels: [c_uint; 2],
    pub layers: [c_uint; 2],
}

/// `cudaTextureDesc`
#[repr(C)]
pub struct RuntimeTexture {
    pub modes: [c_uint; 3],
    pub filter: c_uint,
    pub read_mode: c_uint,
    pub is_srgb: c_int,
    pub border: [f32; 4],
    pub is_normalised: c_int,
    pub anisotropy: c_uint,
    pub mipmap_filter: c_uint,
    pub mipmap: [f32; 3],
    pub keeps_trilinear: c_int,
    pub is_seamless_cube: c_int,
}

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`, which are the driver's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcHandle {
    pub words: [u64; 8],
}

/// `cudaFuncAttributes`
#[repr(C)]
#[derive(Default)]
pub struct FunctionAttributes {
    pub shared_bytes: usize,
    pub constant_bytes: usize,
    pub local_bytes: usize,
    /// In the order of the driver's numbers: threads, registers, PTX and binary version, cache mode, dynamic shared memory,
    /// carve-out, then what clusters ask.
    pub rest: [c_int; 13],
    pub reserved: [c_int; 16],
}

/// `cudaPointerAttributes`, without what version 13 reserves after it.
#[repr(C)]
pub struct PointerAttributes {
    /// 0 not CUDA's, 1 host, 2 device, 3 managed.
    pub kind: c_int,
    pub device: c_int,
    pub device_pointer: *mut c_void,
    pub host_pointer: *mut c_void,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// What `sizeof` and `offsetof` answer with the headers of CUDA 12.9 and 13.0.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<Copy2d>(), 128);
        assert_eq!(size_of::<Copy3d>(), 200);
        assert_eq!((size_of::<LaunchConfig>(), offset_of!(LaunchConfig, attribute_count)), (56, 48));
        assert_eq!((size_of::<RuntimeLaunchConfig>(), offset_of!(RuntimeLaunchConfig, attribute_count)), (56, 48));
        assert_eq!((size_of::<KernelNode>(), offset_of!(KernelNode, kernel)), (72, 56));
        assert_eq!((size_of::<RuntimeKernelNode>(), offset_of!(RuntimeKernelNode, parameters)), (56, 40));
        assert_eq!((size_of::<RuntimeCopy3d>(), offset_of!(RuntimeCopy3d, kind)), (160, 152));
        assert_eq!(size_of::<ArrayDescriptor>(), 40);
        assert_eq!((size_of::<ResourceDescriptor>(), offset_of!(ResourceDescriptor, flags)), (144, 136));
        assert_eq!((offset_of!(RuntimeResource, channels), offset_of!(RuntimeResource, sizes)), (16, 40));
        assert_eq!((size_of::<TextureDescriptor>(), offset_of!(TextureDescriptor, border)), (104, 40));
        assert_eq!((size_of::<RuntimeTexture>(), offset_of!(RuntimeTexture, is_normalised)), (72, 40));
        assert_eq!((size_of::<ViewDescriptor>(), offset_of!(ViewDescriptor, levels)), (48, 32));
        assert_eq!((size_of::<RuntimeNode>(), offset_of!(RuntimeNode, rest)), (256, 16));
        assert_eq!(size_of::<FunctionAttributes>(), 144);
        assert_eq!(size_of::<PointerAttributes>(), 24);
    }
}
