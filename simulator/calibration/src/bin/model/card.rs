//! The row of the card in front of us, measured: `model probe --write my-card.json`.
//!
//! The driver's attributes give sizes; a micro-benchmark measures what it can; the base card gives the rest. The file says
//! of each field which of the three it is, and the table that is printed beside says what the base has.

use crate::buses::buses;
use crate::figures::Figures;
use crate::micro::Bench;
use crate::profile::Row;
use crate::told::told;
use crate::units::Units;
use anyhow::{Context, bail};
use common::device::Device;
use common::host_memory::{HostBuffer, HostMemory};
use serde_json::{Map, Value, json};
use simulator::cards::{self, BASE, DEVICES, SOURCES};

/// Measures the card, and writes its row to a file as well as a table to standard output. The base is the card of the table that is named,
/// or the one of the same compute capability. Errors: a card that no row of the table has the capability of, and none named.
pub fn write(device: Device, path: &str, base: Option<&str>) -> anyhow::Result<()> {
    let key = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str()).context("a file name is wanted")?;
    if cards::find(key).is_some() || !path.ends_with(".json") {
        bail!("{path}: the card takes the file's name, which ends in .json and is no card of the table");
    }
    let (major, minor) = device.context.compute_capability()?;
    let alike = |card: &&cards::Device| card.architecture.compute_capability == (major as u32, minor as u32);
    let base = match base {
        Some(name) => cards::find(name).with_context(|| format!("--base {name}: no card of the table is called so"))?,
        None => DEVICES.iter().find(alike).with_context(|| {
            format!("no card of the table has compute capability {major}.{minor}: name the nearest, as --base rtx4090")
        })?,
    };
    println!("{}; what cannot be measured is taken from {}", device.facts, base.key);
    let mut row = measure(device, &serde_json::to_value(base)?)?;
    row.put("key", json!(key), "the file's name");
    report(&row, base)?;
    for field in fields_of(&row.fields) {
        row.sources.entry(field).or_insert_with(|| json!(format!("of {}, not measured", base.key)));
    }
    row.fields[SOURCES] = Value::Object(row.sources);
    row.fields[BASE] = json!(base.key);
    std::fs::write(path, serde_json::to_string_pretty(&row.fields)? + "\n").with_context(|| path.to_owned())?;
    cards::choose(path).map_err(anyhow::Error::msg)?;
    println!("\n{path} is written.  next: cargo run -rp lab-gemm -- --device sim:{path}");
    Ok(())
}

/// The row of a card, over that of its base.
fn measure(device: Device, base: &Value) -> anyhow::Result<Row> {
    let mut row = Row { fields: base.clone(), sources: Map::new() };
    told(&device, &mut row)?;
    let number = |row: &Row, field: &str| row.fields[field].as_f64().with_context(|| format!("no {field}"));
    let (clock_hz, l2_bytes) = (number(&row, "clock_hz")?, number(&row, "l2_bytes")? as u64);
    let multiprocessors = number(&row, "multiprocessors")? as u32;
    let has_slices = row.fields["architecture"]["l2_slices"].as_u64() > Some(0);
    let mut figures = Figures::new(&device, clock_hz)?;
    buses(&device, &mut row)?;
    let pinned = number(&row, "pinned_bytes_per_s")?;
    for (field, value) in figures.launches(pinned)?.into_iter().chain(figures.atomics(has_slices)?) {
        row.measured(field, value);
    }
    drop(figures);
    let memory = (4 * l2_bytes).next_power_of_two().max(64 << 20) as usize;
    let mut bench = Bench::new(device, memory)?;
    // Short and long: the difference is without the kernel's start.
    const MAPPED: usize = 32 << 20;
    let mapped = HostBuffer::<f32>::new(&bench.device.context, MAPPED / 4, HostMemory::Mapped)?;
    let address = mapped.device_address()?;
    let seconds = bench.touch_s(address, MAPPED)? - bench.touch_s(address, MAPPED / 2)?;
    row.measured("mapped_bytes_per_s", MAPPED as f64 / seconds);
    let units = Units { clock_hz, multiprocessors, l2_bytes };
    units.latencies(&mut bench, &mut row)?;
    units.rates(&mut bench, &mut row)?;
    units.below_l1(&mut bench, &mut row)?;
    Ok(row)
}

fn fields_of(row: &Value) -> Vec<String> {
    let names =
        |value: &Value| value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut all = names(row);
    all.retain(|name| name != "architecture" && name != SOURCES && name != BASE);
    // The architecture's name is the base's.
    all.extend(names(&row["architecture"]).into_iter().filter(|name| name != "name"));
    all
}

/// One line for each field: what was found, what the base has, where it comes from.
fn report(row: &Row, base: &cards::Device) -> anyhow::Result<()> {
    let other = serde_json::to_value(base)?;
    let of =
        |value: &Value, field: &str| value.get(field).or(value["architecture"].get(field)).cloned().unwrap_or_default();
    println!("\n{:<36} {:>22} {:>22} {:>7}  source", "field", "this card", base.key, "ratio");
    for field in fields_of(&row.fields) {
        let (own, of_base) = (of(&row.fields, &field), of(&other, &field));
        let ratio = own.as_f64().zip(of_base.as_f64()).filter(|pair| pair.1 != 0.0);
        let ratio = ratio.map_or(String::new(), |(own, base)| format!("{:.2}", own / base));
        let source = row.sources.get(&field).and_then(Value::as_str).unwrap_or("of the base, not measured");
        println!("{field:<36} {:>22} {:>22} {ratio:>7}  {source}", own.to_string(), of_base.to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::device::Instrumentation;

    /// Fields that are measured, and how far from the row the measurement may lie: the loop's own instructions are part of it, and a cache
    /// loses lines a little before its size.
    const MEASURED: &str = "fp32_lanes_per_multiprocessor:0.0 fp64_lanes_per_multiprocessor:0.0 fp16_lanes_per_multiprocessor:0.0 \
        int32_lanes_per_multiprocessor:0.0 special_lanes_per_multiprocessor:0.0 load_store_lanes_per_multiprocessor:0.0 \
        arithmetic_latency_cycles:0.15 shared_latency_cycles:0.1 l1_latency_cycles:0.1 l2_latency_cycles:0.1 \
        memory_latency_cycles:0.1 l1_bytes_per_clock:0.15 l1_bytes_per_multiprocessor:0.4 l2_bytes_per_clock:0.15 \
        l2_turns_per_request:0.15 l2_turns_per_partial_write:0.25 memory_bytes_per_s:0.05 pinned_bytes_per_s:0.05 \
        pinned_both_ways_bytes_per_s:0.1 pageable_to_device_bytes_per_s:0.05 pageable_from_device_bytes_per_s:0.05 \
        mapped_bytes_per_s:0.1 launch_host_ns:0.05 launch_device_ns:0.05 graph_node_ns:0.1 graph_node_least_ns:0.05 \
        copy_latency_ns:0.05 engine_handover_ns:0.05 atomic_steps_per_clock:0.15 atomic_float_turns:0.15";

    fn measured() -> impl Iterator<Item = (&'static str, f64)> {
        MEASURED.split(' ').filter_map(|field| field.split_once(':')).map(|(field, far)| (field, far.parse().unwrap()))
    }

    /// A field of a row, or of its architecture.
    fn of(row: &Value, field: &str) -> Value {
        row.get(field).or(row["architecture"].get(field)).cloned().unwrap()
    }

    /// A row that is wrong in everything that is measured: nothing can be right by being left as it was.
    fn wrong(row: &Value) -> Value {
        let mut row = Row { fields: row.clone(), sources: Map::new() };
        for (field, _) in measured() {
            let place = row.place(field);
            *place = match place.as_u64() {
                Some(whole) => json!(3 * whole + 7),
                None => json!(3.0 * place.as_f64().unwrap()),
            };
        }
        row.fields
    }

    /// The simulator is the card here: what the micro-benchmarks find must be what its row says. An H200 with an eleventh of the multiprocessors,
    /// and of what they share, takes an eleventh of the time.
    #[test]
    fn a_simulated_part_of_an_h200_is_measured_as_its_row_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.json").to_str().unwrap().to_owned();
        let part = json!({
            "key": "part", "base": "h200", "multiprocessors": 12, "l2_bytes": 6 << 20, "l2_bytes_per_clock": 407,
            "memory_bus_bits": 512, "memory_peak_bytes_per_s": 0.41e12, "memory_bytes_per_s": 0.38e12,
        });
        std::fs::write(&path, part.to_string()).unwrap();
        let device = Device::open(&format!("sim:{path}").parse().unwrap(), &Instrumentation::default()).unwrap();
        let wanted = serde_json::to_value(cards::choose(&path).unwrap()).unwrap();
        let row = measure(device, &wrong(&wanted)).unwrap();
        let mut differ = Vec::new();
        for (field, source) in &row.sources {
            let (found, wanted) = (of(&row.fields, field), of(&wanted, field));
            let tolerance = match source.as_str().unwrap().starts_with("measured") {
                // The data sheet's peak is rounded.
                false => 0.03,
                true => measured().find(|known| known.0 == field).map_or(0.0, |known| known.1),
            };
            let near = |(found, wanted): (f64, f64)| (found - wanted).abs() <= tolerance * wanted;
            if found != wanted && !found.as_f64().zip(wanted.as_f64()).is_some_and(near) {
                differ.push(format!("{field}: {source} as {found}, the row has {wanted}"));
            }
        }
        let missing = measured().filter(|known| !row.sources.contains_key(known.0));
        differ.extend(missing.map(|(field, _)| format!("{field} was not measured")));
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }
}
