//! `--ncu-rep`: a report that Nsight Compute opens. Its format is described beside it (`extras/FileFormat/*.proto`): a head, then blocks of messages of
//! Protocol Buffers, each after its length.
//!
//! A result is a kernel with one shape of launch, and its figures are the sums of all such launches. A counter that the profiler has by the same definition
//! has its name (`simulator::counters::PROFILED`); the others are `sim__` and the key that docs/json.md has, so that no figure is taken for another.
use crate::arguments::Arguments;
use crate::journal::{Journal, Kernel};
use simulator::counters::PROFILED;
use simulator::diagnostics::kernel_name;
use std::path::Path;

/// The version of the format.
const VERSION: u64 = 7;

/// A message of Protocol Buffers as it is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn real(mut self, field: u64, value: f64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    /// With its length before it, as it stands in the file.
    fn framed(&self) -> Vec<u8> {
        [&(self.0.len() as u32).to_le_bytes()[..], &self.0].concat()
    }
}

/// The value of a metric.
enum Figure {
    Count(u64),
    Real(f64),
    Text(String),
}

/// The file.
pub fn render(journal: &Journal, arguments: &Arguments) -> Vec<u8> {
    let program = arguments.command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let name = Path::new(&program).file_name().map_or(program.clone(), |name| name.to_string_lossy().into_owned());
    let process = Message::default().number(1, 1).text(2, "127.0.0.1").text(3, &name);
    let system = Message::default().text(1, "Linux").text(4, "x86_64").number(6, 2);
    let version = Message::default().text(1, "CUDA simulator").text(2, env!("CARGO_PKG_VERSION"));
    let session = Message::default().number(1, 1).message(3, &system).message(8, &version);
    // The sources that results refer to: none has machine code.
    let sources: Vec<u8> = (0..journal.kernels.len())
        .flat_map(|kernel| Message::default().number(1, kernel as u64 + 1).framed())
        .collect();
    let mut names = Vec::new();
    let results: Vec<u8> = journal
        .kernels
        .iter()
        .enumerate()
        .flat_map(|(at, kernel)| result(at as u64 + 1, kernel, journal, &mut names).framed())
        .collect();
    let strings = names.iter().fold(Message::default(), |strings, name| strings.text(1, name));
    let block = Message::default()
        .number(1, journal.kernels.len() as u64)
        .number(2, journal.kernels.len() as u64)
        .message(3, &session)
        .message(4, &strings)
        .number(5, (sources.len() + results.len()) as u64)
        .message(6, &process);
    [b"NVR\0".to_vec(), Message::default().number(1, VERSION).framed(), block.framed(), sources, results].concat()
}

/// A kernel with one shape of launch. `names`: those of metrics, which results name by their place.
fn result(id: u64, kernel: &Kernel, journal: &Journal, names: &mut Vec<String>) -> Message {
    let extent = |[x, y, z]: [u32; 3]| Message::default().number(1, x.into()).number(2, y.into()).number(3, z.into());
    let name = kernel_name(&kernel.kernel);
    let mut message = Message::default()
        .number(1, 1)
        .number(2, id)
        .number(3, id)
        .number(4, id)
        .text(5, &kernel.kernel)
        .text(6, name.split(['(', '<']).next().unwrap_or(&name))
        .text(7, &name)
        .number(8, 3)
        .message(9, &extent([0; 3]))
        .message(10, &extent(kernel.grid))
        .message(11, &extent(kernel.block));
    if kernel.launches > 1 {
        message = message.text(12, &format!("the sums of {} launches", kernel.launches));
    }
    let metrics = metrics(kernel, journal);
    for (name, figure) in &metrics {
        let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        });
        let value = match figure {
            Figure::Count(count) => Message::default().number(5, *count),
            Figure::Real(real) => Message::default().real(3, *real),
            Figure::Text(text) => Message::default().text(1, text),
        };
        message = message.message(13, &Message::default().number(1, at as u64).message(2, &value));
    }
    // A table of what is no fact of the launch or the card.
    let listed = metrics.iter().filter(|(name, _)| !name.starts_with("launch__") && !name.starts_with("device__"));
    let listed: Vec<Message> = listed.map(|(name, _)| Message::default().text(1, name)).collect();
    let list = |field| listed.iter().fold(Message::default(), |list, metric| list.message(field, metric));
    let section = Message::default()
        .text(1, "simulated")
        .text(2, "Simulated counters and time")
        .number(3, 0)
        .message(4, &list(2))
        .message(6, &list(1));
    message
        .message(15, &Message::default().number(1, id))
        .number(16, 0)
        .message(17, &section)
        .number(22, 1)
        .number(23, 1)
}

/// The figures of a kernel under the profiler's names.
fn metrics(kernel: &Kernel, journal: &Journal) -> Vec<(String, Figure)> {
    let [grid, block] = [kernel.grid, kernel.block].map(|extents| extents.into_iter().map(u64::from).product::<u64>());
    let mut metrics: Vec<(String, Figure)> = [
        ("launch__grid_size", grid),
        ("launch__block_size", block),
        ("launch__thread_count", grid * block),
        ("launch__shared_mem_per_block_dynamic", kernel.dynamic_shared_bytes.into()),
        ("sim__launches", kernel.launches),
        ("smsp__threads_launched.sum", grid * block * kernel.launches),
    ]
    .map(|(name, count)| (name.to_owned(), Figure::Count(count)))
    .into();
    for (letter, axis) in ["x", "y", "z"].iter().zip(0..) {
        for (of, extents) in [("grid", kernel.grid), ("block", kernel.block)] {
            metrics.push((format!("launch__{of}_dim_{letter}"), Figure::Count(extents[axis].into())));
        }
    }
    // Nsight Compute shows no section of a card whose compute capability it does not know.
    for (name, part) in ["major", "minor"].iter().zip(journal.compute_capability) {
        metrics.push((format!("device__attribute_compute_capability_{name}"), Figure::Count(part)));
    }
    let card = journal.device.clone().unwrap_or_default();
    metrics.push(("device__attribute_display_name".to_owned(), Figure::Text(card)));
    metrics.push(("gpu__time_duration.sum".to_owned(), Figure::Real(kernel.time_ns as f64)));
    for (key, value) in &kernel.counters {
        let name = PROFILED.iter().find(|(_, counter, _)| counter == key).map(|(.., metric)| (*metric).to_owned());
        let name = match (key.as_str(), name) {
            (_, Some(name)) => name,
            ("registers", None) => "launch__registers_per_thread".to_owned(),
            (key, None) => format!("sim__{key}"),
        };
        match (value.as_u64(), value.as_f64()) {
            (Some(count), _) => metrics.push((name, Figure::Count(count))),
            (None, Some(real)) => metrics.push((name, Figure::Real(real))),
            // No figure: there was nothing to divide by.
            (None, None) => {}
        }
    }
    metrics
}
