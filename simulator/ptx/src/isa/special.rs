//! The predefined registers.
use super::since::Since;

/// Special registers by rows: those with a component each for x, y, z and w, those with none, and those that have a number in place of it.
macro_rules! specials {
    ($($vector:ident $vector_name:literal)*; $($scalar:ident $name:literal)*; $($numbered:ident)*) => {
        /// A special register with its component resolved.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Special {
            $($vector(u8),)*
            $($scalar,)*
            $($numbered(u8)),*
        }

        /// The registers, for their numbers.
        enum Number {
            $($vector,)*
            $($scalar,)*
            $($numbered),*
        }

        impl Special {
            /// The register of a name (with `%`) that has no number, and a component (`x`, `y`, `z`, `w` as 0 … 3).
            pub fn named(name: &str, component: Option<u8>) -> Option<Special> {
                match (name, component) {
                    $(($vector_name, Some(component)) => Some(Special::$vector(component)),)*
                    $(($name, None) => Some(Special::$scalar),)*
                    _ => None,
                }
            }

            /// A number for each register, 0 for the first, and its component.
            pub fn code(self) -> (u8, u8) {
                match self {
                    $(Special::$vector(component) => (Number::$vector as u8, component),)*
                    $(Special::$scalar => (Number::$scalar as u8, 0),)*
                    $(Special::$numbered(component) => (Number::$numbered as u8, component)),*
                }
            }

            /// The register of a code.
            pub fn of_code(number: u8, component: u8) -> Special {
                const ALL: &[fn(u8) -> Special] =
                    &[$(Special::$vector,)* $(|_| Special::$scalar,)* $(Special::$numbered),*];
                ALL[usize::from(number)](component)
            }
        }
    };
}

specials! {
    Tid "%tid" Ntid "%ntid" Ctaid "%ctaid" Nctaid "%nctaid" ClusterId "%clusterid" NclusterId "%nclusterid"
    ClusterCtaid "%cluster_ctaid" ClusterNctaid "%cluster_nctaid";
    LaneId "%laneid" WarpId "%warpid" NwarpId "%nwarpid" SmId "%smid" NsmId "%nsmid" GridId "%gridid"
    IsExplicitCluster "%is_explicit_cluster" ClusterCtarank "%cluster_ctarank" ClusterNctarank "%cluster_nctarank"
    LanemaskEq "%lanemask_eq" LanemaskLe "%lanemask_le" LanemaskLt "%lanemask_lt" LanemaskGe "%lanemask_ge"
    LanemaskGt "%lanemask_gt" Clock "%clock" ClockHi "%clock_hi" Clock64 "%clock64" GlobalTimer "%globaltimer"
    GlobalTimerLo "%globaltimer_lo" GlobalTimerHi "%globaltimer_hi" DynamicSmemSize "%dynamic_smem_size"
    TotalSmemSize "%total_smem_size" AggrSmemSize "%aggr_smem_size" CurrentGraphExec "%current_graph_exec";
    EnvReg ReservedSmemOffset Pm
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
