//! Which blocks of a large grid are run for all of them.
//!
//! Two things are wanted of the choice. Caches and memory are shared by the blocks that a card holds at once, so *whole waves* of
//! them are run: the first and others at places that a seed picks. And blocks at the edges of a grid do other work than those inside: so the grid
//! is divided into *strata*, by first, inner and last on each axis, and of each some blocks are run. A stratum counts as often as it
//! has blocks. Units are clusters, which are single blocks where a launch has no clusters.
use std::collections::{BTreeMap, BTreeSet};

/// Each stratum gives at least so many units, or all that it has.
const LEAST_OF_A_STRATUM: u64 = 4;
/// Units at places of their own, beside those of the waves: they tell whether all places are alike.
const SPREAD: u64 = 16;

/// Units of one stratum, which are run together.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Their numbers in the grid, x first, ascending.
    pub units: Vec<u64>,
    /// How many units of the grid each of them stands for.
    pub weight: f64,
    pub stratum: u32,
    /// True if they belong to the waves, which caches and memory are followed through.
    pub in_waves: bool,
}

/// The parts that are run for a whole grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The first part has one unit.
    pub parts: Vec<Part>,
    /// Units of the grid, of all parts, and of those of the waves.
    pub of: u64,
    pub chosen: u64,
    pub in_waves: u64,
}

/// Chooses of a grid of so many units on each axis, of which the card holds `resident` at once; `None`: more than half of it would be run. `together`: the
/// first waves are run, because what they do to each other matters.
pub fn choose(grid: [u64; 3], resident: u64, waves: u64, seed: u64, together: bool) -> Option<Choice> {
    let of: u64 = grid.iter().product();
    let resident = resident.max(1);
    let full_waves = of / resident;
    if full_waves < 2 * waves || of < 2 {
        return None;
    }
    let mut draws = Draws(seed);
    let mut at = BTreeSet::from([0]);
    while (at.len() as u64) < waves {
        at.insert(if together { at.len() as u64 } else { draws.below(full_waves) });
    }
    let of_waves: BTreeSet<u64> = at.iter().flat_map(|wave| wave * resident..(wave + 1) * resident).collect();
    let mut chosen = of_waves.clone();
    let strata = strata(grid);
    let mut found: BTreeMap<u32, u64> = BTreeMap::new();
    of_waves.iter().for_each(|&unit| *found.entry(stratum(grid, unit)).or_default() += 1);
    let largest = strata.iter().max_by_key(|(_, members)| **members).map(|(&stratum, _)| stratum);
    for (&name, &members) in &strata {
        let has = found.entry(name).or_default();
        let spread = if Some(name) == largest { *has + SPREAD } else { 0 };
        let wanted = spread.max(LEAST_OF_A_STRATUM).min(members);
        while *has < wanted {
            *has += u64::from(chosen.insert(member(grid, name, &mut draws)));
        }
    }
    if chosen.len() as u64 * 2 > of {
        return None;
    }
    let mut parts: BTreeMap<(u32, bool), Vec<u64>> = BTreeMap::new();
    for &unit in &chosen {
        parts.entry((stratum(grid, unit), of_waves.contains(&unit))).or_default().push(unit);
    }
    let weight = |name: u32| strata[&name] as f64 / found[&name] as f64;
    let mut parts: Vec<Part> = parts
        .into_iter()
        .map(|((name, in_waves), units)| Part { units, weight: weight(name), stratum: name, in_waves })
        .collect();
    // The inner blocks first: what the first unit does is what the others are expected to do.
    parts.sort_by_key(|part| (Some(part.stratum) != largest, !part.in_waves));
    let rest = parts[0].units.split_off(1);
    if !rest.is_empty() {
        let rest = Part { units: rest, ..parts[0] };
        parts.insert(1, rest);
    }
    Some(Choice { parts, of, chosen: chosen.len() as u64, in_waves: of_waves.len() as u64 })
}

/// 0, 1 and 2 for the first, the inner and the last on each axis, as one number.
fn stratum(grid: [u64; 3], unit: u64) -> u32 {
    let at = [unit % grid[0], unit / grid[0] % grid[1], unit / grid[0] / grid[1]];
    let class = |axis: usize| match at[axis] {
        0 => 0,
        last if last + 1 == grid[axis] => 2,
        _ => 1,
    };
    class(0) + 3 * class(1) + 9 * class(2)
}

/// The strata that a grid has, and how many units each.
fn strata(grid: [u64; 3]) -> BTreeMap<u32, u64> {
    let members = |extent: u64, class: u32| match class {
        0 => 1,
        1 => extent.saturating_sub(2),
        _ => u64::from(extent > 1),
    };
    let all = (0..27u32).map(|name| {
        let classes = [name % 3, name / 3 % 3, name / 9];
        (name, (0..3).map(|axis| members(grid[axis], classes[axis])).product::<u64>())
    });
    all.filter(|&(_, members)| members > 0).collect()
}

/// Any unit of a stratum.
fn member(grid: [u64; 3], name: u32, draws: &mut Draws) -> u64 {
    let classes = [name % 3, name / 3 % 3, name / 9];
    let [x, y, z] = std::array::from_fn(|axis| match classes[axis] {
        0 => 0,
        1 => 1 + draws.below(grid[axis] - 2),
        _ => grid[axis] - 1,
    });
    x + grid[0] * (y + grid[1] * z)
}

/// Numbers that follow from a seed (SplitMix64, Steele et al. 2014).
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(most)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_a_choice_add_up_to_the_grid() {
        for grid in [[512, 512, 1], [100_000, 1, 1], [17, 33, 5], [2, 400, 1], [1, 1, 700]] {
            let choice = choose(grid, 24, 2, 1, false).expect("large enough");
            let weights: f64 = choice.parts.iter().map(|part| part.weight * part.units.len() as f64).sum();
            assert!((weights / choice.of as f64 - 1.0).abs() < 1e-9, "{grid:?}: {weights} of {}", choice.of);
            let mut units: Vec<u64> = choice.parts.iter().flat_map(|part| part.units.clone()).collect();
            units.sort_unstable();
            assert!(units.windows(2).all(|pair| pair[0] < pair[1]), "each unit once");
            assert_eq!(units.len() as u64, choice.chosen);
            assert!((0..24).all(|unit| units.binary_search(&unit).is_ok()), "the first wave is whole");
            assert_eq!(units.last(), Some(&(choice.of - 1)), "the last block is run");
            assert_eq!(choice.parts[0].units.len(), 1);
        }
    }

    #[test]
    fn every_stratum_of_a_grid_is_run() {
        let choice = choose([512, 512, 1], 24, 2, 7, false).expect("large enough");
        let run: BTreeSet<u32> = choice.parts.iter().map(|part| part.stratum).collect();
        assert_eq!(run, strata([512, 512, 1]).into_keys().collect());
        assert_eq!(run.len(), 9);
        assert!(choice.chosen < 120, "{}", choice.chosen);
    }

    #[test]
    fn a_seed_gives_one_choice_and_another_seed_another() {
        let of_seed = |seed| choose([512, 512, 1], 24, 2, seed, false);
        assert_eq!(of_seed(3), of_seed(3));
        assert_ne!(of_seed(3), of_seed(4));
    }

    #[test]
    fn a_grid_of_few_waves_is_run_in_full() {
        assert_eq!(choose([8, 8, 1], 24, 2, 1, false), None);
        assert_eq!(choose([1, 1, 1], 24, 2, 1, false), None);
    }
}
