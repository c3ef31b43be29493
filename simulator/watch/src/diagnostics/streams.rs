//! The words for operations of the host that nothing orders.
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::source::names::{allocation, kernel_name};
use machine::memory::{Allocation, Touch};

/// The name of an operation that frees memory in the order of a stream.
pub const FREE: &str = "free";

/// The name of an operation that allocates memory in the order of a stream.
pub const ALLOCATE: &str = "stream-ordered allocation";

/// One of two operations: its name, its stream, and what it does to the memory that both touch.
pub struct Party {
    /// A kernel's symbol, or the name of a copy.
    pub name: String,
    /// `None`: the host does it.
    pub stream: Option<u64>,
    pub touch: Touch,
    pub is_kernel: bool,
    /// File and line of a kernel's access.
    pub line: Option<(String, u32)>,
}

impl Party {
    fn words(&self) -> String {
        let name = match self.is_kernel {
            true => format!("the kernel `{}`", kernel_name(&self.name)),
            false => format!("a {}", self.name),
        };
        let Some(stream) = self.stream else {
            return format!("the host gives it back ({}), and has not waited", self.name);
        };
        let does = match self.touch {
            _ if self.name == FREE && !self.is_kernel => "frees",
            _ if self.name == ALLOCATE && !self.is_kernel => "allocates",
            Touch::Read => "reads",
            Touch::Written => "writes",
            Touch::Strong => "atomically updates",
        };
        let line = self.line.as_ref().map_or(String::new(), |(file, line)| format!(" ({file}:{line})"));
        format!("{name} on stream {stream} {does} it{line}")
    }
}

fn place(address: u64, found: Option<&Allocation>) -> String {
    match found {
        Some(found) => format!("{}, at byte {}", allocation(found), address - found.address),
        None => format!("memory at {address:#x}"),
    }
}

/// Words two kernels of which the second may begin before the first has ended, and touches the same memory before it has waited for that.
pub fn overlapped(parties: &[Party; 2], address: u64, found: Option<&Allocation>) -> Diagnosis {
    let [first, second] = parties;
    let (name, place) = (kernel_name(&second.name), place(address, found));
    let message = format!(
        "your kernel: `{name}` uses {place}, and has not waited for the launch before it, which uses it too\n   = first: {}\n   = second: {}\n   = what: it is launched so that it may begin before the first has ended (programmatic stream serialization), and the first lets it; a card gives either value\n   = next: call cudaGridDependencySynchronize() (griddepcontrol.wait) before that line, in every thread that it concerns",
        first.words(),
        second.words()
    );
    let (file, line) = second.line.clone().unwrap_or_default();
    Diagnosis { family: Family::Kernel, kind: "dependent launch", kernel: name, file, line, message }
}

/// Words two operations, in the order of their submission, that touch the same memory in an order that nothing lays down.
pub fn unordered(parties: &[Party; 2], address: u64, found: Option<&Allocation>) -> Diagnosis {
    let [first, second] = parties;
    let place = place(address, found);
    const ANY_ORDER: &str = "a card may run them in any order, or at once";
    let (who, what, next) = match (first.stream, second.stream) {
        (_, None) => (
            "a stream and the host",
            "CUDA does not promise that this call waits for work of streams; where a card does not, the first meets memory that is used for something else",
            "wait before that call for the first (cuStreamSynchronize, or cuEventSynchronize)",
        ),
        (one, other) if one == other => ("two nodes of a graph", ANY_ORDER, "add an edge from the first to the second"),
        _ => (
            "two streams",
            if first.name == ALLOCATE {
                "memory of cuMemAllocAsync is there for what comes after it"
            } else {
                ANY_ORDER
            },
            "record an event after the first (cuEventRecord) and let the other stream wait for it (cuStreamWaitEvent), or use one stream",
        ),
    };
    let message = format!(
        "your host code: {who} use {place}, and nothing orders them\n   = first: {}\n   = second: {}\n   = what: {what}\n   = next: {next}",
        first.words(),
        second.words()
    );
    let kernel = parties.iter().find(|party| party.is_kernel).map_or(String::new(), |p| kernel_name(&p.name));
    let (file, line) = parties.iter().find_map(|party| party.line.clone()).unwrap_or_default();
    Diagnosis { family: Family::Host, kind: "stream race", kernel, file, line, message }
}

/// Words an operation that the host computes for a library, and an operand of it that nobody has written.
pub fn unwritten_operand(name: &str, address: u64, found: &Allocation) -> Diagnosis {
    let place = place(address, Some(found));
    let message = format!(
        "your host code: `{name}` reads {place}, which nobody has written\n   = what: a card finds there what was left by others\n   = next: write it before, or make it by torch.zeros in place of torch.empty"
    );
    let (file, kernel) = (String::new(), String::new());
    Diagnosis { family: Family::Host, kind: "unwritten operand", kernel, file, line: 0, message }
}
