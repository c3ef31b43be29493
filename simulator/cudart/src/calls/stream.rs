//! Streams and their capture.
use crate::context::enter;
use crate::driver::Raw;
use crate::status::Outcome;
use std::ffi::c_uint;

/// Places for what is known of a capture; each but the first may be null.
pub struct CaptureInfo {
    pub status: *mut c_uint,
    pub id: *mut u64,
    pub graph: *mut Raw,
    pub dependencies: *mut *const Raw,
    pub count: *mut usize,
}

/// `cudaStreamGetCaptureInfo`, with data of edges where the caller has a place for them.
pub unsafe fn capture_info(stream: Raw, info: CaptureInfo, data: Option<*mut Raw>) -> Outcome {
    let driver = enter()?.0;
    let CaptureInfo { status, id, graph, dependencies, count } = info;
    unsafe {
        match data {
            Some(data) => driver.cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, data.cast(), count),
            None => driver.cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count),
        }
    }
}
