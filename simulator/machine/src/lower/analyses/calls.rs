//! Which functions call which.
use ptx::tree::Function;

/// Functions that each one can reach through calls, itself included. An indirect call can reach every device function.
pub fn closure(calls: &[Vec<usize>], indirect: &[bool], defined: &[&Function]) -> Vec<Vec<usize>> {
    let anywhere: Vec<usize> = (0..defined.len()).filter(|&i| !defined[i].is_entry).collect();
    let reach = |start: usize| {
        let mut seen = vec![false; calls.len()];
        let mut reached = vec![start];
        seen[start] = true;
        let mut at = 0;
        while at < reached.len() {
            let function = reached[at];
            at += 1;
            let more = if indirect[function] { &anywhere[..] } else { &[] };
            for &next in calls[function].iter().chain(more) {
                if !std::mem::replace(&mut seen[next], true) {
                    reached.push(next);
                }
            }
        }
        reached.sort_unstable();
        reached
    };
    (0..calls.len()).map(reach).collect()
}

/// Returns whether a function calls through a register: only such calls name a prototype or a table of targets.
pub fn calls_indirectly(function: &Function) -> bool {
    function.body.as_ref().is_some_and(|body| !body.prototypes.is_empty() || !body.tables.is_empty())
}
