//! `libnvidia-ml.so.1` beside the simulated driver: what it tells of a card is what the driver tells, and what the process does.
//!
//! The command under `sim` is this program itself, started with `--as-program`.
#![allow(unsafe_code)]

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use libloading::Library;
use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::process::{Command, ExitCode};
use std::ptr::null_mut;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--as-program") => {
            program();
            return ExitCode::SUCCESS;
        }
        Some("--as-nvidia-smi") => {
            nvidia_smi();
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let trials = vec![
        Trial::test("a_card_and_the_process_that_uses_it", || under_sim("--as-program")),
        Trial::test("nvidia_smi_tells_the_same", || under_sim("--as-nvidia-smi")),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn under_sim(word: &str) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    let output = command.arg(std::env::current_exe()?).arg(word).env("LABS_SIM_PROFILE", "h200").output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

/// The functions, by their C signatures.
struct Nvml(Library);

type Handle = *mut c_void;

impl Nvml {
    fn call<F: Copy>(&self, name: &str) -> F {
        // SAFETY: each caller names a function with its own signature.
        unsafe { *self.0.get::<F>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
    }

    fn start(&self) -> u32 {
        // SAFETY: it has no conditions.
        unsafe { self.call::<unsafe extern "C" fn() -> u32>("nvmlInit_v2")() }
    }

    /// The value that a function writes into a place behind the handle.
    fn of<T: Default + Copy>(&self, name: &str, device: Handle) -> Result<T, u32> {
        let mut value = T::default();
        // SAFETY: the function writes a `T`.
        match unsafe { self.call::<unsafe extern "C" fn(Handle, *mut T) -> u32>(name)(device, &mut value) } {
            0 => Ok(value),
            code => Err(code),
        }
    }

    fn text(&self, name: &str, device: Handle) -> String {
        let mut text = [0u8; 96];
        type Get = unsafe extern "C" fn(Handle, *mut c_char, u32) -> u32;
        // SAFETY: a buffer of the size that it is told.
        assert_eq!(unsafe { self.call::<Get>(name)(device, text.as_mut_ptr().cast(), 96) }, 0, "{name}");
        CStr::from_bytes_until_nul(&text).expect("a text").to_str().expect("UTF-8").to_owned()
    }

    fn system_text(&self, name: &str) -> String {
        let mut text = [0u8; 96];
        type Get = unsafe extern "C" fn(*mut c_char, u32) -> u32;
        // SAFETY: a buffer of the size that it is told.
        assert_eq!(unsafe { self.call::<Get>(name)(text.as_mut_ptr().cast(), 96) }, 0, "{name}");
        CStr::from_bytes_until_nul(&text).expect("a text").to_str().expect("UTF-8").to_owned()
    }

    fn clock(&self, kind: u32, device: Handle) -> (u32, u32) {
        let mut mhz = 0;
        type Get = unsafe extern "C" fn(Handle, u32, *mut u32) -> u32;
        // SAFETY: a place for a number.
        (unsafe { self.call::<Get>("nvmlDeviceGetClockInfo")(device, kind, &mut mhz) }, mhz)
    }

    /// Identifiers and memory of the processes on a card.
    fn processes(&self, device: Handle) -> Vec<(u32, u64)> {
        let (mut count, mut found) = (4, [[0u64; 3]; 4]);
        type Get = unsafe extern "C" fn(Handle, *mut u32, *mut [u64; 3]) -> u32;
        let name = "nvmlDeviceGetComputeRunningProcesses_v3";
        // SAFETY: room for four.
        assert_eq!(unsafe { self.call::<Get>(name)(device, &mut count, found.as_mut_ptr()) }, 0);
        found[..count as usize].iter().map(|process| (process[0] as u32, process[1])).collect()
    }
}

fn program() {
    // SAFETY: loading it runs no code of ours.
    let nvml = Nvml(unsafe { Library::new("libnvidia-ml.so.1") }.expect("sim puts it in front"));
    let (mut count, mut device) = (0u32, null_mut());
    type Count = unsafe extern "C" fn(*mut u32) -> u32;
    type ByIndex = unsafe extern "C" fn(u32, *mut Handle) -> u32;
    type ByText = unsafe extern "C" fn(*const c_char, *mut Handle) -> u32;
    let counts: Count = nvml.call("nvmlDeviceGetCount_v2");
    let by_index: ByIndex = nvml.call("nvmlDeviceGetHandleByIndex_v2");
    // SAFETY: places for numbers and handles.
    unsafe {
        assert_eq!(counts(&mut count), 1, "not started");
        assert_eq!(nvml.start(), 0);
        assert_eq!((counts(&mut count), count), (0, 1));
        assert_eq!(by_index(1, &mut device), 2, "there is one card");
        assert_eq!(by_index(0, &mut device), 0);
    }
    assert_eq!(nvml.text("nvmlDeviceGetName", device), "NVIDIA H200");
    assert_eq!((nvml.clock(0, device), nvml.clock(2, device)), ((0, 1980), (0, 3201)));
    assert_eq!(nvml.clock(3, device).0, 3, "video is not modelled");
    for unknown in ["nvmlDeviceGetTemperature", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetFanSpeed"] {
        assert_eq!(nvml.of::<u32>(unknown, device), Err(3), "{unknown}");
    }
    let mut version = [0; 2];
    type Capability = unsafe extern "C" fn(Handle, *mut c_int, *mut c_int) -> u32;
    let capability: Capability = nvml.call("nvmlDeviceGetCudaComputeCapability");
    let [major, minor] = &mut version;
    // SAFETY: places for two numbers.
    assert_eq!((unsafe { capability(device, major, minor) }, version), (0, [9, 0]));
    assert_eq!(nvml.of::<u32>("nvmlDeviceGetArchitecture", device), Ok(9), "Hopper");
    type Branch = unsafe extern "C" fn(*mut [u32; 21], u32) -> u32;
    let (branch, mut named) = (nvml.call::<Branch>("nvmlSystemGetDriverBranch"), [0u32; 21]);
    // SAFETY: a struct of a version and 80 bytes of text.
    unsafe {
        assert_eq!(branch(&mut named, 80), 25, "of no version");
        named[0] = 84 | 1 << 24;
        assert_eq!((branch(&mut named, 4), branch(&mut named, 80)), (7, 0));
    }
    let bytes: Vec<u8> = named[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = CStr::from_bytes_until_nul(&bytes).expect("a text").to_str().expect("UTF-8");
    let version = nvml.system_text("nvmlSystemGetDriverVersion");
    assert_eq!(name, format!("r{}_00", version.split('.').next().expect("a line of drivers")));
    let uuid = nvml.text("nvmlDeviceGetUUID", device);
    let uuid = CString::new(uuid).expect("no NUL");
    for (by, text) in
        [("nvmlDeviceGetHandleByUUID", uuid.as_c_str()), ("nvmlDeviceGetHandleByPciBusId_v2", c"00000000:01:00.0")]
    {
        let mut same = null_mut();
        // SAFETY: a text and a place for a handle.
        assert_eq!((unsafe { nvml.call::<ByText>(by)(text.as_ptr(), &mut same) }, same), (0, device), "{by}");
    }
    // As it was before its third version, as hashcat asks it: 16 bytes of text, then numbers.
    for first in ["nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2"] {
        let place = nvml.of::<[u32; 9]>(first, device).expect("a place on the bus");
        assert_eq!((place[0].to_le_bytes(), &place[4..]), (*b"0000", &[0, 1, 0, 0x10de, 0][..]), "{first}");
    }
    assert_eq!(nvml.of::<[u32; 2]>("nvmlDeviceGetUtilizationRates", device), Ok([0, 0]));
    assert_eq!(nvml.processes(device), []);

    let [total, free, used] = nvml.of::<[u64; 3]>("nvmlDeviceGetMemoryInfo", device).expect("memory");
    assert_eq!((total, used), (free, 0));
    work(&nvml, device, total);
    // SAFETY: it has no conditions.
    assert_eq!(unsafe { nvml.call::<unsafe extern "C" fn() -> u32>("nvmlShutdown")() }, 0);
    // SAFETY: a place for a number.
    assert_eq!(unsafe { counts(&mut count) }, 1, "shut down");
}

/// The process's work is told: its memory, and that a kernel ran.
fn work(nvml: &Nvml, device: Handle, total: u64) {
    const PTX: &str = ".version 7.0\n.target sm_75\n.address_size 64\n
        .visible .entry count (.param .u64 at) {
        .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %d<2>;
        mov.u32 %r1, 0;
        AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 200000; @%p1 bra AGAIN;
        ld.param.u64 %d1, [at]; st.global.u32 [%d1], %r1; ret; }";
    const BYTES: usize = 64 << 20;
    let context = CudaContext::new(0).expect("a device");
    let stream = context.default_stream();
    let module = context.load_module(cudarc::nvrtc::Ptx::from_src(PTX)).expect("a module");
    let function = module.load_function("count").expect("its kernel");
    let mut numbers = stream.alloc_zeros::<u8>(BYTES).expect("memory");
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel writes four bytes at the address.
    unsafe { stream.launch_builder(&function).arg(&mut numbers).launch(config) }.expect("a launch");
    stream.synchronize().expect("it ends");
    let [now_total, free, used] = nvml.of::<[u64; 3]>("nvmlDeviceGetMemoryInfo", device).expect("memory");
    assert_eq!((now_total, free + used), (total, total));
    assert!(used >= BYTES as u64, "{used}");
    assert_eq!(nvml.processes(device), [(std::process::id(), used)]);
    let [computing, memory] = nvml.of::<[u32; 2]>("nvmlDeviceGetUtilizationRates", device).expect("shares");
    // The loop takes a millisecond and more, far longer than all calls before it.
    assert!(computing > 50 && memory >= computing && memory <= 100, "{computing} {memory}");
}

/// The answers of the program `nvidia-smi`, whose code this is.
fn nvidia_smi() {
    let told = |words: &[&str]| nvidia_ml1::smi::told(words.iter().map(|word| (*word).to_owned()));
    let query = |fields: &str, format: &str| told(&[&format!("--query-gpu={fields}"), &format!("--format={format}")]);
    let list = told(&["-L"]).expect("a list");
    assert!(list.starts_with("GPU 0: NVIDIA H200 (UUID: GPU-") && list.lines().count() == 1, "{list}");
    let csv = query("index, name,memory.total,power.draw,compute_cap", "csv").expect("a table");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "index, name, memory.total [MiB], power.draw [W], compute_cap");
    let [index, name, memory, power, capability] = rows[1].split(", ").collect::<Vec<_>>()[..] else { panic!("{csv}") };
    assert_eq!((index, name, power, capability), ("0", "NVIDIA H200", "[N/A]", "9.0"));
    let mib = memory.strip_suffix(" MiB").expect("a unit");
    assert_eq!(query("memory.total", "csv,noheader,nounits"), Ok(format!("{mib}\n")));
    assert_eq!(told(&["-i", "0", "--query-gpu", "clocks.sm", "--format", "csv,noheader"]), Ok("1980 MHz\n".into()));
    let table = told(&[]).expect("a table");
    let widths: Vec<usize> = table.lines().take_while(|line| !line.starts_with("simulated")).map(str::len).collect();
    assert!(widths.len() == 11 && widths.iter().all(|width| *width == 91), "{table}");
    for part in ["CUDA Version: 13.0 ", "   0  NVIDIA H200 ", " 00000000:01:00.0 Off ", &format!(" 0MiB / {mib}MiB ")] {
        assert!(table.contains(part), "{part}: {table}");
    }
    for (words, why) in [
        (&["--query-gpu=colour", "--format=csv"][..], "\"colour\" is not a valid field"),
        (&["--query-gpu=name", "--format=xml"], "--format=xml"),
        (&["-i", "7"], "no card is `7`"),
        (&["--gpu-reset"], "no option `--gpu-reset`"),
    ] {
        let (code, said) = told(words).expect_err("a wrong call");
        assert!(code == 2 && said.contains(why) && said.contains("\n  next: "), "{said}");
    }
}
