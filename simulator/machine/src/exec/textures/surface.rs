//! `suld`, `sust`: a lane at a time, by the object that its handle names.
use super::texture::{Objects, Touched, coordinates, handle_at, outside, place, put, shape};
use crate::exec::accesses::cluster_address::stop;
use crate::exec::asynchronous::bulk_copy::operand;
use crate::exec::view::{Lanes, Op, Selected, WARP, plainly};
use crate::fault::Fault;
use crate::probe::{AccessKind, lanes as lanes_of};
use ptx::isa::{Form, Refusal, Space};

/// In [`Op::data`], beside what [`shape`] has there: what is done with coordinates outside, and log2 of an element's bytes.
const OUTSIDE: u32 = 6;
const BYTES: u32 = 8;

/// The handling of coordinates outside of a surface.
const TRAP: u32 = 0;
const CLAMP: u32 = 1;

fn surface(form: &Form) -> Result<u32, Refusal> {
    // `.p` converts to the surface's format.
    let (true, Some(ty)) = (form.has("b"), form.ty(0)) else { return Err(Refusal::NoSuchForm) };
    let outside = ["trap", "clamp", "zero"].iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    let size = ty.bytes().trailing_zeros();
    match size {
        0..=3 => Ok(shape(form)? | (outside as u32) << OUTSIDE | size << BYTES),
        _ => Err(Refusal::NoSuchForm),
    }
}

/// `suld.b`
pub fn load(form: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(load_all).with(surface(form)?))
}

/// `sust.b`
pub fn store(form: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(store_all).with(surface(form)?))
}

/// Where a lane's elements of a surface lie. `Ok(None)`: outside, where loads give 0 and stores do nothing.
fn element(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    (first, bytes, kind): (usize, u32, AccessKind),
    (objects, touched): (&mut Objects, &mut Touched),
) -> Result<Option<u64>, ()> {
    let handle = operand(lanes, op, first, lane);
    let surface = objects.of(lanes, op, lane, handle).ok_or(())?;
    if !surface.is_surface {
        stop::<()>(lanes, op, lane, |at| Fault::BadTexture { at, address: handle });
        return Err(());
    }
    let (layer, [x, y, z]) = place(lanes, op, lane, first + 1);
    let z = layer.unwrap_or(z) as i32;
    let mode = op.data >> OUTSIDE & 3;
    match surface.surface(x as i32, y as i32, z, bytes, mode == CLAMP) {
        Some(address) => {
            outside(lanes, op, lane, address, bytes, kind)?;
            touched.add(surface, lane, address, bytes);
            Ok(Some(address))
        }
        None if mode == TRAP => {
            let (space, address) = (Space::Global, surface.base.address);
            stop::<()>(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address, bytes, kind });
            Err(())
        }
        None => Ok(None),
    }
}

#[allow(unsafe_code)]
fn load_all(lanes: &mut Lanes, op: &Op) {
    let (first, size) = (handle_at(op), 1usize << (op.data >> BYTES & 3));
    let count = usize::from(op.vector);
    let bytes = (size * count) as u32;
    let (mut objects, mut touched) = (Objects::new(), Touched::of(lanes));
    let mut values = [[0; WARP]; 4];
    for lane in lanes_of(lanes.mask) {
        let kind = AccessKind::Load;
        let Ok(found) = element(lanes, op, lane, (first, bytes, kind), (&mut objects, &mut touched)) else {
            return;
        };
        let Some(address) = found else { continue };
        for (index, values) in values.iter_mut().enumerate().take(count) {
            let mut word = [0; 8];
            let from = (address as usize + index * size) as *const u8;
            // SAFETY: `element` found all elements in a live allocation, whose addresses are the host's.
            unsafe { std::ptr::copy_nonoverlapping(from, word.as_mut_ptr(), size) };
            values[lane] = u64::from_le_bytes(word);
        }
    }
    put(lanes, op, &values);
    touched.tell(lanes, op, AccessKind::Load, true);
}

#[allow(unsafe_code)]
fn store_all(lanes: &mut Lanes, op: &Op) {
    let (size, count) = (1usize << (op.data >> BYTES & 3), usize::from(op.more_count) - 1 - coordinates(op.data));
    let bytes = (size * count) as u32;
    let (mut objects, mut touched, mut places) = (Objects::new(), Touched::of(lanes), [None; WARP]);
    for lane in lanes_of(lanes.mask) {
        let of_lane = (0, bytes, AccessKind::Store);
        let Ok(place) = element(lanes, op, lane, of_lane, (&mut objects, &mut touched)) else { return };
        places[lane] = place;
    }
    touched.tell(lanes, op, AccessKind::Store, true);
    for lane in lanes_of(lanes.mask) {
        let Some(address) = places[lane] else { continue };
        if let Some(before) = &mut lanes.context.before {
            before.save(address, bytes.into());
        }
        for index in 0..count {
            let value = operand(lanes, op, 1 + coordinates(op.data) + index, lane).to_le_bytes();
            let to = (address as usize + index * size) as *mut u8;
            // SAFETY: `element` found all elements in a live allocation. Kernels that race write some bytes or others.
            unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to, size) };
        }
    }
}
