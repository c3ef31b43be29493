//! The exported functions of cuRAND's host interface: XORWOW, MRG32k3a and Philox4x32-10 in the default order, and Sobol's sequences. A
//! generator's sequences, or its direction vectors, lie on the device; they are laid out there by the first call that generates after the seed,
//! the offset or the dimensions were set.
use crate::device::{Kernels, enter, launch, module};
use crate::failure::{Failure, Outcome, call, exports};
use crate::handle::out;
use crate::layout::Raw;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod mrg;
mod sobol;
mod xorwow;

/// A number that stands for a generator; it is looked up, never followed.
type Handle = Raw;

/// `curandRngType`
const DEFAULT: c_int = 100;
const XORWOW: c_int = 101;
const MRG: c_int = 121;
const PHILOX: c_int = 161;
const DEFAULT_QUASI: c_int = 200;
const SOBOL32: c_int = 201;
const SOBOL64: c_int = 203;

/// `curandOrdering`
const SEEDED: c_uint = 102;
const LEGACY: c_uint = 103;
const QUASI: c_uint = 201;

/// `curandDirectionVectorSet`: those of Joe and Kuo without scrambling.
const JOE_KUO_32: c_int = 101;
const JOE_KUO_64: c_int = 103;

/// Sequences of each generator, which are the threads of its kernel.
const OF_XORWOW: u64 = 4096;
const OF_MRG: u64 = 81920;
const LEGACY_OF_MRG: u64 = 4096;
const OF_PHILOX: u64 = 65536;
/// Numbers of a turn of Philox.
const TURN: u64 = 4;
const THREADS: u32 = 256;
/// Blocks for a dimension of a Sobol sequence at the most; their threads go on with further points.
const BLOCKS_OF_DIMENSION: u64 = 64;

cuda::c_structs! {
    /// `Request` of `random.cu`.
    struct Request {
        states: u64;
        to: Raw;
        count, sequence, given, seed: u64;
        mean, deviation: f64;
        form: c_int;
    }
}

/// `Form` of `random.cu`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Bits,
    Uniform,
    UniformDouble,
    Normal,
    NormalDouble,
    LogNormal,
    LogNormalDouble,
}

/// The width of the words that a call asks for: 32 or 64 bits, or numbers that both generators of words make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Narrow,
    Wide,
    Any,
}

#[derive(Default)]
struct Generator {
    kind: c_int,
    seed: u64,
    /// Numbers that are left out before the first; of Sobol's sequences points.
    offset: u64,
    /// Numbers given, where a pair of normal ones of XORWOW and MRG32k3a counts as one; of Sobol's sequences the next point.
    position: u64,
    /// Sequences that take turns.
    sequences: u64,
    dimensions: usize,
    stream: usize,
    /// Memory of the device for the sequences, and its bytes.
    states: u64,
    bytes: usize,
    is_laid_out: bool,
}

impl Generator {
    fn is_quasi(&self) -> bool {
        self.kind >= DEFAULT_QUASI
    }

    /// How far each sequence is where so many numbers were given, or the direction vectors, as bytes of the device's memory.
    fn states(&self) -> Vec<u8> {
        let sequences = self.sequences as usize;
        match self.kind {
            XORWOW => xorwow::states(self.seed, self.offset, sequences),
            MRG => mrg::states(self.seed, self.offset, sequences),
            SOBOL32 => sobol::narrow()[..32 * self.dimensions].iter().flat_map(|word| word.to_ne_bytes()).collect(),
            SOBOL64 => sobol::wide()[..64 * self.dimensions].iter().flat_map(|word| word.to_ne_bytes()).collect(),
            _ => {
                let turns = self.offset / TURN;
                let number = |sequence| turns / OF_PHILOX + u64::from(sequence < turns % OF_PHILOX);
                (0..OF_PHILOX).flat_map(|sequence| number(sequence).to_ne_bytes()).collect()
            }
        }
    }

    /// Writes the sequences to the device, after the work that reads them.
    fn lay_out(&mut self) -> Outcome {
        let (driver, _) = enter()?;
        let states = self.states();
        // SAFETY: the generator's memory, which no work reads any more and which has room for the states then.
        unsafe {
            driver.cuStreamSynchronize(self.stream as Raw)?;
            if self.bytes != states.len() {
                let old = std::mem::take(&mut self.states);
                self.bytes = 0;
                if old != 0 {
                    driver.cuMemFree_v2(old)?;
                }
                driver.cuMemAlloc_v2(&mut self.states, states.len()).map_err(|_| Failure::Memory)?;
                self.bytes = states.len();
            }
            driver.cuMemcpyHtoD_v2(self.states, states.as_ptr().cast(), states.len())?;
        }
        self.is_laid_out = true;
        Ok(())
    }

    /// A seed, or numbers to leave out: the next number is the first after the offset.
    fn begin(&mut self, seed: u64, offset: u64) {
        (self.seed, self.offset, self.position, self.is_laid_out) = (seed, offset, offset, false);
    }

    fn seed(&mut self, seed: u64) -> Outcome {
        refuse_if!(self.is_quasi(), Failure::Own(TYPE_ERROR));
        // A seed that it has already changes nothing.
        if seed != self.seed {
            self.resume(seed);
        }
        Ok(())
    }

    /// Lays the sequences out anew, with the numbers going on as cuRAND has it: those of XORWOW and MRG32k3a where they are, those of Philox
    /// one number after the offset for each turn of four, or where they are while that is no number.
    fn resume(&mut self, seed: u64) {
        let (offset, position) = (self.offset, self.position);
        if self.kind != PHILOX {
            return self.begin(seed, position);
        }
        let given = position.wrapping_sub(offset);
        self.begin(seed, offset.wrapping_add((offset % TURN).wrapping_add(given) / TURN));
        if self.offset == 0 {
            self.position = position;
        }
    }

    /// `curandSetQuasiRandomGeneratorDimensions`; the points go on.
    fn span(&mut self, dimensions: c_uint) -> Outcome {
        refuse_if!(!self.is_quasi(), Failure::Own(TYPE_ERROR));
        let dimensions = dimensions as usize;
        refuse_if!(!(1..=sobol::DIMENSIONS).contains(&dimensions), Failure::Invalid);
        (self.dimensions, self.is_laid_out) = (dimensions, false);
        Ok(())
    }

    /// `curandSetGeneratorOrdering`: the best and the default order are one for these generators, and the legacy one but for MRG32k3a.
    fn order(&mut self, order: c_uint) -> Outcome {
        match order {
            QUASI if self.is_quasi() => {}
            100..=104 if self.is_quasi() => return Err(Failure::Invalid),
            100 | 101 | LEGACY if self.kind == MRG => {
                self.sequences = if order == LEGACY { LEGACY_OF_MRG } else { OF_MRG };
                self.begin(self.seed, self.offset);
            }
            100 | 101 | LEGACY => {}
            QUASI => return Err(Failure::Invalid),
            SEEDED if self.kind != XORWOW => return Err(Failure::Invalid),
            other => return Err(Failure::Lacking(format!("for curandOrdering_t {other}"))),
        }
        Ok(())
    }

    unsafe fn generate(
        &mut self,
        (form, width): (Form, Width),
        to: Raw,
        count: usize,
        mean: f64,
        deviation: f64,
    ) -> Outcome {
        let has_pairs = matches!(self.kind, XORWOW | MRG);
        let own_width = if self.kind == SOBOL64 { Width::Wide } else { Width::Narrow };
        refuse_if!(width != Width::Any && width != own_width, Failure::Own(TYPE_ERROR));
        let of_a_turn = if has_pairs && form >= Form::Normal { 2 } else { self.dimensions };
        refuse_if!(!count.is_multiple_of(of_a_turn), Failure::Own(LENGTH_NOT_MULTIPLE));
        if count == 0 {
            return Ok(());
        }
        if !self.is_laid_out {
            self.lay_out()?;
        }
        let count = (count / self.dimensions) as u64;
        let turn = if self.kind == PHILOX { TURN } else { 1 };
        let (sequence, given) = if self.is_quasi() {
            (0, self.position)
        } else {
            (self.position / turn % self.sequences, self.position % turn)
        };
        let (states, seed) = (self.states, self.seed);
        let request = Request { states, to, count, sequence, given, seed, mean, deviation, form: form as c_int };
        let (name, grid) = match self.kind {
            XORWOW => ("xorwow", [self.sequences / u64::from(THREADS), 1]),
            MRG => ("mrg32k3a", [self.sequences / u64::from(THREADS), 1]),
            PHILOX => ("philox", [self.sequences / u64::from(THREADS), 1]),
            _ => {
                let blocks = count.div_ceil(THREADS.into()).min(BLOCKS_OF_DIMENSION);
                (if self.kind == SOBOL32 { "sobol32" } else { "sobol64" }, [blocks, self.dimensions as u64])
            }
        };
        let grid = [grid[0] as i64, grid[1] as i64, 1];
        // SAFETY: the struct of these kernels, and the caller's room for so many numbers.
        unsafe { launch(Kernels::Random, name, grid, THREADS, self.stream as Raw, &request)? };
        let taken = if has_pairs && form >= Form::Normal { count / 2 } else { count };
        self.position = self.position.wrapping_add(taken);
        Ok(())
    }
}

fn generators() -> MutexGuard<'static, (usize, BTreeMap<usize, Generator>)> {
    static GENERATORS: Mutex<(usize, BTreeMap<usize, Generator>)> = Mutex::new((0, BTreeMap::new()));
    GENERATORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with a generator.
fn with(handle: Handle, what: impl FnOnce(&mut Generator) -> Outcome) -> Outcome {
    what(generators().1.get_mut(&(handle as usize)).ok_or(Failure::NotInitialized)?)
}

unsafe fn create(to: *mut Handle, kind: c_int) -> Outcome {
    let (kind, sequences) = match kind {
        DEFAULT | XORWOW => (XORWOW, OF_XORWOW),
        MRG => (MRG, OF_MRG),
        PHILOX => (PHILOX, OF_PHILOX),
        DEFAULT_QUASI | SOBOL32 => (SOBOL32, 0),
        SOBOL64 => (SOBOL64, 0),
        other => return Err(Failure::Lacking(format!("for curandRngType_t {other}"))),
    };
    module(Kernels::Random)?;
    let made = Generator { kind, sequences, dimensions: 1, ..Generator::default() };
    let mut generators = generators();
    generators.0 += 1;
    let number = generators.0;
    generators.1.insert(number, made);
    unsafe { out(to, number as Handle) }
}

fn destroy(handle: Handle) -> Outcome {
    let gone = generators().1.remove(&(handle as usize)).ok_or(Failure::NotInitialized)?;
    let (driver, _) = enter()?;
    if gone.states != 0 {
        // SAFETY: memory of the generator, to which no call leads any more. After a reset of the device it is gone already.
        let _ = unsafe { driver.cuMemFree_v2(gone.states) };
    }
    Ok(())
}

/// `curandGetDirectionVectors32` and `…64`: a table on the host, of words of so many bits.
unsafe fn vectors(to: *mut *const c_void, set: c_int, bits: usize) -> Outcome {
    let table = match (set, bits) {
        (JOE_KUO_32, 32) => sobol::narrow().as_ptr().cast(),
        (JOE_KUO_64, 64) => sobol::wide().as_ptr().cast(),
        _ => return Err(Failure::Lacking(format!("for curandDirectionVectorSet_t {set}"))),
    };
    unsafe { out(to, table) }
}

/// The version: 10.3.10, which is that of CUDA 12.9.
const VERSION: [c_int; 3] = [10, 3, 10];

/// `CURAND_STATUS_LENGTH_NOT_MULTIPLE`: XORWOW and MRG32k3a give normal numbers in pairs, Sobol's sequences equally many of each dimension.
const LENGTH_NOT_MULTIPLE: c_int = 105;
/// `CURAND_STATUS_TYPE_ERROR`: another kind of generator has the function. Words of 64 bits come from generators of such words alone.
const TYPE_ERROR: c_int = 103;

cuda::curand!(exports; of_curand);

/// Exports the functions that give normal numbers.
macro_rules! normal {
    ($($name:ident $type:ty, $form:expr;)*) => { $(
        /// As the interface defines it.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the interface's names")]
        pub unsafe extern "C" fn $name(generator: Handle, to: *mut $type, count: usize, mean: $type, deviation: $type) -> c_int {
            call(stringify!($name), Failure::of_curand, || {
                // SAFETY: the caller's room for so many numbers.
                with(generator, |known| unsafe { known.generate(($form, Width::Any), to.cast(), count, mean.into(), deviation.into()) })
            })
        }
    )* };
}

normal! {
    curandGenerateNormal f32, Form::Normal;
    curandGenerateNormalDouble f64, Form::NormalDouble;
    curandGenerateLogNormal f32, Form::LogNormal;
    curandGenerateLogNormalDouble f64, Form::LogNormalDouble;
}
