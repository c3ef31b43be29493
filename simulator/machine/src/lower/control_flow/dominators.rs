//! Where the paths that part at a block meet again, whatever way each takes.

/// The immediate post-dominator of each node, by position in an order in which node 0 of `successors` comes first;
/// `None` where no block comes after all paths.
///
/// Cooper, Harvey and Kennedy's iteration on the reversed graph with one exit added.
pub fn post_dominators(successors: &[Vec<u32>]) -> Vec<Option<u32>> {
    let exit = successors.len();
    let mut predecessors = vec![Vec::new(); exit + 1];
    for (node, next) in successors.iter().enumerate() {
        if next.is_empty() {
            predecessors[exit].push(node as u32);
        }
        for &next in next {
            predecessors[next as usize].push(node as u32);
        }
    }
    // Postorder of the reversed graph from the exit.
    let mut number = vec![u32::MAX; exit + 1];
    let mut postorder = Vec::new();
    let mut stack = vec![(exit as u32, 0)];
    let mut seen = vec![false; exit + 1];
    seen[exit] = true;
    while let Some(&mut (node, ref mut at)) = stack.last_mut() {
        match predecessors[node as usize].get(*at) {
            Some(&next) => {
                *at += 1;
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                number[node as usize] = postorder.len() as u32;
                postorder.push(node);
                stack.pop();
            }
        }
    }
    let mut dominator = vec![u32::MAX; exit + 1];
    dominator[exit] = exit as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for &node in postorder.iter().rev().skip(1) {
            let next = &successors[node as usize];
            let exit_only = [exit as u32];
            let next: &[u32] = if next.is_empty() { &exit_only } else { next };
            let mut best = u32::MAX;
            for &next in next.iter().filter(|&&next| dominator[next as usize] != u32::MAX) {
                best = if best == u32::MAX { next } else { meet(&dominator, &number, best, next) };
            }
            if dominator[node as usize] != best {
                dominator[node as usize] = best;
                changed = true;
            }
        }
    }
    (0..exit).map(|node| Some(dominator[node]).filter(|&d| d != u32::MAX && d != exit as u32)).collect()
}

fn meet(dominator: &[u32], number: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while number[a as usize] < number[b as usize] {
            a = dominator[a as usize];
        }
        while number[b as usize] < number[a as usize] {
            b = dominator[b as usize];
        }
    }
    a
}
