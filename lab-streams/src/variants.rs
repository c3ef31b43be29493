//! The ladder: one row per way to run a batch, and the lecture's side topics.

use crate::planned;
use crate::schedule::Schedule;
use common::host_memory::HostMemory;
use common::ladder;
use common::ladder::Variant;
use common::report::Column;

/// The means to run a row.
#[derive(Clone, Copy, Debug)]
pub enum Rung {
    /// A batch, ordered in some way.
    Batch(Batch),
    /// One kernel with something to say about it.
    Topic(Topic),
}

/// A batch with its host memory and its order.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Kind of memory of the inputs.
    pub inputs: HostMemory,
    /// Kind of memory of the outputs, which the host reads.
    pub outputs: HostMemory,
    /// From the number of items, and of buffer sets where that is a choice, to the calls.
    pub schedule: fn(usize, usize) -> Schedule,
    /// True if the calls are captured once and replayed as a graph.
    pub captured: bool,
    /// True if the items are dealt out to all devices.
    pub all_devices: bool,
}

/// A side topic of the lecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Coefficients that all threads read alike: from constant memory, or from global memory.
    Polynomial {
        /// Where they are.
        constant: bool,
    },
    /// One kernel by three clocks: its own, the events', the host's.
    DeviceTimed,
    /// Rows of few and of many elements, a thread for each.
    Rows {
        /// True if a long row is a kernel that its thread launches.
        children: bool,
    },
}

const SYNCHRONOUS: Batch = Batch {
    inputs: HostMemory::Pageable,
    outputs: HostMemory::Pageable,
    schedule: planned::synchronous,
    captured: false,
    all_devices: false,
};
const PINNED: Batch = Batch { inputs: HostMemory::Pinned, outputs: HostMemory::Pinned, ..SYNCHRONOUS };
const STREAMED: Batch = Batch { schedule: planned::streamed, ..SYNCHRONOUS };
const STREAMED_PINNED: Batch = Batch { schedule: planned::streamed, ..PINNED };
const PIPELINED: Batch = Batch { schedule: planned::pipelined, ..PINNED };

/// The rows, in the order in which one idea leads to the next.
pub const VARIANTS: &[Variant<Rung>] = ladder! {
    "synchronous", "pageable memory, one call after another", Rung::Batch(SYNCHRONOUS);
    "without_transfers", "the kernels alone, data already there, as if copies cost nothing",
        Rung::Batch(Batch { schedule: planned::resident, ..SYNCHRONOUS });
    "streamed", "a stream per item, but copies of pageable memory go through the driver's buffer and hold the host up", Rung::Batch(STREAMED);
    "pinned", "page-locked memory, faster copies, no overlap", Rung::Batch(PINNED);
    "streamed_pinned", "streams and page-locked memory, so copies and kernels of different items overlap", Rung::Batch(STREAMED_PINNED);
    "registered", "ordinary memory, page-locked after its allocation; then as streamed_pinned",
        Rung::Batch(Batch { inputs: HostMemory::Registered, outputs: HostMemory::Registered, ..STREAMED_PINNED });
    "write_combined", "inputs in write-combined memory, which the host writes and never reads; outputs pinned",
        Rung::Batch(Batch { inputs: HostMemory::WriteCombined, ..STREAMED_PINNED });
    "mapped", "no copies, kernels read each input n times over the bus (zero-copy)", Rung::Batch(Batch {
        inputs: HostMemory::Mapped,
        outputs: HostMemory::Mapped,
        schedule: planned::mapped,
        ..SYNCHRONOUS
    });
    "pipelined", "a stream per engine, a ring of device buffers, events between them", Rung::Batch(PIPELINED);
    "strips", "the pipeline's ends in strips, so that it fills and drains sooner; two streams for the kernels, so that no wave is half empty",
        Rung::Batch(Batch { schedule: planned::strips, ..PINNED });
    "graph", "the pipeline captured once and replayed: one launch for all calls", Rung::Batch(Batch { captured: true, ..PIPELINED });
    "multi_gpu", "items dealt out to all devices, a pipeline on each, memory pinned for all of them",
        Rung::Batch(Batch { all_devices: true, ..PIPELINED });
    "default_stream", "as streamed_pinned, with one launch on the default stream in the middle: everything waits for it",
        Rung::Batch(Batch { schedule: planned::default_stream, ..PINNED });
    "constant_global", "a polynomial whose coefficients lie in global memory", Rung::Topic(Topic::Polynomial { constant: false });
    "constant", "the same with its coefficients in constant memory: one access serves the warp, from a cache of its own",
        Rung::Topic(Topic::Polynomial { constant: true });
    "device_timed", "one kernel by three clocks: the device's own timer, events around it, the host around launch and wait",
        Rung::Topic(Topic::DeviceTimed);
    "children_flat", "rows of few and of many elements, a thread for each: the longest row holds all up",
        Rung::Topic(Topic::Rows { children: false });
    "children", "the same, but a thread launches a kernel for a row that is long", Rung::Topic(Topic::Rows { children: true });
};

/// The lab's columns of the main table, after the time of the whole batch.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    Column::new("speedup", "speedup", "times as fast as the synchronous row of the same batch"),
    Column::new("limit_ms", "limit ms", "the time that the busiest part of the machine needs at least: copies in, copies out, both, or the kernels"),
    Column::new("limit_percent", "of limit %", "the limit as a share of the time that the batch takes"),
    Column::new("hidden_percent", "hidden %", "of the time of copies, the part during which a kernel ran as well"),
    Column::new("both_ways_percent", "both ways %", "of the time in which the bus is busy one way, the part during which the other way is busy as well"),
    Column::new("first_use_ms", "first use ms", "allocation and the first run together: what a program pays that runs the batch once"),
    Column::new("gbytes_per_s", "bus GB/s", "10⁹ bytes per second over the bus, in both directions together"),
    Column::new("launches", "launches", "kernels of one run, launched by the host or by a kernel").detail(),
    Column::new("device_ms", "device ms", "time of one kernel by the device's own timer").detail(),
    Column::new("host_ms", "host ms", "time of one kernel by the host's clock, launch and wait included").detail(),
];
