//! Carries a batch out: host buffers, devices, the calls of the schedule, the clock around them, and the check of every item.

use crate::card::{Card, ItemMemory, stamp, stamp_in_graph};
use crate::schedule::Action;
use crate::timeline::{Span, Track, one_copy_at_a_time};
use crate::variants::Batch;
use crate::workload::{Workload, join_checks};
use common::LabError;
use common::call::Function;
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::host_memory::{HostBuffer, HostMemory};
use common::owned::Owned;
use common::timing::Runs;
use cudarc::driver::{CudaContext, CudaEvent, CudaGraph};
use kernels::{Source, Target};
use rayon::prelude::*;
use std::sync::Arc;

/// The element, of so many, that is poisoned before a run of a series: a prime apart, so that they are spread.
pub fn place_of_run(run: usize, elements: usize) -> usize {
    run * 7919 % elements
}

/// A batch with its memory, ready to run any number of times.
pub struct Engine<T: Element> {
    workload: Workload,
    batch: Batch,
    inputs: Vec<HostBuffer<T>>,
    outputs: Vec<HostBuffer<T>>,
    // Before the cards: what a graph refers to outlives it.
    graph: Option<CudaGraph>,
    cards: Vec<Card<T>>,
    /// The elements of each output that a simulated kernel writes of which some blocks stand for all; `None`: all of them.
    pub owned: Option<Owned>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// From the first call to the end of the last work, on the device's clock.
    pub elapsed_ms: f64,
    /// The spans of work, in milliseconds after the start; empty unless they were asked for.
    pub spans: Vec<Span>,
}

impl<T: Element> Engine<T> {
    /// Allocates the host's and the devices' buffers. Inputs are unset until [`Engine::fill_inputs`]. `change` may alter the schedule
    /// of each device: the identity, but for tests.
    pub fn new(
        device: &Device,
        source: &Source,
        workload: &Workload,
        batch: Batch,
        ring: usize,
        change: impl Fn(crate::schedule::Schedule) -> crate::schedule::Schedule,
    ) -> anyhow::Result<Self> {
        let contexts = if batch.all_devices { alike_contexts(device)? } else { vec![device.context.clone()] };
        // More devices than items would have nothing to do.
        let devices = contexts.len().min(workload.count);
        let buffers = |len, memory| -> Result<Vec<HostBuffer<T>>, _> {
            (0..workload.count).map(|_| HostBuffer::new(&device.context, len, memory)).collect()
        };
        let inputs = buffers(workload.input_len(), batch.inputs)?;
        let outputs = buffers(workload.output_len(), batch.outputs)?;
        let mut cards = Vec::new();
        for (index, context) in contexts.iter().take(devices).enumerate() {
            let items: Vec<usize> = (index..workload.count).step_by(devices).collect();
            let schedule = change((batch.schedule)(items.len(), ring));
            if let Some(why) = schedule.refusal(items.len()) {
                return Err(LabError::host(why, "look at the schedule's file in lab-streams/src/schedules/").into());
            }
            let function = load(source, device.target()?, context, &workload.symbol())?;
            cards.push(Card::new(context, function, workload, schedule, items)?);
        }
        device.context.bind_to_thread()?;
        Ok(Engine { workload: workload.clone(), batch, inputs, outputs, graph: None, cards, owned: None })
    }

    /// How many devices share the work.
    pub fn devices(&self) -> usize {
        self.cards.len()
    }

    /// Draws the inputs.
    pub fn fill_inputs(&mut self) -> anyhow::Result<()> {
        for (item, input) in self.inputs.iter_mut().enumerate() {
            self.workload.fill_input(item, input.as_mut_slice()?);
        }
        Ok(())
    }

    /// One run of the whole batch, from poisoned outputs to the end of all work. With `traced`, events around each copy and each kernel
    /// tell when it ran; they cost a little, so the time of such a run is not for comparison.
    pub fn run(&mut self, traced: bool) -> anyhow::Result<Run> {
        let memory = self.prepare()?;
        let run = self.carry_out(&memory, traced)?;
        self.copy_resident(&memory)?;
        Ok(run)
    }

    /// Runs one right after the other, as in a program that does nothing else: milliseconds of the counted ones. All outputs are poisoned
    /// before the first; before each other one an element of each is, since a host that writes all of them in between makes its next calls
    /// slower and their times lie further apart. Ends early where a run leaves such an element as it is: the next [`Engine::check`] finds it.
    pub fn run_series(&mut self, runs: Runs) -> anyhow::Result<Vec<f64>> {
        let memory = self.prepare()?;
        let mut milliseconds = Vec::new();
        for run in 0..runs.total() {
            let place = place_of_run(run, self.workload.output_len());
            if run > 0 {
                self.poison_element(place)?;
            }
            let elapsed_ms = self.carry_out(&memory, false)?.elapsed_ms;
            if run >= runs.warmup {
                milliseconds.push(elapsed_ms);
                if self.owned.is_none() && !self.has_written(place)? {
                    break;
                }
            }
        }
        self.copy_resident(&memory)?;
        Ok(milliseconds)
    }

    /// All calls of a run, from the first stamp to the last.
    fn carry_out(&mut self, memory: &[ItemMemory<T>], traced: bool) -> anyhow::Result<Run> {
        let mut recorder = Recorder { on: traced, captured: self.batch.captured, marks: Vec::new() };
        if self.batch.captured && (traced || self.graph.is_none()) {
            self.cards[0].begin_capture()?;
            let issued = self.issue(memory, &mut recorder);
            // The capture ends whether or not the calls succeeded: the first error is theirs.
            let graph = self.cards[0].end_capture();
            issued?;
            self.graph = Some(graph?);
        }
        let starts: Vec<CudaEvent> = self.cards.iter().map(|card| stamp(card.lane(0))).collect::<Result<_, _>>()?;
        match &self.graph {
            Some(graph) => recorder.host(&self.cards[0], 0, None, || Ok(graph.launch()?))?,
            None => self.issue(memory, &mut recorder)?,
        }
        let elapsed_ms = self.finish(&starts, &mut recorder)?;
        if traced {
            // Its events are gone with the recorder: the next run captures anew.
            self.graph = None;
        }
        Ok(Run { elapsed_ms, spans: recorder.spans(&starts)? })
    }

    /// Takes results that stay on a device to the host, where the check looks.
    fn copy_resident(&self, memory: &[ItemMemory<T>]) -> anyhow::Result<()> {
        let mut resident = self.cards.iter().filter(|card| card.schedule.resident);
        resident.try_for_each(|card| card.copy_all(Action::CopyOut, memory))
    }

    /// The view of a program that forgot to wait: makes all calls and looks at the outputs at once. The work is waited for afterwards.
    pub fn check_without_waiting(&mut self) -> anyhow::Result<Check> {
        let memory = self.prepare()?;
        self.issue(&memory, &mut Recorder { on: false, captured: false, marks: Vec::new() })?;
        let check = self.check();
        self.cards.iter().try_for_each(|card| card.context.synchronize())?;
        check
    }

    /// Compares every item's output with what it should be.
    pub fn check(&self) -> anyhow::Result<Check> {
        let mut checks = Vec::new();
        for (item, output) in self.outputs.iter().enumerate() {
            checks.push(self.workload.check(item, output.as_slice()?, self.owned.as_ref()));
        }
        Ok(join_checks(checks).expect("a batch has items"))
    }

    /// Poisons what a run will write, and takes the addresses of the host's buffers.
    fn prepare(&mut self) -> anyhow::Result<Vec<ItemMemory<T>>> {
        let mapped = self.batch.outputs == HostMemory::Mapped;
        let mut memory = Vec::new();
        for (input, output) in self.inputs.iter_mut().zip(&mut self.outputs) {
            let on_device = if mapped { [input.device_address()?, output.device_address()?] } else { [0; 2] };
            let elements = output.as_mut_slice()?;
            elements.par_chunks_mut(1 << 16).for_each(T::poison_host);
            memory.push(ItemMemory { input: input.as_slice()?.as_ptr(), output: elements.as_mut_ptr(), on_device });
        }
        for card in &mut self.cards {
            card.poison()?;
            if card.schedule.resident {
                card.copy_all(Action::CopyIn, &memory)?;
            }
        }
        Ok(memory)
    }

    /// Poisons one element of each output, on the host and on the devices.
    fn poison_element(&mut self, place: usize) -> anyhow::Result<()> {
        for output in &mut self.outputs {
            output.as_mut_slice()?[place] = T::POISON;
        }
        Ok(self.cards.iter_mut().try_for_each(|card| card.poison_element(place))?)
    }

    /// Returns whether a run has written that element of each output to where the run ends: to the host, or to the device if results stay there.
    fn has_written(&self, place: usize) -> anyhow::Result<bool> {
        let mut elements = Vec::new();
        if self.cards.iter().any(|card| card.schedule.resident) {
            for card in &self.cards {
                elements.extend(card.elements(place)?);
            }
        } else {
            for output in &self.outputs {
                elements.push(output.as_slice()?[place]);
            }
        }
        Ok(!elements.iter().any(|element| element.to_f64().is_nan()))
    }

    /// Makes all calls in the order of each device's schedule. The devices take turns, which last as long as the calls are for one item.
    fn issue(&self, memory: &[ItemMemory<T>], recorder: &mut Recorder) -> anyhow::Result<()> {
        let mut turns: Vec<_> = self.cards.iter().map(Card::turns).collect();
        let mut left = true;
        while left {
            left = false;
            for (device, card) in self.cards.iter().enumerate() {
                let Some(steps) = turns[device].next() else { continue };
                left = true;
                let item = card.items[steps[0].item];
                let memory = &memory[item];
                let mut spans = Vec::new();
                let mut calls = |recorder: &Recorder| -> anyhow::Result<()> {
                    for step in steps {
                        let start = recorder.before(card, step.lane, step.action)?;
                        card.issue(step, memory)?;
                        spans.extend(recorder.after(card, step.lane, step.action, start)?);
                    }
                    Ok(())
                };
                if recorder.captured {
                    // Putting a call into a graph is not the call.
                    calls(recorder)?;
                } else {
                    let quiet = Recorder { marks: Vec::new(), ..*recorder };
                    recorder.host(card, device, Some(item), || calls(&quiet))?;
                }
                let marked = |(track, start, end)| Marked { track, device, item: Some(item), start, end };
                recorder.marks.extend(spans.into_iter().map(marked));
            }
        }
        Ok(())
    }

    /// Waits for all lanes in their order and gives the time from the first call to the last end.
    fn finish(&self, starts: &[CudaEvent], recorder: &mut Recorder) -> anyhow::Result<f64> {
        let mut elapsed_ms: f64 = 0.0;
        let mut ends: Vec<Vec<CudaEvent>> = Vec::new();
        for card in &self.cards {
            let lanes = if self.batch.captured { 1 } else { card.schedule.lanes.len() };
            ends.push(card.streams().take(lanes).map(|stream| stamp(stream)).collect::<Result<_, _>>()?);
        }
        for (device, (card, ends)) in self.cards.iter().zip(&ends).enumerate() {
            recorder.host(card, device, None, || Ok(ends.iter().try_for_each(CudaEvent::synchronize)?))?;
        }
        for (start, ends) in starts.iter().zip(&ends) {
            for end in ends {
                elapsed_ms = elapsed_ms.max(f64::from(start.elapsed_ms(end)?));
            }
        }
        Ok(elapsed_ms)
    }
}

/// Puts events around what should be drawn.
#[derive(Debug)]
struct Recorder {
    on: bool,
    captured: bool,
    marks: Vec<Marked>,
}

#[derive(Debug)]
struct Marked {
    track: Track,
    device: usize,
    item: Option<usize>,
    start: CudaEvent,
    end: CudaEvent,
}

impl Recorder {
    /// The event before a copy or a kernel.
    fn before<T: Element>(&self, card: &Card<T>, lane: usize, action: Action) -> anyhow::Result<Option<CudaEvent>> {
        if !self.on || track(action).is_none() {
            return Ok(None);
        }
        let stream = card.lane(lane);
        Ok(Some(if self.captured { stamp_in_graph(stream)? } else { stamp(stream)? }))
    }

    /// The event after it, and what the two enclose.
    fn after<T: Element>(
        &self,
        card: &Card<T>,
        lane: usize,
        action: Action,
        start: Option<CudaEvent>,
    ) -> anyhow::Result<Option<(Track, CudaEvent, CudaEvent)>> {
        let (Some(track), Some(start)) = (track(action), start) else { return Ok(None) };
        let stream = card.lane(lane);
        let end = if self.captured { stamp_in_graph(stream)? } else { stamp(stream)? };
        Ok(Some((track, start, end)))
    }

    /// Runs calls of the host and stamps their begin and end: on a stream where nothing else runs, an event is passed when it is recorded.
    fn host<T: Element>(
        &mut self,
        card: &Card<T>,
        device: usize,
        item: Option<usize>,
        calls: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if !self.on {
            return calls();
        }
        let start = stamp(&card.host_lane)?;
        calls()?;
        let end = stamp(&card.host_lane)?;
        self.marks.push(Marked { track: Track::Host, device, item, start, end });
        Ok(())
    }

    /// Reads the stamps. All work is done by now.
    fn spans(self, starts: &[CudaEvent]) -> anyhow::Result<Vec<Span>> {
        let mut spans = Vec::new();
        for Marked { track, device, item, start, end } in self.marks {
            let zero = &starts[device];
            let [start_ms, end_ms] = [f64::from(zero.elapsed_ms(&start)?), f64::from(zero.elapsed_ms(&end)?)];
            spans.push(Span { track, device, item, start_ms, end_ms });
        }
        one_copy_at_a_time(&mut spans);
        Ok(spans)
    }
}

fn track(action: Action) -> Option<Track> {
    match action {
        Action::CopyIn => Some(Track::CopyIn),
        Action::Kernel => Some(Track::Kernel),
        Action::CopyOut => Some(Track::CopyOut),
        Action::Mark(_) | Action::Await(_) => None,
    }
}

/// The device itself and all others of its compute capability, which run the same code.
fn alike_contexts(device: &Device) -> anyhow::Result<Vec<Arc<CudaContext>>> {
    let capability = device.context.compute_capability()?;
    let own = device.context.ordinal();
    let mut contexts = vec![device.context.clone()];
    for ordinal in 0..usize::try_from(CudaContext::device_count()?)? {
        if ordinal != own {
            let context = CudaContext::new(ordinal)?;
            if context.compute_capability()? == capability {
                contexts.push(context);
            }
        }
    }
    Ok(contexts)
}

fn load(source: &Source, target: Target, context: &Arc<CudaContext>, symbol: &str) -> anyhow::Result<Function> {
    Function::find(&kernels::compile(source, target)?.load(context)?, source, symbol)
}
