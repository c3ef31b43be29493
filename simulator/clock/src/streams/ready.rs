//! When work may begin: what ended before it, and which engine that was on.
//!
//! An engine learns by a signal in memory that another is through. Work that follows on the same engine needs none.

/// What carries work out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Kernels, and copies and fills within the device's memory, which are the driver's own.
    Multiprocessors,
    /// Copies over the bus, either way.
    Copies,
}

/// When all that came before has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    pub at_ns: u64,
    /// The last end on each engine, of what nothing on another engine came after; 0: there was none.
    ends_ns: [u64; 2],
}

impl Ready {
    /// From a time on, whatever the engine.
    pub fn at(at_ns: u64) -> Ready {
        Ready { at_ns, ..Ready::default() }
    }

    /// After work on an engine.
    pub fn after(engine: Engine, end_ns: u64) -> Ready {
        let mut ready = Ready::at(end_ns);
        ready.ends_ns[engine as usize] = end_ns;
        ready
    }

    /// When both have ended.
    pub fn and(self, other: Ready) -> Ready {
        let ends_ns = std::array::from_fn(|engine| self.ends_ns[engine].max(other.ends_ns[engine]));
        Ready { at_ns: self.at_ns.max(other.at_ns), ends_ns }
    }

    /// So much later.
    pub fn later(self, by_ns: u64) -> Ready {
        let ends_ns = self.ends_ns.map(|end| if end > 0 { end + by_ns } else { 0 });
        Ready { at_ns: self.at_ns + by_ns, ends_ns }
    }

    /// When an engine may begin, that takes `handover_ns` to learn of the other's end. The host had submitted the work at `submitted_ns`: of what had
    /// ended by then nobody has to learn.
    pub fn on(self, engine: Engine, handover_ns: u64, submitted_ns: u64) -> u64 {
        let other = match engine {
            Engine::Multiprocessors => Engine::Copies,
            Engine::Copies => Engine::Multiprocessors,
        };
        let end_ns = self.ends_ns[other as usize];
        self.at_ns.max(if end_ns > submitted_ns { end_ns + handover_ns } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Engine::{Copies, Multiprocessors};

    #[test]
    fn another_engine_learns_of_the_end_later() {
        let after = Ready::after(Copies, 100);
        assert_eq!(after.on(Copies, 30, 0), 100);
        assert_eq!(after.on(Multiprocessors, 30, 0), 130);
        assert_eq!(after.later(5).on(Multiprocessors, 30, 0), 135);
        assert_eq!(after.on(Multiprocessors, 30, 100), 100, "it had ended when the host submitted the work");
    }

    #[test]
    fn of_several_the_last_that_the_engine_learns_of_counts() {
        let both = Ready::after(Copies, 100).and(Ready::after(Multiprocessors, 110)).and(Ready::at(50));
        assert_eq!(both.on(Multiprocessors, 30, 0), 130);
        assert_eq!(both.on(Copies, 30, 0), 140);
        assert_eq!(Ready::at(50).on(Copies, 30, 0), 50);
    }
}
