//! Stores to lines that others were just stored to: what waits for L2 takes them along.
use super::draw::Draw;
use crate::constants::{MOST_JOINED, NOT_JOINED, SURELY_JOINED};
use std::collections::VecDeque;

/// Lines that words were stored to of late, of which sectors were not filled.
#[derive(Default)]
pub struct Stored {
    /// With the scheduler that stored there.
    lines: VecDeque<(u64, usize)>,
    /// Whose store it is, and how many schedulers have stores in their queues.
    scheduler: usize,
    contending: usize,
    draw: Draw,
}

impl Stored {
    /// The next stores are a scheduler's, while so many have some in their queues.
    pub fn come_from(&mut self, scheduler: usize, contending: usize) {
        (self.scheduler, self.contending) = (scheduler, contending);
    }

    /// Whether what is stored to a line goes on with what was stored there a short while ago; it is there from now on.
    pub fn joins(&mut self, line: u64) -> bool {
        let known = self.lines.iter().rev().position(|other| other.0 == line);
        let behind = known.map(|behind| {
            let own = self.lines.iter().rev().take(behind).filter(|other| other.1 == self.scheduler).count();
            self.lines.remove(self.lines.len() - 1 - behind);
            behind.max((own + 1) * self.contending.max(1) - 1)
        });
        self.lines.push_back((line, self.scheduler));
        if self.lines.len() > MOST_JOINED {
            self.lines.pop_front();
        }
        behind.is_some_and(|behind| self.draw.next((NOT_JOINED - behind as f64) / (NOT_JOINED - SURELY_JOINED)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many stores to each of some lines, one line after the other and again, the part that joins.
    fn joined(lines: u64, contending: usize) -> f64 {
        let mut stored = Stored { contending, ..Stored::default() };
        let times = 1000;
        let joined = (0..times * lines).filter(|store| stored.joins(store % lines)).count();
        joined as f64 / (times * lines) as f64
    }

    #[test]
    fn the_fewer_lines_come_between_the_more_stores_join() {
        assert!(joined(1, 1) > 0.99 && joined(4, 1) > 0.99);
        assert!((0.4..0.8).contains(&joined(24, 1)), "{}", joined(24, 1));
        assert_eq!(joined(40, 1), 0.0);
    }

    #[test]
    fn stores_of_several_schedulers_take_turns() {
        assert!(joined(4, 4) > 0.99);
        assert!((0.3..0.7).contains(&joined(6, 4)), "{}", joined(6, 4));
        assert_eq!(joined(8, 4), 0.0);
    }
}
