//! Complex numbers on the host, as pairs of the real and the imaginary part, and matrices of them.
use crate::matrices::{Host, N, stored};
use cudarc::cublas::sys::cublasOperation_t as Operation;

pub type Z = (f64, f64);

pub fn plus(x: Z, y: Z) -> Z {
    (x.0 + y.0, x.1 + y.1)
}

pub fn times(x: Z, y: Z) -> Z {
    (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)
}

pub fn conjugate((re, im): Z) -> Z {
    (re, -im)
}

pub fn over(x: Z, y: Z) -> Z {
    let size = y.0 * y.0 + y.1 * y.1;
    let product = times(x, conjugate(y));
    (product.0 / size, product.1 / size)
}

/// A column-major matrix and its leading dimension.
pub struct Grid(pub Vec<Z>, pub usize);

impl Grid {
    /// A matrix that is of `rows` × `columns` after the operation, with `more` elements between its columns.
    pub fn of(operation: Operation, rows: usize, columns: usize, more: usize, seed: u64) -> Grid {
        let (rows, columns) = stored(operation, rows, columns);
        let (re, im) = (Host::new(rows + more, columns, 2 * seed), Host::new(rows + more, columns, 2 * seed + 1));
        Grid(re.0.into_iter().zip(im.0).collect(), rows + more)
    }

    /// An element of op(matrix).
    pub fn at(&self, operation: Operation, row: usize, column: usize) -> Z {
        match operation {
            N => self.0[column * self.1 + row],
            Operation::CUBLAS_OP_C => conjugate(self.0[row * self.1 + column]),
            _ => self.0[row * self.1 + column],
        }
    }

    /// α·op(A)·op(B) + βC, where rows of C beyond m stay.
    pub fn product(
        (ta, a): (Operation, &Grid),
        (tb, b): (Operation, &Grid),
        [m, n, k]: [usize; 3],
        c: &Grid,
        alpha: Z,
        beta: Z,
    ) -> Vec<Z> {
        let mut all = c.0.clone();
        for j in 0..n {
            for i in 0..m {
                let sum = (0..k).fold((0.0, 0.0), |sum, p| plus(sum, times(a.at(ta, i, p), b.at(tb, p, j))));
                all[j * c.1 + i] = plus(times(alpha, sum), times(beta, all[j * c.1 + i]));
            }
        }
        all
    }
}
