//! The driver's log, `cuLogs…`: who is told of its lines, and the latest of them as text.
use crate::interface::{Cause, Outcome, out, text};
use crate::state::logs::calls::{Callback, logs};
use cuda::layout::Raw;
use std::ffi::{c_char, c_uint};

/// Bytes that a dump to memory has at the most, as the interface says.
const MOST_BYTES: usize = 25_600;
const TRUNCATED: &str = "[older lines are gone]";

pub unsafe fn cuLogsRegisterCallback(callback: Option<Callback>, data: Raw, handle: *mut Raw) -> Outcome {
    let callback = callback.ok_or(Cause::Null("callbackFunc"))?;
    let made = logs().callbacks.insert((callback, data as usize));
    // SAFETY: the caller's pointer, as the interface defines it; null where it wants no handle.
    if handle.is_null() { Ok(()) } else { unsafe { out("callback_out", handle, made as Raw) } }
}

pub fn cuLogsUnregisterCallback(handle: Raw) -> Outcome {
    logs().callbacks.remove(handle as usize).map(|_| ()).map_err(Cause::into_argument)
}

/// The place after the latest line.
pub unsafe fn cuLogsCurrent(iterator: *mut c_uint, flags: c_uint) -> Outcome {
    refuse_flags(flags)?;
    unsafe { out("iterator_out", iterator, logs().end()) }
}

pub unsafe fn cuLogsDumpToFile(iterator: *mut c_uint, path: *const c_char, flags: c_uint) -> Outcome {
    refuse_flags(flags)?;
    // SAFETY: the caller's text and pointer, as the interface defines them.
    let (path, lines) = unsafe { (text("pathToFile", path)?, lines_from(iterator)) };
    std::fs::write(&path, lines.map(|line| line + "\n").collect::<String>())
        .map_err(|error| Cause::NoFile(path, error.to_string()))
}

/// As many of the latest lines as there is room for, one after the other, and how many bytes they take.
pub unsafe fn cuLogsDumpToMemory(
    iterator: *mut c_uint,
    buffer: *mut c_char,
    bytes: *mut usize,
    flags: c_uint,
) -> Outcome {
    refuse_flags(flags)?;
    refuse_if!(buffer.is_null() || bytes.is_null(), Cause::Null(if buffer.is_null() { "buffer" } else { "size" }));
    let (room, lines) = unsafe { (bytes.read_unaligned().min(MOST_BYTES), lines_from(iterator)) };
    let mut all: String = lines.map(|line| line + "\n").collect();
    if all.len() + 1 > room {
        let head = format!("{TRUNCATED}\n");
        let mut from = all.len() - room.saturating_sub(head.len() + 1).min(all.len());
        while !all.is_char_boundary(from) {
            from += 1;
        }
        all = head + &all[from..];
    }
    let fits = all.len().min(room.saturating_sub(1));
    // SAFETY: the caller's buffer has `room` bytes.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(all.as_ptr(), fits);
        if room > 0 {
            buffer.add(fits).write(0);
        }
        bytes.write_unaligned(fits);
    }
    Ok(())
}

/// The lines from the caller's place on, which is at the end then; all of them where it has none.
unsafe fn lines_from(iterator: *mut c_uint) -> impl Iterator<Item = String> {
    let logs = logs();
    // SAFETY: null, or the caller's place.
    let place = if iterator.is_null() { 0 } else { unsafe { iterator.read_unaligned() } };
    let (lines, is_truncated) = logs.since(place);
    if !iterator.is_null() {
        unsafe { iterator.write_unaligned(logs.end()) };
    }
    is_truncated.then(|| TRUNCATED.to_owned()).into_iter().chain(lines)
}

fn refuse_flags(flags: c_uint) -> Outcome {
    if flags == 0 { Ok(()) } else { Err(Cause::NoSuchValue("flags", flags.into())) }
}
