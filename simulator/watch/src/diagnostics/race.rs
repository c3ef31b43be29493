//! The words for races: who races with whom for which element, and the barrier, fence or atomic that is missing.
use super::access::does;
use super::family::Family;
use super::message::Message;
use super::source::carved::overlap;
use super::source::lines::{site, spot};
use super::source::names::{element_name, who};
use super::source::scene::Scene;
use crate::sanitizer::findings::finding::{Between, Cause, Missed, Party};
use machine::probe::{AccessKind, Place};
use ptx::isa::Space;

/// A race: who with whom, where, and why.
pub(super) struct Race<'a> {
    pub between: Between,
    pub space: Space,
    pub address: u64,
    pub bytes: u32,
    pub first: &'a Party,
    pub second: &'a Party,
    pub cause: &'a Cause,
    pub other_blocks: bool,
}

/// Words a race.
pub(super) fn race<'a>(scene: &Scene, kernel: &str, race: &Race<'a>, next: Option<String>) -> Message<'a> {
    let Race { first, second, .. } = *race;
    let name = element_name(scene, &second.at, race.space, race.address, race.bytes);
    let title = title(kernel, &name, race);
    let did = |party: &Party| match (party.kind, party.strong) {
        (AccessKind::Atomic, _) => "used it atomically",
        (AccessKind::Load, false) => "read it",
        (AccessKind::Load, true) => "read it (volatile or atomic)",
        (AccessKind::Store, false) => "wrote it",
        (AccessKind::Store, true) => "wrote it (volatile or atomic)",
    };
    let mut what = vec![format!("first {} {}; nothing makes the two come in this order", who(&first.at), did(first))];
    if *race.cause == Cause::Transfer {
        what = vec![format!(
            "{} gave it to the asynchronous proxy, which {} it at any time until then",
            who(&first.at),
            does(first.kind)
        )];
    }
    if *race.cause == Cause::Copy {
        what = vec![format!("{} {} when the copy may have been under way", who(&first.at), did(first))];
    }
    let spot = |at: &Place| spot(scene, at);
    match race.cause {
        Cause::Unordered | Cause::Copy | Cause::Transfer | Cause::TransferLater => {}
        Cause::Missed { missed: Missed::Fence, read } => what.push(format!(
            "{} has read a signal after that, but without a fence the signal says nothing of other data",
            spot(read)
        )),
        Cause::Missed { missed: Missed::Scope, read } => {
            what.push(format!("{} has read a signal after that, but a scope on the way ends at the block", spot(read)))
        }
        Cause::BlockScope => what.push(format!(
            "block scope (`{}`) is atomic among the threads of one block, and no more than that",
            narrow_instruction(scene, first, second)
        )),
        Cause::LostUpdate => {
            what.push("volatile keeps loads and stores apart; reading and writing back are two steps".into());
        }
        Cause::InStep => what.push(
            "volatile does not keep the lanes of a warp in step: since compute capability 7.0 (Volta) each goes on at its own pace"
                .into(),
        ),
    }
    let mut next = next.unwrap_or_else(|| advice(race));
    let in_shared = *race.cause == Cause::Unordered && race.space == Space::Shared;
    if let Some(overlap) = in_shared.then(|| overlap(scene, [&first.at, &second.at], race.address)).flatten() {
        what.push(overlap);
        next =
            format!("let each array begin after the end of the one before it; where two are to share memory, {next}");
    }
    let words = match first.kind {
        AccessKind::Load => "the other thread reads it here",
        AccessKind::Store => "the other thread writes it here",
        AccessKind::Atomic => "the other thread uses it atomically here",
    };
    let same = spot(&first.at) == spot(&second.at) && first.at.site == second.at.site;
    Message {
        family: Family::Kernel,
        kind: "race",
        title,
        at: Some(&second.at),
        written_at: None,
        other: (!same).then(|| (words.to_string(), &first.at)),
        who: Some(format!("{}, which {} it", who(&second.at), does(second.kind))),
        what,
        next,
    }
}

/// The first line: who races for which element.
fn title(kernel: &str, name: &str, race: &Race) -> String {
    let parties = match race.between {
        Between::Blocks => format!("two blocks of `{kernel}`"),
        Between::Warps => format!("two warps of a block of `{kernel}`"),
        Between::Lanes => format!("two threads of a warp of `{kernel}`"),
    };
    match race.cause {
        Cause::LostUpdate => format!("{parties} lose updates of {name}"),
        Cause::Transfer => {
            format!("`{kernel}` touches {name} before a transfer of the asynchronous proxy was waited for")
        }
        Cause::TransferLater => format!("`{kernel}` hands {name} to the asynchronous proxy while threads still use it"),
        Cause::Copy if race.second.kind == AccessKind::Load => {
            format!("`{kernel}` writes {name} while an asynchronous copy from it is under way")
        }
        Cause::Copy => format!("`{kernel}` touches {name} while an asynchronous copy to it is under way"),
        _ => format!("{parties} race for {name}"),
    }
}

/// The instruction of a pair whose scope ends at the block.
fn narrow_instruction(scene: &Scene, first: &Party, second: &Party) -> String {
    let sites = [second, first].into_iter().filter_map(|party| site(scene, &party.at));
    sites.into_iter().find(|site| site.opcode.is_of_block_scope()).map(|site| site.text.to_string()).unwrap_or_default()
}

/// The next step of a race that no mend was tried for.
fn advice(race: &Race) -> String {
    let Race { first, second, .. } = *race;
    let advice = match race.cause {
        Cause::Copy if second.kind == AccessKind::Load => {
            "let nobody write the source of a copy before the copy was waited for"
        }
        Cause::Copy if first.kind == AccessKind::Load => {
            "wait for the copy before its target is read, or begin it after a barrier that all readers of the old data have passed"
        }
        Cause::Copy => "let nobody write the target of a copy before the copy was waited for",
        Cause::Transfer => wait_for(first.kind),
        Cause::TransferLater => {
            "begin it after a barrier, or an mbarrier, that everybody has passed who used the place before"
        }
        _ if race.between < Between::Blocks && !race.other_blocks => "nothing was tried that orders them",
        _ => "blocks run in any order, and nothing was tried that orders them",
    };
    advice.into()
}

/// The advice to wait before a place is touched that a transfer reads or writes.
fn wait_for(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => {
            "wait before the place is written: cp.async.bulk.wait_group.read for a bulk copy, wgmma.wait_group for a product, and then a barrier"
        }
        _ => "wait for the phase of the mbarrier that the copy reports to, with acquire, before the place is touched",
    }
}
