//! The findings of a launch: each fault once, the likeliest cause first.
use super::finding::{Between, Finding, Kind, Misuse, Source};
use super::sites::Sites;
use machine::probe::Place;
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::mem::{Discriminant, discriminant};

/// Findings, once for each kind and pair of lines.
#[derive(Default)]
pub struct Found {
    findings: Vec<Finding>,
    index: FxHashMap<Key, usize>,
}

/// Kind, and the lines of both parties (of the sites, where there are no lines), the smaller one first: a race that is
/// met from both sides is one race.
type Key = (Discriminant<Kind>, Option<Discriminant<Misuse>>, Line, Line);
type Line = (u32, u32, u32);

/// Findings of one launch beyond this number are dropped: the first ones tell the story.
const MOST_FINDINGS: usize = 64;

impl Found {
    /// Adds a finding, or counts it with those of its kind on the same lines.
    pub fn add(&mut self, sites: &Sites, kind: impl Into<Kind>) {
        let kind = kind.into();
        let line = |at: &Place| sites.spot(at.function, at.site);
        let at = line(kind.at());
        let other = kind.other().map_or(at, line);
        let misuse = if let Kind::Misuse(misuse) = &kind { Some(discriminant(misuse)) } else { None };
        let key = (discriminant(&kind), misuse, at.min(other), at.max(other));
        if let Some(&index) = self.index.get(&key) {
            let known = &mut self.findings[index];
            known.count += 1;
            // The widest tells most: what orders warps orders the lanes of a warp too.
            if let (Kind::Race { between: known, .. }, Kind::Race { between, .. }) = (&known.kind, &kind)
                && between > known
            {
                self.findings[index].kind = kind;
                self.mark_other_blocks(sites);
            }
        } else if self.findings.len() < MOST_FINDINGS {
            self.index.insert(key, self.findings.len());
            let is_race = matches!(kind, Kind::Race { .. });
            self.findings.push(Finding { kind, count: 1 });
            if is_race {
                self.mark_other_blocks(sites);
            }
        }
    }

    /// Adds what another has found.
    pub fn join(&mut self, sites: &Sites, other: Found) {
        other.findings.into_iter().for_each(|finding| self.add(sites, finding.kind));
    }

    /// All that say something, a barrier that not all threads reach first: it makes races after it. Else in the order in
    /// which they happened.
    pub fn likeliest_first(&self, sites: &Sites) -> impl Iterator<Item = &Finding> {
        let mut findings: Vec<&Finding> =
            self.findings.iter().filter(|finding| self.says_something(sites, finding)).collect();
        findings.sort_by_key(|finding| !matches!(&finding.kind, Kind::Misuse(misuse) if misuse.is_of_a_barrier()));
        findings.into_iter()
    }

    /// Tells races inside a block of global memory that blocks race on the same lines.
    fn mark_other_blocks(&mut self, sites: &Sites) {
        let line = |at: &Place| sites.spot(at.function, at.site);
        let between_blocks = |kind: &Kind| matches!(kind, Kind::Race { between: Between::Blocks, .. });
        let parties = |kind: &Kind| [Some(line(kind.at())), kind.other().map(line)];
        let lines: Vec<_> = self
            .findings
            .iter()
            .map(|finding| &finding.kind)
            .filter(|kind| between_blocks(kind))
            .flat_map(parties)
            .flatten()
            .collect();
        for finding in &mut self.findings {
            let shared = parties(&finding.kind).into_iter().flatten().any(|line| lines.contains(&line));
            if let Kind::Race { space: Space::Global, other_blocks, .. } = &mut finding.kind {
                *other_blocks |= shared;
            }
        }
    }

    /// True if no other finding says the same better: an access outside of its array is the cause of what it meets there, memory that is read before it is written is
    /// what a race on that line means, and lanes that race where warps race too lack the same barrier.
    pub fn says_something(&self, sites: &Sites, finding: &Finding) -> bool {
        let line = |at: &Place| sites.spot(at.function, at.site);
        let races_at = |at: &Place, least: Between| {
            let races = self
                .findings
                .iter()
                .filter(|other| matches!(other.kind, Kind::Race { between, .. } if between >= least));
            let mut parties = races.flat_map(|race| [Some(race.kind.at()), race.kind.other()]).flatten();
            parties.any(|party| line(party) == line(at))
        };
        // An access that leaves its array meets others where it has no business.
        let leaves = |at: &Place| {
            let mut known = self.findings.iter().filter(|other| matches!(other.kind, Kind::BeyondArray { .. }));
            known.any(|other| line(other.kind.at()) == line(at))
        };
        let is_beyond = matches!(finding.kind, Kind::BeyondArray { .. });
        if !is_beyond && (leaves(finding.kind.at()) || finding.kind.other().is_some_and(leaves)) {
            return false;
        }
        match &finding.kind {
            Kind::Uninitialised { at, .. } | Kind::Undefined { from: Source::Read { at, .. }, .. } => {
                !races_at(at, Between::Lanes)
            }
            Kind::Race { between: Between::Lanes, first, second, .. } => {
                !races_at(&first.at, Between::Warps) && !races_at(&second.at, Between::Warps)
            }
            _ => true,
        }
    }
}
