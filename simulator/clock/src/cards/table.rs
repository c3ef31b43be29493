//! The cards of `cards.md`, the page beside this file: **a new card goes there.**
use super::fields::Device;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The card of those who ask for none: a common student card.
pub const DEFAULT: &str = "rtx4060";

/// Every card, the default first.
pub static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    let architectures = columns("## Architectures");
    let card = |(key, mut row): (&str, Map<String, Value>)| {
        let of = architectures.iter().find(|(name, _)| row["architecture"] == *name);
        let (_, architecture) = of.unwrap_or_else(|| panic!("cards.md: {key}: no such architecture"));
        row.insert("key".into(), key.into());
        row.insert("architecture".into(), architecture.clone().into());
        serde_json::from_value(row.into()).unwrap_or_else(|error| panic!("cards.md: {key}: {error}"))
    };
    columns("## Cards").into_iter().map(card).collect()
});

/// The columns of the table under a heading: each one's name, and its value of every field.
fn columns(heading: &str) -> Vec<(&'static str, Map<String, Value>)> {
    let (_, section) = include_str!("cards.md").split_once(heading).expect("a heading of cards.md");
    let lines = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let mut lines = lines.map(|line| line.trim_matches('|').split('|').map(str::trim));
    let names = lines.next().expect("a line of names").skip(1);
    let mut columns: Vec<_> = names.map(|name| (name, Map::new())).collect();
    for mut cells in lines.skip(1) {
        let field = cells.next().expect("a field").trim_matches('`');
        columns.iter_mut().zip(cells).for_each(|((_, row), cell)| drop(row.insert(field.into(), value(field, cell))));
    }
    columns
}

/// The value of a cell, without its source.
fn value(field: &str, cell: &'static str) -> Value {
    let text = cell.split_once(" [").map_or(cell, |(text, _)| text);
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let shift = ["", "KiB", "MiB", "GiB"].iter().position(|known| *known == unit);
    let whole = number.parse::<u64>().ok().zip(shift).map(|(number, power)| number << (10 * power));
    match (field, whole) {
        ("name" | "architecture", _) => text.into(),
        ("compute_capability", _) => text.split('.').map(|part| json!(part.parse::<u32>().ok())).collect(),
        (_, Some(whole)) => whole.into(),
        _ => text.parse().map_or_else(|_| json!(text.parse::<bool>().ok()), |number: f64| number.into()),
    }
}

/// Finds a card by its key; case, spaces and dashes do not matter.
pub fn find(key: &str) -> Option<&'static Device> {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = plain(key);
    DEVICES.iter().find(|device| plain(device.key) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_found_by_its_key_and_no_key_twice() {
        for (i, device) in DEVICES.iter().enumerate() {
            assert!(std::ptr::eq(find(device.key).unwrap(), device));
            assert!(DEVICES[i + 1..].iter().all(|other| other.key != device.key));
        }
        assert_eq!(find("RTX 4060").unwrap().key, DEFAULT);
        assert!(find("voodoo2").is_none());
    }

    #[test]
    fn numbers_of_one_row_agree() {
        for d in DEVICES.iter() {
            // A data sheet's bandwidth is two transfers per memory clock over the whole bus.
            let from_clock = 2.0 * d.memory_clock_hz * f64::from(d.memory_bus_bits) / 8.0;
            assert!((from_clock / d.memory_peak_bytes_per_s - 1.0).abs() < 0.03, "{}: {from_clock:e}", d.key);
            assert!(d.memory_bytes_per_s < d.memory_peak_bytes_per_s, "{}", d.key);
            assert!(d.pinned_both_ways_bytes_per_s <= 2.0 * d.pinned_bytes_per_s, "{}", d.key);
            assert!(d.pageable_to_device_bytes_per_s < d.pinned_bytes_per_s, "{}", d.key);
            let a = d.architecture;
            assert!(a.shared_bytes_per_block <= a.shared_bytes_per_block_opt_in);
            assert!(
                a.shared_bytes_per_block_opt_in + a.shared_bytes_reserved_per_block
                    <= a.shared_bytes_per_multiprocessor
            );
        }
    }
}
