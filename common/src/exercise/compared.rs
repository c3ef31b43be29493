//! Times of a lab's exercises side by side, at a size where each one's idea pays.

use crate::choice::DeviceChoice;
use crate::command_line::CommonArgs;
use crate::lab::Lab;
use crate::shape::Shape;

/// The time of one exercise at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its name.
    pub exercise: String,
    /// As the command line has it.
    pub size: String,
    /// By the clock of the simulated card.
    pub ms: f64,
}

/// One run of these variants at these sizes, on a card of the simulator. Of a large grid some blocks run for all.
pub fn sampled(variants: &[String], sizes: &[Shape], card: &str) -> CommonArgs {
    CommonArgs {
        device: DeviceChoice::Simulator { profile: Some(card.to_owned()), devices: 1 },
        size: sizes.to_vec(),
        variant: variants.to_vec(),
        warmup: Some(0),
        repeat: Some(1),
        seed: 1,
        sample: Some(2),
        ..CommonArgs::default()
    }
}

/// The least time of each variant at each size, in the rows' order: a variant may have run with several blocks. A wrong row has none, and no variant
/// asks for no run.
pub fn best_times<L: Lab>(mut options: L::Options) -> anyhow::Result<Vec<Compared>> {
    let mut times: Vec<Compared> = Vec::new();
    let args = (L::ARGS)(&mut options);
    if args.variant.is_empty() {
        return Ok(times);
    }
    let device = args.open_device()?;
    for row in (L::REPORT)(&options, &device)?.rows.iter().filter(|row| row.correct) {
        let (size, ms) = (row.size.to_string(), row.time_ms.median);
        match times.iter_mut().find(|known| known.exercise == row.variant && known.size == size) {
            Some(known) => known.ms = known.ms.min(ms),
            None => times.push(Compared { exercise: row.variant.clone(), size, ms }),
        }
    }
    Ok(times)
}
