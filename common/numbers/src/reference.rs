//! The results as they should be: products in f64, on all cores of the host.

use crate::number::Number;
pub use crate::operands::Product;
use rayon::prelude::*;
use std::ops::Range;

pub(crate) fn product_rows<T: Number>(product: &Product<'_, T>, rows: &[usize]) -> Vec<f64> {
    let n = product.n;
    let mut want = vec![0f64; rows.len() * n];
    // Four rows at a time share each pass over B, which is what the time goes into.
    const TOGETHER: usize = 4;
    want.par_chunks_mut(n * TOGETHER).zip(rows.par_chunks(TOGETHER)).for_each(|(want, rows)| {
        add_products(want, product, rows, 0..n);
    });
    want
}

pub(crate) fn product_part<T: Number>(product: &Product<'_, T>, rows: &[usize], columns: Range<usize>) -> Vec<f64> {
    let mut want = vec![0f64; rows.len() * columns.len()];
    if !columns.is_empty() {
        add_products(&mut want, product, rows, columns);
    }
    want
}

/// Adds to `want`, row after row, what the listed rows of A·B have in some columns, at least one. All rows share one pass over B.
fn add_products<T: Number>(want: &mut [f64], product: &Product<'_, T>, rows: &[usize], columns: Range<usize>) {
    let Product { k, n, a, b, .. } = *product;
    for l in 0..k {
        let b_row = &b[l * n..][columns.clone()];
        for (want, &row) in want.chunks_exact_mut(columns.len()).zip(rows) {
            let factor = a[row * k + l].to_f64();
            for (sum, element) in want.iter_mut().zip(b_row) {
                *sum += factor * element.to_f64();
            }
        }
    }
}

pub(crate) fn matrix_vector<T: Number>(a: &[T], x: &[T]) -> Vec<f64> {
    a.par_chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a.to_f64() * x.to_f64()).sum()).collect()
}

pub(crate) fn line<T: Number>(elements: &[T], slope: f64, offset: f64) -> Vec<f64> {
    elements.iter().map(|element| slope * element.to_f64() + offset).collect()
}

pub(crate) fn transposed<T: Number>(a: &[T], rows: usize, columns: usize) -> Vec<T> {
    assert_eq!(a.len(), rows * columns, "the matrix is not m×n");
    let mut turned = vec![T::POISON; a.len()];
    // Sixteen output rows together use each cache line of the input, which holds sixteen f32, whole.
    const TOGETHER: usize = 16;
    turned.par_chunks_mut(rows * TOGETHER).enumerate().for_each(|(chunk, out)| {
        for i in 0..rows {
            for (offset, out_row) in out.chunks_exact_mut(rows).enumerate() {
                out_row[i] = a[i * columns + chunk * TOGETHER + offset];
            }
        }
    });
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_by_hand() {
        // [1 2; 3 4; 5 6] · [1 0 2; 0 1 3]
        let product =
            Product { m: 3, k: 2, n: 3, a: &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0], b: &[1.0, 0.0, 2.0, 0.0, 1.0, 3.0] };
        assert_eq!(product_rows(&product, &[0, 1, 2]), [1.0, 2.0, 8.0, 3.0, 4.0, 18.0, 5.0, 6.0, 28.0]);
        assert_eq!(product_rows(&product, &[2]), [5.0, 6.0, 28.0]);
    }

    #[test]
    fn a_part_of_a_product_is_that_part() {
        let (a, b): (Vec<f32>, Vec<f32>) =
            ((0..12).map(|i| i as f32).collect(), (0..20).map(|i| (i * i) as f32).collect());
        let product = Product { m: 3, k: 4, n: 5, a: &a, b: &b };
        let whole = product_rows(&product, &[0, 1, 2]);
        let part = product_part(&product, &[0, 2], 1..4);
        assert_eq!(part, [&whole[1..4], &whole[11..14]].concat());
    }

    #[test]
    fn a_vector_by_hand() {
        assert_eq!(matrix_vector(&[1f64, 2.0, 3.0, 4.0], &[10.0, 1.0]), [12.0, 34.0]);
    }

    #[test]
    fn every_element_of_a_transpose_is_in_its_place() {
        let (rows, columns) = (37, 21);
        let a: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
        let t = transposed(&a, rows, columns);
        for i in 0..rows {
            for j in 0..columns {
                assert_eq!(t[j * rows + i], a[i * columns + j]);
            }
        }
    }
}
