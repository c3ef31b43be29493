//! Every exported function: its name and C signature, and what answers it. Names without an implementation are in [`without`].
#![allow(non_snake_case, reason = "the interface's names")]
use crate::answers::{
    self, Branch, Handle, Memory, Memory2, Pci, Pci1, Process, Process1, Utilisation, driver_version, of, ordinal, out,
    out_text, process, process_1, processes, uuid_of,
};
use crate::simulator::{self, Card, card, cards};
use crate::status;
use std::ffi::{c_char, c_int, c_uint};

macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As NVIDIA's management library defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe)]
                status::call(&mut || -> status::Outcome { unsafe { $body } })
            }
        )*
    };
}

/// The first card, which tells what all have in common: there is at least one.
fn any() -> status::Outcome<Card> {
    card(0)
}

/// `nvmlErrorString`
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(code: u32) -> *const c_char {
    status::words(code)
}

exports! {
    nvmlInit() => simulator::start();
    nvmlInit_v2() => simulator::start();
    nvmlInitWithFlags(flags: c_uint) => { let _ = flags; simulator::start() };
    nvmlShutdown() => simulator::stop();
    nvmlSystemGetDriverVersion(to: *mut c_char, room: c_uint) => out_text(to, room, driver_version(any()?.interface));
    nvmlSystemGetNVMLVersion(to: *mut c_char, room: c_uint) => { let version = any()?.interface / 1000; out_text(to, room, &format!("{version}.{}", driver_version(any()?.interface))) };
    nvmlSystemGetCudaDriverVersion(version: *mut c_int) => out(version, any()?.interface as c_int);
    nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) => out(version, any()?.interface as c_int);
    nvmlSystemGetDriverBranch(to: *mut Branch, room: c_uint) => answers::driver_branch(to, room, any()?.interface);
    nvmlSystemGetProcessName(pid: c_uint, to: *mut c_char, room: c_uint) => answers::process_name(pid, to, room);
    nvmlDeviceGetCount(count: *mut c_uint) => out(count, cards()?.len() as c_uint);
    nvmlDeviceGetCount_v2(count: *mut c_uint) => out(count, cards()?.len() as c_uint);
    nvmlDeviceGetHandleByIndex(index: c_uint, device: *mut Handle) => answers::by_index(index, device);
    nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut Handle) => answers::by_index(index, device);
    nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut Handle) => answers::by_uuid(uuid, device);
    nvmlDeviceGetHandleByPciBusId(id: *const c_char, device: *mut Handle) => answers::by_pci(id, device);
    nvmlDeviceGetHandleByPciBusId_v2(id: *const c_char, device: *mut Handle) => answers::by_pci(id, device);
    nvmlDeviceGetName(device: Handle, to: *mut c_char, room: c_uint) => out_text(to, room, &of(device)?.card.name);
    nvmlDeviceGetUUID(device: Handle, to: *mut c_char, room: c_uint) => out_text(to, room, &uuid_of(&of(device)?));
    nvmlDeviceGetIndex(device: Handle, index: *mut c_uint) => out(index, ordinal(device)?);
    nvmlDeviceGetMinorNumber(device: Handle, number: *mut c_uint) => out(number, ordinal(device)?);
    nvmlDeviceGetMemoryInfo(device: Handle, to: *mut Memory) => answers::memory(device, to);
    nvmlDeviceGetMemoryInfo_v2(device: Handle, to: *mut Memory2) => answers::memory_2(device, to);
    nvmlDeviceGetUtilizationRates(device: Handle, to: *mut Utilisation) => answers::utilisation(device, to);
    nvmlDeviceGetClockInfo(device: Handle, kind: c_uint, mhz: *mut c_uint) => answers::clock(device, kind, mhz);
    nvmlDeviceGetMaxClockInfo(device: Handle, kind: c_uint, mhz: *mut c_uint) => answers::clock(device, kind, mhz);
    nvmlDeviceGetCudaComputeCapability(device: Handle, major: *mut c_int, minor: *mut c_int) => answers::capability(device, major, minor);
    nvmlDeviceGetArchitecture(device: Handle, to: *mut c_uint) => answers::architecture(device, to);
    nvmlDeviceGetPciInfo(device: Handle, to: *mut Pci1) => answers::pci_1(device, to);
    nvmlDeviceGetPciInfo_v2(device: Handle, to: *mut Pci1) => answers::pci_1(device, to);
    nvmlDeviceGetPciInfo_v3(device: Handle, to: *mut Pci) => answers::pci(device, to);
    nvmlDeviceGetCurrPcieLinkGeneration(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_generation);
    nvmlDeviceGetMaxPcieLinkGeneration(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_generation);
    nvmlDeviceGetCurrPcieLinkWidth(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_lanes);
    nvmlDeviceGetMaxPcieLinkWidth(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_lanes);
    nvmlDeviceGetMemoryBusWidth(device: Handle, bits: *mut c_uint) => out(bits, of(device)?.card.memory_bus_bits);
    nvmlDeviceGetNumGpuCores(device: Handle, count: *mut c_uint) => { let row = of(device)?.card; out(count, row.multiprocessors * row.architecture.fp32_lanes_per_multiprocessor) };
    // Every process may compute.
    nvmlDeviceGetComputeMode(device: Handle, mode: *mut c_uint) => { of(device)?; out(mode, 0) };
    nvmlDeviceIsMigDeviceHandle(device: Handle, answer: *mut c_uint) => { of(device)?; out(answer, 0) };
    nvmlDeviceGetComputeRunningProcesses(device: Handle, count: *mut c_uint, to: *mut Process1) => processes(device, count, to, Some(process_1));
    nvmlDeviceGetComputeRunningProcesses_v2(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, Some(process));
    nvmlDeviceGetComputeRunningProcesses_v3(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, Some(process));
    nvmlDeviceGetGraphicsRunningProcesses(device: Handle, count: *mut c_uint, to: *mut Process1) => processes(device, count, to, None);
    nvmlDeviceGetGraphicsRunningProcesses_v2(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, None);
    nvmlDeviceGetGraphicsRunningProcesses_v3(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, None);
}

/// Names that have no implementation, since what they tell of is not modelled. The caller's arguments are left alone: the C
/// convention lets the caller clear them away.
pub mod without {
    #![allow(non_snake_case)]
    macro_rules! absent {
        ($($name:ident)*) => {
            $(
                /// Not modelled.
                #[unsafe(no_mangle)]
                pub extern "C" fn $name() -> u32 {
                    crate::status::NOT_SUPPORTED.0
                }
            )*
        };
    }

    cuda::without_nvml!(absent);
}
