//! `tex`, `tld4`, `suld`, `sust`, `txq`, `suq`: a lane at a time, by the object that its handle names.
//!
//! Texture fetches have a cache and paths of their own on a card; the clock takes them for instructions without traffic.
use super::access;
use super::bulk_copy::{operand, stop};
use super::elementwise::plain;
use super::lanes::Lanes;
use super::op::{Op, Selected, Semantics};
use crate::exec::texture_object::{OBJECT_BYTES, Texture};
use crate::fault::Fault;
use crate::isa::{Form, Refusal, Space, Type};
use crate::probe::{AccessKind, Texel, TextureAccess, lanes as lanes_of};

/// In [`Op::data`]: bits 0–1 dimensions · 2 layered · 3 integer coordinates · 4–5 the element of a gather · 6–7 what a surface does
/// with coordinates outside · 8–9 log2 of an element's bytes · 10–12 what is asked · 16–20 bytes of a register.
const LAYERED: u32 = 1 << 2;
const INTEGERS: u32 = 1 << 3;
const ELEMENT: u32 = 4;
const OUTSIDE: u32 = 6;
const BYTES: u32 = 8;
const ASKED: u32 = 10;
const REGISTER: u32 = 16;

/// What a surface does with coordinates outside.
const TRAP: u32 = 0;
const CLAMP: u32 = 1;

fn shape(form: &Form) -> Result<u32, Refusal> {
    // Mipmaps, cubes, samples of a pixel, offsets.
    let other = ["level", "grad", "base", "cube", "acube", "2dms", "a2dms"];
    if other.iter().any(|name| form.has(name)) {
        return Err(Refusal::NotModelled);
    }
    let shapes = [("1d", 1), ("2d", 2), ("3d", 3), ("a1d", 1 | LAYERED), ("a2d", 2 | LAYERED)];
    let shape = shapes.iter().find(|(name, _)| form.has(name)).map(|&(_, shape)| shape).ok_or(Refusal::NoSuchForm)?;
    Ok(shape | u32::from(form.widths[0] / 8) << REGISTER)
}

/// How many operands follow the elements that are read or written.
fn coordinates(data: u32) -> usize {
    match (data & 3, data & LAYERED != 0) {
        (1, false) => 1,
        (1, true) | (2, false) => 2,
        // The fourth means nothing.
        _ => 4,
    }
}

/// `tex`
pub fn fetch(form: &Form) -> Result<Selected, Refusal> {
    let [result, coordinate] = form.types else { return Err(Refusal::NoSuchForm) };
    if !matches!(result, Type::F32 | Type::S32 | Type::U32) || !form.has("v4") {
        return Err(Refusal::NotModelled);
    }
    let integers = match coordinate {
        Type::F32 => 0,
        Type::S32 => INTEGERS,
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(plain::<Fetch>().with(shape(form)? | integers))
}

/// `tld4`
pub fn gather(form: &Form) -> Result<Selected, Refusal> {
    let shape = shape(form)?;
    let element = ["r", "g", "b", "a"].iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    match shape & 3 {
        2 => Ok(plain::<Gather>().with(shape | (element as u32) << ELEMENT)),
        _ => Err(Refusal::NoSuchForm),
    }
}

fn surface(form: &Form) -> Result<u32, Refusal> {
    // `.p` converts to the surface's format.
    let (true, Some(ty)) = (form.has("b"), form.ty(0)) else { return Err(Refusal::NotModelled) };
    let outside = ["trap", "clamp", "zero"].iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    let size = ty.bytes().trailing_zeros();
    match size {
        0..=3 => Ok(shape(form)? | (outside as u32) << OUTSIDE | size << BYTES),
        _ => Err(Refusal::NoSuchForm),
    }
}

/// `suld.b`
pub fn load(form: &Form) -> Result<Selected, Refusal> {
    Ok(plain::<Load>().with(surface(form)?))
}

/// `sust.b`
pub fn store(form: &Form) -> Result<Selected, Refusal> {
    Ok(plain::<Store>().with(surface(form)?))
}

/// `txq` and `suq`
pub fn ask(form: &Form) -> Result<Selected, Refusal> {
    let asked = ["width", "height", "depth"].iter().position(|name| form.has(name)).ok_or(Refusal::NotModelled)?;
    Ok(plain::<Ask>().with((asked as u32) << ASKED | u32::from(form.widths[0] / 8) << REGISTER))
}

/// The object that a handle names.
#[allow(unsafe_code)]
fn object(lanes: &mut Lanes, op: &Op, lane: usize, address: u64) -> Option<Texture> {
    let mut bytes = [0; OBJECT_BYTES];
    if address != 0 && access::inside(lanes, op, Space::Global, address, OBJECT_BYTES as u64) {
        // SAFETY: `inside` found the bytes in a live allocation, whose addresses are the host's.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), OBJECT_BYTES) };
    }
    match Texture::decode(&bytes) {
        Some(texture) => Some(texture),
        None => stop(lanes, op, lane, |at| Fault::BadTexture { at, address }),
    }
}

/// Bytes at an address; `Err`: it lies in no live allocation, and the launch stops.
#[allow(unsafe_code)]
fn read(lanes: &mut Lanes, op: &Op, lane: usize, address: u64, bytes: u32) -> Result<[u8; 16], ()> {
    outside(lanes, op, lane, address, bytes, AccessKind::Load)?;
    let mut values = [0; 16];
    // SAFETY: found in a live allocation, whose addresses are the host's.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, values.as_mut_ptr(), bytes as usize) };
    Ok(values)
}

fn outside(lanes: &mut Lanes, op: &Op, lane: usize, address: u64, bytes: u32, kind: AccessKind) -> Result<(), ()> {
    if access::inside(lanes, op, Space::Global, address, bytes.into()) {
        return Ok(());
    }
    let space = Space::Global;
    stop::<()>(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address, bytes, kind });
    Err(())
}

/// Writes a lane's elements to their rows.
fn put(lanes: &mut Lanes, op: &Op, lane: usize, values: impl Iterator<Item = u64>) {
    let bytes = op.data >> REGISTER & 31;
    let active = std::mem::replace(&mut lanes.mask, 1 << lane);
    for (index, value) in values.take(usize::from(op.vector)).enumerate() {
        let row = if op.vector == 1 { op.dst } else { lanes.more(op, index) };
        match bytes {
            2 => lanes.set(row, [value as u16; 32]),
            4 => lanes.set(row, [value as u32; 32]),
            _ => lanes.set(row, [value; 32]),
        }
    }
    lanes.mask = active;
}

/// Where the handle stands among "more": after a vector's elements.
fn handle_at(op: &Op) -> usize {
    usize::from(op.more_count) - 1 - coordinates(op.data)
}

/// A lane's layer, and its coordinates as bits.
fn place(lanes: &Lanes, op: &Op, lane: usize, first: usize) -> (Option<u32>, [u32; 3]) {
    let layered = op.data & LAYERED != 0;
    let value = |index: usize| operand(lanes, op, first + index, lane) as u32;
    let layer = layered.then(|| value(0));
    let dimensions = (op.data & 3) as usize;
    (layer, std::array::from_fn(|d| if d < dimensions { value(d + usize::from(layered)) } else { 0 }))
}

/// What the lanes of an instruction touch, where somebody listens.
struct Touched(Option<Vec<Texel>>);

impl Touched {
    fn of(lanes: &Lanes) -> Touched {
        Touched(lanes.context.probe.as_ref().map(|_| Vec::new()))
    }

    fn add(&mut self, texture: &Texture, lane: usize, address: u64, bytes: u32) {
        if let Some(texels) = &mut self.0 {
            texels.push(Texel { lane: lane as u32, address, bytes, sector: texture.sector(address) });
        }
    }

    fn tell(&self, lanes: &mut Lanes, op: &Op, kind: AccessKind, of_surface: bool) {
        let (who, site, mask) = (lanes.context.who, op.site, lanes.mask);
        if let (Some(texels), Some(probe)) = (&self.0, &mut lanes.context.probe) {
            probe.texture(&TextureAccess { who, site, mask, kind, of_surface, texels });
        }
    }
}

struct Fetch;

impl Semantics for Fetch {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (first, dimensions) = (handle_at(op), (op.data & 3) as usize);
        let mut touched = Touched::of(lanes);
        for lane in lanes_of(lanes.mask) {
            let address = operand(lanes, op, first, lane);
            let Some(texture) = object(lanes, op, lane, address) else { return };
            let (layer, at) = place(lanes, op, lane, first + 1);
            let mut read = |address: u64, bytes: u32| {
                touched.add(&texture, lane, address, bytes);
                read(lanes, op, lane, address, bytes)
            };
            let found = match op.data & INTEGERS {
                0 => texture.fetch(at.map(f32::from_bits), dimensions, layer, &mut read),
                _ => texture.fetch_at(at.map(|bits| bits as i32), dimensions, layer, &mut read),
            };
            let Ok(values) = found else { return };
            put(lanes, op, lane, values.into_iter().map(u64::from));
        }
        touched.tell(lanes, op, AccessKind::Load, false);
    }
}

struct Gather;

impl Semantics for Gather {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (first, element) = (handle_at(op), (op.data >> ELEMENT & 3) as usize);
        let mut touched = Touched::of(lanes);
        for lane in lanes_of(lanes.mask) {
            let address = operand(lanes, op, first, lane);
            let Some(texture) = object(lanes, op, lane, address) else { return };
            let (layer, at) = place(lanes, op, lane, first + 1);
            let mut read = |address: u64, bytes: u32| {
                touched.add(&texture, lane, address, bytes);
                read(lanes, op, lane, address, bytes)
            };
            let Ok(values) = texture.gather(at.map(f32::from_bits), element, layer, &mut read) else { return };
            put(lanes, op, lane, values.into_iter().map(u64::from));
        }
        touched.tell(lanes, op, AccessKind::Load, false);
    }
}

/// Where a lane's elements of a surface lie. `Ok(None)`: outside, where loads give 0 and stores do nothing.
fn element(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    (first, bytes, kind): (usize, u32, AccessKind),
    touched: &mut Touched,
) -> Result<Option<u64>, ()> {
    let handle = operand(lanes, op, first, lane);
    let surface = object(lanes, op, lane, handle).ok_or(())?;
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
            touched.add(&surface, lane, address, bytes);
            Ok(Some(address))
        }
        None if mode == TRAP => {
            let (space, address) = (Space::Global, surface.address);
            stop::<()>(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address, bytes, kind });
            Err(())
        }
        None => Ok(None),
    }
}

struct Load;

impl Semantics for Load {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (first, size) = (handle_at(op), 1usize << (op.data >> BYTES & 3));
        let bytes = (size * usize::from(op.vector)) as u32;
        let mut touched = Touched::of(lanes);
        for lane in lanes_of(lanes.mask) {
            let values = match element(lanes, op, lane, (first, bytes, AccessKind::Load), &mut touched) {
                Ok(Some(address)) => match read_wide(lanes, op, lane, address, bytes) {
                    Ok(values) => values,
                    Err(()) => return,
                },
                Ok(None) => [0; 32],
                Err(()) => return,
            };
            let value = |index: usize| {
                let mut word = [0; 8];
                word[..size].copy_from_slice(&values[index * size..][..size]);
                u64::from_le_bytes(word)
            };
            put(lanes, op, lane, (0..usize::from(op.vector)).map(value));
        }
        touched.tell(lanes, op, AccessKind::Load, true);
    }
}

/// Up to 32 bytes: four elements of 8.
fn read_wide(lanes: &mut Lanes, op: &Op, lane: usize, address: u64, bytes: u32) -> Result<[u8; 32], ()> {
    let mut values = [0; 32];
    for start in (0..bytes).step_by(16) {
        let part = (bytes - start).min(16);
        let found = read(lanes, op, lane, address + u64::from(start), part)?;
        values[start as usize..][..part as usize].copy_from_slice(&found[..part as usize]);
    }
    Ok(values)
}

struct Store;

impl Semantics for Store {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (size, count) = (1usize << (op.data >> BYTES & 3), usize::from(op.more_count) - 1 - coordinates(op.data));
        let bytes = (size * count) as u32;
        let (mut touched, mut places) = (Touched::of(lanes), [None; 32]);
        for lane in lanes_of(lanes.mask) {
            let Ok(place) = element(lanes, op, lane, (0, bytes, AccessKind::Store), &mut touched) else { return };
            places[lane] = place;
        }
        touched.tell(lanes, op, AccessKind::Store, true);
        for lane in lanes_of(lanes.mask) {
            let Some(address) = places[lane] else { continue };
            for index in 0..count {
                let value = operand(lanes, op, 1 + coordinates(op.data) + index, lane).to_le_bytes();
                let to = (address as usize + index * size) as *mut u8;
                // SAFETY: `element` found all elements in a live allocation. Kernels that race write some bytes or others.
                unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to, size) };
            }
        }
    }
}

struct Ask;

impl Semantics for Ask {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        for lane in lanes_of(lanes.mask) {
            let address = operand(lanes, op, usize::from(op.more_count) - 1, lane);
            let Some(texture) = object(lanes, op, lane, address) else { return };
            let extent = texture.extents[(op.data >> ASKED & 3) as usize];
            put(lanes, op, lane, std::iter::once(extent.into()));
        }
    }
}
