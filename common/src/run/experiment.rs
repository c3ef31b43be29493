//! A source document's own experiment: `--assignment` runs it on the document's card, and prints its tables with what it published beside each figure.
//!
//! A simulated run takes the same time each time it is made, so there one run stands for all that the document counted. A card repeats it,
//! as often as the document did where a few seconds for each problem allow.

use super::compared::{compared, told};
use crate::choice::DeviceChoice;
use crate::command_line::CommonArgs;
use crate::device::Device;
use crate::error::LabError;
use crate::ladder::suggestion;
use crate::memory;
use crate::result::{Experiment, Next, Report, Table};
use crate::shape::Shape;
use crate::timing::Runs;
use serde_json::Value;
use std::time::Duration;

/// Measures all that a lab's options ask for.
pub type Measure<O> = fn(&O, &Device) -> anyhow::Result<Report>;

/// An experiment of a lab whose command line is `O`.
pub struct Document<O> {
    /// As `--assignment` takes it, and the table of published figures has it.
    pub key: &'static str,
    /// The experiment in a line.
    pub title: &'static str,
    /// The document's own cards, by their profiles, the first one by default.
    pub cards: &'static [&'static str],
    /// How often the document ran each program.
    pub runs: Runs,
    /// Sets what the command line leaves open to what the document had; `simulated`: a card that is simulated runs it.
    pub prepare: fn(options: &mut O, simulated: bool),
    /// Measures all of it, with one or several of the lab's own reports.
    pub measure: fn(&O, &Device, own: Measure<O>) -> anyhow::Result<Report>,
    /// The document's tables.
    pub tables: fn(&Report) -> Vec<Table>,
    /// How many of them, from the first on, no further row will change, while there are some to come.
    pub done: fn(&Report) -> usize,
    /// Facts that a reader has to know of the published figures.
    pub notes: &'static [&'static str],
    /// The command to type next.
    pub next: Next,
}

/// On a card a problem is repeated for this long at most, however often the document ran it.
const WITHIN: Duration = Duration::from_secs(1);

impl<O> Document<O> {
    /// The document's card, unless another is asked for; on a GPU its repeats, within a second. True: a simulated card runs it.
    pub fn set_device(&self, args: &mut CommonArgs) -> bool {
        if matches!(args.device, DeviceChoice::Auto | DeviceChoice::Simulator { profile: None, .. }) {
            args.cards = self.cards.iter().map(|&card| card.to_owned()).collect();
            args.device = DeviceChoice::Simulator { profile: Some(self.cards[0].to_owned()), devices: 1 };
        }
        let simulated = matches!(args.device, DeviceChoice::Simulator { .. });
        // One run that nothing warmed up says little of a card: there the lab's own number of runs is better.
        if !simulated && self.runs.repeat > 1 {
            args.repeat.get_or_insert(self.runs.repeat);
            args.warmup.get_or_insert(self.runs.warmup);
            args.within = Some(WITHIN);
        }
        simulated
    }

    /// The results of the run, in the document's tables.
    pub fn experiment(&self, report: &Report) -> Experiment {
        let repeated = repeats(self.runs, report.device.simulated);
        let tables = (self.tables)(report);
        let is_own = report.device.profile.as_deref().is_some_and(|card| self.cards.contains(&card));
        let compared = if is_own { compared(self.key, &tables) } else { Vec::new() };
        let notes = self.notes.iter().map(|&note| note.to_owned()).chain(repeated);
        Experiment {
            document: self.key,
            title: self.title,
            notes: notes.chain(told(&compared)).collect(),
            tables,
            compared,
            shown: 0,
        }
    }
}

/// The experiment of this key, the lab's first one for an empty key. Errors: a key that the lab does not have.
pub fn find<O>(lab: &str, documents: &'static [Document<O>], key: &str) -> Result<&'static Document<O>, LabError> {
    let Some(first) = documents.first() else {
        let what = format!("--assignment: lab {lab} has no source document whose experiment could be run");
        return Err(LabError::usage(what, "leave it out"));
    };
    if key.is_empty() {
        return Ok(first);
    }
    documents.iter().find(|document| document.key == key).ok_or_else(|| {
        let near = suggestion(key, documents.iter().map(|document| document.key));
        LabError::usage(format!("--assignment {key}: lab {lab} has no such experiment"), near)
    })
}

/// The note on runs that the document repeated.
fn repeats(runs: Runs, simulated: bool) -> Option<String> {
    let Runs { warmup, repeat, .. } = runs;
    let document = match (warmup, repeat) {
        (_, 0 | 1) => return None,
        (0, repeat) => format!("the document counted {repeat} runs"),
        (warmup, repeat) => format!("the document counted {repeat} runs after {warmup} to warm up"),
    };
    Some(if simulated {
        format!("{document}; a simulated run takes the same time each time, so that one stands for all: no deviation")
    } else {
        format!("{document}; here each is repeated for {} s at most", WITHIN.as_secs())
    })
}

/// Sets sizes and variants, where the command line leaves them open.
pub fn fill_in(args: &mut CommonArgs, sizes: &[usize], variants: &[&str]) {
    if args.size.is_empty() {
        args.size = sizes.iter().map(|&n| Shape::square(n)).collect();
    }
    if args.variant.is_empty() {
        args.variant = variants.iter().map(|&variant| variant.to_owned()).collect();
    }
}

/// Leaves out the sizes of which `bytes` says more than this machine has left, unless that were all; answers what is said of them.
pub fn keep_fitting(args: &mut CommonArgs, bytes: impl Fn(&Shape) -> usize) -> Option<String> {
    let (fitting, others): (Vec<Shape>, Vec<Shape>) =
        args.size.iter().cloned().partition(|size| memory::fits(bytes(size)));
    if fitting.is_empty() || others.is_empty() {
        return None;
    }
    let most = others.iter().map(&bytes).max().unwrap_or(0);
    let names: Vec<String> = others.iter().map(Shape::to_string).collect();
    args.size = fitting;
    Some(format!(
        "n = {} is left out: it takes about {:.1} GiB of this machine's memory, and less is left",
        names.join(", "),
        most as f64 / f64::from(1 << 30)
    ))
}

/// The name of a line that was run here.
pub fn here(report: &Report) -> &'static str {
    if report.device.simulated { "simulated" } else { "measured" }
}

/// Two lines of a table, under the same label: what was run here, and what was published. The second is left out where nothing was.
pub fn beside(report: &Report, label: &[Value], own: Vec<Value>, published: Vec<Value>) -> Vec<Vec<Value>> {
    let line = |label: Vec<Value>, whose: &str, values: Vec<Value>| {
        label.into_iter().chain([Value::from(whose)]).chain(values).collect::<Vec<Value>>()
    };
    let mut lines = vec![line(label.to_vec(), here(report), own)];
    if published.iter().any(|value| !value.is_null()) {
        lines.push(line(vec!["".into(); label.len()], "published", published));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> &'static [Document<()>] {
        const DOCUMENTS: &[Document<()>] = &[Document {
            key: "memory",
            title: "",
            cards: &["rtx4060"],
            runs: Runs { warmup: 3, repeat: 1000, within: None },
            prepare: |(), _| {},
            measure: |(), _, _| unreachable!("nothing is run"),
            tables: |_| Vec::new(),
            done: |_| 0,
            notes: &[],
            next: Next::new("", ""),
        }];
        DOCUMENTS
    }

    #[test]
    fn an_experiment_is_found_by_its_key_and_the_first_one_without() {
        for key in ["", "memory"] {
            assert_eq!(find("gemm", documents(), key).expect("there").key, "memory");
        }
        let refused = find("gemm", documents(), "memry").err().expect("no such").to_string();
        assert!(refused.contains("did you mean memory?"), "{refused}");
        assert!(find::<()>("axpy", &[], "").is_err());
    }

    #[test]
    fn repeats_are_told_where_one_run_stands_for_all() {
        let runs = documents()[0].runs;
        let told = repeats(runs, true).expect("repeated");
        assert!(told.contains("1000 runs after 3") && told.contains("one stands for all"), "{told}");
        assert!(repeats(runs, false).expect("repeated").contains("1 s at most"));
        assert_eq!(repeats(Runs::ONCE, true), None);
    }
}
