//! A step: something that one warp does and a reader can see.
use machine::probe::{AccessKind, Move, Place, Region};
use ptx::isa::Space;

/// A step of one warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// x + y·grid.x + z·grid.x·grid.y
    pub block: u64,
    pub warp: u32,
    pub function: u32,
    pub site: u32,
    /// The lanes that do it.
    pub mask: u32,
    pub act: Act,
}

/// The part of a step that its kind decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Access(Touched),
    /// Lanes come to a barrier that waits for so many threads, and go on if they do not wait.
    Arrive {
        id: u32,
        expected: u32,
        waits: bool,
    },
    /// The barrier lets its block go.
    Release {
        id: u32,
    },
    /// These of the lanes take the branch, the others go on to the next line.
    Branch {
        taken: u32,
    },
    /// Lanes exchange values or meet.
    Converge,
    /// A bulk copy or another transfer that writes begins, or has `come`: the memory that it touches, and what it copies.
    Copy {
        regions: Vec<Region>,
        moves: Vec<Move>,
        come: bool,
    },
    /// Lanes have ended.
    Exit,
    /// The launch stops here; where an access is the reason: its memory, address and bytes.
    Stop(Option<(Space, u64, u32)>),
}

/// An access to global, constant or shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    pub kind: AccessKind,
    pub space: Space,
    /// Per lane.
    pub bytes: u32,
    /// One for each lane of the mask, lowest first.
    pub addresses: Vec<u64>,
    /// The bytes that each of them leaves there; `None` for loads, and where the executor cannot tell.
    pub left: Option<Vec<[u8; 16]>>,
    /// For a copy to shared memory: where each lane's bytes come from.
    pub from: Option<Vec<u64>>,
    /// Passes through the banks, and as few as there can be; of shared memory alone.
    pub passes: Option<[u64; 2]>,
}

/// The number of a block of a grid.
pub fn block_number(block: [u32; 3], grid: [u32; 3]) -> u64 {
    let ([x, y, z], [width, height, _]) = (block.map(u64::from), grid.map(u64::from));
    (z * height + y) * width + x
}

impl Step {
    /// True if it is the step of a place; of an access that it touches the address, where one is given.
    pub fn is_at(&self, at: &Place, grid: [u32; 3], address: Option<u64>) -> bool {
        let touches = |address: u64| match &self.act {
            Act::Access(touched) => {
                touched.addresses.iter().any(|&from| (from..from + u64::from(touched.bytes)).contains(&address))
            }
            _ => true,
        };
        (self.block, self.warp, self.function, self.site)
            == (block_number(at.block, grid), at.warp, at.function, at.site)
            && address.is_none_or(touches)
    }
}

/// The two steps of a race: the first one at `second` that has one at `first` before it, and the last such one.
pub fn pair(steps: &[Step], [first, second]: [&Place; 2], grid: [u32; 3], address: Option<u64>) -> Option<[usize; 2]> {
    let last = |until: usize| steps[..until].iter().rposition(|step| step.is_at(first, grid, address));
    let seconds = steps.iter().enumerate().filter(|(_, step)| step.is_at(second, grid, address));
    seconds.map(|(at, _)| at).find_map(|at| Some([last(at)?, at]))
}

/// Returns whether another run does both steps of a pair the other way round: each is the same time that its warp comes there.
pub fn turns(
    steps: &[Step],
    pair: [usize; 2],
    places: [&Place; 2],
    grid: [u32; 3],
    address: u64,
    other: &[Step],
) -> bool {
    let is_at = |step: &Step, place: &Place| step.is_at(place, grid, Some(address));
    let [first, second] = [0, 1].map(|party| {
        let before = steps[..pair[party]].iter().filter(|step| is_at(step, places[party])).count();
        let same = other.iter().enumerate().filter(|(_, step)| is_at(step, places[party])).nth(before);
        same.map(|(at, _)| at)
    });
    first.zip(second).is_some_and(|(first, second)| second < first)
}
