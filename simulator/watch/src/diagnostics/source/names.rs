//! Names: kernels, threads, arrays and their elements as the source calls them.
use super::lines::{is_in_rust, site};
use super::origin::made_from;
use super::scene::Scene;
use machine::fault::Place;
use machine::memory::{Allocation, Described, Kind};
use machine::program::Pointer;
use ptx::tree::Space;

/// "1 byte", "2 bytes".
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The path of a function or variable of Rust, without hashes: `_ZN3lib3add17h0123456789abcdefE` is `lib::add`.
pub(crate) fn rust_path(mangled: &str) -> Option<String> {
    // Other names begin with `_ZN` too, but end in no hash.
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let legacy = || mangled.strip_suffix('E')?.rsplit_once("17h").filter(|(_, hash)| is_hash(hash));
    if !mangled.starts_with("_R") && (!mangled.starts_with("_ZN") || legacy().is_none()) {
        return None;
    }
    Some(format!("{:#}", rustc_demangle::try_demangle(mangled).ok()?))
}

/// The function's own name in a mangled one: `_Z3addPfi` is `add`, `_ZN2cg4syncEv` is `sync`; of Rust the path.
pub fn kernel_name(mangled: &str) -> String {
    if let Some(path) = rust_path(mangled) {
        return path;
    }
    let Some(rest) = mangled.strip_prefix("_Z") else { return mangled.into() };
    let nested = rest.strip_prefix('N');
    let mut rest = nested.unwrap_or(rest);
    let mut name = None;
    while let Some((identifier, after)) = identifier(rest) {
        name = Some(identifier);
        rest = after;
        if nested.is_none() {
            break;
        }
    }
    name.unwrap_or(mangled).into()
}

/// The variable's own name: a `__shared__` array of a function is `_ZZ3addPfiE4tile`, of a template `_ZZ3addIfE…E4tile`.
pub(crate) fn variable_name(mangled: &str) -> String {
    if let Some(local) = mangled.strip_prefix("_ZZ") {
        let ends = local.match_indices('E').map(|(at, _)| &local[at + 1..]);
        for rest in ends {
            // The last part is the name: nothing after it but a discriminator such as `_0`.
            if let Some((name, after)) = identifier(rest)
                && after.trim_start_matches(|c: char| c == '_' || c.is_ascii_digit()).is_empty()
            {
                return name.into();
            }
        }
    }
    kernel_name(mangled)
}

/// A length and as many characters: `4tile`.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text.get(..digits)?.parse().ok()?;
    let rest = &text[digits..];
    (length > 0 && rest.is_char_boundary(length) && rest.len() >= length).then(|| rest.split_at(length))
}

/// "thread (3, 1, 0) of block (0, 2, 0), lane 3 of warp 0, with 5 more lanes of the warp"
pub(crate) fn who(at: &Place) -> String {
    let [x, y, z] = at.thread;
    let [bx, by, bz] = at.block;
    let mut text = format!("thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz}), lane {} of warp {}", at.lane, at.warp);
    let more = at.lanes.count_ones().saturating_sub(1);
    if more > 0 {
        text += &format!(", with {} of the warp", count(u64::from(more), "more lane"));
    }
    text
}

/// An array and the element of it that an address is, in elements of the access that touched it.
pub(crate) struct Element {
    /// Such as "`a`".
    pub array: String,
    /// Relative to the array's beginning; negative in front of it.
    pub index: i64,
    /// How many elements the array has.
    pub elements: u64,
    pub bytes: u64,
    /// Bytes between the array's end and the first byte asked for; negative inside.
    pub past_end: i64,
    pub freed: bool,
}

impl Element {
    /// "`a`[1600]"; "`sum`" where there is only one; "element 31 of parameter 5 (of 7)" where it has no name.
    pub fn name(&self) -> String {
        match () {
            () if self.elements == 1 && self.index == 0 => self.array.clone(),
            () if self.has_name() => format!("{}[{}]", self.array, self.index),
            () => format!("element {} of {}", self.index, self.array),
        }
    }

    fn has_name(&self) -> bool {
        self.array.starts_with('`') && self.array.ends_with('`')
    }

    /// "`a`[1600] of `a`[0 … 1599], 6400 bytes in all"
    pub fn within(&self) -> String {
        match self.elements {
            2.. if !self.has_name() => {
                let last = self.elements - 1;
                format!("{}; it has elements 0 … {last}, {} in all", self.name(), count(self.bytes, "byte"))
            }
            0 => format!("{}; {} has {}", self.name(), self.array, count(self.bytes, "byte")),
            1 => format!("{}; {} has one element, {}", self.name(), self.array, count(self.bytes, "byte")),
            n => format!("{} of {}[0 … {}], {} in all", self.name(), self.array, n - 1, count(self.bytes, "byte")),
        }
    }
}

/// The name of the element that an access touches.
pub(crate) fn element_name(scene: &Scene, at: &Place, space: Space, address: u64, bytes: u32) -> String {
    element(scene, at, space, address, bytes).map_or_else(|| "one address".into(), |element| element.name())
}

/// The element at an address of a space, as the code at `at` sees it; `None` where nothing is known.
pub(crate) fn element(scene: &Scene, at: &Place, space: Space, address: u64, bytes: u32) -> Option<Element> {
    let size = element_bytes(scene, at).unwrap_or(bytes).max(1);
    match space {
        Space::Shared => shared_element(scene, at.function, address, size),
        Space::Global | Space::Generic | Space::Const => global_element(scene, at, address, size),
        Space::Local | Space::Param => None,
    }
}

/// Bytes of one element of an access: `ld.global.v4.f32` has 4.
fn element_bytes(scene: &Scene, at: &Place) -> Option<u32> {
    Some(site(scene, at)?.element_bytes).filter(|&bytes| bytes != 0)
}

/// The element of the array that begins at `start` in shared memory, which an access at `address` means and the array has not.
pub(crate) fn shared_array(scene: &Scene, at: &Place, start: u64, address: u64, bytes: u32) -> Option<Element> {
    let size = element_bytes(scene, at).unwrap_or(bytes).max(1);
    let array = shared_element(scene, at.function, start, size)?;
    let from_start = address as i64 - start as i64;
    let index = from_start.div_euclid(i64::from(size));
    Some(Element { index, past_end: from_start - array.bytes as i64, ..array })
}

/// The array that an instruction of the text accesses, as the source calls it; `None` where its address may be made from several.
pub fn array_of(scene: &Scene, function: u32, site: u32) -> Option<String> {
    let launch = scene.launch;
    let own = launch.program.functions.get(function as usize)?;
    let site = own.sites.get(site as usize)?;
    if !site.shared_array.is_empty() {
        return Some(shared_element(scene, function, site.shared_array.start.into(), 1)?.array);
    }
    let pointer =
        own.pointers.get(site.pointers.trailing_zeros() as usize).filter(|_| site.pointers.is_power_of_two())?;
    match *pointer {
        Pointer::Shared(start, _) => Some(shared_element(scene, function, start.into(), 1)?.array),
        Pointer::Variable(address) => Some(array_name(scene, &launch.memory.find(address)?).0),
        Pointer::Parameter(_) if function != launch.function_id => None,
        Pointer::Parameter(offset) => {
            let index = launch.function.parameters.iter().position(|slot| slot.offset == offset)?;
            let name = parameter_name(scene, index).map(|name| format!("`{name}`"));
            Some(name.unwrap_or_else(|| parameter_number(scene, index)))
        }
    }
}

fn shared_element(scene: &Scene, function: u32, address: u64, size: u32) -> Option<Element> {
    let launch = scene.launch;
    let function = launch.program.functions.get(function as usize)?;
    let symbols = function.shared_symbols.iter().chain(&launch.function.shared_symbols);
    let inside = |start: u32, bytes: u32| address >= u64::from(start) && address < u64::from(start) + u64::from(bytes);
    let total = launch.shared_bytes;
    let dynamic_start = launch.function.dynamic_shared_start;
    // A dynamic array has no size of its own: it reaches to the end of the block's shared memory.
    let mut symbols: Vec<(&str, u32, u32)> = symbols
        .map(|s| (s.name.as_str(), s.offset, if s.bytes == 0 { total.saturating_sub(s.offset) } else { s.bytes }))
        .collect();
    symbols.sort_by_key(|&(_, offset, _)| offset);
    let found = symbols.iter().find(|&&(_, start, bytes)| inside(start, bytes));
    let is_dynamic = (u64::from(dynamic_start)..total.into()).contains(&address);
    // Outside of all: the last one that begins below.
    let found = found.or_else(|| symbols.iter().rfind(|&&(_, start, _)| u64::from(start) <= address && !is_dynamic));
    let (array, start, bytes) = match found {
        Some(&(name, start, bytes)) => (format!("`{}`", variable_name(name)), start, bytes),
        None if is_dynamic => ("dynamic shared memory".to_string(), dynamic_start, launch.dynamic_shared_bytes),
        None => ("the block's shared memory".to_string(), 0, total),
    };
    Some(Element {
        array,
        index: (address as i64 - i64::from(start)).div_euclid(i64::from(size)),
        elements: u64::from(bytes / size),
        bytes: u64::from(bytes),
        past_end: address as i64 - i64::from(start) - i64::from(bytes),
        freed: false,
    })
}

fn global_element(scene: &Scene, at: &Place, address: u64, size: u32) -> Option<Element> {
    let (found, freed) = match scene.launch.memory.describe(address) {
        Described::Null => return None,
        Described::Inside(found, _) => (found, false),
        near => match (made_from(scene, at), near) {
            (Some(known), _) => known,
            (None, Described::Near(found, _)) => (found, false),
            (None, Described::Freed(found, _)) => (found, true),
            _ => return None,
        },
    };
    let (array, base) = array_name(scene, &found);
    Some(Element {
        array,
        index: (address.wrapping_sub(base) as i64).div_euclid(i64::from(size)),
        elements: (found.address + found.bytes).saturating_sub(base) / u64::from(size),
        bytes: found.bytes,
        past_end: address.wrapping_sub(found.address + found.bytes) as i64,
        freed,
    })
}

/// The allocation's name in the kernel and the address that the kernel knows as its element 0.
pub(crate) fn array_name(scene: &Scene, found: &Allocation) -> (String, u64) {
    if matches!(found.kind, Kind::Global | Kind::Constant) && !found.name.is_empty() {
        return (format!("`{}`", variable_name(&found.name)), found.address);
    }
    let launch = scene.launch;
    // A slice of Rust is a pointer and a length.
    let slice = if is_in_rust(scene) { 16 } else { 8 };
    let may_point = |slot: &machine::program::Slot| [8, slice].contains(&slot.bytes);
    for (index, slot) in launch.function.parameters.iter().enumerate().filter(|(_, slot)| may_point(slot)) {
        let start = slot.offset as usize;
        let Some(bytes) = launch.parameters.get(start..start + 8) else { continue };
        let pointer = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        if pointer >= found.address && pointer < found.address + found.bytes.max(1) {
            let name = parameter_name(scene, index).map(|name| format!("`{name}`"));
            return (name.unwrap_or_else(|| parameter_number(scene, index)), pointer);
        }
    }
    (allocation(found), found.address)
}

/// "`x`, 400 bytes" or "allocation 3, 400 bytes"
pub(crate) fn allocation(found: &Allocation) -> String {
    match found.name.as_str() {
        "" => format!("allocation {} of {}", found.serial + 1, count(found.bytes, "byte")),
        name => format!("`{}` of {}", variable_name(name), count(found.bytes, "byte")),
    }
}

/// The source's name for a parameter: PTX only counts them. Looks for the kernel's own parameter list; where macros
/// build the kernels, for the list of a function with `__global__` that has as many parameters.
pub(crate) fn parameter_name(scene: &Scene, index: usize) -> Option<String> {
    let launch = scene.launch;
    let wanted = launch.function.parameters.len();
    let name = kernel_name(&launch.function.name);
    let file = launch.function.sites.iter().map(|site| site.at.file).find(|&file| file != 0)?;
    let source = (scene.sources)(launch.program.files.get(file as usize)?)?;
    if is_in_rust(scene) {
        return rust_parameters(&source, &name).filter(|list| list.len() == wanted)?.into_iter().nth(index);
    }
    let mut by_shape = None;
    for (at, _) in source.match_indices("__global__") {
        for (head, list) in parameter_lists(&source[at..]) {
            if list.len() != wanted {
                continue;
            }
            let own = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != '#').find(|part| !part.is_empty());
            if own == Some(&name) {
                return list.into_iter().nth(index);
            }
            by_shape.get_or_insert(list);
        }
    }
    by_shape?.into_iter().nth(index)
}

/// The names of a Rust function's parameters.
fn rust_parameters(source: &str, path: &str) -> Option<Vec<String>> {
    let head = format!("fn {}", path.rsplit("::").next()?);
    let heads = source.match_indices(&head).map(|(at, _)| source[at + head.len()..].trim_start());
    let mut rest = heads.into_iter().find(|rest| rest.starts_with(['(', '<']))?;
    rest = &rest[rest.find('(')? + 1..];
    // Commas of a type stand in brackets.
    let (mut depth, mut names, mut start) = (0, Vec::new(), 0);
    for (at, c) in rest.char_indices() {
        let ends = depth == 0 && matches!(c, ',' | ')');
        if ends && let Some((name, _)) = rest[start..at].split_once(':') {
            names.push(name.trim().trim_start_matches("mut ").to_string());
        }
        match c {
            ')' if depth == 0 => break,
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' if ends => start = at + 1,
            _ => {}
        }
    }
    Some(names)
}

/// "parameter 5 (of 7)"; of Numba's arrays, each of which has several parameters, also which array it is: "array argument 1
/// (parameter 5 of 14)".
fn parameter_number(scene: &Scene, index: usize) -> String {
    let function = &scene.launch.function;
    let all = function.parameters.len();
    let number = index + 1;
    let arguments = numba_arguments(&function.name).filter(|arguments| arguments.iter().sum::<usize>() == all);
    let mut first = 0;
    for (argument, parameters) in arguments.iter().flatten().enumerate() {
        if (first..first + parameters).contains(&index) {
            return match parameters {
                1 => format!("argument {} (parameter {number} of {all})", argument + 1),
                _ => format!("array argument {} (parameter {number} of {all})", argument + 1),
            };
        }
        first += parameters;
    }
    format!("parameter {number} (of {all})")
}

/// How many parameters each argument of a kernel of Numba has, as its mangled name tells: an array of *n* dimensions 5 + 2*n*, a
/// number one.
fn numba_arguments(mangled: &str) -> Option<Vec<usize>> {
    let mut rest = mangled.strip_prefix("_ZN6cudapy")?;
    // The names of module and kernel, with their versions.
    while !rest.starts_with('E') {
        rest = identifier(rest.strip_prefix('B').unwrap_or(rest))?.1;
    }
    rest = &rest[1..];
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        if let Some(array) = rest.strip_prefix("5ArrayI") {
            let (_, shape) = array.split_once("Li")?;
            let (dimensions, mut qualifiers) = shape.split_once('E')?;
            while let Some((_, after)) = identifier(qualifiers) {
                qualifiers = after;
            }
            rest = qualifiers.strip_prefix('E')?;
            arguments.push(5 + 2 * dimensions.parse::<usize>().ok()?);
        } else {
            let is_number = rest.starts_with(|c: char| c.is_ascii_lowercase());
            rest = is_number.then(|| &rest[1..])?;
            arguments.push(1);
        }
    }
    Some(arguments)
}

/// The parenthesised lists that follow a `__global__` up to its body, as the identifiers that end their items.
fn parameter_lists(text: &str) -> Vec<(&str, Vec<String>)> {
    let text = &text[..text.find(['{', ';']).unwrap_or(text.len())];
    let mut lists = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ')' => {
                depth -= 1;
                if depth == 0 {
                    let items = text[start + 1..at].split(',').filter_map(last_identifier).collect();
                    lists.push((text[..start].trim_end(), items));
                }
            }
            _ => {}
        }
    }
    lists
}

fn last_identifier(item: &str) -> Option<String> {
    let item = item.split(['=', '[']).next()?.trim_end_matches(|c: char| c.is_whitespace() || c == '\\');
    let name = item.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!name.is_empty()).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_mangled_ones() {
        assert_eq!(kernel_name("naive_f32"), "naive_f32");
        assert_eq!(kernel_name("_Z3addPfi"), "add");
        assert_eq!(kernel_name("_ZN7kernels4gemmEv"), "gemm");
        assert_eq!(kernel_name("_ZN7kernels4gemm17h0123456789abcdefE"), "kernels::gemm");
        assert_eq!(kernel_name("_RNvNtCs1peUGmbrgHn_4core9panicking9panic_fmt"), "core::panicking::panic_fmt");
        assert_eq!(variable_name("_ZZ6sharedIfLi8EEvPT_PKS0_S3_iiiE6tile_a"), "tile_a");
        assert_eq!(variable_name("_ZZ3addPfiE4tile_0"), "tile");
        assert_eq!(variable_name("table"), "table");
    }

    #[test]
    fn arguments_of_numba_have_several_parameters() {
        let array = |kind: &str, dimensions| format!("5ArrayI{kind}Li{dimensions}E1C7mutable7alignedE");
        let name = format!("_ZN6cudapy8__main__7add_oneB2v1B7cw51_3dE{}x{}", array("d", 1), array("f", 2));
        assert_eq!(kernel_name(&name), "add_one");
        assert_eq!(numba_arguments(&name), Some(vec![7, 1, 9]));
        assert_eq!(numba_arguments("_ZN2cg4syncEv"), None);
    }

    #[test]
    fn parameters_of_rust_are_found_before_their_types() {
        let source =
            "fn add2(z: u32) {}\nfn add(mut out: &mut [[f32; 4]], map: Pair<u8, u16>,\n    n: usize,\n) { f(a, b) }";
        assert_eq!(rust_parameters(source, "lib::add").unwrap(), ["out", "map", "n"]);
        assert_eq!(rust_parameters(source, "ad"), None);
    }

    #[test]
    fn parameters_are_found_in_plain_and_in_macro_kernels() {
        let plain = "__global__ void __launch_bounds__(256) add(float* c, const float* __restrict__ a, int n) {";
        let lists = parameter_lists(plain);
        let (head, names) = lists.last().unwrap();
        assert!(head.ends_with("add"));
        assert_eq!(*names, ["c", "a", "n"]);
        let built = "__global__ void __launch_bounds__(E* E)   \\\n   shared_##d##_##E(T* c, const T* a) {  \\\n";
        assert_eq!(parameter_lists(built).last().unwrap().1, ["c", "a"]);
    }
}
