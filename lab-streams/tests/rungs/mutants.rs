//! Kernels with one deliberate defect each must fail, and for the stated reason; the unchanged ones must not.

use common::device::Device;
use common::element::Dtype;
use common::ladder;
use common::result::Row;
use common::shape::Shape;
use common::timing::Runs;
use kernels::Source;
use lab_streams::{Case, DEFAULT_RING, GemmKernel, Kind, Rung, Subject, VARIANTS, Workload, run_case, run_topic};

/// Odd, so no multiple of a 16-byte chunk or of a block, and larger than a block.
const LEN: usize = 1003;
const ONCE: Runs = Runs { warmup: 0, repeat: 1, within: None };

/// The batch kernel in the plainest variant, the others in their own rows.
pub fn run(device: &Device, source: &Source) -> anyhow::Result<Vec<Row>> {
    let size = Shape::square(LEN);
    let dtype = Dtype::F32;
    let mut rows = Vec::new();
    if source.name == "one_touch" {
        let variant = ladder::select(VARIANTS, &["synchronous".to_owned()])?[0];
        let Rung::Batch(batch) = variant.rung else { anyhow::bail!("synchronous is a batch") };
        let kind = Kind::Chunks;
        let workload = Workload { kind, size, extent: LEN, count: 2, dtype, kernel: GemmKernel::default(), seed: 5 };
        rows.push(run_case(device, source, &Case { variant, batch, workload, ring: DEFAULT_RING }, ONCE)?.0);
    } else {
        for variant in VARIANTS {
            if let Rung::Topic(topic) = variant.rung
                && topic.file() == source.name
            {
                let subject = Subject { topic, name: variant.name, size: size.clone(), len: LEN, dtype, seed: 5 };
                rows.push(run_topic(device, source, &subject, ONCE)?);
            }
        }
    }
    anyhow::ensure!(!rows.is_empty(), "nothing runs {}", source.path);
    Ok(rows)
}
