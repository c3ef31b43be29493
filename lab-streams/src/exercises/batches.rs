//! The batches that exercises are judged on.

use crate::{Batch, GemmKernel, Kind, Rung, VARIANTS, Workload};
use common::element::Dtype;
use common::ladder;
use common::shape::Shape;

pub fn workload(extent: usize, count: usize, dtype: Dtype, seed: u64) -> Workload {
    Workload {
        kind: Kind::Chunks,
        size: Shape::square(extent),
        extent,
        count,
        dtype,
        kernel: GemmKernel::default(),
        seed,
    }
}

pub fn batch(name: &str) -> anyhow::Result<(&'static ladder::Variant<Rung>, Batch)> {
    let variant = ladder::find(VARIANTS, name)?;
    match variant.rung {
        Rung::Batch(batch) => Ok((variant, batch)),
        Rung::Topic(_) => anyhow::bail!("{name} is no batch"),
    }
}
