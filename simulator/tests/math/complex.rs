//! Complex numbers, in both types: products with every operation on every side, batches by strides and lists, vectors, triangles. The elements are
//! halves of small whole numbers, so that sums have one right answer; answers of `trsm` and `nrm2` alone are rounded.
use crate::complex_numbers::{Grid, Z, conjugate, over, plus, times};
use crate::gpu::{Gpu, Number, OK, close};
use crate::matrices::{ANY, N, T};
use cudarc::cublas::sys::{
    self as blas, cuComplex, cuDoubleComplex, cublasComputeType_t as Compute, cublasDiagType_t as Diagonal,
    cublasFillMode_t as Fill, cublasOperation_t as Operation, cublasPointerMode_t as Mode, cublasSideMode_t as Side,
    cudaDataType_t as Kind,
};
use cudarc::driver::CudaSlice;

const C: Operation = Operation::CUBLAS_OP_C;
const ALPHA: Z = (1.5, -0.5);
const BETA: Z = (-0.5, 2.0);

pub fn all() {
    let gpu = Gpu::new();
    for ta in [N, T, C] {
        for tb in [N, T, C] {
            for (sizes, beta) in [([1, 1, 1], (0.0, 0.0)), ([65, 67, 33], BETA), ([3, 130, 20], (0.0, 1.0))] {
                single::product(&gpu, ta, tb, sizes, beta);
                double::product(&gpu, ta, tb, sizes, beta);
            }
        }
        single::with_vectors(&gpu, ta);
        double::with_vectors(&gpu, ta);
    }
    single::batches(&gpu);
    double::batches(&gpu);
    for (n, incx, incy) in [(1, 1, 1), (1000, 1, 1), (777, 2, -3)] {
        single::vectors(&gpu, n, incx, incy);
        double::vectors(&gpu, n, incx, incy);
    }
    single::triangles(&gpu);
    double::triangles(&gpu);
}

/// Elements of a vector, in its order.
fn elements(all: &[Z], n: usize, step: i32) -> Vec<Z> {
    let size = step.unsigned_abs() as usize;
    (0..n).map(|i| all[if step < 0 { (n - 1 - i) * size } else { i * size }]).collect()
}

macro_rules! in_type {
    ($module:ident $R:ty, $Cu:ident, $kind:ident $compute:ident: $gemm:ident $strided:ident $gemv:ident $geru:ident $gerc:ident $geam:ident $dgmm:ident
        $syrk:ident $herk:ident $herkx:ident $trsm:ident, $axpy:ident $scal:ident $scal_real:ident $copy:ident $swap:ident $dotu:ident $dotc:ident
        $nrm2:ident $asum:ident $amax:ident $amin:ident) => {
        mod $module {
            use super::*;

            fn factor((re, im): Z) -> $Cu {
                $Cu { x: <$R>::of(re), y: <$R>::of(im) }
            }

            fn back(value: $Cu) -> Z {
                (value.x.f64(), value.y.f64())
            }

            fn up(gpu: &Gpu, values: &[Z]) -> CudaSlice<$R> {
                gpu.up(&values.iter().flat_map(|&(re, im)| [<$R>::of(re), <$R>::of(im)]).collect::<Vec<_>>())
            }

            fn down(gpu: &Gpu, values: &CudaSlice<$R>) -> Vec<Z> {
                gpu.down(values).chunks(2).map(|pair| (pair[0].f64(), pair[1].f64())).collect()
            }

            pub fn product(gpu: &Gpu, ta: Operation, tb: Operation, [m, n, k]: [usize; 3], beta: Z) {
                let (a, b, mut c) = (Grid::of(ta, m, k, 3, 1), Grid::of(tb, k, n, 0, 2), Grid::of(N, m, n, 1, 3));
                let want = Grid::product((ta, &a), (tb, &b), [m, n, k], &c, ALPHA, beta);
                if beta == (0.0, 0.0) {
                    // Nothing of C is read, so a NaN there does not come out.
                    (0..n).for_each(|j| c.0[j * c.1] = (f64::NAN, 0.0));
                }
                let [on_a, on_b, on_c] = [&a, &b, &c].map(|grid| up(gpu, &grid.0));
                let [m, n, k, lda, ldb, ldc] = [m, n, k, a.1, b.1, c.1].map(|size| size as i32);
                let (alpha, beta) = (factor(ALPHA), factor(beta));
                let (pa, pb, pc) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at(&on_c));
                blas!($gemm(gpu.handle, ta, tb, m, n, k, &alpha, pa, lda, pb, ldb, &beta, pc, ldc));
                assert_eq!(down(gpu, &on_c), want, "gemm {ta:?} {tb:?} {m} {n} {k}");
            }

            /// `gemv`, `geru`, `gerc`, `geam` and `dgmm`.
            pub fn with_vectors(gpu: &Gpu, operation: Operation) {
                let (h, m, n) = (gpu.handle, 45, 70);
                let a = Grid::of(operation, m, n, 2, 1);
                let (x, y) = (Grid::of(N, n, 1, 0, 2), Grid::of(N, 2 * m, 1, 0, 3));
                let [on_a, on_x, on_y] = [&a, &x, &y].map(|grid| up(gpu, &grid.0));
                let (alpha, beta) = (factor(ALPHA), factor(BETA));
                let (rows, columns) = if operation == N { (45, 70) } else { (70, 45) };
                let lda = a.1 as i32;
                let (pa, px, py) = (gpu.at(&on_a), gpu.at(&on_x), gpu.at(&on_y));
                blas!($gemv(h, operation, rows, columns, &alpha, pa, lda, px, -1, &beta, py, 2));
                let turned = Grid(x.0.iter().rev().copied().collect(), n);
                let every = Grid(y.0.iter().step_by(2).copied().collect(), m);
                let want = Grid::product((operation, &a), (N, &turned), [m, 1, n], &every, ALPHA, BETA);
                assert_eq!(down(gpu, &on_y).into_iter().step_by(2).collect::<Vec<_>>(), want, "gemv {operation:?}");
                // B = αxy + B for both forms of y.
                for is_conjugate in [false, true] {
                    let grid = Grid::of(N, n, m, 1, 5);
                    let on_grid = up(gpu, &grid.0);
                    let (to, ld, y) = (gpu.at(&on_grid), grid.1 as i32, down(gpu, &on_y));
                    // SAFETY: as above.
                    let done = unsafe {
                        let ger = if is_conjugate { blas::$gerc } else { blas::$geru };
                        ger(h, n as i32, m as i32, &alpha, px, 1, py, 2, to, ld)
                    };
                    assert_eq!(done, OK);
                    let y = Grid(y.into_iter().step_by(2).collect(), m);
                    let form = if is_conjugate { C } else { T };
                    let want = Grid::product((N, &x), (form, &y), [n, m, 1], &grid, ALPHA, (1.0, 0.0));
                    assert_eq!(down(gpu, &on_grid), want, "ger");
                }
                // D = α·op(A) + β·B, then D·diag(x).
                let b = Grid::of(N, m, n, 0, 6);
                let (on_b, on_d) = (up(gpu, &b.0), up(gpu, &vec![(0.0, 0.0); m * n]));
                let (pb, pd, ld) = (gpu.at(&on_b), gpu.at(&on_d), m as i32);
                let (rows, columns) = (m as i32, n as i32);
                blas!($geam(h, operation, N, rows, columns, &alpha, pa, lda, &beta, pb, ld, pd, ld));
                let sum = |e: usize| plus(times(ALPHA, a.at(operation, e % m, e / m)), times(BETA, b.0[e]));
                assert_eq!(down(gpu, &on_d), (0..m * n).map(sum).collect::<Vec<_>>(), "geam {operation:?}");
                let right = Side::CUBLAS_SIDE_RIGHT;
                blas!($dgmm(h, right, rows, columns, pd, ld, px, -1, pb, ld));
                let left = Side::CUBLAS_SIDE_LEFT;
                blas!($dgmm(h, left, rows, columns, pd, ld, px, 1, pd, ld));
                let want = (0..m * n).map(|e| times(sum(e), x.0[n - 1 - e / m])).collect::<Vec<_>>();
                assert_eq!(down(gpu, &on_b), want, "dgmm on the right");
                let want = (0..m * n).map(|e| times(sum(e), x.0[e % m])).collect::<Vec<_>>();
                assert_eq!(down(gpu, &on_d), want, "dgmm on the left");
            }

            /// A stride, a list, and types as arguments, with factors on the device.
            #[allow(
                clippy::too_many_lines,
                reason = "one call after the other, as the table of the interface has them"
            )]
            pub fn batches(gpu: &Gpu) {
                let (h, (m, n, k), count) = (gpu.handle, (17, 9, 21), 5);
                let parts = |rows: usize, columns: usize, seed: u64| -> Vec<Grid> {
                    (0..count).map(|i| Grid::of(N, rows, columns, 0, seed + i)).collect()
                };
                let (a, b, c) = (parts(k, m, 10), parts(n, k, 20), parts(m, n, 30));
                let want: Vec<Z> = (0..count as usize)
                    .flat_map(|i| Grid::product((C, &a[i]), (T, &b[i]), [m, n, k], &c[i], ALPHA, BETA))
                    .collect();
                let all = |grids: &[Grid]| up(gpu, &grids.iter().flat_map(|grid| grid.0.clone()).collect::<Vec<_>>());
                let factors = up(gpu, &[ALPHA, BETA]);
                let (alpha, beta) = (gpu.at::<$R, $Cu>(&factors), gpu.at::<$R, $Cu>(&factors).wrapping_add(1));
                let (on_a, on_b) = (all(&a), all(&b));
                let [mi, ni, ki, batch] = [m, n, k, count as usize].map(|size| size as i32);
                let [to_a, to_b, to_c] = [m * k, n * k, m * n].map(|size| size as i64);
                let (kind, computed) = (Kind::$kind, Compute::$compute);
                blas!(cublasSetPointerMode_v2(h, Mode::CUBLAS_POINTER_MODE_DEVICE));
                for form in 0..3 {
                    let on_c = all(&c);
                    let (pa, pb, pc) = (gpu.at::<$R, $Cu>(&on_a), gpu.at::<$R, $Cu>(&on_b), gpu.at::<$R, $Cu>(&on_c));
                    let list = |from: *mut $Cu, step: i64| {
                        gpu.up(&(0..count as i64)
                            .map(|i| from.wrapping_offset((i * step) as isize) as u64)
                            .collect::<Vec<_>>())
                    };
                    let lists = [list(pa, to_a), list(pb, to_b), list(pc, to_c)];
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
                let (x, y) = (Grid::of(N, room(incx), 1, 0, 1).0, Grid::of(N, room(incy), 1, 0, 2).0);
                let (on_x, on_y) = (up(gpu, &x), up(gpu, &y));
                let (px, py) = (gpu.at(&on_x), gpu.at(&on_y));
                let (h, count, alpha) = (gpu.handle, n as i32, factor(ALPHA));
                let (x0, y0) = (elements(&x, n, incx), elements(&y, n, incy));
                let (mut answer, mut size, mut place) = (factor((0.0, 0.0)), <$R>::of(0.0), 0);
                let sum =
                    |of: &dyn Fn(Z, Z) -> Z| x0.iter().zip(&y0).fold((0.0, 0.0), |sum, (x, y)| plus(sum, of(*x, *y)));
                blas!($dotu(h, count, px, incx, py, incy, &mut answer));
                assert_eq!(back(answer), sum(&times), "dotu");
                blas!($dotc(h, count, px, incx, py, incy, &mut answer));
                assert_eq!(back(answer), sum(&|x, y| times(conjugate(x), y)), "dotc");
                let length = |&(re, im): &Z| re.abs() + im.abs();
                blas!($asum(h, count, px, incx, &mut size));
                assert_eq!(size.f64(), x0.iter().map(length).sum::<f64>(), "asum");
                blas!($nrm2(h, count, px, incx, &mut size));
                let squares = x0.iter().map(|(re, im)| re * re + im * im).sum::<f64>();
                close("nrm2", [size.f64()], [squares.sqrt()], n, <$R>::UNIT);
                // The first of equal ones.
                let lengths: Vec<f64> = x0.iter().map(length).collect();
                let first = |best: f64| lengths.iter().position(|length| *length == best).expect("one") as i32 + 1;
                blas!($amax(h, count, px, incx, &mut place));
                assert_eq!(place, first(lengths.iter().copied().fold(0.0, f64::max)), "amax");
                blas!($amin(h, count, px, incx, &mut place));
                assert_eq!(place, first(lengths.iter().copied().fold(f64::MAX, f64::min)), "amin");
                blas!($axpy(h, count, &alpha, px, incx, py, incy));
                let moved: Vec<Z> = x0.iter().zip(&y0).map(|(x, y)| plus(times(ALPHA, *x), *y)).collect();
                assert_eq!(elements(&down(gpu, &on_y), n, incy), moved, "axpy");
                blas!($swap(h, count, px, incx, py, incy));
                assert_eq!(elements(&down(gpu, &on_x), n, incx), moved, "swap");
                assert_eq!(elements(&down(gpu, &on_y), n, incy), x0, "swap");
                blas!($scal(h, count, &alpha, px, incx));
                let scaled: Vec<Z> = moved.iter().map(|x| times(ALPHA, *x)).collect();
                assert_eq!(elements(&down(gpu, &on_x), n, incx), scaled, "scal");
                let half = <$R>::of(-0.5);
                blas!($scal_real(h, count, &half, px, incx));
                let halved: Vec<Z> = scaled.iter().map(|x| (-0.5 * x.0, -0.5 * x.1)).collect();
                assert_eq!(elements(&down(gpu, &on_x), n, incx), halved, "scal by a real factor");
                blas!($copy(h, count, py, incy, px, incx));
                assert_eq!(elements(&down(gpu, &on_x), n, incx), x0, "copy");
            }

            /// `syrk`, `herk`, `herkx`, and `trsm` on both sides of both triangles with every operation.
            pub fn triangles(gpu: &Gpu) {
                let (h, n, k) = (gpu.handle, 70, 20);
                for (fill, operation, turned, form) in [
                    (Fill::CUBLAS_FILL_MODE_LOWER, N, T, 0),
                    (Fill::CUBLAS_FILL_MODE_UPPER, T, N, 0),
                    (Fill::CUBLAS_FILL_MODE_LOWER, N, C, 1),
                    (Fill::CUBLAS_FILL_MODE_UPPER, C, N, 1),
                    (Fill::CUBLAS_FILL_MODE_LOWER, C, N, 2),
                ] {
                    let (a, b, c) =
                        (Grid::of(operation, n, k, 1, 1), Grid::of(operation, n, k, 0, 7), Grid::of(N, n, n, 0, 2));
                    let (alpha, beta) = ([ALPHA, (1.5, 0.0), ALPHA][form], if form == 0 { BETA } else { (0.5, 0.0) });
                    let other = if form == 2 { &b } else { &a };
                    let mut all = Grid::product((operation, &a), (turned, other), [n, n, k], &c, alpha, beta);
                    if form != 0 {
                        (0..n).for_each(|i| all[i * n + i].1 = 0.0);
                    }
                    let [on_a, on_b, on_c] = [&a, &b, &c].map(|grid| up(gpu, &grid.0));
                    let (pa, pb, pc) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at(&on_c));
                    let [order, depth, lda, ldb] = [n, k, a.1, b.1].map(|size| size as i32);
                    let (wide, addend) = (factor(alpha), factor(beta));
                    // The real factors of `herk` lie on the device.
                    let reals = gpu.up(&[<$R>::of(alpha.0), <$R>::of(beta.0)]);
                    let (on_host, on_device) = (Mode::CUBLAS_POINTER_MODE_HOST, Mode::CUBLAS_POINTER_MODE_DEVICE);
                    let first = gpu.at::<_, $R>(&reals);
                    let second = first.wrapping_add(1);
                    blas!(cublasSetPointerMode_v2(h, if form == 1 { on_device } else { on_host }));
                    match form {
                        0 => blas!($syrk(h, fill, operation, order, depth, &wide, pa, lda, &addend, pc, order)),
                        1 => blas!($herk(h, fill, operation, order, depth, first, pa, lda, second, pc, order)),
                        _ => blas!($herkx(
                            h, fill, operation, order, depth, &wide, pa, lda, pb, ldb, &addend.x, pc, order
                        )),
                    }
                    let is_lower = fill == Fill::CUBLAS_FILL_MODE_LOWER;
                    let is_in = |e: usize| if is_lower { e % n >= e / n } else { e % n <= e / n };
                    let want: Vec<Z> = (0..n * n).map(|e| if is_in(e) { all[e] } else { c.0[e] }).collect();
                    assert_eq!(down(gpu, &on_c), want, "form {form}, {operation:?}");
                }
                // Both are solved in parts, the last of them smaller.
                for case in 0..24 {
                    let (is_left, is_lower, is_unit) = (case & 1 == 0, case & 2 == 0, case & 4 != 0);
                    solve(gpu, (is_left, is_lower, is_unit), [N, T, C][case / 8]);
                }
            }

            fn solve(gpu: &Gpu, (is_left, is_lower, is_unit): (bool, bool, bool), operation: Operation) {
                let (h, m, n) = (gpu.handle, 70, 37);
                let side = if is_left { Side::CUBLAS_SIDE_LEFT } else { Side::CUBLAS_SIDE_RIGHT };
                let fill = if is_lower { Fill::CUBLAS_FILL_MODE_LOWER } else { Fill::CUBLAS_FILL_MODE_UPPER };
                let diagonal = if is_unit { Diagonal::CUBLAS_DIAG_UNIT } else { Diagonal::CUBLAS_DIAG_NON_UNIT };
                let order = if is_left { m } else { n };
                // Small beside the diagonal, so that the solution is well conditioned; the other triangle is not read.
                let mut a = Grid::of(N, order, order, 0, 7);
                a.0.iter_mut().for_each(|value| *value = (value.0 / 512.0, value.1 / 512.0));
                (0..order).for_each(|i| {
                    let is_odd = i % 2 == 1;
                    let own = (if is_odd { 0.25 } else { 2.0 }, if is_odd { -3.0 } else { 1.0 });
                    a.0[i * order + i] = if is_unit { (f64::NAN, 0.0) } else { own };
                });
                let x = Grid::of(N, m, n, 0, 8);
                let element = |i: usize, j: usize| {
                    let (row, column) = if operation == N { (i, j) } else { (j, i) };
                    match row == column {
                        true if is_unit => (1.0, 0.0),
                        true => a.at(operation, i, i),
                        false if (row > column) == is_lower => a.at(operation, i, j),
                        false => (0.0, 0.0),
                    }
                };
                // αB = op(A)X, or Xop(A).
                let b = (0..m * n).map(|e| {
                    let (i, j) = (e % m, e / m);
                    let sum = (0..order).fold((0.0, 0.0), |sum, p| {
                        let (left, right) =
                            if is_left { (element(i, p), x.at(N, p, j)) } else { (x.at(N, i, p), element(p, j)) };
                        plus(sum, times(left, right))
                    });
                    over(sum, ALPHA)
                });
                let (on_a, on_b) = (up(gpu, &a.0), up(gpu, &b.collect::<Vec<_>>()));
                let (alpha, pa, pb) = (factor(ALPHA), gpu.at(&on_a), gpu.at(&on_b));
                let [m, n, lda] = [m, n, order].map(|size| size as i32);
                blas!($trsm(h, side, fill, operation, diagonal, m, n, &alpha, pa, lda, pb, m));
                let flat = |values: Vec<Z>| values.into_iter().flat_map(|(re, im)| [re, im]).collect::<Vec<_>>();
                let what = format!("trsm {side:?} {fill:?} {operation:?} {diagonal:?}");
                close(&what, flat(down(gpu, &on_b)), flat(x.0), 16 * order, <$R>::UNIT);
            }
        }
    };
}

in_type!(single f32, cuComplex, CUDA_C_32F CUBLAS_COMPUTE_32F: cublasCgemm_v2 cublasCgemmStridedBatched cublasCgemv_v2 cublasCgeru_v2 cublasCgerc_v2
    cublasCgeam cublasCdgmm cublasCsyrk_v2 cublasCherk_v2 cublasCherkx cublasCtrsm_v2, cublasCaxpy_v2 cublasCscal_v2 cublasCsscal_v2 cublasCcopy_v2
    cublasCswap_v2 cublasCdotu_v2 cublasCdotc_v2 cublasScnrm2_v2 cublasScasum_v2 cublasIcamax_v2 cublasIcamin_v2);
in_type!(double f64, cuDoubleComplex, CUDA_C_64F CUBLAS_COMPUTE_64F: cublasZgemm_v2 cublasZgemmStridedBatched cublasZgemv_v2 cublasZgeru_v2
    cublasZgerc_v2 cublasZgeam cublasZdgmm cublasZsyrk_v2 cublasZherk_v2 cublasZherkx cublasZtrsm_v2, cublasZaxpy_v2 cublasZscal_v2 cublasZdscal_v2
    cublasZcopy_v2 cublasZswap_v2 cublasZdotu_v2 cublasZdotc_v2 cublasDznrm2_v2 cublasDzasum_v2 cublasIzamax_v2 cublasIzamin_v2);
