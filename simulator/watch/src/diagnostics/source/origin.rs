//! The pointer that an address is made from: an index may lead far from its array, and near another.
use super::lines::site;
use super::names::{array_name, count};
use super::scene::Scene;
use machine::fault::Place;
use machine::memory::{Allocation, Described};
use machine::program::Pointer;

/// An address that lies no further from an array is taken for one of it.
const NEAR_BYTES: u64 = 512;

/// The one allocation that the pointers of an access's address point to, and whether it was freed; `None` where the text does not tell.
pub(crate) fn made_from(scene: &Scene, at: &Place) -> Option<(Allocation, bool)> {
    let launch = scene.launch;
    let bits = site(scene, at)?.pointers;
    if bits >> 63 != 0 {
        return None;
    }
    let pointers = &launch.program.functions.get(at.function as usize)?.pointers;
    let of_these = pointers.iter().enumerate().filter(|(number, _)| bits >> number & 1 != 0);
    let mut found = None;
    for (_, pointer) in of_these {
        let value = match *pointer {
            Pointer::Variable(address) => address,
            Pointer::Shared(..) => continue,
            Pointer::Parameter(offset) => u64::from_le_bytes(*launch.parameters.get(offset as usize..)?.first_chunk()?),
        };
        let it = match launch.memory.describe(value) {
            Described::Inside(it, _) => (it, false),
            Described::Freed(it, _) => (it, true),
            _ => continue,
        };
        if found.replace(it.clone()).is_some_and(|other: (Allocation, bool)| other.0.address != it.0.address) {
            return None;
        }
    }
    found
}

/// The arrays before and after an address that lies far from both and is made from a pointer that the text does not tell; none else.
pub(crate) fn between(scene: &Scene, at: &Place, address: u64) -> Vec<String> {
    let memory = &scene.launch.memory;
    let is_far =
        matches!(memory.describe(address), Described::Near(_, distance) if distance.unsigned_abs() > NEAR_BYTES);
    if !is_far || made_from(scene, at).is_some() {
        return Vec::new();
    }
    let live = memory.live();
    let (below, above) = live.split_at(live.partition_point(|found| found.address <= address));
    let before = below.last().map(|a| (a, "ends", address - (a.address + a.bytes), "before"));
    let after = above.first().map(|a| (a, "begins", a.address - address, "after"));
    let line = |(a, does, bytes, where_to): (&Allocation, &str, u64, &str)| {
        format!("{}, {}, {does} {} {where_to} it", array_name(scene, a).0, count(a.bytes, "byte"), count(bytes, "byte"))
    };
    before.into_iter().chain(after).map(line).collect()
}
