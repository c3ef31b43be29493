//! cuFFT: transforms of several lengths, layouts and types beside sums in f64 on the host, forward and back.
use crate::gpu::{Gpu, values};
use crate::host::{Z as Number, numbers, parts};
use crate::under_sim::Loaded;
use cudarc::driver::CudaSlice;
use std::f64::consts::TAU;
use std::ffi::c_int;

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
    fn plan(&self, lengths: &[usize], kind: c_int, batch: usize, strides: Option<[&Strides; 2]>) -> c_int {
        let Cufft { gpu, library } = self;
        let (n, mut plan) = (integers(lengths), 0 as c_int);
        let [from, to] = strides.map_or([(vec![], 0, 0), (vec![], 0, 0)], |sides| {
            sides.map(|side| (integers(&side.embed), side.step, side.distance))
        });
        let [inside, outside] = [&from.0, &to.0].map(|list| if list.is_empty() { 0 } else { list.as_ptr() as usize });
        let (at, rank, list) = (&raw mut plan, n.len(), n.as_ptr());
        done!(library.cufftPlanMany(at, rank, list, inside, from.1, from.2, outside, to.1, to.2, kind, batch));
        done!(library.cufftSetStream(plan, gpu.stream.cu_stream()));
        plan
    }

    /// The second call names a plan that is gone.
    fn destroy(&self, plan: c_int) {
        let library = &self.library;
        assert_eq!([(); 2].map(|()| call!(library.cufftDestroy(plan))), [0, 1]);
    }

    /// Transforms by the function of a name; its status. A way is read where numbers are complex on both sides.
    fn run<F, T>(&self, name: &str, plan: c_int, from: &CudaSlice<F>, to: &CudaSlice<T>, way: c_int) -> c_int {
        self.library.call(name, &[plan as usize, self.gpu.place(from), self.gpu.place(to), way as usize])
    }

    /// A complex transform of f64, out of place.
    fn complex(&self, plan: c_int, values: &[Number], direction: c_int) -> Vec<Number> {
        let (from, to) = (self.gpu.up(&parts::<_, f64>(values)), self.gpu.up(&vec![0f64; 2 * values.len()]));
        assert_eq!(self.run("cufftExecZ2Z", plan, &from, &to, direction), 0);
        numbers(&self.gpu.down(&to))
    }
}

fn integers(numbers: &[usize]) -> Vec<c_int> {
    numbers.iter().map(|number| *number as c_int).collect()
}

/// Physical lengths, step and distance of one side.
struct Strides {
    embed: Vec<usize>,
    step: usize,
    distance: usize,
}

impl Strides {
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

fn real_ones<R: Copy + Into<f64>>(values: &[R]) -> Vec<Number> {
    values.iter().map(|x| Number::new((*x).into(), 0.0)).collect()
}

/// The sums that define the transform, one dimension after the other, each array of a batch for itself.
fn expected(values: &[Number], lengths: &[usize], sign: f64) -> Vec<Number> {
    let (mut now, mut stride) = (values.to_vec(), 1);
    for &n in lengths.iter().rev() {
        let before = now.clone();
        for (i, to) in now.iter_mut().enumerate() {
            let (k, start) = (i / stride % n, i - i / stride % n * stride);
            let turn = |q: usize| Number::cis(sign * TAU * (k * q % n) as f64 / n as f64);
            *to = (0..n).map(|q| before[start + q * stride] * turn(q)).sum();
        }
        stride *= n;
    }
    now
}

/// The largest difference relative to the root of the mean square is small: it grows with the number of passes, so with the logarithm of the size.
fn close(what: &str, found: &[Number], wanted: &[Number], unit: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = (wanted.iter().map(|x| x.norm_sqr()).sum::<f64>() / wanted.len() as f64).sqrt();
    let passes = (wanted.len() as f64).log2() + 1.0;
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let far = (found.re - wanted.re).abs().max((found.im - wanted.im).abs());
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
    let given = numbers(&values::<f64>(2 * count, 1));
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
    let wide = real_ones(&given);
    let wanted = half(&expected(&wide, lengths, -1.0), columns);
    let (from, to) = (cufft.gpu.up(&given), cufft.gpu.up(&vec![0f64; 2 * wanted.len()]));
    let (forward, back) = (cufft.plan(lengths, D2Z, 2, None), cufft.plan(lengths, Z2D, 2, None));
    assert_eq!(cufft.run("cufftExecD2Z", forward, &from, &to, 0), 0);
    close(&format!("{lengths:?} of real numbers"), &numbers(&cufft.gpu.down(&to)), &wanted, f64::EPSILON);
    let again = cufft.gpu.up(&vec![0f64; given.len()]);
    assert_eq!(cufft.run("cufftExecZ2D", back, &to, &again, 0), 0);
    let again: Vec<Number> = real_ones(&cufft.gpu.down(&again)).iter().map(|x| x / count as f64).collect();
    close(&format!("{lengths:?} to real numbers"), &again, &wide, f64::EPSILON);
    cufft.destroy(forward);
    cufft.destroy(back);
}

/// All three kinds in f32.
fn single(cufft: &Cufft) {
    let lengths = [16, 15, 28];
    let count = lengths.iter().product::<usize>();
    let given: Vec<f32> = values::<f64>(count, 3).iter().map(|x| *x as f32).collect();
    let wide = real_ones(&given);
    let wanted = half(&expected(&wide, &lengths, -1.0), 28);
    let [forward, back, both] = [R2C, C2R, C2C].map(|kind| cufft.plan(&lengths, kind, 1, None));
    let unit = f64::from(f32::EPSILON);
    let (from, to) = (cufft.gpu.up(&given), cufft.gpu.up(&vec![0f32; 2 * wanted.len()]));
    assert_eq!(cufft.run("cufftExecR2C", forward, &from, &to, 0), 0);
    close("f32", &numbers(&cufft.gpu.down(&to)), &wanted, unit);
    assert_eq!(cufft.run("cufftExecC2R", back, &to, &from, 0), 0);
    let again: Vec<Number> = real_ones(&cufft.gpu.down(&from)).iter().map(|x| x / count as f64).collect();
    close("f32 back", &again, &wide, unit);
    let (from, to) = (cufft.gpu.up(&parts::<_, f32>(&wide)), cufft.gpu.up(&vec![0f32; 2 * count]));
    assert_eq!(cufft.run("cufftExecC2C", both, &from, &to, -1), 0);
    close("f32, complex", &numbers(&cufft.gpu.down(&to)), &expected(&wide, &lengths, -1.0), unit);
    assert_eq!(cufft.run("cufftExecD2Z", forward, &from, &to, 0), 4, "of another kind");
    assert_eq!(cufft.run("cufftExecC2C", both, &from, &to, 0), 4, "a direction");
    [forward, back, both].into_iter().for_each(|plan| cufft.destroy(plan));
}

/// Strides that differ on both sides; what lies between the numbers stays.
fn strided(cufft: &Cufft) {
    let (lengths, batch) = ([3, 10, 4], 2);
    let count = lengths.iter().product::<usize>() * batch;
    let from = Strides { embed: vec![3, 11, 5], step: 2, distance: 340 };
    let to = Strides { embed: vec![3, 10, 6], step: 3, distance: 541 };
    let given = numbers(&values::<f64>(2 * count, 4));
    let mut spread = vec![Number::new(7.0, 7.0); 2 * 340];
    for (i, value) in given.iter().enumerate() {
        spread[from.place(&lengths, i)] = *value;
    }
    let (on_from, on_to) = (cufft.gpu.up(&parts::<_, f64>(&spread)), cufft.gpu.up(&vec![9f64; 4 * 541]));
    let plan = cufft.plan(&lengths, Z2Z, batch, Some([&from, &to]));
    assert_eq!(cufft.run("cufftExecZ2Z", plan, &on_from, &on_to, -1), 0);
    let all = numbers::<Number, _>(&cufft.gpu.down(&on_to));
    let places: Vec<usize> = (0..count).map(|i| to.place(&lengths, i)).collect();
    let found: Vec<Number> = places.iter().map(|at| all[*at]).collect();
    close("strides", &found, &expected(&given, &lengths, -1.0), f64::EPSILON);
    let is_kept = |at: usize| places.contains(&at) || all[at] == Number::new(9.0, 9.0);
    assert!((0..all.len()).all(is_kept), "what lies between is written");
    cufft.destroy(plan);
}

/// Real numbers that share their memory with complex ones: their rows have two numbers more, or one.
fn in_place(cufft: &Cufft) {
    for lengths in [[5, 8], [6, 9]] {
        let (rows, columns) = (lengths[0], lengths[1]);
        let room = 2 * (columns / 2 + 1);
        let given = values::<f64>(rows * columns, 5);
        let wide = real_ones(&given);
        let mut padded = vec![0.0; rows * room];
        for (to, from) in padded.chunks_mut(room).zip(given.chunks(columns)) {
            to[..columns].copy_from_slice(from);
        }
        let both = cufft.gpu.up(&padded);
        let plan = cufft.plan(&lengths, D2Z, 1, None);
        assert_eq!(cufft.run("cufftExecD2Z", plan, &both, &both, 0), 0);
        let wanted = half(&expected(&wide, &lengths, -1.0), columns);
        close("in place", &numbers(&cufft.gpu.down(&both)), &wanted, f64::EPSILON);
        cufft.destroy(plan);
    }
}

/// A work area of the caller's, and a plan that has none.
fn work_area(cufft: &Cufft) {
    let (given, mut plan, mut bytes) = (numbers(&values::<f64>(120, 6)), 0 as c_int, 0usize);
    let Cufft { gpu, library } = cufft;
    done!(library.cufftCreate(&raw mut plan));
    done!(library.cufftSetAutoAllocation(plan, 0));
    done!(library.cufftSetStream(plan, gpu.stream.cu_stream()));
    done!(library.cufftMakePlan1d(plan, 60, Z2Z, 1, &raw mut bytes));
    let flat = gpu.up(&vec![0f64; 120]);
    assert_eq!(cufft.run("cufftExecZ2Z", plan, &flat, &flat, -1), 4, "no work area");
    let area = gpu.up(&vec![0u8; bytes]);
    done!(library.cufftSetWorkArea(plan, gpu.place(&area)));
    close("own work area", &cufft.complex(plan, &given, -1), &expected(&given, &[60], -1.0), f64::EPSILON);
    cufft.destroy(plan);
}

/// A length with a large prime factor, and a function that is not there.
pub fn refused() {
    let Cufft { library, .. } = Cufft::new();
    let mut plan = 0 as c_int;
    assert_eq!(call!(library.cufftPlan1d(&raw mut plan, 262, C2C, 1)), NOT_SUPPORTED);
    assert_eq!(call!(library.cufftXtExec(1, 0, 0, -1i32)), NOT_SUPPORTED);
}
