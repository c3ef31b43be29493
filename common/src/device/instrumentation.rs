//! Services that a run asks of the simulator beyond the card.

use serde_json::{Map, Value};

/// Services that a run asks of the simulator beyond the card; a GPU has no use for them.
#[derive(Clone, Debug, Default)]
pub struct Instrumentation {
    /// Run the memory checker and the race detector.
    pub sanitize: bool,
    /// Keep the addresses of single accesses, line by line, for pictures of them.
    pub samples: bool,
    /// Try each launch without the causes of its time.
    pub trials: bool,
    /// Another order of blocks and warps, where any order is legal.
    pub schedule_seed: Option<u64>,
    /// Warp instructions after which a launch is taken for endless.
    pub budget: Option<u64>,
    /// Run a part of a large grid's blocks for all of them: so many times what the card holds at once, chosen by a seed. True: also where
    /// blocks only add to memory that they share, of whose sums a part is there then.
    pub sample: Option<(u64, u64, bool)>,
}

impl Instrumentation {
    /// As the bridge takes them.
    pub fn settings(&self) -> Map<String, Value> {
        let flags = [("sanitize", self.sanitize), ("trials", self.trials), ("samples", self.samples)];
        let on = flags.into_iter().filter(|flag| flag.1);
        let mut settings: Map<_, _> = on.map(|(key, on)| (key.to_owned(), on.into())).collect();
        if let Some(seed) = self.schedule_seed {
            settings.insert("schedule_seed".into(), seed.into());
        }
        if let Some(budget) = self.budget {
            settings.insert("instruction_budget".into(), budget.into());
        }
        if self.sample.is_some() {
            settings.extend(sample_settings(self.sample));
        }
        settings
    }
}

/// Which blocks are run.
pub fn sample_settings(sample: Option<(u64, u64, bool)>) -> Map<String, Value> {
    let (waves, seed, sums) = sample.unwrap_or_default();
    // In the order of the names, which the first one begins.
    Map::from_iter([
        ("sample".to_owned(), waves.into()),
        ("sample_seed".to_owned(), seed.into()),
        ("sample_sums".to_owned(), sums.into()),
    ])
}
