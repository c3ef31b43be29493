//! Starting, and asking what there is: `cuInit` and `cuDevice*`.
use crate::calls::attributes::attribute;
use crate::executor::at_exit;
use crate::interface::{Cause, Outcome, forward, out, out_text, text};
use crate::objects::memory::pool::Pool;
use crate::state::forecast::Expected;
use crate::state::logs::refusals;
use crate::state::{self, Driver, Gpu, forked, host_time, variables};
use clock::cards::{Device, choose};
use clock::streams::timeline::Timeline;
use cuda::layout::Properties;
use machine::memory::Memory;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::ffi::{c_char, c_int, c_uint};
use std::sync::Arc;

/// Makes the cards that the settings ask for.
pub fn cuInit(flags: c_uint) -> Outcome {
    refuse_if!(flags != 0, Cause::NoSuchValue("Flags", flags.into()));
    let mut driver = state::lock();
    if driver.initialised {
        return Ok(());
    }
    refusals::note_start();
    driver.settings.check().map_err(Cause::Environment)?;
    let card = choose(&driver.settings.profile).map_err(Cause::NoProfile)?;
    host_time::host_of(card);
    for ordinal in 0..driver.settings.devices {
        let machine = driver.new_device(card, ordinal)?;
        driver.devices.push(machine);
    }
    driver.apply_settings();
    if driver.records.journal.is_some() {
        at_exit();
    }
    if !refusals::is_under_sim() {
        variables::tell_of_unknown();
    }
    forked::watch(driver.settings.interface);
    driver.initialised = true;
    Ok(())
}

impl Driver {
    fn new_device(&mut self, card: &'static Device, ordinal: usize) -> Result<Gpu, Cause> {
        let memory = Memory::new(card.memory_bytes).map_err(|_| Cause::OutOfHostMemory(card.memory_bytes))?;
        let pool = self.pools.insert(Pool::new(ordinal, true));
        Ok(Gpu {
            card,
            timeline: Timeline::new(card),
            expected: Expected::default(),
            memory: Arc::new(memory),
            pending: FxHashMap::default(),
            primary: None,
            primary_references: 0,
            primary_flags: 0,
            default_pool: pool,
            current_pool: pool,
            graph_bytes_high: 0,
            partial: Vec::new(),
            is_running: false,
            worker: None,
        })
    }
}

fn card(device: c_int) -> Result<&'static Device, Cause> {
    Ok(state::lock().device(device)?.card)
}

/// Made of the card's key and its ordinal, so that it repeats.
fn uuid_of(card: &Device, device: c_int) -> [u8; 16] {
    let mut bytes = *b"simulated\0\0\0\0\0\0\0";
    for (to, from) in bytes[9..15].iter_mut().zip(card.key.bytes()) {
        *to = from;
    }
    bytes[15] = device as u8;
    bytes
}

/// Facts about the cards for a management library.
pub fn told() -> Vec<Value> {
    let driver = state::lock();
    let now_ns = host_time::host_ns();
    let tell = |(ordinal, gpu): (usize, &Gpu)| {
        let uuid = uuid_of(gpu.card, ordinal as c_int).map(|byte| format!("{byte:02x}")).concat();
        let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &uuid[part]);
        json!({
            "card": gpu.card,
            "uuid": format!("{a}-{b}-{c}-{d}-{e}"),
            "pci_bus_id": bus_id(ordinal as c_int),
            "interface": driver.settings.interface,
            "memory_total_bytes": gpu.memory.total_bytes(),
            "memory_used_bytes": gpu.memory.total_bytes() - gpu.memory.free_bytes(),
            "kernel_percent": gpu.timeline.computing.percent(now_ns),
            "memory_percent": gpu.timeline.in_memory.percent(now_ns),
            "is_used": gpu.primary.is_some() || driver.contexts.iter().any(|(_, context)| context.device == ordinal),
        })
    };
    driver.devices.iter().enumerate().map(tell).collect()
}

pub unsafe fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) -> Outcome {
    let (a, b) = card(device)?.architecture.compute_capability;
    unsafe {
        out("major", major, a as c_int)?;
        out("minor", minor, b as c_int)
    }
}

pub unsafe fn cuDeviceGetProperties(properties: *mut Properties, device: c_int) -> Outcome {
    let card = card(device)?;
    let of = |number| attribute(card, device as usize, number);
    let value = Properties {
        max_threads_per_block: of(1)?,
        max_block: [of(2)?, of(3)?, of(4)?],
        max_grid: [of(5)?, of(6)?, of(7)?],
        shared_bytes_per_block: of(8)?,
        constant_bytes: of(9)?,
        warp: of(10)?,
        max_pitch: of(11)?,
        registers_per_block: of(12)?,
        clock_khz: of(13)?,
        texture_alignment: of(14)?,
    };
    unsafe { out("prop", properties, value) }
}

/// All simulated cards share a bus.
pub unsafe fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> Outcome {
    let mut driver = state::lock();
    driver.device(device)?;
    driver.device(peer)?;
    unsafe { out("canAccessPeer", can, c_int::from(device != peer)) }
}

/// 1 rank, 2 access, 3 atomics, 4 arrays.
pub unsafe fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int) -> Outcome {
    let mut driver = state::lock();
    driver.device(from)?;
    driver.device(to)?;
    refuse_if!(from == to, Cause::NoDevice(to, driver.devices.len()));
    let answer = match attribute {
        1 => 0,
        2 | 3 => 1,
        4 | 5 => 0,
        other => return Err(Cause::NoSuchValue("attrib", other.into())),
    };
    unsafe { out("value", value, answer) }
}

pub unsafe fn cuDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char) -> Outcome {
    let id = unsafe { text("pciBusId", id)? };
    let driver = state::started()?;
    let count = driver.devices.len();
    let found = (0..count as c_int).find(|&ordinal| {
        let full = bus_id(ordinal);
        full.eq_ignore_ascii_case(&id) || full[5..].eq_ignore_ascii_case(&id)
    });
    unsafe { out("dev", device, found.ok_or(Cause::NoDevice(-1, count))?) }
}

fn bus_id(ordinal: c_int) -> String {
    format!("0000:{:02X}:00.0", ordinal + 1)
}

cuda::forward_devices!(forward);
