//! The question of a lab, and the run that answers it: that which a command without flags stands for.

use crate::device::ByDevice;
use crate::result::Report;

/// The question of a lab, what it runs to know the answer, and what its screen shows. The reason of each gain is the rung's own
/// [`idea`](crate::ladder::Variant::idea).
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// In one sentence.
    pub asks: &'static str,
    /// The runs, one after the other: a size where each idea pays, all in some ten seconds on the simulator.
    pub runs: &'static [Run],
    /// The rung that no other can pass: it bounds them and has no gain of its own.
    pub ceiling: Option<&'static str>,
    /// Key of the rate that the bars show, more of which is better; `None`: the time, less of which is better.
    pub rate: Option<&'static str>,
    /// Keys of the columns beside the bars.
    pub columns: &'static [&'static str],
    /// Bars of something else that the question is about; `None` where a run has not both sides of it.
    pub beside: fn(&Report) -> Option<Bars>,
    /// The lesson of the bars, in one or two sentences with this run's figures.
    pub learnt: fn(&Report, &Bars) -> String,
}

/// A part of the answer: rungs, and the flags that they run with.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Those that carry the lesson. One that this workspace lacks is left out.
    pub rungs: &'static [&'static str],
    /// All other flags.
    pub flags: ByDevice<&'static [&'static str]>,
}

/// Bars of one quantity, the worst first.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Headings: of the names, and of the quantity with its unit.
    pub headings: [String; 2],
    /// True if more of the quantity is better.
    pub more_is_better: bool,
    /// One a line.
    pub bars: Vec<Bar>,
    /// Headings and values of the columns beside the bars.
    pub columns: Vec<(String, Vec<serde_json::Value>)>,
}

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Name of the rung, or of what else differs.
    pub name: String,
    /// As long as this.
    pub value: f64,
    /// Why it is as long as it is.
    pub reason: String,
    /// Where it stands among the ideas: each is compared with the best before it.
    pub place: usize,
    /// It bounds the others or is their yardstick, so it is nobody's gain.
    pub is_reference: bool,
    /// Its result is right, and nothing was found.
    pub is_right: bool,
}

impl Bars {
    /// The bars that are gained by an idea, the worst first.
    pub fn gained(&self) -> impl DoubleEndedIterator<Item = &Bar> {
        self.bars.iter().filter(|bar| !bar.is_reference)
    }

    /// How many times as good a bar is as another.
    pub fn gain(&self, bar: &Bar, other: &Bar) -> f64 {
        if self.more_is_better { bar.value / other.value } else { other.value / bar.value }
    }

    /// The worst and the best of the ideas, and how many times as good the second is.
    pub fn ends(&self) -> Option<(&Bar, &Bar, f64)> {
        let (worst, best) = (self.gained().next()?, self.gained().next_back()?);
        Some((worst, best, self.gain(best, worst)))
    }
}
