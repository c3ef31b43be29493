//! PTX's fundamental types and state spaces.

/// Types by rows: the type, and the suffix of an opcode that names it, for those that an opcode names alone.
macro_rules! types {
    ($($(#[$doc:meta])* $ty:ident $($name:literal)?,)*) => {
        /// A PTX fundamental type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Type {
            $($(#[$doc])* $ty),*
        }

        impl Type {
            /// The type that a suffix names: `f32` of `add.f32`.
            pub fn parse(name: &str) -> Option<Type> {
                match name {
                    $($($name => Some(Type::$ty),)?)*
                    _ => None,
                }
            }
        }
    };
}

types! {
    B1 "b1", B8 "b8", B16 "b16", B32 "b32", B64 "b64", B128 "b128",
    U8 "u8", U16 "u16", U32 "u32", U64 "u64", S8 "s8", S16 "s16", S32 "s32", S64 "s64",
    S4 "s4", U4 "u4", S2 "s2", U2 "u2", U16x2 "u16x2", S16x2 "s16x2",
    F16 "f16", F16x2 "f16x2", Bf16 "bf16", Bf16x2 "bf16x2", Tf32 "tf32", F32 "f32", F32x2 "f32x2", F64 "f64",
    E4m3 "e4m3", E5m2 "e5m2", E4m3x2 "e4m3x2", E5m2x2 "e5m2x2",
    /// The formats of fewer bits and those of scales, of which opcodes name pairs.
    E2m1, E2m3, E3m2, Ue8m0, E2m1x2 "e2m1x2", E2m3x2 "e2m3x2", E3m2x2 "e3m2x2", Ue8m0x2 "ue8m0x2",
    Pred "pred",
}

impl Type {
    /// Size in bytes; a predicate has none in memory and answers 0.
    pub const fn bytes(self) -> u32 {
        use Type::*;
        match self {
            Pred => 0,
            B1 | S2 | U2 | S4 | U4 | B8 | U8 | S8 | E4m3 | E5m2 | E2m1 | E2m3 | E3m2 | Ue8m0 | E2m1x2 => 1,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 => 2,
            B32 | U32 | S32 | U16x2 | S16x2 | F16x2 | Bf16x2 | Tf32 | F32 => 4,
            B64 | U64 | S64 | F64 | F32x2 => 8,
            B128 => 16,
        }
    }
    /// Returns whether the type is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S2 | Type::S4 | Type::S8 | Type::S16 | Type::S16x2 | Type::S32 | Type::S64)
    }
    /// Returns whether the type is bits of any meaning, or a predicate.
    pub const fn is_bits(self) -> bool {
        matches!(self, Type::B1 | Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128 | Type::Pred)
    }
    /// Returns whether the type is a floating-point scalar or pair.
    pub const fn is_float(self) -> bool {
        use Type::*;
        !self.is_bits() && !self.is_signed() && !matches!(self, U2 | U4 | U8 | U16 | U16x2 | U32 | U64)
    }
}

/// Where an address points: PTX's state spaces, as far as they are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Space {
    /// No state space named: a generic address.
    #[default]
    Generic,
    /// `.global`
    Global,
    /// `.shared` (also `.shared::cta`)
    Shared,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param` of a kernel or of a call
    Param,
}

impl Space {
    /// The space that a part of an opcode names: `global` of `ld.global.f32`.
    pub fn parse(part: &str) -> Option<Space> {
        Some(match part {
            "global" => Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    }
}
