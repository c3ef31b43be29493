//! A plan: what is transformed, how the caller's numbers lie, and the kernels that do it.
use crate::device::{Kernels, enter, launch};
use crate::failure::{Failure, Outcome};
use crate::layout::Raw;
use std::ffi::c_int;

/// `cufftType`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    input: Form,
    output: Form,
    is_double: bool,
}

impl Kind {
    pub const C2C: Kind = Kind { input: Form::Complex, output: Form::Complex, is_double: false };
    pub const R2C: Kind = Kind { input: Form::Real, output: Form::Half, is_double: false };
    pub const C2R: Kind = Kind { input: Form::Half, output: Form::Real, is_double: false };
    pub const Z2Z: Kind = Kind { is_double: true, ..Kind::C2C };
    pub const D2Z: Kind = Kind { is_double: true, ..Kind::R2C };
    pub const Z2D: Kind = Kind { is_double: true, ..Kind::C2R };

    pub fn of(number: c_int) -> Result<Kind, Failure> {
        Ok(match number {
            0x29 => Kind::C2C,
            0x2a => Kind::R2C,
            0x2c => Kind::C2R,
            0x69 => Kind::Z2Z,
            0x6a => Kind::D2Z,
            0x6c => Kind::Z2D,
            _ => return Err(Failure::Invalid),
        })
    }

    /// Bytes of a complex number.
    fn bytes(self) -> u64 {
        if self.is_double { 16 } else { 8 }
    }

    fn suffix(self) -> &'static str {
        if self.is_double { "f64" } else { "f32" }
    }

    /// The direction that follows from the kind, where one does: −1 forward, +1 back.
    pub fn direction(self) -> Option<c_int> {
        match (self.input, self.output) {
            (Form::Real, _) => Some(-1),
            (_, Form::Real) => Some(1),
            _ => None,
        }
    }
}

/// `Form` of `fourier.cu`: complex numbers, real ones, or the half of complex ones that symmetry leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Complex,
    Real,
    Half,
}

cuda::c_structs! {
    /// `Caller` of `fourier.cu`.
    struct Caller {
        at: Raw;
        step, row, plane, batch: i64;
        form: c_int;
    }
    /// `Move` of `fourier.cu`.
    struct Move {
        caller: Caller;
        dense: u64;
        planes, rows, columns, batch: u32;
    }
    /// `Pass` of `fourier.cu`.
    struct Pass {
        from, to: u64;
        count, length, done, stride, factor: u32;
        sign: c_int;
    }
}

/// The caller's own strides of one side, in numbers: `embed` has the physical lengths of the dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Strides {
    pub embed: [i64; 3],
    pub step: i64,
    pub distance: i64,
}

/// The largest prime factor of a length. A larger one would take a time that grows with its square.
const LARGEST_PRIME: u32 = 127;
const THREADS: u32 = 256;
const MOST_BLOCKS: u32 = 1 << 20;

/// The lengths, batches and layout of a transform.
#[derive(Clone, Debug)]
pub struct Plan {
    kind: Kind,
    /// Planes, rows and columns; those that a transform of fewer dimensions lacks are 1.
    lengths: [u32; 3],
    batch: u32,
    /// Strides of input and output; without them the numbers lie densely.
    strides: Option<[Strides; 2]>,
    factors: [Vec<u32>; 3],
}

impl Plan {
    /// A plan of a transform with these lengths, the outermost first.
    ///
    /// # Errors
    /// No length, more than three, one below 1, or one with too large a prime factor; more numbers than the kernels have indices for.
    pub fn new(kind: Kind, lengths: &[i64], batch: i64, strides: Option<[Strides; 2]>) -> Result<Plan, Failure> {
        if lengths.len() > 3 || lengths.is_empty() || batch < 1 || lengths.iter().any(|length| *length < 1) {
            return Err(Failure::Invalid);
        }
        let count = lengths.iter().try_fold(batch, |count, length| count.checked_mul(*length));
        if count.is_none_or(|count| count > i64::from(i32::MAX)) {
            return Err(Failure::Lacking("for more than 2^31 numbers".to_owned()));
        }
        let mut all = [1; 3];
        for (to, length) in all[3 - lengths.len()..].iter_mut().zip(lengths) {
            *to = *length as u32;
        }
        let [planes, rows, columns] = all;
        let factors = [factors(planes)?, factors(rows)?, factors(columns)?];
        Ok(Plan { kind, lengths: all, batch: batch as u32, strides, factors })
    }

    /// Complex numbers of all transforms.
    fn count(&self) -> u32 {
        self.lengths.iter().product::<u32>() * self.batch
    }

    /// Bytes of the work area, which holds two dense arrays.
    pub fn work_bytes(&self) -> usize {
        2 * self.count() as usize * self.kind.bytes() as usize
    }

    /// How the numbers of one side (0: input, 1: output) lie.
    fn caller(&self, side: usize, at: Raw, is_in_place: bool) -> Caller {
        let form = if side == 0 { self.kind.input } else { self.kind.output };
        let [planes, rows, columns] = self.lengths.map(i64::from);
        let half = columns / 2 + 1;
        let dense = match form {
            Form::Complex => columns,
            Form::Half => half,
            // Real numbers that share their memory with complex ones have as much room for a row.
            Form::Real if is_in_place => 2 * half,
            Form::Real => columns,
        };
        let strides = self
            .strides
            .map_or(Strides { embed: [planes, rows, dense], step: 1, distance: planes * rows * dense }, |strides| {
                strides[side]
            });
        let [_, rows, columns] = strides.embed;
        let row = strides.step * columns;
        Caller { at, step: strides.step, row, plane: row * rows, batch: strides.distance, form: form as c_int }
    }

    /// Launches the kernels.
    ///
    /// # Safety
    /// Input, output and work area have the room that the plan asks for.
    pub unsafe fn run(&self, kind: Kind, from: Raw, to: Raw, sign: c_int, work: u64, stream: Raw) -> Outcome {
        refuse_if!(kind != self.kind || from.is_null() || to.is_null(), Failure::Invalid);
        enter()?;
        let suffix = self.kind.suffix();
        let is_in_place = from == to;
        let count = self.count();
        let [planes, rows, columns] = self.lengths;
        let mut dense = [work, work + u64::from(count) * self.kind.bytes()];
        let moved = |side, at, dense| Move {
            caller: self.caller(side, at, is_in_place),
            dense,
            planes,
            rows,
            columns,
            batch: self.batch,
        };
        // SAFETY: the structs of these kernels, and the caller's promise.
        unsafe { start(&format!("load_{suffix}"), count, stream, &moved(0, from, dense[0]))? };
        let mut stride = 1;
        for (&length, factors) in self.lengths.iter().zip(&self.factors).rev() {
            let mut done = 1;
            for &factor in factors {
                let pass = Pass { from: dense[0], to: dense[1], count, length, done, stride, factor, sign };
                let is_small = factor <= 7;
                let name = if is_small { format!("pass_{factor}_{suffix}") } else { format!("prime_{suffix}") };
                // SAFETY: as above.
                unsafe { start(&name, if is_small { count / factor } else { count }, stream, &pass)? };
                dense.swap(0, 1);
                done *= factor;
            }
            stride *= length;
        }
        // SAFETY: as above.
        unsafe { start(&format!("store_{suffix}"), count, stream, &moved(1, to, dense[0])) }
    }
}

/// Launches a kernel with a thread for each of so many things, or fewer threads that take turns.
unsafe fn start<T>(name: &str, things: u32, stream: Raw, parameter: &T) -> Outcome {
    let blocks = i64::from(things.div_ceil(THREADS).min(MOST_BLOCKS));
    unsafe { launch(Kernels::Fourier, name, [blocks, 1, 1], THREADS, stream, parameter) }
}

/// The factors of a length: fours, then primes.
fn factors(length: u32) -> Result<Vec<u32>, Failure> {
    let (mut rest, mut found) = (length, Vec::new());
    for factor in std::iter::once(4).chain(2..=LARGEST_PRIME) {
        while rest % factor == 0 {
            found.push(factor);
            rest /= factor;
        }
    }
    if rest == 1 {
        return Ok(found);
    }
    Err(Failure::Lacking(format!("for a length of {length}, which has a prime factor above {LARGEST_PRIME}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_length_and_a_large_prime_is_refused() {
        assert_eq!(factors(1), Ok(vec![]));
        assert_eq!(factors(8 * 9 * 25 * 7 * 11), Ok(vec![4, 2, 3, 3, 5, 5, 7, 11]));
        assert_eq!(factors(127), Ok(vec![127]));
        assert!(matches!(factors(2 * 131), Err(Failure::Lacking(why)) if why.contains("262")));
    }

    #[test]
    fn real_rows_in_place_have_the_room_of_complex_ones() {
        let plan = Plan::new(Kind::R2C, &[3, 5, 8], 2, None).expect("a plan");
        let at = 256 as Raw;
        assert_eq!(plan.caller(0, at, false).row, 8);
        let (input, output) = (plan.caller(0, at, true), plan.caller(1, at, true));
        assert_eq!((input.row, input.plane, input.batch), (10, 50, 150));
        assert_eq!((output.row, output.plane, output.batch), (5, 25, 75));
        assert_eq!(plan.work_bytes(), 2 * 8 * 240);
    }

    #[test]
    fn lengths_that_cannot_be_are_invalid() {
        for lengths in [&[][..], &[0], &[4, -1], &[2, 2, 2, 2]] {
            assert_eq!(Plan::new(Kind::C2C, lengths, 1, None).err(), Some(Failure::Invalid));
        }
        assert!(matches!(Plan::new(Kind::C2C, &[1 << 16, 1 << 16], 1, None), Err(Failure::Lacking(_))));
    }
}
