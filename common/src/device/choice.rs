//! The choice of a device as the command line and `LABS_DEVICE` write it.

use crate::error::LabError;
use std::fmt;
use std::str::FromStr;

/// The device that `--device` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU where a driver has one, else the simulator.
    #[default]
    Auto,
    /// The GPU of this index.
    Gpu(usize),
    /// The simulator: of a card's profile, with so many devices of it.
    Simulator {
        /// A row of the simulator's device table, or a card's file, whose name ends in `.json`; `None` for its default.
        profile: Option<String>,
        /// Number of simulated devices, all alike.
        devices: usize,
    },
    /// Several, each in a process of its own.
    Several(Vec<DeviceChoice>),
}

/// Devices that the simulator has at most.
const MOST_SIMULATED: usize = 16;

impl DeviceChoice {
    /// `LABS_DEVICE`, by default the simulator.
    pub fn for_tests() -> Result<Self, LabError> {
        match std::env::var("LABS_DEVICE") {
            Ok(text) if !text.is_empty() => text
                .parse()
                .map_err(|message| LabError::usage(format!("LABS_DEVICE: {message}"), "unset it, or LABS_DEVICE=gpu")),
            _ => Ok(DeviceChoice::Simulator { profile: None, devices: 1 }),
        }
    }

    /// As [`DeviceChoice::for_tests`], for tests of a lab's rungs: the simulated card is a Hopper where one of them needs that.
    pub fn for_rungs(lab: &str) -> Result<Self, LabError> {
        let needs_hopper = |source: kernels::Source| source.requires().is_some_and(|needed| needed.number >= 90);
        Ok(match Self::for_tests()? {
            DeviceChoice::Simulator { profile: None, devices }
                if kernels::sources().filter(|source| source.lab == lab).any(needs_hopper) =>
            {
                DeviceChoice::Simulator { profile: Some("h200".to_owned()), devices }
            }
            other => other,
        })
    }
}

/// A number of simulated devices of a profile.
fn simulated(profile: &str, devices: usize) -> Result<usize, String> {
    match devices {
        1..=MOST_SIMULATED => Ok(devices),
        other => Err(format!("{other} devices: the simulator has 1 to {MOST_SIMULATED}, say sim:{profile}:2")),
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(',') {
            return text.split(',').map(str::parse).collect::<Result<_, _>>().map(DeviceChoice::Several);
        }
        let number = |text: &str| {
            text.parse::<usize>().map_err(|_| format!("'{text}' is not a number; write gpu:0 or sim:rtx4060:2"))
        };
        // A file's path may have colons.
        if let Some((path, rest)) = text.strip_prefix("sim:").and_then(|rest| rest.rsplit_once(".json")) {
            let devices = match rest.strip_prefix(':') {
                Some(count) => simulated(path, number(count)?)?,
                None if rest.is_empty() => 1,
                None => {
                    return Err(format!(
                        "'{text}': after .json only a number of devices is expected, as my-card.json:2"
                    ));
                }
            };
            return Ok(DeviceChoice::Simulator { profile: Some(format!("{path}.json")), devices });
        }
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["auto"] => Ok(DeviceChoice::Auto),
            ["gpu"] => Ok(DeviceChoice::Gpu(0)),
            ["gpu", index] => Ok(DeviceChoice::Gpu(number(index)?)),
            ["sim"] => Ok(DeviceChoice::Simulator { profile: None, devices: 1 }),
            ["sim", profile] => Ok(DeviceChoice::Simulator { profile: Some((*profile).to_owned()), devices: 1 }),
            ["sim", profile, devices] => Ok(DeviceChoice::Simulator {
                profile: (!profile.is_empty()).then(|| (*profile).to_owned()),
                devices: simulated(profile, number(devices)?)?,
            }),
            _ => Err(format!(
                "'{text}' is no device (--device or LABS_DEVICE); write auto, gpu, gpu:INDEX, sim, sim:PROFILE, sim:CARD.json or sim:PROFILE:COUNT"
            )),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::Several(all) => {
                f.write_str(&all.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            DeviceChoice::Gpu(index) => write!(f, "gpu:{index}"),
            DeviceChoice::Simulator { profile, devices } => {
                f.write_str("sim")?;
                match (profile, devices) {
                    (None, 1) => Ok(()),
                    (Some(profile), 1) => write!(f, ":{profile}"),
                    (profile, devices) => {
                        write!(f, ":{}:{devices}", profile.as_deref().unwrap_or(""))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_as_they_are_written() {
        let texts = "auto gpu:0 gpu:3 sim sim:rtx4060 sim:gt740m:2 sim::2 \
            sim:cards/my:card.json:2 sim:my-card.json gpu:0,sim:h200,sim:my-card.json:2";
        for text in texts.split(' ') {
            let choice: DeviceChoice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
        }
        assert_eq!("gpu".parse(), Ok(DeviceChoice::Gpu(0)));
    }
}
