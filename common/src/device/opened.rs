//! Which device runs the kernels, and what the report says of it.
//!
//! After [`Device::open`] nobody asks again whether the device is simulated: everything goes through cudarc, and what only one kind of
//! device can answer (counters) comes back empty from the other. Defaults that differ are chosen by [`Device::choose`].

use super::instrumentation::{Instrumentation, sample_settings};
use crate::call::Function;
use crate::choice::DeviceChoice;
use crate::error::LabError;
use crate::kernel_text::KernelTexts;
use crate::memory::{Held, Largest};
use crate::observations::{Activity, DeviceFacts, Observations, Printed, Standing};
use crate::recorder::{self, traced};
use crate::simulator::{Profile, Simulator};
use anyhow::Context;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, CudaModule, CudaStream};
use libloading::os::unix::Library;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The limits of a launch, from the device's attributes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Threads of one block.
    pub threads_per_block: usize,
    /// Bytes of static shared memory of one block.
    pub shared_bytes_per_block: usize,
    /// Bytes of shared memory of one block that asks for more, dynamically.
    pub shared_bytes_per_block_optin: usize,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Device memory free now, in bytes.
    pub free_bytes: usize,
}

/// A value that differs by kind of device: small problems where each instruction is interpreted, the assignment's own on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct ByDevice<T> {
    /// On the simulator.
    pub simulator: T,
    /// On a GPU.
    pub gpu: T,
}

/// An open device: cudarc's context and stream, and what reports need to know.
#[derive(Debug)]
pub struct Device {
    /// cudarc's context, bound to the thread that opened the device.
    pub context: Arc<CudaContext>,
    /// The legacy default stream, unless the device is [on its own](Device::on_its_own_stream).
    pub stream: Arc<CudaStream>,
    /// Name and kind.
    pub facts: DeviceFacts,
    /// True if every run is under the sanitizer.
    sanitizes: bool,
    /// True if launches are tried without the causes of their time.
    tries: bool,
    /// The order of every run, unless another is asked for.
    schedule_seed: u64,
    /// As of [`Instrumentation`].
    sample: Option<(u64, u64, bool)>,
    /// True if somebody will ask for activities.
    records: AtomicBool,
    /// Modules by their source's path and text, where they are kept; see [`Device::keeping_modules`].
    modules: Option<Mutex<Modules>>,
    /// The largest of the problems that were asked about.
    largest: Largest,
    /// The kernels' texts that were loaded.
    pub texts: KernelTexts,
}

type Modules = HashMap<(&'static str, String), Arc<CudaModule>>;

/// The driver in this process: one for its whole life, because cudarc binds to it once.
static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();

#[derive(Debug)]
enum Driver {
    Gpu,
    Simulated(Simulator),
}

impl Device {
    /// Opens what was chosen. Errors: `gpu` without a driver or without that device, an unknown profile, a second choice in one process.
    pub fn open(choice: &DeviceChoice, instrumentation: &Instrumentation) -> anyhow::Result<Self> {
        let driver = chosen_driver(choice)?;
        let index = match (choice, driver) {
            (DeviceChoice::Gpu(index), Driver::Gpu) => *index,
            (DeviceChoice::Auto, _) | (DeviceChoice::Simulator { .. }, Driver::Simulated(_)) => 0,
            _ => {
                return Err(LabError::host(
                    "one process can speak to one CUDA driver only, and another was chosen before",
                    "start a process for each device",
                )
                .into());
            }
        };
        if let Driver::Simulated(simulator) = driver {
            simulator.configure(&instrumentation.settings())?;
        }
        let count = CudaContext::device_count().context("asking the driver for its devices")?;
        if index >= count.try_into().unwrap_or(0) {
            return Err(LabError::usage(
                format!("there is no device {index}; the driver has {count}"),
                "--device gpu:0",
            )
            .into());
        }
        let context = CudaContext::new(index).with_context(|| format!("opening device {index}"))?;
        let (major, minor) = context.compute_capability()?;
        let name = context.name()?;
        let profile = driver.profile(&name)?;
        let facts = DeviceFacts {
            profile: profile.as_ref().map(|card| card.key.clone()),
            time_error_percent: profile.map(|card| card.time_error_percent).filter(|&percent| percent > 0),
            name,
            simulated: matches!(driver, Driver::Simulated(_)),
            compute_capability: format!("{major}.{minor}"),
        };
        Ok(Device {
            stream: context.default_stream(),
            context,
            facts,
            sanitizes: instrumentation.sanitize,
            tries: instrumentation.trials,
            schedule_seed: instrumentation.schedule_seed.unwrap_or(0),
            sample: instrumentation.sample,
            records: AtomicBool::new(false),
            modules: None,
            largest: Largest::default(),
            texts: KernelTexts::default(),
        })
    }

    /// The device that tests run on: `LABS_DEVICE`, by default the simulator, so that verdicts are the same everywhere.
    pub fn for_tests() -> anyhow::Result<Self> {
        let choice = DeviceChoice::for_tests()?;
        Self::open(&choice, &Instrumentation::default())
    }

    /// The value for this kind of device.
    pub fn choose<T>(&self, values: ByDevice<T>) -> T {
        if self.facts.simulated { values.simulator } else { values.gpu }
    }

    /// The target that kernels are compiled to for this device: machine code for a GPU, PTX for the simulator.
    pub fn target(&self) -> anyhow::Result<kernels::Target> {
        let (major, minor) = self.context.compute_capability()?;
        let (major, minor) = (major.try_into()?, minor.try_into()?);
        Ok(self.choose(ByDevice {
            simulator: kernels::Target::Ptx { major, minor },
            gpu: kernels::Target::Cubin { major, minor },
        }))
    }

    /// From now on a source is loaded once, so that what a kernel leaves in a `__device__` variable is there in its next launch.
    pub fn keeping_modules(self) -> Self {
        Device { modules: Some(Mutex::default()), ..self }
    }

    /// From now on its work goes to a stream of its own, which a graph can be captured from: the legacy default stream cannot be.
    pub fn on_its_own_stream(self) -> anyhow::Result<Self> {
        let stream = self.context.new_stream()?;
        // SAFETY: cudarc's events order the uses of a buffer by several streams; everything that is measured on this device is on this
        // one, and a graph cannot wait for an event that was recorded outside of it.
        #[allow(unsafe_code)]
        unsafe {
            self.context.disable_event_tracking();
        }
        Ok(Device { stream, ..self })
    }

    /// Compiles a source for this device, loads it, and finds one of its kernels.
    pub fn kernel(&self, source: &kernels::Source, symbol: &str) -> anyhow::Result<Function> {
        Function::find(&self.module(source)?, source, symbol)
    }

    /// Compiles a source for this device, links it where its kernels launch kernels, and loads it.
    pub fn module(&self, source: &kernels::Source) -> anyhow::Result<Arc<CudaModule>> {
        let load = || -> anyhow::Result<Arc<CudaModule>> {
            self.texts.note(source);
            let image = kernels::compile(source, self.target()?)?;
            let image = if self.facts.simulated { image } else { image.linked()? };
            traced(&self.stream, "cuModuleLoadData", None, || image.load(&self.context))
                .with_context(|| format!("loading {}", source.path))
        };
        let Some(modules) = &self.modules else { return load() };
        let mut modules = modules.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (source.path, source.text.to_string());
        if let Some(module) = modules.get(&key) {
            return Ok(module.clone());
        }
        let module = load()?;
        modules.insert(key, module.clone());
        Ok(module)
    }

    /// The limits that a plan is checked against before anything is allocated.
    pub fn limits(&self) -> anyhow::Result<Limits> {
        let attribute = |which| -> anyhow::Result<usize> { Ok(self.context.attribute(which)?.try_into()?) };
        Ok(Limits {
            threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared_bytes_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_bytes_per_block_optin: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            free_bytes: self.context.mem_get_info()?.0,
        })
    }

    /// Refuses a problem larger than the device's free memory, before anything is allocated. `what` names the parts.
    pub fn require_memory(&self, needed_bytes: usize, what: &str, flags: &str) -> anyhow::Result<()> {
        let free = self.limits()?.free_bytes;
        if needed_bytes <= free {
            self.largest.note(needed_bytes, what);
            return Ok(());
        }
        Err(LabError::limit(
            format!("{what} need {} of device memory; {} is free", mebibytes(needed_bytes), mebibytes(free)),
            format!("choose a smaller {flags}"),
        )
        .into())
    }

    /// Refuses the largest problem that was asked about where this machine cannot hold it, and tells of one that takes much.
    pub fn require_host_memory(&self) -> Result<(), LabError> {
        self.largest.require(self.held())
    }

    /// The parts of a problem on this device that this machine holds.
    pub fn held(&self) -> Held {
        match (self.facts.simulated, self.samples()) {
            (false, _) => Held::Once,
            (true, false) => Held::Twice,
            (true, true) => Held::Touched,
        }
    }

    /// Counters of all launches, and findings, since the last call. Synchronise first.
    pub fn observe(&self) -> anyhow::Result<Observations> {
        match driver() {
            Some(Driver::Simulated(simulator)) => {
                Ok(Observations { launches: simulator.take_launches()?, findings: simulator.take_findings()? })
            }
            _ => Ok(Observations::default()),
        }
    }

    /// Runs `work` under the sanitizer, with nothing observed before; `None`, and nothing run, on a device that has none or where
    /// every run has it anyway.
    pub fn sanitized<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let Some(Driver::Simulated(simulator)) = driver().filter(|_| !self.sanitizes) else {
            return Ok(None);
        };
        let switch = |on: bool| simulator.configure(&Map::from_iter([("sanitize".to_owned(), Value::from(on))]));
        switch(true)?;
        let result = work();
        switch(false)?;
        self.observe()?;
        result.map(Some)
    }

    /// Runs `work`, whose times nobody sees, without trials of its launches.
    pub fn untried<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let Some(simulator) = simulator().filter(|_| self.tries) else { return work() };
        let switch = |on: bool| simulator.configure(&Map::from_iter([("trials".to_owned(), Value::from(on))]));
        switch(false)?;
        let result = work();
        switch(true)?;
        result
    }

    /// Returns whether some blocks of a large grid are run for all of them.
    pub fn samples(&self) -> bool {
        self.sample.is_some()
    }

    /// Returns whether somebody will ask for all that is launched and copied.
    pub fn records(&self) -> bool {
        self.records.load(Ordering::Relaxed)
    }

    /// Runs `work` with all blocks of every launch.
    pub fn running_all_blocks<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let (Some(simulator), Some(_)) = (simulator(), self.sample) else { return work() };
        simulator.configure(&sample_settings(None))?;
        let result = work();
        simulator.configure(&sample_settings(self.sample))?;
        result
    }

    /// Errors: a GPU, which chooses the order of blocks and warps by itself.
    pub fn require_schedules(&self) -> Result<(), LabError> {
        simulator_of_orders().map(drop)
    }

    /// Runs `work` in another legal order of blocks and warps; 0 is the natural one. Errors: a GPU, which chooses by itself.
    pub fn with_schedule_seed<T>(&self, seed: u64, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let simulator = simulator_of_orders()?;
        let choose =
            |seed: u64| simulator.configure(&Map::from_iter([("schedule_seed".to_owned(), Value::from(seed))]));
        choose(seed)?;
        let result = work();
        choose(self.schedule_seed)?;
        result
    }

    /// From now on [`Device::take_activities`] has something to tell, on every device.
    pub fn record_activities(&self) -> anyhow::Result<()> {
        self.records.store(true, Ordering::Relaxed);
        match driver() {
            Some(Driver::Simulated(_)) => Ok(()),
            _ => Ok(recorder::start(&self.stream)?),
        }
    }

    /// Kernels, copies and API calls since the last call: the driver's own record where it keeps one, else ours of the calls that are traced.
    pub fn take_activities(&self) -> anyhow::Result<Vec<Activity>> {
        match driver() {
            Some(Driver::Simulated(simulator)) => simulator.take_activities(),
            _ => Ok(recorder::take()?),
        }
    }

    /// The certificate of the run so far; null on a GPU.
    pub fn fidelity(&self) -> anyhow::Result<Value> {
        match driver() {
            Some(Driver::Simulated(simulator)) => simulator.fidelity(),
            _ => Ok(Value::Null),
        }
    }
}

/// Returns whether the device of this choice is simulated. The choice is made by that, for this process.
pub fn is_simulated(choice: &DeviceChoice) -> anyhow::Result<bool> {
    Ok(matches!(chosen_driver(choice)?, Driver::Simulated(_)))
}

/// The driver of this process: that of the first choice.
fn chosen_driver(choice: &DeviceChoice) -> anyhow::Result<&'static Driver> {
    let driver = DRIVER.get_or_init(|| choose_driver(choice).map_err(|error| error.to_string()));
    driver.as_ref().map_err(|text| anyhow::anyhow!(text.clone()))
}

/// A launch of more warp instructions than this is ended by the simulator as an error. Errors: a GPU, which has no such limit.
pub fn limit_instructions(most: u64) -> anyhow::Result<()> {
    let simulator = simulator_of_orders()?;
    Ok(simulator.configure(&Map::from_iter([("instruction_budget".to_owned(), Value::from(most))]))?)
}

/// From now on the text that kernels print is kept for [`take_printed`] instead of going to standard output; on the simulator alone.
pub fn keep_printed() -> anyhow::Result<()> {
    let Some(simulator) = simulator() else { return Ok(()) };
    Ok(simulator.configure(&Map::from_iter([("keep_printed".to_owned(), true.into())]))?)
}

/// From now on messages show this text of a source file, whose path is as the compiler has it; on the simulator alone.
pub fn give_source(path: &str, text: &str) -> anyhow::Result<()> {
    let Some(simulator) = simulator() else { return Ok(()) };
    let texts = Map::from_iter([(path.to_owned(), Value::from(text))]);
    Ok(simulator.configure(&Map::from_iter([("sources".to_owned(), Value::Object(texts))]))?)
}

/// The text that kernels printed since the last call, and the note on them, where it is kept; `None` if there is none.
pub fn take_printed() -> Option<Printed> {
    let printed = simulator()?.take_printed().ok()?.into_iter().next()?;
    (printed.count > 0 || printed.note.is_some()).then_some(printed)
}

/// The cards that the simulator knows.
pub fn profiles() -> anyhow::Result<Vec<Profile>> {
    match driver() {
        Some(Driver::Simulated(simulator)) => simulator.profiles(),
        _ => Simulator::load()?.profiles(),
    }
}

/// The simulator, where it is the one that chooses the order of blocks and warps.
fn simulator_of_orders() -> Result<&'static Simulator, LabError> {
    match driver() {
        Some(Driver::Simulated(simulator)) => Ok(simulator),
        _ => {
            let why =
                "a GPU chooses the order of blocks and warps by itself: --schedules and seeds are the simulator's";
            Err(LabError::usage(why, "--device sim"))
        }
    }
}

/// How far the launch is that the simulator runs now; `None` where none runs, and on a GPU.
pub fn standing() -> Option<Standing> {
    simulator()?.standing()
}

pub(crate) fn simulator() -> Option<&'static Simulator> {
    match driver()? {
        Driver::Simulated(simulator) => Some(simulator),
        Driver::Gpu => None,
    }
}

fn driver() -> Option<&'static Driver> {
    DRIVER.get()?.as_ref().ok()
}

impl Driver {
    /// The profile of an open device, by the name that it has from its card; `None` on a GPU.
    fn profile(&self, device_name: &str) -> anyhow::Result<Option<Profile>> {
        let Driver::Simulated(simulator) = self else {
            return Ok(None);
        };
        let mut cards = simulator.profiles()?.into_iter();
        Ok(cards.find(|card| card.name == device_name))
    }
}

/// Puts the chosen driver in place before cudarc looks for one.
fn choose_driver(choice: &DeviceChoice) -> Result<Driver, LabError> {
    match choice {
        DeviceChoice::Gpu(_) => match gpu_count() {
            Ok(_) => Ok(Driver::Gpu),
            Err(reason) => Err(LabError::usage(
                format!("--device gpu: {reason}"),
                "--device sim runs the same program without a GPU",
            )),
        },
        DeviceChoice::Auto if gpu_count().is_ok() => Ok(Driver::Gpu),
        DeviceChoice::Auto => start_simulator(None, 1),
        DeviceChoice::Simulator { profile, devices } => start_simulator(profile.as_deref(), *devices),
        DeviceChoice::Several(all) => Err(LabError::usage(
            format!("{choice}: this program runs on one device"),
            format!("{}; only a lab's program takes several (--device or LABS_DEVICE)", all[0]),
        )),
    }
}

fn start_simulator(profile: Option<&str>, devices: usize) -> Result<Driver, LabError> {
    let simulator = Simulator::load()?;
    let mut settings = Map::new();
    if let Some(profile) = profile {
        settings.insert("profile".into(), profile.into());
    }
    if devices != 1 {
        settings.insert("devices".into(), devices.into());
    }
    simulator.configure(&settings)?;
    Ok(Driver::Simulated(simulator))
}

/// Number of GPUs of a real driver, at least one; else the reason why there is none.
#[allow(unsafe_code)]
fn gpu_count() -> Result<i32, String> {
    // SAFETY: NVIDIA's driver library has no initialisers that matter before cuInit, and the two functions have these signatures in every
    // version of it. The handle is closed on return; the driver stays with cudarc, which opens it anew.
    unsafe {
        let library = Library::new("libcuda.so.1")
            .map_err(|_| "there is no NVIDIA driver here (libcuda.so.1 does not load)".to_owned())?;
        let symbol = |error| format!("libcuda.so.1 is not a CUDA driver: {error}");
        let initialise = library.get::<unsafe extern "C" fn(u32) -> i32>(b"cuInit\0").map_err(symbol)?;
        let count_devices =
            library.get::<unsafe extern "C" fn(*mut i32) -> i32>(b"cuDeviceGetCount\0").map_err(symbol)?;
        let status = initialise(0);
        if status != 0 {
            return Err(format!("the NVIDIA driver does not start (cuInit returns {status})"));
        }
        let mut count = 0;
        let status = count_devices(&raw mut count);
        if status != 0 || count == 0 {
            return Err("the NVIDIA driver has no device".to_owned());
        }
        // Kept loaded: a driver that is unloaded after cuInit takes its state with it.
        std::mem::forget(library);
        Ok(count)
    }
}

fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
