//! The words for single accesses: what they do, and what is wrong with where they do it.
use super::family::Family;
use super::message::Message;
use super::names::{Element, count, element, element_name, shared_array, who};
use super::scene::Scene;
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
    let (kind, title, what, next) = match found {
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
                vec![element.within()],
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
    Message { family: Family::Kernel, kind, title, at: Some(at), other: None, who: Some(who(at)), what, next }
}

/// Words an access that leaves its array, which begins there in shared memory, and touches a neighbour.
pub(super) fn beyond_array<'a>(
    scene: &Scene,
    kernel: &str,
    at: &'a Place,
    start: u32,
    address: u64,
    bytes: u32,
    kind: AccessKind,
) -> Message<'a> {
    let neighbour = element_name(scene, at, Space::Shared, address, bytes);
    let mut what = vec![format!("{neighbour} lies there")];
    let mut place = "outside of an array of shared memory".to_string();
    if let Some(array) = shared_array(scene, at, start.into(), address, bytes) {
        place = format!("{} {}", distance(&array, bytes), array.array);
        what.insert(0, array.within());
    }
    Message {
        family: Family::Kernel,
        kind: "out of bounds",
        title: format!("`{kernel}` {} {place}, into its neighbour in shared memory", does(kind)),
        at: Some(at),
        other: None,
        who: Some(who(at)),
        what,
        next: "compare the index with the size that the array is declared with".into(),
    }
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
    Message {
        family: Family::Kernel,
        kind: "misaligned",
        title: format!("`{kernel}` {} {bytes} bytes at a misaligned address in {}", does(kind), space_name(space)),
        at: Some(at),
        other: None,
        who: Some(who(at)),
        what,
        next: "index in whole elements of the wide type, and cast only pointers that are aligned for it".into(),
    }
}

fn byte_offset(scene: &Scene, space: Space, address: u64) -> u64 {
    match (space, scene.launch.memory.describe(address)) {
        (Space::Global | Space::Generic | Space::Const, Described::Inside(_, offset)) => offset,
        _ => address,
    }
}
