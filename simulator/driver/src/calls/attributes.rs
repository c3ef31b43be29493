//! Device attributes: a table from the numbers of `CUdevice_attribute` to the card's facts.
use crate::interface::Cause;
use clock::cards::Device;

/// The facts from which an attribute is computed.
type Of = fn(&Device) -> u64;

/// An attribute of a card on ordinal `ordinal`, as the interface's int.
pub fn attribute(card: &Device, ordinal: usize, number: u32) -> Result<i32, Cause> {
    let value = match number {
        PCI_BUS => ordinal as u64 + 1,
        _ => match ATTRIBUTES.iter().find(|(known, _)| *known == number) {
            Some((_, of)) => of(card),
            None if NONE.contains(&number) => 0,
            None => return Err(Cause::NoSuchValue("attrib", number.into())),
        },
    };
    Ok(i32::try_from(value).unwrap_or(i32::MAX))
}

const PCI_BUS: u32 = 33;

/// Attributes that have a value; each is named by the interface's header.
const ATTRIBUTES: &[(u32, Of)] = include!("attributes.txt");

/// Attributes that are known and that no simulated card has: textures and surfaces of no size, ECC, RDMA,
/// multicast and the like.
const NONE: &[u32] = &[
    17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 34, 35, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
    55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 77, 84, 85, 86, 88, 92, 93, 94, 96,
    98, 100, 101, 104, 105, 107, 108, 109, 110, 112, 114, 116, 117, 118, 121, 122, 123, 124, 125, 128, 130, 131, 132,
    133, 134, 135, 136, 137, 138, 139, 140, 141, 143, 145, 146, 147, 150, 151, 152,
];

fn single_to_double(card: &Device) -> u64 {
    let a = card.architecture;
    u64::from(a.fp32_lanes_per_multiprocessor / a.fp64_lanes_per_multiprocessor.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_attribute_stands_twice() {
        let mut all: Vec<u32> =
            ATTRIBUTES.iter().map(|row| row.0).chain(NONE.iter().copied()).chain([PCI_BUS]).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_card_answers_its_own_numbers() {
        let card = clock::cards::find("h200").unwrap();
        assert_eq!(attribute(card, 0, 16).unwrap(), 132);
        assert_eq!(attribute(card, 0, 75).unwrap(), 9);
        assert_eq!(attribute(card, 0, 13).unwrap(), 1_980_000);
        assert!(attribute(card, 0, 9999).is_err());
    }
}
