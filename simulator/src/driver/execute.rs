//! Doing one operation: the data now, the time on the virtual clock.
use super::cause::Cause;
use super::queue::Work;
use super::records::Activity;
use super::state::Driver;
use crate::timeline::Span;

impl Driver {
    /// Does `work` and answers when it ended, with what is left of it. In a context with a fault nothing is done any more.
    pub fn execute(&mut self, stream: usize, context: usize, work: Work, ready_ns: u64, in_graph: bool) -> (u64, Work) {
        let Ok(owner) = self.contexts.get(context) else { return (ready_ns, work) };
        if owner.fault.is_some() {
            return (ready_ns, work);
        }
        let device = owner.device;
        let outcome = match &work {
            Work::Join | Work::Record(_) | Work::Host(_) => return (ready_ns, work),
            Work::Copy(transfer) => self.copy_now(device, transfer, ready_ns),
            Work::Fill(fill) => self.fill_now(device, fill, ready_ns),
            Work::Launch(launch) => self.launch_now(device, stream, launch, ready_ns, in_graph),
            // Gone already where its context ended first: a free may stand in a stream of another context.
            Work::Free(address) if !self.allocations.contains_key(address) => return (ready_ns, work),
            Work::Free(address) => self.release(*address).map(|()| None),
            Work::Write { at, value, bytes } => self.write_now(*at, *value, *bytes).map(|()| None),
        };
        let span = match outcome {
            Ok(Some((span, activity))) => {
                let stream_id = self.streams.get(stream).map_or(0, |s| s.id);
                self.records.activity(Activity { stream: stream_id, span, ..activity });
                span
            }
            Ok(None) => Span { start_ns: ready_ns, end_ns: ready_ns },
            Err(cause) => {
                self.fail(context, cause);
                Span { start_ns: ready_ns, end_ns: ready_ns }
            }
        };
        (span.end_ns, work)
    }

    /// Ends a context with a fault: what is pending in it is dropped, what is called in it answers the fault.
    fn fail(&mut self, context: usize, cause: Cause) {
        if let Ok(context) = self.contexts.get_mut(context)
            && context.fault.is_none()
        {
            context.fault = Some(cause);
        }
    }
}
