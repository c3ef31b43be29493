//! Misuse of barriers, warp-synchronous instructions and the asynchronous proxy: each rule that a kernel can break, where it
//! is shown, and what is said of it. What is named in the words (the kernel, threads, elements) comes from the caller, who
//! knows the source.
use machine::probe::Place;
use ptx::isa::Space;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// Threads waited at a barrier while others of their block went on without it: `missing` and where they went.
    SkippedBarrier { at: Place, missing: Place },
    /// Threads of the block had ended without a barrier that the others met at. No fault: a note.
    PassedBarrier { at: Place, missing: Place },
    /// Threads left a loop, or the kernel, having passed a barrier fewer times than others.
    UnequalBarrier { at: Place, missing: Place },
    /// Threads of one block met at different barriers.
    MismatchedBarrier { first: Place, at: Place },
    /// A warp-synchronous instruction ran without lanes that its mask names, or with lanes that it does not name.
    WrongMask { at: Place, members: u32, missing: u32, unnamed: u32 },
    /// A shuffle read from lanes that did not take part.
    AbsentLanes { at: Place, members: u32, absent: u32 },
    /// The asynchronous proxy is given what a thread wrote at `first`, and nothing makes it known there.
    NoProxyFence { at: Place, first: Place, space: Space, address: u64 },
    /// A texel is read that the launch has written at `first`: the cache of textures does not hear of it.
    StaleTexel { at: Place, first: Place, address: u64, bytes: u32 },
    /// A load through the cache for data that nobody writes reads what the launch has written at `first`.
    StaleLoad { at: Place, first: Place, address: u64, bytes: u32 },
    /// A transfer reports to an `mbarrier` that was made at `first`, and nothing makes that known to the asynchronous proxy.
    BarrierUnknownToProxy { at: Place, first: Place },
    /// A transfer came when the phase of its barrier was over: fewer bytes were announced than come.
    TooFewBytes { at: Place },
    /// An `mbarrier` is used after `mbarrier.inval` has ended it at `first`.
    BarrierHasEnded { at: Place, first: Place, address: u64 },
    /// A block ended with a transfer under way that nobody had waited for.
    Unwaited { at: Place, product: bool },
    /// A block may end before another block of its cluster has used its shared memory at a place.
    LeavesTooEarly { at: Place },
    /// A product of four warps, whose registers were written since the last `wgmma.fence`, or without one.
    NoProductFence { at: Place },
    /// The result of a product of four warps was read before it was waited for.
    ProductNotWaitedFor { at: Place },
}

/// The names that the source gives.
pub trait Names {
    /// The kernel, without its mangling.
    fn kernel(&self) -> &str;
    /// The threads of a place.
    fn who(&self, at: &Place) -> String;
    /// The element of an array at an address; `bytes`: of the access.
    fn element(&self, at: &Place, space: Space, address: u64, bytes: u32) -> String;
    /// The instruction at a place, with its article.
    fn instruction(&self, at: &Place) -> &'static str;
}

/// The words for a misuse.
pub struct Words {
    /// The stable name of its class.
    pub class: &'static str,
    /// The first line of the message.
    pub title: String,
    pub who: String,
    /// A further fact.
    pub what: Option<String>,
    /// The words before the line of [`Misuse::other`], if it is worth showing.
    pub other: Option<&'static str>,
    /// The next step.
    pub next: &'static str,
}

impl Misuse {
    /// True if threads meet at a barrier of the block in a wrong way.
    pub fn is_of_a_barrier(&self) -> bool {
        matches!(self, Misuse::SkippedBarrier { .. } | Misuse::UnequalBarrier { .. } | Misuse::MismatchedBarrier { .. })
    }

    /// Where it is shown: the later party of two.
    pub fn at(&self) -> &Place {
        match self {
            Misuse::SkippedBarrier { at, .. }
            | Misuse::PassedBarrier { at, .. }
            | Misuse::UnequalBarrier { at, .. }
            | Misuse::MismatchedBarrier { at, .. }
            | Misuse::WrongMask { at, .. }
            | Misuse::AbsentLanes { at, .. }
            | Misuse::NoProxyFence { at, .. }
            | Misuse::StaleTexel { at, .. }
            | Misuse::StaleLoad { at, .. }
            | Misuse::BarrierUnknownToProxy { at, .. }
            | Misuse::TooFewBytes { at }
            | Misuse::BarrierHasEnded { at, .. }
            | Misuse::Unwaited { at, .. }
            | Misuse::LeavesTooEarly { at }
            | Misuse::NoProductFence { at }
            | Misuse::ProductNotWaitedFor { at } => at,
        }
    }

    /// The other party, where there is one.
    pub fn other(&self) -> Option<&Place> {
        match self {
            Misuse::SkippedBarrier { missing: other, .. }
            | Misuse::UnequalBarrier { missing: other, .. }
            | Misuse::MismatchedBarrier { first: other, .. }
            | Misuse::NoProxyFence { first: other, .. }
            | Misuse::StaleTexel { first: other, .. }
            | Misuse::StaleLoad { first: other, .. }
            | Misuse::BarrierHasEnded { first: other, .. }
            | Misuse::BarrierUnknownToProxy { first: other, .. } => Some(other),
            _ => None,
        }
    }

    #[allow(clippy::too_many_lines, reason = "a table of the rules and their words")]
    pub fn words(&self, names: &dyn Names) -> Words {
        let kernel = names.kernel();
        let words =
            |class, title, next| Words { class, title, who: names.who(self.at()), what: None, other: None, next };
        match self {
            Misuse::SkippedBarrier { at, missing } => Words {
                who: format!("waiting: {}", names.who(at)),
                what: Some(format!("not waiting: {}", names.who(missing))),
                other: Some("others are already here"),
                ..words(
                    "barrier",
                    format!("not all threads of the block reach this __syncthreads() of `{kernel}`"),
                    "move the barrier out of the branch, so that all threads of the block come to it",
                )
            },
            Misuse::PassedBarrier { at, missing } => Words {
                who: format!("waiting: {}", names.who(at)),
                what: Some(format!(
                    "ended: {}; the hardware counts them as arrived, so the result stands. The CUDA C++ Programming Guide lets this barrier stand \
                     under a condition only where that is the same for all threads of the block",
                    names.who(missing)
                )),
                ..words(
                    "barrier",
                    format!("threads of the block have ended without this __syncthreads() of `{kernel}`"),
                    "move the barrier out of the branch, and let no thread return before it",
                )
            },
            Misuse::UnequalBarrier { at, missing } => Words {
                who: format!("waiting once more: {}", names.who(at)),
                what: Some(format!("gone on: {}", names.who(missing))),
                ..words(
                    "barrier",
                    format!("threads of a block pass this __syncthreads() of `{kernel}` unequally often"),
                    "let all threads of the block make the same number of rounds, and put the condition inside the loop",
                )
            },
            Misuse::MismatchedBarrier { first, .. } => Words {
                what: Some(format!("the other: {}", names.who(first))),
                other: Some("others wait here"),
                ..words(
                    "barrier",
                    format!("threads of a block of `{kernel}` meet at two different barriers"),
                    "use one __syncthreads() that all threads reach instead of one in each branch",
                )
            },
            Misuse::WrongMask { at, members, missing, unnamed } => {
                let name = names.instruction(at);
                let (title, lanes) = if *missing != 0 {
                    let title = format!("`{kernel}` runs {name} without lanes that its mask names");
                    (title, format!("not there: {}", lanes(*missing)))
                } else {
                    let title = format!("`{kernel}` runs {name} in lanes that its mask does not name");
                    (title, format!("not named: {}", lanes(*unnamed)))
                };
                Words {
                    what: Some(format!("the mask is {members:#010x}; {lanes}")),
                    ..words(
                        "wrong mask",
                        title,
                        "name exactly the lanes that get here: move it out of the branch, or compute the mask with __ballot_sync before the branch",
                    )
                }
            }
            Misuse::AbsentLanes { at, members, absent } => Words {
                what: Some(format!("the mask is {members:#010x}; read but absent: {}", lanes(*absent))),
                ..words(
                    "absent lane",
                    format!("`{kernel}` reads with {} from lanes that do not take part", names.instruction(at)),
                    "let the lane that is read run the shuffle too; its value is undefined otherwise",
                )
            },
            Misuse::NoProxyFence { at, first, space, address } => Words {
                what: Some(format!(
                    "{} wrote it through the generic proxy; the other proxy may see what was there before",
                    names.who(first)
                )),
                other: Some("a thread writes it here"),
                ..words(
                    "proxy fence",
                    format!(
                        "`{kernel}` hands {} to the asynchronous proxy without a proxy fence",
                        names.element(at, *space, *address, 4)
                    ),
                    "put fence.proxy.async after the stores, before the barrier that the issuing thread passes",
                )
            },
            Misuse::StaleTexel { at, first, address, bytes } => Words {
                what: Some(format!(
                    "{} wrote it in this launch; the cache of textures and surfaces does not hear of that, whatever orders the two",
                    names.who(first)
                )),
                other: Some("a thread writes it here"),
                ..words(
                    "stale texel",
                    format!(
                        "`{kernel}` reads {} through a texture or surface after the same launch has written it",
                        names.element(at, Space::Global, *address, *bytes)
                    ),
                    "read it in a second launch, or through an ordinary pointer to linear memory",
                )
            },
            Misuse::StaleLoad { at, first, address, bytes } => Words {
                what: Some(format!(
                    "{} wrote it in this launch; a read-only load (ld.global.nc) may give what was there before, whatever orders the two",
                    names.who(first)
                )),
                other: Some("a thread writes it here"),
                ..words(
                    "stale load",
                    format!(
                        "`{kernel}` reads {} by a read-only load after the same launch has written it",
                        names.element(at, Space::Global, *address, *bytes)
                    ),
                    "load it without __ldg, and through a parameter that is not `const … __restrict__`; or read it in a second launch",
                )
            },
            Misuse::BarrierUnknownToProxy { .. } => Words {
                other: Some("the barrier is made here"),
                ..words(
                    "proxy fence",
                    format!(
                        "`{kernel}` begins a transfer that reports to an mbarrier which the asynchronous proxy may not know"
                    ),
                    "put fence.mbarrier_init.release.cluster, or fence.proxy.async, after mbarrier.init and before the barrier that the others pass",
                )
            },
            Misuse::BarrierHasEnded { at, first, address } => Words {
                what: Some(format!("{} ended it; what lies there is no mbarrier any more", names.who(first))),
                other: Some("it is ended here"),
                ..words(
                    "ended mbarrier",
                    format!(
                        "`{kernel}` uses the mbarrier {} after mbarrier.inval",
                        names.element(at, Space::Shared, *address, 8)
                    ),
                    "end it after its last use, or make it again with mbarrier.init",
                )
            },
            Misuse::TooFewBytes { .. } => Words {
                what: Some(
                    "fewer bytes were announced than the transfers of the phase bring, so it ended without this one"
                        .into(),
                ),
                ..words(
                    "transaction count",
                    format!("a transfer of `{kernel}` comes when the phase of its mbarrier is over"),
                    "announce with expect_tx the bytes of all copies that report to this mbarrier in this phase",
                )
            },
            Misuse::Unwaited { product: false, .. } => words(
                "not waited for",
                format!("a block of `{kernel}` ends while a transfer that touches its shared memory is under way"),
                "wait before the end: cp.async.bulk.wait_group for what belongs to a group, the phase of the mbarrier for what reports to one",
            ),
            Misuse::Unwaited { product: true, .. } => words(
                "not waited for",
                format!("a block of `{kernel}` ends while a wgmma is under way"),
                "close the group with wgmma.commit_group and wait for it with wgmma.wait_group 0",
            ),
            Misuse::LeavesTooEarly { .. } => Words {
                what: Some("nothing makes the block wait for this access".into()),
                ..words(
                    "block left",
                    format!(
                        "a block of `{kernel}` may end before another block of its cluster has used its shared memory"
                    ),
                    "put a cluster.sync() between the last access to another block's shared memory and the end of the kernel",
                )
            },
            Misuse::NoProductFence { .. } => words(
                "wgmma fence",
                format!("`{kernel}` starts a wgmma on registers that were written since the last wgmma.fence"),
                "put wgmma.fence.sync.aligned between the writes to the registers and the first wgmma that uses them",
            ),
            Misuse::ProductNotWaitedFor { .. } => words(
                "wgmma wait",
                format!("`{kernel}` uses the result of a wgmma that it has not waited for"),
                "put wgmma.commit_group and wgmma.wait_group 0 before the registers are used",
            ),
        }
    }
}

/// "lanes 16 to 31", "lanes 1, 3, 5 …"
fn lanes(mask: u32) -> String {
    let (first, last) = (mask.trailing_zeros(), 31 - mask.leading_zeros().min(31));
    if mask.count_ones() == 1 {
        return format!("lane {first}");
    }
    if mask.count_ones() == last - first + 1 {
        return format!("lanes {first} to {last}");
    }
    let mut list: Vec<String> = (0..32).filter(|lane| mask >> lane & 1 != 0).take(4).map(|l| l.to_string()).collect();
    if mask.count_ones() > 4 {
        list.push("…".into());
    }
    format!("lanes {}", list.join(", "))
}
