//! Levels 2 and 3: every operation on every side, leading dimensions longer than a column, sizes around those of a tile.
use crate::gpu::{Gpu, Number, OK, close, values};
use cudarc::cublas::sys::{
    self as blas, cublasComputeType_t as Compute, cublasDiagType_t as Diagonal, cublasFillMode_t as Fill,
    cublasGemmAlgo_t as Algorithm, cublasOperation_t as Operation, cublasSideMode_t as Side, cudaDataType_t as Kind,
};
use half::{bf16, f16};

const N: Operation = Operation::CUBLAS_OP_N;
const T: Operation = Operation::CUBLAS_OP_T;
const ANY: Algorithm = Algorithm::CUBLAS_GEMM_DEFAULT;

/// A column-major matrix with its leading dimension, on the host.
struct Host(Vec<f64>, usize);

impl Host {
    fn new(ld: usize, columns: usize, seed: u64) -> Host {
        // Halves of small whole numbers, which every type here has.
        Host(values::<f64>(ld * columns, seed).into_iter().map(|value| (value * 16.0).round() / 2.0).collect(), ld)
    }

    fn at(&self, operation: Operation, row: usize, column: usize) -> f64 {
        if operation == N { self.0[column * self.1 + row] } else { self.0[row * self.1 + column] }
    }

    fn of<E>(&self, convert: impl Fn(f64) -> E) -> Vec<E> {
        self.0.iter().map(|value| convert(*value)).collect()
    }
}

/// αAB + βC as sums in f64, where C has `ldc`; rows beyond m stay.
fn product((ta, a): (Operation, &Host), (tb, b): (Operation, &Host), [m, n, k]: [usize; 3], c: &Host, beta: f64) -> Vec<f64> {
    let mut all = c.0.clone();
    for j in 0..n {
        for i in 0..m {
            let sum: f64 = (0..k).map(|p| a.at(ta, i, p) * b.at(tb, p, j)).sum();
            all[j * c.1 + i] = 1.5 * sum + if beta == 0.0 { 0.0 } else { beta * all[j * c.1 + i] };
        }
    }
    all
}

fn stored(operation: Operation, rows: usize, columns: usize) -> (usize, usize) {
    if operation == N { (rows, columns) } else { (columns, rows) }
}

macro_rules! products_in {
    ($name:ident, $E:ty, $gemm:ident $gemv:ident $ger:ident $geam:ident) => {
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
            // SAFETY: matrices of those sizes on the device.
            unsafe {
                let done = blas::$gemm(h, ta, tb, mi, ni, ki, &alpha, gpu.at(&on_a), lda, gpu.at(&on_b), ldb, &given, gpu.at(&on_c), ldc);
                assert_eq!(done, OK);
                close("gemm", gpu.down(&on_c).iter().map(|value| value.f64()), want, 16 * k, <$E>::UNIT);
                // y = op(A)x + βy with x from its end, y with a gap.
                let x = Host::new(k, 1, 4);
                let y = Host::new(2 * m, 1, 5);
                let (on_x, on_y) = (gpu.up(&x.of(<$E>::of)), gpu.up(&y.of(<$E>::of)));
                let (rows, columns) = (ra as i32, ca as i32);
                assert_eq!(blas::$gemv(h, ta, rows, columns, &alpha, gpu.at(&on_a), lda, gpu.at(&on_x), -1, &given, gpu.at(&on_y), 2), OK);
                let want = (0..m).map(|i| 1.5 * (0..k).map(|p| a.at(ta, i, p) * x.0[k - 1 - p]).sum::<f64>() + beta * y.0[2 * i]);
                close("gemv", gpu.down(&on_y).iter().step_by(2).map(|value| value.f64()), want, 16 * k, <$E>::UNIT);
                // A += αxxᵀ in the corner that x has elements for.
                let (rows, columns) = (ra.min(k), ca.min(k));
                assert_eq!(blas::$ger(h, rows as i32, columns as i32, &alpha, gpu.at(&on_x), 1, gpu.at(&on_x), 1, gpu.at(&on_a), lda), OK);
                let want = (0..ca * a.1).map(|e| {
                    let (i, j) = (e % a.1, e / a.1);
                    a.0[e] + if i < rows && j < columns { 1.5 * x.0[i] * x.0[j] } else { 0.0 }
                });
                close("ger", gpu.down(&on_a).iter().map(|value| value.f64()), want, 64, <$E>::UNIT);
                // Cᵀ in another place: αAᵀ + 0·B, of which nothing is read.
                let (zero, turned) = (<$E>::of(0.0), gpu.up(&vec![<$E>::of(0.0); m * n]));
                let (b, back) = (gpu.at::<_, $E>(&turned), gpu.at::<_, $E>(&turned));
                let done = blas::$geam(h, T, N, ni, mi, &alpha, gpu.at(&on_c), ldc, &zero, b, ni, back, ni);
                assert_eq!(done, OK);
                let before = gpu.down(&on_c);
                let want = (0..m * n).map(|e| 1.5 * before[e % n * (m + 1) + e / n].f64());
                close("geam", gpu.down(&turned).iter().map(|value| value.f64()), want, 1, <$E>::UNIT);
            }
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
    let (h, one) = (gpu.handle, 1f32);
    let some = gpu.up(&[0f32; 4]);
    let p = gpu.at::<_, f32>(&some);
    // SAFETY: nothing is read, because the leading dimension of A is shorter than its column.
    let done = unsafe { blas::cublasSgemm_v2(h, N, N, 2, 1, 1, &one, p, 1, p, 1, &one, p, 2) };
    assert_eq!(done, blas::cublasStatus_t::CUBLAS_STATUS_INVALID_VALUE);
}

/// Strides and lists of matrices, and products whose types are arguments.
pub fn batches_and_types() {
    let gpu = Gpu::new();
    let h = gpu.handle;
    let (m, n, k, count) = (17, 9, 21, 5);
    let [mi, ni, ki] = [m, n, k].map(|size| size as i32);
    let (a, b, c) = (Host::new(m, k * count, 1), Host::new(n, k * count, 2), Host::new(m, n * count, 3));
    let part = |host: &Host, columns: usize, i: usize| Host(host.0[i * columns * host.1..][..columns * host.1].to_vec(), host.1);
    let want: Vec<f64> = (0..count)
        .flat_map(|i| product((N, &part(&a, k, i)), (T, &part(&b, k, i)), [m, n, k], &part(&c, n, i), 0.5))
        .collect();
    let (alpha, beta) = (1.5f32, 0.5f32);
    let (factor, addend) = ((&raw const alpha).cast(), (&raw const beta).cast());
    let [on_a, on_b] = [&a, &b].map(|host| gpu.up(&host.of(|value| value as f32)));
    let strides = [m * k, n * k, m * n].map(|size| size as i64);
    let strided = gpu.up(&c.of(|value| value as f32));
    // SAFETY: five matrices each.
    unsafe {
        let done = blas::cublasSgemmStridedBatched(h, N, T, mi, ni, ki, &alpha, gpu.at(&on_a), mi, strides[0], gpu.at(&on_b), ni, strides[1], &beta, gpu.at(&strided), mi, strides[2], count as i32);
        assert_eq!(done, OK);
    }
    close("strided", gpu.down(&strided).iter().map(|value| value.f64()), want.clone(), 16 * k, f32::UNIT);
    let listed = gpu.up(&c.of(|value| value as f32));
    let list = |from: *mut f32, step: i64| gpu.up(&(0..count).map(|i| from as u64 + 4 * step as u64 * i as u64).collect::<Vec<_>>());
    let lists = [list(gpu.at(&on_a), strides[0]), list(gpu.at(&on_b), strides[1]), list(gpu.at(&listed), strides[2])];
    // SAFETY: lists of five addresses each.
    unsafe {
        let done = blas::cublasSgemmBatched(h, N, T, mi, ni, ki, &alpha, gpu.at(&lists[0]), mi, gpu.at(&lists[1]), ni, &beta, gpu.at(&lists[2]), mi, count as i32);
        assert_eq!(done, OK);
    }
    close("listed", gpu.down(&listed).iter().map(|value| value.f64()), want.clone(), 16 * k, f32::UNIT);
    // Elements that a half has exactly; the sums are taken in f32, and rounded where C is of half type.
    let halves = |host: &Host| gpu.up(&host.of(|value| f16::from_f64(value).to_bits()));
    let brains = |host: &Host| gpu.up(&host.of(|value| bf16::from_f64(value).to_bits()));
    let (wide, c0, first) = (Compute::CUBLAS_COMPUTE_32F, part(&c, n, 0), &want[..m * n]);
    for (kind, on_a, on_b, unit) in [
        (Kind::CUDA_R_16F, halves(&a), halves(&b), f64::powi(2.0, -11)),
        (Kind::CUDA_R_16BF, brains(&a), brains(&b), f64::powi(2.0, -8)),
    ] {
        let (narrow, full) = (if kind == Kind::CUDA_R_16F { halves(&c0) } else { brains(&c0) }, gpu.up(&c0.of(|value| value as f32)));
        // SAFETY: matrices of those types.
        unsafe {
            let (pa, pb) = (gpu.at(&on_a), gpu.at(&on_b));
            assert_eq!(blas::cublasGemmEx(h, N, T, mi, ni, ki, factor, pa, kind, mi, pb, kind, ni, addend, gpu.at(&narrow), kind, mi, wide, ANY), OK);
            assert_eq!(blas::cublasGemmEx(h, N, T, mi, ni, ki, factor, pa, kind, mi, pb, kind, ni, addend, gpu.at(&full), Kind::CUDA_R_32F, mi, wide, ANY), OK);
        }
        let value = |bits: &u16| if kind == Kind::CUDA_R_16F { f16::from_bits(*bits).to_f64() } else { bf16::from_bits(*bits).to_f64() };
        close("half types", gpu.down(&narrow).iter().map(value), first.to_vec(), 0, unit / 2.0);
        close("half types", gpu.down(&full).iter().map(|value| value.f64()), first.to_vec(), 16 * k, f32::UNIT);
    }
    // Factors of half type, on the host.
    let (on_c, [one, half]) = (halves(&c0), [1.5, 0.5].map(|value| f16::from_f64(value).to_bits()));
    let (on_a, on_b, kind) = (halves(&a), halves(&b), Kind::CUDA_R_16F);
    // SAFETY: as above.
    unsafe {
        let (factor, addend, narrow) = ((&raw const one).cast(), (&raw const half).cast(), Compute::CUBLAS_COMPUTE_16F);
        assert_eq!(blas::cublasGemmEx(h, N, T, mi, ni, ki, factor, gpu.at(&on_a), kind, mi, gpu.at(&on_b), kind, ni, addend, gpu.at(&on_c), kind, mi, narrow, ANY), OK);
    }
    let got = gpu.down(&on_c).into_iter().map(|bits| f16::from_bits(bits).to_f64());
    close("in halves", got, first.to_vec(), 0, f64::powi(2.0, -12));
    // Whole numbers of 8 bits.
    let bytes = |host: &Host| gpu.up(&host.of(|value| (2.0 * value) as i8));
    let (on_a, on_b, sums, one, none) = (bytes(&a), bytes(&b), gpu.up(&vec![0i32; m * n]), 1i32, 0i32);
    // SAFETY: as above.
    unsafe {
        let (byte, word, whole) = (Kind::CUDA_R_8I, Kind::CUDA_R_32I, Compute::CUBLAS_COMPUTE_32I);
        let (one, none) = ((&raw const one).cast(), (&raw const none).cast());
        assert_eq!(blas::cublasGemmEx(h, N, T, mi, ni, ki, one, gpu.at(&on_a), byte, mi, gpu.at(&on_b), byte, ni, none, gpu.at(&sums), word, mi, whole, ANY), OK);
    }
    let exact = product((N, &part(&a, k, 0)), (T, &part(&b, k, 0)), [m, n, k], &c0, 0.0);
    close("bytes", gpu.down(&sums).into_iter().map(f64::from), exact.iter().map(|sum| sum * 4.0 / 1.5), 0, 1e-12);
}

/// `syrk`, and `trsm` on both sides of both triangles.
pub fn triangles() {
    let gpu = Gpu::new();
    let (h, alpha, beta) = (gpu.handle, 1.5f64, 0.5f64);
    let (n, k) = (70, 20);
    for (fill, operation) in [(Fill::CUBLAS_FILL_MODE_LOWER, N), (Fill::CUBLAS_FILL_MODE_UPPER, T)] {
        let (rows, columns) = stored(operation, n, k);
        let (a, c) = (Host::new(rows, columns, 1), Host::new(n, n, 2));
        let turned = if operation == N { T } else { N };
        let all = product((operation, &a), (turned, &a), [n, n, k], &c, beta);
        let (on_a, on_c) = (gpu.up(&a.0), gpu.up(&c.0));
        // SAFETY: matrices of those sizes.
        unsafe { assert_eq!(blas::cublasDsyrk_v2(h, fill, operation, n as i32, k as i32, &alpha, gpu.at(&on_a), rows as i32, &beta, gpu.at(&on_c), n as i32), OK) };
        let is_lower = fill == Fill::CUBLAS_FILL_MODE_LOWER;
        let want = (0..n * n).map(|e| if is_lower == (e % n >= e / n) || e % n == e / n { all[e] } else { c.0[e] });
        close("syrk", gpu.down(&on_c), want, 16 * k, f64::EPSILON);
    }
    let (m, n) = (37, 12);
    for case in 0..16 {
        let side = if case & 1 == 0 { Side::CUBLAS_SIDE_LEFT } else { Side::CUBLAS_SIDE_RIGHT };
        let is_lower = case & 2 == 0;
        let fill = if is_lower { Fill::CUBLAS_FILL_MODE_LOWER } else { Fill::CUBLAS_FILL_MODE_UPPER };
        let operation = if case & 4 == 0 { N } else { T };
        let is_unit = case & 8 != 0;
        let diagonal = if is_unit { Diagonal::CUBLAS_DIAG_UNIT } else { Diagonal::CUBLAS_DIAG_NON_UNIT };
        let order = if case & 1 == 0 { m } else { n };
        // Small beside the diagonal, so that the solution is well conditioned; the other triangle is not read.
        let mut a = Host(values::<f64>(order * order, 7).iter().map(|value| value / 64.0).collect(), order);
        (0..order).for_each(|i| a.0[i * order + i] = if is_unit { f64::NAN } else { 2.0 + i as f64 / 8.0 });
        let x = Host::new(m, n, 8);
        let element = |i: usize, j: usize| {
            let (row, column) = if operation == N { (i, j) } else { (j, i) };
            match row == column {
                true if is_unit => 1.0,
                true => a.at(N, i, i),
                false if (row > column) == is_lower => a.at(N, row, column),
                false => 0.0,
            }
        };
        // αB = op(A)X, or Xop(A).
        let b = (0..m * n).map(|e| {
            let (i, j) = (e % m, e / m);
            let sum: f64 = match case & 1 == 0 {
                true => (0..m).map(|p| element(i, p) * x.at(N, p, j)).sum(),
                false => (0..n).map(|p| x.at(N, i, p) * element(p, j)).sum(),
            };
            sum / alpha
        });
        let (on_a, on_b) = (gpu.up(&a.0), gpu.up(&b.collect::<Vec<_>>()));
        // SAFETY: matrices of those sizes.
        unsafe { assert_eq!(blas::cublasDtrsm_v2(h, side, fill, operation, diagonal, m as i32, n as i32, &alpha, gpu.at(&on_a), order as i32, gpu.at(&on_b), m as i32), OK) };
        close(&format!("trsm, case {case}"), gpu.down(&on_b), x.0, 16 * order, f64::EPSILON);
    }
}

/// A function that is not there, and types that a function does not have.
pub fn refused() {
    let gpu = Gpu::new();
    let one = blas::cuComplex { x: 1.0, y: 0.0 };
    let unsupported = blas::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED;
    let null = std::ptr::null_mut;
    // SAFETY: nothing is read.
    unsafe {
        assert_eq!(blas::cublasCgemm_v2(gpu.handle, N, N, 1, 1, 1, &one, null(), 1, null(), 1, &one, null(), 1), unsupported);
        let (kind, factor) = (Kind::CUDA_C_32F, (&raw const one).cast());
        let (compute, nothing) = (Compute::CUBLAS_COMPUTE_32F, null().cast());
        assert_eq!(blas::cublasGemmEx(gpu.handle, N, N, 1, 1, 1, factor, nothing, kind, 1, nothing, kind, 1, factor, nothing, kind, 1, compute, ANY), unsupported);
    }
}
