//! Facts about an image that cannot be loaded: its kernels by name, and the file that it lies in.
use super::fat_binary::{self, CONTAINER, Fields, number};
use super::image::{is_machine_code, wrapped};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};

/// The facts about an image.
#[derive(Clone, Debug, Default)]
pub struct ImageFacts {
    /// Names of its kernels; none where they cannot be read.
    pub kernels: Vec<String>,
    /// The library or program that the image is part of, where it is part of one.
    pub file: Option<String>,
    /// True if it holds PTX, right or wrong: a version stands in it.
    pub is_ptx: bool,
}

impl ImageFacts {
    /// # Safety
    /// `image` is null, or points to NUL-terminated text, machine code, or a container.
    pub unsafe fn of(image: *const c_void) -> ImageFacts {
        if image.is_null() {
            return ImageFacts::default();
        }
        let file = file_of(image as u64);
        let magic = Fields::read(image as u64, 4).map(|fields| fields.bytes).unwrap_or_default();
        if magic == CONTAINER || magic == fat_binary::WRAPPER {
            let container = if magic == CONTAINER { Ok(image as u64) } else { wrapped(image as u64) };
            let payloads = container.and_then(fat_binary::payloads).unwrap_or_default();
            let kernels: BTreeSet<String> = payloads.iter().flat_map(|bytes| kernels(bytes)).collect();
            let is_ptx = payloads.iter().any(|bytes| is_text(bytes));
            return ImageFacts { kernels: kernels.into_iter().collect(), file, is_ptx };
        }
        if is_machine_code(&magic) {
            let bytes = elf_bytes(image as u64).unwrap_or_default();
            return ImageFacts { kernels: kernels(&bytes), file, is_ptx: false };
        }
        // SAFETY: text ends in NUL.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_bytes();
        ImageFacts { file, ..ImageFacts::of_bytes(text) }
    }

    /// Reads them from text or machine code that lies anywhere.
    pub fn of_bytes(bytes: &[u8]) -> ImageFacts {
        ImageFacts { kernels: kernels(bytes), file: None, is_ptx: is_text(bytes) }
    }
}

fn is_text(bytes: &[u8]) -> bool {
    !is_machine_code(bytes) && bytes.windows(8).any(|window| window == b".version")
}

/// The kernels of PTX, or of machine code.
fn kernels(bytes: &[u8]) -> Vec<String> {
    if is_machine_code(bytes) {
        return sections(bytes)
            .unwrap_or_default()
            .iter()
            .filter_map(|name| Some(name.strip_prefix(".text.")?.to_owned()))
            .collect();
    }
    let text = String::from_utf8_lossy(bytes);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    text.split(".entry")
        .skip(1)
        .map(|rest| rest.trim_start().chars().take_while(|&c| is_of_name(c)).collect::<String>())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Bytes of an ELF file's header, and of an entry of its table of sections.
const HEADER_BYTES: usize = 64;
const SECTION_BYTES: u64 = 64;

/// Machine code in the process's memory, up to the end of its table of sections.
fn elf_bytes(address: u64) -> Option<Vec<u8>> {
    let header = Fields::read(address, HEADER_BYTES).ok()?;
    let end = header.number(0x28, 8).ok()?.checked_add(header.number(0x3c, 2).ok()?.checked_mul(SECTION_BYTES)?)?;
    Fields::read(address, usize::try_from(end).ok()?).ok().map(|fields| fields.bytes)
}

/// The names of an ELF file's sections.
fn sections(bytes: &[u8]) -> Option<Vec<String>> {
    let field = |at: u64, size| number(bytes, usize::try_from(at).ok()?, size).ok();
    let (table, count, names) = (field(0x28, 8)?, field(0x3c, 2)?, field(0x3e, 2)?);
    let section = |index: u64| table.checked_add(index.checked_mul(SECTION_BYTES)?);
    let names_at = field(section(names)?.checked_add(0x18)?, 8)?;
    let name = |index: u64| {
        let from = usize::try_from(names_at.checked_add(field(section(index)?, 4)?)?).ok()?;
        let text = bytes.get(from..)?;
        Some(String::from_utf8_lossy(&text[..text.iter().position(|&byte| byte == 0)?]).into_owned())
    };
    Some((0..count).filter_map(name).collect())
}

/// The file that is mapped at an address.
fn file_of(address: u64) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (begin, end) = line.split_once(' ')?.0.split_once('-')?;
        let range = u64::from_str_radix(begin, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
        let path = line.find('/').map(|at| &line[at..]);
        range.contains(&address).then(|| path.map(str::to_owned))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_a_text_are_found_by_name() {
        let text = b".version 7.0\n.target sm_100\n.visible .entry first(.param .u64 a) { ret; }\n.weak .entry\n_Z6secondv()\n{ ret; }\0";
        let facts = ImageFacts::of_bytes(text);
        assert_eq!(facts.kernels, ["first", "_Z6secondv"]);
        assert!(facts.is_ptx);
        assert!(!ImageFacts::of_bytes(b"no image").is_ptx);
    }

    #[test]
    fn a_constant_lies_in_the_program() {
        static IMAGE: &[u8] = b".version 7.0 .entry k() {}\0";
        // SAFETY: text that ends in NUL.
        let facts = unsafe { ImageFacts::of(IMAGE.as_ptr().cast()) };
        let own = std::env::current_exe().expect("a path");
        assert_eq!(facts.file.as_deref(), own.to_str());
        let boxed = b".version 7.0\0".to_vec();
        // SAFETY: as above.
        assert_eq!(unsafe { ImageFacts::of(boxed.as_ptr().cast()) }.file, None);
    }

    /// An ELF file with a section for names and two for code.
    #[test]
    fn kernels_of_machine_code_are_its_sections() {
        let names = b"\0.text.one\0.text.two\0";
        let mut bytes = vec![0u8; HEADER_BYTES];
        bytes[..4].copy_from_slice(b"\x7fELF");
        bytes.extend_from_slice(names);
        let table = bytes.len() as u64;
        for (name, at) in [(0u32, HEADER_BYTES as u64), (1, 0), (11, 0)] {
            let mut section = [0u8; SECTION_BYTES as usize];
            section[..4].copy_from_slice(&name.to_le_bytes());
            section[0x18..0x20].copy_from_slice(&at.to_le_bytes());
            bytes.extend_from_slice(&section);
        }
        bytes[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        bytes[0x3c] = 3;
        assert_eq!(ImageFacts::of_bytes(&bytes).kernels, ["one", "two"]);
        // SAFETY: machine code that tells its length.
        assert_eq!(unsafe { ImageFacts::of(bytes.as_ptr().cast()) }.kernels, ["one", "two"]);
    }
}
