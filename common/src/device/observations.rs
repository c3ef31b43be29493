//! Facts that a device tells of itself and of what it ran: data alone, which the driver's room fills and reports render.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The device as reports name it.
#[derive(Default, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// The driver's name of the card.
    pub name: String,
    /// Times are simulated, not measured.
    pub simulated: bool,
    /// The simulator's profile; `None` on a GPU.
    pub profile: Option<String>,
    /// How far this card's simulated kernel times were from measured ones, in the median; `None` on a GPU, and where nobody compared them.
    pub time_error_percent: Option<u32>,
    /// Say "8.9".
    pub compute_capability: String,
}

impl DeviceFacts {
    /// How near simulated times are, as the first line of a run has it; `docs/simulator/time.md` says of which kernels.
    pub fn nearness(&self) -> String {
        self.time_error_percent.map_or("times unchecked".to_owned(), |percent| format!("times ±{percent} %"))
    }
}

impl fmt::Display for DeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceFacts { name, profile, compute_capability, .. } = self;
        match profile {
            Some(profile) => write!(
                f,
                "simulated: {name}, compute capability {compute_capability} (sim:{profile}), {}",
                self.nearness()
            ),
            None => write!(f, "measured: {name}, compute capability {compute_capability}"),
        }
    }
}

/// Observations that the device made since it was last asked.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// One per kernel launch, with counters; empty on a GPU.
    pub launches: Vec<Launch>,
    /// From the sanitizer; empty on a GPU.
    pub findings: Vec<Finding>,
}

/// Text that kernels printed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Printed {
    /// The first lines.
    pub lines: Vec<String>,
    /// All lines.
    pub count: u64,
    /// A note of the sanitizer on something that is no fault.
    #[serde(default)]
    pub note: Option<String>,
}

/// One kernel launch as the simulator saw it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Launch {
    /// The kernel's symbol.
    pub kernel: String,
    /// Blocks in x, y, z.
    #[serde(default)]
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    #[serde(default)]
    pub block: [u32; 3],
    /// Virtual time of the start in nanoseconds.
    #[serde(default)]
    pub start_ns: f64,
    /// Virtual time of the end in nanoseconds.
    #[serde(default)]
    pub end_ns: f64,
    /// Which term of the time model bounds this launch.
    #[serde(default)]
    pub bound_by: Option<String>,
    /// Where some of its blocks were run for all.
    #[serde(default)]
    pub sampled: Option<Sampled>,
    /// Why all of them were, although a part was asked for.
    #[serde(default)]
    pub not_sampled: Option<String>,
    /// Its race freedom for all data: under the sanitizer.
    #[serde(default)]
    pub race_freedom: Option<RaceFreedom>,
    /// Counters by name; one that was not collected is absent.
    #[serde(default, deserialize_with = "or_empty")]
    pub counters: Map<String, Value>,
    /// The gains of taking causes of its time away, the best first, where that was tried.
    #[serde(default)]
    pub trials: Option<Vec<Map<String, Value>>>,
    /// Counters by source line: `file`, `line` and the counters of that line.
    #[serde(default, deserialize_with = "or_empty")]
    pub lines: Vec<Map<String, Value>>,
}

/// How far the launch is that the simulator runs now.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Standing {
    /// Blocks to run.
    pub blocks: u64,
    /// Those that have ended.
    pub ended: u64,
    /// Since its begin, on the host's clock.
    pub seconds: f64,
}

/// Which blocks of a launch were run for all of them, and what they have written.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Sampled {
    /// Blocks that were run.
    pub blocks: u64,
    /// Blocks of the grid.
    pub of: u64,
    /// By allocation.
    pub written: Vec<WrittenPart>,
    /// Where they only add to memory that they share: the first of some that follow each other, and how many these are.
    #[serde(default)]
    pub ran: Vec<[u64; 2]>,
}

/// The race freedom of a launch for all data, at its grid and with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceFreedom {
    /// `proved`: no data can; `refuted`: it has; `not decided`.
    pub verdict: String,
    /// The reason why it is not decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RaceFreedom {
    /// The verdict on all of several launches: the worst of each.
    pub fn of_all(launches: impl IntoIterator<Item = RaceFreedom>) -> Option<RaceFreedom> {
        let badness = |of: &RaceFreedom| ["proved", "not decided", "refuted"].iter().position(|it| *it == of.verdict);
        launches.into_iter().reduce(|known, next| if badness(&next) > badness(&known) { next } else { known })
    }
}

/// The part of one allocation that the blocks of a sampled launch have written.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct WrittenPart {
    /// Bytes of the allocation.
    pub bytes: u64,
    /// Bytes of it that all blocks of the grid would have written.
    pub estimated_bytes: f64,
    /// First byte, counted from the allocation's, and how many.
    pub ranges: Vec<[u64; 2]>,
}

/// One finding of the simulator's sanitizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The key of one of the four families: see [`crate::error::Family::key`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub family: String,
    /// Say "shared race".
    pub kind: String,
    /// The kernel's symbol.
    #[serde(default)]
    pub kernel: Option<String>,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The source line.
    #[serde(default)]
    pub line: Option<u32>,
    /// The whole text, ready to print.
    pub message: String,
}

/// One thing that took time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// `kernel`, `memcpy HtoD`, `memcpy DtoH`, `memcpy DtoD`, `memset` or `api`.
    pub kind: String,
    /// The kernel's symbol or the API function.
    #[serde(default)]
    pub name: String,
    /// Which stream, 0 for the default stream.
    #[serde(default)]
    pub stream: u64,
    /// Start on the device's clock, in nanoseconds.
    pub start_ns: f64,
    /// End on the device's clock, in nanoseconds.
    pub end_ns: f64,
    /// Bytes moved, 0 for what moves none.
    #[serde(default)]
    pub bytes: u64,
}

/// A launch whose counters were off has `null` in their place.
fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(value: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(value)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_line_says_whether_times_are_real() {
        let mut facts = DeviceFacts {
            name: "NVIDIA H200".into(),
            simulated: false,
            profile: None,
            time_error_percent: None,
            compute_capability: "9.0".into(),
        };
        assert!(facts.to_string().starts_with("measured: NVIDIA H200"));
        facts.simulated = true;
        facts.profile = Some("h200".into());
        assert!(facts.to_string().starts_with("simulated: NVIDIA H200"));
        assert!(facts.to_string().ends_with("times unchecked"), "{facts}");
        facts.time_error_percent = Some(10);
        assert!(facts.to_string().ends_with("times ±10 %"), "{facts}");
    }
}
