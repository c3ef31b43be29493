//! Levels 2 and 3: every operation on every side, leading dimensions longer than a column, sizes around those of a tile.
use crate::gpu::{Gpu, Number, close, values};
use cudarc::cublas::sys::{
    self as blas, cublasComputeType_t as Compute, cublasGemmAlgo_t as Algorithm, cublasOperation_t as Operation,
    cudaDataType_t as Kind,
};

pub const N: Operation = Operation::CUBLAS_OP_N;
pub const T: Operation = Operation::CUBLAS_OP_T;
pub const ANY: Algorithm = Algorithm::CUBLAS_GEMM_DEFAULT;

/// A column-major matrix with its leading dimension, on the host.
pub struct Host(pub Vec<f64>, pub usize);

impl Host {
    pub fn new(ld: usize, columns: usize, seed: u64) -> Host {
        // Halves of small whole numbers, which every type here has.
        Host(values::<f64>(ld * columns, seed).into_iter().map(|value| (value * 16.0).round() / 2.0).collect(), ld)
    }

    pub fn at(&self, operation: Operation, row: usize, column: usize) -> f64 {
        if operation == N { self.0[column * self.1 + row] } else { self.0[row * self.1 + column] }
    }

    pub fn of<E>(&self, convert: impl Fn(f64) -> E) -> Vec<E> {
        self.0.iter().map(|value| convert(*value)).collect()
    }
}

/// αAB + βC as sums in f64, where C has `ldc`; rows beyond m stay.
pub fn product(
    (ta, a): (Operation, &Host),
    (tb, b): (Operation, &Host),
    [m, n, k]: [usize; 3],
    c: &Host,
    beta: f64,
) -> Vec<f64> {
    let mut all = c.0.clone();
    for j in 0..n {
        for i in 0..m {
            let sum: f64 = (0..k).map(|p| a.at(ta, i, p) * b.at(tb, p, j)).sum();
            all[j * c.1 + i] = 1.5 * sum + if beta == 0.0 { 0.0 } else { beta * all[j * c.1 + i] };
        }
    }
    all
}

pub fn stored(operation: Operation, rows: usize, columns: usize) -> (usize, usize) {
    if operation == N { (rows, columns) } else { (columns, rows) }
}

macro_rules! products_in {
    ($name:ident, $E:ty, $gemm:ident $gemv:ident $ger:ident $geam:ident) => {
        #[allow(clippy::too_many_lines, reason = "one call after the other, as the table of the interface has them")]
        fn $name(gpu: &Gpu, ta: Operation, tb: Operation, [m, n, k]: [usize; 3], beta: f64) {
            let h = gpu.handle;
            let ((ra, ca), (rb, cb)) = (stored(ta, m, k), stored(tb, k, n));
            let (a, b, mut c) = (Host::new(ra + 3, ca, 1), Host::new(rb, cb, 2), Host::new(m + 1, n, 3));
            let want = product((ta, &a), (tb, &b), [m, n, k], &c, beta);
            if beta == 0.0 {
                // Nothing of C is read, so a NaN there does not come out.
                (0..n).for_each(|j| c.0[j * c.1] = f64::NAN);
            }
            let [on_a, on_b, on_c] = [&a, &b, &c].map(|host| gpu.up(&host.of(<$E>::of)));
            let (alpha, given) = (<$E>::of(1.5), <$E>::of(beta));
            let [mi, ni, ki, lda, ldb, ldc] = [m, n, k, a.1, b.1, c.1].map(|size| size as i32);
            let (pa, pb, pc) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at(&on_c));
            blas!($gemm(h, ta, tb, mi, ni, ki, &alpha, pa, lda, pb, ldb, &given, pc, ldc));
            close("gemm", gpu.down(&on_c).iter().map(|value| value.f64()), want, 16 * k, <$E>::UNIT);
            // y = op(A)x + βy with x from its end, y with a gap.
            let x = Host::new(k, 1, 4);
            let y = Host::new(2 * m, 1, 5);
            let (on_x, on_y) = (gpu.up(&x.of(<$E>::of)), gpu.up(&y.of(<$E>::of)));
            let (rows, columns) = (ra as i32, ca as i32);
            blas!($gemv(h, ta, rows, columns, &alpha, pa, lda, gpu.at(&on_x), -1, &given, gpu.at(&on_y), 2));
            let want =
                (0..m).map(|i| 1.5 * (0..k).map(|p| a.at(ta, i, p) * x.0[k - 1 - p]).sum::<f64>() + beta * y.0[2 * i]);
            close("gemv", gpu.down(&on_y).iter().step_by(2).map(|value| value.f64()), want, 16 * k, <$E>::UNIT);
            // A += αxxᵀ in the corner that x has elements for.
            let (rows, columns) = (ra.min(k), ca.min(k));
            blas!($ger(h, rows as i32, columns as i32, &alpha, gpu.at(&on_x), 1, gpu.at(&on_x), 1, pa, lda));
            let want = (0..ca * a.1).map(|e| {
                let (i, j) = (e % a.1, e / a.1);
                a.0[e] + if i < rows && j < columns { 1.5 * x.0[i] * x.0[j] } else { 0.0 }
            });
            close("ger", gpu.down(&on_a).iter().map(|value| value.f64()), want, 64, <$E>::UNIT);
            // Cᵀ in another place: αAᵀ + 0·B, of which nothing is read.
            let (zero, turned) = (<$E>::of(0.0), gpu.up(&vec![<$E>::of(0.0); m * n]));
            let (b, back) = (gpu.at::<_, $E>(&turned), gpu.at::<_, $E>(&turned));
            blas!($geam(h, T, N, ni, mi, &alpha, pc, ldc, &zero, b, ni, back, ni));
            let before = gpu.down(&on_c);
            let want = (0..m * n).map(|e| 1.5 * before[e % n * (m + 1) + e / n].f64());
            close("geam", gpu.down(&turned).iter().map(|value| value.f64()), want, 1, <$E>::UNIT);
        }
    };
}

products_in!(single, f32, cublasSgemm_v2 cublasSgemv_v2 cublasSger_v2 cublasSgeam);
products_in!(double, f64, cublasDgemm_v2 cublasDgemv_v2 cublasDger_v2 cublasDgeam);

pub fn products() {
    let gpu = Gpu::new();
    for (ta, tb) in [(N, N), (N, T), (T, N), (T, T)] {
        for (sizes, beta) in [([1, 1, 1], 0.0), ([65, 67, 33], -0.5), ([128, 64, 16], 0.0), ([3, 130, 70], 2.0)] {
            single(&gpu, ta, tb, sizes, beta);
            double(&gpu, ta, tb, sizes, beta);
        }
    }
    // From here on in tiles of 128 × 128, the last of them smaller.
    single(&gpu, T, N, [1500, 1411, 11], -0.5);
    single(&gpu, N, T, [1411, 1500, 3], 0.0);
    let (h, one) = (gpu.handle, 1f32);
    let some = gpu.up(&[0f32; 4]);
    let p = gpu.at::<_, f32>(&some);
    // SAFETY: nothing is read, because the leading dimension of A is shorter than its column.
    let done = unsafe { blas::cublasSgemm_v2(h, N, N, 2, 1, 1, &one, p, 1, p, 1, &one, p, 2) };
    assert_eq!(done, blas::cublasStatus_t::CUBLAS_STATUS_INVALID_VALUE);
}

/// A function that is not there, and types that a function does not have.
pub fn refused() {
    let gpu = Gpu::new();
    let one = blas::cuComplex { x: 1.0, y: 0.0 };
    let unsupported = blas::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED;
    let null = std::ptr::null_mut;
    // SAFETY: nothing is read.
    unsafe {
        let (left, lower) = (blas::cublasSideMode_t::CUBLAS_SIDE_LEFT, blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER);
        assert_eq!(
            blas::cublasChemm_v2(gpu.handle, left, lower, 1, 1, &one, null(), 1, null(), 1, &one, null(), 1),
            unsupported
        );
        let (kind, other, factor) = (Kind::CUDA_C_32F, Kind::CUDA_C_64F, (&raw const one).cast());
        let (compute, nothing) = (Compute::CUBLAS_COMPUTE_32F, null().cast());
        assert_eq!(
            blas::cublasGemmEx(
                gpu.handle, N, N, 1, 1, 1, factor, nothing, kind, 1, nothing, kind, 1, factor, nothing, other, 1,
                compute, ANY
            ),
            unsupported
        );
    }
}
