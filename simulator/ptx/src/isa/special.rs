//! The predefined registers.
use super::since::Since;

/// A special register with its component resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    IsExplicitCluster,
    ClusterId(u8),
    NclusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    EnvReg(u8),
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    ReservedSmemOffset(u8),
    CurrentGraphExec,
    Pm(u8),
}

impl Special {
    /// Bits of the register.
    pub fn bits(self) -> u8 {
        use Special::*;
        match self {
            GridId | Clock64 | GlobalTimer | CurrentGraphExec | Pm(8..) => 64,
            IsExplicitCluster => 1,
            _ => 32,
        }
    }

    /// The version and the target that a module must name to have it, by the manual's chapter on special registers.
    pub fn since(self) -> Since {
        use Special::*;
        match self {
            LanemaskEq | LanemaskLe | LanemaskLt | LanemaskGe | LanemaskGt => Since::new(2.0, 20),
            GlobalTimer | GlobalTimerLo | GlobalTimerHi => Since::new(3.1, 30),
            DynamicSmemSize | TotalSmemSize => Since::new(4.1, 20),
            ReservedSmemOffset(_) => Since::new(7.6, 80),
            AggrSmemSize => Since::new(8.1, 90),
            IsExplicitCluster | ClusterId(_) | NclusterId(_) | ClusterCtaid(_) | ClusterNctaid(_) | ClusterCtarank
            | ClusterNctarank => Since::new(7.8, 90),
            _ => Since::ALWAYS,
        }
    }
}
