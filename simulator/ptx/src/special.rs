//! The predefined registers by name.
use crate::isa::Special::{self, *};

/// The special register of a name (with `%`) and a component (`x`, `y`, `z`, `w` as 0 … 3).
pub fn special(name: &str, component: Option<u8>) -> Option<Special> {
    let Some(c) = component else { return scalar(name) };
    Some(match name {
        "%tid" => Tid(c),
        "%ntid" => Ntid(c),
        "%ctaid" => Ctaid(c),
        "%nctaid" => Nctaid(c),
        "%clusterid" => ClusterId(c),
        "%nclusterid" => NclusterId(c),
        "%cluster_ctaid" => ClusterCtaid(c),
        "%cluster_nctaid" => ClusterNctaid(c),
        _ => return None,
    })
}

fn scalar(name: &str) -> Option<Special> {
    Some(match name {
        "%laneid" => LaneId,
        "%warpid" => WarpId,
        "%nwarpid" => NwarpId,
        "%smid" => SmId,
        "%nsmid" => NsmId,
        "%gridid" => GridId,
        "%is_explicit_cluster" => IsExplicitCluster,
        "%cluster_ctarank" => ClusterCtarank,
        "%cluster_nctarank" => ClusterNctarank,
        "%lanemask_eq" => LanemaskEq,
        "%lanemask_le" => LanemaskLe,
        "%lanemask_lt" => LanemaskLt,
        "%lanemask_ge" => LanemaskGe,
        "%lanemask_gt" => LanemaskGt,
        "%clock" => Clock,
        "%clock_hi" => ClockHi,
        "%clock64" => Clock64,
        "%globaltimer" => GlobalTimer,
        "%globaltimer_lo" => GlobalTimerLo,
        "%globaltimer_hi" => GlobalTimerHi,
        "%dynamic_smem_size" => DynamicSmemSize,
        "%total_smem_size" => TotalSmemSize,
        "%aggr_smem_size" => AggrSmemSize,
        "%reserved_smem_offset_begin" => ReservedSmemOffset(0),
        "%reserved_smem_offset_end" => ReservedSmemOffset(1),
        "%reserved_smem_offset_cap" => ReservedSmemOffset(2),
        "%reserved_smem_offset_0" => ReservedSmemOffset(3),
        "%reserved_smem_offset_1" => ReservedSmemOffset(4),
        "%current_graph_exec" => CurrentGraphExec,
        _ => return numbered(name),
    })
}

/// `%envreg0` … `%envreg31`, `%pm0` … `%pm7` and `%pm0_64` … `%pm7_64` (as 8 … 15).
fn numbered(name: &str) -> Option<Special> {
    if let Some(number) = name.strip_prefix("%envreg") {
        return number.parse().ok().filter(|&n| n < 32).map(EnvReg);
    }
    let number = name.strip_prefix("%pm")?;
    let (number, wide) = number.strip_suffix("_64").map_or((number, 0), |n| (n, 8));
    number.parse().ok().filter(|&n: &u8| n < 8).map(|n| Pm(n + wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_have_bounds() {
        assert_eq!(special("%envreg31", None), Some(EnvReg(31)));
        assert_eq!(special("%envreg32", None), None);
        assert_eq!(special("%pm3_64", None), Some(Pm(11)));
        assert_eq!(special("%pm8", None), None);
        assert_eq!(special("%tid", None), None);
        assert_eq!(special("%laneid", Some(0)), None);
    }
}
