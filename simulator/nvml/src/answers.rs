//! The answers of the functions.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "a block without a reason of its own uses what the C caller gave, as CUDA's interface asks for it"
)]
use crate::simulator::{Card, card, cards};
use crate::status::{
    ARGUMENT_VERSION_MISMATCH, INSUFFICIENT_SIZE, INVALID_ARGUMENT, NOT_FOUND, NOT_SUPPORTED, Outcome, UNKNOWN,
};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// A card: its ordinal plus one. It is looked up, never followed.
pub type Handle = *mut c_void;

cuda::c_structs! {
    /// `nvmlMemory_t`
    pub struct Memory {
        total, free, used: u64;
    }
    /// `nvmlMemory_v2_t`
    pub struct Memory2 {
        version: c_uint;
        total, reserved, free, used: u64;
    }
    /// `nvmlUtilization_t`
    pub struct Utilisation {
        gpu, memory: c_uint;
    }
    /// `nvmlPciInfo_t`
    pub struct Pci {
        legacy_id: [u8; 16];
        domain, bus, device, device_id, subsystem_id: c_uint;
        id: [u8; 32];
    }
    /// `nvmlPciInfo_v2_t`, which is also the first version; the caller's place is longer, and what follows is NVIDIA's own.
    pub struct Pci1 {
        id: [u8; 16];
        domain, bus, device, device_id, subsystem_id: c_uint;
    }
    /// `nvmlProcessInfo_v1_t`
    pub struct Process1 {
        pid: c_uint;
        used_bytes: u64;
    }
    /// `nvmlProcessInfo_v2_t`, which is also the third version.
    pub struct Process {
        pid: c_uint;
        used_bytes: u64;
        gpu_instance, compute_instance: c_uint;
    }
}

/// The caller's version of [`Memory2`]: its size and 2.
const MEMORY_2: c_uint = size_of::<Memory2>() as c_uint | 2 << 24;

/// Instances of a card that is not divided.
const WHOLE: c_uint = c_uint::MAX;

/// Writes an answer where the caller wants it.
pub unsafe fn out<T>(to: *mut T, value: T) -> Outcome {
    // SAFETY: null, or the caller's place for a `T`.
    unsafe { cuda::out(to, value, INVALID_ARGUMENT) }
}

/// Writes a text with its NUL into the caller's buffer.
pub unsafe fn out_text(to: *mut c_char, room: c_uint, text: &str) -> Outcome {
    refuse_if!(to.is_null(), INVALID_ARGUMENT);
    refuse_if!(text.len() >= room as usize, INSUFFICIENT_SIZE);
    // SAFETY: not null, and the caller's buffer has room for the text and its NUL.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        to.add(text.len()).write(0);
    }
    Ok(())
}

pub fn of(device: Handle) -> Outcome<Card> {
    card((device as usize).checked_sub(1).ok_or(INVALID_ARGUMENT)?)
}

pub fn ordinal(device: Handle) -> Outcome<c_uint> {
    of(device).map(|_| device as c_uint - 1)
}

/// The handle of an ordinal.
pub unsafe fn by_index(index: c_uint, device: *mut Handle) -> Outcome {
    card(index as usize)?;
    unsafe { out(device, (index as usize + 1) as Handle) }
}

/// The handle of the card of which a text is true.
unsafe fn by(text: *const c_char, device: *mut Handle, is_it: impl Fn(&Card, &str) -> bool) -> Outcome {
    refuse_if!(text.is_null(), INVALID_ARGUMENT);
    // SAFETY: not null, and the caller's text.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let index = cards()?.iter().position(|card| is_it(card, &text)).ok_or(NOT_FOUND)?;
    unsafe { out(device, (index + 1) as Handle) }
}

/// `nvmlDeviceGetHandleByUUID`
pub unsafe fn by_uuid(uuid: *const c_char, device: *mut Handle) -> Outcome {
    unsafe { by(uuid, device, |card, text| uuid_of(card) == text) }
}

/// `nvmlDeviceGetHandleByPciBusId`: the domain may have four digits or eight.
pub unsafe fn by_pci(id: *const c_char, device: *mut Handle) -> Outcome {
    let plain = |text: &str| text.trim_start_matches('0').to_ascii_lowercase();
    unsafe { by(id, device, |card, text| plain(&card.pci_bus_id) == plain(text)) }
}

/// `GPU-` and the driver's identifier.
pub fn uuid_of(card: &Card) -> String {
    format!("GPU-{}", card.uuid)
}

/// `nvmlDeviceGetMemoryInfo`
pub unsafe fn memory(device: Handle, to: *mut Memory) -> Outcome {
    let Card { memory_total_bytes: total, memory_used_bytes: used, .. } = of(device)?;
    unsafe { out(to, Memory { total, free: total - used, used }) }
}

/// `nvmlDeviceGetMemoryInfo_v2`: nothing is reserved for the system.
pub unsafe fn memory_2(device: Handle, to: *mut Memory2) -> Outcome {
    let Card { memory_total_bytes: total, memory_used_bytes: used, .. } = of(device)?;
    // SAFETY: the caller's place, which holds the version that it has room for.
    refuse_if!(to.is_null() || unsafe { (*to).version } != MEMORY_2, INVALID_ARGUMENT);
    // SAFETY: as above.
    unsafe { out(to, Memory2 { version: MEMORY_2, total, reserved: 0, free: total - used, used }) }
}

/// `nvmlDeviceGetUtilizationRates`
pub unsafe fn utilisation(device: Handle, to: *mut Utilisation) -> Outcome {
    let card = of(device)?;
    unsafe { out(to, Utilisation { gpu: card.kernel_percent, memory: card.memory_percent }) }
}

/// `nvmlDeviceGetClockInfo`: graphics and multiprocessors have one clock, which never changes, video has none.
pub unsafe fn clock(device: Handle, kind: c_uint, mhz: *mut c_uint) -> Outcome {
    let card = of(device)?.card;
    let hz = match kind {
        0 | 1 => card.clock_hz,
        2 => card.memory_clock_hz,
        _ => return Err(NOT_SUPPORTED),
    };
    unsafe { out(mhz, (hz / 1e6).round() as c_uint) }
}

/// `nvmlDeviceGetCudaComputeCapability`
pub unsafe fn capability(device: Handle, major: *mut c_int, minor: *mut c_int) -> Outcome {
    let (a, b) = of(device)?.card.architecture.compute_capability;
    // SAFETY: the caller's places.
    unsafe {
        out(major, a as c_int)?;
        out(minor, b as c_int)
    }
}

/// `nvmlDeviceGetPciInfo`: the vendor is NVIDIA, the chip's own number is not modelled.
pub unsafe fn pci(device: Handle, to: *mut Pci) -> Outcome {
    unsafe { out(to, place(device)?) }
}

/// `nvmlDeviceGetPciInfo` as it was first, and its second version.
pub unsafe fn pci_1(device: Handle, to: *mut Pci1) -> Outcome {
    let Pci { legacy_id: id, domain, bus, device, device_id, subsystem_id, .. } = place(device)?;
    unsafe { out(to, Pci1 { id, domain, bus, device, device_id, subsystem_id }) }
}

/// Where a card is on the bus.
fn place(device: Handle) -> Outcome<Pci> {
    let id = of(device)?.pci_bus_id;
    // 0000:01:00.0
    let mut fields = id.split([':', '.']).map(|field| c_uint::from_str_radix(field, 16).unwrap_or(0));
    let mut field = || fields.next().unwrap_or(0);
    let (domain, bus, number) = (field(), field(), field());
    let mut info =
        Pci { legacy_id: [0; 16], domain, bus, device: number, device_id: NVIDIA, subsystem_id: 0, id: [0; 32] };
    let long = format!("{domain:08X}:{bus:02X}:{number:02X}.0");
    info.legacy_id[..long.len() - 4].copy_from_slice(&long.as_bytes()[4..]);
    info.id[..long.len()].copy_from_slice(long.as_bytes());
    Ok(info)
}

/// The vendor's number on the bus, in the lower half.
const NVIDIA: c_uint = 0x10de;

/// This process, where it uses the card; `None` where others than those that compute are asked for, of which there are none.
pub unsafe fn processes<T>(
    device: Handle,
    count: *mut c_uint,
    to: *mut T,
    make: Option<fn(c_uint, u64) -> T>,
) -> Outcome {
    let card = of(device)?;
    let found = make.filter(|_| card.is_used);
    refuse_if!(count.is_null(), INVALID_ARGUMENT);
    // SAFETY: not null, and the caller's place, which holds how many there is room for.
    let room = unsafe { count.read_unaligned() };
    // SAFETY: as above.
    unsafe { out(count, c_uint::from(found.is_some()))? };
    match found {
        None => Ok(()),
        Some(_) if room == 0 || to.is_null() => Err(INSUFFICIENT_SIZE),
        // SAFETY: there is room for at least one.
        Some(make) => unsafe { out(to, make(std::process::id(), card.memory_used_bytes)) },
    }
}

/// A process as the first version of the interface has it.
pub fn process_1(pid: c_uint, used_bytes: u64) -> Process1 {
    Process1 { pid, used_bytes }
}

/// A process as later versions have it.
pub fn process(pid: c_uint, used_bytes: u64) -> Process {
    Process { pid, used_bytes, gpu_instance: WHOLE, compute_instance: WHOLE }
}

/// `nvmlSystemGetDriverVersion`: the line of drivers that brought the interface, and zeros for the build, which is none of them.
pub fn driver_version(interface: u32) -> &'static str {
    if interface >= 13000 { "580.00.00" } else { "575.00.00" }
}

/// `nvmlSystemDriverBranchInfo_v1_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Branch {
    version: c_uint,
    name: [u8; 80],
}

/// Size, and the version in the highest byte, by which callers say which struct they mean.
const BRANCH_1: c_uint = size_of::<Branch>() as c_uint | 1 << 24;

/// `nvmlSystemGetDriverBranch`: the line of drivers that brought the interface, as NVIDIA's builds name their lines.
pub unsafe fn driver_branch(to: *mut Branch, room: c_uint, interface: u32) -> Outcome {
    refuse_if!(to.is_null(), INVALID_ARGUMENT);
    // SAFETY: not null, and the caller's struct begins with its version.
    let version = unsafe { (&raw const (*to).version).read_unaligned() };
    refuse_if!(version != BRANCH_1, ARGUMENT_VERSION_MISMATCH);
    let (line, _) = driver_version(interface).split_once('.').unwrap_or_default();
    // SAFETY: the caller's struct, whose text it says to have this room for; it has no more than the struct.
    unsafe { out_text((&raw mut (*to).name).cast(), room.min(80), &format!("r{line}_00")) }
}

/// `nvmlDeviceGetArchitecture`: the interface's numbers, one for each generation since Kepler.
pub unsafe fn architecture(device: Handle, to: *mut c_uint) -> Outcome {
    let number = match of(device)?.card.architecture.compute_capability {
        (3, _) => 2,
        (5, _) => 3,
        (6, _) => 4,
        (7, 0..=4) => 5,
        (7, _) => 6,
        (8, 0..=8) => 7,
        (8, _) => 8,
        (9, _) => 9,
        (10.., _) => 10,
        _ => return Err(UNKNOWN),
    };
    unsafe { out(to, number) }
}

/// `nvmlSystemGetProcessName`
pub unsafe fn process_name(pid: c_uint, to: *mut c_char, room: c_uint) -> Outcome {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).map_err(|_| NOT_FOUND)?;
    unsafe { out_text(to, room, &path.to_string_lossy()) }
}
