//! The listeners of a launch, side by side: counters, samples of accesses, the clock's traffic and what blocks wait for, the listener to
//! sampled blocks, the proof that nothing races, the sanitizer, the listener to a block's steps.
use clock::listeners::hand_over::HandOvers;
use clock::listeners::trace::Trace;
use clock::listeners::traffic::Traffic;
use machine::events;
use machine::probe::{
    Access, Arrival, Completed, Convergence, Defined, Following, Launch, Origin, Passage, Phase, Probe, Scope,
    TextureAccess, Transfer, TransferEnd, UndefinedByte, Use, WarpLoad, Who,
};
use ptx::isa::Space;
use std::sync::Arc;
use watch::counters::Counters;
use watch::counters::samples::Samples;
use watch::proof::Proof;
use watch::replay::Recorder;
use watch::sampling::Watch;
use watch::sanitizer::Sanitizer;
use watch::search::listener::Steps;

/// A listener of the same kind that has heard nothing.
pub fn fresh<T: Probe>(probe: &T) -> Option<T> {
    probe.fork().concrete().map(|probe| *probe)
}

/// The listeners of a launch. Naming a listener here is all that it takes to have it forked, joined and told.
macro_rules! listeners {
    ($d:tt often: $($often:ident: $often_type:ty),*; seldom: $($seldom:ident: $seldom_type:ty),*) => {
        listeners!($d [$($often),*] [$($seldom),*] $($often: $often_type,)* $($seldom: $seldom_type),*);
    };
    // `$d` is a dollar sign, for the macro that is made in here.
    ($d:tt [$($often:ident),*] [$($seldom:ident),*] $($listener:ident: $type:ty),*) => {
        /// The listeners that are wanted for a launch.
        #[derive(Default)]
        pub struct Listeners {
            $(pub $listener: Option<$type>),*
        }

        impl Listeners {
            /// For the executor; `None` where nobody listens, so that nothing is told.
            pub fn into_probe(self) -> Option<Box<dyn Probe>> {
                let seldom = $(self.$seldom.is_some())||*;
                let anybody = $(self.$listener.is_some())||*;
                anybody.then(|| Box::new(ActiveListeners { listeners: self, seldom }) as Box<dyn Probe>)
            }

            /// Takes them back from the executor.
            pub fn back(probe: Option<Box<dyn Probe>>) -> Listeners {
                probe.and_then(|probe| probe.concrete::<ActiveListeners>()).map(|told| told.listeners).unwrap_or_default()
            }
        }

        macro_rules! tell {
            ($d($d(#[$d doc:meta])* $d event:ident($d($d argument:ident: $d argument_type:ty),*);)*) => { $d(
                fn $d event(&mut self, $d($d argument: $d argument_type),*) {
                    $(if let Some(listener) = &mut self.listeners.$often {
                        listener.$d event($d($d argument),*);
                    })*
                    if self.seldom {
                        $(if let Some(listener) = &mut self.listeners.$seldom {
                            listener.$d event($d($d argument),*);
                        })*
                    }
                }
            )* };
        }

        impl Probe for ActiveListeners {
            fn fork(&self) -> Box<dyn Probe> {
                let own = &self.listeners;
                let listeners = Listeners { $($listener: own.$listener.as_ref().and_then(fresh)),* };
                Box::new(ActiveListeners { listeners, ..*self })
            }
            fn join(&mut self, worker: Box<dyn Probe>) {
                let worker = Listeners::back(Some(worker));
                $(if let (Some(own), Some(other)) = (&mut self.listeners.$listener, worker.$listener) {
                    own.join(Box::new(other));
                })*
            }
            fn one_thread(&self) -> bool {
                let own = &self.listeners;
                $(own.$listener.as_ref().is_some_and(Probe::one_thread))||*
            }
            fn following(&self) -> Option<Arc<Following>> {
                let own = &self.listeners;
                None$(.or_else(|| own.$listener.as_ref().and_then(Probe::following)))*
            }
            fn defined(&self, memory: &mut Defined) {
                $(if let Some(listener) = &self.listeners.$listener {
                    listener.defined(memory);
                })*
            }
            fn undefined(&mut self) -> Vec<UndefinedByte> {
                let own = &mut self.listeners;
                let mut found = Vec::new();
                $(found.extend(own.$listener.iter_mut().flat_map(Probe::undefined));)*
                found
            }
            fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
                $(if let Some(listener) = &mut self.listeners.$often {
                    listener.warp_loads(who, loads);
                })*
                if self.seldom {
                    $(if let Some(listener) = &mut self.listeners.$seldom {
                        listener.warp_loads(who, loads);
                    })*
                }
            }
            fn in_hindsight(&self) -> bool {
                let own = &self.listeners;
                $(own.$listener.as_ref().is_none_or(Probe::in_hindsight))&&*
            }
            fn passage(&mut self, passage: &Passage) {
                let own = &mut self.listeners;
                $(own.$listener.iter_mut().for_each(|listener| listener.passage(passage));)*
            }
            fn passed(&mut self, passage: &Passage, column: usize) {
                let own = &mut self.listeners;
                $(own.$listener.iter_mut().for_each(|listener| listener.passed(passage, column));)*
            }
            events!(tell);
        }
    };
}
listeners!(
    $ often: counters: Counters, traffic: Traffic, trace: Trace;
    seldom: samples: Samples, hand_overs: HandOvers, watch: Watch, proof: Proof, sanitizer: Sanitizer,
    steps: Steps, recorder: Recorder
);

/// Listeners while the executor has them.
struct ActiveListeners {
    listeners: Listeners,
    /// True if any of those is among them that are wanted seldom: one look for all of them, since what is told most often is little work for
    /// each of them.
    seldom: bool,
}
