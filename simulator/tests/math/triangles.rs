//! Triangles: `syrk` writes one, `trsm` solves with one.
use crate::gpu::{Gpu, close, values};
use crate::matrices::{Host, N, T, product, stored};
use cudarc::cublas::sys::{cublasDiagType_t as Diagonal, cublasFillMode_t as Fill, cublasSideMode_t as Side};

/// `syrk`, and `trsm` on both sides of both triangles.
#[allow(clippy::too_many_lines, reason = "one call after the other, as the table of the interface has them")]
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
        let (pa, pc, [order, depth, lda]) = (gpu.at(&on_a), gpu.at(&on_c), [n, k, rows].map(|size| size as i32));
        blas!(cublasDsyrk_v2(h, fill, operation, order, depth, &alpha, pa, lda, &beta, pc, order));
        let is_lower = fill == Fill::CUBLAS_FILL_MODE_LOWER;
        let want = (0..n * n).map(|e| if is_lower == (e % n >= e / n) || e % n == e / n { all[e] } else { c.0[e] });
        close("syrk", gpu.down(&on_c), want, 16 * k, f64::EPSILON);
    }
    // Both are solved in parts, the last of them smaller.
    let (m, n) = (70, 37);
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
        let (pa, pb, [m, n, lda]) = (gpu.at(&on_a), gpu.at(&on_b), [m, n, order].map(|size| size as i32));
        blas!(cublasDtrsm_v2(h, side, fill, operation, diagonal, m, n, &alpha, pa, lda, pb, m));
        close(&format!("trsm, case {case}"), gpu.down(&on_b), x.0, 16 * order, f64::EPSILON);
    }
}
