//! Finding NVIDIA's runtime library where it is linked into a program or library: the address of each function of the interface.
//!
//! A program that nvcc links has its symbols, unless somebody strips it. Without them two things remain: the tables for unwinding tell where
//! functions begin and end, and each function of the interface hands its own name to profilers, so its code takes the address of that
//! text. The few functions that do not, which the code that nvcc generates calls, lie around one that does, in one order and with
//! one length each in all versions from 12.9 to 13.5, whose archives a test compares (`tests/archives.rs`). What differs from that is refused, and nothing is guessed.
use crate::elf::{Elf, Symbol, text, word};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};

/// A runtime library that is linked in.
#[derive(Debug)]
pub struct LinkedIn {
    /// Version of the interface: 12090, 13000.
    pub version: u32,
    /// All that were found.
    pub entries: Vec<Entry>,
}

/// A function of the interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name of the function: `cudaMalloc`.
    pub name: String,
    /// Before the loader's base.
    pub address: u64,
    /// Bytes from there that are the function's, or fill the place behind it.
    pub room: u64,
}

/// Why a library that is linked in is not known well enough.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// It tells the version, and programs that are linked with a shared runtime library have it as no function of their own.
const VERSION: &str = "cudaRuntimeGetVersion";
/// How the names of the library's own functions begin: of CUDA 12 and later; in CUDA 11 a number follows the second.
const PRIVATE: [&str; 2] = ["libcudart_static_", "\0__cudart"];
/// The one function among those that register code which hands its name to profilers.
const ANCHOR: &str = "__cudaInitModule";

/// The functions around [`ANCHOR`], by their distance from it in the order of addresses, and their bytes; none where they differ between
/// versions.
const AROUND: [(isize, &str, Option<u64>); 15] = include!("around.txt");

/// The texts of names lie after that of [`ANCHOR`]: the first of them less than so many bytes from it, 3840 in CUDA 12.9.
const TEXTS: u64 = 0x4000;
/// And each of them less than so many bytes from the one before, 64 in CUDA 12.9. A program's own texts of such a name, as in the messages of
/// cuDNN 9, lie elsewhere.
const GAP: u64 = 1024;

/// The runtime library in a file, if one is linked in. `known` are the names of the project's own library of that version, of which
/// some are enough: they tell where in the file the library is.
///
/// # Errors
/// There is one, and not all of its functions could be told for sure.
pub fn find(elf: &Elf, known: impl Fn(u32) -> BTreeSet<String>) -> Result<Option<LinkedIn>, Unknown> {
    // The library looks for the driver by itself. Nearly all files end here.
    let names = elf.names(true);
    let imports = |name: &str| memchr::memmem::find(names, name.as_bytes()).is_some();
    if !imports("dlopen\0") || (imports(VERSION) && elf.symbols(true).any(|symbol| symbol.name == VERSION)) {
        return Ok(None);
    }
    // Programs that open the library themselves may have functions of these names, which pass calls on.
    if has_private(elf.names(false)) {
        let found = by_symbols(elf, known)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    by_texts(elf)
}

/// Returns whether names of NVIDIA's own functions are among these.
fn has_private(names: &[u8]) -> bool {
    let [since_12, in_11] = PRIVATE.map(str::as_bytes);
    let is_numbered = |at: usize| names.get(at + in_11.len()).is_some_and(u8::is_ascii_digit);
    memchr::memmem::find(names, since_12).is_some() || memchr::memmem::find_iter(names, in_11).any(is_numbered)
}

/// A name as the interface has them.
fn is_name(name: &str) -> bool {
    let rest = name.strip_prefix("__").unwrap_or(name).strip_prefix("cuda");
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()) && rest.bytes().all(is_letter))
}

/// Functions that the file names: hidden ones, as NVIDIA's are.
fn by_symbols(elf: &Elf, known: impl Fn(u32) -> BTreeSet<String>) -> Result<Option<LinkedIn>, Unknown> {
    let mut functions: Vec<Symbol> =
        elf.symbols(false).filter(|symbol| symbol.is_function && symbol.is_defined && symbol.bytes > 0).collect();
    functions.sort_by_key(|symbol| symbol.address);
    let of_name = |symbol: &&Symbol| symbol.is_hidden && is_name(symbol.name);
    let Some(tells) = functions.iter().find(|symbol| symbol.name == VERSION && symbol.is_hidden) else {
        return Ok(None);
    };
    let version = version(elf, tells.address..tells.address + tells.bytes)?;
    let known = known(version);
    // Functions of the program's own may have such names, but none lies between those of the library.
    let mut places = BTreeMap::new();
    for symbol in functions.iter().filter(of_name).filter(|symbol| known.contains(symbol.name)) {
        if places.insert(symbol.name, symbol.address).is_some_and(|other| other != symbol.address) {
            return Err(Unknown(format!("two functions are called {}", symbol.name)));
        }
    }
    let first = places.values().min().copied().unwrap_or(tells.address);
    let last = places.values().max().copied().unwrap_or(tells.address);
    let entry = |symbol: &Symbol| {
        let next = functions.iter().map(|other| other.address).find(|start| *start > symbol.address);
        let function = symbol.address..symbol.address + symbol.bytes;
        Entry { name: symbol.name.to_owned(), address: symbol.address, room: room(elf, function, next) }
    };
    let inside = functions.iter().filter(of_name).filter(|symbol| (first..=last).contains(&symbol.address));
    Ok(Some(LinkedIn { version, entries: inside.map(entry).collect() }))
}

/// Functions that the file does not name, by the texts that they hand on.
fn by_texts(elf: &Elf) -> Result<Option<LinkedIn>, Unknown> {
    let anchor = format!("{ANCHOR}\0");
    let has_anchor = |bytes: &[u8]| memchr::memmem::find(bytes, anchor.as_bytes()).is_some();
    if !elf.mapped(false).any(|section| section.name == ".rodata" && has_anchor(section.bytes)) {
        return Ok(None);
    }
    let functions = elf.functions();
    let takers = takers(elf, &functions);
    // A text of this name that no function takes says nothing: tools have lists of such names.
    let anchors: Vec<_> = takers.iter().filter(|((name, _), _)| *name == ANCHOR).collect();
    let [((_, text), taker)] = anchors[..] else {
        if anchors.is_empty() {
            return Ok(None);
        }
        return Err(Unknown(format!("several texts are {ANCHOR}")));
    };
    let (texts, anchor) = (near(*text, takers.keys().map(|(_, text)| *text)), only(ANCHOR, taker)?);
    let mut entries = BTreeMap::new();
    for ((name, _), taken_by) in takers.iter().filter(|((_, text), _)| texts.contains(text)) {
        if entries.insert(*name, only(name, taken_by)?).is_some() {
            return Err(Unknown(format!("several texts are {name}")));
        }
    }
    for (distance, name, length) in AROUND {
        let index = anchor.checked_add_signed(distance).filter(|index| *index < functions.len());
        let length_is = |index: usize| functions[index].end - functions[index].start;
        match index {
            Some(index) if length.is_none_or(|length| length == length_is(index)) => entries.insert(name, index),
            _ => return Err(Unknown(unlike(elf, name, entries.get(VERSION).map(|index| functions[*index].clone())))),
        };
    }
    let mut taken = BTreeSet::new();
    if let Some((name, _)) = entries.iter().find(|(_, index)| !taken.insert(**index)) {
        return Err(Unknown(format!("{name} and another name are those of one function")));
    }
    let tells = *entries.get(VERSION).ok_or_else(|| Unknown(format!("{VERSION} is not there")))?;
    let entry = |(name, index): (&str, usize)| {
        let function = functions[index].clone();
        let next = functions.get(index + 1).map(|next| next.start);
        Entry { name: name.to_owned(), address: function.start, room: room(elf, function, next) }
    };
    let version = version(elf, functions[tells].clone())?;
    Ok(Some(LinkedIn { version, entries: entries.into_iter().map(entry).collect() }))
}

/// Says that a function is not in its place, and of which version the library is, if that can be told.
fn unlike(elf: &Elf, name: &str, tells: Option<Range<u64>>) -> String {
    let version = tells.and_then(|function| version(elf, function).ok());
    let of = version.map_or_else(String::new, |version| format!(" (it is that of CUDA {})", written(version)));
    format!("it is stripped, and {name} is not where it is in the versions from 12.9 to 13.5{of}")
}

/// A version as people write it: 11080 is 11.8.
pub fn written(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// From the anchor's address to the last address that is reached by one step of at most [`TEXTS`] and further ones of at most [`GAP`].
fn near(anchor: u64, addresses: impl Iterator<Item = u64>) -> RangeInclusive<u64> {
    let after: BTreeSet<u64> = addresses.filter(|address| *address > anchor).collect();
    let step = |last: u64| if last == anchor { TEXTS } else { GAP };
    let last = after.into_iter().fold(anchor, |last, next| if next - last <= step(last) { next } else { last });
    anchor..=last
}

/// The one function that takes a text.
fn only(name: &str, functions: &BTreeSet<usize>) -> Result<usize, Unknown> {
    match functions.first() {
        Some(function) if functions.len() == 1 => Ok(*function),
        _ => Err(Unknown(format!("{} functions take the text {name}", functions.len()))),
    }
}

/// By text and its address, the functions whose code takes the address of a name of the interface (`lea REGISTER, [rip + …]`).
fn takers<'a>(elf: &Elf<'a>, functions: &[Range<u64>]) -> BTreeMap<(&'a str, u64), BTreeSet<usize>> {
    let mut found = BTreeMap::<_, BTreeSet<usize>>::new();
    for section in elf.mapped(true) {
        for at in memchr::memchr_iter(0x8d, section.bytes) {
            let Some(begin) = at.checked_sub(1) else { continue };
            let Some([0x48 | 0x4c, _, register]) = section.bytes.get(begin..begin + 3) else { continue };
            let (true, Some(distance)) = (register & 0xc7 == 5, word(section.bytes, begin + 3)) else { continue };
            let address = section.address + begin as u64;
            let target = (address + 7).wrapping_add_signed(distance.cast_signed().into());
            let Some(bytes) = elf.at(target).filter(|bytes| bytes.starts_with(b"cuda") || bytes.starts_with(b"__cuda"))
            else {
                continue;
            };
            let Some(name) = text(&bytes[..bytes.len().min(128)]).filter(|name| is_name(name)) else { continue };
            let after = functions.partition_point(|function| function.start <= address);
            if let Some(index) = after.checked_sub(1).filter(|index| functions[*index].contains(&address)) {
                found.entry((name, target)).or_default().insert(index);
            }
        }
    }
    found
}

/// The version of the interface: what `cudaRuntimeGetVersion`, or a function that it calls, stores (`mov [REGISTER], number`).
fn version(elf: &Elf, function: Range<u64>) -> Result<u32, Unknown> {
    const CALL: u8 = 0xe8;
    /// A function that only stores it is no longer.
    const SHORT: usize = 32;
    let code = |range: &Range<u64>| {
        elf.at(range.start).map(|code| &code[..code.len().min((range.end - range.start) as usize)])
    };
    let stored = |code: &[u8]| -> BTreeSet<u32> {
        let numbers = memchr::memchr_iter(0xc7, code)
            .filter(|at| code.get(at + 1).is_some_and(|operand| matches!(operand, 0..=3 | 6 | 7)));
        let numbers = numbers.filter_map(|at| word(code, at + 2));
        numbers.filter(|number| (10_000..100_000).contains(number) && number % 10 == 0).collect()
    };
    let own = code(&function).unwrap_or_default();
    let mut found = stored(own);
    for at in memchr::memchr_iter(CALL, own) {
        let Some(distance) = word(own, at + 1) else { continue };
        let called = (function.start + at as u64 + 5).wrapping_add_signed(distance.cast_signed().into());
        found.extend(elf.at(called).map(|code| stored(&code[..code.len().min(SHORT)])).unwrap_or_default());
    }
    match found.first() {
        Some(version) if found.len() == 1 => Ok(*version),
        _ => Err(Unknown(format!("{VERSION} does not tell its version"))),
    }
}

/// The bytes of a function and of what fills the place up to the next one, if nothing else is between them.
fn room(elf: &Elf, function: Range<u64>, next: Option<u64>) -> u64 {
    /// Bytes of instructions that do nothing, which compilers and linkers fill with.
    const FILL: [u8; 11] = [0x90, 0xcc, 0x66, 0x2e, 0x0f, 0x1f, 0x40, 0x44, 0x80, 0x84, 0];
    let length = function.end - function.start;
    let Some(next) = next.filter(|next| *next >= function.end && next - function.end < 16) else { return length };
    let between = elf.at(function.end).unwrap_or_default();
    let is_fill = between.iter().take((next - function.end) as usize).all(|byte| FILL.contains(byte));
    if is_fill { next - function.start } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_names_of_both_lines() {
        assert!(has_private(b"\0main\0libcudart_static_00ff\0"));
        assert!(has_private(b"\0__cudart_i2opi_f\0__cudart1075\0"));
        assert!(!has_private(b"\0__cudart_i2opi_f\0my__cudart1\0__cudart"));
    }

    #[test]
    fn a_text_far_from_the_others_is_a_programs_own() {
        let [first, last] = [5000 + TEXTS, 5000 + TEXTS + GAP];
        let far = last + GAP + 1;
        assert_eq!(near(5000, [far, last, 10, first, 5000].into_iter()), 5000..=last);
        assert_eq!(near(5000, [5000, first + 1].into_iter()), 5000..=5000);
    }
}
