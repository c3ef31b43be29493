//! The passages of a worker: the one that is recorded, and those of which warps have yet to tell.
use crate::probe::{Passage, Probe};

/// A warp's part of a passage, of which the probe has yet to hear.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    passage: usize,
    column: usize,
}

#[derive(Default)]
pub(crate) struct Passages {
    recorded: Option<Passage>,
    /// With how many warps have yet to tell of each.
    kept: Vec<(Passage, usize)>,
    /// Those of `kept` of which all have told.
    free: Vec<usize>,
    /// True once a passage was recorded in vain: others of the launch will be like it.
    pub in_vain: bool,
}

impl Passages {
    /// The passage that is recorded now.
    #[inline(always)]
    pub fn recorded(&mut self) -> Option<&mut Passage> {
        self.recorded.as_mut()
    }

    /// Begins to record.
    pub fn record(&mut self, warps: impl Iterator<Item = crate::probe::Who>) {
        let mut passage = self.free.last().map(|&at| std::mem::take(&mut self.kept[at].0)).unwrap_or_default();
        passage.begin(warps);
        self.recorded = Some(passage);
    }

    /// Ends the recording, and tells what can be told at once. Returns each warp's part.
    pub fn end(&mut self, probe: Option<&mut (dyn Probe + 'static)>) -> impl Iterator<Item = Part> + use<> {
        let passage = self.recorded.take().unwrap_or_default();
        if let Some(probe) = probe {
            probe.passage(&passage);
        }
        self.in_vain |= passage.was_in_vain();
        let warps = passage.warps().len();
        let at = self.free.pop().unwrap_or(self.kept.len());
        match self.kept.get_mut(at) {
            Some(kept) => *kept = (passage, warps),
            None => self.kept.push((passage, warps)),
        }
        (0..warps).map(move |column| Part { passage: at, column })
    }

    /// Tells of a warp's part.
    pub fn tell(&mut self, part: Part, probe: &mut dyn Probe) {
        let (passage, left) = &mut self.kept[part.passage];
        probe.passed(passage, part.column);
        *left -= 1;
        if *left == 0 {
            self.free.push(part.passage);
        }
    }
}
