//! Images that modules are loaded from: PTX text, and the containers that nvcc puts it in.
//!
//! A container tells its own length, and may lie. All of it but plain text is read through `/proc/self/mem`, where an
//! address that nothing lies at is an error and not a crash.
use crate::driver::interface::cause::Cause;
use std::ffi::{CStr, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The caller's image as PTX text, for a card of this compute capability, as `.target` counts it (89).
///
/// # Safety
/// `image` points to NUL-terminated text, or to a container.
pub unsafe fn read_image(image: *const c_void, capability: u32) -> Result<String, Cause> {
    if image.is_null() {
        return Err(Cause::Null("image"));
    }
    let bytes = image.cast::<u8>();
    // SAFETY: an image has at least the four bytes of a magic number, or ends within them with NUL.
    let magic: Vec<u8> = (0..4)
        .map(|i| unsafe { bytes.add(i).read() })
        .scan(true, |on, byte| {
            let keep = *on;
            *on &= byte != 0;
            keep.then_some(byte)
        })
        .collect();
    match magic.as_slice() {
        [0x7f, b'E', b'L', b'F'] => Err(Cause::NotPtx("a CUBIN, machine code of one architecture")),
        magic if magic == CONTAINER => fat_text(image as u64, capability),
        // The wrapper that nvcc makes: magic, version, a pointer to the container.
        [0xb1, 0x43, 0x62, 0x46] => {
            let container = Fields::read(image as u64, 16)?.number(8, 8)?;
            if Fields::read(container, 4)?.bytes != CONTAINER {
                return Err(Cause::BadImage("its wrapper points to something else"));
            }
            fat_text(container, capability)
        }
        // SAFETY: text ends in NUL.
        _ => text(unsafe { CStr::from_ptr(image.cast()) }.to_bytes()),
    }
}

/// The first bytes of a container.
const CONTAINER: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
/// Of a container's entry: this kind is PTX.
const PTX: u64 = 1;
/// Flags of an entry: LZ4 and Zstandard.
const COMPRESSED: u64 = 0xa000;
/// Bytes of an entry's header that are looked at.
const ENTRY_BYTES: usize = 48;

/// The PTX in a fat binary: of the entries that the card can take, the one for the newest architecture.
///
/// The header is 16 bytes: magic, version, its own length, the length of what follows. An entry's header has at 0 its kind,
/// at 4 its own length, at 8 the payload's, at 28 the architecture, at 40 flags.
fn fat_text(container: u64, capability: u32) -> Result<String, Cause> {
    let header = Fields::read(container, 16)?;
    let mut at = container.saturating_add(header.number(6, 2)?);
    let end = at.saturating_add(header.number(8, 8)?);
    let mut best: Option<(u64, u64, u64)> = None;
    let (mut compressed, mut newer) = (false, false);
    while end.saturating_sub(at) >= ENTRY_BYTES as u64 {
        let entry = Fields::read(at, ENTRY_BYTES)?;
        let (own, payload) = (entry.number(4, 4)?, entry.number(8, 8)?);
        let begin = at.saturating_add(own);
        if own < ENTRY_BYTES as u64 || payload > end.saturating_sub(begin) {
            return Err(Cause::BadImage("an entry is longer than the fat binary"));
        }
        if entry.number(0, 2)? == PTX {
            let architecture = entry.number(28, 4)?;
            if entry.number(40, 8)? & COMPRESSED != 0 {
                compressed = true;
            } else if architecture > u64::from(capability) {
                newer = true;
            } else if best.is_none_or(|(known, ..)| architecture > known) {
                best = Some((architecture, begin, payload));
            }
        }
        at = begin + payload;
    }
    match best {
        Some((_, begin, bytes)) => {
            let payload = Fields::read(begin, usize::try_from(bytes).unwrap_or(usize::MAX))?.bytes;
            let end = payload.iter().position(|&byte| byte == 0).unwrap_or(payload.len());
            text(&payload[..end])
        }
        None if compressed => {
            Err(Cause::NotPtx("a fat binary whose PTX is compressed (nvcc --no-compress leaves it plain)"))
        }
        None if newer => Err(Cause::NotPtx("a fat binary whose PTX is for newer architectures than this device's")),
        None => Err(Cause::NotPtx("a fat binary without PTX")),
    }
}

/// Bytes of the process's memory, copied out, and the little-endian numbers in them.
struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    /// More than any image has: a length beyond it is a lie, and no reason to ask for memory.
    const LONGEST: usize = 1 << 32;

    fn read(address: u64, bytes: usize) -> Result<Fields, Cause> {
        let lie = Cause::BadImage("a length or an address in it leads out of memory");
        if bytes > Self::LONGEST {
            return Err(lie);
        }
        let memory =
            File::open("/proc/self/mem").map_err(|error| Cause::NoFile("/proc/self/mem".into(), error.to_string()))?;
        let mut out = Vec::new();
        // In pieces: what is not there is noticed before all the room for it is taken.
        while out.len() < bytes {
            let from = out.len();
            out.resize(bytes.min(from + (1 << 20)), 0);
            memory.read_exact_at(&mut out[from..], address.saturating_add(from as u64)).map_err(|_| lie.clone())?;
        }
        Ok(Fields { bytes: out })
    }

    fn number(&self, at: usize, size: usize) -> Result<u64, Cause> {
        let field = self.bytes.get(at..at + size).ok_or(Cause::BadImage("it ends too early"))?;
        Ok(field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }
}

/// Bytes as text.
fn text(bytes: &[u8]) -> Result<String, Cause> {
    let text = std::str::from_utf8(bytes).map_err(|error| Cause::BadPtx {
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u32,
        column: 1,
        message: "the text is not UTF-8".into(),
    })?;
    Ok(text.to_owned())
}
