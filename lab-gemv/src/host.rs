//! The same product on this host's cores: what the card is compared with.
//!
//! These times are the host's own, measured, whatever the device is.

use crate::data::{A, Data, X, reference};
use crate::plan::{Problem, flops};
use anyhow::ensure;
use common::check::tolerance;
use common::element::{Dtype, Element};
use common::on_host::{Way, host_threads};
use common::result::{Table, rate};
use serde_json::Value;
use std::time::Instant;

/// Runs after the first, of all of which the best counts, because whatever disturbs a host only adds time.
const RUNS: usize = 3;

/// An empty table for [`measure`] to fill.
pub fn table() -> Table {
    let columns = ["way", "size", "dtype", "threads", "ms", "GFLOP/s", "GB/s", "of CPU peak %"];
    Table {
        title: format!("the same product on this host, measured: {}", Processor::of_this_host()),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Vec::new(),
    }
}

/// Naive, cache-blocked, and on all cores: time, rate, and share of the host's own peak. Errors: a wrong result, which would be this file's defect.
pub fn measure<T: Element>(table: &mut Table, problem: &Problem, data: &Data<T>) -> anyhow::Result<()> {
    let (a, x) = (data.input_view(A)?, data.input(X)?);
    let processor = Processor::of_this_host();
    let cores = host_threads();
    let ways: [(&str, usize, Way); 3] =
        [("naive", 1, Way::Naive), ("blocked", 1, Way::Blocked), ("blocked, all cores", cores, Way::AllCores)];
    let mut results = ways.map(|_| (vec![T::POISON; problem.extents[0]], 0.0));
    // All of A at once, unless it is so large that it is not held.
    for (first, a) in a.bands(x.len()) {
        for ((_, _, way), (b, ms)) in ways.iter().zip(&mut results) {
            let b = &mut b[first..first + a.len() / x.len()];
            let mut best = f64::INFINITY;
            for _ in 0..=RUNS {
                T::poison_host(b);
                let start = Instant::now();
                T::multiply_on_host(*way, &a, x, b);
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            *ms += best;
        }
    }
    for ((name, cores, _), (b, best)) in ways.into_iter().zip(results) {
        let check = T::check_elements(&b, reference(data)?, 1, tolerance(problem.extents[1], T::DTYPE));
        ensure!(check.correct, "the host's own product ({name}) is wrong: {:?}", check.mismatch);
        let gflops = rate(flops(problem.extents), best);
        let share = |peak: f64| Some(gflops? / peak * 100.0);
        table.rows.push(vec![
            Value::from(name),
            problem.size.to_string().into(),
            T::DTYPE.name().into(),
            cores.into(),
            best.into(),
            gflops.into(),
            rate(data.workload.bytes, best).into(),
            processor.peak_gflops(T::DTYPE, cores).and_then(share).into(),
        ]);
    }
    Ok(())
}

/// The host's processor, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
struct Processor {
    name: String,
    vector_bytes: usize,
    clock_hz: Option<f64>,
}

impl Processor {
    fn of_this_host() -> Self {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self::parse(&text, vector_bytes())
    }

    /// Name and clock from Linux's `/proc/cpuinfo`; where it does not say, the peak is unknown.
    fn parse(cpuinfo: &str, vector_bytes: usize) -> Self {
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let megahertz = field("cpu MHz").and_then(|text| text.parse::<f64>().ok());
        Processor {
            name: field("model name").unwrap_or_else(|| "unknown processor".to_owned()),
            vector_bytes,
            clock_hz: megahertz.map(|megahertz| megahertz * 1e6),
        }
    }

    /// Cores · lanes · 2 · clock, as the assignment has it: a multiply and an add per lane and clock.
    fn peak_gflops(&self, dtype: Dtype, cores: usize) -> Option<f64> {
        let lanes = self.vector_bytes / dtype.bytes();
        Some((cores * lanes * 2) as f64 * self.clock_hz? / 1e9)
    }
}

impl std::fmt::Display for Processor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        if let (Some(peak), Some(clock)) = (self.peak_gflops(Dtype::F32, 1), self.clock_hz) {
            let lanes = self.vector_bytes / Dtype::F32.bytes();
            write!(f, ", peak {lanes} lanes · 2 · {:.2} GHz = {peak:.0} GFLOP/s per core in f32", clock / 1e9)?;
        }
        Ok(())
    }
}

/// Bytes of this processor's widest vector registers.
fn vector_bytes() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return 64;
        }
        if std::arch::is_x86_feature_detected!("avx") {
            return 32;
        }
    }
    // SSE2 and NEON.
    16
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_peak_is_lanes_times_cores_times_clock() {
        // The assignment's processor: 6 cores of 8 lanes at 3.6 GHz.
        let text = "model name\t: AMD Ryzen 5 3600 6-Core Processor\ncpu MHz\t\t: 3600.000\n";
        let ryzen = Processor::parse(text, 32);
        assert_eq!(ryzen.name, "AMD Ryzen 5 3600 6-Core Processor");
        assert!((ryzen.peak_gflops(Dtype::F32, 6).unwrap() - 345.6).abs() < 1e-9);
        assert!((ryzen.peak_gflops(Dtype::F64, 6).unwrap() - 172.8).abs() < 1e-9);
        assert_eq!(Processor::parse("", 16).peak_gflops(Dtype::F32, 1), None);
    }
}
