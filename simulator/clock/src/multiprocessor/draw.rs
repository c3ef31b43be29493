//! Picks a part of what comes, one after the other.

/// Draws a part of all lines, as evenly as can be over any few that follow each other, or every second or third of them: by multiples of the golden
/// ratio (Weyl 1916).
#[derive(Default)]
pub struct Draw(u64);

impl Draw {
    /// Whether the next line is one of this part.
    pub fn next(&mut self, part: f64) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((self.0 >> 40) as f64 / (1u64 << 24) as f64) < part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_lines_that_follow_each_other_and_of_every_second_or_eighth_the_same_part_is_drawn() {
        for part in [0.0, 0.125, 0.4, 1.0] {
            let mut draw = Draw::default();
            let drawn: Vec<bool> = (0..4096).map(|_| draw.next(part)).collect();
            for (first, step) in [(0, 1), (0, 2), (1, 2), (5, 8), (31, 32)] {
                let of_these: Vec<bool> = drawn.iter().skip(first).step_by(step).take(100).copied().collect();
                let count = of_these.iter().filter(|drawn| **drawn).count() as f64;
                assert!(
                    (count - part * 100.0).abs() <= 3.0,
                    "{count} of 100 lines, every {step} from {first} on, for {part}"
                );
            }
        }
    }
}
