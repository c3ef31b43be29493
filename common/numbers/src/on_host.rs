//! A·x on this host's cores, in the element type itself: what a card is compared with.

use crate::number::Number;
pub use crate::operands::Way;
use rayon::prelude::*;

/// Columns of A at a time in [`blocked`]: a part of x of this length stays in the L1 cache (16 KiB in f32) while the rows go by.
const COLUMNS_TOGETHER: usize = 4096;
/// Independent sums along a row: as many as a vector register has lanes, twice over, so that one addition need not wait for another.
const LANES: usize = 16;

/// Threads that [`Way::AllCores`] has.
pub fn host_threads() -> usize {
    rayon::current_num_threads()
}

pub(crate) fn multiply<T: Number>(way: Way, a: &[T], x: &[T], b: &mut [T]) {
    match way {
        Way::Naive => naive(a, x, b),
        Way::Blocked => blocked(a, x, b),
        Way::AllCores => parallel(a, x, b),
    }
}

fn naive<T: Number>(a: &[T], x: &[T], b: &mut [T]) {
    for (row, sum) in a.chunks_exact(x.len()).zip(b) {
        *sum = row.iter().zip(x).fold(T::default(), |sum, (&a, &x)| sum + a * x);
    }
}

fn blocked<T: Number>(a: &[T], x: &[T], b: &mut [T]) {
    let n = x.len();
    b.fill(T::default());
    for (part, x) in x.chunks(COLUMNS_TOGETHER).enumerate() {
        let start = part * COLUMNS_TOGETHER;
        for (row, sum) in a.chunks_exact(n).zip(&mut *b) {
            *sum = *sum + dot(&row[start..][..x.len()], x);
        }
    }
}

fn parallel<T: Number>(a: &[T], x: &[T], b: &mut [T]) {
    let rows = b.len().div_ceil(4 * rayon::current_num_threads());
    a.par_chunks(x.len() * rows).zip(b.par_chunks_mut(rows)).for_each(|(a, b)| blocked(a, x, b));
}

fn dot<T: Number>(a: &[T], x: &[T]) -> T {
    let mut sums = [T::default(); LANES];
    let (a_lanes, x_lanes) = (a.chunks_exact(LANES), x.chunks_exact(LANES));
    let rest = a_lanes.remainder().iter().zip(x_lanes.remainder());
    let rest = rest.fold(T::default(), |sum, (&a, &x)| sum + a * x);
    for (a, x) in a_lanes.zip(x_lanes) {
        for ((sum, &a), &x) in sums.iter_mut().zip(a).zip(x) {
            *sum = *sum + a * x;
        }
    }
    sums.into_iter().fold(rest, |total, sum| total + sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{elements, tolerance};
    use crate::random::fill;
    use crate::reference::matrix_vector;

    fn check<T: Number>(way: Way) {
        for (m, n) in [(1, 1), (3, 5), (33, 17), (5, 4097), (130, 1000)] {
            let (mut a, mut x) = (vec![T::default(); m * n], vec![T::default(); n]);
            fill(&mut a, 1);
            fill(&mut x, 2);
            let mut b = vec![T::POISON; m];
            multiply(way, &a, &x, &mut b);
            let check = elements(&b, &matrix_vector(&a, &x), 1, tolerance(n, T::DTYPE));
            assert!(check.correct, "{way:?} {m}x{n}: {:?}", check.mismatch);
        }
    }

    #[test]
    fn all_ways_give_the_product() {
        for way in [Way::Naive, Way::Blocked, Way::AllCores] {
            check::<f32>(way);
            check::<f64>(way);
        }
    }
}
