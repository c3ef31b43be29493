//! Fat binaries: PTX and machine code for several architectures in one container, plain or compressed.
//!
//! A container tells its own length, and may lie. It is read through `/proc/self/mem`, where an address that nothing lies at
//! is an error and not a crash.
use super::assembler;
use crate::interface::Cause;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

/// The first bytes of a container.
pub const CONTAINER: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
/// The first bytes of the wrapper that points to one.
pub const WRAPPER: [u8; 4] = [0xb1, 0x43, 0x62, 0x46];
/// Kinds of a container's entries: PTX, and machine code.
const PTX: u64 = 1;
const CODE: u64 = 2;
/// Flags of an entry.
const LZ4: u64 = 0x2000;
const ZSTANDARD: u64 = 0x8000;
/// Bytes of an entry's header that are looked at.
const ENTRY_BYTES: usize = 64;
/// Bytes of a container's header.
pub const HEADER_BYTES: usize = 16;

/// An entry of a container.
struct Entry {
    is_ptx: bool,
    architecture: u64,
    flags: u64,
    begin: u64,
    /// As it lies there, the padding left out where it is compressed.
    bytes: u64,
    /// Before it was compressed.
    plain_bytes: u64,
}

/// The PTX in a fat binary: of the entries that the card can take, the one for the newest architecture.
pub fn text(container: u64, capability: u32) -> Result<String, Cause> {
    let entries = entries(container)?;
    let fits = entries.iter().filter(|entry| entry.is_ptx && entry.architecture <= u64::from(capability));
    match fits.max_by_key(|entry| entry.architecture) {
        Some(entry) => utf8(&entry.payload()?),
        None => Err(Cause::NotPtx(without_fitting(&entries, capability))),
    }
}

/// As [`text`]. Where the card would run machine code of the image, which is not executed here, and all PTX is for newer cards, the PTX for the next
/// newer one does it, and says so by its end.
pub fn text_for_module(container: u64, capability: u32) -> Result<String, Cause> {
    let (entries, card) = (entries(container)?, u64::from(capability));
    let is_run = |entry: &&Entry| !entry.is_ptx && entry.architecture / 10 == card / 10 && entry.architecture <= card;
    let least = entries.iter().filter(|entry| entry.is_ptx).min_by_key(|entry| entry.architecture);
    match least.filter(|least| least.architecture > card && entries.iter().any(|entry| is_run(&entry))) {
        Some(newer) => Ok(utf8(&newer.payload()?)? + IN_PLACE_OF_CODE),
        None => text(container, capability),
    }
}

/// Bytes as text, which ends before its first NUL.
pub fn utf8(bytes: &[u8]) -> Result<String, Cause> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let bytes = &bytes[..end];
    let text = std::str::from_utf8(bytes).map_err(|error| Cause::BadPtx {
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u32,
        column: 1,
        message: "the text is not UTF-8".into(),
    })?;
    Ok(text.to_owned())
}

/// The end of a text that runs in place of machine code, though it is for a newer card.
pub const IN_PLACE_OF_CODE: &str = "\n// in place of machine code\n";

/// Describes a fat binary of which a card takes nothing, and says what to do.
fn without_fitting(entries: &[Entry], capability: u32) -> String {
    let of = |is_ptx: bool| -> BTreeSet<u64> {
        entries.iter().filter(|entry| entry.is_ptx == is_ptx).map(|entry| entry.architecture).collect()
    };
    let listed = |prefix: &str, architectures: &BTreeSet<u64>| {
        architectures.iter().map(|number| format!("{prefix}{number}")).collect::<Vec<_>>().join(", ")
    };
    let (ptx, code) = (of(true), of(false));
    let Some(&least) = ptx.first() else {
        let code = if code.is_empty() { String::new() } else { format!(" for {}", listed("sm_", &code)) };
        return format!(
            "a fat binary with machine code alone{code}, and without PTX. Whoever builds it adds PTX by `-gencode \
             arch=compute_{capability},code=compute_{capability}`; a library that others built needs a build that has PTX"
        );
    };
    let card = u32::try_from(least).ok().and_then(assembler::taking);
    let advice = match card {
        Some(card) => format!("`LABS_SIM_PROFILE={}` ({}) takes it", card.key, card.name),
        None => "no built-in card takes it; docs/adding.md tells how to make one".to_owned(),
    };
    format!("a fat binary with PTX for {} alone, and this card is sm_{capability}: {advice}", listed("sm_", &ptx))
}

/// The contents of a container, unpacked; parts that cannot be unpacked are left out.
pub fn payloads(container: u64) -> Result<Vec<Vec<u8>>, Cause> {
    Ok(entries(container)?.iter().filter_map(|entry| entry.payload().ok()).collect())
}

/// Bytes of a container with its header.
pub fn length(container: u64) -> Result<u64, Cause> {
    let header = Fields::read(container, HEADER_BYTES)?;
    Ok(header.number(6, 2)?.saturating_add(header.number(8, 8)?))
}

/// The entries that are PTX or machine code.
///
/// The header is 16 bytes: magic, version, its own length, the length of what follows. An entry's header has at 0 its kind,
/// at 4 its own length, at 8 the payload's with its padding, at 16 the compressed payload's, at 28 the architecture, at 40
/// flags, at 56 the length before compression.
fn entries(container: u64) -> Result<Vec<Entry>, Cause> {
    let header = Fields::read(container, HEADER_BYTES)?;
    let mut at = container.saturating_add(header.number(6, 2)?);
    let end = container.saturating_add(length(container)?);
    let mut entries = Vec::new();
    while end.saturating_sub(at) >= ENTRY_BYTES as u64 {
        let fields = Fields::read(at, ENTRY_BYTES)?;
        let (own, payload) = (fields.number(4, 4)?, fields.number(8, 8)?);
        let begin = at.saturating_add(own);
        if own < ENTRY_BYTES as u64 || payload > end.saturating_sub(begin) {
            return Err(Cause::BadImage("an entry is longer than the fat binary"));
        }
        let flags = fields.number(40, 8)?;
        let bytes = if flags & (LZ4 | ZSTANDARD) == 0 { payload } else { fields.number(16, 4)?.min(payload) };
        let kind = fields.number(0, 2)?;
        if kind == PTX || kind == CODE {
            let (architecture, plain_bytes) = (fields.number(28, 4)?, fields.number(56, 8)?);
            entries.push(Entry { is_ptx: kind == PTX, architecture, flags, begin, bytes, plain_bytes });
        }
        at = begin + payload;
    }
    Ok(entries)
}

impl Entry {
    fn payload(&self) -> Result<Vec<u8>, Cause> {
        let lie = || Cause::BadImage("what is compressed in it cannot be unpacked");
        let bytes = Fields::read(self.begin, usize::try_from(self.bytes).unwrap_or(usize::MAX))?.bytes;
        let room = usize::try_from(self.plain_bytes).ok().filter(|&room| room <= Fields::LONGEST).ok_or_else(lie)?;
        if self.flags & LZ4 != 0 {
            return lz4_flex::block::decompress(&bytes, room).map_err(|_| lie());
        }
        if self.flags & ZSTANDARD != 0 {
            let mut plain = Vec::new();
            let decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).map_err(|_| lie())?;
            decoder.take(Fields::LONGEST as u64).read_to_end(&mut plain).map_err(|_| lie())?;
            return Ok(plain);
        }
        Ok(bytes)
    }
}

/// Bytes of the process's memory, copied out, and the little-endian numbers in them.
pub struct Fields {
    pub bytes: Vec<u8>,
}

impl Fields {
    /// More than any image has: a length beyond it is a lie, and no reason to ask for memory.
    const LONGEST: usize = 1 << 32;

    pub fn read(address: u64, bytes: usize) -> Result<Fields, Cause> {
        let lie = Cause::BadImage("a length or an address in it leads out of memory");
        refuse_if!(bytes > Self::LONGEST, lie);
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

    pub fn number(&self, at: usize, size: usize) -> Result<u64, Cause> {
        number(&self.bytes, at, size)
    }
}

/// A little-endian number in some bytes.
pub fn number(bytes: &[u8], at: usize, size: usize) -> Result<u64, Cause> {
    let field = at.checked_add(size).and_then(|end| bytes.get(at..end));
    let field = field.ok_or(Cause::BadImage("it ends too early"))?;
    Ok(field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}
