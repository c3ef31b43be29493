//! The simulator's clock beside a card's.
//!
//! `model probe` prints what calls, launches, copies and atomics cost on the device of `LABS_DEVICE`; with `--write CARD.json` it measures
//! the card's whole row and writes it to a file that `--device sim:CARD.json` takes. `model table MEASURED.json
//! SIMULATED.json …` compares reports of the labs, of the same commands on a card and on the simulator. `model measure FILE.cu` times
//! the rows of a file of kernels, and `model judge MEASURED.json SIMULATED.json` compares two such files. `model once FILE.cu` launches
//! each row once, for a profiler.

mod buses;
mod card;
mod figures;
mod judge;
mod measure;
mod micro;
mod probe;
mod profile;
mod rows;
mod table;
mod told;
mod units;

use anyhow::bail;
use common::device::{Device, DeviceChoice, Instrumentation};
use std::str::FromStr;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["probe"] => probe::print(open()?),
        ["probe", "--write", path] => card::write(open()?, path, None),
        ["probe", "--write", path, "--base", base] => card::write(open()?, path, Some(base)),
        ["table", ref files @ ..] => table::print(files),
        ["measure", file, ref only @ ..] => measure::print(open()?, file, only),
        ["once", file] => measure::once(open()?, file),
        ["judge", measured, simulated] => judge::print(measured, simulated),
        _ => bail!(
            "usage: model probe [--write CARD.json [--base CARD]] | table MEASURED.json SIMULATED.json … | measure FILE.cu [ROW …] | once FILE.cu | judge MEASURED.json SIMULATED.json"
        ),
    }
}

fn open() -> anyhow::Result<Device> {
    let choice = std::env::var("LABS_DEVICE").unwrap_or_else(|_| "sim:h200".to_owned());
    Device::open(&DeviceChoice::from_str(&choice).map_err(anyhow::Error::msg)?, &Instrumentation::default())
}
