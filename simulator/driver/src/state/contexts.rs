//! Objects that belong to a context, and go with it.
use crate::state::Driver;
impl Driver {
    fn tell_leaks(&mut self, handle: usize) {
        let Ok(device) = self.contexts.get(handle).map(|context| context.device) else { return };
        let mut held = watch::sanitizer::findings::leaks::leaks(&self.devices[device].memory);
        held.retain(|leak| self.allocations.get(&leak.address).is_some_and(|allocation| allocation.context == handle));
        let Some(diagnosis) = watch::diagnostics::leaks(&held) else { return };
        if self.settings.judges_leaks() {
            self.records.finding(diagnosis);
        } else if let Some(journal) = &self.records.journal {
            journal.note(&diagnosis);
        }
    }

    /// Frees what a context owns. Its handle stays. What the program did not free itself is a leak: a finding where that was asked for, else a note.
    pub fn empty_context(&mut self, handle: usize) {
        if self.settings.sanitize {
            self.tell_leaks(handle);
        }
        let legacy = self.contexts.get(handle).map_or(0, |context| context.legacy);
        for stream in self.streams_in(handle) {
            if stream != legacy {
                let _ = self.streams.remove(stream);
            }
        }
        if let Ok(context) = self.contexts.get_mut(handle) {
            context.per_thread.clear();
        }
        let owned = |(address, allocation): (&u64, &crate::objects::memory::allocation::Allocation)| {
            (allocation.context == handle).then_some(*address)
        };
        let owned: Vec<u64> = self.allocations.iter().filter_map(owned).collect();
        for &address in &owned {
            let _ = self.release(address);
        }
        self.forget_graph_memory(&owned);
        for event in self.events.iter().filter(|(_, e)| e.context == handle).map(|(h, _)| h).collect::<Vec<_>>() {
            let _ = self.events.remove(event);
        }
        for module in self.modules.iter().filter(|(_, m)| m.context == handle).map(|(h, _)| h).collect::<Vec<_>>() {
            let _ = self.modules.remove(module);
        }
    }
}
