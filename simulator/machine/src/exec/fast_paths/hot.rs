//! Loads and stores, quickly: what the two have in common.
//!
//! The hot forms (one element of 4 or 8 bytes, as wide as its register, not ordered) have a function each for every
//! direction, space and vector level, with and without a probe. All other forms share one function per direction.
#![allow(unsafe_code, reason = "places in memory that were resolved are read and written by address")]
use super::pattern::{Avx2, Avx512, FindPattern, Pattern, Scalar};
use super::scattered;
use super::together::MOST;
use crate::exec::accesses::access::{AccessForm, Hosts, addresses, all_global, in_spaces, inside, order_of, resolve};
use crate::exec::accesses::tell::{CheckedAccess, record_whole_warps, tell, tell_warp_load};
use crate::exec::view::{Lane, Lane32, Lanes, Op, Selected, Semantics, Versions, plainly_told};
use crate::probe::{AccessKind, Addresses, WarpElements};
use ptx::isa::{self, Refusal, Space};
use std::marker::PhantomData;

/// The difference between loads and stores.
pub(crate) trait Direction: 'static {
    const KIND: AccessKind;
    /// Index in the form's operands of the register whose width counts.
    const REGISTER: usize;
    /// The hot forms for the parameters of the kernel, of 4 and 8 bytes, if it has any.
    const OF_PARAMETERS: Option<[Selected; 2]>;

    /// Moves a row of elements between its register and memory.
    ///
    /// # Safety
    /// Each active lane's element lies inside live memory; but for `Each`, all lanes are active.
    unsafe fn transfer<T: Lane>(lanes: &mut Lanes, op: &Op, hosts: &Hosts);

    /// Does what an access to global memory asks of a launch that keeps it as it was, and returns where the access goes.
    fn before(lanes: &mut Lanes, op: &Op, hosts: Hosts, bytes: u64) -> Hosts;

    /// Any form, at addresses of a space.
    fn any(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool);
}

/// Chooses the semantics of a form, whose flags the direction adds to.
pub(crate) fn select<D: Direction>(form: &isa::Form, mut flags: u32) -> Result<Selected, Refusal> {
    let ty = form.ty(0).ok_or(Refusal::NoSuchForm)?;
    let register_bytes = u32::from(form.widths[D::REGISTER]).div_ceil(8);
    refuse_if!(register_bytes < ty.bytes() || ty.bytes() == 0, Refusal::NoSuchForm);
    let order = order_of(form);
    flags |= if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 };
    flags |= if form.call_parameter { AccessForm::CALL_PARAMETER } else { 0 };
    let data = AccessForm::new(form.space, order, register_bytes, flags).0;
    let simple = form.vector == 1 && order.is_weak() && !form.call_parameter && register_bytes == ty.bytes();
    let hot = match (simple, ty.bytes(), form.space) {
        (true, 4, Space::Global) => Some(hot::<D, u32, GLOBAL>()),
        (true, 4, Space::Shared) => Some(hot::<D, u32, SHARED>()),
        (true, 4, Space::Generic) => Some(hot::<D, u32, GENERIC>()),
        (true, 8, Space::Global) => Some(hot::<D, u64, GLOBAL>()),
        (true, 8, Space::Shared) => Some(hot::<D, u64, SHARED>()),
        (true, 8, Space::Generic) => Some(hot::<D, u64, GENERIC>()),
        (true, 4, Space::Param) => D::OF_PARAMETERS.map(|[word, _]| word),
        (true, 8, Space::Param) => D::OF_PARAMETERS.map(|[_, long]| long),
        _ => None,
    };
    Ok(match hot {
        Some(selected) => selected.with(data | AccessForm::HOT),
        None => any::<D>(data),
    })
}

/// The semantics of all forms.
pub(crate) fn any<D: Direction>(data: u32) -> Selected {
    plainly_told(any_of::<D, false>, any_of::<D, true>).with(data)
}

const GLOBAL: u8 = 0;
const SHARED: u8 = 1;
const GENERIC: u8 = 2;
const PARAM: u8 = 3;

/// The space of a hot form; of generic addresses the one that most of them lie in.
#[inline(always)]
const fn space_of(number: u8) -> Space {
    match number {
        SHARED => Space::Shared,
        PARAM => Space::Param,
        _ => Space::Global,
    }
}

/// [`Direction::OF_PARAMETERS`] of loads.
pub(crate) const fn of_parameters<D: Direction>() -> [Selected; 2] {
    [hot::<D, u32, PARAM>(), hot::<D, u64, PARAM>()]
}

const fn hot<D: Direction, T: Lane, const SPACE: u8>() -> Selected {
    Selected {
        bare: Versions::each::<
            Hot<D, T, Scalar, SPACE, false>,
            Hot<D, T, Avx2, SPACE, false>,
            Hot<D, T, Avx512, SPACE, false>,
        >(),
        probed: Versions::each::<
            Hot<D, T, Scalar, SPACE, true>,
            Hot<D, T, Avx2, SPACE, true>,
            Hot<D, T, Avx512, SPACE, true>,
        >(),
        together: Some(Versions::together::<Hot<D, T, Avx2, SPACE, false>, Hot<D, T, Avx512, SPACE, false>>()),
        recorded: Some(Versions::each::<
            Recorded<D, T, Scalar, SPACE>,
            Recorded<D, T, Avx2, SPACE>,
            Recorded<D, T, Avx512, SPACE>,
        >()),
        data: 0,
    }
}

struct Hot<D, T, E, const SPACE: u8, const PROBED: bool>(PhantomData<(D, T, E)>);

impl<D: Direction, T: Lane, E: FindPattern, const SPACE: u8, const PROBED: bool> Semantics
    for Hot<D, T, E, SPACE, PROBED>
{
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let space = space_of(SPACE);
        // Asked here, so that what follows knows its hosts when it is compiled. Patterns are found in any case, for the accesses after this.
        let whole_warp = whole_warp::<T, E>(lanes, op, space).filter(|_| !keeps(lanes, space));
        let Some(whole_warp) = whole_warp else {
            // SAFETY: the level of `E` is that of the version that this is compiled into.
            return unsafe { Versions::of::<Careful<D, T>>().at(E::LEVEL)(lanes, op) };
        };
        let (addresses, hosts) = match whole_warp.pattern {
            Pattern::Dense => (Addresses::Dense(whole_warp.address), Hosts::Dense(whole_warp.host)),
            _ => (Addresses::Same(whole_warp.address), Hosts::Same(whole_warp.host)),
        };
        if PROBED && D::KIND == AccessKind::Load {
            let (dense, bytes) = (whole_warp.pattern == Pattern::Dense, size_of::<T>() as u8);
            tell_warp_load(lanes, op, WarpElements { space, bytes, dense }, whole_warp.address);
        } else if PROBED {
            tell_of::<D>(lanes, op, space, size_of::<T>() as u64, addresses, &hosts);
        }
        // SAFETY: `whole_warp` found the whole access inside live memory, and all lanes active.
        unsafe { D::transfer::<T>(lanes, op, &hosts) }
    }
}

/// A hot form for all the warps that go together, as a step of their passage.
struct Recorded<D, T, E, const SPACE: u8>(PhantomData<(D, T, E)>);

impl<D: Direction, T: Lane, E: FindPattern, const SPACE: u8> Semantics for Recorded<D, T, E, SPACE> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let space = space_of(SPACE);
        let (mut addresses, mut dense, mut same) = ([0; MOST], 0u8, 0u8);
        let count = lanes.together.count.min(MOST);
        for (at, address) in addresses[..count].iter_mut().enumerate() {
            lanes.step_to(at);
            match whole_warp::<T, E>(lanes, op, space).filter(|_| !keeps(lanes, space)) {
                // SAFETY: the level of `E` is that of the version that this is compiled into.
                None => unsafe { Versions::of::<Careful<D, T>>().at(E::LEVEL)(lanes, op) },
                Some(whole_warp) => {
                    *address = whole_warp.address;
                    let is_dense = whole_warp.pattern == Pattern::Dense;
                    *if is_dense { &mut dense } else { &mut same } |= 1 << at;
                    let host = whole_warp.host;
                    let hosts = if is_dense { Hosts::Dense(host) } else { Hosts::Same(host) };
                    // SAFETY: `whole_warp` found the whole access inside live memory, and all lanes active.
                    unsafe { D::transfer::<T>(lanes, op, &hosts) };
                }
            }
            // An op that faulted has cleared the mask: those after it do not run.
            if lanes.mask == 0 {
                break;
            }
        }
        for (dense, columns) in [(true, dense), (false, same)] {
            if columns != 0 {
                let elements = WarpElements { space, bytes: size_of::<T>() as u8, dense };
                record_whole_warps(lanes, op, (D::KIND, elements), columns, &addresses);
            }
        }
    }
}

/// Tells the probe of an access by its direction.
#[inline(always)]
pub(crate) fn tell_of<D: Direction>(
    lanes: &mut Lanes,
    op: &Op,
    space: Space,
    bytes: u64,
    addresses: Addresses,
    hosts: &Hosts,
) {
    let stored = (D::KIND == AccessKind::Store).then_some(hosts);
    tell(lanes, op, CheckedAccess { space, kind: D::KIND, bytes, addresses, stored });
}

/// Returns whether the launch keeps memory of this space as it was.
#[inline(always)]
fn keeps(lanes: &Lanes, space: Space) -> bool {
    space == Space::Global && lanes.context.before.is_some()
}

/// Where an access goes, `bytes` for each lane: see [`Direction::before`].
#[inline(always)]
pub(crate) fn with_before<D: Direction>(lanes: &mut Lanes, op: &Op, space: Space, hosts: Hosts, bytes: u64) -> Hosts {
    if keeps(lanes, space) { D::before(lanes, op, hosts, bytes) } else { hosts }
}

/// The hot forms at any addresses.
struct Careful<D, T>(PhantomData<(D, T)>);

impl<D: Direction, T: Lane> Semantics for Careful<D, T> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        if lanes.together.count != 0 {
            lanes.turn_to(lanes.together.at);
        }
        let probed = lanes.context.listener.listens();
        let bytes = size_of::<T>() as u64;
        if lanes.mask == !0
            && let Some(hosts) = scattered::hosts::<T>(lanes, op, AccessForm::of(op).space())
        {
            let space = if AccessForm::of(op).space() == Space::Shared { Space::Shared } else { Space::Global };
            if probed {
                let raw = addresses(lanes, op);
                tell_of::<D>(lanes, op, space, bytes, Addresses::Each(&raw), &hosts);
            }
            let hosts = with_before::<D>(lanes, op, space, hosts, bytes);
            // SAFETY: all addresses were found inside live memory, and all lanes are active.
            return unsafe { D::transfer::<T>(lanes, op, &hosts) };
        }
        let raw = addresses(lanes, op);
        let space = match AccessForm::of(op).space() {
            Space::Generic if !all_global(lanes, &raw) => return any_at::<D>(lanes, op, &raw, probed),
            Space::Generic => Space::Global,
            space => space,
        };
        let Some((hosts, pattern)) = resolve(lanes, op, space, D::KIND, bytes, &raw) else { return };
        if probed {
            tell_of::<D>(lanes, op, space, bytes, Addresses::of(pattern, &raw, lanes.mask), &hosts);
        }
        let hosts = with_before::<D>(lanes, op, space, hosts, bytes);
        // SAFETY: `resolve` found the active lanes' addresses inside live memory.
        unsafe { D::transfer::<T>(lanes, op, &hosts) }
    }
}

fn any_of<D: Direction, const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let raw = addresses(lanes, op);
    any_at::<D>(lanes, op, &raw, PROBED);
}

#[inline(never)]
fn any_at<D: Direction>(lanes: &mut Lanes, op: &Op, raw: &Lane32<u64>, probed: bool) {
    in_spaces(lanes, op, raw, |lanes, space, raw| D::any(lanes, op, space, raw, probed));
}

/// A full warp's access to one range of memory.
struct WholeWarp {
    /// Dense or the same.
    pattern: Pattern,
    /// Lane 0's address, and where that is in host memory.
    address: u64,
    host: u64,
}

/// The quick way of a full warp: its addresses, if they are dense or the same for all lanes, aligned, and inside what the
/// site hit last. `None` says nothing.
#[inline(always)]
fn whole_warp<T: Lane, E: FindPattern>(lanes: &mut Lanes, op: &Op, space: Space) -> Option<WholeWarp> {
    if lanes.mask != !0 {
        return None;
    }
    let form = AccessForm::of(op);
    let known = if form.has(AccessForm::TAKES) { lanes.together.patterns()[form.place()] } else { None };
    let pattern = match known {
        Some(pattern) => pattern,
        None => {
            // SAFETY: the level of `E` is that of the version that this is compiled into; rows have 32 values.
            let pattern = unsafe {
                match (form.has(AccessForm::ADDRESS_32), size_of::<T>()) {
                    (true, 4) => E::narrow::<4>(lanes.row(op.a)),
                    (true, _) => E::narrow::<8>(lanes.row(op.a)),
                    (false, 4) => E::wide::<4>(lanes.row(op.a)),
                    (false, _) => E::wide::<8>(lanes.row(op.a)),
                }
            };
            if form.has(AccessForm::KEEPS) {
                lanes.together.patterns()[form.place()] = Some(pattern);
            }
            pattern
        }
    };
    let address = if form.has(AccessForm::ADDRESS_32) {
        lanes.first::<u32>(op.a).wrapping_add(op.imm as u32).into()
    } else {
        lanes.first::<u64>(op.a).wrapping_add(op.imm as u64)
    };
    let bytes = size_of::<T>() as u64;
    let span = match pattern {
        Pattern::Dense => 32 * bytes,
        Pattern::Same => bytes,
        _ => return None,
    };
    if address & (bytes - 1) != 0 {
        return None;
    }
    let within = |base: *const u8, size: u64| {
        (address < size && span <= size - address).then(|| (base as u64).wrapping_add(address))
    };
    let host = match space {
        Space::Shared => within(lanes.shared.base, lanes.shared.bytes)?,
        Space::Param => within(lanes.context.launch.parameters.as_ptr(), lanes.context.launch.parameters.len() as u64)?,
        _ => inside(lanes, op, Space::Global, address, span).then_some(address)?,
    };
    Some(WholeWarp { pattern, address, host })
}
