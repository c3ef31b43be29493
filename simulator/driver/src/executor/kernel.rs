//! Running one kernel: the executor with its listeners, and the records and findings that come of them.
use super::again::search::{self, Searched};
use super::again::{mends, replay};
use super::first_page::first_page;
use super::launch_time::{Clock, work_of};
use super::progress::{Progress, ProgressReport};
use super::sampled::{self, Listened};
use crate::interface::{Cause, printed};
use crate::listeners::Listeners;
use crate::objects::chosen_order::ChosenOrder;
use crate::objects::graphs::Seq;
use crate::objects::modules::launch::Launch;
use crate::objects::modules::tried::{Tried, tried};
use crate::state::Driver;
use crate::state::logs::certificate::OfKernel;
use crate::state::logs::launches::{LaunchConfiguration, LaunchRecord, Sampled};
use crate::state::logs::records::Records;
use crate::state::settings::Sample;
use clock::analytic::kernel_time::Estimate;
use clock::analytic::work::Work;
use clock::cards::Device;
use clock::listeners::hand_over::HandOvers;
use clock::listeners::traffic::{Found, Traffic};
use clock::occupancy::{Demand, Occupancy};
use clock::streams::span::Span;
use clock::trials::{self, Room};
use cuda::CUresult;
use machine::exec::context::Facts;
use machine::exec::device_launch::DeviceLaunch;
use machine::exec::executable::Executable;
use machine::exec::launch::{LaunchProgress, Request, Settings, Tell};
use machine::fault::Fault;
use machine::lower::Tier;
use machine::memory::Memory;
use machine::program::FunctionId;
use std::sync::Arc;
use std::time::Duration;
use watch::counters::Counters;
use watch::counters::coalescing::SECTOR_BYTES;
use watch::counters::samples::Samples;
use watch::counters::totals::{Answered, Totals};
use watch::diagnostics::{self, Diagnosis, RaceFreedom, Scene};
use watch::mends::Trial;
use watch::proof::{self, Proof, Verdict};
use watch::sanitizer::{Sanitizer, Touched};
use watch::search::listener::Steps;
use watch::search::snapshot::Snapshot;

/// `CU_LIMIT_STACK_SIZE`, and the most that it may be: local memory of a thread.
const STACK_SIZE: u32 = 0;
const MOST_STACK_BYTES: usize = 512 << 10;

/// The part of the driver's state that a launch needs: taken under the lock, used without it.
pub struct Start {
    card: &'static Device,
    memory: Arc<Memory>,
    counters: bool,
    /// True if counters serve the clock only.
    for_the_clock: bool,
    samples: bool,
    /// True if the launch is tried without the causes of its time.
    trials: bool,
    sanitize: bool,
    /// True if operations are beside the launch that nothing orders with it.
    beside: bool,
    settings: Settings,
    grid_id: u64,
    /// `CU_LIMIT_STACK_SIZE` of the device's contexts, the largest.
    stack_bytes: u32,
    /// True if a program asks through the bridge.
    bridged: bool,
    /// When a launch that still runs is told of.
    told_after: Option<Duration>,
    /// The most orders of its blocks' warps that are searched, where they are; and an order that is chosen.
    search: Option<u64>,
    order: Option<ChosenOrder>,
    /// True if some blocks may stand for all, and the allocations of which earlier launches have written such a part only.
    sample: Option<Sample>,
    partial: Vec<u64>,
    /// The beginning of the name of the kernel of which a launch is recorded; `1`: of any.
    replay: Option<String>,
}

impl Start {
    /// Takes it from a device, as it is now.
    pub fn new(driver: &mut Driver, device: usize, seq: Seq) -> Start {
        let sample = driver.settings.sample.filter(|_| !driver.settings.sanitize);
        let partial = if sample.is_some() { driver.devices[device].written_in_part() } else { Vec::new() };
        let asked = &driver.settings;
        let defaults = match asked.instruction_budget {
            0 if asked.sanitize => Settings::default().sanitized(),
            0 => Settings::default(),
            budget => Settings::default().with_budget(budget),
        };
        let settings = Settings { schedule_seed: asked.schedule_seed, threads: asked.threads, ..defaults };
        driver.records.launches_run += 1;
        let limits = driver.contexts.iter().filter(|(_, context)| context.device == device);
        let stack_bytes = limits.filter_map(|(_, context)| context.limits.get(&STACK_SIZE).copied()).max();
        Start {
            bridged: asked.is_bridged,
            told_after: Some(Duration::from_secs(asked.told_after_s))
                .filter(|after| !after.is_zero() && !asked.is_bridged),
            search: asked.search,
            order: asked.order.clone(),
            replay: asked.replay.clone(),
            sample,
            partial,
            card: driver.devices[device].card,
            memory: driver.devices[device].memory.clone(),
            counters: asked.counters,
            for_the_clock: !(asked.keeps_each_launch() || asked.samples || asked.sanitize || asked.sample.is_some()),
            samples: asked.samples,
            trials: asked.trials,
            sanitize: asked.sanitize,
            beside: driver.unordered.has(seq),
            settings,
            grid_id: driver.records.launches_run,
            stack_bytes: stack_bytes.map_or(1024, |bytes| bytes.next_multiple_of(16).min(MOST_STACK_BYTES) as u32),
        }
    }
}

impl Start {
    /// True if somebody listens besides the clock's counters.
    fn listens(&self) -> bool {
        self.samples || self.sanitize || self.sample.is_some() || self.replay.is_some()
    }

    /// The memory that a launch finds, where mends of what is found may be tried from it.
    fn memory_before(&self, launch: &Launch) -> Option<Snapshot> {
        let keep = || Trial::memory_before(&launch.loaded.mends, &self.memory, &launch.parameters);
        (self.sanitize && !self.beside).then(keep).flatten()
    }

    /// The words for what makes the launch shorter, beside a smaller size.
    fn shorter(&self) -> &'static str {
        match (self.sanitize, self.for_the_clock) {
            (true, _) => ", and so does a run without --sanitize",
            (false, false) => ", and so does a run without counters",
            _ => "",
        }
    }
}

/// A kernel that ran to its end or to its fault.
pub struct Ran {
    /// Its instructions, where this is its first launch.
    pub certified: Option<OfKernel>,
    pub findings: Vec<Diagnosis>,
    /// The search through its orders, where there was one.
    pub searched: Option<Searched>,
    /// Findings for the case that the host reads undefined values that the kernel has stored, by the number that the memory has for them.
    pub pending: Vec<(u32, Diagnosis)>,
    /// The memory that it touched, where somebody wants to know.
    pub touched: Option<Touched>,
    pub ended: Result<Ended, Cause>,
}

/// A kernel that ran to its end.
pub struct Ended {
    pub estimate: Estimate,
    work: Work,
    program: Arc<Executable>,
    occupancy: Occupancy,
    counters: Option<Counters>,
    samples: Option<Samples>,
    trials: Option<Vec<Tried>>,
    sampled: Option<Sampled>,
    not_sampled: Option<String>,
    /// Known under the sanitizer.
    race_freedom: Option<RaceFreedom>,
    /// Kernels that it has launched.
    pub launched: Vec<DeviceLaunch>,
}

impl Ended {
    /// The addresses of the allocations of which only some of its blocks' part was written.
    pub fn written_in_part(&self) -> impl Iterator<Item = u64> + '_ {
        self.sampled.iter().flat_map(|sampled| &sampled.written).map(|part| part.address)
    }

    /// The program that ran.
    pub fn program(&self) -> Arc<Executable> {
        self.program.clone()
    }

    /// Enters the launch into the records: by itself where that was asked for, else among those of its kernel and shape.
    pub fn record(self, records: &mut Records, launch: &Launch, card: &'static Device, stream: u64, span: Span) {
        let shape = LaunchConfiguration::new(launch, card);
        if !records.each_launch {
            let bound_by = self.estimate.bound_by;
            return records.add(shape, span, bound_by, self.program, self.counters);
        }
        let mut report = self.counters.map(|counters| counters.report(&self.program));
        if let Some(report) = &mut report {
            if let Some(samples) = self.samples {
                samples.add_to(&mut report.lines, &self.program);
            }
            let residency = &mut report.totals.residency;
            residency.registers = Some(launch.attributes.registers);
            residency.blocks_per_multiprocessor = Some(self.occupancy.blocks_per_multiprocessor);
            let theoretical = self.occupancy.theoretical(card.architecture, launch.threads());
            residency.theoretical_occupancy = Some(100.0 * theoretical);
            let Work { l2_sectors, memory_bytes, host_bytes, .. } = self.work;
            let answered = Answered { l2_bytes: l2_sectors * SECTOR_BYTES, memory_bytes, host_bytes };
            report.totals.answered = Some(answered);
            let memory = &report.totals.memory;
            let page = first_page(launch, card, self.occupancy, memory, &self.work, &self.estimate);
            report.totals.first_page = Some(page);
            let mut stalls = self.estimate.stalls.by_line(&self.program);
            for line in &mut report.lines {
                line.stalls = stalls.remove(&(line.file.clone(), line.line)).unwrap_or_default();
                let work = work_of(
                    line.instructions,
                    &line.instructions_by_class,
                    line.tensor_fmas,
                    &line.memory,
                    line.barriers,
                );
                let terms = self.estimate.of_part(&self.work, &work);
                line.clock_ns = terms.map(|(term, ns)| (term.name(), ns)).collect();
            }
        }
        let (counters, lines) = report.map_or((None, Vec::new()), |report| (Some(report.totals), report.lines));
        let bound_by = self.estimate.bound_by;
        let kernel = launch.name().to_owned();
        let (sampled, not_sampled, race_freedom) = (self.sampled, self.not_sampled, self.race_freedom);
        records.launch(LaunchRecord {
            kernel,
            shape,
            stream,
            span,
            bound_by,
            sampled,
            not_sampled,
            race_freedom,
            counters,
            trials: self.trials,
            lines,
        });
    }
}

/// Runs a kernel to its end, or to its fault.
pub fn run(start: &Start, launch: &Launch) -> Result<Ran, Cause> {
    let times = &launch.loaded.times;
    let shape = (start.counters && start.for_the_clock).then(|| launch.shape(&start.memory));
    let is_known = shape.is_some_and(|shape| times.covers(&shape));
    let counters = start.counters && !is_known;
    let listens = counters || start.listens();
    let tier = if listens { Tier::Probed } else { Tier::Bare };
    assert!(!cfg!(test) || launch.name() != "panics", "provoked by a test");
    let is_first = launch.loaded.is_first_launch(launch.index);
    let is_chosen = |chosen: &&ChosenOrder| is_first && listens && chosen.kernel == launch.name();
    let order = start.order.as_ref().filter(is_chosen).map(ChosenOrder::order);
    let program = launch.loaded.program(if order.is_some() { Tier::Stepped } else { tier })?;
    let certified = is_first.then(|| OfKernel::new(&program, launch.index, launch.loaded.sha256()));
    let before = start.search.filter(|_| is_first).map(|most| (most, search::Before::new(&start.memory, launch)));
    let occupancy = launch.occupancy(start.card);
    let unmended = if order.is_none() { start.memory_before(launch) } else { None };
    let recorded = replay::memory_before(start.replay.as_deref(), &start.memory, launch);
    let request = request(start, launch, &program, occupancy);
    let clock = clock_of(launch, start.card, occupancy);
    let told = request.launch();
    let same = start.sanitize.then(|| (launch.shape(&start.memory), launch.parameters.to_vec()));
    let known_undecided = same.as_ref().and_then(|same| launch.loaded.known_undecided(same));
    let proof = (start.sanitize && known_undecided.is_none() && proof::is_possible(&told)).then(Proof::default);
    let steps = order.clone().map(Steps::new);
    let listeners = Listeners { steps, proof, ..listeners(start, launch, counters.then_some(&clock), &program) };
    let scene = Scene { launch: &told, sources: &diagnostics::read_source };
    let traffic = |blocks: u64| clock.traffic(blocks);
    let traffic: Option<&dyn Fn(u64) -> Traffic> = counters.then_some(&traffic);
    let Listened { outcome, mut listeners, found, instructions, sampled, not_sampled } =
        telling(start, launch, |tell| match start.sample {
            Some(asked) => sampled::run(&request, listeners, traffic, tell, asked, !start.partial.is_empty(), &scene),
            None => sampled::run_all(&request, listeners, traffic, tell, order.as_deref()),
        });
    let touched = listeners.sanitizer.as_mut().and_then(Sanitizer::take_touched);
    let mut findings = mends::told(listeners.sanitizer.as_ref(), unmended.as_ref(), (launch, &request), &scene);
    replay::record(recorded, (launch, &request), start.card, &scene, (&listeners, outcome.fault.as_ref()));
    if let Some(fault) = &outcome.fault {
        let diagnosis = diagnose(fault, tier, launch, told)?;
        let ended = Err(Cause::Diagnosed(fault_code(fault), Box::new(diagnosis.clone())));
        findings.push(diagnosis);
        return Ok(Ran { certified, findings, searched: None, pending: Vec::new(), touched: None, ended });
    }
    if let Some((allocation, site)) = listeners.watch.as_ref().and_then(|watch| watch.reads_any(&start.partial)) {
        let diagnosis = diagnostics::reads_a_sample(allocation, site, &scene);
        return Err(Cause::Diagnosed(CUresult::CUDA_ERROR_NOT_SUPPORTED, Box::new(diagnosis)));
    }
    let pending = listeners.sanitizer.iter().flat_map(Sanitizer::pending);
    let pending = pending.map(|(stored, finding)| (stored, diagnostics::finding(finding, &scene))).collect();
    let search = |(most, before)| search::run(most, before, launch, &request, told, instructions, &mut findings);
    let searched = before.map(search).transpose()?;
    let undecided = known_undecided.or(listeners.proof.as_ref().map(Proof::undecided));
    same.zip(undecided).into_iter().for_each(|(same, undecided)| launch.loaded.learn_undecided(same, undecided));
    let freedom = |found| diagnostics::race_freedom(Verdict::of(told.function, found, undecided), &scene);
    let race_freedom = listeners.sanitizer.as_ref().map(freedom);
    let known = shape.filter(|_| is_known).and_then(|shape| times.time(&shape, instructions));
    // The launches of a kernel are added up by the program that was counted.
    let counted = if known.is_some() { launch.loaded.program(Tier::Probed)? } else { program.clone() };
    let from = (instructions, found.as_ref(), known);
    let (estimate, work, trials) = timed(start, &clock, launch, &mut listeners, &scene, from);
    if counters && let Some(shape) = shape {
        times.learn(shape, instructions, &estimate);
    }
    Ok(Ran {
        certified,
        findings,
        searched,
        pending,
        touched,
        ended: Ok(Ended {
            estimate,
            work,
            program: counted,
            occupancy,
            counters: listeners.counters,
            samples: listeners.samples,
            trials,
            sampled,
            not_sampled,
            race_freedom,
            launched: outcome.launched,
        }),
    })
}

/// Facts about a launch for its clock.
fn clock_of(launch: &Launch, card: &'static Device, occupancy: Occupancy) -> Clock {
    let shared_bytes = launch.attributes.static_shared_bytes + launch.dynamic_shared_bytes;
    Clock { card, occupancy, blocks: launch.blocks(), threads: launch.threads(), shared_bytes }
}

fn request<'l>(start: &'l Start, launch: &'l Launch, program: &'l Executable, occupancy: Occupancy) -> Request<'l> {
    let (card, a) = (start.card, start.card.architecture);
    Request {
        program,
        function: FunctionId(launch.index as u32),
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        dynamic_shared_bytes: launch.dynamic_shared_bytes,
        parameters: &launch.parameters,
        cooperative: launch.cooperative,
        memory: &start.memory,
        settings: start.settings,
        resident_blocks: occupancy.blocks_per_multiprocessor * card.multiprocessors,
        facts: Facts {
            multiprocessors: card.multiprocessors,
            warps_per_multiprocessor: a.max_threads_per_multiprocessor / 32,
            reserved_shared_bytes: a.shared_bytes_reserved_per_block,
            shared_unit_bytes: a.shared_unit_bytes,
            stack_bytes: start.stack_bytes,
            clock_khz: (card.clock_hz / 1e3) as u32,
            grid_id: start.grid_id,
            in_lock_step: a.compute_capability.0 < 7,
        },
    }
}

/// The listeners that the settings ask for; those of the clock where it counts.
fn listeners(start: &Start, launch: &Launch, clock: Option<&Clock>, program: &Executable) -> Listeners {
    let a = start.card.architecture;
    let order_matters = program.functions[launch.index].order_matters;
    Listeners {
        counters: clock.map(|_| Counters::new(a.shared_bank_bytes, a.global_store_piece_bytes)),
        samples: start.samples.then(|| Samples::new(a.shared_bank_bytes)),
        trace: clock.map(Clock::trace),
        hand_overs: clock.filter(|_| order_matters).and_then(|_| HandOvers::of(&program.functions)),
        sanitizer: start.sanitize.then(|| match start.beside {
            true => Sanitizer::with_footprint(launch.overlaps),
            false => Sanitizer::new(),
        }),
        ..Listeners::default()
    }
}

/// Runs a launch while it tells how far it is, and prints what it has printed. Without the sanitizer all memory counts as written then.
fn telling(start: &Start, launch: &Launch, run: impl FnOnce(Tell) -> Listened) -> Listened {
    let progress = Progress::new(launch.name(), start.told_after.map(|after| (after, start.shorter())));
    let asked = start.bridged.then(ProgressReport::begin);
    let tell = |so_far: LaunchProgress| {
        asked.iter().for_each(|asked| asked.tell(so_far));
        progress.tell(so_far);
    };
    let listened = run(Some(&tell));
    drop(asked);
    drop(progress);
    if !listened.outcome.printed.is_empty() {
        printed::print(&listened.outcome.printed);
    }
    if !start.sanitize {
        start.memory.assume_initialised();
    }
    listened
}

/// The time of a launch, the work that it follows from, and what was tried where that is asked for.
fn timed(
    start: &Start,
    clock: &Clock,
    launch: &Launch,
    listeners: &mut Listeners,
    scene: &Scene,
    (instructions, found, known): (u64, Option<&Found>, Option<Estimate>),
) -> (Estimate, Work, Option<Vec<Tried>>) {
    if let Some(estimate) = known {
        return (estimate, Work { instructions, ..Work::default() }, None);
    }
    let tries = start.trials.then(|| launch.shape(&start.memory));
    let totals = listeners.counters.as_ref().map(|counters| counters.totals(scene.launch.program));
    let work = clock.work(totals.as_ref(), instructions, found);
    let mut trace = listeners.trace.take().filter(|_| plays(launch, totals.as_ref()));
    let (hand_overs, codes) = (listeners.hand_overs.as_ref(), &launch.loaded.codes);
    let again = trace.as_mut().filter(|_| tries.is_some()).map(|trace| {
        trace.leave();
        trace.with(trace.kept.clone())
    });
    let mut estimate = clock.estimate(&work, trace, hand_overs, codes);
    let trials = tries.zip(again).map(|(shape, trace)| {
        let Clock { card, occupancy, shared_bytes, .. } = *clock;
        let timed = trials::Launch { card, occupancy, work: &work, shared_bytes, codes, hand_overs };
        // From its turn in the stream: a short launch gains no more than what is its kernel's own.
        let took_ns = card.launch_device_ns + estimate.duration_ns;
        let (threads_per_block, registers_per_thread) = (launch.threads(), launch.attributes.registers);
        let demand = Demand { threads_per_block, registers_per_thread, shared_bytes_per_block: shared_bytes };
        let room = Room::of(card, launch.blocks(), demand);
        tried(&launch.loaded, (shape, took_ns), || timed.trials(&trace, took_ns), (room, scene))
    });
    // A unit of one multiprocessor bounds nothing while most of the others wait.
    if trials.as_ref().and_then(|all| all.first()).is_some_and(Tried::is_of_idle) {
        estimate.bound_by = "idle multiprocessors";
    }
    (estimate, work, trials)
}

/// The words for a fault.
fn diagnose(fault: &Fault, tier: Tier, launch: &Launch, told: machine::probe::Launch) -> Result<Diagnosis, Cause> {
    let sources = &diagnostics::read_source;
    if tier != Tier::Bare {
        return Ok(diagnostics::fault(fault, &Scene { launch: &told, sources }));
    }
    // A program to which nobody listens does not know which pointers its addresses are made from; its sites are the same.
    let program = launch.loaded.program(Tier::Probed)?;
    let told = machine::probe::Launch { program: &program, function: &program.functions[launch.index], ..told };
    Ok(diagnostics::fault(fault, &Scene { launch: &told, sources }))
}

/// True if a block that is played through stands for the others. It is not told of other blocks' copies to it.
fn plays(launch: &Launch, totals: Option<&Totals>) -> bool {
    let transfers = totals.is_some_and(|totals| totals.memory.transfers.is_some());
    let from_others = transfers && launch.cluster.iter().product::<u32>() > 1;
    !launch.cooperative && !from_others
}

/// The result that a card would answer for a fault.
fn fault_code(fault: &Fault) -> CUresult {
    match fault {
        Fault::OutOfBounds { .. } | Fault::BlockLeft { .. } | Fault::StackFull { .. } => {
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        }
        Fault::Misaligned { .. } => CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
        Fault::Trap { .. } | Fault::BadBarrier { .. } | Fault::TooManyBytes { .. } | Fault::BadFree { .. } => {
            CUresult::CUDA_ERROR_LAUNCH_FAILED
        }
        Fault::Assert { .. } => CUresult::CUDA_ERROR_ASSERT,
        Fault::Deadlock { .. } | Fault::Budget { .. } => CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
        Fault::BadTensorMap { .. } | Fault::UnalignedCorner { .. } | Fault::CornerBefore { .. } => {
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        }
        Fault::BadTexture { .. } => CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
        Fault::BadCall { .. } => CUresult::CUDA_ERROR_INVALID_PC,
        Fault::StackOverflow { .. } => CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
    }
}
