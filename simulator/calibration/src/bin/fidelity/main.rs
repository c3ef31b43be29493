//! Compares the simulator's counters with Nsight Compute's, row by row, on the same CUDA C++.
//!
//! `fidelity run` launches every row once, in order, on the device of `LABS_DEVICE`, and prints the counters that the device has as
//! JSON. On a GPU it has none: there it runs under the profiler. `compare.py counters SIM.json NCU.csv`, beside `src`, prints the table of both.

mod rows;

use anyhow::{Context, bail};
use common::device::{Device, DeviceChoice, Instrumentation};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use rows::{Arguments, Row};
use serde_json::{Value, json};
use simulator::counters::PROFILED;
use std::str::FromStr;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run"] => run(),
        ["metrics"] => {
            let metrics: Vec<&str> = PROFILED.iter().map(|(.., metric)| *metric).collect();
            println!("{}", metrics.join(","));
            Ok(())
        }
        _ => bail!("usage: fidelity run | metrics"),
    }
}

fn run() -> anyhow::Result<()> {
    let choice = std::env::var("LABS_DEVICE").unwrap_or_else(|_| "sim:h200".to_owned());
    let device =
        Device::open(&DeviceChoice::from_str(&choice).map_err(anyhow::Error::msg)?, &Instrumentation::default())?;
    let mut results = Vec::new();
    for row in rows::rows()? {
        launch(&device, &row).with_context(|| row.name.clone())?;
        let counters = device.observe()?.launches.pop().map(|launch| Value::Object(launch.counters));
        let [bx, by, bz] = row.block;
        let [gx, gy, gz] = row.grid;
        let threads = u64::from(bx * by * bz) * u64::from(gx * gy * gz);
        results.push(json!({ "row": row.name, "kernel": row.symbol, "threads": threads, "counters": counters }));
    }
    println!("{}", serde_json::to_string_pretty(&json!({ "profiled": PROFILED, "rows": results }))?);
    Ok(())
}

/// Elements of each of the three buffers: more than any row reads or writes.
const ELEMENTS: usize = 1 << 20;

#[allow(unsafe_code)]
fn launch(device: &Device, row: &Row) -> anyhow::Result<()> {
    let stream = &device.stream;
    let mut out = stream.alloc_zeros::<f64>(ELEMENTS)?;
    let a = stream.alloc_zeros::<f64>(ELEMENTS)?;
    let b = stream.alloc_zeros::<f64>(ELEMENTS)?;
    let function = device.kernel(&row.source, &row.symbol)?;
    let config = LaunchConfig {
        grid_dim: row.grid.into(),
        block_dim: row.block.into(),
        shared_mem_bytes: row.dynamic_shared_bytes,
    };
    device.observe()?;
    let mut builder = stream.launch_builder(&function);
    builder.arg(&mut out).arg(&a);
    // SAFETY: the arguments are those of the row's kernel, and its buffers are larger than any row needs.
    unsafe {
        match &row.arguments {
            Arguments::Pattern => builder.launch(config),
            Arguments::Gemm { m, n, k } => builder.arg(&b).arg(m).arg(n).arg(k).launch(config),
            Arguments::Gemv { m, n } => builder.arg(&b).arg(m).arg(n).launch(config),
            Arguments::Transpose { m, n } => builder.arg(m).arg(n).launch(config),
        }
    }?;
    stream.synchronize()?;
    Ok(())
}
