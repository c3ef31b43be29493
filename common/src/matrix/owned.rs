//! Checking what a part of a grid's blocks computed: exactly the elements that these blocks wrote, against the reference of those elements alone.

use crate::check::{Check, tolerance};
use crate::element::{Dtype, Element};
use crate::error::Family;
use crate::lazy_memory::Elements;
use crate::observations::{Finding, Launch, Sampled};
use crate::reference::Product;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Elements of a result that the blocks of a sampled launch own.
#[derive(Clone, Debug, PartialEq)]
pub struct Owned {
    /// Ascending and apart from each other.
    pub ranges: Vec<Range<usize>>,
    /// Elements of the whole result.
    pub of: usize,
    /// Elements that all blocks would have written, each as often as a block writes it.
    pub estimated: f64,
    /// Blocks that have added to these elements, of whose sums the others' part is missing; empty where blocks write elements of their own.
    pub ran: Vec<Range<u64>>,
}

/// The share of the result by which all blocks may write too little or too much: an estimate from equal blocks is exact.
const MOST_MISSING: f64 = 0.005;

/// Parts of ranges, none over the end of a row.
pub fn in_rows<'r>(
    ranges: impl IntoIterator<Item = &'r Range<usize>>,
    columns: usize,
) -> impl Iterator<Item = Range<usize>> {
    ranges.into_iter().flat_map(move |range| {
        let rows = range.start / columns..range.end.div_ceil(columns);
        rows.map(move |row| range.start.max(row * columns)..range.end.min((row + 1) * columns))
    })
}

impl Owned {
    /// The elements owned in a result of `elements`, which is what the launch wrote most of.
    pub fn of(sampled: &Sampled, elements: usize, dtype: Dtype) -> Owned {
        let bytes = |ranges: &[[u64; 2]]| ranges.iter().map(|range| range[1]).sum::<u64>();
        let Some(written) = sampled.written.iter().max_by_key(|part| bytes(&part.ranges)) else {
            return Owned { ranges: Vec::new(), of: elements, estimated: 0.0, ran: Vec::new() };
        };
        let size = dtype.bytes();
        let element = |byte: u64| byte as usize / size;
        let range = |&[first, bytes]: &[u64; 2]| element(first)..element(first + bytes + size as u64 - 1).min(elements);
        let ranges = written.ranges.iter().map(range).filter(|range| !range.is_empty()).collect();
        let ran = sampled.ran.iter().map(|&[first, count]| first..first + count).collect();
        Owned { ranges, of: elements, estimated: written.estimated_bytes / size as f64, ran }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ranges.iter().map(Range::len).sum()
    }

    /// The finding where the blocks would not write every element once: each that was checked may be right all the same.
    pub fn missing(&self, launch: &Launch) -> Option<Finding> {
        let share = self.estimated / self.of as f64;
        (self.ran.is_empty() && (share - 1.0).abs() > MOST_MISSING).then(|| Finding {
            family: Family::YourKernel.key().to_owned(),
            kind: "missing elements".to_owned(),
            kernel: Some(launch.kernel.clone()),
            file: None,
            line: None,
            message: format!(
                "your kernel: the blocks of `{}` do not write each element once\n   = what: by those that were run, all blocks write {:.1} % of the {} elements\n   = next: run a small --size without --sample: it names the first element that is missing",
                launch.kernel,
                share * 100.0,
                self.of
            ),
        })
    }
}

/// Compares the elements that were written with their references: `want` has those of some ranges, none over the end of a row, one after
/// the other. `columns` serves the message.
pub fn check_owned<T: Element>(
    got: Elements<'_, T>,
    owned: &Owned,
    columns: usize,
    tolerance: f64,
    want: impl Fn(&Range<usize>) -> Vec<f64> + Sync,
) -> Check {
    let parts: Vec<Range<usize>> = in_rows(&owned.ranges, columns).collect();
    T::check_parts(&|range| got.part(range), got.count(), &parts, columns, tolerance, &want)
}

/// The factors of C = A·B, m×k and k×n, as they are held.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a, T> {
    /// m, k and n.
    pub extents: [usize; 3],
    /// A.
    pub a: Elements<'a, T>,
    /// B.
    pub b: Elements<'a, T>,
}

/// As [`check_owned`], of C = A·B. Rows that own the same columns share these columns of B.
pub fn check_owned_product<T: Element>(factors: &Factors<'_, T>, got: Elements<'_, T>, owned: &Owned) -> Check {
    /// Columns of B, and rows of A, that are copied out together.
    const COLUMNS: usize = 64;
    const ROWS: usize = 8;
    let [_, k, n] = factors.extents;
    let narrow = |range: Range<usize>| {
        let end = range.end;
        range.step_by(COLUMNS).map(move |start| start..(start + COLUMNS).min(end))
    };
    let parts: Vec<Range<usize>> = in_rows(&owned.ranges, n).flat_map(narrow).collect();
    let mut rows_of: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for part in &parts {
        let row = part.start / n;
        rows_of.entry((part.start % n, part.end - row * n)).or_default().push(row);
    }
    let want: BTreeMap<usize, Vec<f64>> = rows_of
        .par_iter()
        .flat_map(|(&(first, end), rows)| {
            let width = end - first;
            let b = factors.b.parts((0..k).map(|row| row * n + first..row * n + end));
            let of_rows = |rows: &[usize]| {
                let a = factors.a.parts(rows.iter().map(|row| row * k..(row + 1) * k));
                let product = Product { m: rows.len(), k, n: width, a: &a, b: &b };
                let want = T::product_part(&product, &Vec::from_iter(0..rows.len()), 0..width);
                let of_row = |(&row, want): (&usize, &[f64])| (row * n + first, want.to_vec());
                rows.iter().zip(want.chunks_exact(width)).map(of_row).collect::<Vec<_>>()
            };
            rows.par_chunks(ROWS).flat_map_iter(of_rows).collect::<Vec<_>>()
        })
        .collect();
    let want = |range: &Range<usize>| want[&range.start].clone();
    T::check_parts(&|range| got.part(range), got.count(), &parts, n, tolerance(k, T::DTYPE), &want)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::WrittenPart;

    fn sampled(ranges: &[[u64; 2]], estimated_bytes: f64) -> Sampled {
        let part = WrittenPart { bytes: 400, estimated_bytes, ranges: ranges.to_vec() };
        Sampled { blocks: 2, of: 100, written: vec![part], ran: Vec::new() }
    }

    #[test]
    fn only_what_was_written_is_compared() {
        let owned = Owned::of(&sampled(&[[0, 8], [40, 16]], 400.0), 100, Dtype::F32);
        assert_eq!(owned.ranges, [0..2, 10..14]);
        assert_eq!((owned.count(), owned.of), (6, 100));
        let mut got = vec![f32::NAN; 100];
        [0, 1, 10, 11, 12, 13].iter().for_each(|&index| got[index] = index as f32);
        let want = |range: &Range<usize>| range.clone().map(|index| index as f64).collect();
        assert!(
            check_owned(Elements::All(&got), &owned, 12, 0.0, want).correct,
            "the others are not run, so they may be anything"
        );
        got[11] = 0.5;
        let mismatch = check_owned(Elements::All(&got), &owned, 12, 0.0, want).mismatch.expect("a wrong element");
        assert_eq!((mismatch.row, mismatch.column, mismatch.wrong, mismatch.examined, mismatch.of), (0, 11, 1, 6, 100));
        got[11] = f32::NAN;
        assert!(!check_owned(Elements::All(&got), &owned, 12, 0.0, want).correct, "a NaN does not pass");
    }

    #[test]
    fn a_launch_that_wrote_nothing_is_not_right() {
        let owned = Owned::of(&sampled(&[], 0.0), 100, Dtype::F32);
        assert!(!check_owned(Elements::All(&[0f32; 100]), &owned, 10, 1.0, |_| Vec::new()).correct);
    }

    #[test]
    fn rows_are_not_run_over() {
        let owned = Owned { ranges: std::iter::once(3..25).collect(), of: 30, estimated: 30.0, ran: Vec::new() };
        assert_eq!(in_rows(&owned.ranges, 10).collect::<Vec<_>>(), [3..10, 10..20, 20..25]);
    }

    #[test]
    fn blocks_that_leave_elements_out_are_told() {
        let launch = Launch { kernel: "k".into(), ..Launch::default() };
        let owned = |estimated| Owned::of(&sampled(&[[0, 8]], estimated), 100, Dtype::F32);
        assert_eq!(owned(400.0).missing(&launch), None);
        assert!(owned(388.0).missing(&launch).expect("too few").message.contains("97.0 %"));
    }
}
