//! Matrices on the host, of numbers in f64: real ones, or complex ones.
use crate::gpu::{Number, values};
use cudarc::cublas::sys::cublasOperation_t as Operation;
use nalgebra::{Complex, ComplexField};

pub const N: Operation = Operation::CUBLAS_OP_N;
pub const T: Operation = Operation::CUBLAS_OP_T;
pub const C: Operation = Operation::CUBLAS_OP_C;

pub type Z = Complex<f64>;

/// A number on the host: real, or complex.
pub trait Element: ComplexField<RealField = f64> + Copy {
    const ALPHA: Self;
    const BETA: Self;
    /// A real number has no imaginary part.
    fn number(re: f64, im: f64) -> Self;
}

impl Element for f64 {
    const ALPHA: f64 = 1.5;
    const BETA: f64 = -0.5;
    fn number(re: f64, _: f64) -> f64 {
        re
    }
}

impl Element for Z {
    const ALPHA: Z = Z::new(1.5, -0.5);
    const BETA: Z = Z::new(-0.5, 2.0);
    fn number(re: f64, im: f64) -> Z {
        Z::new(re, im)
    }
}

/// The parts of numbers, as they lie on the device.
pub fn parts<E: Element, R: Number>(numbers: &[E]) -> Vec<R> {
    let of_one = |number: &E| [number.real(), number.imaginary()].into_iter().take(size_of::<E>() / 8);
    numbers.iter().flat_map(of_one).map(R::of).collect()
}

/// The numbers that have these parts.
pub fn numbers<E: Element, R: Number>(parts: &[R]) -> Vec<E> {
    parts.chunks(size_of::<E>() / 8).map(|parts| E::number(parts[0].f64(), parts[parts.len() - 1].f64())).collect()
}

/// A column-major matrix and its leading dimension.
pub struct Host<E>(pub Vec<E>, pub usize);

impl<E: Element> Host<E> {
    /// A matrix that is of `rows` × `columns` after the operation, with `more` elements between its columns: halves of small whole numbers,
    /// which every type here has.
    pub fn of(operation: Operation, rows: usize, columns: usize, more: usize, seed: u64) -> Host<E> {
        let (rows, columns) = if operation == N { (rows, columns) } else { (columns, rows) };
        let [re, im] = [2 * seed, 2 * seed + 1].map(|seed| values::<f64>((rows + more) * columns, seed).into_iter());
        let half = |value: f64| (value * 16.0).round() / 2.0;
        Host(re.zip(im).map(|(re, im)| E::number(half(re), half(im))).collect(), rows + more)
    }

    pub fn each<V>(&self, convert: impl Fn(E) -> V) -> Vec<V> {
        self.0.iter().map(|value| convert(*value)).collect()
    }

    /// An element of op(matrix).
    pub fn at(&self, operation: Operation, row: usize, column: usize) -> E {
        match operation {
            N => self.0[column * self.1 + row],
            C => self.0[row * self.1 + column].conjugate(),
            _ => self.0[row * self.1 + column],
        }
    }
}

/// α·op(A)·op(B) + βC as sums in f64, where rows of C beyond m stay.
pub fn product<E: Element>(
    (ta, a): (Operation, &Host<E>),
    (tb, b): (Operation, &Host<E>),
    [m, n, k]: [usize; 3],
    c: &Host<E>,
    [alpha, beta]: [E; 2],
) -> Vec<E> {
    let mut all = c.0.clone();
    for j in 0..n {
        for i in 0..m {
            let sum = (0..k).fold(nalgebra::zero(), |sum: E, p| sum + a.at(ta, i, p) * b.at(tb, p, j));
            all[j * c.1 + i] = alpha * sum + beta * all[j * c.1 + i];
        }
    }
    all
}
