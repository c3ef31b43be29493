//! The predefined registers by name.
use crate::isa::Special::{self, *};

/// The special register of a name (with `%`) and a component (`x`, `y`, `z`, `w` as 0 … 3).
pub fn special(name: &str, component: Option<u8>) -> Option<Special> {
    Special::named(name, component).or_else(|| if component.is_none() { numbered(name) } else { None })
}

/// Parts of the shared memory that is the system's own, in the order of their numbers.
const PARTS: [&str; 5] = ["begin", "end", "cap", "0", "1"];

/// `%envreg0` … `%envreg31`, `%reserved_smem_offset_…`, `%pm0` … `%pm7` and `%pm0_64` … `%pm7_64` (as 8 … 15).
fn numbered(name: &str) -> Option<Special> {
    if let Some(number) = name.strip_prefix("%envreg") {
        return number.parse().ok().filter(|&n| n < 32).map(EnvReg);
    }
    if let Some(part) = name.strip_prefix("%reserved_smem_offset_") {
        return PARTS.iter().position(|known| *known == part).map(|number| ReservedSmemOffset(number as u8));
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
