//! Sets of bytes of global memory, a bit for each, page by page.
use rustc_hash::FxHashMap;

const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// A set of bytes.
#[derive(Clone, Debug, Default)]
pub struct Bytes(FxHashMap<u64, Box<[u64; WORDS]>>);

impl Bytes {
    /// Adds a range.
    pub fn add(&mut self, address: u64, bytes: u64) {
        let (mut at, end) = (address, address + bytes);
        while at < end {
            let (page, offset) = (at / PAGE, at % PAGE);
            let stop = end.min((page + 1) * PAGE);
            let words = self.0.entry(page).or_insert_with(|| Box::new([0; WORDS]));
            let last = offset + (stop - at);
            for word in offset / 64..last.div_ceil(64) {
                let (low, high) = (offset.saturating_sub(word * 64), (last - word * 64).min(64));
                words[word as usize] |= (u64::MAX >> (64 - (high - low))) << low;
            }
            at = stop;
        }
    }

    /// Adds another set.
    pub fn join(&mut self, other: Bytes) {
        for (page, words) in other.0 {
            match self.0.get_mut(&page) {
                Some(own) => own.iter_mut().zip(*words).for_each(|(own, word)| *own |= word),
                None => drop(self.0.insert(page, words)),
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.values().flat_map(|words| words.iter()).map(|word| u64::from(word.count_ones())).sum()
    }

    /// True if the other set has all of them.
    pub fn is_in(&self, other: &Bytes) -> bool {
        self.0.iter().all(|(page, words)| match other.0.get(page) {
            Some(other) => words.iter().zip(other.iter()).all(|(word, other)| word & !other == 0),
            None => words.iter().all(|&word| word == 0),
        })
    }

    /// Its ranges, first byte and length, ascending.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let mut pages: Vec<_> = self.0.iter().collect();
        pages.sort_unstable_by_key(|(page, _)| **page);
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (page, words) in pages {
            for (index, &word) in words.iter().enumerate() {
                let (mut rest, first) = (word, page * PAGE + index as u64 * 64);
                while rest != 0 {
                    let low = rest.trailing_zeros();
                    let length = (rest >> low).trailing_ones();
                    let start = first + u64::from(low);
                    match ranges.last_mut() {
                        Some((last, bytes)) if *last + *bytes == start => *bytes += u64::from(length),
                        _ => ranges.push((start, length.into())),
                    }
                    rest &= u64::MAX.checked_shl(low + length).unwrap_or(0);
                }
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_joined() {
        let mut bytes = Bytes::default();
        for (at, length) in [(4090, 10), (4100, 4), (10, 1), (64, 64), (128, 3), (9000, 5000)] {
            bytes.add(at, length);
        }
        assert_eq!(bytes.ranges(), [(10, 1), (64, 67), (4090, 14), (9000, 5000)]);
        assert_eq!(bytes.count(), 1 + 67 + 14 + 5000);
        let mut more = bytes.clone();
        more.add(11, 2);
        assert!(bytes.is_in(&more) && !more.is_in(&bytes));
        more.join(bytes);
        assert_eq!(more.ranges()[0], (10, 3));
    }
}
