//! The words for whether data can make a launch race.
use super::source::lines::snippet;
use super::source::scene::Scene;
use crate::proof::{Verdict, Why};
use machine::probe::Place;
use machine::program::ByData;
use serde::Serialize;

/// The verdict on a launch, and what keeps it from being decided.
#[derive(Clone, Debug, Serialize)]
pub struct RaceFreedom {
    /// `proved`, `refuted` or `not decided`.
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RaceFreedom {
    /// A proof is about one launch: it does not hold where other work overlaps the launch and clashes with it.
    pub fn overlapped(&mut self) {
        if self.verdict == "proved" {
            let reason = "other work uses what a launch of it uses, and nothing orders the two".to_owned();
            *self = RaceFreedom { verdict: "not decided", reason: Some(reason) };
        }
    }
}

/// Words a verdict on a launch of a kernel.
pub fn race_freedom(verdict: Verdict, scene: &Scene) -> RaceFreedom {
    let function = scene.launch.function_id;
    let at = |site: u32| {
        let place = Place { function, site, ..Place::default() };
        match snippet(scene, &place) {
            Some(snippet) if !snippet.lacks_line() => format!("{}:{}", snippet.file, snippet.line),
            Some(snippet) => format!("PTX line {}", snippet.line),
            None => "a place without a line".to_owned(),
        }
    };
    let (verdict, reason) = match verdict {
        Verdict::Proved => ("proved", None),
        Verdict::Refuted => ("refuted", None),
        Verdict::NotDecided(why) => (
            "not decided",
            Some(match why {
                Why::ByData { site, how: ByData::Address } => format!("the address at {} depends on data", at(site)),
                Why::ByData { site, how: ByData::Condition } => {
                    format!("a condition at {} depends on data", at(site))
                }
                Why::ByData { site, how: ByData::Call } => format!("a function is called at {}", at(site)),
                Why::ByData { site, how: ByData::Asynchronous } => {
                    format!("the instruction at {} is asynchronous, or one of a cluster", at(site))
                }
                Why::ByData { site, how: ByData::Texture } => format!("a texture or a surface is used at {}", at(site)),
                Why::Met { site } => {
                    format!("threads meet in memory at {}, with no barrier of all threads between them", at(site))
                }
                Why::Written { site } => format!("the arguments do not tell what is written at {}", at(site)),
                Why::Barrier { site } => format!("not all threads of the block wait at the barrier at {}", at(site)),
                Why::Phase { site } => {
                    format!("in another order of warps the phase of the barrier at {} might be another one", at(site))
                }
                Why::LeftEarly => "threads end before a barrier that others wait at".to_owned(),
                Why::OtherFinding => "the sanitizer has found something else".to_owned(),
                Why::Cluster => "blocks of a cluster share memory".to_owned(),
                Why::TooLarge => "it has more threads, or more barriers, than are numbered".to_owned(),
            }),
        ),
    };
    RaceFreedom { verdict, reason }
}
