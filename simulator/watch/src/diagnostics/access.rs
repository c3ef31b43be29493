//! The words for single accesses: what they do, and what is wrong with where they do it.
use super::message::Message;
use super::source::names::{Element, count, element, shared_array};
use super::source::origin::between;
use super::source::scene::Scene;
use machine::fault::{AccessKind, Place};
use machine::memory::Described;
use ptx::tree::Space;

/// "reads", "writes", "updates"
pub(super) fn does(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "atomically updates",
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic | Space::Global => "global memory",
        Space::Shared => "shared memory",
        Space::Local => "the thread's local memory",
        Space::Const => "constant memory",
        Space::Param => "the kernel's parameters",
    }
}

/// An address as a number, for spaces where it says something.
pub(super) fn offset(address: u64) -> String {
    format!("{address:#x}")
}

/// Words an access outside of memory that it may touch.
pub(super) fn out_of_bounds<'a>(
    scene: &Scene,
    kernel: &str,
    at: &'a Place,
    space: Space,
    address: u64,
    bytes: u32,
    kind: AccessKind,
) -> Message<'a> {
    let does = does(kind);
    let found = element(scene, at, space, address, bytes);
    let is_global = matches!(space, Space::Global | Space::Generic | Space::Const);
    let between = if is_global { between(scene, at, address) } else { Vec::new() };
    let (kind, title, what, next) = match found {
        _ if !between.is_empty() => (
            "out of bounds",
            format!("`{kernel}` {does} memory that is of no array, far from all"),
            between,
            "look at where this line's pointer comes from, and compare the index with the size of its array".to_string(),
        ),
        Some(element) if element.freed => (
            "use after free",
            format!("`{kernel}` {does} {} after it was freed", element.array),
            vec![element.within()],
            "free it after the last kernel that uses it has ended, or pass the pointer that is alive".to_string(),
        ),
        Some(element) => {
            (
                "out of bounds",
                format!("`{kernel}` {does} {} {}", distance(&element, bytes), element.array),
                std::iter::once(element.within()).chain(below_zero(element.index)).collect(),
                match space {
                    Space::Shared => "compare the index with the size that the array is declared with, or launch with more dynamic shared memory".to_string(),
                    _ => "compare the index with the size of the array before this line; is the grid larger than the data?".to_string(),
                },
            )
        }
        None if is_global && matches!(scene.launch.memory.describe(address), Described::Null) => (
            "null pointer",
            format!("`{kernel}` {does} through a null pointer"),
            vec![format!("the address is {}", offset(address))],
            "look at what the host passes for the pointer, and at the order of the parameters".to_string(),
        ),
        None if is_global => (
            "bad pointer",
            format!("`{kernel}` {does} memory that is not on the device"),
            vec![format!("no allocation is near {}", offset(address))],
            "copy the data to the device and pass the device's pointer: is this one a host pointer?".to_string(),
        ),
        None => (
            "out of bounds",
            format!("`{kernel}` {does} outside of {}", space_name(space)),
            vec![format!("the offset is {address}, and {} are asked for", count(u64::from(bytes), "byte"))],
            "compare the index with the size that the array is declared with".to_string(),
        ),
    };
    Message::of_kernel(at, kind, title, what, next)
}

/// An index that was counted down below 0 in 32 bits.
fn below_zero(index: i64) -> Option<String> {
    let below = index - (1 << 32);
    (-(1 << 24)..0)
        .contains(&below)
        .then(|| format!("{index} is what an unsigned index of 32 bits becomes below 0: {below}"))
}

/// Words an access that leaves its array, which begins there in shared memory, and touches a neighbour.
pub(super) fn beyond_array<'a>(
    scene: &Scene,
    kernel: &str,
    at: &'a Place,
    start: u32,
    (address, bytes): (u64, u32),
    kind: AccessKind,
    copy: bool,
) -> Message<'a> {
    let mut what = Vec::new();
    let mut act = format!("{} outside of an array of shared memory", does(kind));
    let size = if copy { 1 } else { bytes };
    if let Some(array) = shared_array(scene, at, start.into(), address, size) {
        // The first byte of it that is not the array's.
        let end = u64::from(start) + array.bytes;
        let outside = if address < start.into() { address } else { address.max(end) };
        let beyond = (address + u64::from(bytes)).saturating_sub(end);
        (act, what) = match copy {
            false => (format!("{} {} {}", does(kind), distance(&array, size), array.array), vec![array.within()]),
            true => {
                let way = if kind == AccessKind::Load { "from" } else { "to" };
                let place = match beyond {
                    0 => format!("{} its beginning", distance(&array, size)),
                    _ => format!("{} past its end", count(beyond, "byte")),
                };
                let begins = format!(
                    "{} has {}; the copy begins at its byte {}",
                    array.array,
                    count(array.bytes, "byte"),
                    address as i64 - i64::from(start)
                );
                (format!("copies {} {way} {}, {place}", count(bytes.into(), "byte"), array.array), vec![begins])
            }
        };
        match element(scene, at, Space::Shared, outside, size) {
            Some(neighbour) if neighbour.past_end < 0 => what.push(format!("{} lies there", neighbour.name())),
            _ => what.push("no array lies there".into()),
        }
    }
    let title = format!("`{kernel}` {act}, into its neighbour in shared memory");
    let next = match copy {
        true => "copy no more bytes than the array has, and announce as many to the mbarrier",
        false => "compare the index with the size that the array is declared with",
    };
    Message::of_kernel(at, "out of bounds", title, what, next)
}

/// "4 bytes past the end of"
fn distance(element: &Element, bytes: u32) -> String {
    match element.past_end {
        _ if element.index < 0 => {
            format!("{} in front of", count(element.index.unsigned_abs() * u64::from(bytes), "byte"))
        }
        0 => "just past the end of".into(),
        past @ 1.. => format!("{} past the end of", count(past as u64, "byte")),
        _ => "across the end of".into(),
    }
}

/// Words an access at an address that is not aligned for it.
pub(super) fn misaligned<'a>(
    scene: &Scene,
    kernel: &str,
    at: &'a Place,
    space: Space,
    address: u64,
    bytes: u32,
    kind: AccessKind,
) -> Message<'a> {
    let target = element(scene, at, space, address, 1).map(|element| {
        format!("{} bytes after the beginning of {}", byte_offset(scene, space, address), element.array)
    });
    let mut what = vec![format!("an access of {bytes} bytes needs an address that is a multiple of {bytes}")];
    what.extend(target.map(|text| format!("this one is {text}")));
    Message::of_kernel(
        at,
        "misaligned",
        format!("`{kernel}` {} {bytes} bytes at a misaligned address in {}", does(kind), space_name(space)),
        what,
        "index in whole elements of the wide type, and cast only pointers that are aligned for it",
    )
}

fn byte_offset(scene: &Scene, space: Space, address: u64) -> u64 {
    match (space, scene.launch.memory.describe(address)) {
        (Space::Global | Space::Generic | Space::Const, Described::Inside(_, offset)) => offset,
        _ => address,
    }
}
