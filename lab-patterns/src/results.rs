//! The tasks of the five ladders, and their outputs as they should be.

use common::element::Element;

/// The result that rungs compute from n elements of [−1, 1).
#[derive(Debug)]
pub struct Task {
    /// Elements of the output.
    pub output: fn(n: usize) -> usize,
    /// Those of them that have to be written, on average where it depends on the elements.
    pub written: fn(n: usize) -> usize,
    /// The output as it should be.
    pub reference: fn(&[f64]) -> Vec<f64>,
    /// Floating-point operations that the result takes for each element.
    pub flops_per_element: usize,
    /// `true` where sums are rounded, which all other results are not.
    pub rounds: bool,
    /// Elements of a tile where tiles have nothing to do with each other.
    pub tile: Option<usize>,
    /// `true` where the output is zero before the launch.
    pub starts_as_zeros: bool,
    /// The order of the elements that are kept side by side, where some are.
    pub compacts: Option<Order>,
}

/// The order of elements that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the input.
    Kept,
    /// Any: all orders are right.
    Any,
}

/// Bins of a histogram.
const BINS: usize = 256;
/// Elements of a tile that is by itself.
pub const TILE: usize = 1024;
/// Bits that stand below a key's digit.
const DIGIT_AT: u32 = 8;

/// The sum of all elements.
pub const SUM: Task = Task {
    output: |_| 1,
    written: |_| 1,
    reference: |elements| vec![elements.iter().sum()],
    flops_per_element: 1,
    rounds: true,
    tile: None,
    starts_as_zeros: true,
    compacts: None,
};

/// The same, written by one block.
pub const SUM_OF_SUMS: Task = Task { starts_as_zeros: false, ..SUM };

/// The prefix sums of all elements.
pub const SCAN: Task = Task {
    output: |n| n,
    written: |n| n,
    reference: |elements| prefix_sums(elements, elements.len()),
    starts_as_zeros: false,
    ..SUM
};

/// The prefix sums of each tile.
pub const SCAN_OF_TILES: Task = Task { tile: Some(TILE), reference: |elements| prefix_sums(elements, TILE), ..SCAN };

/// How many elements lie in each bin.
pub const HISTOGRAM: Task = Task {
    output: |_| BINS,
    written: |_| BINS,
    reference: |elements| {
        let mut counts = vec![0.0; BINS];
        elements.iter().for_each(|&element| counts[bin(element)] += 1.0);
        counts
    },
    flops_per_element: 0,
    rounds: false,
    ..SUM
};

/// The elements above 0, and their number.
pub const COMPACTION: Task = Task {
    output: |n| n + 1,
    written: |n| n / 2,
    reference: |elements| compacted(elements, Order::Kept),
    starts_as_zeros: false,
    compacts: Some(Order::Kept),
    ..HISTOGRAM
};

/// The same in any order; the number is added up.
pub const COMPACTION_IN_ANY_ORDER: Task = Task {
    reference: |elements| compacted(elements, Order::Any),
    starts_as_zeros: true,
    compacts: Some(Order::Any),
    ..COMPACTION
};

/// All keys, by their digit of 8 bits.
pub const SPLIT: Task = Task {
    output: |n| n,
    written: |n| n,
    reference: |elements| split(elements, elements.len(), 8),
    starts_as_zeros: false,
    ..HISTOGRAM
};

/// The keys of each tile, by their digit of 4 bits.
pub const SPLIT_OF_TILES: Task = Task { tile: Some(TILE), reference: |elements| split(elements, TILE, 4), ..SPLIT };

/// The prefix sums of each tile by itself.
fn prefix_sums(elements: &[f64], tile: usize) -> Vec<f64> {
    let sums = |tile: &[f64]| {
        let mut sum = 0.0;
        tile.iter().map(|element| (sum += element, sum).1).collect::<Vec<f64>>()
    };
    elements.chunks(tile).flat_map(sums).collect()
}

/// The bin of an element, multiplied in f32 as a kernel does.
fn bin(element: f64) -> usize {
    let element = element as f32;
    ((element * element * BINS as f32) as usize).min(BINS - 1)
}

/// The elements above 0 as [`normalise`] leaves them, zeros, and how many there are.
fn compacted(elements: &[f64], order: Order) -> Vec<f64> {
    let mut output: Vec<f64> = elements.iter().copied().filter(|&element| element > 0.0).collect();
    let kept = output.len();
    if order == Order::Any {
        output.sort_unstable_by(f64::total_cmp);
    }
    output.resize(elements.len(), 0.0);
    // Rounded as a kernel's is.
    output.push(f64::from(kept as f32));
    output
}

/// Brings a compaction into its form: of all orders the ascending one, zeros after it where nothing was written, and the number at its end, whose bits
/// are those of an unsigned number, as a number.
pub fn normalise<T: Element>(output: &mut [T], order: Order) {
    let Some((count, elements)) = output.split_last_mut() else { return };
    let kept = (count.to_f64() as f32).to_bits();
    *count = T::from_f64(f64::from(kept));
    let Some((kept, rest)) = elements.split_at_mut_checked(kept as usize) else { return };
    match order {
        Order::Any => kept.sort_unstable_by(|a, b| a.to_f64().total_cmp(&b.to_f64())),
        // The lab fills outputs with NaN before a launch.
        Order::Kept => rest.iter_mut().filter(|rest| rest.to_f64().is_nan()).for_each(|rest| *rest = T::from_f64(0.0)),
    }
}

/// A key's digit of so many bits.
fn digit(key: f64, bits: u32) -> usize {
    ((key as f32).to_bits() >> DIGIT_AT) as usize % (1 << bits)
}

/// The keys of each tile by their digits, those of one digit in their order.
fn split(keys: &[f64], tile: usize, bits: u32) -> Vec<f64> {
    let mut split = keys.to_vec();
    for (split, keys) in split.chunks_mut(tile).zip(keys.chunks(tile)) {
        let mut places = places(keys, bits);
        for &key in keys {
            let place = &mut places[digit(key, bits)];
            split[*place as usize] = key;
            *place += 1;
        }
    }
    split
}

/// The place in the output of the first key of each digit of 8 bits.
pub fn starts(keys: &[f64]) -> Vec<u32> {
    places(keys, 8)
}

/// The place of the first key of each digit.
fn places(keys: &[f64], bits: u32) -> Vec<u32> {
    let mut counts = vec![0; 1 << bits];
    keys.iter().for_each(|&key| counts[digit(key, bits)] += 1);
    let mut sum = 0;
    counts.iter().map(|&count| (sum, sum += count).0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key whose digit of 8 bits is this one, the `nth` of them.
    fn key(digit: u32, nth: u32) -> f64 {
        f64::from(f32::from_bits(0x3f00_0000 | digit << DIGIT_AT | nth))
    }

    #[test]
    fn results_by_hand() {
        assert_eq!(prefix_sums(&[1.0, 2.0, 3.0, 4.0, 5.0], 3), [1.0, 3.0, 6.0, 4.0, 9.0]);
        let counts = (HISTOGRAM.reference)(&[-1.0, 0.0, 0.0624, -0.0626, 0.999]);
        assert_eq!((counts[0], counts[1], counts[255]), (2.0, 1.0, 2.0));
        assert_eq!(compacted(&[0.5, -0.5, 0.25, 0.0], Order::Kept), [0.5, 0.25, 0.0, 0.0, 2.0]);
        assert_eq!(compacted(&[0.5, -0.5, 0.25, 0.0], Order::Any), [0.25, 0.5, 0.0, 0.0, 2.0]);
        let keys = [key(3, 0), key(1, 1), key(3, 1), key(17, 0), key(1, 0)];
        assert_eq!(split(&keys, 5, 8), [keys[1], keys[4], keys[0], keys[2], keys[3]]);
        assert_eq!(split(&keys, 5, 4), [keys[1], keys[3], keys[4], keys[0], keys[2]], "17 is 1 in four bits");
        assert_eq!(split(&keys, 2, 8), [keys[1], keys[0], keys[2], keys[3], keys[4]], "tile by tile");
        assert_eq!(starts(&keys)[..19], [0, 0, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5]);
    }

    #[test]
    fn any_order_is_normalised_up_to_the_count() {
        let count = |kept: u32| f32::from_bits(kept);
        let normalised = |order, mut output: [f32; 4]| {
            normalise(&mut output, order);
            output
        };
        assert_eq!(normalised(Order::Any, [0.5, 0.25, 0.0, count(2)]), [0.25, 0.5, 0.0, 2.0]);
        assert_eq!(
            normalised(Order::Any, [0.5, 0.25, 0.1, count(2)]),
            [0.25, 0.5, 0.1, 2.0],
            "beyond it nothing moves"
        );
        assert_eq!(normalised(Order::Kept, [0.5, 0.25, f32::NAN, count(2)]), [0.5, 0.25, 0.0, 2.0]);
        assert_eq!(normalised(Order::Kept, [0.5, 0.25, 0.1, count(2)]), [0.5, 0.25, 0.1, 2.0], "a stray value stays");
        assert_eq!(normalised(Order::Any, [0.5, 0.25, 0.0, count(9)]), [0.5, 0.25, 0.0, 9.0], "a count that is wrong");
    }
}
