//! Those who listen to a launch, side by side: counters, the clock's traffic, the sanitizer.
use crate::counters::Counters;
use crate::fault::{Place, Waiting};
use crate::probe::{Access, Arrival, Gather, Launch, Phase, Probe, Scope, Who};
use crate::ptx::tree::Space;
use crate::sanitizer::Sanitizer;
use crate::timeline::traffic::Traffic;
use std::any::Any;

/// What is wanted of a launch.
pub struct Listeners {
    pub counters: Option<Counters>,
    pub traffic: Option<Traffic>,
    pub sanitizer: Option<Sanitizer>,
}

impl Listeners {
    /// For the executor; `None` where nobody listens, so that nothing is told.
    pub fn into_probe(self) -> Option<Box<dyn Probe>> {
        let anybody = self.counters.is_some() || self.traffic.is_some() || self.sanitizer.is_some();
        anybody.then(|| Box::new(self) as Box<dyn Probe>)
    }

    /// Takes them back from the executor.
    pub fn back(probe: Option<Box<dyn Probe>>) -> Listeners {
        let back = probe.and_then(|probe| probe.into_any().downcast::<Listeners>().ok());
        back.map_or(Listeners { counters: None, traffic: None, sanitizer: None }, |listeners| *listeners)
    }
}

/// A listener of the same kind, out of its box.
fn concrete<T: Probe + 'static>(probe: Box<dyn Probe>) -> Option<T> {
    probe.into_any().downcast::<T>().ok().map(|probe| *probe)
}

macro_rules! tell {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            fn $name(&mut self, $($argument: $type),*) {
                if let Some(counters) = &mut self.counters {
                    counters.$name($($argument),*);
                }
                if let Some(traffic) = &mut self.traffic {
                    traffic.$name($($argument),*);
                }
                if let Some(sanitizer) = &mut self.sanitizer {
                    sanitizer.$name($($argument),*);
                }
            }
        )*
    };
}

impl Probe for Listeners {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Listeners {
            counters: self.counters.as_ref().and_then(|counters| concrete(counters.fork())),
            traffic: self.traffic.as_ref().and_then(|traffic| concrete(traffic.fork())),
            sanitizer: self.sanitizer.as_ref().and_then(|sanitizer| concrete(sanitizer.fork())),
        })
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        let Listeners { counters, traffic, sanitizer } = Listeners::back(Some(worker));
        if let (Some(own), Some(other)) = (&mut self.counters, counters) {
            own.join(Box::new(other));
        }
        if let (Some(own), Some(other)) = (&mut self.traffic, traffic) {
            own.join(Box::new(other));
        }
        if let (Some(own), Some(other)) = (&mut self.sanitizer, sanitizer) {
            own.join(Box::new(other));
        }
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
    fn one_thread(&self) -> bool {
        self.counters.as_ref().is_some_and(Probe::one_thread) || self.sanitizer.as_ref().is_some_and(Probe::one_thread)
    }

    tell! {
        launch(launch: &Launch);
        block_start(block: [u32; 3], block_index: u64);
        block_end(block: [u32; 3], block_index: u64);
        run(who: Who, block: u32, mask: u32, live: u32);
        guarded(who: Who, site: u32, active: u32, mask: u32);
        branch(who: Who, site: u32, active: u32, taken: u32);
        access(access: &Access);
        across_the_end(access: &Access);
        written(who: Who, space: Space, mask: u32, addresses: &[u64; 32], bytes: u32);
        barrier_arrive(arrival: &Arrival);
        barrier_release(block_index: u64, id: u32);
        gather(gather: &Gather);
        fence(who: Who, site: u32, mask: u32, scope: Scope);
        phase(phase: &Phase);
        copy_begins(who: Who, site: u32, mask: u32, addresses: &[u64; 32], bytes: u32);
        uninitialised_register(who: Who, site: u32, lanes: u32);
        stopped(at: &Place, waiting: Option<&Waiting>);
    }
}
