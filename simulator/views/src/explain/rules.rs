//! The rules, in the order in which they are asked: work in vain first, then the unit that bounds the kernel, then what warps wait for.

use super::costs::{Costs, LATENCY, each, number, of};
use serde_json::{Map, Value};

/// Why a line costs, and what to try.
pub struct Advice {
    /// The rule's own name: a reason is told once.
    pub rule: &'static str,
    pub why: String,
    pub attempt: &'static str,
    /// How many times as fast the kernel could be at most.
    pub gain: Option<f64>,
    /// Words before the gain.
    pub gained_by: &'static str,
}

/// A gain below this is no reason to begin with a line's wasted work.
const WORTH_IT: f64 = 1.05;

/// A line has the term that bounds the kernel where it has so much of it.
const MOST_OF_A_TERM: f64 = 0.3;

/// The advice on a line, `None` where nothing is known of it.
pub fn advice(line: &Map<String, Value>, costs: &Costs, bound_by: Option<&str>) -> Option<Advice> {
    let wasted = WASTES.iter().filter_map(|waste| waste.advice(line, costs)).max_by(|a, b| {
        let gain = |advice: &Advice| advice.gain.unwrap_or(0.0);
        gain(a).total_cmp(&gain(b))
    });
    wasted
        .filter(|advice| advice.gain.is_some_and(|gain| gain >= WORTH_IT))
        .or_else(|| of_term(line, costs, bound_by?))
        .or_else(|| of_wait(line, costs, bound_by))
}

/// Work that better code does not have.
struct Waste {
    rule: &'static str,
    /// How much there is, and how much of it is in vain.
    counts: fn(&Map<String, Value>) -> (f64, f64),
    /// The clock's terms that shrink with it, and the waits.
    terms: &'static [&'static str],
    waits: &'static [&'static str],
    why: &'static str,
    attempt: &'static str,
}

/// The least share of work in vain that is told.
const LEAST_WASTE: f64 = 0.2;

fn sectors_in_vain(line: &Map<String, Value>, sectors: &str, efficiency: &str) -> (f64, f64) {
    let moved = number(line, sectors);
    let asked = line.get(efficiency).and_then(Value::as_f64).unwrap_or(100.0) / 100.0;
    (moved, moved * (1.0 - asked))
}

const GLOBAL: &[&str] = &["L1 traffic", "L2 traffic", "device memory", "the bus to the host"];

const WASTES: &[Waste] = &[
    Waste {
        rule: "scattered loads",
        counts: |line| sectors_in_vain(line, "global_load_sectors", "global_load_efficiency"),
        terms: GLOBAL,
        waits: &["long scoreboard", "LG throttle"],
        why: "sectors that its loads move hold nothing that a thread asked for: lanes of a warp lie far apart",
        attempt: "have neighbouring threads read neighbouring elements, or bring the tile to shared memory row by row",
    },
    Waste {
        rule: "scattered stores",
        counts: |line| sectors_in_vain(line, "global_store_sectors", "global_store_efficiency"),
        terms: GLOBAL,
        waits: &["LG throttle"],
        why: "sectors' worth of bytes that its stores move are not written by a thread: lanes of a warp lie far apart",
        attempt: "have neighbouring threads write neighbouring elements, by way of a tile in shared memory",
    },
    Waste {
        rule: "bank conflicts",
        counts: |line| {
            (
                number(line, "shared_load_wavefronts") + number(line, "shared_store_wavefronts"),
                number(line, "shared_conflicts"),
            )
        },
        terms: &["shared-memory wavefronts"],
        waits: &["MIO throttle", "short scoreboard"],
        why: "wavefronts beyond the least are bank conflicts: lanes of a warp want different words of one bank",
        attempt: "pad the tile's rows by one element, or swizzle its columns",
    },
    Waste {
        rule: "atomics on one address",
        counts: |line| (number(line, "atomic_lanes"), number(line, "atomic_conflicts")),
        terms: &["atomics"],
        waits: &["LG throttle", "MIO throttle", "long scoreboard"],
        why: "lanes wait for another lane of their warp at the same address",
        attempt: "add up within the warp (shuffles), then the block (shared memory), and do one atomic for the block",
    },
    Waste {
        rule: "divergence",
        counts: |line| (number(line, "branches"), number(line, "divergent_branches")),
        terms: &["instruction issue"],
        waits: &["branch resolving"],
        why: "branches split their warp: both ways are executed, one after the other",
        attempt: "have whole warps take the same way: branch on what the 32 threads share",
    },
];

impl Waste {
    fn advice(&self, line: &Map<String, Value>, costs: &Costs) -> Option<Advice> {
        let (all, vain) = (self.counts)(line);
        let share = if all > 0.0 { vain / all } else { 0.0 };
        if share < LEAST_WASTE {
            return None;
        }
        let waits: f64 = self.waits.iter().map(|reason| of(line, "stalls", reason)).sum();
        let by_waits = costs.gain_of_waits(waits * share);
        Some(Advice {
            rule: self.rule,
            why: format!("{vain:.0} of {all:.0} {}", self.why),
            attempt: self.attempt,
            gain: Some(costs.gain(line, self.terms, 1.0 - share).max(by_waits)),
            gained_by: "without them",
        })
    }
}

/// A term of the clock: its name, why a line has much of it, and what helps.
#[rustfmt::skip]
const TERMS: &[(&str, &str, &str)] = &[
    ("instruction issue", "its instructions keep the schedulers busy", "do the same in fewer instructions: unroll the loop, compute addresses before it, load 4 words at once (float4)"),
    ("fp32 throughput", "its arithmetic keeps the units for single precision busy: this is the work itself", "use an algorithm with fewer operations, or tensor cores"),
    ("fp64 throughput", "its arithmetic keeps the few units for double precision busy", "compute in single precision where its error is small enough"),
    ("fp16 throughput", "its arithmetic keeps the units for half precision busy", "use tensor cores, or an algorithm with fewer operations"),
    ("integer throughput", "its index arithmetic keeps the integer units busy", "compute addresses before the loop and add a step in it; use 32-bit indices"),
    ("special functions", "its square roots, sines or divisions keep the units for special functions busy", "need fewer of them, or use the fast forms (__expf, __fdividef)"),
    ("tensor throughput", "its products keep the tensor cores busy: this is the work itself", "use a type of which they multiply more per clock"),
    ("L1 traffic", "its accesses keep L1 and the load/store units busy", "keep what several threads read in shared memory or in registers; load 4 words at once (float4)"),
    ("shared-memory wavefronts", "its accesses keep shared memory busy", "let each thread compute several results from the values that it has read (a tile in registers); read 4 words at once (float4)"),
    ("L2 traffic", "its accesses keep L2 busy", "use each value more often once it is there: a larger tile in shared memory"),
    ("device memory", "its accesses keep the card's memory busy", "move each byte once: join passes over the data, keep results in registers, use a smaller type"),
    ("the bus to the host", "it reaches host memory over the bus", "copy the data to the device first"),
    ("atomics", "its atomic operations queue up at their addresses", "add up within the block first, and do one atomic for the block"),
];

/// A line that has much of the term that bounds the kernel.
fn of_term(line: &Map<String, Value>, costs: &Costs, bound_by: &str) -> Option<Advice> {
    let &(rule, why, attempt) = TERMS.iter().find(|(name, ..)| *name == bound_by)?;
    let share = costs.share(line, rule);
    (share >= MOST_OF_A_TERM).then(|| Advice {
        rule,
        why: format!("{why}: it has {:.0} % of what bounds the kernel", 100.0 * share),
        attempt,
        gain: Some(costs.gain(line, &[rule], 0.5)),
        gained_by: "with half as many",
    })
}

/// A reason to wait, in a profiler's word; why warps wait, and what helps.
#[rustfmt::skip]
const WAITS: &[(&str, &str, &str)] = &[
    ("long scoreboard", "warps wait for data of an earlier load, from L1, L2 or memory", "load earlier than the value is used: the next tile while this one is computed (double buffering); or have more warps on a multiprocessor"),
    ("short scoreboard", "warps wait for data from shared memory, a shuffle or a special function", "read the next values before computing with these, and 4 words at once (float4)"),
    ("wait", "each instruction waits for the result of the one before, which takes its fixed time", "give a warp independent work: unroll, and keep several sums instead of one"),
    ("barrier", "warps wait at a barrier, here or just before, for the slowest warp of their block", "need fewer barriers (larger tiles, or two tiles in turn), or have smaller blocks, so that another block works meanwhile"),
    ("branch resolving", "warps wait until a branch is decided", "unroll the loop (#pragma unroll), or choose a value instead of a way"),
    ("math pipe throttle", "warps wait for a unit that calculates and is busy", "do fewer operations of this kind, or use units that are idle (tensor cores)"),
    ("MIO throttle", "the queue to shared memory, shuffles and special functions is full", "access shared memory less often and more at once (float4), and keep values in registers"),
    ("LG throttle", "the queue to global memory is full", "load less often and more at once (float4), or load a tile once into shared memory"),
];

/// Warps that issue, or could.
const ISSUES: [&str; 2] = ["selected", "not selected"];

/// A line before which warps wait.
fn of_wait(line: &Map<String, Value>, costs: &Costs, bound_by: Option<&str>) -> Option<Advice> {
    let all: f64 = each(line, "stalls").map(|(_, percent)| percent).sum();
    let busy: f64 = ISSUES.iter().map(|reason| of(line, "stalls", reason)).sum();
    if all <= 0.0 {
        return None;
    }
    if busy > all / 2.0 {
        return Some(Advice {
            rule: "issues",
            why: format!("no wait: in {:.0} % of the line's time a warp issues, or could", 100.0 * busy / all),
            attempt: "this is the work itself: only fewer instructions for it help (unrolling, wider accesses, tensor cores)",
            gain: None,
            gained_by: "",
        });
    }
    let waits = each(line, "stalls").filter(|(reason, _)| !ISSUES.contains(reason));
    let (reason, percent) = waits.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let &(rule, why, attempt) = WAITS.iter().find(|(name, ..)| *name == reason)?;
    // Where a unit is the limit, a wait is what that looks like from a warp: the line with most of the unit's work comes first.
    let by_latency = bound_by.is_none_or(|term| term == LATENCY);
    Some(Advice {
        rule,
        why: format!("{why} ({reason}: {:.0} % of the line's time)", 100.0 * percent / all),
        attempt,
        gain: by_latency.then(|| costs.gain_of_waits(percent)),
        gained_by: "without this wait",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::kernel::Kernel;
    use serde_json::json;

    fn of_line(line: Value, bound_by: &str) -> Option<(&'static str, Option<f64>)> {
        let lines: Vec<Map<String, Value>> = serde_json::from_value(json!([line])).expect("an object");
        let kernel = Kernel { title: "", time_ms: 1.0, bound_by: Some(bound_by), lines: &lines };
        let advice = advice(&lines[0], &Costs::of(&kernel)?, Some(bound_by))?;
        Some((advice.rule, advice.gain))
    }

    #[test]
    fn work_in_vain_comes_before_the_unit_that_does_it() {
        let scattered = json!({"global_load_sectors": 3200, "global_load_efficiency": 12.5,
            "clock_ns": {"device memory": 800.0, "instruction issue": 200.0}, "stalls": {"long scoreboard": 100.0}});
        // An eighth of the sectors would take 100 ns; then the schedulers, with 200 ns, bound it.
        assert_eq!(of_line(scattered, "device memory"), Some(("scattered loads", Some(4.0))));
    }

    #[test]
    fn the_unit_that_bounds_the_kernel_comes_before_a_wait() {
        let line = json!({"shared_load_wavefronts": 1000, "clock_ns": {"shared-memory wavefronts": 40.0, "latency": 10.0},
            "stalls": {"barrier": 100.0}});
        assert_eq!(of_line(line, "shared-memory wavefronts"), Some(("shared-memory wavefronts", Some(2.0))));
    }

    #[test]
    fn where_nothing_is_busy_the_longest_wait_is_told_with_what_it_could_give() {
        let line =
            json!({"clock_ns": {"latency": 100.0, "L2 traffic": 80.0}, "stalls": {"barrier": 60.0, "selected": 40.0}});
        // Without the wait 2.5 times as fast, but L2 has work for 80 of the 100 ns.
        assert_eq!(of_line(line, "latency"), Some(("barrier", Some(1.25))));
    }

    #[test]
    fn a_line_that_only_issues_is_the_work_itself() {
        let line =
            json!({"clock_ns": {"latency": 9.0}, "stalls": {"selected": 60.0, "not selected": 10.0, "wait": 30.0}});
        assert_eq!(of_line(line, "latency"), Some(("issues", None)));
    }
}
