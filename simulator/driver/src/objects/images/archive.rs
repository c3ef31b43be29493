//! Object files and libraries that nvcc makes: the fat binaries in them.
use super::fat_binary::{self, CONTAINER, number};
use crate::interface::{Cause, Outcome};

/// The first bytes of a library.
const LIBRARY: &[u8] = b"!<arch>\n";
/// The first bytes of an object file.
const OBJECT: &[u8] = b"\x7fELF";
/// Bytes of a member's header in a library.
const MEMBER_BYTES: usize = 60;

/// A name, and PTX for a card or why there is none.
pub type Found = (String, Result<String, String>);

/// The PTX of a fat binary.
pub fn fat_binary(name: &str, container: u64, capability: u32) -> Result<Found, Cause> {
    match fat_binary::text(container, capability) {
        Ok(text) => Ok((name.to_owned(), Ok(text))),
        Err(Cause::NotPtx(why)) => Ok((name.to_owned(), Err(why))),
        Err(other) => Err(other),
    }
}

/// The PTX of each fat binary in an object file or a library, by the member that has it.
pub fn modules(name: &str, bytes: &[u8], capability: u32) -> Result<Vec<Found>, Cause> {
    let mut modules = Vec::new();
    if bytes.starts_with(LIBRARY) {
        for (member, bytes) in members(bytes)? {
            if bytes.starts_with(OBJECT) {
                object(&format!("{name}({member})"), bytes, capability, &mut modules)?;
            }
        }
    } else if bytes.starts_with(OBJECT) {
        object(name, bytes, capability, &mut modules)?;
    } else {
        return Err(Cause::BadImage("it is neither an object file nor a library"));
    }
    Ok(modules)
}

/// The members of a library with their names.
fn members(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, Cause> {
    let short = Cause::BadImage("a library's member is longer than the library");
    let mut members = Vec::new();
    let mut at = LIBRARY.len();
    while let Some(header) = bytes.get(at..at + MEMBER_BYTES) {
        let field = |from: usize, to: usize| String::from_utf8_lossy(&header[from..to]).trim().to_owned();
        let length: usize = field(48, 58).parse().map_err(|_| short.clone())?;
        let begin = at + MEMBER_BYTES;
        let content = begin.checked_add(length).and_then(|end| bytes.get(begin..end)).ok_or(short.clone())?;
        members.push((field(0, 16).trim_end_matches('/').to_owned(), content));
        at = begin + length.next_multiple_of(2);
    }
    Ok(members)
}

/// The fat binaries in an object file's sections, one after the other.
fn object(name: &str, bytes: &[u8], capability: u32, into: &mut Vec<Found>) -> Outcome {
    for section in sections(bytes)? {
        let mut rest = section;
        while rest.starts_with(&CONTAINER) {
            let at = rest.as_ptr() as u64;
            let length = usize::try_from(fat_binary::length(at)?).unwrap_or(usize::MAX);
            if length > rest.len() || length < fat_binary::HEADER_BYTES {
                return Err(Cause::BadImage("a fat binary is longer than its section"));
            }
            into.push(fat_binary(name, at, capability)?);
            let padding = rest[length..].iter().take_while(|&&byte| byte == 0).count();
            rest = &rest[length + padding..];
        }
    }
    Ok(())
}

/// The sections of an ELF file that nvcc puts fat binaries into: `.nv_fatbin`, or `__nv_relfatbin` with `-rdc=true`.
fn sections(bytes: &[u8]) -> Result<Vec<&[u8]>, Cause> {
    let field = |at: u64, size: usize| number(bytes, usize::try_from(at).unwrap_or(usize::MAX), size);
    let (table, size, count, names) = (field(0x28, 8)?, field(0x3a, 2)?, field(0x3c, 2)?, field(0x3e, 2)?);
    let header = |index: u64| table.saturating_add(size.saturating_mul(index));
    let names = field(header(names).saturating_add(0x18), 8)?;
    let mut found = Vec::new();
    for index in 0..count {
        let name = names.saturating_add(field(header(index), 4)?);
        let name = bytes.get(usize::try_from(name).unwrap_or(usize::MAX)..).unwrap_or_default();
        if name.starts_with(b".nv_fatbin\0") || name.starts_with(b"__nv_relfatbin\0") {
            let (begin, length) = (field(header(index) + 0x18, 8)? as usize, field(header(index) + 0x20, 8)? as usize);
            let section = begin.checked_add(length).and_then(|end| bytes.get(begin..end));
            found.push(section.ok_or(Cause::BadImage("a section is longer than the object file"))?);
        }
    }
    Ok(found)
}
