//! cuBLAS in its four types: products with every operation on every side, batches by strides and lists, vectors, triangles. The elements are
//! halves of small whole numbers, so that sums have one right answer; answers of `trsm` and `nrm2` alone are rounded.
use crate::gpu::{Gpu, Number, close};
use crate::host::{C, Element, Host, N, T, Z, numbers, parts, product};
use cudarc::cublas::sys::{
    cuComplex, cuDoubleComplex, cublasComputeType_t as Compute, cublasDiagType_t as Diagonal, cublasFillMode_t as Fill,
    cublasGemmAlgo_t as Algorithm, cublasOperation_t as Operation, cublasPointerMode_t as Mode,
    cublasSideMode_t as Side, cudaDataType_t as Kind,
};
use cudarc::driver::CudaSlice;
use nalgebra::ComplexField;

pub const ANY: Algorithm = Algorithm::CUBLAS_GEMM_DEFAULT;
const LOWER: Fill = Fill::CUBLAS_FILL_MODE_LOWER;
const UPPER: Fill = Fill::CUBLAS_FILL_MODE_UPPER;

/// Products in both real types.
pub fn products() {
    let gpu = Gpu::new();
    for (ta, tb) in [(N, N), (N, T), (T, N), (T, T)] {
        for (sizes, beta) in [([1, 1, 1], 0.0), ([65, 67, 33], -0.5), ([128, 64, 16], 0.0), ([3, 130, 70], 2.0)] {
            single::multiply(&gpu, [ta, tb], sizes, beta);
            double::multiply(&gpu, [ta, tb], sizes, beta);
            single::with_vectors(&gpu, ta, [sizes[0], sizes[2]], beta);
            double::with_vectors(&gpu, ta, [sizes[0], sizes[2]], beta);
        }
    }
    single::batches(&gpu);
    double::batches(&gpu);
    // From here on in tiles of 128 × 128, the last of them smaller.
    single::multiply(&gpu, [T, N], [1500, 1411, 11], -0.5);
    single::multiply(&gpu, [N, T], [1411, 1500, 3], 0.0);
    single::with_vectors(&gpu, T, [1500, 1411], 0.0);
}

pub fn vectors() {
    let gpu = Gpu::new();
    for (n, incx, incy) in [(1, 1, 1), (1000, 1, 1), (777, 2, -3), (100_003, 1, 2)] {
        single::vectors(&gpu, n, incx, incy);
        double::vectors(&gpu, n, incx, incy);
    }
    crate::arguments::answers(&gpu);
    crate::arguments::copies(&gpu);
}

pub fn triangles() {
    let gpu = Gpu::new();
    single::triangles(&gpu, &[N, T]);
    double::triangles(&gpu, &[N, T]);
}

/// All of them in both complex types.
pub fn complex() {
    let gpu = Gpu::new();
    let (none, imaginary) = (Z::new(0.0, 0.0), Z::new(0.0, 1.0));
    for ta in [N, T, C] {
        for tb in [N, T, C] {
            for (sizes, beta) in [([1, 1, 1], none), ([65, 67, 33], Z::BETA), ([3, 130, 20], imaginary)] {
                complex_single::multiply(&gpu, [ta, tb], sizes, beta);
                complex_double::multiply(&gpu, [ta, tb], sizes, beta);
            }
        }
        complex_single::with_vectors(&gpu, ta, [45, 70], Z::BETA);
        complex_double::with_vectors(&gpu, ta, [45, 70], Z::BETA);
    }
    complex_single::batches(&gpu);
    complex_double::batches(&gpu);
    for (n, incx, incy) in [(1, 1, 1), (1000, 1, 1), (777, 2, -3)] {
        complex_single::vectors(&gpu, n, incx, incy);
        complex_double::vectors(&gpu, n, incx, incy);
    }
    complex_single::triangles(&gpu, &[N, T, C]);
    complex_double::triangles(&gpu, &[N, T, C]);
}

/// Elements of a vector, in its order.
fn elements<E: Element>(all: &[E], n: usize, step: i32) -> Vec<E> {
    let size = step.unsigned_abs() as usize;
    (0..n).map(|i| all[if step < 0 { (n - 1 - i) * size } else { i * size }]).collect()
}

macro_rules! in_type {
    ($module:ident $E:ty, $R:ty, $Cu:ident, $kind:ident $compute:ident: $gemm:ident $strided:ident $gemv:ident $geam:ident $dgmm:ident
        $syrk:ident $trsm:ident $axpy:ident $copy:ident $swap:ident $nrm2:ident $asum:ident $amax:ident $amin:ident $scal:ident,
        $($ger:ident $dot:ident $form:ident),+ $(; $herk:ident $herkx:ident $scal_real:ident)?) => {
        mod $module {
            use super::*;

            const ALPHA: $E = <$E>::ALPHA;
            const BETA: $E = <$E>::BETA;

            fn factor(value: $E) -> $Cu {
                let parts = parts::<_, $R>(&[value]);
                // SAFETY: a number of cuBLAS is its parts, one after the other.
                unsafe { parts.as_ptr().cast::<$Cu>().read_unaligned() }
            }

            fn up(gpu: &Gpu, values: &[$E]) -> CudaSlice<$R> {
                gpu.up(&parts(values))
            }

            fn down(gpu: &Gpu, values: &CudaSlice<$R>) -> Vec<$E> {
                numbers(&gpu.down(values))
            }

            pub fn multiply(gpu: &Gpu, [ta, tb]: [Operation; 2], [m, n, k]: [usize; 3], beta: $E) {
                let (a, b, mut c) = (Host::of(ta, m, k, 3, 1), Host::of(tb, k, n, 0, 2), Host::of(N, m, n, 1, 3));
                let want = product((ta, &a), (tb, &b), [m, n, k], &c, [ALPHA, beta]);
                if beta == nalgebra::zero::<$E>() {
                    // Nothing of C is read, so a NaN there does not come out.
                    (0..n).for_each(|j| c.0[j * c.1] = <$E>::number(f64::NAN, 0.0));
                }
                let [on_a, on_b, on_c] = [&a, &b, &c].map(|host| up(gpu, &host.0));
                let [m, n, k, lda, ldb, ldc] = [m, n, k, a.1, b.1, c.1].map(|size| size as i32);
                let (alpha, beta) = (factor(ALPHA), factor(beta));
                let (pa, pb, pc) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at(&on_c));
                blas!($gemm(gpu.handle, ta, tb, m, n, k, &alpha, pa, lda, pb, ldb, &beta, pc, ldc));
                assert_eq!(down(gpu, &on_c), want, "gemm {ta:?} {tb:?} {m} {n} {k}");
            }

            /// `gemv`, `ger`, `geam` and `dgmm`.
            pub fn with_vectors(gpu: &Gpu, operation: Operation, [m, n]: [usize; 2], add: $E) {
                let h = gpu.handle;
                let a = Host::of(operation, m, n, 2, 1);
                let (x, y) = (Host::of(N, n, 1, 0, 2), Host::of(N, 2 * m, 1, 0, 3));
                let [on_a, on_x, on_y] = [&a, &x, &y].map(|host| up(gpu, &host.0));
                let (alpha, beta) = (factor(ALPHA), factor(add));
                let [mi, ni, lda] = [m, n, a.1].map(|size| size as i32);
                let (rows, columns) = if operation == N { (mi, ni) } else { (ni, mi) };
                let (pa, px, py) = (gpu.at(&on_a), gpu.at(&on_x), gpu.at(&on_y));
                // x from its end, y with a gap.
                blas!($gemv(h, operation, rows, columns, &alpha, pa, lda, px, -1, &beta, py, 2));
                let turned = Host(x.0.iter().rev().copied().collect(), n);
                let every = Host(y.0.iter().step_by(2).copied().collect(), m);
                let want = product((operation, &a), (N, &turned), [m, 1, n], &every, [ALPHA, add]);
                let y = Host(down(gpu, &on_y).into_iter().step_by(2).collect(), m);
                assert_eq!(y.0, want, "gemv {operation:?}");
                // B = αxy + B for each form of y.
                $(
                    let host = Host::of(N, n, m, 1, 5);
                    let on_host = up(gpu, &host.0);
                    blas!($ger(h, ni, mi, &alpha, px, 1, py, 2, gpu.at(&on_host), host.1 as i32));
                    let want = product((N, &x), ($form, &y), [n, m, 1], &host, [ALPHA, <$E>::number(1.0, 0.0)]);
                    assert_eq!(down(gpu, &on_host), want, stringify!($ger));
                )+
                // D = α·op(A) + β·B, then D·diag(x). Where β is 0, nothing of B is read, and D may lie there.
                let b = Host::of(N, m, n, 0, 6);
                let (on_b, on_d) = (up(gpu, &b.0), up(gpu, &vec![<$E>::number(f64::NAN, 0.0); m * n]));
                let (pb, pd) = (gpu.at(&on_b), gpu.at(&on_d));
                let added = if add == nalgebra::zero::<$E>() { pd } else { pb };
                blas!($geam(h, operation, N, mi, ni, &alpha, pa, lda, &beta, added, mi, pd, mi));
                let sum = |e: usize| ALPHA * a.at(operation, e % m, e / m) + add * b.0[e];
                assert_eq!(down(gpu, &on_d), (0..m * n).map(sum).collect::<Vec<_>>(), "geam {operation:?}");
                blas!($dgmm(h, Side::CUBLAS_SIDE_RIGHT, mi, ni, pd, mi, px, -1, pb, mi));
                let want = (0..m * n).map(|e| sum(e) * x.0[n - 1 - e / m]).collect::<Vec<_>>();
                assert_eq!(down(gpu, &on_b), want, "dgmm on the right");
                let z = Host::of(N, m, 1, 0, 7);
                let on_z = up(gpu, &z.0);
                blas!($dgmm(h, Side::CUBLAS_SIDE_LEFT, mi, ni, pd, mi, gpu.at(&on_z), 1, pd, mi));
                let want = (0..m * n).map(|e| sum(e) * z.0[e % m]).collect::<Vec<_>>();
                assert_eq!(down(gpu, &on_d), want, "dgmm on the left");
            }

            /// A stride, a list, and types as arguments, with factors on the device.
            pub fn batches(gpu: &Gpu) {
                let (h, (m, n, k), count) = (gpu.handle, (17, 9, 21), 5);
                let parts = |rows: usize, columns: usize, seed: u64| -> Vec<Host<$E>> {
                    (0..count).map(|i| Host::of(N, rows, columns, 0, seed + i)).collect()
                };
                let (a, b, c) = (parts(k, m, 10), parts(n, k, 20), parts(m, n, 30));
                let want: Vec<$E> = (0..count as usize)
                    .flat_map(|i| product((C, &a[i]), (T, &b[i]), [m, n, k], &c[i], [ALPHA, BETA]))
                    .collect();
                let all = |hosts: &[Host<$E>]| up(gpu, &hosts.iter().flat_map(|host| host.0.clone()).collect::<Vec<_>>());
                let factors = up(gpu, &[ALPHA, BETA]);
                let alpha = gpu.at::<$R, $Cu>(&factors);
                let beta = alpha.wrapping_add(1);
                let (on_a, on_b) = (all(&a), all(&b));
                let [mi, ni, ki, batch] = [m, n, k, count as usize].map(|size| size as i32);
                let [to_a, to_b, to_c] = [m * k, n * k, m * n].map(|size| size as i64);
                let (kind, computed) = (Kind::$kind, Compute::$compute);
                blas!(cublasSetPointerMode_v2(h, Mode::CUBLAS_POINTER_MODE_DEVICE));
                for form in 0..3 {
                    let on_c = all(&c);
                    let [pa, pb, pc] = [&on_a, &on_b, &on_c].map(|values| gpu.at::<$R, $Cu>(values));
                    let lists = [(pa, to_a), (pb, to_b), (pc, to_c)].map(|(from, step)| {
                        let address = |i: i64| from.wrapping_offset((i * step) as isize) as u64;
                        gpu.up(&(0..count as i64).map(address).collect::<Vec<_>>())
                    });
                    let (la, lb, lc) = (gpu.at(&lists[0]), gpu.at(&lists[1]), gpu.at(&lists[2]));
                    let (any_a, any_b) = (alpha.cast(), beta.cast());
                    let (wa, wb, wc) = (pa.cast(), pb.cast(), pc.cast());
                    match form {
                        0 => blas!($strided(
                            h, C, T, mi, ni, ki, alpha, pa, ki, to_a, pb, ni, to_b, beta, pc, mi, to_c, batch
                        )),
                        1 => blas!(cublasGemmStridedBatchedEx(
                            h, C, T, mi, ni, ki, any_a, wa, kind, ki, to_a, wb, kind, ni, to_b, any_b, wc, kind, mi,
                            to_c, batch, computed, ANY
                        )),
                        _ => blas!(cublasGemmBatchedEx(
                            h, C, T, mi, ni, ki, any_a, la, kind, ki, lb, kind, ni, any_b, lc, kind, mi, batch,
                            computed, ANY
                        )),
                    }
                    assert_eq!(down(gpu, &on_c), want, "form {form}");
                }
                blas!(cublasSetPointerMode_v2(h, Mode::CUBLAS_POINTER_MODE_HOST));
            }

            pub fn vectors(gpu: &Gpu, n: usize, incx: i32, incy: i32) {
                let room = |step: i32| (n - 1) * step.unsigned_abs() as usize + 1;
                let (x, y) = (Host::of(N, room(incx), 1, 0, 1).0, Host::of(N, room(incy), 1, 0, 2).0);
                let (on_x, on_y) = (up(gpu, &x), up(gpu, &y));
                let (px, py) = (gpu.at(&on_x), gpu.at(&on_y));
                let (h, count, alpha) = (gpu.handle, n as i32, factor(ALPHA));
                let (x0, y0) = (Host(elements(&x, n, incx), n), Host(elements(&y, n, incy), n));
                let (mut size, mut place, none) = (<$R>::of(0.0), 0, <$E>::number(0.0, 0.0));
                $(
                    let mut answer = factor(none);
                    blas!($dot(h, count, px, incx, py, incy, &mut answer));
                    let factors = [<$E>::number(1.0, 0.0), none];
                    let want = product(($form, &x0), (N, &y0), [1, 1, n], &Host(vec![none], 1), factors);
                    assert_eq!(answer, factor(want[0]), stringify!($dot));
                )+
                let lengths: Vec<f64> = x0.0.iter().map(|x| x.norm1()).collect();
                blas!($asum(h, count, px, incx, &mut size));
                assert_eq!(size.f64(), lengths.iter().sum::<f64>(), "asum");
                blas!($nrm2(h, count, px, incx, &mut size));
                let squares = x0.0.iter().map(|x| x.modulus_squared()).sum::<f64>();
                close("nrm2", [size.f64()], [squares.sqrt()], n, <$R>::UNIT);
                // The first of equal ones.
                let first = |best: f64| lengths.iter().position(|length| *length == best).expect("one") as i32 + 1;
                blas!($amax(h, count, px, incx, &mut place));
                assert_eq!(place, first(lengths.iter().copied().fold(0.0, f64::max)), "amax");
                blas!($amin(h, count, px, incx, &mut place));
                assert_eq!(place, first(lengths.iter().copied().fold(f64::MAX, f64::min)), "amin");
                blas!($axpy(h, count, &alpha, px, incx, py, incy));
                let moved: Vec<$E> = x0.0.iter().zip(&y0.0).map(|(x, y)| ALPHA * x + y).collect();
                assert_eq!(elements(&down(gpu, &on_y), n, incy), moved, "axpy");
                blas!($swap(h, count, px, incx, py, incy));
                assert_eq!(elements(&down(gpu, &on_x), n, incx), moved, "swap");
                assert_eq!(elements(&down(gpu, &on_y), n, incy), x0.0, "swap");
                blas!($scal(h, count, &alpha, px, incx));
                let scaled: Vec<$E> = moved.iter().map(|x| ALPHA * x).collect();
                assert_eq!(elements(&down(gpu, &on_x), n, incx), scaled, "scal");
                $(
                    let half = <$R>::of(-0.5);
                    blas!($scal_real(h, count, &half, px, incx));
                    let halved: Vec<$E> = scaled.iter().map(|x| x.scale(-0.5)).collect();
                    assert_eq!(elements(&down(gpu, &on_x), n, incx), halved, "scal by a real factor");
                )?
                blas!($copy(h, count, py, incy, px, incx));
                assert_eq!(elements(&down(gpu, &on_x), n, incx), x0.0, "copy");
            }

            /// `syrk`, of complex numbers `herk` and `herkx`, and `trsm` on both sides of both triangles with every operation.
            pub fn triangles(gpu: &Gpu, operations: &[Operation]) {
                let (h, n, k) = (gpu.handle, 70, 20);
                for (fill, operation, turned, form) in
                    [(LOWER, N, T, 0), (UPPER, T, N, 0), (LOWER, N, C, 1), (UPPER, C, N, 1), (LOWER, C, N, 2)]
                {
                    if form != 0 && !operations.contains(&C) {
                        continue;
                    }
                    let (a, b) = (Host::of(operation, n, k, 1, 1), Host::of(operation, n, k, 0, 7));
                    let c = Host::of(N, n, n, 0, 2);
                    let real = [<$E>::number(1.5, 0.0), <$E>::number(0.5, 0.0)];
                    let factors = [[ALPHA, BETA], real, [ALPHA, real[1]]][form];
                    let other = if form == 2 { &b } else { &a };
                    let mut all = product((operation, &a), (turned, other), [n, n, k], &c, factors);
                    if form != 0 {
                        (0..n).for_each(|i| all[i * n + i] = <$E>::number(all[i * n + i].real(), 0.0));
                    }
                    let [on_a, on_c] = [&a, &c].map(|host| up(gpu, &host.0));
                    let (pa, pc) = (gpu.at(&on_a), gpu.at(&on_c));
                    let [order, depth, lda] = [n, k, a.1].map(|size| size as i32);
                    let [alpha, beta] = factors.map(factor);
                    match form {
                        $(
                            1 => {
                                // The real factors lie on the device.
                                let reals = gpu.up(&factors.map(|factor| <$R>::of(factor.real())));
                                let first = gpu.at::<_, $R>(&reals);
                                let second = first.wrapping_add(1);
                                blas!(cublasSetPointerMode_v2(h, Mode::CUBLAS_POINTER_MODE_DEVICE));
                                blas!($herk(h, fill, operation, order, depth, first, pa, lda, second, pc, order));
                                blas!(cublasSetPointerMode_v2(h, Mode::CUBLAS_POINTER_MODE_HOST));
                            }
                            2 => {
                                let (on_b, ldb, addend) = (up(gpu, &b.0), b.1 as i32, <$R>::of(factors[1].real()));
                                let pb = gpu.at(&on_b);
                                blas!($herkx(
                                    h, fill, operation, order, depth, &alpha, pa, lda, pb, ldb, &addend, pc, order
                                ));
                            }
                        )?
                        _ => blas!($syrk(h, fill, operation, order, depth, &alpha, pa, lda, &beta, pc, order)),
                    }
                    let is_in = |e: usize| if fill == LOWER { e % n >= e / n } else { e % n <= e / n };
                    let want: Vec<$E> = (0..n * n).map(|e| if is_in(e) { all[e] } else { c.0[e] }).collect();
                    assert_eq!(down(gpu, &on_c), want, "form {form}, {operation:?}");
                }
                // Both are solved in parts, the last of them smaller.
                for case in 0..8 * operations.len() {
                    solve(gpu, (case & 1 == 0, case & 2 == 0, case & 4 != 0), operations[case / 8]);
                }
            }

            fn solve(gpu: &Gpu, (is_left, is_lower, is_unit): (bool, bool, bool), operation: Operation) {
                let (h, m, n) = (gpu.handle, 70, 37);
                let side = if is_left { Side::CUBLAS_SIDE_LEFT } else { Side::CUBLAS_SIDE_RIGHT };
                let fill = if is_lower { LOWER } else { UPPER };
                let diagonal = if is_unit { Diagonal::CUBLAS_DIAG_UNIT } else { Diagonal::CUBLAS_DIAG_NON_UNIT };
                let order = if is_left { m } else { n };
                // Small beside the diagonal, so that the solution is well conditioned; the other triangle is not read.
                let mut a = Host::<$E>::of(N, order, order, 0, 7);
                a.0.iter_mut().for_each(|value| *value = value.unscale(512.0));
                (0..order).for_each(|i| {
                    let own = if i % 2 == 1 { <$E>::number(-2.25, -3.0) } else { <$E>::number(2.0, 1.0) };
                    a.0[i * order + i] = if is_unit { <$E>::number(f64::NAN, 0.0) } else { own };
                });
                let x = Host::of(N, m, n, 0, 8);
                let element = |i: usize, j: usize| {
                    let (row, column) = if operation == N { (i, j) } else { (j, i) };
                    match row == column {
                        true if is_unit => <$E>::number(1.0, 0.0),
                        true => a.at(operation, i, i),
                        false if (row > column) == is_lower => a.at(operation, i, j),
                        false => nalgebra::zero(),
                    }
                };
                // αB = op(A)X, or Xop(A).
                let whole = Host((0..order * order).map(|e| element(e % order, e / order)).collect(), order);
                let (left, right) = if is_left { (&whole, &x) } else { (&x, &whole) };
                let factors = [<$E>::number(1.0, 0.0) / ALPHA, nalgebra::zero()];
                let b = product((N, left), (N, right), [m, n, order], &x, factors);
                let (on_a, on_b) = (up(gpu, &a.0), up(gpu, &b));
                let (alpha, pa, pb) = (factor(ALPHA), gpu.at(&on_a), gpu.at(&on_b));
                let [m, n, lda] = [m, n, order].map(|size| size as i32);
                blas!($trsm(h, side, fill, operation, diagonal, m, n, &alpha, pa, lda, pb, m));
                let what = format!("trsm {side:?} {fill:?} {operation:?} {diagonal:?}");
                close(&what, parts(&down(gpu, &on_b)), parts::<_, f64>(&x.0), 16 * order, <$R>::UNIT);
            }
        }
    };
}

in_type!(single f64, f32, f32, CUDA_R_32F CUBLAS_COMPUTE_32F: cublasSgemm_v2 cublasSgemmStridedBatched cublasSgemv_v2 cublasSgeam cublasSdgmm
    cublasSsyrk_v2 cublasStrsm_v2 cublasSaxpy_v2 cublasScopy_v2 cublasSswap_v2 cublasSnrm2_v2 cublasSasum_v2 cublasIsamax_v2 cublasIsamin_v2
    cublasSscal_v2, cublasSger_v2 cublasSdot_v2 T);
in_type!(double f64, f64, f64, CUDA_R_64F CUBLAS_COMPUTE_64F: cublasDgemm_v2 cublasDgemmStridedBatched cublasDgemv_v2 cublasDgeam cublasDdgmm
    cublasDsyrk_v2 cublasDtrsm_v2 cublasDaxpy_v2 cublasDcopy_v2 cublasDswap_v2 cublasDnrm2_v2 cublasDasum_v2 cublasIdamax_v2 cublasIdamin_v2
    cublasDscal_v2, cublasDger_v2 cublasDdot_v2 T);
in_type!(complex_single Z, f32, cuComplex, CUDA_C_32F CUBLAS_COMPUTE_32F: cublasCgemm_v2 cublasCgemmStridedBatched cublasCgemv_v2 cublasCgeam
    cublasCdgmm cublasCsyrk_v2 cublasCtrsm_v2 cublasCaxpy_v2 cublasCcopy_v2 cublasCswap_v2 cublasScnrm2_v2 cublasScasum_v2 cublasIcamax_v2
    cublasIcamin_v2 cublasCscal_v2, cublasCgeru_v2 cublasCdotu_v2 T, cublasCgerc_v2 cublasCdotc_v2 C; cublasCherk_v2 cublasCherkx cublasCsscal_v2);
in_type!(complex_double Z, f64, cuDoubleComplex, CUDA_C_64F CUBLAS_COMPUTE_64F: cublasZgemm_v2 cublasZgemmStridedBatched cublasZgemv_v2 cublasZgeam
    cublasZdgmm cublasZsyrk_v2 cublasZtrsm_v2 cublasZaxpy_v2 cublasZcopy_v2 cublasZswap_v2 cublasDznrm2_v2 cublasDzasum_v2 cublasIzamax_v2
    cublasIzamin_v2 cublasZscal_v2, cublasZgeru_v2 cublasZdotu_v2 T, cublasZgerc_v2 cublasZdotc_v2 C; cublasZherk_v2 cublasZherkx cublasZdscal_v2);
