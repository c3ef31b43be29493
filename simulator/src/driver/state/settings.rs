//! Settings of the simulator, from the environment and through the bridge.

/// What is asked of the simulator; see the bridge's documentation for the names in the environment.
#[derive(Clone, Debug)]
pub struct Settings {
    pub profile: String,
    pub devices: usize,
    pub schedule_seed: u64,
    /// 0: all cores.
    pub threads: usize,
    /// Warp instructions per launch; 0: the default.
    pub instruction_budget: u64,
    pub counters: bool,
    /// Whether the addresses of single accesses are kept beside the counters of their lines.
    pub samples: bool,
    pub sanitize: bool,
    /// Whether spans of the clock are kept; `None`: where a program speaks through the bridge.
    pub trace: Option<bool>,
    /// Whether each launch is kept with its counters; see [`Settings::keeps_each_launch`].
    each_launch: bool,
    /// Whether a program speaks through the bridge, such as a lab.
    pub is_bridged: bool,
}

impl Settings {
    /// What the environment asks for, over the defaults.
    pub fn from_environment() -> Self {
        let word = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let number = |name: &str| word(name).and_then(|value| value.trim().parse::<u64>().ok());
        let flag = |name: &str, default| number(name).map_or(default, |value| value != 0);
        Settings {
            profile: word("LABS_SIM_PROFILE").unwrap_or_else(|| crate::device::DEFAULT.to_owned()),
            devices: number("LABS_SIM_DEVICES").map_or(1, |count| count as usize),
            schedule_seed: number("LABS_SIM_SCHEDULE_SEED").unwrap_or(0),
            threads: number("LABS_SIM_THREADS").unwrap_or(0) as usize,
            instruction_budget: number("LABS_SIM_BUDGET").unwrap_or(0),
            counters: flag("LABS_SIM_COUNTERS", true),
            samples: false,
            sanitize: flag("LABS_SIM_SANITIZE", false),
            trace: number("LABS_SIM_TRACE").map(|value| value != 0),
            each_launch: flag("LABS_SIM_COUNTERS", false),
            is_bridged: false,
        }
    }

    /// Whether spans of the clock are kept.
    pub fn traces(&self) -> bool {
        self.trace.unwrap_or(self.is_bridged)
    }

    /// Whether each launch is kept with its counters: where the environment asks for counters, or a program can take them.
    pub fn keeps_each_launch(&self) -> bool {
        self.each_launch || self.is_bridged
    }
}
