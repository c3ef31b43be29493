//! A block's warps in a chosen order of steps: who may run, and who asks in vain.
//!
//! A warp that stands ahead of the step that it has just taken, with the same registers, and has changed nothing, would only take it again: it waits
//! until another warp changes what the step has read. So a loop that polls is one step, and orders are finite. A loop that looks at a clock as well
//! has other registers each time; it waits after some rounds.
use super::steps::Order;
use crate::exec::warps::warp::Warp;

/// The warps of a block between two steps.
#[derive(Default)]
pub(super) struct Steps {
    /// Where and in which state each warp stood ahead of its last step, and how often it came back there and had changed nothing.
    stood: Vec<(Option<[u64; 2]>, u32)>,
    /// Warps that ask in vain, a bit each.
    in_vain: u32,
    /// How often all that could run asked in vain, since somebody did not.
    rounds: u32,
    ran_last: Option<usize>,
}

/// Rounds in vain after which nobody outside of the block is taken to answer.
const MOST_ROUNDS: u32 = 1000;
/// Times that a warp comes back to a step, having changed nothing but registers, before it is taken to ask in vain.
const MOST_RETURNS: u32 = 8;

impl Steps {
    /// None has taken a step yet.
    pub fn start(&mut self, warps: usize) {
        self.stood.clear();
        self.stood.resize(warps, (None, 0));
        (self.in_vain, self.rounds, self.ran_last) = (0, 0, None);
    }

    /// True if all warps wait for each other.
    pub fn wait_for_ever(&self) -> bool {
        self.rounds > MOST_ROUNDS
    }

    /// The warp that takes the next step; `None` where none can run.
    pub fn next(&mut self, order: &Order, runnable: &[bool]) -> Option<usize> {
        let bit = |enabled: u32, (number, &runnable): (usize, &bool)| enabled | u32::from(runnable) << number;
        let enabled = runnable.iter().enumerate().fold(0, bit);
        if enabled != 0 && enabled & !self.in_vain == 0 {
            // All ask in vain: in turns, until somebody outside of the block answers.
            (self.in_vain, self.ran_last) = (0, None);
            self.rounds += 1;
        }
        let able = enabled & !self.in_vain;
        if able == 0 || self.wait_for_ever() {
            return None;
        }
        self.ran_last = Some(order.take(able, self.ran_last));
        self.ran_last
    }

    /// A warp has run: up to its next step or until it waits; `changed`: some memory. Returns whether it was in vain.
    pub fn over(&mut self, order: &Order, warp: &Warp, at_a_step: bool, changed: bool) -> bool {
        let number = warp.index as usize;
        let stands = at_a_step.then(|| warp.state());
        let (before, returns) = self.stood[number];
        let returns = match (stands, before) {
            (Some([place, _]), Some([earlier, _])) if !changed && place == earlier => returns + 1,
            _ => 0,
        };
        let in_vain = returns > MOST_RETURNS || returns > 0 && stands == before;
        self.stood[number] = (stands, returns);
        if !in_vain {
            self.rounds = 0;
        }
        self.in_vain = order.over(number, in_vain, changed, self.in_vain);
        in_vain
    }
}
