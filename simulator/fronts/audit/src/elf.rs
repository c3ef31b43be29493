//! The little of ELF that the auditor reads: a file's sections, symbols, and the bounds of its functions. 64 bits, x86-64, little
//! end first; of any other file there is nothing to read.
use std::ops::Range;

/// A file. Everything in it is borrowed from its bytes; a length or a place that cannot be is answered with none.
pub struct Elf<'a> {
    bytes: &'a [u8],
    segments: Vec<Segment>,
    sections: Vec<Section<'a>>,
}

/// A segment that the loader maps.
struct Segment {
    addresses: Range<u64>,
    offset: usize,
}

/// A section with its bytes.
pub struct Section<'a> {
    /// Such as `.text`.
    pub name: &'a str,
    kind: u32,
    flags: u64,
    /// Before the loader's base.
    pub address: u64,
    /// None where the section is filled with zeros.
    pub bytes: &'a [u8],
    link: usize,
}

/// A function or variable that has a name.
#[derive(Clone, Copy)]
pub struct Symbol<'a> {
    /// As it is linked.
    pub name: &'a str,
    /// Before the loader's base.
    pub address: u64,
    /// Its length.
    pub bytes: u64,
    /// It is code.
    pub is_function: bool,
    /// Nobody outside of the file sees it.
    pub is_hidden: bool,
    /// It is in this file.
    pub is_defined: bool,
}

const X86_64: u16 = 62;
const LOADED: u32 = 1;
const SYMBOLS: u32 = 2;
const NO_BYTES: u32 = 8;
const DYNAMIC_SYMBOLS: u32 = 11;
const ALLOCATED: u64 = 2;
const EXECUTABLE: u64 = 4;
const HIDDEN: u8 = 2;

fn bytes<const N: usize>(from: &[u8], at: usize) -> Option<[u8; N]> {
    from.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn half(from: &[u8], at: usize) -> Option<usize> {
    bytes(from, at).map(|bytes| u16::from_le_bytes(bytes).into())
}

/// Four bytes.
pub fn word(from: &[u8], at: usize) -> Option<u32> {
    bytes(from, at).map(u32::from_le_bytes)
}

fn long(from: &[u8], at: usize) -> Option<u64> {
    bytes(from, at).map(u64::from_le_bytes)
}

fn place(from: &[u8], at: usize) -> Option<usize> {
    long(from, at)?.try_into().ok()
}

/// A text that ends in NUL.
pub fn text(from: &[u8]) -> Option<&str> {
    let end = memchr::memchr(0, from)?;
    str::from_utf8(&from[..end]).ok()
}

/// An address and a distance from it.
fn from_here(address: u64, distance: u32) -> u64 {
    address.wrapping_add_signed(i64::from(distance.cast_signed()))
}

impl<'a> Elf<'a> {
    /// A program or library for x86-64; none where it is anything else.
    pub fn parse(bytes: &'a [u8]) -> Option<Elf<'a>> {
        // 64 bits, little end first.
        if bytes.get(..6)? != b"\x7fELF\x02\x01" || half(bytes, 18)? != usize::from(X86_64) {
            return None;
        }
        let (headers, length, count) = (place(bytes, 32)?, half(bytes, 54)?, half(bytes, 56)?);
        let segments = (0..count)
            .map(|i| Segment::parse(bytes.get(headers.checked_add(i * length)?..)?))
            .collect::<Option<Vec<_>>>()?;
        let (headers, length, count) = (place(bytes, 40)?, half(bytes, 58)?, half(bytes, 60)?);
        if count == 0 {
            return None;
        }
        let header = |i: usize| bytes.get(headers.checked_add(i * length)?..);
        let names = Section::parse(bytes, &[], header(half(bytes, 62)?)?)?.bytes;
        let sections = (0..count).map(|i| Section::parse(bytes, names, header(i)?)).collect::<Option<Vec<_>>>()?;
        Some(Elf { bytes, segments: segments.into_iter().flatten().collect(), sections })
    }

    /// The section of a name.
    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Sections that are mapped: code, or what is no code.
    pub fn mapped(&self, is_code: bool) -> impl Iterator<Item = &Section<'a>> {
        let wanted = if is_code { ALLOCATED | EXECUTABLE } else { ALLOCATED };
        self.sections.iter().filter(move |section| section.flags & (ALLOCATED | EXECUTABLE) == wanted)
    }

    /// The table of symbols, or with `dynamic` of those that the loader knows.
    pub fn symbols(&self, dynamic: bool) -> impl Iterator<Item = Symbol<'a>> {
        let kind = if dynamic { DYNAMIC_SYMBOLS } else { SYMBOLS };
        let table = self.sections.iter().find(|section| section.kind == kind);
        let names = self.names(dynamic);
        let rows = table.map_or(&[][..], |table| table.bytes).chunks_exact(24);
        rows.filter_map(move |row| {
            Some(Symbol {
                name: text(names.get(word(row, 0)? as usize..)?)?,
                is_function: row[4] & 15 == 2,
                is_hidden: row[4] >> 4 == 0 || row[5] & 3 == HIDDEN,
                is_defined: half(row, 6)? != 0,
                address: long(row, 8)?,
                bytes: long(row, 16)?,
            })
        })
    }

    /// The names of a table of symbols, one after the other.
    pub fn names(&self, dynamic: bool) -> &'a [u8] {
        let kind = if dynamic { DYNAMIC_SYMBOLS } else { SYMBOLS };
        let table = self.sections.iter().find(|section| section.kind == kind);
        table.and_then(|table| self.sections.get(table.link)).map_or(&[], |names| names.bytes)
    }

    /// The file's bytes from an address on, as far as they are mapped in one piece.
    pub fn at(&self, address: u64) -> Option<&'a [u8]> {
        let segment = self.segments.iter().find(|segment| segment.addresses.contains(&address))?;
        let from = segment.offset.checked_add((address - segment.addresses.start).try_into().ok()?)?;
        let end = segment.offset.checked_add((segment.addresses.end - segment.addresses.start).try_into().ok()?)?;
        self.bytes.get(from..end)
    }

    /// The bounds of functions, in order: those that the tables for unwinding tell, which no stripping takes away.
    pub fn functions(&self) -> Vec<Range<u64>> {
        let Some(header) = self.section(".eh_frame_hdr") else { return Vec::new() };
        // Version 1; rows of two distances from this section, as compilers for x86-64 have them.
        if header.bytes.get(..4) != Some(&[1, 0x1b, 3, 0x3b]) {
            return Vec::new();
        }
        let rows = header.bytes.get(12..).unwrap_or_default().chunks_exact(8);
        let function = |row: &[u8]| {
            let start = from_here(header.address, word(row, 0)?);
            let entry = from_here(header.address, word(row, 4)?);
            let fields = self.at(entry)?;
            // The entry says where the function begins, from the field itself, and its length.
            let is_its = from_here(entry + 8, word(fields, 8)?) == start;
            is_its.then_some(start..start.checked_add(word(fields, 12)?.into())?)
        };
        let mut found: Vec<_> = rows.filter_map(function).collect();
        found.sort_by_key(|function| function.start);
        found
    }
}

impl Segment {
    /// None, or none of those that are mapped.
    fn parse(header: &[u8]) -> Option<Option<Segment>> {
        let (start, length) = (long(header, 16)?, long(header, 32)?);
        let segment = Segment { addresses: start..start.checked_add(length)?, offset: place(header, 8)? };
        Some((word(header, 0)? == LOADED).then_some(segment))
    }
}

impl<'a> Section<'a> {
    fn parse(file: &'a [u8], names: &'a [u8], header: &[u8]) -> Option<Section<'a>> {
        let kind = word(header, 4)?;
        let from = place(header, 24)?;
        let bytes = if kind == NO_BYTES { &[] } else { file.get(from..from.checked_add(place(header, 32)?)?)? };
        let name = names.get(word(header, 0)? as usize..).and_then(text).unwrap_or_default();
        let (flags, address) = (long(header, 8)?, long(header, 16)?);
        Some(Section { name, kind, flags, address, bytes, link: word(header, 40)? as usize })
    }
}
