//! The order of one block's warps as a text, which a search gives and `LABS_SIM_ORDER` takes.
use machine::exec::steps::{MOST_STEPS, Order, Step};
use std::sync::Arc;

/// An order as `LABS_SIM_ORDER` takes it: the kernel, the block, and its warps with how many steps each takes in turn.
pub fn written(kernel: &str, block: u64, steps: &[Step]) -> String {
    let mut turns: Vec<(u8, usize)> = Vec::new();
    // At the end a block may wait for ever.
    let end = steps.iter().rposition(|step| !step.in_vain).map_or(0, |last| last + 1);
    for step in &steps[..end] {
        match turns.last_mut() {
            Some((warp, steps)) if *warp == step.warp => *steps += 1,
            _ => turns.push((step.warp, 1)),
        }
    }
    let turns: Vec<String> = turns.iter().map(|(warp, steps)| format!("{warp}x{steps}")).collect();
    format!("{kernel}/{block}/{}", turns.join("-"))
}

/// An order that was chosen by `LABS_SIM_ORDER`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenOrder {
    pub kernel: String,
    pub block: u64,
    pub choices: Vec<u8>,
}

impl ChosenOrder {
    /// Reads what [`written`] writes; `None`: it is no order.
    pub fn read(word: &str) -> Option<ChosenOrder> {
        let mut parts = word.rsplitn(3, '/');
        let (turns, block, kernel) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.to_owned());
        let mut choices = Vec::new();
        for turn in turns.split('-') {
            let (warp, steps) = turn.split_once('x')?;
            let (warp, steps): (u8, usize) = (warp.parse().ok().filter(|warp| *warp < 32)?, steps.parse().ok()?);
            choices.extend(std::iter::repeat_n(warp, steps.min(MOST_STEPS)));
        }
        Some(ChosenOrder { kernel, block, choices })
    }

    pub fn order(&self) -> Arc<Order> {
        Arc::new(Order::new(self.block, self.choices.clone(), Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_it_is_written() {
        let steps = [0, 0, 3, 0].map(|warp| Step { warp, ..Step::default() }).to_vec();
        let text = written("k/a", 7, &steps);
        assert_eq!(text, "k/a/7/0x2-3x1-0x1");
        assert_eq!(
            ChosenOrder::read(&text),
            Some(ChosenOrder { kernel: "k/a".into(), block: 7, choices: vec![0, 0, 3, 0] })
        );
        for no_order in ["", "k", "k/0", "k/x/0x1", "k/0/0", "k/0/40x1", "k/0/0x1-"] {
            assert_eq!(ChosenOrder::read(no_order), None, "{no_order}");
        }
    }
}
