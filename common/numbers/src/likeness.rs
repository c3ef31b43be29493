//! The kind of wrong that a result is. It is named only where it fits every wrong element.

use crate::number::{Dtype, Number};
use crate::untouched::{is_untouched, poison};

/// Wrong elements from which on a likeness of values is no chance, and the largest result that is looked through.
const LEAST: usize = 3;
pub(crate) const MOST: usize = 1 << 20;
/// The share of a result that is wrong where all of it has too few digits.
const NEARLY_ALL: f64 = 0.9;
/// Edges of tiles, the largest first.
const EDGES: [usize; 3] = [32, 16, 8];

/// A whole result beside its reference.
pub(crate) struct Compared<'a, T> {
    pub got: &'a [T],
    pub want: &'a [f64],
    pub columns: usize,
    pub tolerance: f64,
    /// The value that each element had before.
    pub old: f64,
}

impl<'a, T: Number> Compared<'a, T> {
    pub fn new(got: &'a [T], want: &'a [f64], columns: usize, tolerance: f64) -> Self {
        let bits = u64::from(poison()) * 0x0101_0101_0101_0101;
        let old = if T::DTYPE == Dtype::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
        Compared { got, want, columns, tolerance, old }
    }

    /// The words for what all wrong elements have in common, such as "each of them is twice what it should be".
    pub fn likeness(&self) -> Option<String> {
        let count = self.want.len().min(self.got.len());
        let wrong: Vec<usize> = (0..count).filter(|&index| !self.is(index, self.want[index], 0.0)).collect();
        let written = wrong.len() >= LEAST && wrong.iter().all(|&index| !is_untouched(self.got[index]));
        let found = [written.then(|| self.of_values(&wrong)).flatten(), self.of_places(&wrong)];
        let found: Vec<String> = found.into_iter().flatten().collect();
        (!found.is_empty()).then(|| found.join(", and "))
    }

    /// True if an element has a value that is made of numbers as exact as so many of the result's.
    fn is(&self, index: usize, value: f64, inexact: f64) -> bool {
        let got = self.got[index].to_f64();
        let slack = self.tolerance * (1.0 + inexact) + inexact * 2.0 * T::DTYPE.unit_roundoff() * value.abs();
        got.is_finite() && value.is_finite() && (got - value).abs() <= slack
    }

    fn of_values(&self, wrong: &[usize]) -> Option<String> {
        let fits = |value: &dyn Fn(usize) -> Option<f64>| {
            wrong.iter().all(|&index| value(index).is_some_and(|value| self.is(index, value, 1.0)))
        };
        let (want, columns, old) = (self.want, self.columns.max(1), self.old);
        let rows = want.len() / columns;
        // An element of a matrix that was taken for one with rows and columns exchanged.
        let mirrored = |index: usize| want.get(index % rows * columns + index / rows).copied();
        let near = |by: isize| move |index: usize| want.get(index.checked_add_signed(by)?).copied();
        let row = columns as isize;
        type Value<'v> = &'v dyn Fn(usize) -> Option<f64>;
        let kinds: [(Value, &str); 11] = [
            (&|_| Some(0.0), "is 0"),
            (&|index| Some(2.0 * want[index]), "is twice what it should be"),
            (&|index| Some(want[index] / 2.0), "is half of what it should be"),
            (&|index| Some(-want[index]), "is what it should be with the other sign"),
            (&|index| Some(want[index] + old), "is what it should be and what was there before the launch, added up"),
            (&|index| Some(old - want[index]), "is what was there before the launch less what it should be"),
            (&near(1), "has the value of the element after it"),
            (&near(-1), "has the value of the element before it"),
            (&near(row), "has the value of the element in the next row"),
            (&near(-row), "has the value of the element in the row before"),
            (&mirrored, "has the value that it has in the transposed matrix"),
        ];
        let found = kinds.iter().find(|(value, _)| fits(value)).map(|(_, words)| (*words).to_owned());
        let words = found.or_else(|| self.accuracy(wrong)).or_else(|| self.others(wrong));
        words.map(|words| format!("each of them {words}"))
    }

    /// Results of which nearly all have too few digits, and no other fault.
    fn accuracy(&self, wrong: &[usize]) -> Option<String> {
        let own = T::DTYPE.unit_roundoff();
        let error = |&index: &usize| (self.got[index].to_f64() - self.want[index]).abs();
        let largest = self.want.iter().fold(0.0, |most: f64, want| most.max(want.abs()));
        let most = wrong.iter().map(error).fold(0.0, f64::max);
        let types = [("f32", Dtype::F32.unit_roundoff()), ("f16", f64::powi(2.0, -11))];
        let fits = |(_, unit): &&(&str, f64)| {
            *unit > own
                && wrong
                    .iter()
                    .all(|index| error(index) <= self.tolerance * unit / own + unit * self.want[*index].abs())
        };
        let (name, unit) = types.iter().find(fits)?;
        let is_of_all = wrong.len() as f64 >= NEARLY_ALL * self.want.len() as f64 && 32.0 * most >= unit * largest;
        is_of_all.then(|| format!("is right to the accuracy of {name}, and no further"))
    }

    /// Values of other elements, where the elements are so different that this is no chance.
    fn others(&self, wrong: &[usize]) -> Option<String> {
        let mut sorted: Vec<usize> = (0..self.want.len()).filter(|&index| self.want[index].is_finite()).collect();
        sorted.sort_by(|&a, &b| self.want[a].total_cmp(&self.want[b]));
        let steps = sorted.windows(2).map(|pair| self.want[pair[1]] - self.want[pair[0]]);
        let apart = steps.filter(|step| *step > 40.0 * self.tolerance).count();
        let owner = |&index: &usize| {
            let at = sorted.partition_point(|&other| self.want[other] < self.got[index].to_f64());
            let near = [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(|at| sorted.get(at));
            near.copied().find(|&other| self.is(index, self.want[other], 1.0))
        };
        let owners = wrong.iter().map(owner).collect::<Option<Vec<_>>>()?;
        let (first, of) = (self.place(*wrong.first()?), self.place(*owners.first()?));
        let is_no_chance = apart as f64 >= NEARLY_ALL * (sorted.len() - 1) as f64;
        is_no_chance.then(|| format!("has the value of another element: {first} that of {of}"))
    }

    /// The part of the result that all wrong elements lie in, while others are right.
    fn of_places(&self, wrong: &[usize]) -> Option<String> {
        let (of, columns) = (self.want.len(), self.columns.max(1));
        let rows = of / columns;
        let first = *wrong.first()?;
        if columns == 1 {
            let is_end = wrong.len() == of - first && 2 * wrong.len() <= of;
            return is_end.then(|| match wrong.len() {
                1 => "it is the last element".to_owned(),
                count => format!("they are the last {count} elements"),
            });
        }
        let all = |side: &dyn Fn(usize) -> usize, from: usize| wrong.iter().all(|&index| side(index) >= from);
        let (row, column) = (|index: usize| index / columns, |index: usize| index % columns);
        type Side<'s> = &'s dyn Fn(usize) -> usize;
        let sides: [(&str, Side, usize); 2] = [("row", &row, rows), ("column", &column, columns)];
        let last = sides.iter().find(|(_, side, count)| *count > 1 && all(side, count - 1));
        let in_last = last.map(|(name, ..)| format!("all of them are in the last {name}"));
        in_last.or_else(|| {
            let begin = |count: usize, edge: usize| Some(count / edge * edge).filter(|&at| at > 0 && at < count);
            let found = |edge: usize| {
                sides.iter().find_map(|(name, side, count)| {
                    let from = begin(*count, edge).filter(|&from| all(side, from))?;
                    Some(format!("all of them are in the {name}s from {from} on, which fill no tile of {edge}"))
                })
            };
            EDGES.iter().rev().find_map(|&edge| found(edge))
        })
    }

    fn place(&self, index: usize) -> String {
        match self.columns {
            0 | 1 => format!("[{index}]"),
            columns => format!("[{}][{}]", index / columns, index % columns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill;

    const COLUMNS: usize = 20;
    const OLD: f64 = 0.0625;

    /// To so many digits as f16 has.
    fn f16(value: f64) -> f64 {
        let unit = f64::powi(2.0, value.abs().log2().floor() as i32 - 10);
        (value / unit).round() * unit
    }

    fn want() -> Vec<f64> {
        let mut want = vec![0f64; 20 * COLUMNS];
        fill(&mut want, 5);
        want
    }

    /// The likeness of a result that some change has made of the right one; at a tolerance as of sums of 10 products.
    fn said<T: Number>(change: impl Fn(&[f64], usize) -> f64) -> String {
        let want = want();
        let got: Vec<T> = (0..want.len()).map(|index| T::from_f64(change(&want, index))).collect();
        let tolerance = 40.0 * T::DTYPE.unit_roundoff();
        Compared { old: OLD, ..Compared::new(&got, &want, COLUMNS, tolerance) }.likeness().unwrap_or_default()
    }

    #[test]
    fn a_likeness_is_named_where_it_fits_all_wrong_elements_and_not_where_one_is_of_another_kind() {
        type Change = fn(&[f64], usize) -> f64;
        let kinds: [(Change, &str); 11] = [
            (|_, _| 0.0, "is 0"),
            (|want, index| 2.0 * want[index], "is twice"),
            (|want, index| want[index] / 2.0, "is half"),
            (|want, index| if index % 2 == 0 { want[index] } else { -want[index] }, "other sign"),
            (|want, index| want.get(index + 1).map_or(want[index], |next| *next), "of the element after it"),
            (|want, index| if index == 0 { want[0] } else { want[index - 1] }, "of the element before it"),
            (|want, index| want.get(index + COLUMNS).map_or(want[index], |next| *next), "in the next row"),
            (|want, index| want[index % COLUMNS * COLUMNS + index / COLUMNS], "in the transposed matrix"),
            (|want, index| want[index] + OLD, "before the launch, added up"),
            (|want, index| f16(want[index]), "accuracy of f16"),
            (|want, index| want[(index * 7 + 3) % want.len()], "of another element: [0][0] that of [0][3]"),
        ];
        for (change, words) in kinds {
            assert!(said::<f32>(change).contains(words), "{words}: {}", said::<f32>(change));
            // One element that is wrong in a way of its own.
            let other = said::<f32>(|want, index| if index == 37 { 12.5 } else { change(want, index) });
            assert_eq!(other, "", "{words}");
        }
        assert!(said::<f64>(|want, index| f64::from(want[index] as f32)).contains("accuracy of f32"));
        assert_eq!(said::<f32>(|want, index| f64::from(want[index] as f32)), "");
        // A constant error that is as small as f16's, in a tenth of the elements.
        assert_eq!(said::<f32>(|want, index| want[index] + if index % 10 == 0 { 1e-4 } else { 0.0 }), "");
        assert_eq!(said::<f32>(|want, index| 1.5 * want[index] + 0.3), "");
    }

    #[test]
    fn a_part_is_named_where_all_wrong_elements_lie_in_it() {
        let off = |part: fn(usize) -> bool| {
            said::<f32>(move |want, index| if part(index) { 9.0 + (index % 7) as f64 } else { want[index] })
        };
        assert_eq!(off(|index| index >= 19 * COLUMNS), "all of them are in the last row");
        assert_eq!(off(|index| index % COLUMNS == 19), "all of them are in the last column");
        let tile = "all of them are in the rows from 16 on, which fill no tile of 8";
        assert_eq!(off(|index| index >= 16 * COLUMNS + 3), tile);
        assert_eq!(off(|index| index >= 15 * COLUMNS), "");
        assert_eq!(off(|index| index == 5 || index >= 19 * COLUMNS), "");
    }
}
