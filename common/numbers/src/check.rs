//! The check of a result: the one place where tolerances come from.
//!
//! A check passes only on success: both numbers finite and |got − want| ≤ tolerance, in this form, because the negated form lets NaN
//! through. References are in f64. Large products are checked by Freivalds' method, see `product`.

use crate::likeness::{Compared, MOST};
use crate::number::{Dtype, Number};
use crate::random::fill;
use crate::reference::{Product, product_rows};
use crate::untouched::is_untouched;
pub use crate::verdict::{Check, Got, Mismatch, NeverWritten, Want, or_nan};
use approx::AbsDiffEq;
use rayon::prelude::*;
use std::ops::Range;

/// Largest difference from the exact value that `terms` products of elements in [−1, 1], summed in any order in `dtype`, may show.
///
/// It is 4·u·k for k terms, u the unit roundoff. Up to k = 4 this is no less than the worst case k²·u. Beyond, the worst case never
/// happens: k random terms of variance 1/9 make partial sums of size √l/3, each rounded with an error of at most u times that,
/// independent of the others, so that the total is about u·k/(3√2) ≈ 0.24·u·k if every rounding were as bad as it can be. The
/// factor 4 is 17 such standard deviations: never reached by rounding, and hundreds of times below one lost product.
/// For sums of plain elements (no products) the same bound holds with room to spare. 0 terms (copies) must be exact.
pub fn tolerance(terms: usize, dtype: Dtype) -> f64 {
    4.0 * dtype.unit_roundoff() * terms as f64
}

pub(crate) fn elements<T: Number>(got: &[T], want: &[f64], columns: usize, tolerance: f64) -> Check {
    assert_eq!(got.len(), want.len(), "a result and its reference differ in length");
    let rows = 0..want.len() / columns.max(1);
    let tally = compare_rows(got, want, columns, &rows.collect::<Vec<_>>(), tolerance);
    let check = tally.into_check(got.len(), columns, tolerance);
    with_likeness(check, got, want, columns, tolerance)
}

/// Adds what the wrong elements of a whole result have in common.
fn with_likeness<T: Number>(mut check: Check, got: &[T], want: &[f64], columns: usize, tolerance: f64) -> Check {
    if let Some(mismatch) = check.mismatch.as_mut().filter(|_| want.len() <= MOST) {
        mismatch.likeness = Compared::new(got, want, columns, tolerance).likeness();
    }
    check
}

pub(crate) fn exactly<T: Number>(got: &[T], want: &[T], columns: usize) -> Check {
    assert_eq!(got.len(), want.len(), "a result and its reference differ in length");
    let wrong = |index: &usize| got[*index].bits() != want[*index].bits();
    let first = (0..got.len()).into_par_iter().find_first(wrong);
    let mismatch = first.map(|first| Mismatch {
        row: first / columns,
        column: first % columns,
        got: got[first].to_f64(),
        want: want[first].to_f64(),
        tolerance: 0.0,
        wrong: (0..got.len()).into_par_iter().filter(wrong).count(),
        examined: got.len(),
        of: got.len(),
        columns,
        never_written: {
            let untouched = |index: &usize| wrong(index) && is_untouched(got[*index]);
            let first = (0..got.len()).into_par_iter().find_first(untouched);
            first.map(|first| NeverWritten {
                row: first / columns,
                column: first % columns,
                count: (0..got.len()).into_par_iter().filter(untouched).count(),
            })
        },
        likeness: None,
    });
    let max_relative_error = if mismatch.is_none() { 0.0 } else { f64::NAN };
    let check = Check { correct: mismatch.is_none(), max_relative_error, mismatch };
    if check.correct || want.len() > MOST {
        return check;
    }
    let want: Vec<f64> = want.iter().map(|want| want.to_f64()).collect();
    with_likeness(check, got, &want, columns, 0.0)
}

/// Multiply-adds up to which a product is recomputed as a whole: about 0.2 s on two cores.
const WHOLE_PRODUCT_LIMIT: usize = 1 << 28;
/// Rows of a large product that are compared element by element in any case.
const SAMPLED_ROWS: usize = 8;
/// Rows at most in which wrong elements of a large product are counted one by one.
const COUNTED_ROWS: usize = 64;

/// Checks C = A·B, all row-major.
///
/// Small products are recomputed in f64 and compared element by element. Large ones are checked by Freivalds' method, row by row:
/// for 8 random vectors x of ±1, row i of C·x must equal row i of A·(B·x). Rounding moves a row by at most [`tolerance`]·√n (n
/// independent errors with random signs), so that is the bound; a row that holds an element wrong by more than the bound passes one
/// vector with probability at most 1/2 (of the two signs of that element at most one can stay inside) and all of them with at most
/// 2⁻⁸. Rows caught, and 8 more, are then recomputed and compared element by element.
pub(crate) fn product<T: Number>(product: &Product<'_, T>, got: &[T], seed: u64) -> Check {
    let Product { m, k, n, .. } = *product;
    assert_eq!(got.len(), m * n, "the result is not m×n");
    let bound = tolerance(k, T::DTYPE);
    if m.saturating_mul(n).saturating_mul(k) <= WHOLE_PRODUCT_LIMIT {
        let rows: Vec<usize> = (0..m).collect();
        let want = product_rows(product, &rows);
        let check = compare_rows(got, &want, n, &rows, bound).into_check(m * n, n, bound);
        return with_likeness(check, got, &want, n, bound);
    }
    let suspects = suspicious_rows(product, got, bound * (n as f64).sqrt(), seed);
    let mut rows: Vec<usize> = suspects.iter().copied().take(COUNTED_ROWS).collect();
    rows.extend((0..SAMPLED_ROWS).map(|i| i * (m - 1) / (SAMPLED_ROWS - 1)));
    rows.sort_unstable();
    rows.dedup();
    let want = product_rows(product, &rows);
    let mut check = compare_rows(got, &want, n, &rows, bound).into_check(m * n, n, bound);
    // A row can fail as a whole although each element passes; it is wrong all the same.
    check.correct &= suspects.is_empty();
    check
}

/// Rows of C whose product with one of eight random ±1 vectors differs from that of A·B by more than `row_bound`.
fn suspicious_rows<T: Number>(product: &Product<'_, T>, got: &[T], row_bound: f64, seed: u64) -> Vec<usize> {
    let Product { m, k, n, a, b } = *product;
    let mut signs = vec![0f64; n * VECTORS];
    fill(&mut signs, !seed);
    let signs: Vec<[f64; VECTORS]> =
        signs.chunks_exact(VECTORS).map(|chunk| std::array::from_fn(|v| 1f64.copysign(chunk[v]))).collect();
    let bx = times_vectors(b, k, n, &signs);
    let abx = times_vectors(a, m, k, &bx);
    let cx = times_vectors(got, m, n, &signs);
    (0..m).filter(|&i| !(0..VECTORS).all(|v| (cx[i][v] - abx[i][v]).abs() <= row_bound)).collect()
}

/// Random vectors per Freivalds check: a wrong row escapes with probability at most 2⁻⁸.
const VECTORS: usize = 8;

/// Eight matrix–vector products at once: `rows × columns` times `columns × 8`, accumulated in f64.
fn times_vectors<T: Number>(
    matrix: &[T],
    rows: usize,
    columns: usize,
    vectors: &[[f64; VECTORS]],
) -> Vec<[f64; VECTORS]> {
    debug_assert_eq!(matrix.len(), rows * columns);
    matrix
        .par_chunks_exact(columns)
        .map(|row| {
            let mut sums = [0f64; VECTORS];
            for (element, vector) in row.iter().zip(vectors) {
                let element = element.to_f64();
                for (sum, x) in sums.iter_mut().zip(vector) {
                    *sum += element * x;
                }
            }
            sums
        })
        .collect()
}

/// The result of a comparison of some rows; merges in row order.
#[derive(Default)]
struct Tally {
    first: Option<(usize, usize, f64, f64)>,
    never_written: Option<NeverWritten>,
    wrong: usize,
    examined: usize,
    largest_error: f64,
    largest_want: f64,
}

/// Compares the listed rows (ascending) of `got` with `want`, which holds only those rows.
fn compare_rows<T: Number>(got: &[T], want: &[f64], columns: usize, rows: &[usize], tolerance: f64) -> Tally {
    rows.par_iter()
        .zip(want.par_chunks_exact(columns))
        .map(|(&row, want)| compare(&got[row * columns..], want, (row, 0), tolerance))
        .reduce(Tally::default, Tally::merge)
}

/// Compares elements of one row, of which the first stands at (row, column), with as many references.
fn compare<T: Number>(got: &[T], want: &[f64], (row, first): (usize, usize), tolerance: f64) -> Tally {
    let mut tally = Tally::default();
    for (column, (element, &want)) in (first..).zip(got.iter().zip(want)) {
        let got = element.to_f64();
        tally.examined += 1;
        let passes = got.is_finite() && want.is_finite() && got.abs_diff_eq(&want, tolerance);
        if !passes {
            tally.wrong += 1;
            tally.first.get_or_insert((row, column, got, want));
            if is_untouched(*element) {
                tally.never_written.get_or_insert(NeverWritten { row, column, count: 0 }).count += 1;
            }
        }
        tally.largest_error = larger_or_nan(tally.largest_error, (got - want).abs());
        tally.largest_want = tally.largest_want.max(want.abs());
    }
    tally
}

pub(crate) fn parts<T: Number>(
    got: Got<'_, T>,
    of: usize,
    parts: &[Range<usize>],
    columns: usize,
    tolerance: f64,
    want: Want<'_>,
) -> Check {
    let tally = parts
        .par_iter()
        .map(|part| {
            let start = (part.start / columns, part.start % columns);
            compare(&got(part), &want(part), start, tolerance)
        })
        .reduce(Tally::default, Tally::merge);
    tally.into_check(of, columns, tolerance)
}

/// `f64::max` drops a NaN; an error that is not a number has to stay.
fn larger_or_nan(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

impl Tally {
    fn merge(self, later: Tally) -> Tally {
        Tally {
            first: self.first.or(later.first),
            never_written: match (self.never_written, later.never_written) {
                (Some(first), Some(later)) => Some(NeverWritten { count: first.count + later.count, ..first }),
                (first, later) => first.or(later),
            },
            wrong: self.wrong + later.wrong,
            examined: self.examined + later.examined,
            largest_error: larger_or_nan(self.largest_error, later.largest_error),
            largest_want: self.largest_want.max(later.largest_want),
        }
    }

    fn into_check(self, of: usize, columns: usize, tolerance: f64) -> Check {
        let Tally { first, never_written, wrong, examined, largest_error, largest_want } = self;
        Check {
            correct: wrong == 0 && examined > 0,
            max_relative_error: if largest_error == 0.0 { 0.0 } else { largest_error / largest_want },
            mismatch: first.map(|(row, column, got, want)| Mismatch {
                row,
                column,
                got,
                want,
                tolerance,
                wrong,
                examined,
                of,
                never_written,
                columns,
                likeness: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random<T: Number>(len: usize, seed: u64) -> Vec<T> {
        let mut elements = vec![T::default(); len];
        fill(&mut elements, seed);
        elements
    }

    /// C = A·B as a device would: summed in `T`, in order.
    fn multiply<T: Number>(product: &Product<'_, T>) -> Vec<T> {
        let Product { m, k, n, a, b } = *product;
        (0..m * n)
            .into_par_iter()
            .map(|index| {
                let (i, j) = (index / n, index % n);
                (0..k).fold(T::from_f64(0.0), |sum, l| {
                    T::from_f64(sum.to_f64() + T::from_f64(a[i * k + l].to_f64() * b[l * n + j].to_f64()).to_f64())
                })
            })
            .collect()
    }

    fn check_shape<T: Number>(m: usize, k: usize, n: usize, spoil: impl Fn(&mut Vec<T>)) -> Check {
        let (a, b) = (random::<T>(m * k, 1), random::<T>(k * n, 2));
        let product = Product { m, k, n, a: &a, b: &b };
        let mut c = multiply(&product);
        spoil(&mut c);
        super::product(&product, &c, 3)
    }

    #[test]
    fn ordinary_rounding_passes_in_both_types() {
        for (m, k, n) in [(1, 1, 1), (7, 33, 5), (64, 1000, 3), (100, 100, 100)] {
            assert!(check_shape::<f32>(m, k, n, |_| ()).correct);
            assert!(check_shape::<f64>(m, k, n, |_| ()).correct);
        }
    }

    #[test]
    fn one_wrong_element_is_named() {
        let check = check_shape::<f32>(40, 30, 20, |c| c[17 * 20 + 3] += 0.01);
        let mismatch = check.mismatch.expect("found");
        assert!(!check.correct);
        assert_eq!((mismatch.row, mismatch.column, mismatch.wrong), (17, 3, 1));
        assert_eq!((mismatch.examined, mismatch.of), (800, 800));
    }

    #[test]
    fn neither_nan_nor_infinity_passes() {
        for poison in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let check = check_shape::<f32>(8, 8, 8, |c| c[63] = poison);
            assert!(!check.correct, "{poison} passed");
            assert_eq!(check.mismatch.expect("found").wrong, 1);
        }
        let infinite = elements(&[f64::INFINITY], &[f64::INFINITY], 1, 1.0);
        assert!(!infinite.correct, "two infinities are equal but not right");
    }

    #[test]
    fn a_large_product_is_checked_without_recomputing_it() {
        // 2^28 multiply-adds and some: the Freivalds path.
        let (m, k, n) = (1100, 250, 1000);
        assert!(m * k * n > WHOLE_PRODUCT_LIMIT);
        assert!(check_shape::<f32>(m, k, n, |_| ()).correct);
        let check = check_shape::<f32>(m, k, n, |c| {
            c[555 * n + 7] += 0.5;
            c[777 * n + 999] = f32::NAN;
        });
        let mismatch = check.mismatch.expect("found");
        assert_eq!((mismatch.row, mismatch.column, mismatch.wrong), (555, 7, 2));
        assert!(mismatch.examined < mismatch.of);
    }

    #[test]
    fn what_nobody_wrote_is_told_from_what_is_wrong() {
        let untouched = f32::from_bits(0xffff_ffff);
        let check = check_shape::<f32>(8, 8, 8, |c| {
            c[3] = 7.0;
            c[20..23].fill(untouched);
        });
        let mismatch = check.mismatch.expect("found");
        assert_eq!(mismatch.never_written, Some(NeverWritten { row: 2, column: 4, count: 3 }));
        let text = mismatch.to_string();
        assert!(text.contains("4 of 64 elements are wrong, 3 of them never written, from [2][4] on"), "{text}");
        let text = exactly(&[1.0, untouched], &[1.0, 2.0], 2).mismatch.expect("found").to_string();
        assert!(text == "1 of 2 elements was never written; the first is [0][1], which should be 2", "{text}");
        assert_eq!(exactly(&[1.0f32, 2.5], &[1.0, 2.0], 2).mismatch.expect("found").never_written, None);
    }

    #[test]
    fn exact_checks_tell_bits_apart() {
        assert!(exactly(&[1.0f32, -0.0], &[1.0, -0.0], 2).correct);
        let check = exactly(&[1.0f32, 0.0, 3.0, 4.5], &[1.0, -0.0, 3.0, 4.0], 2);
        let mismatch = check.mismatch.expect("found");
        assert_eq!((mismatch.row, mismatch.column, mismatch.wrong), (0, 1, 2));
        assert!(!exactly(&[f32::NAN], &[1.0], 1).correct);
    }

    #[test]
    fn a_lost_product_is_far_outside_the_tolerance() {
        // The smallest tile of the labs loses 8 terms of size 1/3; the tolerance at the largest size has to stay well below.
        assert!(tolerance(16384, Dtype::F32) < 0.005);
        assert_eq!(tolerance(0, Dtype::F64), 0.0);
    }
}
