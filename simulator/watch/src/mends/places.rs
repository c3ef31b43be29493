//! The places of a kernel's text at which a mend is put in: where all threads of the block pass, as far as the branches around tell.
use super::mend::{Edit, Put, Way};
use machine::program::{BasicBlock, BlockId, End, Function, Site};
use ptx::isa::Class;
use std::collections::BTreeMap;

/// A kernel as the compiler wrote it, and the machine's view of it.
pub struct Kernel<'k> {
    function: &'k Function,
    lines: Vec<&'k str>,
}

/// A barrier as PTX writes it: where all come together, and where some come by another way.
pub struct Barrier {
    together: &'static str,
    apart: &'static str,
}

/// `__syncthreads()` and `__syncwarp()`.
pub const OF_BLOCK: Barrier = Barrier { together: " bar.sync 0; ", apart: " barrier.sync 0; " };
pub const OF_WARP: Barrier = Barrier { together: " bar.warp.sync 0xffffffff; ", apart: " bar.warp.sync 0xffffffff; " };
/// `__threadfence()`
const FENCE: &str = " membar.gl; ";

/// Branches around a place that are looked at.
const MOST_BRANCHES: usize = 3;
/// Lines above a store among which the load and the sum of its value are looked for.
const NEAR_LINES: usize = 64;

/// The blocks between a branch and the block where its ways meet.
struct Region {
    branch: usize,
    meet: usize,
    blocks: Vec<bool>,
}

impl Region {
    fn is_loop(&self) -> bool {
        self.blocks[self.branch]
    }
}

impl<'k> Kernel<'k> {
    pub fn new(function: &'k Function, text: &'k str) -> Kernel<'k> {
        Kernel { function, lines: text.lines().collect() }
    }

    fn site(&self, site: u32) -> &Site {
        &self.function.sites[site as usize]
    }

    fn line(&self, site: u32) -> Option<&'k str> {
        self.lines.get((self.site(site).at.ptx_line as usize).checked_sub(1)?).copied()
    }

    /// The instruction on a site's line, where it is the only one.
    fn written(&self, site: u32) -> Option<&'k str> {
        let line = self.line(site)?.split("//").next()?.trim();
        line.strip_suffix(';').filter(|line| !line.contains(';'))
    }

    fn put(&self, site: u32, put: Put) -> Option<Edit> {
        self.written(site).map(|_| Edit { line: self.site(site).at.ptx_line, put })
    }

    fn beside(&self, site: u32, is_after: bool, text: &str) -> Option<Edit> {
        self.put(site, if is_after { Put::After(text.to_owned()) } else { Put::Before(text.to_owned()) })
    }

    fn block_of(&self, site: u32) -> Option<usize> {
        self.function.blocks.iter().position(|block| block.sites.contains(&site))
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        0..self.function.sites.len() as u32
    }

    /// A site with those that stand for the same instruction of the source: the compiler may have unrolled a loop.
    fn twins(&self, site: u32) -> Vec<u32> {
        let here = self.site(site);
        let place = |site: &Site| (site.at.file, site.at.line, site.at.column, site.at.inlined_at, site.at.called_at);
        let is_twin = |other: &Site| here.at.line != 0 && place(other) == place(here) && other.row == here.row;
        self.all().filter(|&at| at == site || is_twin(self.site(at))).collect()
    }

    /// The blocks that are reached from some without passing one.
    fn reached(&self, mut todo: Vec<BlockId>, meet: usize) -> Vec<bool> {
        let mut seen = vec![false; self.function.blocks.len()];
        while let Some(BlockId(next)) = todo.pop() {
            if next as usize != meet && !std::mem::replace(&mut seen[next as usize], true) {
                todo.extend(self.function.blocks[next as usize].end.successors());
            }
        }
        seen
    }

    /// The regions around a block, the innermost first: as far as no way leads in them from or to the `outside`, or all that are no loops.
    fn around(&self, block: usize, outside: Option<&[u32]>) -> Vec<Region> {
        let region = |(branch, from): (usize, &BasicBlock)| {
            let meet = from.rejoin.filter(|_| matches!(from.end, End::Branch { .. }))?.0 as usize;
            let blocks = self.reached(from.end.successors(), meet);
            blocks[block].then_some(Region { branch, meet, blocks })
        };
        let mut regions: Vec<Region> = self.function.blocks.iter().enumerate().filter_map(region).collect();
        regions.sort_by_key(|region| region.blocks.iter().filter(|&&inside| inside).count());
        let Some(outside) = outside else {
            regions.retain(|region| !region.is_loop());
            return regions;
        };
        let others: Vec<usize> = outside.iter().filter_map(|&at| self.block_of(at)).collect();
        // One in the other arm of a branch, to which the compiler has moved it, is not on the way.
        let leads = |from: usize, to: usize, meet| {
            from == to || self.reached(self.function.blocks[from].end.successors(), meet)[to]
        };
        let has_other = |region: &Region| {
            let on_way = |&at: &usize| leads(block, at, region.meet) || leads(at, block, region.meet);
            others.iter().any(|at| region.blocks[*at] && on_way(at))
        };
        regions.into_iter().take_while(|region| !has_other(region)).take(MOST_BRANCHES).collect()
    }

    /// The way to have all threads meet before sites, or after them. Those whom a branch leads past a site meet the others on their own way, as if
    /// the barrier stood outside of the branch; and it stands after the loops around a site in which none of the `outside` is.
    fn meet(&self, sites: &[(u32, bool)], outside: Option<&[u32]>, barrier: &Barrier) -> Option<Way> {
        let (mut way, mut passed) = (Vec::new(), BTreeMap::<(usize, bool), usize>::new());
        for &(mut site, mut is_after) in sites {
            let mut regions = self.around(self.block_of(site)?, outside);
            if let Some(last) = regions.iter().rposition(Region::is_loop) {
                site = Some(self.function.blocks[regions[last].meet].sites.start).filter(|_| is_after)?;
                is_after = false;
                regions.drain(..=last);
            }
            way.push(self.beside(site, is_after, if regions.is_empty() { barrier.together } else { barrier.apart })?);
            for region in regions {
                let End::Branch { taken, .. } = self.function.blocks[region.branch].end else { return None };
                let is_taken = self.reached(vec![taken], region.meet)[self.block_of(site)?];
                *passed.entry((region.branch, is_taken)).or_default() += 1;
            }
        }
        for ((branch, is_taken), times) in passed {
            way.extend(self.past(branch, is_taken, &barrier.apart.repeat(times))?);
        }
        Some(way)
    }

    /// Has threads that do not take a branch, or those that do, do something on their way.
    fn past(&self, branch: usize, is_taken: bool, text: &str) -> Option<Way> {
        let site = self.function.blocks[branch].site;
        if is_taken {
            return Some(vec![self.beside(site, true, text)?]);
        }
        let (guard, label) = self.written(site)?.split_once("bra")?;
        let label = label.trim_start_matches(".uni").trim();
        let at = self.lines.iter().position(|line| line.trim() == format!("{label}:"))?;
        let own = format!("$mend_{branch}");
        let way = Put::Before(format!("bra.uni {label}; {own}:{text}"));
        Some(vec![self.put(site, Put::Instead(format!("{guard}bra {own};")))?, Edit { line: at as u32 + 1, put: way }])
    }

    /// True if a thread comes from one site to another, or to one that stands for it.
    pub fn comes_to(&self, from: u32, to: u32) -> bool {
        let Some(start) = self.block_of(from) else { return false };
        let next = self.reached(self.function.blocks[start].end.successors(), usize::MAX);
        let comes = |&to: &u32| self.block_of(to).is_some_and(|block| next[block] || block == start && from < to);
        self.twins(to).iter().any(comes)
    }

    /// The way to put a barrier before or after the line of a site, outside of the loops and branches around it in which the other is not.
    pub fn beside_line(&self, site: u32, other: u32, barrier: &Barrier, is_after: bool) -> Option<Way> {
        let others = self.twins(other);
        let end = |at: u32| {
            let is_like = |&site: &u32| {
                let (here, there) = (self.site(at).at, self.site(site).at);
                self.site(site).class == Class::Memory && (here.file, here.line) == (there.file, there.line)
            };
            let is_between = |&other: &u32, site: u32| (at.min(site)..at.max(site)).contains(&other);
            let alike = self.function.blocks[self.block_of(at)?].sites.clone().filter(is_like);
            let mut alike = alike.filter(|&site| !others.iter().any(|other| is_between(other, site)));
            Some(if is_after { alike.next_back() } else { alike.next() }.unwrap_or(at))
        };
        let sites: Option<Vec<_>> = self.twins(site).into_iter().map(|at| Some((end(at)?, is_after))).collect();
        let mut sites = sites?;
        sites.dedup();
        self.meet(&sites, Some(&others), barrier)
    }

    /// The way to put a barrier after a store in each turn of its loop, unrolled or not, outside of the branches in it.
    pub fn each_turn(&self, store: u32, barrier: &Barrier) -> Option<Way> {
        let stores: Vec<_> = self.twins(store).into_iter().map(|at| (at, true)).collect();
        self.meet(&stores, None, barrier)
    }

    /// The ways to keep what the lines of stores read apart from these, without a second barrier after them and with one.
    pub fn apart(&self, stores: &[u32], barrier: &Barrier) -> Vec<Way> {
        let mut twins: Vec<u32> = stores.iter().flat_map(|&store| self.twins(store)).collect();
        twins.sort_unstable();
        twins.dedup();
        let before: Vec<_> = twins.iter().map(|&at| (at, false)).collect();
        let both: Vec<_> = twins.iter().flat_map(|&at| [(at, false), (at, true)]).collect();
        [before, both].iter().filter_map(|sites| self.meet(sites, None, barrier)).collect()
    }

    /// The ways to have the lanes of a warp read, meet, write and meet at each volatile store to an array of the block.
    pub fn in_step(&self, store: u32) -> Vec<Way> {
        let (array, row) = (&self.site(store).shared_array, self.site(store).row);
        let is_alike = |&at: &u32| {
            let is_volatile = self.line(at).is_some_and(|line| line.contains(".volatile"));
            is_volatile && &self.site(at).shared_array == array && self.site(at).row == row
        };
        self.apart(&self.all().filter(is_alike).collect::<Vec<_>>(), &OF_WARP)
    }

    /// The way to move each barrier of the block out of the branches around it.
    pub fn moved_out(&self) -> Option<Way> {
        let is_inside = |block: &usize| !self.around(*block, None).is_empty();
        let barriers = self.function.blocks.iter().enumerate();
        let barriers =
            barriers.filter(|(_, block)| matches!(&block.end, End::Barrier(barrier) if barrier.count.is_none()));
        let sites: Vec<_> = barriers.filter(|(at, _)| is_inside(at)).map(|(_, block)| (block.site, true)).collect();
        let gone = sites.iter().map(|&(at, _)| self.put(at, Put::Instead(String::new()))).collect::<Option<Way>>()?;
        Some([gone, self.meet(&sites, None, &OF_BLOCK)?].concat()).filter(|way| !way.is_empty())
    }

    /// The opcode and the operands on a line, counted from 0.
    fn words(&self, at: usize) -> Option<(&'k str, Vec<&'k str>)> {
        let (opcode, operands) = self.lines.get(at)?.trim().strip_suffix(';')?.split_once(char::is_whitespace)?;
        Some((opcode, operands.split(',').map(str::trim).collect()))
    }

    /// The line that loads what is at an address into a value, or into a part of the sum that it is. Nothing else uses the value.
    fn summand(&self, value: &str, address: &str, below: usize) -> Option<usize> {
        let is_end = |c: char| !c.is_alphanumeric() && c != '%' && c != '_';
        let names_it = |at: &u32| self.line(*at).is_some_and(|line| line.split(is_end).any(|word| word == value));
        let above = (below.saturating_sub(NEAR_LINES)..below).rev();
        let mut writers = above.filter_map(|at| Some((at, self.words(at)?))).filter(|(_, (_, all))| all[0] == value);
        let (at, (opcode, operands)) = writers.next().filter(|_| self.all().filter(names_it).count() <= 2)?;
        match *operands.as_slice() {
            [_, from] if opcode.starts_with("ld.") => (from == address).then_some(at),
            [_, one, other] if opcode.starts_with("add.") => {
                self.summand(one, address, at).or_else(|| self.summand(other, address, at))
            }
            _ => None,
        }
    }

    /// The way to do what a store's line does by one atomic addition: the value is a sum of what is there and of something else; none where no
    /// atomic addition has its type. Also returns if both parties are of that line.
    pub fn atomic(&self, store: u32, parties: [u32; 2]) -> Option<(Option<Way>, bool)> {
        let (mut way, mut own) = (Some(Vec::new()), Vec::new());
        for store in self.twins(store) {
            let last = self.site(store).at.ptx_line as usize - 1;
            let (opcode, operands) = self.words(last)?;
            let &[address, value] = operands.as_slice() else { return None };
            let load = self.summand(value, address, last)?;
            own.extend([load + 1, last + 1]);
            let (zero, ty) = match opcode.rsplit('.').next()? {
                "f32" => ("0f00000000", "f32"),
                "f64" => ("0d0000000000000000", "f64"),
                "u64" | "s64" | "b64" => ("0", "u64"),
                "u32" | "s32" | "b32" => ("0", "u32"),
                _ => ("", ""),
            };
            way = way.filter(|_| !ty.is_empty());
            let space = if opcode.contains(".shared") { "shared" } else { "global" };
            let line = |at: usize, text: String| Edit { line: at as u32 + 1, put: Put::Instead(text) };
            way.iter_mut().for_each(|way: &mut Way| {
                way.push(line(load, format!("mov.{ty} {}, {zero};", self.words(load).map_or("", |(_, all)| all[0]))));
                way.push(line(last, format!("red.{space}.add.{ty} {address}, {value};")));
            });
        }
        let is_own = parties.iter().all(|&at| own.contains(&(self.site(at).at.ptx_line as usize)));
        Some((way, is_own))
    }

    /// The way to put a fence of the device after one site, and before another.
    pub fn fences(&self, after: u32, before: Option<u32>) -> Option<Way> {
        let after = self.twins(after).into_iter().map(|at| (at, true));
        let before = before.map(|at| self.twins(at)).unwrap_or_default().into_iter().map(|at| (at, false));
        after.chain(before).map(|(at, is_after)| self.beside(at, is_after, FENCE)).collect()
    }

    /// The way to widen all scopes that end at the block to the device.
    pub fn device_scope(&self) -> Way {
        let narrow = self.all().filter_map(|at| Some((at, self.written(at).filter(|text| text.contains(".cta"))?)));
        let wide = |text: &str| format!("{};", text.replace("membar.cta", "membar.gl").replace(".cta", ".gpu"));
        narrow.filter_map(|(at, text)| self.put(at, Put::Instead(wide(text)))).collect()
    }
}
