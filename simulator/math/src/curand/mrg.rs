//! Where the sequences of MRG32k3a begin. They are 2⁷⁶ numbers apart, and a step is linear in each of the generator's two components, so a
//! sequence begins where the matrices of 2⁷⁶ steps lead from the one before it.

/// Steps from one sequence to the next, as a power of two.
const APART: u32 = 76;
/// The moduli of both components.
const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];

type Words = [u64; 3];
type Matrix = [Words; 3];

/// One step of each component, by L'Ecuyer's coefficients: the oldest word leaves.
const STEPS: [Matrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [MODULI[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [MODULI[1] - 1_370_589, 0, 527_612]],
];

fn apply(matrix: &Matrix, words: Words, modulus: u64) -> Words {
    matrix.map(|row| row.iter().zip(words).map(|(a, b)| a * b % modulus).sum::<u64>() % modulus)
}

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let columns: Matrix = std::array::from_fn(|j| apply(a, [b[0][j], b[1][j], b[2][j]], modulus));
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}

/// The matrix of so many steps.
fn power(mut matrix: Matrix, mut steps: u128, modulus: u64) -> Matrix {
    let mut all = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    while steps > 0 {
        if steps & 1 == 1 {
            all = product(&matrix, &all, modulus);
        }
        matrix = product(&matrix, &matrix, modulus);
        steps >>= 1;
    }
    all
}

/// The words of a seed, as cuRAND's device interface documents them in its header.
fn seeded(seed: u64) -> [Words; 2] {
    const FIRST: u64 = 12345;
    if seed == 0 {
        return [[FIRST; 3]; 2];
    }
    let (low, high) = ((seed & 0xffff_ffff) ^ 0x5555_5555, (seed >> 32) ^ 0xaaaa_aaaa);
    [[low, high, low].map(|x| x * FIRST % MODULI[0]), [high, low, high].map(|x| x * FIRST % MODULI[1])]
}

/// The states of so many sequences after `offset` numbers that they gave in turns: six words each, word by word, as bytes.
pub fn states(seed: u64, offset: u64, sequences: usize) -> Vec<u8> {
    let (steps, begun) = (offset / sequences as u64, offset % sequences as u64);
    let mut states = vec![0u32; 6 * sequences];
    for (component, first) in seeded(seed).into_iter().enumerate() {
        let (modulus, step) = (MODULI[component], STEPS[component]);
        let next = power(step, 1 << APART, modulus);
        let mut words = apply(&power(step, steps.into(), modulus), first, modulus);
        for sequence in 0..sequences {
            let own = if (sequence as u64) < begun { apply(&step, words, modulus) } else { words };
            (0..3).for_each(|word| states[(3 * component + word) * sequences + sequence] = own[word] as u32);
            words = apply(&next, words, modulus);
        }
    }
    states.into_iter().flat_map(u32::to_ne_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_many_steps_is_those_steps() {
        for (step, modulus) in STEPS.into_iter().zip(MODULI) {
            let mut walked = [1, 2, 3];
            (0..1000).for_each(|_| walked = apply(&step, walked, modulus));
            assert_eq!(apply(&power(step, 1000, modulus), [1, 2, 3], modulus), walked);
        }
    }
}
