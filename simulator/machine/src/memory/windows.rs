//! Generic addresses: shared, local and parameter memory and the device's functions have windows of their own, all else is global.
use ptx::isa::Space;

/// Generic address of byte 0 of a block's shared memory.
pub const SHARED_WINDOW: u64 = 0x7e00_0000_0000_0000;
/// Generic address of byte 0 of a thread's local memory.
pub const LOCAL_WINDOW: u64 = 0x7d00_0000_0000_0000;
/// Generic address of byte 0 of a kernel's parameters.
pub const PARAM_WINDOW: u64 = 0x7c00_0000_0000_0000;
/// Address of the first device function.
pub const FUNCTION_WINDOW: u64 = 0x7b00_0000_0000_0000;
/// Bytes that each window spans.
pub const WINDOW_BYTES: u64 = 1 << 32;

/// The state space that a generic address lies in, and where the space begins.
pub fn space_of(address: u64) -> (Space, u64) {
    for (space, window) in [(Space::Shared, SHARED_WINDOW), (Space::Local, LOCAL_WINDOW), (Space::Param, PARAM_WINDOW)]
    {
        if address.wrapping_sub(window) < WINDOW_BYTES {
            return (space, window);
        }
    }
    (Space::Global, 0)
}
