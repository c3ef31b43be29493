//! Kernel times of the ladder under criterion: `cargo bench -p lab-transpose`, see [`common::benching`].

use common::benching::{Ladder, run};
use common::device::ByDevice;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::shape::Shape;
use criterion::Throughput;
use lab_transpose::{Case, Place, Problem, VARIANTS, run_case};

fn main() -> anyhow::Result<()> {
    run(&Ladder {
        lab: "transpose",
        variants: VARIANTS,
        size: ByDevice { simulator: 128, gpu: 4096 },
        throughput: |n| Throughput::Bytes(8 * (n as u64).pow(2)),
        run: |device, variant, n, runs| {
            let problem = Problem {
                size: Shape::square(n),
                extents: [n; 2],
                dtype: Dtype::F32,
                host_memory: HostMemory::Pageable,
                seed: 1,
            };
            let edge = variant.rung.threads.edges(&[32], [n; 2], Dtype::F32)[0];
            let case = Case { variant, problem, edge, place: Place::Out };
            run_case(device, &kernels::source("transpose", variant.name)?, &case, runs)
        },
    })
}
