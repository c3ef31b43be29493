//! The device runtime's functions, by name.
use crate::program::Builtin;

/// Returns whether the device runtime provides a function of this name, so that no module need define it.
pub fn is_provided(function: &str) -> bool {
    builtin(function).is_some()
}

/// The device runtime's functions by name. Those that launch kernels have a name by their version besides: `__cudaCDP2LaunchDeviceV2` is
/// what compilers since CUDA 12 call, `cudaLaunchDeviceV2` what others do.
pub fn builtin(name: &str) -> Option<Builtin> {
    if let Some(name) = name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda")) {
        // Default streams of a block and of a thread are one on the device.
        return Some(match name.strip_suffix("_ptsz").unwrap_or(name) {
            "GetParameterBufferV2" => Builtin::ParameterBufferV2,
            "LaunchDeviceV2" => Builtin::LaunchDeviceV2,
            "GetParameterBuffer" => Builtin::ParameterBuffer,
            "LaunchDevice" => Builtin::LaunchDevice,
            "GetLastError" => Builtin::GetLastError,
            "PeekAtLastError" => Builtin::PeekAtLastError,
            _ => return None,
        });
    }
    Some(match name {
        "vprintf" => Builtin::Vprintf,
        "__assertfail" => Builtin::AssertFail,
        "malloc" => Builtin::Malloc,
        "free" => Builtin::Free,
        _ => return None,
    })
}
