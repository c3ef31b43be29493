//! Compares the simulator's counters with Nsight Compute's, row by row, on the same CUDA C++.
//!
//! `fidelity run` launches every row once, in order, on the device of `LABS_DEVICE`, and prints the counters that the device has as
//! JSON. On a GPU it has none: there it runs under the profiler. `fidelity compare SIM.json NCU.csv` prints the table of both.

mod compare;
mod rows;

use anyhow::{Context, bail};
use common::device::{Device, DeviceChoice, Instrumentation};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use rows::{Arguments, Row};
use serde_json::{Value, json};
use std::str::FromStr;

/// The metrics that [`compare`] wants of the profiler.
const METRICS: &[&str] = &[
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "smsp__threads_launched.sum",
];

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run"] => run(),
        ["metrics"] => {
            println!("{}", METRICS.join(","));
            Ok(())
        }
        ["compare", simulated, profiled] => {
            let read = |path: &str| std::fs::read_to_string(path).with_context(|| format!("reading {path}"));
            print!("{}", compare::table(&read(simulated)?, &read(profiled)?)?);
            Ok(())
        }
        _ => bail!("usage: fidelity run | metrics | compare SIM.json NCU.csv"),
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
    println!("{}", serde_json::to_string_pretty(&results)?);
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
