//! `libnvidia-ml.so.1` beside the simulated driver: what it tells of a card is what the driver tells, and what the process does.
//!
//! The command under `sim` is this program itself, started with `--as-program`.
#![allow(unsafe_code)]

#[macro_use]
mod under_sim;

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use libtest_mimic::{Arguments, Trial};
use std::ffi::{CStr, CString, c_int};
use std::process::ExitCode;
use under_sim::{Loaded, said, under_sim};

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
    let trials = ["--as-program", "--as-nvidia-smi"].map(|word| {
        let is_program = word == "--as-program";
        let name = if is_program { "a_card_and_the_process_that_uses_it" } else { "nvidia_smi_tells_the_same" };
        Trial::test(name, move || said(under_sim(&[], &[word.as_ref()]).env("LABS_SIM_PROFILE", "h200")).map(drop))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// The value that a function writes into a place behind the handle.
fn of<T: Default>(nvml: &Loaded, name: &str, device: usize) -> Result<T, c_int> {
    let mut value = T::default();
    match nvml.call(name, &[device, &raw mut value as usize]) {
        0 => Ok(value),
        code => Err(code),
    }
}

/// The text that a function writes, of a card where there is one.
fn text(nvml: &Loaded, name: &str, device: Option<usize>) -> String {
    let mut text = [0u8; 96];
    let arguments = device.into_iter().chain([text.as_mut_ptr() as usize, text.len()]);
    assert_eq!(nvml.call(name, &arguments.collect::<Vec<_>>()), 0, "{name}");
    CStr::from_bytes_until_nul(&text).expect("a text").to_str().expect("UTF-8").to_owned()
}

/// Identifiers and memory of the processes on a card.
fn processes(nvml: &Loaded, device: usize) -> Vec<(u32, u64)> {
    let (mut count, mut found) = (4u32, [[0u64; 3]; 4]);
    done!(nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, &raw mut count, &raw mut found));
    found[..count as usize].iter().map(|process| (process[0] as u32, process[1])).collect()
}

fn program() {
    let nvml = Loaded::new("libnvidia-ml.so.1");
    let (mut count, mut device) = (0u32, 0usize);
    assert_eq!(call!(nvml.nvmlDeviceGetCount_v2(&raw mut count)), 1, "not started");
    done!(nvml.nvmlInit_v2());
    done!(nvml.nvmlDeviceGetCount_v2(&raw mut count));
    assert_eq!(count, 1);
    assert_eq!(call!(nvml.nvmlDeviceGetHandleByIndex_v2(1, &raw mut device)), 2, "there is one card");
    done!(nvml.nvmlDeviceGetHandleByIndex_v2(0, &raw mut device));
    assert_eq!(text(&nvml, "nvmlDeviceGetName", Some(device)), "NVIDIA H200");
    let mut mhz = 0u32;
    let clocks = [0, 2].map(|kind| (call!(nvml.nvmlDeviceGetClockInfo(device, kind, &raw mut mhz)), mhz));
    assert_eq!(clocks, [(0, 1980), (0, 3201)]);
    assert_eq!(call!(nvml.nvmlDeviceGetClockInfo(device, 3, &raw mut mhz)), 3, "video is not modelled");
    for unknown in ["nvmlDeviceGetTemperature", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetFanSpeed"] {
        assert_eq!(of::<u32>(&nvml, unknown, device), Err(3), "{unknown}");
    }
    let [mut major, mut minor] = [0i32; 2];
    done!(nvml.nvmlDeviceGetCudaComputeCapability(device, &raw mut major, &raw mut minor));
    assert_eq!([major, minor], [9, 0]);
    assert_eq!(of(&nvml, "nvmlDeviceGetArchitecture", device), Ok(9u32), "Hopper");
    // A struct of a version and 80 bytes of text.
    let mut named = [0u32; 21];
    assert_eq!(call!(nvml.nvmlSystemGetDriverBranch(&raw mut named, 80)), 25, "of no version");
    named[0] = 84 | 1 << 24;
    assert_eq!([4, 80].map(|size| call!(nvml.nvmlSystemGetDriverBranch(&raw mut named, size))), [7, 0]);
    let bytes: Vec<u8> = named[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = CStr::from_bytes_until_nul(&bytes).expect("a text").to_str().expect("UTF-8");
    let version = text(&nvml, "nvmlSystemGetDriverVersion", None);
    assert_eq!(name, format!("r{}_00", version.split('.').next().expect("a line of drivers")));
    let uuid = CString::new(text(&nvml, "nvmlDeviceGetUUID", Some(device))).expect("no NUL");
    for (by, text) in
        [("nvmlDeviceGetHandleByUUID", uuid.as_c_str()), ("nvmlDeviceGetHandleByPciBusId_v2", c"00000000:01:00.0")]
    {
        let mut same = 0usize;
        assert_eq!((nvml.call(by, &[text.as_ptr() as usize, &raw mut same as usize]), same), (0, device), "{by}");
    }
    // As it was before its third version, as hashcat asks it: 16 bytes of text, then numbers.
    for first in ["nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2"] {
        let place = of::<[u32; 9]>(&nvml, first, device).expect("a place on the bus");
        assert_eq!((place[0].to_le_bytes(), &place[4..]), (*b"0000", &[0, 1, 0, 0x10de, 0][..]), "{first}");
    }
    assert_eq!(of::<[u32; 2]>(&nvml, "nvmlDeviceGetUtilizationRates", device), Ok([0, 0]));
    assert_eq!(processes(&nvml, device), []);

    let [total, free, used] = of::<[u64; 3]>(&nvml, "nvmlDeviceGetMemoryInfo", device).expect("memory");
    assert_eq!((total, used), (free, 0));
    work(&nvml, device, total);
    done!(nvml.nvmlShutdown());
    assert_eq!(call!(nvml.nvmlDeviceGetCount_v2(&raw mut count)), 1, "shut down");
}

/// The process's work is told: its memory, and that a kernel ran.
fn work(nvml: &Loaded, device: usize, total: u64) {
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
    let [now_total, free, used] = of::<[u64; 3]>(nvml, "nvmlDeviceGetMemoryInfo", device).expect("memory");
    assert_eq!((now_total, free + used), (total, total));
    assert!(used >= BYTES as u64, "{used}");
    assert_eq!(processes(nvml, device), [(std::process::id(), used)]);
    let [computing, memory] = of::<[u32; 2]>(nvml, "nvmlDeviceGetUtilizationRates", device).expect("shares");
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
