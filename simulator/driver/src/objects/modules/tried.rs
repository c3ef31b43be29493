//! Trials of a launch as they are told: the causes with the names and lines of the source.
use super::known_times::Shape;
use super::loaded::Loaded;
use clock::constants::MOSTLY_IDLE;
use clock::trials::{Candidate, Cause, Room, Trial};
use serde::Serialize;
use std::sync::PoisonError;
use watch::diagnostics::{self, Scene};

/// A launch without one cause of its time, or without two.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    parts: Vec<Of>,
    time_ns: u64,
    without_ns: u64,
}

impl Tried {
    /// True if work that is spread evenly gives so much that nothing else bounds the launch.
    pub fn is_of_idle(&self) -> bool {
        let gain = self.time_ns as f64 / self.without_ns as f64;
        self.parts.iter().any(|part| part.cause == Cause::Idle) && gain >= MOSTLY_IDLE
    }
}

/// A cause, and where it is.
#[derive(Clone, Debug, Serialize)]
struct Of {
    cause: Cause,
    /// The array, where it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<String>,
    /// The file of its lines, and these, ascending; none where it is of the launch.
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
    /// False where what is mostly done against the cause cannot help.
    #[serde(skip_serializing_if = "Clone::clone")]
    is_usual: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<Room>,
}

/// The trials of a launch of a shape that takes so long, the best first: those of one that was alike, or else new ones.
pub fn tried(
    loaded: &Loaded,
    like: (Shape, u64),
    trials: impl FnOnce() -> Vec<Trial>,
    (room, scene): (Room, &Scene),
) -> Vec<Tried> {
    let known = || loaded.tried.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(all) = known().get(&like) {
        return all.clone();
    }
    let all: Vec<Tried> = trials().into_iter().map(|trial| named(trial, like.1, room, scene)).collect();
    known().insert(like, all.clone());
    all
}

/// A trial of a launch that takes so long, by the names of its source.
fn named(trial: Trial, time_ns: u64, room: Room, scene: &Scene) -> Tried {
    let of = |part: &Candidate| {
        let program = scene.launch.program;
        let at = |&(function, site): &(u32, u32)| program.functions[function as usize].sites[site as usize].at;
        let mut lines: Vec<u32> = part.sites.iter().map(at).map(|at| at.line).filter(|&line| line != 0).collect();
        lines.sort_unstable();
        lines.dedup();
        let file = part.sites.first().and_then(|site| program.files.get(at(site).file as usize)).cloned();
        let of_array = !matches!(part.cause, Cause::Barriers | Cause::Divergence | Cause::Issue);
        let first = part.sites.first().filter(|_| of_array);
        let array = first.and_then(|&(function, site)| diagnostics::array_of(scene, function, site));
        let room = matches!(part.cause, Cause::Idle | Cause::FewWarps).then_some(room);
        Of { cause: part.cause, array, file: file.unwrap_or_default(), lines, is_usual: part.is_usual, room }
    };
    Tried { parts: trial.parts.iter().map(of).collect(), time_ns, without_ns: trial.without_ns }
}
