//! Structs of the runtime's interface; those that it shares with the driver's are in [`cuda::layout`]. Their enums are plain numbers here, since
//! any number may stand there.
use cuda::layout::LaunchAttribute;
use std::ffi::{c_int, c_uint, c_void};

cuda::c_structs! {
    /// `dim3`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Dim3 {
        pub x, y, z: u32;
    }
    /// `cudaLaunchConfig_t`
    pub struct RuntimeLaunchConfig {
        pub grid, block: Dim3;
        pub shared_bytes: usize;
        pub stream: *mut c_void;
        /// An element is the driver's.
        pub attributes: *const LaunchAttribute;
        pub attribute_count: c_uint;
    }
    /// `cudaKernelNodeParams`
    pub struct RuntimeKernelNode {
        pub function: *const c_void;
        pub grid, block: Dim3;
        pub shared_bytes: c_uint;
        pub parameters, extra: *mut *mut c_void;
    }
    /// `cudaPitchedPtr`
    #[derive(Clone, Copy)]
    pub struct Pitched {
        pub pointer: *mut c_void;
        pub pitch, width, height: usize;
    }
    /// `cudaExtent` and `cudaPos`
    #[derive(Clone, Copy)]
    pub struct Extent {
        pub width, height, depth: usize;
    }
    /// `cudaMemcpy3DParms`
    pub struct RuntimeCopy3d {
        pub from_array: *mut c_void;
        pub from_position: Extent;
        pub from: Pitched;
        pub to_array: *mut c_void;
        pub to_position: Extent;
        pub to: Pitched;
        pub extent: Extent;
        pub kind: c_int;
    }
    /// `cudaChannelFormatDesc`: the bits of each of four channels, and what they hold.
    #[derive(Clone, Copy)]
    pub struct ChannelFormat {
        pub bits: [c_int; 4];
        pub kind: c_int;
    }
    /// `cudaResourceDesc`, up to where the versions part.
    pub struct RuntimeResource {
        pub kind: c_uint;
        /// An array's handle, or an address.
        pub pointer: u64;
        pub channels: ChannelFormat;
        /// Bytes of plain memory; or width, height, pitch.
        pub sizes: [u64; 3];
    }
    /// `cudaTextureDesc`
    pub struct RuntimeTexture {
        pub modes: [c_uint; 3];
        pub filter, read_mode: c_uint;
        pub is_srgb: c_int;
        pub border: [f32; 4];
        pub is_normalised: c_int;
        pub anisotropy, mipmap_filter: c_uint;
        pub mipmap: [f32; 3];
        pub keeps_trilinear, is_seamless_cube: c_int;
    }
    /// `cudaFuncAttributes`
    #[derive(Default)]
    pub struct FunctionAttributes {
        pub shared_bytes, constant_bytes, local_bytes: usize;
        /// In the order of the driver's numbers: threads, registers, PTX and binary version, cache mode, dynamic shared memory,
        /// carve-out, then what clusters ask.
        pub rest: [c_int; 13];
        pub reserved: [c_int; 16];
    }
    /// `cudaPointerAttributes`, without what version 13 reserves after it.
    pub struct PointerAttributes {
        /// 0 not CUDA's, 1 host, 2 device, 3 managed.
        pub kind: c_int;
        pub device: c_int;
        pub device_pointer, host_pointer: *mut c_void;
    }
}

impl Dim3 {
    pub fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// The numbers are the answers of `sizeof` and `offsetof` with the headers of CUDA 12.9 and 13.0.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!((size_of::<RuntimeLaunchConfig>(), offset_of!(RuntimeLaunchConfig, attribute_count)), (56, 48));
        assert_eq!((size_of::<RuntimeKernelNode>(), offset_of!(RuntimeKernelNode, parameters)), (56, 40));
        assert_eq!((size_of::<RuntimeCopy3d>(), offset_of!(RuntimeCopy3d, kind)), (160, 152));
        assert_eq!((offset_of!(RuntimeResource, channels), offset_of!(RuntimeResource, sizes)), (16, 40));
        assert_eq!((size_of::<RuntimeTexture>(), offset_of!(RuntimeTexture, is_normalised)), (72, 40));
        assert_eq!(size_of::<FunctionAttributes>(), 144);
        assert_eq!(size_of::<PointerAttributes>(), 24);
    }
}
