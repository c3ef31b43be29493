//! `cp.async`: copies from global to shared memory that are done no earlier than they must be.
//!
//! A copy is checked when it is issued and done when its thread waits for it, so that a kernel that forgets to wait reads
//! what was there before: every time, not sometimes. One that nobody has waited for when its block ends is never done, since
//! nobody is left who could see it; whoever listens hears of it.
use super::copies::Copy;
use crate::exec::accesses::access::{AccessForm, addresses, resolve};
use crate::exec::accesses::tell::{CheckedAccess, tell};
use crate::exec::view::{Lane32, Lanes, Op, Selected, WARP, plainly, plainly_told};
use crate::fault::Fault;
use crate::probe::{AccessKind, Addresses};
use ptx::isa::{self, Refusal, Space};

/// `cp.async.ca` and `.cg`, of 4, 8 or 16 bytes.
pub fn copy(form: &isa::Form) -> Result<Selected, Refusal> {
    let address_32 = if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 };
    let data = AccessForm::new(Space::Shared, Default::default(), 0, address_32).0;
    Ok(plainly_told(issue::<false>, issue::<true>).with(data))
}

/// `cp.async.commit_group`.
pub fn commit_group(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly(commit))
}

/// `cp.async.wait_group`, with the number of groups that may be under way in `imm`.
pub fn wait_group(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly(wait))
}

/// `cp.async.wait_all`.
pub fn wait_all(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly(|lanes, _| finish_all(lanes)))
}

fn issue<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let bytes = u64::from(op.bytes);
    let to = addresses(lanes, op);
    // The write is told when it happens; here it is only checked.
    if resolve(lanes, op, Space::Shared, AccessKind::Store, bytes, &to).is_none() || !in_own_block(lanes, op, &to) {
        return;
    }
    let from = lanes.get::<u64>(op.b);
    let read = lanes.get::<u32>(op.c).map(|read| read.min(op.bytes.into()));
    let Some(hosts) = sources(lanes, op, &from, &read, PROBED) else { return };
    if PROBED {
        let (who, mask) = (lanes.context.who, lanes.mask);
        if let Some(probe) = lanes.context.probe() {
            probe.copy_begins(who, op.site, mask, &to, op.bytes.into());
        }
    }
    let who = lanes.context.who;
    let copies = &mut lanes.context.blocks.copies;
    let group = copies.open;
    let bytes = op.bytes.into();
    copies.pending.push(Copy { who, site: op.site, mask: lanes.mask, to, from: hosts, read, bytes, group });
}

/// Returns whether all targets lie in the block's own shared memory, the only one that `cp.async` writes to. If one does not, the
/// launch ends there.
fn in_own_block(lanes: &mut Lanes, op: &Op, to: &Lane32<u64>) -> bool {
    let bytes = u64::from(op.bytes);
    let outside = lanes.mask & lanes.pack(|lane| to[lane].saturating_add(bytes) > lanes.shared.bytes);
    if outside != 0 {
        let at = lanes.context.place(op.site, outside);
        let address = to[outside.trailing_zeros() as usize];
        let (space, kind, bytes) = (Space::Shared, AccessKind::Store, op.bytes.into());
        lanes.context.stop(Fault::OutOfBounds { at, space, address, bytes, kind });
        lanes.mask = 0;
    }
    outside == 0
}

/// Host addresses of what is read. Lanes that read nothing may name any address; those that read less than the whole are
/// checked for what they read.
fn sources(lanes: &mut Lanes, op: &Op, from: &Lane32<u64>, read: &Lane32<u32>, probed: bool) -> Option<Lane32<u64>> {
    let active = lanes.mask;
    let whole = active & lanes.pack(|lane| read[lane] == u32::from(op.bytes));
    let part = active & !whole & lanes.pack(|lane| read[lane] != 0);
    let check = |lanes: &mut Lanes, mask: u32, from: &Lane32<u64>, bytes: u64| {
        lanes.mask = mask;
        let (hosts, pattern) = resolve(lanes, op, Space::Global, AccessKind::Load, bytes, from)?;
        if probed {
            let addresses = Addresses::of(pattern, from, lanes.mask);
            let (space, kind) = (Space::Global, AccessKind::Load);
            tell(lanes, op, CheckedAccess { space, kind, bytes, addresses, stored: None });
        }
        Some(hosts.each(bytes))
    };
    let mut found = [0; WARP];
    if whole != 0 {
        found = check(lanes, whole, from, op.bytes.into())?;
    }
    for lane in (0..WARP).filter(|lane| part >> lane & 1 != 0) {
        for byte in 0..u64::from(read[lane]) {
            let at = check(lanes, 1 << lane, &from.map(|address| address + byte), 1)?[lane];
            found[lane] = if byte == 0 { at } else { found[lane] };
        }
    }
    lanes.mask = active;
    Some(found)
}

fn commit(lanes: &mut Lanes, _: &Op) {
    let mask = lanes.mask;
    for (lane, open) in lanes.context.blocks.copies.open.iter_mut().enumerate() {
        *open += mask >> lane & 1;
    }
}

fn wait(lanes: &mut Lanes, op: &Op) {
    let open = lanes.context.blocks.copies.open;
    let under_way = op.imm.clamp(0, u32::MAX.into()) as u32;
    // Groups below this number must be complete.
    finish(lanes, &open.map(|open| open.saturating_sub(under_way)));
}

/// Does all copies of the active lanes.
pub(super) fn finish_all(lanes: &mut Lanes) {
    finish(lanes, &[u32::MAX; WARP]);
}

/// Does the active lanes' copies of groups with numbers below `limit`.
fn finish(lanes: &mut Lanes, limit: &Lane32<u32>) {
    let active = lanes.mask;
    let mut pending = std::mem::take(&mut lanes.context.blocks.copies.pending);
    pending.retain_mut(|copy| {
        let due = copy.mask & active & lanes.pack(|lane| copy.group[lane] < limit[lane]);
        if due != 0 {
            lanes.mask = due;
            perform(lanes, copy);
            copy.mask &= !due;
        }
        copy.mask != 0
    });
    lanes.mask = active;
    lanes.context.blocks.copies.pending = pending;
}

/// Moves the bytes of the active lanes.
#[allow(unsafe_code)]
fn perform(lanes: &mut Lanes, copy: &Copy) {
    let mask = lanes.mask;
    if let Some(probe) = lanes.context.probe() {
        copy.tell_reads(probe, mask);
        probe.access(&copy.write(mask));
    }
    let shared = lanes.shared.base;
    lanes.each(|lane| {
        let mut bytes = [0; 16];
        let (read, size) = (copy.read[lane] as usize, copy.bytes as usize);
        // SAFETY: both places were found inside their memories when the copy was issued; shared memory stays where it is as
        // long as its block runs, and the arena's addresses can be read even if the allocation was freed meanwhile.
        unsafe {
            std::ptr::copy_nonoverlapping(copy.from[lane] as *const u8, bytes.as_mut_ptr(), read);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), shared.add(copy.to[lane] as usize), size);
        }
    });
}
