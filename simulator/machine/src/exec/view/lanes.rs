//! An instruction's view: the active lanes of one warp, its registers, and the ways to memory.
//!
//! Bodies read whole rows by value, compute all 32 lanes, and write the row back under the mask. That shape is what the
//! compiler turns into a handful of vector instructions (an in-place `acc = fma(a, b, acc)` included, which references
//! would forbid it), so computing inactive lanes too costs nothing. A body must therefore be total: no trap on any bits.
#![allow(unsafe_code, reason = "registers and memory are reached by addresses that lowering has checked")]
use super::context::Context;
use super::lane::{self, Lane, Lane32, WARP};
use super::op::{Op, Row};
use crate::exec::fast_paths::together::{MOST, Member, Together};
use crate::memory::Range;

/// Signs of spinning that end a split's turn.
pub(crate) const MOST_SPINS: u32 = 16;

/// The view of a warp that ops work on. A worker has one, and points it at the warp and frame that it runs.
#[repr(C, align(64))]
pub struct Lanes<'l> {
    /// `1 << lane`: in memory rather than computed, because from constants the compiler derives worse code than a load.
    lane_bits: [u32; WARP],
    /// Lanes that execute the current op. A faulting op clears it.
    pub mask: u32,
    /// Lanes whose registers a warp-synchronous op read although they do not take part: set by the op.
    pub read_outside: u32,
    /// Base of the current frame in the warp's register file. [`SLACK`] bytes after the frame belong to it.
    frame: *mut u8,
    /// [`Function::rows`](crate::program::Function) of the running function.
    rows: *const [Row],
    /// The allocation that each site of the running function hit last.
    caches: *mut Range,
    /// The warp's register file, which the frame is a part of.
    pub(crate) registers: Window,
    /// The warps that go together, and the patterns of address rows that each keeps.
    pub(crate) together: Together,
    /// Set where the op at hand has read undefined bytes; see `twins`.
    pub(crate) undefined: bool,
    /// The block's shared memory.
    pub(crate) shared: Window,
    /// Lane 0's local memory; the other lanes' follow, each as long.
    pub(crate) local: Window,
    /// Stores, and atomics that changed something: a sign of progress.
    pub(crate) stores: u64,
    /// Ordered loads, and atomics that changed nothing, since this was last set to 0: a sign of waiting.
    pub(crate) spins: u32,
    /// Everything that ops need less often.
    pub(crate) context: Context<'l>,
}

/// A range of host memory that stands for a state space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub base: *mut u8,
    pub bytes: u64,
}

impl Window {
    /// No memory at all.
    pub const NONE: Window = Window { base: std::ptr::null_mut(), bytes: 0 };
}

/// Bytes that a register file has after its last frame, so that a row of any width that starts inside a frame ends
/// inside the file: what makes the accessors below sound for every program whose rows were checked to start inside.
pub const SLACK: usize = WARP * size_of::<u128>();

impl Lanes<'_> {
    /// A view whose frame is `file`'s beginning.
    ///
    /// # Safety
    /// `file` is aligned to 64 bytes, lives as long as the view, nobody else uses it meanwhile, and it holds every row of
    /// the ops that will run plus [`SLACK`].
    pub unsafe fn new(file: *mut u8, mask: u32) -> Self {
        Lanes {
            lane_bits: lane::array(|lane| 1 << lane),
            mask,
            frame: file,
            rows: &[],
            caches: std::ptr::null_mut(),
            registers: Window::NONE,
            together: Together::ALONE,
            undefined: false,
            shared: Window::NONE,
            local: Window::NONE,
            stores: 0,
            spins: 0,
            read_outside: 0,
            context: Context::default(),
        }
    }

    /// Points the view at another frame.
    ///
    /// # Safety
    /// As [`new`](Self::new); `rows` live until the view points at another frame; `caches` has an entry for every site of the function whose frame it is.
    pub(crate) unsafe fn enter(&mut self, frame: *mut u8, rows: &[Row], caches: *mut Range) {
        self.frame = frame;
        self.rows = rows;
        self.caches = caches;
    }

    /// Counts a sign of waiting: a load, or an atomic that changed nothing.
    pub(crate) fn spin(&mut self, addresses: &Lane32<u64>) {
        self.spins += 1;
        if let Some(footprint) = &mut self.context.footprint {
            footprint.polled.extend(crate::probe::lanes(self.mask).map(|lane| addresses[lane % WARP]));
        }
    }

    /// Where the frame begins in the register file.
    pub(crate) fn frame_offset(&self) -> usize {
        (self.frame as usize).wrapping_sub(self.registers.base as usize)
    }

    /// Points the view at the same frame of another register file and at another local memory, each as large as what it
    /// had, and gives that back.
    pub(crate) fn stand_in(&mut self, registers: Window, local: Window) -> (Window, Window) {
        self.frame = registers.base.wrapping_add(self.frame_offset());
        (std::mem::replace(&mut self.registers, registers), std::mem::replace(&mut self.local, local))
    }

    /// Notes the frame that the view points at as that of a warp that goes together with others.
    pub(crate) fn join(&mut self, at: usize, member: Member) {
        self.together.frames[at % MOST] = self.frame;
        self.together.members[at % MOST] = member;
    }

    /// Points the view at the frame of one of the warps that go together.
    #[inline(always)]
    pub(crate) fn step_to(&mut self, at: usize) {
        self.together.at = at;
        self.frame = self.together.frames[at % MOST];
    }

    /// Likewise, with all that an op may ask of the warp.
    #[inline(always)]
    pub(crate) fn turn_to(&mut self, at: usize) {
        self.step_to(at);
        let member = self.together.members[at % MOST];
        (self.registers, self.local) = (member.registers, member.local);
        self.context.who.warp = member.warp;
    }

    /// The op's row `index` beyond `d`, `a`, `b`, `c`; see [`Operands`](ptx::isa::Operands).
    #[inline(always)]
    pub fn more(&self, op: &Op, index: usize) -> Row {
        self.more_from(op.more, index)
    }

    /// The same of an op whose further rows begin at `more`.
    #[inline(always)]
    pub fn more_from(&self, more: u32, index: usize) -> Row {
        // SAFETY: `enter` asks for rows that live until the frame is left.
        unsafe { (&*self.rows)[more as usize + index] }
    }

    #[inline(always)]
    fn at<T>(&self, row: Row) -> *mut T {
        // SAFETY: rows start inside the frame: checked when the program was loaded.
        unsafe { self.frame.add(row.0 as usize).cast() }
    }

    /// The row's 32 values, inactive lanes included.
    #[inline(always)]
    pub fn get<T: Lane>(&self, row: Row) -> Lane32<T> {
        // SAFETY: inside the register file (see `SLACK`), aligned to 64 as every row is, any bits are a `T`.
        unsafe { *self.at(row) }
    }

    /// Writes the active lanes of the row.
    #[inline(always)]
    pub fn set<T: Lane>(&mut self, row: Row, values: Lane32<T>) {
        let place: *mut Lane32<T> = self.at(row);
        // SAFETY: as in `get`; `&mut self` is the only user of the file.
        let place = unsafe { &mut *place };
        if self.mask == !0 {
            *place = values;
        } else {
            let mut merged = *place;
            for lane in 0..WARP {
                merged[lane] = if self.mask & self.lane_bits[lane] != 0 { values[lane] } else { merged[lane] };
            }
            *place = merged;
        }
    }

    /// The allocation that the op's site hit last.
    #[inline(always)]
    pub(crate) fn cached(&self, op: &Op) -> Range {
        // SAFETY: `enter` asks for a cache for every site of the running function.
        unsafe { *self.caches.add(op.site as usize) }
    }

    /// Remembers what the op's site hit.
    pub(crate) fn cache(&mut self, op: &Op, range: Range) {
        // SAFETY: as in `cached`.
        unsafe { *self.caches.add(op.site as usize) = range };
    }

    /// Where the row's 32 values begin.
    #[inline(always)]
    pub(crate) fn row<T>(&self, row: Row) -> *const T {
        self.at(row)
    }

    /// The row's 32 values as they lie in memory, and one more.
    #[inline(always)]
    pub(crate) fn with_next<T: Lane>(&self, row: Row) -> &[T; WARP + 1] {
        // Values of 16 bytes would leave `SLACK` by the one more.
        const { assert!((WARP + 1) * size_of::<T>() <= SLACK) };
        // SAFETY: as in `get`: the one more is inside of `SLACK` too.
        unsafe { &*self.at(row) }
    }

    /// Lane 0's value.
    #[inline(always)]
    pub(crate) fn first<T: Lane>(&self, row: Row) -> T {
        // SAFETY: as in `get`.
        unsafe { *self.at(row) }
    }

    /// A lane's value.
    #[inline(always)]
    pub(crate) fn lane<T: Lane>(&self, row: Row, lane: usize) -> T {
        self.with_next(row)[lane]
    }

    /// One lane of a row whose values have 2, 4, 8 or 16 bytes.
    pub fn bits(&self, row: Row, bytes: u32, lane: usize) -> u128 {
        match bytes {
            2 => self.get::<u16>(row)[lane].into(),
            4 => self.get::<u32>(row)[lane].into(),
            8 => self.get::<u64>(row)[lane].into(),
            _ => self.get::<u128>(row)[lane],
        }
    }

    pub(crate) fn values(&self, row: Row, bytes: u32) -> Lane32<u128> {
        lane::array(|lane| self.bits(row, bytes, lane))
    }

    /// Writes a row of values of 2, 4, 8 or 16 bytes, inactive lanes included.
    pub(crate) fn put_values(&mut self, row: Row, bytes: u32, values: &Lane32<u128>) {
        let active = std::mem::replace(&mut self.mask, !0);
        match bytes {
            2 => self.set(row, lane::array(|lane| values[lane] as u16)),
            4 => self.set(row, lane::array(|lane| values[lane] as u32)),
            8 => self.set(row, lane::array(|lane| values[lane] as u64)),
            _ => self.set(row, *values),
        }
        self.mask = active;
    }

    /// Changes bits of one lane's value of 2, 4, 8 or 16 bytes, active or not.
    pub(crate) fn flip(&mut self, row: Row, bytes: u32, lane: usize, bits: u128) {
        let mut values = self.values(row, bytes);
        values[lane] ^= bits;
        self.put_values(row, bytes, &values);
    }

    /// The predicate's bits, one per lane.
    #[inline(always)]
    pub fn predicate(&self, row: Row) -> u32 {
        // SAFETY: as in `get`.
        unsafe { *self.at(row) }
    }

    /// Writes the active lanes of the predicate.
    #[inline(always)]
    pub fn set_predicate(&mut self, row: Row, bits: u32) {
        let place: *mut u32 = self.at(row);
        // SAFETY: as in `set`.
        let place = unsafe { &mut *place };
        *place = (*place & !self.mask) | (bits & self.mask);
    }

    /// Packs one truth value per lane into a mask.
    #[inline(always)]
    pub fn pack(&self, test: impl Fn(usize) -> bool) -> u32 {
        let mut truths = [0; WARP];
        for (lane, truth) in truths.iter_mut().enumerate() {
            *truth = u8::from(test(lane));
        }
        packed(&truths)
    }

    /// Returns whether a lane's bit is set in a mask, in the form that becomes a vector test when asked in a loop over lanes.
    #[inline(always)]
    pub fn has(&self, mask: u32, lane: usize) -> bool {
        mask & self.lane_bits[lane] != 0
    }

    /// `d = f(a)` in every active lane.
    #[inline(always)]
    pub fn map1<A: Lane, D: Lane>(&mut self, op: &Op, f: impl Fn(A) -> D) {
        let a = self.get::<A>(op.a);
        let mut d = [D::default(); WARP];
        for lane in 0..WARP {
            d[lane] = f(a[lane]);
        }
        self.set(op.dst, d);
    }

    /// `d = f(a, b)` in every active lane.
    #[inline(always)]
    pub fn map2<A: Lane, B: Lane, D: Lane>(&mut self, op: &Op, f: impl Fn(A, B) -> D) {
        let (a, b) = (self.get::<A>(op.a), self.get::<B>(op.b));
        let mut d = [D::default(); WARP];
        for lane in 0..WARP {
            d[lane] = f(a[lane], b[lane]);
        }
        self.set(op.dst, d);
    }

    /// `d = f(a, b, c)` in every active lane.
    #[inline(always)]
    pub fn map3<A: Lane, B: Lane, C: Lane, D: Lane>(&mut self, op: &Op, f: impl Fn(A, B, C) -> D) {
        let (a, b, c) = (self.get::<A>(op.a), self.get::<B>(op.b), self.get::<C>(op.c));
        let mut d = [D::default(); WARP];
        for lane in 0..WARP {
            d[lane] = f(a[lane], b[lane], c[lane]);
        }
        self.set(op.dst, d);
    }

    /// The mask of lanes with `f(a, b)`, active or not: for `setp` and its kin, which go on to `set_predicate`.
    #[inline(always)]
    pub fn test2<A: Lane>(&self, op: &Op, f: impl Fn(A, A) -> bool) -> u32 {
        let (a, b) = (self.get::<A>(op.a), self.get::<A>(op.b));
        self.pack(|lane| f(a[lane], b[lane]))
    }

    /// Calls `f` with each active lane: for bodies that cost too much to run for lanes that nobody asked for.
    #[inline(always)]
    pub fn each(&self, mut f: impl FnMut(usize)) {
        let mut rest = self.mask;
        while rest != 0 {
            f(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Bytes that are 0 or 1 as bits. Through memory: where the compiler sees the comparisons that the bytes come from, it makes a branch of each.
#[inline(always)]
fn packed(truths: &[u8; WARP]) -> u32 {
    bits_of(std::hint::black_box(truths))
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bits_of(truths: &[u8; WARP]) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8, _mm_slli_epi16};
    let half = |from: &[u8; 16]| {
        // SAFETY: each x86-64 has these, and sixteen bytes are there.
        unsafe { _mm_movemask_epi8(_mm_slli_epi16::<7>(_mm_loadu_si128(from.as_ptr().cast::<__m128i>()))) as u32 }
    };
    let halves = truths.as_chunks::<16>().0;
    half(&halves[0]) | half(&halves[1]) << 16
}

/// Eight at a time, by a product that moves each byte's lowest bit to its place in the highest byte.
#[cfg(not(target_arch = "x86_64"))]
fn bits_of(truths: &[u8; WARP]) -> u32 {
    let mut bits = 0;
    for (number, word) in truths.as_chunks::<8>().0.iter().enumerate() {
        let byte = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= (byte as u32) << (8 * number);
    }
    bits
}
