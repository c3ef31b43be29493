//! The host's vector units.
use std::sync::OnceLock;

/// Which vector instructions the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Base,
    Avx2,
    Avx512,
}

impl Level {
    /// As `LABS_SIM_SIMD` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Base => "base",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The best level of this host, or the one that `LABS_SIM_SIMD` (`base`, `avx2`, `avx512`) names, if the host has it.
    pub fn detect() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let host = Level::of_host();
            match std::env::var("LABS_SIM_SIMD").as_deref() {
                Ok("base") => Level::Base,
                Ok("avx2") => host.min(Level::Avx2),
                _ => host,
            }
        })
    }

    #[cfg(target_arch = "x86_64")]
    pub fn of_host() -> Level {
        use std::arch::is_x86_feature_detected as has;
        if !(has!("avx2") && has!("fma") && has!("f16c") && has!("bmi2")) {
            Level::Base
        } else if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
            Level::Avx512
        } else {
            Level::Avx2
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub fn of_host() -> Level {
        Level::Base
    }
}
