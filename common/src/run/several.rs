//! The same command on several cards, or beside a run of before: each run in a process of its own, because a process speaks to one driver.

use super::processes::{self, Part};
use crate::choice::DeviceChoice;
use crate::command_line::CommonArgs;
use crate::device;
use crate::error::LabError;
use crate::result::Side;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::path::Path;

/// Flags that say how the runs are shown together, and not what each of them does.
const OF_ALL: [&str; 7] = ["device", "seed", "against", "json", "html", "no_legend", "all"];

/// The devices of a command that asks for more than one run; nothing where it asks for one.
pub fn asked(args: &CommonArgs) -> Option<Vec<DeviceChoice>> {
    match &args.device {
        _ if args.list => None,
        DeviceChoice::Several(devices) => Some(devices.clone()),
        device => args.against.is_some().then(|| vec![device.clone()]),
    }
}

/// Returns whether a device of several is simulated.
pub fn is_simulated(device: &DeviceChoice) -> anyhow::Result<bool> {
    match device {
        DeviceChoice::Gpu(_) => Ok(false),
        DeviceChoice::Simulator { .. } => Ok(true),
        other => device::is_simulated(other),
    }
}

/// The flags of this command line that each run has.
pub fn given(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let arguments = command.get_arguments().filter(|argument| {
        let id = argument.get_id().as_str();
        let is_given = || matches.value_source(id) == Some(ValueSource::CommandLine);
        !OF_ALL.contains(&id) && matches.try_contains_id(id).is_ok() && is_given()
    });
    let flag = |argument: &clap::Arg| {
        let name = argument.get_long()?;
        let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
        let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        let takes_values = argument.get_action().takes_values();
        Some(if takes_values { format!("--{name}={}", values.join(",")) } else { format!("--{name}") })
    };
    arguments.filter_map(flag).collect()
}

/// The run of `--against`, where it asks for one, then one for each device, made by these command lines.
pub fn measure(lab: &str, args: &CommonArgs, runs: &[(&DeviceChoice, Vec<Vec<String>>)]) -> anyhow::Result<Vec<Side>> {
    check(args)?;
    let before = args.against.as_deref().map(|path| read(lab, path)).transpose()?;
    let (mut owners, mut parts) = (Vec::new(), Vec::new());
    for (number, (device, lines)) in runs.iter().enumerate() {
        for line in lines {
            let own = [format!("--device={device}"), format!("--seed={}", args.seed)];
            owners.push(number);
            parts.push(Part { label: device.to_string(), args: line.iter().cloned().chain(own).collect() });
        }
    }
    // Cards measure one after the other: they share the host.
    let all_simulated = runs.iter().all(|(device, _)| matches!(device, DeviceChoice::Simulator { .. }));
    let at_once = if all_simulated { processes::cores() } else { 1 };
    let mut measured: Vec<Option<Side>> = parts.iter().map(|_| None).collect();
    processes::run(&parts, at_once, |number, side| {
        measured[number] = Some(side);
        Ok(())
    })?;
    let mut sides: Vec<Option<Side>> = runs.iter().map(|_| None).collect();
    for (side, number) in measured.into_iter().flatten().zip(owners) {
        match &mut sides[number] {
            Some(known) => {
                known.rows.extend(side.rows);
                let new: Vec<String> = side.notes.into_iter().filter(|note| !known.notes.contains(note)).collect();
                known.notes.extend(new);
            }
            none => {
                let label = runs[number].0.to_string().trim_start_matches("sim:").to_owned();
                *none = Some(Side { label, ..side });
            }
        }
    }
    Ok(before.into_iter().chain(sides.into_iter().flatten()).collect())
}

/// Refuses what is of one run.
fn check(args: &CommonArgs) -> Result<(), LabError> {
    args.check()?;
    let files = args.csv.is_some() || args.plot.is_some() || args.trace.is_some();
    if files || args.wide || args.counters || args.lines || args.explain || args.activities || args.resources {
        let why = "--csv, --plot, --trace, --wide, --counters, --lines, --explain, --activities and --resources are of one run, and this command makes several";
        return Err(LabError::usage(why, "leave them out, or run one --device, without --against"));
    }
    Ok(())
}

/// The run that a file has.
fn read(lab: &str, path: &Path) -> Result<Side, LabError> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let side = text.and_then(|text| serde_json::from_str::<Side>(&text).map_err(|error| error.to_string()));
    match side {
        Ok(side) if side.lab == lab => {
            let label = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            Ok(Side { label, ..side })
        }
        other => {
            let why = other.map_or_else(|error| error, |side| format!("it is of lab-{}", side.lab));
            let what = format!("--against {}: no result of this lab: {why}", path.display());
            Err(LabError::usage(what, format!("write one with lab-{lab}'s --json PATH")))
        }
    }
}
