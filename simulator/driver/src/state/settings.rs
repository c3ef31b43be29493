//! Settings of the simulator, from the environment and through the bridge.

use crate::objects::chosen_order::ChosenOrder;
use std::ops::RangeInclusive;

/// Settings of the simulator; the bridge's documentation has the names in the environment.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The key of a card of the table, or the path of a card's file from the root.
    pub profile: String,
    pub devices: usize,
    pub schedule_seed: u64,
    /// The most orders of a block's warps that are searched, where they are.
    pub search: Option<u64>,
    /// The order of one block's warps.
    pub order: Option<ChosenOrder>,
    /// 0: all cores.
    pub threads: usize,
    /// Warp instructions per launch; 0: the default.
    pub instruction_budget: u64,
    pub counters: bool,
    /// True if the addresses of single accesses are kept beside the counters of their lines.
    pub samples: bool,
    /// True if each launch is tried without the causes of its time.
    pub trials: bool,
    pub sanitize: bool,
    /// True if each launch is waited for, as NVIDIA's variable `CUDA_LAUNCH_BLOCKING` has it: kernels of several streams then run in the order
    /// in which they were launched.
    pub is_launch_blocking: bool,
    /// True if memory that is still allocated at the end of its context is a finding; see [`Settings::judges_leaks`].
    leaks: Option<bool>,
    /// True if a part of a large grid is run for all of it.
    pub sample: Option<Sample>,
    /// True if spans of the clock are kept; `None`: where a program speaks through the bridge.
    pub trace: Option<bool>,
    /// True if the steps of a launch are recorded, for a page that plays them: of a kernel whose name begins so.
    pub replay: Option<String>,
    /// True if each launch is kept with its counters; see [`Settings::keeps_each_launch`].
    each_launch: bool,
    /// The version of the interface that is answered, as `cuDriverGetVersion` has it: 13000.
    pub interface: i32,
    /// True if a program speaks through the bridge, such as a lab.
    pub is_bridged: bool,
    /// Seconds after which a launch that still runs is told of, of a program without a display of its own; 0: never.
    pub told_after_s: u64,
    /// True if `sim` runs this process.
    is_under_sim: bool,
    /// The first variable of the environment that makes no sense.
    refused: Option<String>,
}

/// Which part of a large grid is run for all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Waves, each of as many blocks as the card holds at once.
    pub waves: u64,
    pub seed: u64,
    /// True if blocks may stand for all that only add to memory that they share: of the sums a part is there, then.
    pub sums: bool,
}

/// The versions of the interface that `LABS_SIM_DRIVER` chooses among by 12 and 13, by default the newer. 12.9 is the newest whose
/// compiler knows all simulated cards from Maxwell on. Any other, such as 12.4 and 13.4, is a number for programs that hand PTX to a
/// driver of their own version alone, or look at it: it has no functions more and none less.
const INTERFACES: [i32; 2] = [12090, 13000];

/// More would leave the arenas no address space.
pub const MOST_DEVICES: usize = 16;

/// Reads variables of the environment, and remembers the first that makes no sense.
#[derive(Default)]
struct Environment {
    refused: Option<String>,
}

impl Environment {
    /// A variable that is there and not blank.
    fn word(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    fn number(&mut self, name: &str, allowed: RangeInclusive<u64>) -> Option<u64> {
        let word = self.word(name)?;
        let number = word.parse().ok().filter(|number| allowed.contains(number));
        if number.is_none() {
            let (least, most) = allowed.into_inner();
            let range = if most == u64::MAX { format!("from {least} on") } else { format!("from {least} to {most}") };
            self.refuse(name, &word, &format!("a whole number {range} is wanted"));
        }
        number
    }

    /// `LABS_SIM_DRIVER`: 12, 13, or a version of either line, as 12.4 and 13.4.
    fn interface(&mut self) -> i32 {
        const NAME: &str = "LABS_SIM_DRIVER";
        let Some(word) = self.word(NAME) else { return INTERFACES[1] };
        let of_line = |line: &str| word.strip_prefix(line)?.parse::<u8>().ok().filter(|minor| *minor < 10);
        match word.as_str() {
            "12" => return INTERFACES[0],
            "13" => return INTERFACES[1],
            _ => (),
        }
        let found = [("12.", 12_000), ("13.", 13_000)]
            .into_iter()
            .find_map(|(line, number)| Some(number + 10 * i32::from(of_line(line)?)));
        found.unwrap_or_else(|| {
            self.refuse(NAME, &word, "12, 13 or a version of these lines is wanted, such as 12.9 or 13.4");
            INTERFACES[1]
        })
    }

    fn order(&mut self) -> Option<ChosenOrder> {
        const NAME: &str = "LABS_SIM_ORDER";
        let word = self.word(NAME)?;
        let order = ChosenOrder::read(&word);
        if order.is_none() {
            self.refuse(NAME, &word, "KERNEL/BLOCK/WARPxSTEPS-WARPxSTEPS… is wanted, as sim --search prints it");
        }
        order
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        self.number(name, 0..=1).map(|number| number != 0)
    }

    fn refuse(&mut self, name: &str, value: &str, why: &str) {
        self.refused
            .get_or_insert_with(|| format!("{name}={value}: {why}\n  next: unset {name}, or give it such a value"));
    }
}

/// The profile of a name: a card's key, or the path of its file from the root, which stays right where the program changes its folder.
///
/// # Errors
/// As [`choose`](clock::cards::choose).
pub fn profile(name: &str) -> Result<String, String> {
    let card = clock::cards::choose(name)?;
    let path = || std::path::absolute(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string());
    Ok(if clock::cards::find(name).is_some() { card.key.to_owned() } else { path() })
}

impl Settings {
    /// The settings of the environment, over the defaults. [`Settings::check`] tells of those that make no sense.
    pub fn from_environment() -> Self {
        let mut environment = Environment::default();
        let asked = environment.word("LABS_SIM_PROFILE").unwrap_or_else(|| clock::cards::DEFAULT.to_owned());
        let profile = profile(&asked).unwrap_or_else(|why| {
            environment.refuse("LABS_SIM_PROFILE", &asked, &why);
            asked
        });
        let devices = environment.number("LABS_SIM_DEVICES", 1..=MOST_DEVICES as u64).unwrap_or(1);
        let counters = environment.flag("LABS_SIM_COUNTERS");
        Settings {
            profile,
            devices: devices as usize,
            schedule_seed: environment.number("LABS_SIM_SCHEDULE_SEED", 0..=u64::MAX).unwrap_or(0),
            threads: environment.number("LABS_SIM_THREADS", 0..=1024).unwrap_or(0) as usize,
            instruction_budget: environment.number("LABS_SIM_BUDGET", 1..=u64::MAX).unwrap_or(0),
            search: environment.number("LABS_SIM_SEARCH", 1..=u64::MAX),
            order: environment.order(),
            counters: counters.unwrap_or(true),
            samples: environment.flag("LABS_SIM_SAMPLES").unwrap_or(false),
            trials: environment.flag("LABS_SIM_LINES").unwrap_or(false),
            sample: None,
            sanitize: environment.flag("LABS_SIM_SANITIZE").unwrap_or(false),
            is_launch_blocking: environment.word("CUDA_LAUNCH_BLOCKING").is_some_and(|word| word != "0"),
            leaks: environment.flag("LABS_SIM_LEAKS"),
            trace: environment.flag("LABS_SIM_TRACE"),
            replay: environment.word("LABS_SIM_REPLAY").filter(|word| word != "0"),
            each_launch: counters.unwrap_or(false),
            interface: environment.interface(),
            is_bridged: false,
            told_after_s: environment.number("LABS_SIM_PROGRESS", 0..=u64::from(u32::MAX)).unwrap_or(20),
            is_under_sim: environment.word("LABS_SIM_REFUSALS").is_some(),
            refused: environment.refused,
        }
    }

    /// Errors: the first variable of the environment that says nothing that the simulator understands, and what it could say.
    pub fn check(&self) -> Result<(), String> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// True if spans of the clock are kept.
    pub fn traces(&self) -> bool {
        self.trace.unwrap_or(self.is_bridged)
    }

    /// True if memory that a program leaves to the end of its process is a finding: many right programs do, so only where that was asked
    /// for, or a lab asks, which frees all of its own.
    pub fn judges_leaks(&self) -> bool {
        self.leaks.unwrap_or(self.is_bridged)
    }

    /// True if a finding is told on standard error at once, for a program that would not tell of it.
    pub fn tells_findings(&self) -> bool {
        self.is_under_sim && !self.is_bridged
    }

    /// True if each launch is kept with its counters: where the environment asks for counters, or a program can take them.
    pub fn keeps_each_launch(&self) -> bool {
        self.each_launch || self.is_bridged
    }
}
