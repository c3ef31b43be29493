//! The driver's attributes of a card, which need no measurement: sizes, counts, clocks.

use crate::profile::Row;
use common::device::Device;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use serde_json::json;

/// Writes the driver's attributes into the row.
pub fn told(device: &Device, row: &mut Row) -> anyhow::Result<()> {
    const TOLD: &str = "the driver's attribute";
    let attribute = |which| device.context.attribute(which).ok().filter(|&value| value > 0);
    let (major, minor) = device.context.compute_capability()?;
    row.put("name", json!(device.facts.name), TOLD);
    row.put("compute_capability", json!([major, minor]), TOLD);
    use Attribute as A;
    for (field, which, unit) in [
        ("multiprocessors", A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1),
        ("memory_bus_bits", A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 1),
        ("l2_bytes", A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1),
        ("copy_engines", A::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 1),
        ("max_threads_per_multiprocessor", A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1),
        ("max_blocks_per_multiprocessor", A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 1),
        ("registers_per_multiprocessor", A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 1),
        ("shared_bytes_per_multiprocessor", A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 1),
        ("shared_bytes_per_block", A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 1),
        ("shared_bytes_per_block_opt_in", A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1),
        ("shared_bytes_reserved_per_block", A::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1),
        ("max_grid_x", A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 1),
    ] {
        if let Some(value) = attribute(which) {
            row.put(field, json!(i64::from(value) * unit), TOLD);
        }
    }
    for (field, which) in
        [("clock_hz", A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE), ("memory_clock_hz", A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)]
    {
        if let Some(khz) = attribute(which) {
            row.put(field, json!(f64::from(khz) * 1e3), TOLD);
        }
    }
    let cooperative = device.context.attribute(A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0;
    row.put("cooperative_launch", json!(cooperative), TOLD);
    row.put("memory_bytes", json!(device.context.mem_get_info()?.1), TOLD);
    let clock_hz = row.fields["memory_clock_hz"].as_f64().unwrap_or(0.0);
    let bits = row.fields["memory_bus_bits"].as_f64().unwrap_or(0.0);
    row.put(
        "memory_peak_bytes_per_s",
        json!(2.0 * clock_hz * bits / 8.0),
        "twice the memory clock over the bus, both the driver's",
    );
    // The kernel of the host knows the slot.
    let slot = |which| device.context.attribute(which).unwrap_or(-1);
    let place = format!(
        "/sys/bus/pci/devices/{:04x}:{:02x}:{:02x}.0/max_link_",
        slot(A::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
        slot(A::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
        slot(A::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
    );
    let says = |what: &str| std::fs::read_to_string(format!("{place}{what}")).ok().filter(|_| !device.facts.simulated);
    let speed = says("speed").and_then(|text| text.split('.').next()?.trim().split(' ').next()?.parse::<u32>().ok());
    let before = speed.and_then(|giga| [2, 5, 8, 16, 32, 64].iter().position(|&known| known == giga));
    if let Some(before) = before {
        row.put("pcie_generation", json!(before + 1), "the host's kernel");
    }
    if let Some(lanes) = says("width").and_then(|text| text.trim().parse::<u32>().ok()).filter(|&lanes| lanes > 0) {
        row.put("pcie_lanes", json!(lanes), "the host's kernel");
    }
    Ok(())
}
