//! The simulator's clock beside a card's: `compare.py`, beside `src`, compares what is measured here. `model probe --write CARD.json` measures the row of
//! the card that `LABS_DEVICE` names, and writes it to a file that `--device sim:CARD.json` takes. `model measure FILE.cu` times the rows of
//! a file of kernels.

mod buses;
mod card;
mod figures;
mod measure;
mod micro;
mod probe;
mod profile;
mod rows;
mod told;
mod units;

use anyhow::bail;
use common::device::{Device, DeviceChoice, Instrumentation};
use std::str::FromStr;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["probe", "--write", path] => card::write(open()?, path, None),
        ["probe", "--write", path, "--base", base] => card::write(open()?, path, Some(base)),
        ["measure", file, ref only @ ..] => measure::print(open()?, file, only),
        _ => bail!("usage: model probe --write CARD.json [--base CARD] | measure FILE.cu [ROW …]"),
    }
}

fn open() -> anyhow::Result<Device> {
    let choice = std::env::var("LABS_DEVICE").unwrap_or_else(|_| "sim:h200".to_owned());
    Device::open(&DeviceChoice::from_str(&choice).map_err(anyhow::Error::msg)?, &Instrumentation::default())
}
