//! The figures of a profiler's first page beside counts: how busy the card was. Data alone, which whoever knows the device and the clock fills in.
use serde::Serialize;
use std::collections::BTreeMap;

/// Shares are in %, rates in 10⁹ bytes per second of the time that a profiler measures: the kernel's own, and before it what the card takes
/// to begin the launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FirstPage {
    /// Warps that a multiprocessor holds on average while it holds any, of the most that it has room for.
    pub achieved_occupancy: f64,
    /// The time in which a multiprocessor holds warps, of the time that a profiler measures, on average over the multiprocessors.
    pub multiprocessor_activity: f64,
    /// A scheduler's warps that could issue, on average over the clocks.
    pub eligible_warps: f64,
    /// Bytes that threads ask for, and bytes that are moved for them in whole sectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_load_gbytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_gbytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_store_gbytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_gbytes_per_s: Option<f64>,
    /// Sectors of global loads that L1 had, and sectors that L2 had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1_hit_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_hit_rate: Option<f64>,
    /// The work of each unit, of the most that all of its kind could do in the kernel's time: `throughput_issue`, …
    #[serde(flatten)]
    pub throughput: BTreeMap<&'static str, f64>,
}

/// How blocks fill multiprocessors, as if all took equally long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// Blocks on a multiprocessor that holds any, on average.
    pub blocks: f64,
    /// The part of the time from the first block's begin to the last one's end in which a multiprocessor holds any, on average.
    pub active: f64,
}

impl Filling {
    /// The filling by `blocks` of a card that holds `resident` on each of its multiprocessors; they are dealt out evenly.
    pub fn of(blocks: u64, resident: u64, multiprocessors: u64) -> Filling {
        let resident = resident.max(1);
        let (each, more) = (blocks / multiprocessors, blocks % multiprocessors);
        let rounds = |blocks: u64| blocks.div_ceil(resident);
        let all = more * rounds(each + 1) + (multiprocessors - more) * rounds(each);
        let longest = rounds(each + u64::from(more > 0)).max(1);
        Filling { blocks: blocks as f64 / all.max(1) as f64, active: all as f64 / (multiprocessors * longest) as f64 }
    }
}

/// Warps that could issue, of `warps` of a scheduler that issues in the share `issues` of its clocks: as if each warp were ready
/// independently of the others, nobody is ready in the other clocks.
pub fn eligible(warps: f64, issues: f64) -> f64 {
    if warps <= 0.0 {
        return 0.0;
    }
    warps * (1.0 - (1.0 - issues.clamp(0.0, 1.0)).powf(1.0 / warps.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assignment 4 measured them on a GTX 1050: five multiprocessors, 64 warps each. Block edge, n, %.
    #[test]
    fn occupancy_and_activity_are_near_the_published_ones() {
        for (edge, n, published) in [
            (8, 64, 37.6),
            (8, 128, 83.9),
            (16, 64, 39.3),
            (16, 128, 85.0),
            (32, 64, 46.9),
            (32, 128, 85.3),
            (32, 256, 90.6),
        ] {
            let blocks = (n / edge) * (n / edge);
            let warps = edge * edge / 32;
            let filling = Filling::of(blocks, 64 / warps, 5);
            let occupancy = 100.0 * filling.blocks * warps as f64 / 64.0;
            assert!((occupancy - published).abs() < 6.0, "edge {edge}, n = {n}: {occupancy}, published {published}");
        }
        // One block: one of five multiprocessors, as published.
        assert_eq!(Filling::of(1, 2, 5), Filling { blocks: 1.0, active: 0.2 });
    }

    #[test]
    fn a_scheduler_that_always_issues_has_all_of_its_warps_ready_and_an_idle_one_none() {
        assert_eq!((eligible(16.0, 1.0), eligible(16.0, 0.0), eligible(0.0, 0.5)), (16.0, 0.0, 0.0));
        assert!((eligible(1.0, 0.25) - 0.25).abs() < 1e-12);
        // Two warps, each ready half of the time: one on average, and a quarter of the clocks issues nothing.
        assert!((eligible(2.0, 0.75) - 1.0).abs() < 1e-12);
    }
}
