//! Places of callers for answers.

/// Writes an answer to the caller's place; where there is none, the error is `null`. C callers need not align.
///
/// # Safety
/// `to` is null, or may be written as a `T`.
pub unsafe fn out<T, E>(to: *mut T, value: T, null: E) -> Result<(), E> {
    if to.is_null() {
        return Err(null);
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes an answer to the caller's place, which is null where the caller does not want it. C callers need not align.
///
/// # Safety
/// As for [`out`].
pub unsafe fn out_if_wanted<T>(to: *mut T, value: T) {
    // SAFETY: as this function's caller promises.
    let _ = unsafe { out(to, value, ()) };
}

#[cfg(test)]
mod tests {
    use super::out;

    #[test]
    fn an_answer_is_written_where_there_is_a_place() {
        let mut bytes = [0u8; 9];
        // SAFETY: eight bytes from the second on, and no place.
        let written =
            unsafe { [out(bytes.as_mut_ptr().add(1).cast(), u64::MAX, 1), out(core::ptr::null_mut(), 7u32, 2)] };
        assert_eq!(written, [Ok(()), Err(2)]);
        assert_eq!(bytes, [0, 255, 255, 255, 255, 255, 255, 255, 255]);
    }
}
