//! Kernel times of the ladder under criterion: `cargo bench -p lab-gemm`, see [`common::benching`].

use common::benching::{Ladder, run};
use common::device::ByDevice;
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::shape::Shape;
use criterion::Throughput;
use lab_gemm::{Case, Problem, VARIANTS, run_case};

fn main() -> anyhow::Result<()> {
    run(&Ladder {
        lab: "gemm",
        variants: VARIANTS,
        size: ByDevice { simulator: 64, gpu: 1024 },
        throughput: |n| Throughput::Elements(2 * (n as u64).pow(3)),
        run: |device, variant, n, runs| {
            let problem = Problem {
                size: Shape::square(n),
                extents: [n; 3],
                dtype: Dtype::F32,
                result_memory: HostMemory::Pageable,
                input_memory: HostMemory::Pageable,
                seed: 1,
            };
            let case = Case { variant, edge: 32, problem };
            run_case(device, &kernels::source("gemm", variant.name)?, &case, runs)
        },
    })
}
