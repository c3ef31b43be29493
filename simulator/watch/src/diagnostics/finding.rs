//! The words for what the sanitizer finds; for races in `race`, for undefined values in `undefined`.
use super::access::{beyond_array, out_of_bounds};
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::mends::next;
use super::message::Message;
use super::race::{Race, race};
use super::source::lines::site;
use super::source::names::{count, element_name, kernel_name, who};
use super::source::scene::Scene;
use super::undefined::{self, uninitialised};
use crate::mends::Trial;
use crate::sanitizer::findings::finding::{Finding, Kind};
use crate::sanitizer::findings::misuse::Names;
use machine::probe::{AccessKind, Place};
use ptx::isa::Space;

/// Words what the sanitizer found, where nothing can be tried.
pub fn finding(finding: &Finding, scene: &Scene) -> Diagnosis {
    word(finding, scene, next(finding, scene, None)).render(scene)
}

/// Words what the sanitizer found, with the mend that ends it.
pub fn tried(finding: &Finding, scene: &Scene, trial: &mut Trial) -> Diagnosis {
    word(finding, scene, next(finding, scene, Some(trial))).render(scene)
}

fn word<'a>(finding: &'a Finding, scene: &Scene, next: Option<String>) -> Message<'a> {
    let kernel = kernel_name(&scene.launch.function.name);
    let mut message = match &finding.kind {
        Kind::AcrossTheEnd { at, space, address, bytes } => {
            out_of_bounds(scene, &kernel, at, *space, *address, *bytes, AccessKind::Load)
        }
        Kind::BeyondArray { at, start, address, bytes, kind: access, copy } => {
            beyond_array(scene, &kernel, at, *start, (*address, *bytes), *access, *copy)
        }
        Kind::Uninitialised { at, space, address, bytes, kind } => {
            uninitialised(scene, &kernel, at, *space, *address, *bytes, *kind)
        }
        Kind::Undefined { at, from, effect } => undefined::word(scene, &kernel, at, from, *effect),
        Kind::Race { between, space, address, bytes, first, second, cause, other_blocks } => {
            let (between, space, address, bytes) = (*between, *space, *address, *bytes);
            let other_blocks = *other_blocks;
            race(scene, &kernel, &Race { between, space, address, bytes, first, second, cause, other_blocks }, next)
        }
        Kind::WriteClash { at, other_lane, space, address, bytes } => {
            let name = element_name(scene, at, *space, *address, *bytes);
            Message::of_kernel(
                at,
                "race",
                format!("threads of `{kernel}` write different values to {name} in one instruction"),
                Some(format!("lane {other_lane} writes there too: whose value stays is not defined")),
                next.unwrap_or_else(|| "give each thread an element of its own, or let one thread write".into()),
            )
        }
        Kind::Misuse(misuse) => {
            let words = misuse.words(&Source { scene, kernel: &kernel });
            Message {
                family: Family::Kernel,
                kind: words.class,
                title: words.title,
                at: Some(misuse.at()),
                written_at: None,
                other: words.other.and_then(|shows| Some((shows.to_string(), misuse.other()?))),
                who: Some(words.who),
                what: words.what.into_iter().collect(),
                next: words.next.into(),
            }
        }
    };
    if finding.count > 1 {
        message.what.push(format!("the same was seen {} between these lines", count(finding.count - 1, "more time")));
    }
    message
}

/// The names that the source gives.
struct Source<'a> {
    scene: &'a Scene<'a>,
    kernel: &'a str,
}

impl Names for Source<'_> {
    fn kernel(&self) -> &str {
        self.kernel
    }

    fn who(&self, at: &Place) -> String {
        who(at)
    }

    fn element(&self, at: &Place, space: Space, address: u64, bytes: u32) -> String {
        element_name(self.scene, at, space, address, bytes)
    }

    fn instruction(&self, at: &Place) -> &'static str {
        let row = site(self.scene, at).and_then(|site| site.row);
        row.map_or("an instruction", |row| ptx::isa::row(row).noun)
    }
}
