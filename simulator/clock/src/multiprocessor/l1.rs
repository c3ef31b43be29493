//! The first-level cache of one multiprocessor: which sectors are there, and from when on.
use crate::constants::{L1_WAYS, LINE_BYTES};

#[derive(Clone, Copy, Default)]
struct Line {
    tag: u64,
    used: u64,
    sectors: u8,
    arrives: f64,
}

/// The cache. Lines of 128 bytes, fetched by sectors of 32.
pub struct L1 {
    sets: usize,
    lines: Vec<Line>,
    clock: u64,
}

impl L1 {
    /// Of so many bytes; 0: nothing is kept.
    pub fn new(bytes: u64) -> L1 {
        let sets = (bytes / LINE_BYTES) as usize / L1_WAYS;
        L1 { sets, lines: vec![Line::default(); sets * L1_WAYS], clock: 0 }
    }

    fn set(&mut self, line: u64) -> &mut [Line] {
        let spread = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let set = spread as usize % self.sets * L1_WAYS;
        &mut self.lines[set..set + L1_WAYS]
    }

    /// The sectors that are not there, and when the others are.
    pub fn load(&mut self, line: u64, sectors: u8) -> (u8, f64) {
        if self.sets == 0 {
            return (sectors, 0.0);
        }
        self.clock += 1;
        let clock = self.clock;
        match self.set(line).iter_mut().find(|way| way.tag == line + 1) {
            Some(way) => {
                way.used = clock;
                (sectors & !way.sectors, if way.sectors & sectors == 0 { 0.0 } else { way.arrives })
            }
            None => (sectors, 0.0),
        }
    }

    /// Sectors that come.
    pub fn fill(&mut self, line: u64, sectors: u8, arrives: f64) {
        if self.sets == 0 {
            return;
        }
        self.clock += 1;
        let clock = self.clock;
        let set = self.set(line);
        if let Some(way) = set.iter_mut().find(|way| way.tag == line + 1) {
            if sectors & !way.sectors != 0 {
                way.arrives = arrives;
            }
            (way.sectors, way.used) = (way.sectors | sectors, clock);
        } else if let Some(way) = set.iter_mut().min_by_key(|way| way.used) {
            *way = Line { tag: line + 1, used: clock, sectors, arrives };
        }
    }

    /// Sectors that are there no more.
    pub fn lose(&mut self, line: u64, sectors: u8) {
        if self.sets > 0
            && let Some(way) = self.set(line).iter_mut().find(|way| way.tag == line + 1)
        {
            way.sectors &= !sectors;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_there_once_it_was_fetched_and_its_neighbours_are_not() {
        let mut l1 = L1::new(1 << 16);
        assert_eq!(l1.load(7, 0b0011).0, 0b0011);
        l1.fill(7, 0b0011, 500.0);
        assert_eq!(l1.load(7, 0b0011), (0, 500.0));
        assert_eq!(l1.load(7, 0b0110).0, 0b0100);
    }

    #[test]
    fn a_sector_that_is_lost_is_fetched_again() {
        let mut l1 = L1::new(1 << 16);
        l1.fill(7, 0b0111, 500.0);
        l1.lose(7, 0b0010);
        l1.lose(8, 0b1111);
        assert_eq!(l1.load(7, 0b0111).0, 0b0010);
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let mut l1 = L1::new(0);
        l1.fill(7, 15, 0.0);
        assert_eq!(l1.load(7, 15).0, 15);
    }

    #[test]
    fn what_does_not_fit_is_gone() {
        let mut l1 = L1::new(1 << 12);
        (0..64).for_each(|line| l1.fill(line, 15, 0.0));
        let there = (0..64).filter(|&line| l1.load(line, 15).0 == 0).count();
        assert!((16..=32).contains(&there), "{there}");
    }
}
