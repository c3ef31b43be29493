//! Convergence order: numbers for blocks such that running the lowest-numbered lanes first makes lanes meet.
//!
//! Where the graph has no cycles, any topological order does: the block where paths meet (the immediate post-dominator
//! of where they parted) is reachable from all blocks on them, so it stands after them all. A loop becomes one node of
//! that order, and is ordered inside without the edges back to its head. Lanes that reach a loop's end early must wait
//! for the others before they go around again, or they would be the lowest and never meet them: so a loop with several
//! edges back to its head gets one block of its own that they all go through, the last of the loop.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Successors of each node; node 0 is the entry. Nodes added as latches come after the given ones.
pub struct Graph {
    pub successors: Vec<Vec<u32>>,
}

/// Loops nested deeper than this are ordered as the text has them: lanes then meet later, and results stay the same.
const DEEPEST: u32 = 64;

/// Orders the nodes that are reachable from node 0. May add latches to the graph.
pub fn convergence_order(graph: &mut Graph) -> Vec<u32> {
    let mut orderer = Orderer {
        order: Vec::with_capacity(graph.successors.len()),
        region: vec![OUTSIDE; graph.successors.len()],
        heads: vec![false; graph.successors.len()],
        next_region: 0,
        graph,
    };
    let reachable = orderer.reachable();
    orderer.region_order(reachable, None, 0);
    orderer.order
}

/// Region number of nodes that are not in the region at hand.
const OUTSIDE: u32 = u32::MAX;

struct Orderer<'g> {
    graph: &'g mut Graph,
    order: Vec<u32>,
    /// The innermost region that each node was put in so far.
    region: Vec<u32>,
    /// Heads of the loops around the region at hand: edges to them are edges back.
    heads: Vec<bool>,
    next_region: u32,
}

impl Orderer<'_> {
    fn reachable(&self) -> Vec<u32> {
        let mut seen = vec![false; self.graph.successors.len()];
        let mut stack = vec![0];
        let mut nodes = Vec::new();
        seen[0] = true;
        while let Some(node) = stack.pop() {
            nodes.push(node);
            for &next in &self.graph.successors[node as usize] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push(next);
                }
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// Appends the nodes of a region in order. `head` is the region's loop head, whose edges back are left out.
    fn region_order(&mut self, mut nodes: Vec<u32>, head: Option<u32>, depth: u32) {
        if depth >= DEEPEST {
            // The head first; the rest as in the text.
            nodes.sort_by_key(|&node| (Some(node) != head, node));
            self.order.extend(nodes);
            return;
        }
        let region = self.next_region;
        self.next_region += 1;
        for &node in &nodes {
            self.region[node as usize] = region;
        }
        let components = self.components(&nodes, region);
        for component in self.topological(&components, region) {
            let nodes = &components.members[component as usize];
            let first = nodes[0];
            if nodes.len() == 1 && !self.inner_edge(first, first) {
                self.order.push(first);
                continue;
            }
            let nodes = nodes.clone();
            let head = self.head(&nodes, &components, component);
            let nodes = self.with_latch(nodes, head, &components.of, component);
            self.heads[head as usize] = true;
            self.region_order(nodes, Some(head), depth + 1);
            self.heads[head as usize] = false;
        }
    }

    /// Returns whether an edge exists that is not an edge back to a head of a loop around.
    fn inner_edge(&self, from: u32, to: u32) -> bool {
        !self.heads[to as usize] && self.graph.successors[from as usize].contains(&to)
    }

    /// Successors inside the region, without edges back.
    fn inner(&self, node: u32, region: u32) -> impl Iterator<Item = u32> {
        let successors = self.graph.successors[node as usize].iter().copied();
        successors.filter(move |&next| self.region[next as usize] == region && !self.heads[next as usize])
    }

    /// Strongly connected components (Tarjan), without recursion.
    fn components(&self, nodes: &[u32], region: u32) -> Components {
        let count = self.graph.successors.len();
        let mut found = Components { of: vec![OUTSIDE; count], members: Vec::new() };
        let (mut index, mut low) = (vec![0u32; count], vec![0u32; count]);
        let (mut stack, mut open, mut clock) = (Vec::new(), Vec::new(), 0);
        for &root in nodes {
            if index[root as usize] != 0 {
                continue;
            }
            open.push((root, 0));
            while let Some(&mut (node, ref mut at)) = open.last_mut() {
                let n = node as usize;
                if *at == 0 {
                    clock += 1;
                    (index[n], low[n]) = (clock, clock);
                    stack.push(node);
                }
                let next = self.graph.successors[n].get(*at).copied();
                *at += 1;
                match next {
                    Some(next) if self.region[next as usize] != region || self.heads[next as usize] => {}
                    Some(next) if index[next as usize] == 0 => open.push((next, 0)),
                    Some(next) if found.of[next as usize] == OUTSIDE => low[n] = low[n].min(index[next as usize]),
                    Some(_) => {}
                    None => {
                        open.pop();
                        if let Some(&(parent, _)) = open.last() {
                            low[parent as usize] = low[parent as usize].min(low[n]);
                        }
                        if low[n] == index[n] {
                            found.close(&mut stack, node);
                        }
                    }
                }
            }
        }
        found
    }

    /// Components in topological order; of those that are ready the one that stands first in the text.
    fn topological(&self, components: &Components, region: u32) -> Vec<u32> {
        let mut waiting = vec![0u32; components.members.len()];
        let edges = |component: u32| {
            let members = components.members[component as usize].iter();
            members
                .flat_map(|&node| self.inner(node, region))
                .map(|next| components.of[next as usize])
                .filter(move |&next| next != component)
        };
        for component in 0..components.members.len() as u32 {
            for next in edges(component) {
                waiting[next as usize] += 1;
            }
        }
        let first = |component: u32| Reverse((components.members[component as usize][0], component));
        let ready = (0..components.members.len() as u32).filter(|&c| waiting[c as usize] == 0);
        let mut ready: BinaryHeap<_> = ready.map(first).collect();
        let mut order = Vec::with_capacity(components.members.len());
        while let Some(Reverse((_, component))) = ready.pop() {
            order.push(component);
            for next in edges(component) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    ready.push(first(next));
                }
            }
        }
        order
    }

    /// The node that a loop is entered at: the first in the text that has an edge from outside of the component. An
    /// irreducible loop has several; any serves.
    fn head(&self, nodes: &[u32], components: &Components, component: u32) -> u32 {
        let mut entered = vec![];
        for members in components.members.iter() {
            if components.of[members[0] as usize] == component {
                continue;
            }
            for &node in members {
                let into = self.graph.successors[node as usize].iter();
                // A latch that a loop before this one got has no component here.
                entered.extend(into.copied().filter(|&next| components.of.get(next as usize) == Some(&component)));
            }
        }
        // A function may begin with a loop: nothing enters it but the call.
        entered.into_iter().min().unwrap_or(nodes[0])
    }

    /// Sends all edges back to a head through one new node, if there are several.
    fn with_latch(&mut self, mut nodes: Vec<u32>, head: u32, of: &[u32], component: u32) -> Vec<u32> {
        let inside = |node: u32| of.get(node as usize) == Some(&component);
        let back: Vec<u32> = nodes
            .iter()
            .copied()
            .filter(|&node| inside(node) && self.graph.successors[node as usize].contains(&head))
            .collect();
        if back.len() < 2 {
            return nodes;
        }
        let latch = self.graph.successors.len() as u32;
        for node in back {
            for next in &mut self.graph.successors[node as usize] {
                if *next == head {
                    *next = latch;
                }
            }
        }
        self.graph.successors.push(vec![head]);
        self.region.push(OUTSIDE);
        self.heads.push(false);
        nodes.push(latch);
        nodes
    }
}

struct Components {
    /// Component of each node.
    of: Vec<u32>,
    /// Nodes of each component, sorted.
    members: Vec<Vec<u32>>,
}

impl Components {
    fn close(&mut self, stack: &mut Vec<u32>, root: u32) {
        let start = stack.iter().rposition(|&node| node == root).unwrap_or(0);
        let mut members = stack.split_off(start);
        members.sort_unstable();
        for &node in &members {
            self.of[node as usize] = self.members.len() as u32;
        }
        self.members.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::super::dominators::post_dominators;
    use super::*;
    use proptest::prelude::*;

    /// Order and post-dominators by the graph's own node numbers.
    fn order(successors: &[&[u32]]) -> (Vec<u32>, Vec<Option<u32>>) {
        let mut graph = Graph { successors: successors.iter().map(|next| next.to_vec()).collect() };
        let order = convergence_order(&mut graph);
        (order, post_dominators(&graph.successors))
    }

    #[test]
    fn both_sides_of_an_if_stand_before_the_place_where_they_meet() {
        // The text has the meeting block before the else side.
        let (order, rejoin) = order(&[&[3, 1], &[2], &[], &[2]]);
        assert_eq!(order, [0, 1, 3, 2]);
        assert_eq!(rejoin, [Some(2), Some(2), None, Some(2)]);
    }

    #[test]
    fn a_short_circuit_meets_behind_both_conditions() {
        // if (a && b) 2; 3
        let (order, rejoin) = order(&[&[1, 3], &[2, 3], &[3], &[]]);
        assert_eq!(order, [0, 1, 2, 3]);
        assert_eq!(rejoin[0], Some(3));
        assert_eq!(rejoin[1], Some(3));
    }

    #[test]
    fn what_a_break_does_first_stands_behind_the_loop() {
        // 1: head, 2: if (x) { 3; break; }, 4: latch, 5: after the loop.
        let (order, rejoin) = order(&[&[1], &[2, 5], &[3, 4], &[5], &[1], &[]]);
        assert_eq!(order, [0, 1, 2, 4, 3, 5]);
        assert_eq!(rejoin[1], Some(5));
    }

    #[test]
    fn several_edges_back_meet_in_one_latch_at_the_end_of_the_loop() {
        // A loop whose body continues in two places: 2 and 3 both go back to 1.
        let (order, rejoin) = order(&[&[1], &[2, 3], &[1, 4], &[1], &[]]);
        let latch = 5;
        assert_eq!(order, [0, 1, 2, 3, latch, 4]);
        assert_eq!(rejoin[2], Some(4));
        // From 1 a lane may leave by 2 or go around by the latch first.
        assert_eq!(rejoin[3], Some(latch));
    }

    #[test]
    fn inner_loops_are_contiguous_within_outer_ones() {
        // 1: outer head, 2: inner head and latch, 3: outer latch.
        let (order, _) = order(&[&[1], &[2, 4], &[2, 3], &[1], &[]]);
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_loop_laid_out_behind_its_exit_still_comes_first() {
        // The compiler rotated the loop: 1 is the exit, 2 the body.
        let (order, rejoin) = order(&[&[2, 1], &[], &[2, 1]]);
        assert_eq!(order, [0, 2, 1]);
        assert_eq!(rejoin, [Some(1), None, Some(1)]);
    }

    #[test]
    fn a_loop_with_two_entries_has_some_order() {
        let (order, rejoin) = order(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert_eq!(order.len(), 4);
        assert_eq!((order[0], order[3]), (0, 3));
        assert_eq!(rejoin[0], Some(2));
    }

    #[test]
    fn an_endless_loop_meets_nowhere() {
        let (order, rejoin) = order(&[&[1, 2], &[1], &[]]);
        assert_eq!(order, [0, 1, 2]);
        assert_eq!(rejoin[1], None);
    }

    #[test]
    fn deep_nests_and_long_chains_need_no_stack() {
        // Loop i is entered from i - 1 and left backwards: as deep a nest as there are nodes.
        let deep = 3000;
        let mut successors: Vec<Vec<u32>> = (0..deep).map(|i| vec![i + 1, i.max(1) - 1]).collect();
        successors.push(vec![]);
        assert!(convergence_order(&mut Graph { successors }).len() as u32 > deep);
        let mut successors: Vec<Vec<u32>> = (0..100_000).map(|i| vec![i + 1]).collect();
        successors.push(vec![]);
        let mut graph = Graph { successors };
        assert_eq!(convergence_order(&mut graph), (0..=100_000).collect::<Vec<_>>());
        assert_eq!(post_dominators(&graph.successors)[0], Some(1));
    }

    proptest! {
        /// Whatever the graph: each reachable node once, and without cycles every edge goes forward, so that the place
        /// where paths meet stands after all blocks on them.
        #[test]
        fn any_graph_has_a_complete_order(edges in prop::collection::vec(prop::collection::vec(0u32..24, 0..3), 24), acyclic: bool) {
            let mut successors = edges;
            for (node, next) in successors.iter_mut().enumerate() {
                if acyclic {
                    next.retain(|&next| next > node as u32);
                }
                next.dedup();
            }
            let mut graph = Graph { successors };
            let order = convergence_order(&mut graph);
            let mut position = vec![None; graph.successors.len()];
            for (i, &node) in order.iter().enumerate() {
                prop_assert_eq!(position[node as usize].replace(i), None);
            }
            prop_assert_eq!(order[0], 0);
            for &node in &order {
                for &next in &graph.successors[node as usize] {
                    let next = position[next as usize];
                    prop_assert!(next.is_some());
                    prop_assert!(!acyclic || next > position[node as usize]);
                }
            }
            let rejoin = post_dominators(&graph.successors);
            for &node in &order {
                if let (true, Some(rejoin)) = (acyclic, rejoin[node as usize]) {
                    prop_assert!(position[rejoin as usize] > position[node as usize]);
                }
            }
        }
    }
}
