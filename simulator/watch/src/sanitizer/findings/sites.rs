//! Sites and basic blocks of the program that runs: where they are in the source, and which block is whose.
use machine::probe::Launch;
use machine::program::{Function, Site};
use ptx::isa::Class;
use std::ops::Range;
use std::sync::Arc;

/// The functions of the launch's program. They are shared with it, so that the probe can outlive the launch.
#[derive(Default)]
pub struct Sites {
    functions: Arc<Vec<Function>>,
    /// By function and site, where any site of the program has something: what each access asks for lies side by side.
    facts: Vec<Vec<SiteFacts>>,
    /// Where the arrays of the launch's shared memory lie; dynamic memory, which is one, has no end.
    arrays: Vec<Range<u64>>,
}

/// The facts of a site that its accesses are judged by.
#[derive(Clone, Copy, Default)]
struct SiteFacts {
    /// Where the array of shared memory begins and ends that it must stay in; 0 and 0: not known, or there is no other.
    array: [u32; 2],
    /// True if it loads through the cache for data that nobody writes.
    read_only: bool,
}

impl Sites {
    pub fn new(launch: &Launch) -> Self {
        let functions = launch.program.functions.clone();
        let (symbols, dynamic) = (&launch.function.shared_symbols, u64::from(launch.function.dynamic_shared_start));
        let (fixed, named): (Vec<_>, Vec<_>) = symbols.iter().partition(|symbol| symbol.bytes > 0);
        let mut arrays: Vec<_> =
            fixed.iter().map(|s| s.offset.into()..u64::from(s.offset) + u64::from(s.bytes)).collect();
        // Dynamic memory is there where the launch gives some, also if the kernel does not name it.
        arrays.extend((launch.dynamic_shared_bytes > 0 || !named.is_empty()).then_some(dynamic..u64::MAX));
        let has_neighbours = arrays.len() > 1;
        let facts = |function: &Function| {
            let facts = |site: &Site| SiteFacts {
                array: if has_neighbours { [site.shared_array.start, site.shared_array.end] } else { [0; 2] },
                read_only: function.loads_read_only && site.read_only,
            };
            function.sites.iter().map(facts).collect()
        };
        let any = has_neighbours || functions.iter().any(|function| function.loads_read_only);
        let facts = if any { functions.iter().map(facts).collect() } else { Vec::new() };
        Self { functions, facts, arrays }
    }

    /// True of a load whose address an atomic has too: of the word around a byte or two, which compilers then swap.
    pub fn is_around_atomic(&self, function: u32, site: u32) -> bool {
        self.function(function).is_some_and(|function| {
            let address = |site: &Site| function.reads(site).first();
            let at = address(&function.sites[site as usize]);
            at.is_some() && function.sites.iter().any(|other| other.class == Class::Atomic && address(other) == at)
        })
    }

    #[inline(always)]
    fn facts(&self, function: u32, site: u32) -> Option<&SiteFacts> {
        self.facts.get(function as usize)?.get(site as usize)
    }

    /// The array of shared memory that a site must stay in, where the text tells which one that is and there are others.
    #[inline(always)]
    pub fn array(&self, function: u32, site: u32) -> Option<Range<u64>> {
        let [start, end] = self.facts(function, site)?.array;
        (start < end).then(|| start.into()..end.into())
    }

    /// The array that a place of shared memory is in.
    pub fn array_at(&self, address: u64) -> Option<Range<u64>> {
        self.arrays.iter().find(|array| array.contains(&address)).cloned()
    }

    /// True if a site loads through the cache for data that nobody writes.
    #[inline(always)]
    pub fn is_read_only(&self, function: u32, site: u32) -> bool {
        self.facts(function, site).is_some_and(|facts| facts.read_only)
    }

    /// A function by its number.
    pub fn function(&self, function: u32) -> Option<&Function> {
        self.functions.get(function as usize)
    }

    /// File, line, and line of the call that was inlined, of a site; the same line inlined elsewhere is another place.
    pub fn line(&self, function: u32, site: u32) -> Option<(u32, u32, u32)> {
        let at = self.function(function)?.sites.get(site as usize)?.at;
        Some((at.file, at.line, at.inlined_at))
    }

    /// As [`line`](Self::line); where no line is known, what no other site has.
    pub fn spot(&self, function: u32, site: u32) -> (u32, u32, u32) {
        self.line(function, site).filter(|line| line.1 != 0).unwrap_or((u32::MAX, function, site))
    }

    /// True if lanes that meet at a site know what the others have done.
    pub fn orders_lanes(&self, function: u32, site: u32) -> bool {
        let site = self.function(function).and_then(|function| function.sites.get(site as usize));
        site.is_none_or(|site| site.opcode.work.orders_lanes())
    }

    /// The sites of the basic block that a site is in.
    pub fn block_of(&self, function: u32, site: u32) -> Range<u32> {
        let Some(function) = self.function(function) else { return 0..0 };
        let index = function.blocks.partition_point(|block| block.sites.end <= site);
        function.blocks.get(index).map_or(0..0, |block| block.sites.clone())
    }

    /// The site of a basic block that shows best that it lies after the site `meeting`: the first with a later line of
    /// the same file, else the one with the latest line. Compilers move code up, away from where it was written.
    pub fn reported_site(&self, function: u32, block: u32, meeting: u32) -> Option<u32> {
        let (file, line, _) = self.line(function, meeting)?;
        let sites = self.function(function)?.blocks.get(block as usize)?.sites.clone();
        let line_of = |site: u32| self.line(function, site).filter(|at| at.0 == file).map_or(0, |at| at.1);
        sites.clone().find(|&site| line_of(site) > line).or_else(|| sites.max_by_key(|&site| line_of(site)))
    }
}
