//! Findings with the mends that end them: tried on the launch before it is told of them, from the memory that it found.
use crate::interface::printed;
use crate::objects::modules::launch::Launch;
use machine::exec::launch::Request;
use machine::lower::Tier;
use watch::diagnostics::{self, Diagnosis, Scene};
use watch::mends::Trial;
use watch::sanitizer::Sanitizer;
use watch::search::snapshot::Snapshot;

/// Words findings, each with the mend that helps, and keeps the note that goes with what a kernel prints. `before`: the memory that the launch found, where mends may be tried.
pub fn told(
    sanitizer: Option<&Sanitizer>,
    before: Option<&Snapshot>,
    (launch, request): (&Launch, &Request),
    scene: &Scene,
) -> Vec<Diagnosis> {
    let lower = |text: &str| launch.loaded.lowered(text, Tier::Probed).ok();
    let (text, known) = (launch.loaded.text.as_str(), &launch.loaded.mends);
    let mut trial = Trial { request, text, lower: &lower, known, before, after: None, spent: (0, 0) };
    if let Some(note) = sanitizer.and_then(Sanitizer::note) {
        printed::note(|| diagnostics::finding(note, scene).message.to_string());
    }
    let findings = sanitizer.into_iter().flat_map(Sanitizer::findings);
    findings.map(|finding| diagnostics::tried(finding, scene, &mut trial)).collect()
}
