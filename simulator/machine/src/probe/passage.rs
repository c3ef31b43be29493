//! Passages: what warps of a block did that went through straight code together, told of afterwards.
use super::{Access, AccessKind, Addresses, Order, Probe, WarpElements, WarpLoad, Who};
use ptx::isa::Space;

/// Warps of a passage at the most.
pub const MOST_WARPS: usize = 8;
/// Rows of addresses after which the warps go on alone.
const MOST_ROWS: usize = 1 << 15;
/// Accesses in no order after which they do so; a half of them no longer fits in the cache of a core.
const MOST_SCATTERED: usize = 1 << 10;
/// Loads that are told of at once.
const MOST_LOADS: usize = 32;

/// A passage. Each warp of it is a column: its number is that of its place here.
#[derive(Default)]
pub struct Passage {
    warps: [Who; MOST_WARPS],
    count: usize,
    steps: Vec<Step>,
    /// Addresses of whole warps' loads and stores, lane 0's of each.
    rows: Vec<[u64; MOST_WARPS]>,
    accesses: Vec<OneAccess>,
    /// Lanes that ran a guarded op, out of the active ones.
    guards: Vec<(u32, u32)>,
    /// Addresses of accesses that are in no order.
    scattered: Vec<[u64; 32]>,
}

/// A step of a passage, all lanes of each warp active.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Weak loads of the warps in `columns`, a bit for each; addresses as in that row.
    Loads { site: u32, elements: WarpElements, columns: u8, row: u32 },
    /// Stores likewise.
    Stores { site: u32, elements: WarpElements, columns: u8, row: u32 },
    /// All ran a basic block to its end.
    Run { block: u32 },
    /// All took a branch, or none did.
    Branch { site: u32, taken: bool },
    /// A guarded op of the warps in `columns`, see [`Passage::guard`].
    Guarded { site: u32, columns: u8, first: u32 },
    /// Other accesses of the warps in `columns`, see [`Passage::access_of`].
    Accesses { site: u32, columns: u8, first: u32 },
}

impl Step {
    /// The warps that have a part in it, a bit for each column.
    #[inline(always)]
    fn columns(self) -> u8 {
        match self {
            Step::Loads { columns, .. }
            | Step::Stores { columns, .. }
            | Step::Guarded { columns, .. }
            | Step::Accesses { columns, .. } => columns,
            Step::Run { .. } | Step::Branch { .. } => !0,
        }
    }
}

/// The columns of a set of them, lowest first.
pub fn columns(set: u8) -> impl Iterator<Item = usize> {
    (0..MOST_WARPS).filter(move |column| set >> column & 1 == 1)
}

/// The number of a column's entry, where those of `columns` are one after the other from `first` on.
fn entry(first: u32, columns: u8, column: usize) -> usize {
    (first + (columns & ((1 << column) - 1)).count_ones()) as usize
}

/// An access as it is kept; addresses in no order are a row of their own.
struct OneAccess {
    site: u32,
    kind: AccessKind,
    space: Space,
    mask: u32,
    addresses: Kept,
    bytes: u32,
    order: Order,
    /// True if it is told of as one [across the end](Probe::across_the_end).
    across: bool,
}

#[derive(Clone, Copy)]
enum Kept {
    Same(u64),
    Dense(u64),
    Each(u32),
}

impl Passage {
    pub(crate) fn begin(&mut self, warps: impl Iterator<Item = Who>) {
        self.count = 0;
        for who in warps.take(MOST_WARPS) {
            self.warps[self.count] = who;
            self.count += 1;
        }
        self.steps.clear();
        self.rows.clear();
        self.accesses.clear();
        self.guards.clear();
        self.scattered.clear();
    }

    /// True if it has become so long that its warps go on alone.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MOST_ROWS || self.steps.len() >= 4 * MOST_ROWS || self.scattered.len() >= MOST_SCATTERED
    }

    /// True if it was so large that recording it cost more than the warps gained by going together.
    pub(crate) fn was_in_vain(&self) -> bool {
        self.scattered.len() > MOST_SCATTERED / 2
    }

    /// Notes weak accesses of whole warps.
    #[inline(always)]
    pub(crate) fn whole_warps(
        &mut self,
        (kind, site): (AccessKind, u32),
        elements: WarpElements,
        columns: u8,
        addresses: &[u64; MOST_WARPS],
    ) {
        let row = self.rows.len() as u32;
        self.rows.push(*addresses);
        self.steps.push(match kind {
            AccessKind::Load => Step::Loads { site, elements, columns, row },
            _ => Step::Stores { site, elements, columns, row },
        });
    }

    /// Notes what all warps do.
    #[inline]
    pub(crate) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    #[inline]
    pub fn warps(&self) -> &[Who] {
        &self.warps[..self.count]
    }

    /// Their steps, in order.
    #[inline]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// A warp's part of [`Step::Stores`].
    #[inline]
    pub fn store(&self, site: u32, elements: WarpElements, row: u32, column: usize) -> Access<'static> {
        let load = WarpLoad { site, elements, address: self.rows[row as usize][column] };
        Access { kind: AccessKind::Store, ..load.access(&self.warps[column]) }
    }

    /// Lane 0's addresses of a step of loads or stores, by column; those of other columns mean nothing.
    #[inline]
    pub fn addresses(&self, row: u32) -> &[u64; MOST_WARPS] {
        &self.rows[row as usize]
    }

    /// A warp's part of [`Step::Guarded`]: the active lanes, and those of them that the guard let through.
    pub fn guard(&self, first: u32, columns: u8, column: usize) -> (u32, u32) {
        self.guards[entry(first, columns, column)]
    }

    /// A warp's part of [`Step::Accesses`].
    pub fn access_of(&self, first: u32, columns: u8, column: usize) -> Access<'_> {
        let one = &self.accesses[entry(first, columns, column)];
        let OneAccess { site, kind, space, mask, addresses, bytes, order, .. } = *one;
        let addresses = match addresses {
            Kept::Same(address) => Addresses::Same(address),
            Kept::Dense(first) => Addresses::Dense(first),
            Kept::Each(row) => Addresses::Each(&self.scattered[row as usize]),
        };
        let who = self.warps[column % MOST_WARPS];
        Access { who, site, kind, space, mask, addresses, bytes, order, stored: None }
    }

    /// Tells of one warp's part as if it had gone alone.
    pub fn replay<P: Probe + ?Sized>(&self, column: usize, probe: &mut P) {
        let who = self.warps[column % MOST_WARPS];
        let mut loads = [WarpLoad::default(); MOST_LOADS];
        let mut count = 0;
        for step in self.steps.iter().filter(|step| step.columns() >> column & 1 == 1) {
            if let Step::Loads { site, elements, row, .. } = *step {
                loads[count] = WarpLoad { site, elements, address: self.rows[row as usize][column % MOST_WARPS] };
                count += 1;
                if count < MOST_LOADS {
                    continue;
                }
            }
            if count > 0 {
                probe.warp_loads(&who, &loads[..std::mem::take(&mut count)]);
            }
            match *step {
                Step::Loads { .. } => {}
                Step::Stores { site, elements, row, .. } => probe.access(&self.store(site, elements, row, column)),
                Step::Run { block } => probe.run(who, block, !0, !0),
                Step::Branch { site, taken } => probe.branch(who, site, !0, if taken { !0 } else { 0 }),
                Step::Guarded { site, columns, first } => {
                    let (active, mask) = self.guard(first, columns, column);
                    probe.guarded(who, site, active, mask);
                }
                Step::Accesses { columns, first, .. } => {
                    let access = self.access_of(first, columns, column);
                    match self.accesses[entry(first, columns, column)].across {
                        true => probe.across_the_end(&access),
                        false => probe.access(&access),
                    }
                }
            }
        }
        if count > 0 {
            probe.warp_loads(&who, &loads[..count]);
        }
    }

    fn column(&self, who: &Who) -> usize {
        self.warps().iter().position(|warp| warp.warp == who.warp).unwrap_or(0) % MOST_WARPS
    }

    fn keep(&mut self, access: &Access, across: bool) {
        let addresses = match access.addresses {
            Addresses::Same(address) => Kept::Same(address),
            Addresses::Dense(first) => Kept::Dense(first),
            Addresses::Each(all) => {
                self.scattered.push(*all);
                Kept::Each(self.scattered.len() as u32 - 1)
            }
        };
        let Access { who, site, kind, space, mask, bytes, order, .. } = *access;
        let (column, next) = (self.column(&who), self.accesses.len() as u32);
        match self.steps.last_mut() {
            Some(Step::Accesses { site: same, columns, .. }) if *same == site && *columns >> column == 0 => {
                *columns |= 1 << column;
            }
            _ => self.steps.push(Step::Accesses { site, columns: 1 << column, first: next }),
        }
        self.accesses.push(OneAccess { site, kind, space, mask, addresses, bytes, order, across });
    }
}

/// The events of ops that warps may go through together.
impl Probe for Passage {
    fn fork(&self) -> Box<dyn Probe> {
        Box::<Passage>::default()
    }

    fn guarded(&mut self, who: Who, site: u32, active: u32, mask: u32) {
        let (column, next) = (self.column(&who), self.guards.len() as u32);
        match self.steps.last_mut() {
            Some(Step::Guarded { site: same, columns, .. }) if *same == site && *columns >> column == 0 => {
                *columns |= 1 << column;
            }
            _ => self.steps.push(Step::Guarded { site, columns: 1 << column, first: next }),
        }
        self.guards.push((active, mask));
    }

    fn access(&mut self, access: &Access) {
        self.keep(access, false);
    }

    fn across_the_end(&mut self, access: &Access) {
        self.keep(access, true);
    }

    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        let column = self.column(who);
        for load in loads {
            let (how, columns) = ((AccessKind::Load, load.site), 1 << column);
            self.whole_warps(how, load.elements, columns, &[load.address; MOST_WARPS]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Writes down what it hears.
    #[derive(Default)]
    struct Told(Arc<Mutex<Vec<String>>>);

    impl Told {
        fn note(&self, text: String) {
            self.0.lock().unwrap().push(text);
        }
    }

    impl Probe for Told {
        fn fork(&self) -> Box<dyn Probe> {
            Box::<Told>::default()
        }
        fn run(&mut self, who: Who, block: u32, mask: u32, _: u32) {
            self.note(format!("{} runs {block} {mask:x}", who.warp));
        }
        fn branch(&mut self, who: Who, site: u32, _: u32, taken: u32) {
            self.note(format!("{} branches at {site} {taken:x}", who.warp));
        }
        fn guarded(&mut self, who: Who, site: u32, _: u32, mask: u32) {
            self.note(format!("{} guards {site} {mask:x}", who.warp));
        }
        fn access(&mut self, access: &Access) {
            self.note(format!("{} accesses {} at {}", access.who.warp, access.site, access.address(3)));
        }
        fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
            loads.iter().for_each(|load| self.note(format!("{} loads {} at {}", who.warp, load.site, load.address)));
        }
    }

    fn told(passage: &Passage, column: usize) -> Vec<String> {
        let heard = Told::default();
        passage.replay(column, &mut Told(heard.0.clone()));
        heard.0.lock().unwrap().clone()
    }

    #[test]
    fn each_warp_is_told_of_as_if_it_had_gone_alone() {
        let mut passage = Passage::default();
        let who = |warp| Who { warp, ..Who::default() };
        passage.begin([4, 6].map(who).into_iter());
        let elements = WarpElements::default();
        let row = |first: u64| std::array::from_fn(|column| first + 128 * column as u64);
        let loads = (AccessKind::Load, 7);
        passage.whole_warps(loads, elements, 3, &row(128));
        let scattered = [9; 32];
        let access = |warp| Access {
            who: who(warp),
            site: 8,
            kind: AccessKind::Store,
            space: Space::Global,
            mask: !0,
            addresses: Addresses::Each(&scattered),
            bytes: 4,
            order: Order::WEAK,
            stored: None,
        };
        passage.access(&access(6));
        passage.guarded(who(4), 9, !0, 1);
        passage.whole_warps(loads, elements, 3, &row(384));
        passage.whole_warps((AccessKind::Store, 5), WarpElements { dense: false, ..elements }, 2, &row(512));
        passage.step(Step::Run { block: 2 });
        passage.step(Step::Branch { site: 3, taken: true });
        assert_eq!(
            told(&passage, 0),
            ["4 loads 7 at 128", "4 guards 9 1", "4 loads 7 at 384", "4 runs 2 ffffffff", "4 branches at 3 ffffffff"]
        );
        assert_eq!(
            told(&passage, 1),
            [
                "6 loads 7 at 256",
                "6 accesses 8 at 9",
                "6 loads 7 at 512",
                "6 accesses 5 at 640",
                "6 runs 2 ffffffff",
                "6 branches at 3 ffffffff"
            ]
        );
    }

    #[test]
    fn more_loads_than_are_told_of_at_once_come_in_order() {
        let mut passage = Passage::default();
        passage.begin([Who::default(); 2].into_iter());
        for address in 0..100 {
            passage.whole_warps((AccessKind::Load, 1), WarpElements::default(), 1, &[address; MOST_WARPS]);
        }
        let wanted: Vec<_> = (0..100).map(|address| format!("0 loads 1 at {address}")).collect();
        assert_eq!(told(&passage, 0), wanted);
        assert_eq!(told(&passage, 1), [""; 0]);
    }
}
