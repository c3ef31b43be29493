//! The direction vectors of Sobol's sequences, from the initial numbers of Joe and Kuo (`tables/`, with their licence).
use std::sync::OnceLock;

/// Dimensions that cuRAND has.
pub const DIMENSIONS: usize = 20000;

/// A reader of numbers of some bits.
struct Bits(&'static [u8], usize);

impl Bits {
    fn next(&mut self, width: usize) -> u64 {
        let Bits(bytes, at) = self;
        let number = (0..width).map(|bit| u64::from(bytes[(*at + bit) / 8] >> ((*at + bit) % 8) & 1) << bit).sum();
        *at += width;
        number
    }
}

/// 64 vectors for each dimension. Those of 32 bits are the upper halves of the first 32.
fn all() -> Vec<u64> {
    const WIDTH: usize = 64;
    let mut bits = Bits(include_bytes!("../../tables/directions.bits"), 0);
    let mut vectors: Vec<u64> = (0..WIDTH).map(|k| 1 << (WIDTH - 1 - k)).collect();
    let mut polynomial = 1;
    for _ in 1..DIMENSIONS {
        polynomial += 2 * bits.next(8);
        let degree = polynomial.ilog2() as usize;
        let mut own = [0u64; WIDTH];
        for (k, vector) in own.iter_mut().enumerate().take(degree) {
            *vector = (bits.next(k) << 1 | 1) << (WIDTH - 1 - k);
        }
        // The recurrence of the polynomial's coefficients, on numbers that are kept at the upper end of their words.
        for k in degree..WIDTH {
            let inner = (1..degree).filter(|i| polynomial >> (degree - i) & 1 == 1);
            let last = own[k - degree];
            own[k] = inner.fold(last ^ last >> degree, |sum, i| sum ^ own[k - i]);
        }
        vectors.extend(own);
    }
    vectors
}

/// The vectors of all dimensions in words of 64 bits, one dimension after the other.
pub fn wide() -> &'static [u64] {
    static ALL: OnceLock<Vec<u64>> = OnceLock::new();
    ALL.get_or_init(all)
}

/// The same in words of 32 bits.
pub fn narrow() -> &'static [u32] {
    static ALL: OnceLock<Vec<u32>> = OnceLock::new();
    ALL.get_or_init(|| wide().chunks(64).flat_map(|own| own[..32].iter().map(|vector| (vector >> 32) as u32)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any 2ᵏ points that follow a multiple of 2ᵏ have one point in each interval of 2⁻ᵏ, where the vectors' upper bits are independent.
    #[test]
    fn vectors_of_every_dimension_are_triangular() {
        for own in wide().chunks(64) {
            assert!(own.iter().enumerate().all(|(k, vector)| vector.trailing_zeros() == 63 - k as u32));
        }
        assert_eq!(narrow().len(), 32 * DIMENSIONS);
    }
}
