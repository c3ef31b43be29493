//! Conditional nodes: the value is read when all before the node is done, and what it chooses is done before anything after it.
use super::finish::finish;
use super::job::Job;
use crate::interface::Outcome;
use crate::objects::graphs::conditional::{Choice, Conditional};
use crate::objects::graphs::{Bodies, Node, Work};
use crate::state::Guard;
use std::sync::Arc;

impl Job {
    /// Does what a conditional node's value chooses. Nobody else does the node meanwhile: its work is taken.
    pub(super) fn choose(
        &mut self,
        mut driver: Guard,
        device: usize,
        node: &Conditional,
        bodies: &Arc<Bodies>,
    ) -> (Guard, Outcome) {
        loop {
            let mut value = [0; 4];
            if driver.devices[device].memory.read(node.address, &mut value).is_err() {
                let lost = driver.no_allocation("the condition's handle", node.address);
                return (driver, Err(lost));
            }
            let body = node.choice.body(u32::from_le_bytes(value)).and_then(|at| node.bodies.get(at));
            let Some(nodes) = body.and_then(|graph| bodies.get(graph)) else { return (driver, Ok(())) };
            let outcome;
            (driver, outcome) = self.body(driver, nodes.clone(), bodies);
            let ended = outcome.is_err() || driver.healthy(self.context).is_err();
            if ended || node.choice != Choice::While {
                return (driver, outcome);
            }
        }
    }

    /// Does a body, and notes when it ended.
    fn body(&mut self, mut driver: Guard, nodes: Vec<Node>, bodies: &Arc<Bodies>) -> (Guard, Outcome) {
        // The stream may have been destroyed since the launch: its work goes on in the context's own.
        let gone = driver.streams.get(self.stream).is_err();
        let stream = match driver.contexts.get(self.context) {
            Ok(context) if gone => context.legacy,
            _ => self.stream,
        };
        let entered = driver
            .enqueue_nodes(stream, nodes, bodies, &[], self.ready)
            .and_then(|all| driver.enqueue(stream, Work::Join, all, self.ready, true));
        match entered {
            Ok(end) => {
                driver = finish(driver, &[end]);
                self.ready = driver.streams.get(stream).map_or(self.ready, |stream| stream.ended.and(self.ready));
                (driver, Ok(()))
            }
            Err(cause) => (driver, Err(cause)),
        }
    }
}
