//! Whoever hears afterwards of warps that go together hears what is heard where each goes alone, in the same order.
//!
//! The kernels are those that the engine is measured with.
use crate::work::{Bench, CASES, Case};
use simulator::exec::op::Level;
use simulator::lower::Tier;
use simulator::probe::{Access, Addresses, Arrival, Passage, Probe, WarpLoad, Who, lanes};

/// Writes down what it hears.
#[derive(Default)]
struct Recorded {
    afterwards: bool,
    /// Where the first matrix lies: another test's memory in this process may have taken the place it had before.
    first: u64,
    events: Vec<String>,
    passages: usize,
}

impl Recorded {
    fn note(&mut self, who: Who, what: String) {
        self.events.push(format!("block {} warp {}: {what}", who.block_index, who.warp));
    }
}

impl Probe for Recorded {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Recorded { afterwards: self.afterwards, first: self.first, ..Recorded::default() })
    }
    fn in_hindsight(&self) -> bool {
        self.afterwards
    }
    fn passage(&mut self, _: &Passage) {
        self.passages += 1;
    }
    fn run(&mut self, who: Who, block: u32, mask: u32, live: u32) {
        self.note(who, format!("runs {block} {mask:x} {live:x}"));
    }
    fn guarded(&mut self, who: Who, site: u32, active: u32, mask: u32) {
        self.note(who, format!("guards {site} {active:x} {mask:x}"));
    }
    fn branch(&mut self, who: Who, site: u32, active: u32, taken: u32) {
        self.note(who, format!("branches at {site} {active:x} {taken:x}"));
    }
    fn access(&mut self, access: &Access) {
        let relative = |address: u64| address.checked_sub(self.first).unwrap_or(address);
        let addresses: Vec<u64> = lanes(access.mask).map(|lane| relative(access.address(lane))).collect();
        let scattered = matches!(access.addresses, Addresses::Each(_));
        let Access { who, site, kind, space, mask, bytes, order, .. } = *access;
        self.note(who, format!("{kind:?} {site} {space:?} {mask:x} {bytes} {order:?} {scattered} {addresses:?}"));
    }
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        loads.iter().for_each(|load| self.access(&load.access(who)));
    }
    fn barrier_arrive(&mut self, arrival: &Arrival) {
        self.note(arrival.who, format!("arrives at {}", arrival.site));
    }
    fn barrier_release(&mut self, block: u64, id: u32) {
        self.events.push(format!("block {block}: barrier {id} lets go"));
    }
    fn block_end(&mut self, _: [u32; 3], block: u64) {
        self.events.push(format!("block {block} ends"));
    }
}

fn recorded(bench: &Bench, case: &Case, afterwards: bool) -> Recorded {
    let first = u64::from_le_bytes(bench.parameters[..8].try_into().expect("eight bytes"));
    let outcome = bench.run(case, 1, Some(Box::new(Recorded { afterwards, first, ..Recorded::default() })));
    *outcome.probe.expect("it listened").concrete::<Recorded>().expect("the same")
}

#[test]
fn what_is_recorded_afterwards_is_what_is_recorded_at_once() {
    for level in [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|level| *level <= Level::of_host()) {
        for case in CASES.map(|case| Case { n: 64, ..case }) {
            let name = case.kernel;
            let [at_once, afterwards] =
                [false, true].map(|afterwards| recorded(&Bench::new(&case, Tier::Probed, level), &case, afterwards));
            assert_eq!(at_once.passages, 0);
            // Where lanes exchange values, warps go alone.
            assert_eq!(afterwards.passages > 0, name != "warp_sums", "{name}: {} passages", afterwards.passages);
            assert!(at_once.events.len() > 100, "{name}");
            let differs = at_once.events.iter().zip(&afterwards.events).position(|(one, other)| one != other);
            let differs = differs.map(|at| (at, &at_once.events[at], &afterwards.events[at]));
            assert_eq!(differs, None, "{name} with {level:?}");
            assert_eq!(at_once.events.len(), afterwards.events.len(), "{name}");
        }
    }
}
