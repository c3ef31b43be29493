//! Kernel times of the ladder under criterion: `cargo bench -p lab-gemv`, see [`common::benching`].

use common::benching::{Ladder, run};
use common::device::ByDevice;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::shape::Shape;
use criterion::Throughput;
use lab_gemv::strategies::Strategies;
use lab_gemv::{Block, CachePreference, Case, Problem, VARIANTS, run_case};

fn main() -> anyhow::Result<()> {
    run(&Ladder {
        lab: "gemv",
        variants: VARIANTS,
        size: ByDevice { simulator: 128, gpu: 4096 },
        throughput: |n| Throughput::Bytes(4 * (n as u64).pow(2)),
        run: |device, variant, n, runs| {
            let problem = Problem {
                size: Shape::square(n),
                extents: [n; 2],
                dtype: Dtype::F32,
                host_memory: HostMemory::Pageable,
                seed: 1,
            };
            let block = variant.rung.method.block(Block { sx: 16, sy: 16 }, n * Dtype::F32.bytes());
            let case = Case {
                variant,
                problem,
                block,
                cache: CachePreference::PreferNone,
                rows_per_warp: 1,
                strategies: Strategies::default(),
            };
            run_case(device, &kernels::source("gemv", variant.name)?, &case, runs)
        },
    })
}
