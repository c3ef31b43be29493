//! The queues to L2 and to memory: a multiprocessor's share of their rates.
use crate::constants::UNASKED_CYCLES;

/// What a multiprocessor takes of L2's rate: until when its share of all has work, and its share of what L2 is given to write.
#[derive(Default)]
pub struct L2 {
    pub busy: f64,
    pub written: f64,
}

impl L2 {
    /// When the last of what comes at a time is through: so many cycles of all, and so many of what is written, which loads do not wait for.
    pub fn take(&mut self, at: f64, cycles: f64, written: f64) -> f64 {
        self.busy = f64::max(self.busy, at) + cycles;
        if written == 0.0 {
            return self.busy;
        }
        self.written = f64::max(self.written, at) + written;
        self.end()
    }

    /// Until when either has work.
    pub fn end(&self) -> f64 {
        f64::max(self.busy, self.written)
    }
}

/// What a multiprocessor takes of memory's rate. Others ask for theirs at other times: who has asked for less than a share of late has more at once.
#[derive(Default)]
pub struct Memory {
    /// Until when its share has work, and what one multiprocessor can take at the most.
    pub share: f64,
    most: f64,
    begun: bool,
}

impl Memory {
    /// When the last of what is asked for at a time comes: so many cycles of its share, or of the most that it can take.
    pub fn take(&mut self, at: f64, of_share: f64, of_most: f64) -> f64 {
        // At the beginning all ask at once.
        let unasked = if std::mem::replace(&mut self.begun, true) { UNASKED_CYCLES } else { 0.0 };
        self.share = f64::max(self.share, at - unasked) + of_share;
        self.most = f64::max(self.most, at) + of_most;
        f64::max(self.share, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::L2_TURNS_PER_WRITTEN;

    /// When the last comes of so many requests, one every so many cycles, each of 100 cycles of a share and 10 of what can be had at the most.
    fn last_of(requests: u32, every: f64) -> f64 {
        let mut memory = Memory::default();
        (0..requests).map(|request| memory.take(f64::from(request) * every, 100.0, 10.0)).last().unwrap()
    }

    #[test]
    fn what_is_written_takes_longer_and_what_is_read_does_not_wait_for_it() {
        let turns = L2_TURNS_PER_WRITTEN;
        let (mut reads, mut fills, mut copies) = (L2::default(), L2::default(), L2::default());
        let read = (0..100).map(|_| reads.take(0.0, 4.0, 0.0)).last().unwrap();
        let filled = (0..100).map(|_| fills.take(0.0, 4.0, 4.0 * turns)).last().unwrap();
        let copied =
            (0..100).map(|_| copies.take(0.0, 4.0, 0.0).max(copies.take(0.0, 4.0, 4.0 * turns))).last().unwrap();
        assert_eq!((read, filled, copied), (400.0, 800.0, 800.0));
        assert_eq!(fills.take(0.0, 4.0, 0.0), 404.0, "a load behind the stores");
    }

    #[test]
    fn what_was_not_asked_for_is_had_at_once_and_no_more_than_a_share_in_the_long_run() {
        assert_eq!(last_of(1, 0.0), 100.0, "at the beginning all ask");
        assert_eq!(last_of(4, 1000.0), 3010.0);
        assert_eq!(last_of(40, 10.0), 4000.0);
    }
}
