//! `tex`, `tld4`, `txq`, `suq`: a lane at a time, by the object that its handle names. Surfaces are next door.
//!
//! Texture fetches have a cache and paths of their own on a card; the clock takes them for instructions without traffic.
use super::mipmap::BASE;
use super::texture_fetch::Spot;
use super::texture_object::{OBJECT_BYTES, Texture};
use crate::exec::accesses::access;
use crate::exec::accesses::cluster_address::stop;
use crate::exec::asynchronous::bulk_copy::operand;
use crate::exec::view::{Lanes, Op, Selected, WARP, plainly};
use crate::fault::Fault;
use crate::memory::Range;
use crate::probe::{AccessKind, Texel, TextureAccess, lanes as lanes_of};
use ptx::isa::{Form, Refusal, Space, Type};

/// In [`Op::data`]: bits 0–1 dimensions · 2 layered · 3 integer coordinates · 4–5 the element of a gather · 6–7 what a surface does
/// with coordinates outside · 8–9 log2 of an element's bytes · 10–12 what is asked · 13 cube · 14 a level is named · 15 steps to the
/// neighbours are named · 16–20 bytes of a register.
pub(super) const LAYERED: u32 = 1 << 2;
const INTEGERS: u32 = 1 << 3;
const ELEMENT: u32 = 4;
const ASKED: u32 = 10;
const CUBE: u32 = 1 << 13;
const LEVEL: u32 = 1 << 14;
const STEPS: u32 = 1 << 15;
const REGISTER: u32 = 16;

/// Dimensions, layers and levels of a form, packed.
pub(crate) fn shape(form: &Form) -> Result<u32, Refusal> {
    let shapes = [
        ("1d", 1),
        ("2d", 2),
        ("3d", 3),
        ("a1d", 1 | LAYERED),
        ("a2d", 2 | LAYERED),
        ("cube", 3 | CUBE),
        ("acube", 3 | CUBE | LAYERED),
    ];
    let shape = shapes.iter().find(|(name, _)| form.has(name)).map(|&(_, shape)| shape).ok_or(Refusal::NoSuchForm)?;
    let flag = |name, flag| if form.has(name) { flag } else { 0 };
    Ok(shape | flag("level", LEVEL) | flag("grad", STEPS) | u32::from(form.widths[0] / 8) << REGISTER)
}

/// How many operands follow the elements and the handle.
pub(crate) fn coordinates(data: u32) -> usize {
    match (data & 3, data & LAYERED != 0) {
        (1, false) => 1,
        (1, true) | (2, false) => 2,
        // The fourth means nothing, but for layers of cubes.
        _ => 4,
    }
}

/// Elements of each step to a neighbour: those of three dimensions have a fourth, which means nothing.
fn step_elements(data: u32) -> usize {
    (data & 3) as usize + usize::from(data & 3 == 3)
}

/// How many operands follow the coordinates.
fn levels(data: u32) -> usize {
    if data & STEPS != 0 { 2 * step_elements(data) } else { usize::from(data & LEVEL != 0) }
}

/// `tex`
pub fn fetch(form: &Form) -> Result<Selected, Refusal> {
    let [result, coordinate] = form.types else { return Err(Refusal::NoSuchForm) };
    refuse_if!(!matches!(result, Type::F32 | Type::S32 | Type::U32) || !form.has("v4"), Refusal::NoSuchForm);
    let shape = shape(form)?;
    let integers = match coordinate {
        Type::F32 => 0,
        Type::S32 if shape & (CUBE | STEPS) == 0 => INTEGERS,
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(plainly(fetch_all).with(shape | integers))
}

/// `tld4`
pub fn gather(form: &Form) -> Result<Selected, Refusal> {
    let shape = shape(form)?;
    let element = ["r", "g", "b", "a"].iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    match shape & 3 == 2 || shape & CUBE != 0 {
        true => Ok(plainly(gather_all).with(shape | (element as u32) << ELEMENT)),
        false => Err(Refusal::NoSuchForm),
    }
}

/// `txq` and `suq`
pub fn ask(form: &Form) -> Result<Selected, Refusal> {
    let names = ["width", "height", "depth", "array_size", "num_mipmap_levels"];
    let asked = names.iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    let level = if form.has("level") { LEVEL } else { 0 };
    Ok(plainly(ask_all).with((asked as u32) << ASKED | level | u32::from(form.widths[0] / 8) << REGISTER))
}

/// The objects that a warp's lanes name: most often all the same.
pub(super) struct Objects {
    last: Option<(u64, Texture)>,
}

impl Objects {
    pub fn new() -> Objects {
        Objects { last: None }
    }

    /// The object that a handle names.
    #[inline(always)]
    pub fn of(&mut self, lanes: &mut Lanes, op: &Op, lane: usize, handle: u64) -> Option<&Texture> {
        if self.last.as_ref().is_none_or(|(known, _)| *known != handle) {
            self.last = Some((handle, object(lanes, op, lane, handle)?));
        }
        self.last.as_ref().map(|(_, texture)| texture)
    }
}

#[allow(unsafe_code)]
#[inline(never)]
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

/// Reads texels for the lanes of an instruction.
struct Reader {
    /// Bytes that were found in a live allocation.
    known: Range,
    touched: Touched,
}

impl Reader {
    fn new(lanes: &Lanes) -> Reader {
        Reader { known: Range::NONE, touched: Touched::of(lanes) }
    }

    /// Looks whether all texels of a texture lie in a live allocation.
    fn expect(&mut self, lanes: &mut Lanes, op: &Op, texture: &Texture) {
        let (start, bytes) = texture.span();
        if bytes != 0 && access::inside(lanes, op, Space::Global, start, bytes) {
            self.known = Range { start, end: start + bytes };
        }
    }

    /// Bytes at an address, as the lowest bits; `Err`: it lies in no live allocation, and the launch stops.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn read(
        &mut self,
        (lanes, op): (&mut Lanes, &Op),
        lane: usize,
        texture: &Texture,
        texel: (u64, u32),
    ) -> Result<u128, ()> {
        let (address, bytes) = texel;
        self.touched.add(texture, lane, address, bytes);
        if !self.known.holds(address, address.wrapping_add(u64::from(bytes) - 1)) {
            outside(lanes, op, lane, address, bytes, AccessKind::Load)?;
        }
        let address = as_before(lanes, address, bytes);
        // SAFETY: found in a live allocation, whose addresses are the host's, or where its page was saved.
        Ok(unsafe {
            match bytes {
                1 => (address as *const u8).read_unaligned().into(),
                2 => (address as *const u16).read_unaligned().into(),
                4 => (address as *const u32).read_unaligned().into(),
                8 => (address as *const u64).read_unaligned().into(),
                _ => (address as *const u128).read_unaligned(),
            }
        })
    }
}

/// Where a texel lies as the cache has it, which hears of no write of this launch.
#[inline(always)]
fn as_before(lanes: &mut Lanes, address: u64, bytes: u32) -> u64 {
    match &mut lanes.context.before {
        Some(before) if before.is_one_page(address, bytes.into()) => before.place(address),
        _ => address,
    }
}

pub(crate) fn outside(
    lanes: &mut Lanes,
    op: &Op,
    lane: usize,
    address: u64,
    bytes: u32,
    kind: AccessKind,
) -> Result<(), ()> {
    if access::inside(lanes, op, Space::Global, address, bytes.into()) {
        return Ok(());
    }
    let space = Space::Global;
    stop::<()>(lanes, op, lane, |at| Fault::OutOfBounds { at, space, address, bytes, kind });
    Err(())
}

/// Writes the lanes' elements to their rows.
#[inline(always)]
pub(crate) fn put(lanes: &mut Lanes, op: &Op, values: &[[u64; WARP]]) {
    let bytes = op.data >> REGISTER & 31;
    for (index, values) in values.iter().enumerate().take(usize::from(op.vector)) {
        let row = if op.vector == 1 { op.dst } else { lanes.more(op, index) };
        match bytes {
            2 => lanes.set(row, values.map(|value| value as u16)),
            4 => lanes.set(row, values.map(|value| value as u32)),
            _ => lanes.set(row, *values),
        }
    }
    // The predicate says that the texels are resident: all are.
    if op.imm != 0 {
        lanes.set_predicate(op.c, !0);
    }
}

/// Where the handle stands among "more": after a vector's elements.
pub(super) fn handle_at(op: &Op) -> usize {
    usize::from(op.more_count) - 1 - coordinates(op.data) - levels(op.data)
}

/// A lane's layer, and its coordinates as bits.
#[inline(always)]
pub(crate) fn place(lanes: &Lanes, op: &Op, lane: usize, first: usize) -> (Option<u32>, [u32; 3]) {
    let layered = op.data & LAYERED != 0;
    let value = |index: usize| operand(lanes, op, first + index, lane) as u32;
    let layer = layered.then(|| value(0));
    let dimensions = (op.data & 3) as usize;
    (layer, std::array::from_fn(|d| if d < dimensions { value(d + usize::from(layered)) } else { 0 }))
}

/// The texels that the lanes of an instruction touch, if somebody listens.
pub(super) struct Touched(Option<Vec<Texel>>);

impl Touched {
    pub fn of(lanes: &Lanes) -> Touched {
        Touched(lanes.context.listener.listens().then(Vec::new))
    }

    #[inline(always)]
    pub fn add(&mut self, texture: &Texture, lane: usize, address: u64, bytes: u32) {
        if let Some(texels) = &mut self.0 {
            texels.push(Texel { lane: lane as u32, address, bytes, sector: texture.sector(address) });
        }
    }

    pub fn tell(&self, lanes: &mut Lanes, op: &Op, kind: AccessKind, of_surface: bool) {
        let (who, site, mask) = (lanes.context.who, op.site, lanes.mask);
        if let (Some(texels), Some(probe)) = (&self.0, lanes.context.probe()) {
            probe.texture(&TextureAccess { who, site, mask, kind, of_surface, texels });
        }
    }
}

/// Calls `one` with each active lane's texture and spot, and writes the elements that it answers.
#[inline(always)]
fn each(
    lanes: &mut Lanes,
    op: &Op,
    one: impl Fn(&mut Reader, &mut Lanes, usize, &Texture, (Option<u32>, [u32; 3])) -> Result<[u32; 4], ()>,
) {
    let first = handle_at(op);
    let (mut objects, mut reader) = (Objects::new(), Reader::new(lanes));
    let mut values = [[0u64; WARP]; 4];
    let mut known = None;
    for lane in lanes_of(lanes.mask) {
        let handle = operand(lanes, op, first, lane);
        let Some(texture) = objects.of(lanes, op, lane, handle) else { return };
        if known.replace(handle) != Some(handle) {
            reader.expect(lanes, op, texture);
        }
        let place = place(lanes, op, lane, first + 1);
        let Ok(found) = one(&mut reader, lanes, lane, texture, place) else { return };
        for (values, found) in values.iter_mut().zip(found) {
            values[lane] = found.into();
        }
    }
    put(lanes, op, &values);
    reader.touched.tell(lanes, op, AccessKind::Load, false);
}

/// The spot that a lane's coordinates name.
#[inline(always)]
fn spot(op: &Op, (layer, at): (Option<u32>, [u32; 3])) -> Spot {
    let (dimensions, is_cube) = ((op.data & 3) as usize, op.data & CUBE != 0);
    Spot { at: at.map(f32::from_bits), dimensions, layer, is_cube }
}

/// The level that a lane asks for.
#[inline(always)]
fn level(lanes: &Lanes, op: &Op, lane: usize, texture: &Texture, spot: &Spot) -> f32 {
    if op.data & (LEVEL | STEPS) == 0 {
        return BASE;
    }
    let first = usize::from(op.more_count) - levels(op.data);
    let value = |index: usize| f32::from_bits(operand(lanes, op, first + index, lane) as u32);
    if op.data & LEVEL != 0 {
        return value(0);
    }
    let (count, dimensions) = (step_elements(op.data), spot.dimensions);
    let step = |from: usize| std::array::from_fn(|d| if d < dimensions { value(from + d) } else { 0.0 });
    texture.level_of(spot, [step(0), step(count)])
}

fn fetch_all(lanes: &mut Lanes, op: &Op) {
    let dimensions = (op.data & 3) as usize;
    if op.data & INTEGERS != 0 {
        return each(lanes, op, |reader, lanes, lane, texture, (layer, at)| {
            let number = match op.data & LEVEL {
                0 => 0,
                _ => operand(lanes, op, usize::from(op.more_count) - 1, lane) as u32,
            };
            let mut read = |address, bytes| reader.read((lanes, op), lane, texture, (address, bytes));
            texture.fetch_at(at.map(|bits| bits as i32), dimensions, layer, number, &mut read)
        });
    }
    each(lanes, op, |reader, lanes, lane, texture, place| {
        let spot = spot(op, place);
        let level = level(lanes, op, lane, texture, &spot);
        let mut read = |address, bytes| reader.read((lanes, op), lane, texture, (address, bytes));
        texture.fetch(&spot, level, &mut read)
    });
}

fn gather_all(lanes: &mut Lanes, op: &Op) {
    let element = (op.data >> ELEMENT & 3) as usize;
    each(lanes, op, |reader, lanes, lane, texture, place| {
        let mut read = |address, bytes| reader.read((lanes, op), lane, texture, (address, bytes));
        texture.gather(&spot(op, place), element, &mut read)
    });
}

fn ask_all(lanes: &mut Lanes, op: &Op) {
    let (mut objects, mut values) = (Objects::new(), [0; WARP]);
    let named = usize::from(op.data & LEVEL != 0);
    for lane in lanes_of(lanes.mask) {
        let handle = operand(lanes, op, usize::from(op.more_count) - 1 - named, lane);
        let number = operand(lanes, op, usize::from(op.more_count) - 1, lane) as u32;
        let Some(texture) = objects.of(lanes, op, lane, handle) else { return };
        let level = if named == 1 { texture.level(number) } else { texture.base };
        values[lane] = u64::from(match op.data >> ASKED & 7 {
            3 => texture.layers,
            4 => texture.mipmap.levels,
            axis => level.extents[axis as usize % 3],
        });
    }
    put(lanes, op, &[values]);
}
