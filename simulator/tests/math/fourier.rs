//! cuFFT: transforms of several lengths, layouts and types beside sums in f64 on the host, forward and back.
use crate::gpu::{Gpu, Loaded, values};
use cudarc::driver::CudaSlice;
use std::f64::consts::TAU;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

type Raw = *mut c_void;
type Handle = c_int;
type Int = c_int;
type List = *mut c_int;
type Many = unsafe extern "C" fn(*mut Handle, Int, List, List, Int, Int, List, Int, Int, Int, Int) -> Int;
type Real = unsafe extern "C" fn(Handle, Raw, Raw) -> c_int;
type Complex = unsafe extern "C" fn(Handle, Raw, Raw, c_int) -> c_int;
type Number = [f64; 2];

const R2C: c_int = 0x2a;
const C2R: c_int = 0x2c;
const C2C: c_int = 0x29;
const D2Z: c_int = 0x6a;
const Z2D: c_int = 0x6c;
const Z2Z: c_int = 0x69;
const NOT_SUPPORTED: c_int = 16;

struct Cufft {
    gpu: Gpu,
    library: Loaded,
}

impl Cufft {
    fn new() -> Cufft {
        Cufft { gpu: Gpu::new(), library: Loaded::new("libcufft.so.11") }
    }

    /// A plan in the stream of the device.
    fn plan(&self, lengths: &[usize], kind: c_int, batch: usize, strides: Option<[&Strides; 2]>) -> Handle {
        let mut n: Vec<c_int> = lengths.iter().map(|length| *length as c_int).collect();
        let [mut from, mut to] = strides.map_or([(vec![], 0, 0), (vec![], 0, 0)], |sides| sides.map(Strides::numbers));
        let embed = |list: &mut Vec<c_int>| if strides.is_some() { list.as_mut_ptr() } else { null_mut() };
        let mut handle = 0;
        // SAFETY: the library's signatures, with as many numbers in each list as there are lengths.
        unsafe {
            let many: Many = self.library.call("cufftPlanMany");
            let (inside, outside) = (embed(&mut from.0), embed(&mut to.0));
            let (rank, batch) = (n.len() as c_int, batch as c_int);
            let done =
                many(&mut handle, rank, n.as_mut_ptr(), inside, from.1, from.2, outside, to.1, to.2, kind, batch);
            assert_eq!(done, 0, "a plan of {lengths:?}");
            let set: unsafe extern "C" fn(Handle, Raw) -> c_int = self.library.call("cufftSetStream");
            assert_eq!(set(handle, self.gpu.stream.cu_stream().cast()), 0);
        }
        handle
    }

    fn destroy(&self, handle: Handle) {
        let destroy: unsafe extern "C" fn(Handle) -> c_int = self.library.call("cufftDestroy");
        // SAFETY: the library's signature. The second call names a plan that is gone.
        unsafe {
            assert_eq!(destroy(handle), 0);
            assert_eq!(destroy(handle), 1);
        }
    }

    /// Transforms by the function of a name, which has a way where its numbers are complex on both sides; its status.
    fn run<F, T>(&self, name: &str, plan: Handle, from: &CudaSlice<F>, to: &CudaSlice<T>, way: Option<Int>) -> Int {
        let (from, to) = (self.gpu.at(from), self.gpu.at(to));
        // SAFETY: the library's signatures, on memory with the room that the tests give their plans.
        unsafe {
            match way {
                Some(way) => self.library.call::<Complex>(name)(plan, from, to, way),
                None => self.library.call::<Real>(name)(plan, from, to),
            }
        }
    }

    /// A complex transform of f64, out of place.
    fn complex(&self, plan: Handle, values: &[Number], direction: c_int) -> Vec<Number> {
        let flat: Vec<f64> = values.iter().flatten().copied().collect();
        let (from, to) = (self.gpu.up(&flat), self.gpu.up(&vec![0f64; flat.len()]));
        assert_eq!(self.run("cufftExecZ2Z", plan, &from, &to, Some(direction)), 0);
        pairs(&self.gpu.down(&to))
    }
}

/// Physical lengths, step and distance of one side.
struct Strides {
    embed: Vec<usize>,
    step: usize,
    distance: usize,
}

impl Strides {
    fn numbers(&self) -> (Vec<c_int>, c_int, c_int) {
        (self.embed.iter().map(|length| *length as c_int).collect(), self.step as c_int, self.distance as c_int)
    }

    /// Where the number lies that a dense array of these lengths has at `index`.
    fn place(&self, lengths: &[usize], index: usize) -> usize {
        let size: usize = lengths.iter().product();
        let (mut rest, mut at, mut apart) = (index % size, index / size * self.distance, self.step);
        for (length, embed) in lengths.iter().zip(&self.embed).rev() {
            at += rest % length * apart;
            rest /= length;
            apart *= embed;
        }
        at
    }
}

fn pairs(flat: &[f64]) -> Vec<Number> {
    flat.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

fn numbers(count: usize, seed: u64) -> Vec<Number> {
    pairs(&values(2 * count, seed))
}

/// The sums that define the transform, one dimension after the other, each array of a batch for itself.
fn expected(values: &[Number], lengths: &[usize], sign: f64) -> Vec<Number> {
    let (mut now, mut stride) = (values.to_vec(), 1);
    for &n in lengths.iter().rev() {
        let before = now.clone();
        for (i, to) in now.iter_mut().enumerate() {
            let (k, start) = (i / stride % n, i - i / stride % n * stride);
            *to = (0..n).fold([0.0, 0.0], |[re, im], q| {
                let ([x, y], (sine, cosine)) =
                    (before[start + q * stride], (sign * TAU * (k * q % n) as f64 / n as f64).sin_cos());
                [re + x * cosine - y * sine, im + x * sine + y * cosine]
            });
        }
        stride *= n;
    }
    now
}

/// The largest difference relative to the root of the mean square is small: it grows with the number of passes, so with the logarithm of the size.
fn close(what: &str, found: &[Number], wanted: &[Number], unit: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = (wanted.iter().flatten().map(|x| x * x).sum::<f64>() / wanted.len() as f64).sqrt();
    let passes = (wanted.len() as f64).log2() + 1.0;
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let far = (found[0] - wanted[0]).abs().max((found[1] - wanted[1]).abs());
        assert!(far <= 4.0 * passes * unit * size, "{what}: {found:?} at {i}, {wanted:?} is right");
    }
}

pub fn all() {
    let cufft = Cufft::new();
    // Every factor that has a kernel, several of them after another, primes that have none, and one number.
    for length in [1, 2, 3, 4, 5, 7, 8, 11, 48, 121, 127, 210, 360, 1024, 1155] {
        complex(&cufft, &[length], 3);
    }
    complex(&cufft, &[28, 25, 30], 1);
    complex(&cufft, &[6, 35], 2);
    for lengths in [&[12][..], &[9], &[1], &[6, 10], &[21, 5, 9], &[4, 7, 8]] {
        real(&cufft, lengths);
    }
    single(&cufft);
    strided(&cufft);
    in_place(&cufft);
    work_area(&cufft);
}

fn complex(cufft: &Cufft, lengths: &[usize], batch: usize) {
    let count = lengths.iter().product::<usize>() * batch;
    let given = numbers(count, 1);
    let plan = cufft.plan(lengths, Z2Z, batch, None);
    let there = cufft.complex(plan, &given, -1);
    close(&format!("{lengths:?} forward"), &there, &expected(&given, lengths, -1.0), f64::EPSILON);
    let back = cufft.complex(plan, &given, 1);
    close(&format!("{lengths:?} back"), &back, &expected(&given, lengths, 1.0), f64::EPSILON);
    cufft.destroy(plan);
}

/// The half that symmetry leaves of a transform of real numbers.
fn half(whole: &[Number], columns: usize) -> Vec<Number> {
    whole.chunks(columns).flat_map(|row| row[..columns / 2 + 1].to_vec()).collect()
}

fn real(cufft: &Cufft, lengths: &[usize]) {
    let (columns, count) = (*lengths.last().expect("a length"), lengths.iter().product::<usize>());
    let given = values::<f64>(2 * count, 2);
    let wide: Vec<Number> = given.iter().map(|x| [*x, 0.0]).collect();
    let wanted = half(&expected(&wide, lengths, -1.0), columns);
    let (from, to) = (cufft.gpu.up(&given), cufft.gpu.up(&vec![0f64; 2 * wanted.len()]));
    let (forward, back) = (cufft.plan(lengths, D2Z, 2, None), cufft.plan(lengths, Z2D, 2, None));
    assert_eq!(cufft.run("cufftExecD2Z", forward, &from, &to, None), 0);
    close(&format!("{lengths:?} of real numbers"), &pairs(&cufft.gpu.down(&to)), &wanted, f64::EPSILON);
    let again = cufft.gpu.up(&vec![0f64; given.len()]);
    assert_eq!(cufft.run("cufftExecZ2D", back, &to, &again, None), 0);
    let again: Vec<Number> = cufft.gpu.down(&again).iter().map(|x| [x / count as f64, 0.0]).collect();
    close(&format!("{lengths:?} to real numbers"), &again, &wide, f64::EPSILON);
    cufft.destroy(forward);
    cufft.destroy(back);
}

/// All three kinds in f32.
fn single(cufft: &Cufft) {
    let lengths = [16, 15, 28];
    let count = lengths.iter().product::<usize>();
    let given: Vec<f32> = values::<f64>(count, 3).iter().map(|x| *x as f32).collect();
    let wide: Vec<Number> = given.iter().map(|x| [f64::from(*x), 0.0]).collect();
    let wanted = half(&expected(&wide, &lengths, -1.0), 28);
    let widened = |flat: Vec<f32>| pairs(&flat.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
    let [forward, back, both] = [R2C, C2R, C2C].map(|kind| cufft.plan(&lengths, kind, 1, None));
    let unit = f64::from(f32::EPSILON);
    let (from, to) = (cufft.gpu.up(&given), cufft.gpu.up(&vec![0f32; 2 * wanted.len()]));
    assert_eq!(cufft.run("cufftExecR2C", forward, &from, &to, None), 0);
    close("f32", &widened(cufft.gpu.down(&to)), &wanted, unit);
    assert_eq!(cufft.run("cufftExecC2R", back, &to, &from, None), 0);
    let again: Vec<Number> = cufft.gpu.down(&from).iter().map(|x| [f64::from(*x) / count as f64, 0.0]).collect();
    close("f32 back", &again, &wide, unit);
    let flat: Vec<f32> = wide.iter().flatten().map(|x| *x as f32).collect();
    let (from, to) = (cufft.gpu.up(&flat), cufft.gpu.up(&vec![0f32; flat.len()]));
    assert_eq!(cufft.run("cufftExecC2C", both, &from, &to, Some(-1)), 0);
    close("f32, complex", &widened(cufft.gpu.down(&to)), &expected(&wide, &lengths, -1.0), unit);
    assert_eq!(cufft.run("cufftExecD2Z", forward, &from, &to, None), 4, "of another kind");
    assert_eq!(cufft.run("cufftExecC2C", both, &from, &to, Some(0)), 4, "a direction");
    [forward, back, both].into_iter().for_each(|plan| cufft.destroy(plan));
}

/// Strides that differ on both sides; what lies between the numbers stays.
fn strided(cufft: &Cufft) {
    let (lengths, batch) = ([3, 10, 4], 2);
    let count = lengths.iter().product::<usize>() * batch;
    let from = Strides { embed: vec![3, 11, 5], step: 2, distance: 340 };
    let to = Strides { embed: vec![3, 10, 6], step: 3, distance: 541 };
    let given = numbers(count, 4);
    let mut spread = vec![[7.0, 7.0]; 2 * 340];
    for (i, value) in given.iter().enumerate() {
        spread[from.place(&lengths, i)] = *value;
    }
    let flat: Vec<f64> = spread.iter().flatten().copied().collect();
    let (on_from, on_to) = (cufft.gpu.up(&flat), cufft.gpu.up(&vec![9f64; 4 * 541]));
    let plan = cufft.plan(&lengths, Z2Z, batch, Some([&from, &to]));
    assert_eq!(cufft.run("cufftExecZ2Z", plan, &on_from, &on_to, Some(-1)), 0);
    let all = pairs(&cufft.gpu.down(&on_to));
    let places: Vec<usize> = (0..count).map(|i| to.place(&lengths, i)).collect();
    let found: Vec<Number> = places.iter().map(|at| all[*at]).collect();
    close("strides", &found, &expected(&given, &lengths, -1.0), f64::EPSILON);
    let is_between = |at: &usize| !places.contains(at);
    assert!((0..all.len()).filter(is_between).all(|at| all[at] == [9.0, 9.0]), "what lies between is written");
    cufft.destroy(plan);
}

/// Real numbers that share their memory with complex ones: their rows have two numbers more, or one.
fn in_place(cufft: &Cufft) {
    for lengths in [[5, 8], [6, 9]] {
        let (rows, columns) = (lengths[0], lengths[1]);
        let room = 2 * (columns / 2 + 1);
        let given = values::<f64>(rows * columns, 5);
        let wide: Vec<Number> = given.iter().map(|x| [*x, 0.0]).collect();
        let mut padded = vec![0.0; rows * room];
        for (to, from) in padded.chunks_mut(room).zip(given.chunks(columns)) {
            to[..columns].copy_from_slice(from);
        }
        let both = cufft.gpu.up(&padded);
        let plan = cufft.plan(&lengths, D2Z, 1, None);
        assert_eq!(cufft.run("cufftExecD2Z", plan, &both, &both, None), 0);
        let wanted = half(&expected(&wide, &lengths, -1.0), columns);
        close("in place", &pairs(&cufft.gpu.down(&both)), &wanted, f64::EPSILON);
        cufft.destroy(plan);
    }
}

/// A work area of the caller's, and a plan that has none.
fn work_area(cufft: &Cufft) {
    let (given, mut plan, mut bytes) = (numbers(60, 6), 0, 0usize);
    // SAFETY: the library's signatures.
    unsafe {
        let create: unsafe extern "C" fn(*mut Handle) -> c_int = cufft.library.call("cufftCreate");
        let own: unsafe extern "C" fn(Handle, c_int) -> c_int = cufft.library.call("cufftSetAutoAllocation");
        let make: unsafe extern "C" fn(Handle, c_int, c_int, c_int, *mut usize) -> c_int =
            cufft.library.call("cufftMakePlan1d");
        let give: unsafe extern "C" fn(Handle, Raw) -> c_int = cufft.library.call("cufftSetWorkArea");
        let stream: unsafe extern "C" fn(Handle, Raw) -> c_int = cufft.library.call("cufftSetStream");
        assert_eq!((create(&mut plan), own(plan, 0)), (0, 0));
        assert_eq!(stream(plan, cufft.gpu.stream.cu_stream().cast()), 0);
        assert_eq!(make(plan, 60, Z2Z, 1, &mut bytes), 0);
        let flat = cufft.gpu.up(&vec![0f64; 120]);
        assert_eq!(cufft.run("cufftExecZ2Z", plan, &flat, &flat, Some(-1)), 4, "no work area");
        let area = cufft.gpu.up(&vec![0u8; bytes]);
        assert_eq!(give(plan, cufft.gpu.at(&area)), 0);
        close("own work area", &cufft.complex(plan, &given, -1), &expected(&given, &[60], -1.0), f64::EPSILON);
    }
    cufft.destroy(plan);
}

/// A length with a large prime factor, and a function that is not there.
pub fn refused() {
    let cufft = Cufft::new();
    let mut plan = 0;
    let plan_1d: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_int) -> c_int = cufft.library.call("cufftPlan1d");
    let extended: unsafe extern "C" fn(Handle, Raw, Raw, c_int) -> c_int = cufft.library.call("cufftXtExec");
    // SAFETY: the library's signatures.
    unsafe {
        assert_eq!(plan_1d(&mut plan, 262, C2C, 1), NOT_SUPPORTED);
        assert_eq!(extended(1, null_mut(), null_mut(), -1), NOT_SUPPORTED);
    }
}
