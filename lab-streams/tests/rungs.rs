//! Every variant × workload × element type × size, checked. The tests follow from `VARIANTS`.
//! Then every mutant, which must fail for its reason.

use common::device::Device;
use common::element::Dtype;
use common::ladder;
use common::result::Row;
use common::shape::Shape;
use common::testing::{RungTest, run_ladder};
use common::timing::Runs;
use kernels::Source;
use lab_streams::{Case, GemmKernel, Kind, Rung, Subject, VARIANTS, Workload, run_case, run_topic};
use std::process::ExitCode;

/// One element, a prime that no block divides, a multiple of the block.
const PRODUCTS: &[usize] = &[1, 19, 48];
/// One element, a number that is no multiple of a 16-byte chunk, a power of two.
const CHUNKS: &[usize] = &[1, 1003, 4096];
/// A single item, and more than the ring has buffers, by a number that it does not divide.
const COUNTS: &[usize] = &[1, 6];
const RING: usize = 4;
/// Elements of a mutant's run: odd, so no multiple of a 16-byte chunk or of a block, and larger than a block.
const LEN: usize = 1003;

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for variant in VARIANTS {
        for dtype in [Dtype::F32, Dtype::F64] {
            match variant.rung {
                Rung::Batch(batch) => {
                    for workload in workloads(dtype) {
                        let Workload { kernel, extent, count, .. } = workload;
                        let what = workload.name();
                        let name = format!("{}::{what}::{kernel:?}::{dtype}::{count}x{extent}", variant.name);
                        let case = Case { variant, batch, workload, ring: RING };
                        tests.push(RungTest {
                            name: name.to_lowercase(),
                            run: Box::new(move |device| {
                                Ok(run_case(device, &case.workload.source()?, &case, Runs::ONCE)?.0)
                            }),
                        });
                    }
                }
                Rung::Topic(topic) => {
                    for &len in CHUNKS {
                        let subject = Subject {
                            topic,
                            name: variant.name,
                            size: Shape::square(len),
                            len,
                            dtype,
                            seed: len as u64,
                        };
                        tests.push(RungTest {
                            name: format!("{}::{dtype}::{len}", variant.name),
                            run: Box::new(move |device| run_topic(device, &subject.source()?, &subject, Runs::ONCE)),
                        });
                    }
                }
            }
        }
    }
    run_ladder("streams", tests, mutant)
}

fn workloads(dtype: Dtype) -> Vec<Workload> {
    let mut workloads = Vec::new();
    for &count in COUNTS {
        let mut add = |kind, extent, kernel| {
            // Each test has its own data.
            let seed = (count * 10_000 + extent) as u64;
            let size = Shape::square(extent);
            workloads.push(Workload { kind, size, extent, count, dtype, kernel, seed });
        };
        for &extent in PRODUCTS {
            add(Kind::Gemm, extent, GemmKernel::Naive);
            add(Kind::Gemm, extent, GemmKernel::Shared);
        }
        for &extent in CHUNKS {
            add(Kind::Chunks, extent, GemmKernel::default());
        }
    }
    workloads
}

/// The batch kernel in the plainest variant, the others in their own rows.
fn mutant(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let (size, dtype) = (Shape::square(LEN), Dtype::F32);
    if source.name == "one_touch" {
        let variant = ladder::find(VARIANTS, "synchronous")?;
        let Rung::Batch(batch) = variant.rung else { anyhow::bail!("synchronous is a batch") };
        let kind = Kind::Chunks;
        let workload = Workload { kind, size, extent: LEN, count: 2, dtype, kernel: GemmKernel::default(), seed: 5 };
        return Ok(vec![run_case(device, source, &Case { variant, batch, workload, ring: RING }, Runs::ONCE)?.0]);
    }
    let mut rows = Vec::new();
    for variant in VARIANTS {
        if let Rung::Topic(topic) = variant.rung
            && topic.file() == source.name
        {
            let subject = Subject { topic, name: variant.name, size: size.clone(), len: LEN, dtype, seed: 5 };
            rows.push(run_topic(device, source, &subject, Runs::ONCE)?);
        }
    }
    anyhow::ensure!(!rows.is_empty(), "nothing runs {}", source.path);
    Ok(rows)
}
