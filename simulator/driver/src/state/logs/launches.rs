//! The record of one launch.
use crate::objects::modules::launch::Launch;
use crate::objects::modules::tried::Tried;
use clock::cards::Device;
use clock::streams::span::Span;
use serde::{Serialize, Serializer};
use watch::counters::totals::{Line, Totals};
use watch::diagnostics::RaceFreedom;

/// How a kernel was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LaunchConfiguration {
    /// The card's name.
    pub device: &'static str,
    #[serde(skip)]
    pub compute_capability: (u32, u32),
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    /// Number of the kernel in its module's program.
    #[serde(skip)]
    pub index: usize,
}

impl LaunchConfiguration {
    pub fn new(launch: &Launch, card: &'static Device) -> LaunchConfiguration {
        let Launch { index, grid, block, dynamic_shared_bytes, .. } = *launch;
        let compute_capability = card.architecture.compute_capability;
        LaunchConfiguration { device: card.name, compute_capability, grid, block, dynamic_shared_bytes, index }
    }
}

/// One finished launch.
#[derive(Debug, Serialize)]
pub struct LaunchRecord {
    pub kernel: String,
    #[serde(flatten)]
    pub shape: LaunchConfiguration,
    pub stream: u64,
    #[serde(flatten)]
    pub span: Span,
    pub bound_by: &'static str,
    /// Where only some of its blocks were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    /// Why all of them were, where a part was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_sampled: Option<String>,
    /// Its race freedom for all data; known under the sanitizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race_freedom: Option<RaceFreedom>,
    #[serde(serialize_with = "or_empty")]
    pub counters: Option<Totals>,
    /// The gains of taking causes of its time away, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<Vec<Tried>>,
    pub lines: Vec<Line>,
}

/// Which blocks of a launch were run for all of them, as far as whoever checks its result has to know.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sampled {
    /// Blocks that were run, of so many.
    pub blocks: u64,
    pub of: u64,
    pub written: Vec<WrittenPart>,
    /// Where they add to memory that they share: the first of some that follow each other, and how many these are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<[u64; 2]>,
}

/// The bytes that the blocks have written in one allocation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WrittenPart {
    /// The allocation's address.
    pub address: u64,
    pub bytes: u64,
    /// The part of it that all blocks of the grid would have written.
    pub estimated_bytes: f64,
    /// First byte, counted from the allocation's, and how many.
    pub ranges: Vec<[u64; 2]>,
}

/// Counters that were off are an empty object.
pub fn or_empty<S: Serializer>(counters: &Option<Totals>, to: S) -> Result<S::Ok, S::Error> {
    match counters {
        Some(counters) => counters.serialize(to),
        None => to.collect_map(std::iter::empty::<(&str, u64)>()),
    }
}

impl LaunchRecord {
    fn line_bytes(line: &Line) -> usize {
        size_of::<Line>() + line.file.len() + size_of_val(line.accesses.as_slice())
    }

    /// Bytes that it takes, nearly.
    pub fn bytes(&self) -> usize {
        let lines: usize = self.lines.iter().map(Self::line_bytes).sum();
        let classes = self.counters.as_ref().map_or(0, |counters| counters.instructions_by_class.len());
        let ranges: usize =
            self.sampled.iter().flat_map(|sampled| &sampled.written).map(|part| part.ranges.len()).sum();
        size_of::<LaunchRecord>() + self.kernel.len() + lines + 64 * classes + 16 * ranges
    }
}
