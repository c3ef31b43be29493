//! Rules about source lines: from counters and waits to a reason in words and the next thing to try, as a profiler has them.
use crate::journal::{Kernel, number};
use serde_json::{Map, Value};

/// The counters of one source line.
pub type Line = Map<String, Value>;

/// A source line by its part of the kernel's cost.
pub struct Costly<'k> {
    pub line: &'k Line,
    /// Percent of the kernel's cost.
    pub share: f64,
    /// What warps wait for most before it; nothing where the clock has not played blocks through.
    pub mostly: Option<&'k str>,
}

/// A reason and what to do about it.
#[derive(Debug, PartialEq)]
pub struct Advice {
    pub reason: String,
    pub next: &'static str,
}

/// What the shares are of.
pub fn measure(kernel: &Kernel) -> &'static str {
    if has_waits(kernel) { "of all waits" } else { "of the time's bound" }
}

fn has_waits(kernel: &Kernel) -> bool {
    kernel.lines.iter().any(|line| line.contains_key("stalls"))
}

/// The lines of a kernel, the costliest first, without those that cost nothing: by what warps wait before them, else by their part
/// of the term of the clock that bounds the launch.
pub fn costly(kernel: &Kernel) -> Vec<Costly<'_>> {
    let has_waits = has_waits(kernel);
    let cost = |line: &Line| -> f64 {
        if has_waits {
            return members(line, "stalls").map(|(_, percent)| percent).sum();
        }
        let of_term = members(line, "clock_ns").find(|(term, _)| *term == kernel.bound_by);
        of_term.map_or(0.0, |(_, ns)| ns)
    };
    let all: f64 = kernel.lines.iter().map(cost).sum();
    let mut found: Vec<Costly> = kernel
        .lines
        .iter()
        .map(|line| Costly { line, share: 100.0 * cost(line) / all.max(f64::MIN_POSITIVE), mostly: mostly(line) })
        .filter(|costly| costly.share > 0.0)
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

fn members<'l>(line: &'l Line, key: &str) -> impl Iterator<Item = (&'l str, f64)> {
    let object = line.get(key).and_then(Value::as_object);
    object.into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_f64().unwrap_or(0.0)))
}

fn mostly(line: &Line) -> Option<&str> {
    members(line, "stalls").max_by(|a, b| a.1.total_cmp(&b.1)).map(|(reason, _)| reason)
}

/// Why a line costs what it costs, and the next thing to try. Access patterns come first: they say more than the wait that follows from
/// them.
pub fn advice(costly: &Costly) -> Option<Advice> {
    /// Waits that a parted warp does not explain.
    const OF_MEMORY: &[&str] = &["long scoreboard", "short scoreboard", "barrier", "MIO throttle", "LG throttle"];
    let parted = || branches(costly.line).filter(|_| !costly.mostly.is_some_and(|reason| OF_MEMORY.contains(&reason)));
    ACCESSES.iter().find_map(|rule| rule(costly.line)).or_else(parted).or_else(|| {
        let (_, reason, next) = WAITS.iter().find(|(name, ..)| Some(*name) == costly.mostly)?;
        Some(Advice { reason: (*reason).to_owned(), next })
    })
}

/// Rules that look at what a line does with memory, the most telling first.
const ACCESSES: &[fn(&Line) -> Option<Advice>] = &[loads, stores, conflicts, atomics, spills];

fn count(line: &Line, key: &str) -> f64 {
    number(line, key).unwrap_or(0.0)
}

fn loads(line: &Line) -> Option<Advice> {
    scattered(line, "loads", "global_load")
}

fn stores(line: &Line) -> Option<Advice> {
    scattered(line, "stores", "global_store")
}

/// A warp whose lanes' addresses lie apart. A broadcast uses little of its one sector as well, and costs nothing for it.
fn scattered(line: &Line, does: &str, key: &str) -> Option<Advice> {
    const MANY_SECTORS: f64 = 8.0;
    const LITTLE_USED_PERCENT: f64 = 60.0;
    let each = count(line, &format!("{key}_sectors")) / count(line, &format!("{key}_requests")).max(1.0);
    let used = number(line, &format!("{key}_efficiency"))?;
    (each >= MANY_SECTORS && used < LITTLE_USED_PERCENT).then(|| Advice {
        reason: format!(
            "a warp's {does} take {each:.0} pieces of 32 bytes each time and use {used:.0} % of them: up to {:.1} times less traffic",
            100.0 / used.max(1.0)
        ),
        next: "let threads that follow each other in x touch elements that follow each other, or bring the tile through shared memory",
    })
}

fn conflicts(line: &Line) -> Option<Advice> {
    const WASTED: f64 = 0.25;
    let passes = count(line, "shared_load_wavefronts") + count(line, "shared_store_wavefronts");
    let extra = count(line, "shared_conflicts");
    (extra > WASTED * passes && extra < passes).then(|| Advice {
        reason: format!(
            "lanes of a warp want different words of one bank: {:.1} times as many passes over shared memory as are needed",
            passes / (passes - extra)
        ),
        next: "pad each row of the shared array by one element, or change which lane takes which element",
    })
}

fn atomics(line: &Line) -> Option<Advice> {
    let (accesses, waiting) = (count(line, "atomics"), count(line, "atomic_conflicts"));
    (accesses > 0.0 && waiting > accesses).then(|| Advice {
        reason: format!(
            "{:.0} lanes of a warp update an address that another lane of it updates: one after the other",
            waiting / accesses
        ),
        next: "add up inside the warp first (__reduce_add_sync, shuffles) or in shared memory, and let one lane update",
    })
}

fn spills(line: &Line) -> Option<Advice> {
    let sectors = count(line, "local_load_sectors") + count(line, "local_store_sectors");
    let global = count(line, "global_load_sectors") + count(line, "global_store_sectors");
    (sectors > global && sectors > 0.0).then(|| Advice {
        reason: "it reads and writes local memory, which lies where global memory lies".to_owned(),
        next: "index small arrays by constants only (unroll the loop), or use fewer registers a thread, so that nothing is spilled",
    })
}

fn branches(line: &Line) -> Option<Advice> {
    const OFTEN: f64 = 0.25;
    let (all, parted) = (count(line, "branches"), count(line, "divergent_branches"));
    (parted > OFTEN * all).then(|| Advice {
        reason: format!(
            "{:.0} % of its branches part the lanes of a warp: both ways run, one after the other",
            100.0 * parted / all
        ),
        next: "let the condition be the same for the 32 threads of a warp, or compute both values and choose",
    })
}

/// Waits by the profiler's name, what they mean, and what to try.
#[rustfmt::skip]
const WAITS: &[(&str, &str, &str)] = &[
    ("long scoreboard", "warps wait here for data from L1, L2 or the card's memory",
        "load earlier than it is used, several elements a thread, or keep in shared memory or registers what is read again"),
    ("short scoreboard", "warps wait here for shared memory, a shuffle or a special function",
        "do independent work between the load and its use; read two or four neighbouring words at once"),
    ("wait", "each instruction waits here for the result of the one before",
        "give a thread independent chains: several results at once, or an unrolled loop with several sums"),
    ("barrier", "warps wait here for the slowest warp of the block",
        "share the work before the barrier out evenly, or do more of it between two barriers"),
    ("branch resolving", "warps wait here for the target of a branch",
        "unroll the loop, or fold short branches into conditional values"),
    ("math pipe throttle", "the units that calculate are busy: warps queue for them",
        "this is their rate: compute less (fused multiply-add, strength reduction) or with a faster type"),
    ("MIO throttle", "the queue to shared memory, shuffles and special functions is full",
        "use fewer and wider accesses, and keep in registers what is read more than once"),
    ("LG throttle", "the queue to global and local memory is full",
        "use fewer and wider accesses, such as a float4 a thread"),
    ("not selected", "another warp had its turn: there are enough warps", "nothing to gain at this line"),
    ("selected", "an instruction is issued here: this is work, not waiting", "fewer instructions alone make it faster"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(value: Value) -> Line {
        value.as_object().cloned().unwrap()
    }

    fn advice_of(value: Value) -> Option<Advice> {
        let line = line(value);
        advice(&Costly { line: &line, share: 1.0, mostly: mostly(&line) })
    }

    #[test]
    fn a_pattern_says_more_than_the_wait_that_follows_from_it() {
        let stalls = json!({ "long scoreboard": 60.0, "wait": 1.0 });
        let loads = |sectors: u32, used: f64| {
            json!({ "global_load_requests": 10, "global_load_sectors": 10 * sectors, "global_load_efficiency": used,
                "stalls": stalls })
        };
        assert!(advice_of(loads(32, 12.5)).unwrap().reason.contains("up to 8.0 times less traffic"));
        assert!(advice_of(loads(1, 12.5)).unwrap().reason.contains("warps wait here for data"), "a broadcast");
        assert!(advice_of(loads(4, 100.0)).unwrap().reason.contains("warps wait here for data"));
        let shared = json!({ "shared_load_wavefronts": 32, "shared_store_wavefronts": 0, "shared_conflicts": 31 });
        assert!(advice_of(shared).unwrap().reason.contains("32.0 times as many passes"));
        assert_eq!(advice_of(json!({ "instructions": 4 })), None);
    }

    #[test]
    fn every_reason_of_the_clock_has_words() {
        for reason in simulator::timeline::stalls::REASONS {
            assert!(WAITS.iter().any(|(name, ..)| *name == reason.name()), "{reason:?}");
        }
    }
}
