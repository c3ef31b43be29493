//! The exported functions of cuRAND's host interface: XORWOW and Philox4x32-10 in the default order. A generator's sequences lie on the device;
//! they are laid out there by the first call that generates after the seed or the offset was set.
use crate::device::{Kernels, enter, launch, module};
use crate::failure::{Failure, Outcome, call};
use crate::handle::out;
use crate::layout::Raw;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod absent;
mod xorwow;

/// A number that stands for a generator; it is looked up, never followed.
type Handle = Raw;

/// `curandRngType`
const DEFAULT: c_int = 100;
const XORWOW: c_int = 101;
const PHILOX: c_int = 161;

/// Sequences of each generator, which are the threads of its kernel.
const OF_XORWOW: u64 = 4096;
const OF_PHILOX: u64 = 65536;
/// Numbers of a turn of Philox.
const TURN: u64 = 4;
const THREADS: u32 = 256;

/// `Request` of `random.cu`.
#[repr(C)]
struct Request {
    states: u64,
    to: Raw,
    count: u64,
    sequence: u64,
    given: u64,
    seed: u64,
    mean: f64,
    deviation: f64,
    form: c_int,
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

struct Generator {
    kind: c_int,
    seed: u64,
    /// Numbers that are left out before the first.
    offset: u64,
    /// Numbers given, where a pair of normal ones of XORWOW counts as one.
    position: u64,
    stream: usize,
    states: u64,
    is_laid_out: bool,
}

impl Generator {
    fn sequences(&self) -> u64 {
        if self.kind == XORWOW { OF_XORWOW } else { OF_PHILOX }
    }

    /// How far each sequence is where so many numbers were given, as bytes of the device's memory.
    fn states(&self) -> Vec<u8> {
        if self.kind == XORWOW {
            return xorwow::states(self.seed, self.offset, OF_XORWOW as usize);
        }
        let turns = self.offset / TURN;
        let number = |sequence| turns / OF_PHILOX + u64::from(sequence < turns % OF_PHILOX);
        (0..OF_PHILOX).flat_map(|sequence| number(sequence).to_ne_bytes()).collect()
    }

    /// Writes the sequences to the device, after the work that reads them.
    fn lay_out(&mut self) -> Outcome {
        let (driver, _) = enter()?;
        let states = self.states();
        // SAFETY: the generator's memory has room for the states.
        unsafe {
            driver.cuStreamSynchronize(self.stream as Raw)?;
            driver.cuMemcpyHtoD_v2(self.states, states.as_ptr().cast(), states.len())?;
        }
        (self.position, self.is_laid_out) = (self.offset, true);
        Ok(())
    }

    unsafe fn generate(&mut self, form: Form, to: Raw, count: usize, mean: f64, deviation: f64) -> Outcome {
        let is_philox = self.kind == PHILOX;
        if count == 0 {
            return Ok(());
        }
        if !self.is_laid_out {
            self.lay_out()?;
        }
        let count = count as u64;
        let turn = if is_philox { TURN } else { 1 };
        let request = Request {
            states: self.states,
            to,
            count,
            sequence: self.position / turn % self.sequences(),
            given: self.position % turn,
            seed: self.seed,
            mean,
            deviation,
            form: form as c_int,
        };
        let name = if is_philox { "philox" } else { "xorwow" };
        let blocks = self.sequences() as i64 / i64::from(THREADS);
        // SAFETY: the struct of these kernels, and the caller's room for so many numbers.
        unsafe { launch(Kernels::Random, name, [blocks, 1, 1], THREADS, self.stream as Raw, &request)? };
        self.position += if !is_philox && form >= Form::Normal { count / 2 } else { count };
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
    let kind = match kind {
        DEFAULT | XORWOW => XORWOW,
        PHILOX => PHILOX,
        other => return Err(Failure::Lacking(format!("for curandRngType_t {other}"))),
    };
    module(Kernels::Random)?;
    let (driver, _) = enter()?;
    let mut made = Generator { kind, seed: 0, offset: 0, position: 0, stream: 0, states: 0, is_laid_out: false };
    let bytes = made.states().len();
    // SAFETY: a place for an address.
    unsafe { driver.cuMemAlloc_v2(&mut made.states, bytes) }.map_err(|_| Failure::Memory)?;
    let mut generators = generators();
    generators.0 += 1;
    let number = generators.0;
    generators.1.insert(number, made);
    // SAFETY: the caller's place.
    unsafe { out(to, number as Handle) }
}

fn destroy(handle: Handle) -> Outcome {
    let gone = generators().1.remove(&(handle as usize)).ok_or(Failure::NotInitialized)?;
    let (driver, _) = enter()?;
    // SAFETY: memory of the generator, to which no call leads any more. After a reset of the device it is gone already.
    let _ = unsafe { driver.cuMemFree_v2(gone.states) };
    Ok(())
}

/// `curandSetGeneratorOrdering`: the best, the default and the legacy order are one for these generators.
fn order(handle: Handle, order: c_uint) -> Outcome {
    with(handle, |_| match order {
        100 | 101 | 103 => Ok(()),
        other => Err(Failure::Lacking(format!("for curandOrdering_t {other}"))),
    })
}

/// The version: 10.3.10, which is that of CUDA 12.9.
const VERSION: [c_int; 3] = [10, 3, 10];

/// `CURAND_STATUS_LENGTH_NOT_MULTIPLE`: XORWOW gives normal numbers in pairs.
const LENGTH_NOT_MULTIPLE: c_int = 105;
/// `CURAND_STATUS_TYPE_ERROR`: words of 64 bits come from generators of such words alone.
const TYPE_ERROR: c_int = 103;

macro_rules! exports {
    ($($name:ident($($argument:ident: $kind:ty),*) => $body:expr;)*) => { $(
        /// As the interface defines it.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the interface's names")]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> c_int {
            // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
            #[allow(unused_unsafe, reason = "some need none")]
            call(stringify!($name), Failure::of_curand, || unsafe { $body })
        }
    )* };
}

exports! {
    curandCreateGenerator(to: *mut Handle, kind: c_int) => create(to, kind);
    curandDestroyGenerator(generator: Handle) => destroy(generator);
    curandGetVersion(to: *mut c_int) => out(to, VERSION[0] * 1000 + VERSION[1] * 100 + VERSION[2]);
    curandGetProperty(which: c_int, to: *mut c_int) => out(to, *VERSION.get(which as usize).ok_or(Failure::Invalid)?);
    curandSetStream(generator: Handle, stream: Raw) => with(generator, |generator| { generator.stream = stream as usize; Ok(()) });
    curandSetPseudoRandomGeneratorSeed(generator: Handle, seed: u64) => with(generator, |generator| { (generator.seed, generator.is_laid_out) = (seed, false); Ok(()) });
    curandSetGeneratorOffset(generator: Handle, offset: u64) => with(generator, |generator| { (generator.offset, generator.is_laid_out) = (offset, false); Ok(()) });
    curandSetGeneratorOrdering(generator: Handle, ordering: c_uint) => order(generator, ordering);
    curandGenerateSeeds(generator: Handle) => with(generator, Generator::lay_out);
    curandGenerate(generator: Handle, to: *mut u32, count: usize) => with(generator, |generator| generator.generate(Form::Bits, to.cast(), count, 0.0, 1.0));
    curandGenerateUniform(generator: Handle, to: *mut f32, count: usize) => with(generator, |generator| generator.generate(Form::Uniform, to.cast(), count, 0.0, 1.0));
    curandGenerateUniformDouble(generator: Handle, to: *mut f64, count: usize) => with(generator, |generator| generator.generate(Form::UniformDouble, to.cast(), count, 0.0, 1.0));
}

/// Exports the functions that give normal numbers.
macro_rules! normal {
    ($($name:ident $type:ty, $form:expr;)*) => { $(
        /// As the interface defines it.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "the interface's names")]
        pub unsafe extern "C" fn $name(generator: Handle, to: *mut $type, count: usize, mean: $type, deviation: $type) -> c_int {
            let is_odd_of_xorwow =
                count % 2 == 1 && generators().1.get(&(generator as usize)).is_some_and(|known| known.kind == XORWOW);
            if is_odd_of_xorwow {
                return LENGTH_NOT_MULTIPLE;
            }
            call(stringify!($name), Failure::of_curand, || {
                // SAFETY: the caller's room for so many numbers.
                with(generator, |known| unsafe { known.generate($form, to.cast(), count, mean.into(), deviation.into()) })
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

/// `curandGenerateLongLong`
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the interface's name")]
pub extern "C" fn curandGenerateLongLong(_generator: Handle, _to: *mut u64, _count: usize) -> c_int {
    TYPE_ERROR
}
