//! The words for undefined values: where they matter, and where they come from.
use super::access::does;
use super::family::Family;
use super::message::Message;
use super::source::lines::site;
use super::source::names::{element_name, who};
use super::source::scene::Scene;
use crate::sanitizer::findings::finding::{Effect, Source};
use machine::fault::Place;
use machine::probe::{AccessKind, Use};
use ptx::isa::Space;

pub(super) fn word<'a>(scene: &Scene, kernel: &str, at: &'a Place, from: &'a Source, effect: Effect) -> Message<'a> {
    let (name, other, reason, next) = match from {
        Source::Read { at: read, space, address, bytes } => {
            let name = match space {
                Space::Local => "a local array".to_string(),
                space => element_name(scene, read, *space, *address, *bytes),
            };
            let (reason, next) = cure(*space);
            let line = |place: &Place| site(scene, place).map(|site| (site.at.file, site.at.line, site.at.inlined_at));
            let same = line(read) == line(at) && line(at).is_some_and(|line| line.1 != 0);
            let other = (!same).then(|| ("the value was read here".to_string(), read));
            (format!("{name}, which was never written"), other, reason.to_string(), next)
        }
        Source::Earlier { at: read, .. } => (
            "a value that an earlier kernel computed from memory that was never written".to_string(),
            Some(("the value was read here".to_string(), read)),
            "the earlier kernel stored it here as it was".to_string(),
            "write, in the kernels before, every element before it is read: run them alone under the sanitizer",
        ),
        Source::Unknown => (
            "a value computed from memory that was never written".to_string(),
            None,
            "where it was read was not kept".to_string(),
            "write every element before it is read",
        ),
    };
    let title = match effect {
        Effect::Used(Use::Branch) => format!("`{kernel}` decides by {name}"),
        Effect::Used(Use::Address) => format!("`{kernel}` computes an address from {name}"),
        Effect::Used(Use::Atomic) => format!("`{kernel}` updates memory atomically with {name}"),
        Effect::Used(Use::Barrier) => format!("`{kernel}` meets at a barrier by {name}"),
        Effect::Used(Use::Printed) => format!("`{kernel}` prints {name}"),
        Effect::ReadByHost => format!("the host reads what `{kernel}` computed from {name}"),
        Effect::HostSees => format!("`{kernel}` stores to the host's memory what it computed from {name}"),
    };
    Message {
        family: Family::Kernel,
        kind: "uninitialised",
        title,
        at: Some(at),
        written_at: None,
        other,
        who: Some(who(at)),
        what: vec![reason],
        next: next.into(),
    }
}

/// Words a read of bytes that were never written, where nothing else decides by them.
pub(super) fn uninitialised<'a>(
    scene: &Scene,
    kernel: &str,
    at: &'a Place,
    space: Space,
    address: u64,
    bytes: u32,
    kind: AccessKind,
) -> Message<'a> {
    let does = does(kind);
    let name = match space {
        Space::Local => "a local array".to_string(),
        _ => element_name(scene, at, space, address, bytes),
    };
    let (owner, next) = cure(space);
    Message::of_kernel(
        at,
        "uninitialised",
        format!("`{kernel}` {does} {name}, which was never written"),
        Some(owner.into()),
        next,
    )
}

/// The owner that has not written memory of a space, and the next step.
fn cure(space: Space) -> (&'static str, &'static str) {
    match space {
        Space::Shared => {
            ("the block has not written it", "write every element before it is read: shared memory starts undefined")
        }
        Space::Local => ("the thread has not written it", "give the array's elements a value before they are read"),
        _ => (
            "neither the host nor a kernel has written it",
            "copy data there or clear it (cuMemsetD8, alloc_zeros) before the launch: fresh device memory is undefined",
        ),
    }
}
