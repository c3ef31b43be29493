//! The launch as the proof hears it.
use super::Why;
use super::order::Order;
use super::word::{Now, Use, WARP, Word};
use machine::probe::{
    Access, AccessKind, Addresses, Arrival, Convergence, Launch, Phase, PhaseAct, Probe, Scope, Strength,
    TextureAccess, Transfer, Who, lanes,
};
use ptx::isa::{self, Class, Operands, Space};
use rustc_hash::FxHashMap;

/// The listener. Once something is undecided it hears no more.
#[derive(Default)]
pub struct Proof {
    threads: u32,
    warps: usize,
    shared_bytes: u32,
    sites: Vec<SiteFacts>,
    /// Bytes of a word, as a power of two: no more than any access has.
    shift: u32,
    global: Pages,
    /// The allocations that it may write to, first and last address; `None`: any. What lies in no other is read only, and not noted.
    written: Option<Vec<[u64; 2]>>,
    blocks: Vec<Block>,
    atomic_bytes: Option<u32>,
    undecided: Option<Why>,
}

#[derive(Clone, Copy, Default)]
struct SiteFacts {
    read_only: bool,
    /// A copy that its thread waits for.
    copies: bool,
    /// `__syncwarp()`, which alone orders the memory of a warp.
    orders_warp: bool,
}

struct Block {
    index: u64,
    order: Order,
    shared: Vec<Word>,
}

/// All words are one lane's.
const ONE_LANE: u32 = u64::BITS - 1;

/// Words of a page, as a power of two.
const PAGE_BITS: u32 = 10;

/// The words of global memory that somebody has touched.
#[derive(Default)]
struct Pages {
    places: FxHashMap<u64, usize>,
    pages: Vec<Box<[Word]>>,
    /// The page that was looked up last.
    recent: Option<(u64, usize)>,
}

impl Pages {
    /// The words from one on, up to the end of its page.
    #[inline(always)]
    fn words(&mut self, number: u64) -> &mut [Word] {
        let page = number >> PAGE_BITS;
        let place = match self.recent {
            Some((known, place)) if known == page => place,
            _ => self.find(page),
        };
        &mut self.pages[place][number as usize & ((1 << PAGE_BITS) - 1)..]
    }

    fn find(&mut self, page: u64) -> usize {
        let pages = &mut self.pages;
        let place = *self.places.entry(page).or_insert_with(|| {
            pages.push(vec![Word::default(); 1 << PAGE_BITS].into());
            pages.len() - 1
        });
        self.recent = Some((page, place));
        place
    }
}

/// The memory that an access touches, and how.
struct Touched<'m> {
    global: &'m mut Pages,
    /// The block's own, if it is that.
    shared: Option<&'m mut [Word]>,
    used: Use,
    now: Now<'m>,
}

impl Touched<'_> {
    /// The words from one on, as far as they lie side by side.
    #[inline(always)]
    fn words(&mut self, number: u64) -> &mut [Word] {
        match &mut self.shared {
            Some(shared) => shared.get_mut(number as usize..).unwrap_or_default(),
            None => self.global.words(number),
        }
    }

    /// Notes the words of one lane, or of several that follow each other. `false`: one is met.
    fn run(&mut self, first: u64, last: u64, lane: u64, lane_shift: u32) -> bool {
        let (used, now) = (self.used, self.now);
        let (mut number, mut fine) = (first, true);
        while number <= last && fine {
            let words = self.words(number);
            let count = (words.len() as u64).min(last - number + 1);
            fine = count > 0;
            for (word, further) in words[..count as usize].iter_mut().zip(number - first..) {
                fine &= word.touch(used, &now, lane + (further >> lane_shift));
            }
            number += count;
        }
        fine
    }
}

impl Proof {
    /// The reason for which the launch so far is not proved; `None`: it is.
    pub fn undecided(&self) -> Option<Why> {
        self.undecided
    }

    fn decide_not(&mut self, why: Why) {
        self.undecided.get_or_insert(why);
        (self.global, self.blocks) = Default::default();
    }

    fn block(&mut self, index: u64) -> Option<&mut Block> {
        self.blocks.iter_mut().find(|block| block.index == index)
    }

    /// The lanes that a warp has.
    fn lanes_of(&self, warp: u32) -> u32 {
        u32::MAX >> 32u32.saturating_sub(self.threads.saturating_sub(warp * 32)).min(31)
    }

    /// Notes an access of some lanes.
    fn note(&mut self, access: &Access, used: Use) {
        let site = access.site;
        let (bytes, shift) = (u64::from(access.bytes), self.shift);
        let Some(block) = self.blocks.iter_mut().find(|block| block.index == access.who.block_index) else { return };
        let Some(now) = block.order.now(access.who.warp) else { return self.decide_not(Why::TooLarge) };
        let shared = (access.space == Space::Shared).then_some(&mut block.shared[..]);
        let mut touched = Touched { global: &mut self.global, shared, used, now };
        let fine = match access.addresses {
            // Several lanes that read or update one word are a party; those that write it are parties that meet.
            Addresses::Same(address) if access.lane_count() > 1 && !matches!(used, Use::Write | Use::BeginsCopy) => {
                touched.run(address >> shift, (address + bytes - 1) >> shift, WARP.into(), ONE_LANE)
            }
            Addresses::Dense(first) if access.mask == !0 && bytes >> shift > 0 => {
                touched.run(first >> shift, (first + 32 * bytes - 1) >> shift, 0, (bytes >> shift).ilog2())
            }
            _ => {
                let together = matches!(used, Use::Read | Use::Update);
                let (mut rest, mut fine) = (access.mask, true);
                while rest != 0 && fine {
                    let lane = rest.trailing_zeros() as usize;
                    let (address, mut party) = (access.address(lane), lane as u64);
                    rest &= rest - 1;
                    while together && rest != 0 && access.address(rest.trailing_zeros() as usize) == address {
                        rest &= rest - 1;
                        party = WARP.into();
                    }
                    let (first, last) = (address >> shift, (address + bytes - 1) >> shift);
                    fine = match first == last {
                        true => touched.words(first).first_mut().is_some_and(|word| word.touch(used, &now, party)),
                        false => touched.run(first, last, party, ONE_LANE),
                    };
                }
                fine
            }
        };
        if !fine {
            self.decide_not(Why::Met { site });
        }
    }

    /// True if an access is to be noted: not if it reads what the launch does not write to.
    fn counts(&mut self, access: &Access) -> bool {
        let (Space::Global, Some(written)) = (access.space, &self.written) else { return true };
        let may_be_written = |lane: usize| {
            let address = access.address(lane);
            written.iter().any(|[first, last]| (first..=last).contains(&&address))
        };
        let some = match access.addresses {
            Addresses::Each(_) => access.mask,
            _ => access.mask & access.mask.wrapping_neg(),
        };
        match access.kind {
            AccessKind::Load => lanes(some).any(may_be_written),
            _ if lanes(some).all(may_be_written) => true,
            _ => {
                self.decide_not(Why::Written { site: access.site });
                false
            }
        }
    }

    fn used(&mut self, access: &Access) -> Use {
        let facts = self.sites.get(access.site as usize).copied().unwrap_or_default();
        match access.kind {
            AccessKind::Load if facts.copies => Use::ReadLater,
            AccessKind::Load if facts.read_only && access.space == Space::Global => Use::ReadStale,
            AccessKind::Load => Use::Read,
            AccessKind::Store if facts.copies => Use::EndsCopy,
            AccessKind::Store => Use::Write,
            // Atomics of different sizes, or of threads that the scope of one leaves out, are none to each other.
            AccessKind::Atomic => {
                let is_one_size = *self.atomic_bytes.get_or_insert(access.bytes) == access.bytes;
                let reaches = access.space == Space::Shared || access.order.scope >= Scope::Device;
                if is_one_size && reaches { Use::Update } else { Use::Write }
            }
        }
    }
}

/// The allocations that a launch may write to, as far as its text and arguments tell.
fn written(launch: &Launch) -> Option<Vec<[u64; 2]>> {
    let pointers = &launch.function.written;
    let parameters = pointers.parameters.iter().filter_map(|&offset| {
        let bytes = launch.parameters.get(offset as usize..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    });
    let addresses = parameters.chain(pointers.variables.iter().copied());
    let found = addresses.filter_map(|address| launch.memory.find(address));
    let ranges = found.map(|found| [found.address, found.address + found.bytes.max(1) - 1]);
    (!pointers.others).then(|| ranges.collect())
}

impl Probe for Proof {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Self::default())
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(worker) = worker.concrete::<Self>() {
            self.undecided = self.undecided.or(worker.undecided);
        }
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: &Launch) {
        let threads = launch.block.iter().product::<u32>();
        let sites = &launch.function.sites;
        let facts = sites.iter().map(|site| SiteFacts {
            read_only: site.read_only,
            copies: site.class == Class::Async,
            orders_warp: site.row.is_some_and(|row| isa::row(row).operands == Operands::Members),
        });
        let accesses = sites.iter().filter(|site| {
            let constant = site.opcode.is_parameter() || site.opcode.is_constant();
            matches!(site.class, Class::Memory | Class::Atomic | Class::Matrix) && !constant && site.element_bytes > 0
        });
        let least = accesses.map(|site| site.element_bytes).min().unwrap_or(4);
        *self = Proof {
            threads,
            warps: threads.div_ceil(32) as usize,
            shared_bytes: launch.shared_bytes,
            sites: facts.collect(),
            shift: least.clamp(1, 4).ilog2(),
            written: written(launch),
            ..Proof::default()
        };
    }

    fn block_start(&mut self, _: [u32; 3], block_index: u64) {
        if self.undecided.is_some() {
            return;
        }
        match Order::new(block_index, self.warps) {
            Some(order) => {
                let words = (self.shared_bytes >> self.shift) as usize + 1;
                self.blocks.push(Block { index: block_index, order, shared: vec![Word::default(); words] });
            }
            None => self.decide_not(Why::TooLarge),
        }
    }

    fn block_end(&mut self, _: [u32; 3], block_index: u64) {
        self.blocks.retain(|block| block.index != block_index);
    }

    fn access(&mut self, access: &Access) {
        // An operation on an `mbarrier` is heard as that.
        let is_phase = access.order.strength == Strength::Phase;
        let is_heard = self.undecided.is_none() && !is_phase && matches!(access.space, Space::Global | Space::Shared);
        if is_heard && self.counts(access) {
            let used = self.used(access);
            self.note(access, used);
        }
    }

    fn copy_begins(&mut self, who: Who, site: u32, mask: u32, addresses: &[u64; 32], bytes: u32) {
        if self.undecided.is_none() {
            let (kind, space, addresses) = (AccessKind::Store, Space::Shared, Addresses::Each(addresses));
            let order = machine::probe::Order::WEAK;
            let begins = Access { who, site, kind, space, mask, addresses, bytes, order, stored: None };
            self.note(&begins, Use::BeginsCopy);
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        if arrival.waits && arrival.expected == self.threads {
            if let Some(block) = self.block(arrival.who.block_index) {
                block.order.arrive(arrival);
            }
        } else {
            self.decide_not(Why::Barrier { site: arrival.site });
        }
    }

    fn barrier_release(&mut self, block_index: u64, id: u32) {
        let threads = self.threads;
        if let Some(block) = self.block(block_index)
            && !block.order.release(id, threads)
        {
            self.decide_not(Why::LeftEarly);
        }
    }

    fn phase(&mut self, phase: &Phase) {
        if self.undecided.is_some() {
            return;
        }
        let (who, site, space, order) = (phase.who, phase.site, Space::Shared, machine::probe::Order::WEAK);
        let (kind, addresses) = (AccessKind::Atomic, Addresses::Each(phase.addresses));
        let access = Access { who, site, kind, space, mask: phase.mask, addresses, bytes: 8, order, stored: None };
        let begins = matches!(phase.act, PhaseAct::Init | PhaseAct::Invalidate);
        self.note(&access, if begins { Use::Write } else { Use::Update });
        let whole = self.lanes_of(who.warp);
        let mut rest = phase.mask;
        while rest != 0 {
            let address = phase.addresses[rest.trailing_zeros() as usize];
            let mask =
                lanes(rest).filter(|&lane| phase.addresses[lane] == address).fold(0, |mask, lane| mask | 1 << lane);
            rest &= !mask;
            let Some(block) = self.block(who.block_index) else { return };
            let fine = match phase.act {
                PhaseAct::Init | PhaseAct::Invalidate => {
                    block.order.begin(address);
                    true
                }
                PhaseAct::Arrive { ended } => {
                    block.order.arrive_in_phase(address, who.warp, mask, ended & mask, mask == whole)
                }
                PhaseAct::Test { over } if over & mask == 0 => true,
                PhaseAct::Test { over } => {
                    block.order.wait_for_phase(address, who.warp, over & mask, over & mask == whole)
                }
            };
            if !fine {
                return self.decide_not(Why::Phase { site });
            }
        }
    }

    fn converge(&mut self, convergence: &Convergence) {
        let facts = self.sites.get(convergence.site as usize).copied().unwrap_or_default();
        let warp = convergence.who.warp;
        if facts.orders_warp
            && convergence.mask == self.lanes_of(warp)
            && let Some(block) = self.block(convergence.who.block_index)
        {
            block.order.meet(warp);
        }
    }

    fn texture(&mut self, access: &TextureAccess) {
        self.decide_not(Why::ByData { site: access.site, how: machine::program::ByData::Texture });
    }

    fn transfer_begins(&mut self, transfer: &Transfer) {
        self.decide_not(Why::ByData { site: transfer.site, how: machine::program::ByData::Asynchronous });
    }
}
