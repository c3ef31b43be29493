//! Structs of the interface that callers fill. Their enums are plain numbers here, since any number may stand there.
use std::ffi::{c_int, c_void};

/// One side of a copy of rows.
#[repr(C)]
pub struct PlaneSide {
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
pub struct Plane {
    pub from: PlaneSide,
    pub to: PlaneSide,
    pub width_bytes: usize,
    pub height: usize,
}

/// One side of a copy of slices.
#[repr(C)]
pub struct SolidSide {
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
pub struct Solid {
    pub from: SolidSide,
    pub to: SolidSide,
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

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_interface() {
        assert_eq!(size_of::<Plane>(), size_of::<sys::CUDA_MEMCPY2D_st>());
        assert_eq!(offset_of!(Plane, to.device), offset_of!(sys::CUDA_MEMCPY2D_st, dstDevice));
        assert_eq!(size_of::<Solid>(), size_of::<sys::CUDA_MEMCPY3D_st>());
        assert_eq!(offset_of!(Solid, to.pitch), offset_of!(sys::CUDA_MEMCPY3D_st, dstPitch));
        assert_eq!(size_of::<Solid>(), size_of::<sys::CUDA_MEMCPY3D_PEER_st>());
        assert_eq!(offset_of!(Solid, to.context), offset_of!(sys::CUDA_MEMCPY3D_PEER_st, dstContext));
        assert_eq!(size_of::<InstantiateParameters>(), size_of::<sys::CUDA_GRAPH_INSTANTIATE_PARAMS_st>());
        assert_eq!(
            offset_of!(InstantiateParameters, result),
            offset_of!(sys::CUDA_GRAPH_INSTANTIATE_PARAMS_st, result_out)
        );
        assert_eq!(size_of::<UpdateResult>(), size_of::<sys::CUgraphExecUpdateResultInfo_st>());
        assert_eq!(offset_of!(PoolProperties, location_kind), offset_of!(sys::CUmemPoolProps_st, location));
    }
}
