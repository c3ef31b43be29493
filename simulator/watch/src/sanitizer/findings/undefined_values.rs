//! The undefined values of a launch: where each was read, where it was stored, and what is still to be told of it.
use super::finding::{Finding, Source};
use machine::probe::{Origin, Place, UndefinedByte};
use rustc_hash::FxHashMap;

/// The undefined values that a launch has met.
#[derive(Default)]
pub struct UndefinedValues {
    /// Where they were read, by the number that the executor is given; and the numbers by site, and by what an earlier
    /// launch stored.
    pub(crate) sources: Vec<Source>,
    pub(crate) by_site: FxHashMap<(u32, u32), u32>,
    pub(crate) by_earlier: FxHashMap<u32, u32>,
    /// The bytes that the last load has read, for the executor.
    pub(crate) read: Vec<UndefinedByte>,
    /// The bytes that the last asynchronous copy has read.
    pub(crate) copied: Vec<CopiedByte>,
    /// Values that were stored to global memory: by source and site the number that outlives the launch, and back to the source.
    pub(crate) stored: FxHashMap<(u32, u32, u32), u32>,
    pub(crate) stored_sources: FxHashMap<u32, u32>,
    /// Findings that count if the host reads the value, by that number; and the sources that another finding has told of.
    pub(crate) pending: Vec<(u32, u32, Finding)>,
    pub(crate) told: Vec<bool>,
}

/// An undefined byte of what lanes copy.
#[derive(Clone, Copy)]
pub struct CopiedByte {
    pub lanes: u32,
    /// From the lane's first byte.
    pub offset: u64,
    pub mask: u8,
    pub origin: Origin,
}

impl UndefinedValues {
    fn add(&mut self, source: Source) -> u32 {
        self.sources.push(source);
        self.told.push(false);
        self.sources.len() as u32 - 1
    }

    /// The number of what a site reads.
    pub(crate) fn of_site(&mut self, key: (u32, u32), source: impl FnOnce() -> Source) -> u32 {
        if let Some(&known) = self.by_site.get(&key) {
            return known;
        }
        let number = self.add(source());
        self.by_site.insert(key, number);
        number
    }

    /// The source of what lies in global memory under a number.
    pub(crate) fn of_stored(&mut self, stored: u32, at: &Place) -> u32 {
        if let Some(&known) = self.stored_sources.get(&stored).or(self.by_earlier.get(&stored)) {
            return known;
        }
        let number = self.add(Source::Earlier { stored, at: at.clone() });
        self.by_earlier.insert(stored, number);
        number
    }

    pub(crate) fn of(&self, origin: Option<u32>) -> Source {
        origin.and_then(|origin| self.sources.get(origin as usize)).cloned().unwrap_or(Source::Unknown)
    }

    /// The bytes that the last load has read, once.
    pub fn take_read(&mut self) -> Vec<UndefinedByte> {
        std::mem::take(&mut self.read)
    }

    /// The bytes that the last asynchronous copy has read, once.
    pub fn take_copied(&mut self) -> Vec<CopiedByte> {
        std::mem::take(&mut self.copied)
    }

    /// Findings that count if the host reads the value stored under a number, unless more was told of its source already.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &Finding)> {
        let open = |(_, origin, _): &&(u32, u32, Finding)| !self.told.get(*origin as usize).is_some_and(|&told| told);
        self.pending.iter().filter(open).map(|(stored, _, finding)| (*stored, finding))
    }
}
