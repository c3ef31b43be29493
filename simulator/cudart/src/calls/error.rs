//! Results in words.
use crate::driver;
use crate::status;
use std::ffi::c_char;

/// From here on the driver's numbers have the same words, and the driver may say more.
const FIRST_SHARED: u32 = 100;

/// `cudaGetErrorString`: the driver's words, which may name line, thread and address, else the standing ones.
pub fn words(code: u32) -> *const c_char {
    let mut words = std::ptr::null();
    // SAFETY: a place for an address, which stays good.
    let asked = |driver: &driver::Driver| unsafe { driver.cuGetErrorString(code, &mut words) }.is_ok();
    if code >= FIRST_SHARED && driver::loaded().is_some_and(asked) && !words.is_null() {
        return words;
    }
    status::words(code)
}
