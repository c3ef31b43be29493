//! Every number of the model of time that is no row of a card, each with its unit, the cards that it is used for, and its source.
//!
//! The rows stand in `constants.txt`. A row is `NAME: type = value, "unit", cards, "source";`, and one without any of these does not compile.
//! A number that differs from card to card belongs in [`crate::cards`]. The tags of the sources are those of that table, and four more: `[g]` the CUDA C++ Programming Guide, `[o]`
//! NVIDIA's occupancy calculator, `[w]` NVIDIA's white paper, `[b]` published microbenchmarks, `[m]` measured by this project, on the card and with
//! the kernels that the row names, `[e]` an estimate; `[p]` read off the machine code that NVIDIA's `ptxas` 13.0 makes for `sm_90`; `[f]` fitted:
//! the value with which the clock comes nearest to the named kernels; `[s]` chosen, so that the model's own time, memory or rounding stays in
//! bounds: no property of a card; `[?]` not noted when the number was chosen. Sets of kernels (`calibration.cu`, `stores.cu` …) are described in
//! `docs/measurements/clock.md`.

/// The cards for which a constant is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cards {
    /// Every card.
    All,
    /// Cards before Volta (compute capability below 7.0), which have the model that fits on a page.
    BeforeVolta,
    /// Volta and later cards (from 7.0 on), whose multiprocessor is played through.
    FromVolta,
    /// Turing and later cards (from 7.5 on), which have registers of a warp.
    FromTuring,
    /// Hopper and later cards (from 9.0 on).
    FromHopper,
    /// Hopper's, and Blackwell's of compute capability 10: their tensor units multiply for four warps at once.
    HopperAndBlackwell100,
    /// Cards whose number of L2 slices is known: the row has `l2_slices` above 0.
    WithKnownSlices,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The room that uses it; `card` where several do.
    pub room: &'static str,
    pub name: &'static str,
    /// As the table has it.
    pub value: &'static str,
    pub unit: &'static str,
    pub cards: Cards,
    /// A tag in brackets, and where the number is from.
    pub source: &'static str,
}

macro_rules! table {
    ($($room:ident { $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr, $unit:literal, $cards:ident, $source:literal;)* })*) => {
        $($(
            $(#[$doc])*
            #[doc = concat!("\n\nUnit: ", $unit, ". Cards: [`Cards::", stringify!($cards), "`]. Source: \\", $source, ".")]
            pub const $name: $type = $value;
        )*)*
        /// All rows, in the order of the table.
        pub static CONSTANTS: &[Constant] = &[$($(
            Constant {
                room: stringify!($room),
                name: stringify!($name),
                value: stringify!($value),
                unit: $unit,
                cards: Cards::$cards,
                source: $source,
            },
        )*)*];
    };
}

include!("constants.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_says_where_it_is_from() {
        const TAGS: [&str; 10] = ["[g]", "[o]", "[w]", "[b]", "[m]", "[e]", "[p]", "[f]", "[s]", "[?]"];
        assert!(CONSTANTS.len() > 150, "only {} rows", CONSTANTS.len());
        for own in CONSTANTS {
            let tag = TAGS.iter().find(|tag| own.source.starts_with(**tag));
            let tag = tag.unwrap_or_else(|| panic!("{}: `{}` begins with no tag", own.name, own.source));
            assert!(!own.unit.is_empty(), "{} has no unit", own.name);
            let says = own.source.len() > tag.len();
            assert!(
                says || !matches!(*tag, "[m]" | "[p]" | "[f]" | "[b]"),
                "{}: {tag} names no kernels or card",
                own.name
            );
        }
    }
}
