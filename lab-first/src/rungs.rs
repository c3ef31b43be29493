//! The ladder: each rung with its launch and its result as it should be.

use common::ladder;
use common::ladder::Variant;

/// A grid and a block as [`cudarc::driver::LaunchConfig`] has them.
type Launch = ((u32, u32, u32), (u32, u32, u32));

/// The result that a rung computes from m×n elements, and how it is launched.
#[derive(Debug)]
pub struct Rung {
    /// Elements of the output.
    pub output: fn(m: usize, n: usize) -> usize,
    /// `true` where the output holds numbers before the launch, to which the kernel adds. They are the second input.
    pub adds_to_output: bool,
    /// Floating-point operations for each element of the input.
    pub flops_per_element: usize,
    /// Numbers that are added up for one element of the output, by the rows of the input; 0 where nothing is rounded.
    pub terms: fn(m: usize) -> usize,
    /// The output as it should be.
    pub reference: fn([usize; 2], &[Vec<f64>]) -> Vec<f64>,
    /// Grid and block.
    pub launch: fn([usize; 2]) -> Launch,
    /// The whole numbers that the kernel takes.
    pub numbers: fn([usize; 2]) -> Vec<usize>,
}

/// Threads of a block.
const THREADS: usize = 256;
/// Lanes of a warp.
const LANES: usize = 32;

/// An output element for each input element, by blocks of [`THREADS`] that may stick out. The other rungs differ from it.
const LINE: Rung = Rung {
    output: |m, n| m * n,
    adds_to_output: false,
    flops_per_element: 0,
    terms: |_| 0,
    reference: |_, inputs| inputs[0].clone(),
    launch: |[m, n]| row((m * n).div_ceil(THREADS), THREADS),
    numbers: |[m, n]| vec![m * n],
};

/// A sum for each block.
const SUMS: Rung = Rung {
    output: |m, n| (m * n).div_ceil(THREADS),
    flops_per_element: 1,
    terms: |_| THREADS,
    reference: |_, inputs| sums(&inputs[0], THREADS),
    ..LINE
};

/// The rungs in the order of the sheet.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "map", "the number of a thread", Rung {
        flops_per_element: 1,
        terms: |_| 1,
        reference: |_, inputs| inputs[0].iter().map(|element| element * element).collect(),
        launch: |[m, n]| {
            let threads = divisor(m * n);
            row(m * n / threads, threads)
        },
        ..LINE
    };
    "guard", "more threads than elements", Rung {
        flops_per_element: 1,
        terms: |_| 1,
        reference: |_, inputs| inputs[0].iter().map(|element| 1.0 - element).collect(),
        ..LINE
    };
    "plane", "a grid of two dimensions", Rung {
        reference: |[_, n], inputs| {
            let square = |(i, &element): (usize, &f64)| if (i / n + i % n) % 2 == 0 { element } else { -element };
            inputs[0].iter().enumerate().map(square).collect()
        },
        launch: |[m, n]| ((n.div_ceil(32) as u32, m.div_ceil(8) as u32, 1), (32, 8, 1)),
        numbers: |extents| extents.to_vec(),
        ..LINE
    };
    "stride", "fewer threads than elements: a grid-stride loop", Rung {
        flops_per_element: 1,
        reference: |_, inputs| inputs[0].iter().map(|element| 2.0 * element).collect(),
        launch: |_| row(96, 128),
        ..LINE
    };
    "shared", "a block's threads meet in shared memory", Rung {
        reference: |_, inputs| inputs[0].chunks(THREADS).flat_map(|part| part.iter().rev().copied()).collect(),
        ..LINE
    };
    "barrier", "a sum as a tree, a barrier for each level", SUMS;
    "race", "reads and writes of one place, kept apart", Rung {
        flops_per_element: 1,
        terms: |_| 2,
        reference: |_, inputs| inputs[0].chunks(THREADS).flat_map(with_left).collect(),
        ..LINE
    };
    "atomic", "many threads add to one place", Rung {
        output: |_, n| n,
        adds_to_output: true,
        flops_per_element: 1,
        terms: |m| m + 1,
        reference: |[_, n], inputs| {
            let column = |(column, begins)| begins + inputs[0].iter().skip(column).step_by(n).sum::<f64>();
            inputs[1].iter().enumerate().map(column).collect()
        },
        numbers: |[m, n]| vec![m * n, n],
        ..LINE
    };
    "shuffle", "lanes of a warp hand registers to each other", Rung {
        output: |m, n| (m * n).div_ceil(LANES),
        terms: |_| LANES,
        reference: |_, inputs| sums(&inputs[0], LANES),
        ..SUMS
    };
    "block_sum", "shuffles within warps, shared memory between them", SUMS;
};

/// Blocks and threads along x alone.
fn row(blocks: usize, threads: usize) -> Launch {
    ((blocks as u32, 1, 1), (threads as u32, 1, 1))
}

/// The most threads of a block, up to [`THREADS`], of which whole blocks make `elements` threads.
fn divisor(elements: usize) -> usize {
    (1..=THREADS).rev().find(|threads| elements.is_multiple_of(*threads)).unwrap_or(1)
}

fn sums(elements: &[f64], part: usize) -> Vec<f64> {
    elements.chunks(part).map(|part| part.iter().sum()).collect()
}

/// Each element and the one to its left.
fn with_left(part: &[f64]) -> Vec<f64> {
    let left = std::iter::once(0.0).chain(part.iter().copied());
    part.iter().zip(left).map(|(own, left)| own + left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_as_elements() {
        for (elements, threads) in [(1, 1), (256, 256), (1023, 93), (1021, 1), (512, 256)] {
            assert_eq!(divisor(elements), threads, "{elements}");
        }
    }

    #[test]
    fn references_by_hand() {
        let of = |name: &str, extents: [usize; 2], inputs: &[Vec<f64>]| {
            let variant = VARIANTS.iter().find(|variant| variant.name == name).expect("a rung");
            (variant.rung.reference)(extents, inputs)
        };
        let numbers = |count: usize| (1..=count).map(|number| number as f64).collect::<Vec<f64>>();
        assert_eq!(of("plane", [2, 3], &[numbers(6)]), [1.0, -2.0, 3.0, -4.0, 5.0, -6.0]);
        assert_eq!(of("race", [1, 3], &[numbers(3)]), [1.0, 3.0, 5.0]);
        assert_eq!(
            of("atomic", [2, 3], &[numbers(6), numbers(3)]),
            [1.0 + 1.0 + 4.0, 2.0 + 2.0 + 5.0, 3.0 + 3.0 + 6.0]
        );
        assert_eq!(of("shuffle", [1, 33], &[numbers(33)]), [528.0, 33.0]);
        assert_eq!(of("shared", [1, 258], &[numbers(258)])[254..], [2.0, 1.0, 258.0, 257.0]);
    }
}
