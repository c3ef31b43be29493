//! An executable graph's nodes as work.
use crate::interface::{Cause, Outcome};
use crate::objects::event::EventState;
use crate::objects::graphs::{Bodies, Node, Seq, Step, Work};
use crate::state::Driver;
use clock::streams::ready::Ready;
use std::sync::Arc;

impl Driver {
    /// Puts nodes on a stream, their roots after `before`. Answers their numbers.
    pub fn enqueue_nodes(
        &mut self,
        stream: usize,
        nodes: Vec<Node>,
        bodies: &Arc<Bodies>,
        before: &[Seq],
        ready: Ready,
    ) -> Result<Vec<Seq>, Cause> {
        let mut seqs: Vec<Seq> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut after: Vec<Seq> = node.after.iter().map(|&earlier| seqs[earlier]).collect();
            if after.is_empty() {
                after.extend(before);
            }
            let work = match node.step {
                _ if !node.is_enabled => Work::Join,
                Step::Empty | Step::Child(_) => Work::Join,
                Step::Allocate(at) => {
                    let bytes = self.allocations.get(&at).map_or(0, |allocation| allocation.bytes);
                    Work::Allocate { at, bytes }
                }
                Step::Copy(transfer) => Work::Copy(transfer),
                Step::Fill(fill) => Work::Fill(fill),
                Step::Launch(launch) => Work::Launch(launch),
                Step::Host(function) => Work::Host(function),
                Step::Free(address) => {
                    if let Some(allocation) = self.allocations.get_mut(&address) {
                        allocation.being_freed = true;
                    }
                    Work::Free(address)
                }
                Step::Record(event) => Work::Record(event),
                Step::Wait(event) => {
                    if let EventState::Pending(seq) = self.events.get(event)?.state {
                        after.push(seq);
                    }
                    Work::Join
                }
                Step::Conditional(node) => Work::Conditional { node, bodies: bodies.clone() },
            };
            seqs.push(self.enqueue(stream, work, after, ready, true)?);
        }
        Ok(seqs)
    }

    /// The bodies of the conditional nodes among `nodes`, and of those in them.
    pub fn bodies_of(&self, nodes: &[Node], found: &mut Bodies) -> Outcome {
        for node in nodes {
            let Step::Conditional(conditional) = &node.step else { continue };
            for &graph in conditional.bodies.iter() {
                let body = self.graphs.get(graph)?.flatten(&self.graphs)?;
                self.bodies_of(&body, found)?;
                found.insert(graph, body);
            }
        }
        Ok(())
    }
}
