//! The columns of a lab's main table. What every lab shows alike, rates and counters, has one heading and one explanation here.

/// A column: shown when at least one row has the value.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Heading, with the unit.
    pub heading: &'static str,
    /// As [`Row::value`](crate::result::Row::value) takes it.
    pub key: &'static str,
}

/// A column that labs share, and what it says.
struct Shared {
    column: Column,
    meaning: &'static str,
}

const fn shared(key: &'static str, heading: &'static str, meaning: &'static str) -> Shared {
    Shared { column: Column { heading, key }, meaning }
}

/// Key, heading and explanation. How each counter is defined stands in `docs/fidelity.md`.
#[rustfmt::skip]
const SHARED: &[Shared] = &[
    shared("gflops", "GFLOP/s", "10⁹ floating-point operations per second of kernel time"),
    shared("gbytes_per_s", "GB/s", "10⁹ bytes per second, of the bytes that the problem has to move at least once"),
    shared("global_load_efficiency", "load eff. %", "of the bytes that global loads moved, in sectors of 32, the share that a thread asked for"),
    shared("global_store_efficiency", "store eff. %", "of the bytes that global stores moved, in sectors of 32, the share that a thread wrote"),
    shared("shared_efficiency", "shared eff. %", "of what the banks of shared memory could have carried, the share that was asked for; one word for a whole warp is little of it, without any conflict"),
    shared("shared_conflicts", "conflicts", "passes over shared memory beyond the fewest possible, because lanes of a warp wanted different words of one bank"),
    shared("theoretical_occupancy", "occupancy %", "warps that a multiprocessor can hold of this kernel at once, of the most that it has room for"),
    shared("atomics", "atomics", "atomic accesses of warps"),
    shared("atomic_conflicts", "serialised", "lanes whose atomic operation waited for another lane of their warp at the same address"),
];

impl Column {
    /// The shared column of this key. A key that the table lacks does not compile where the column is a constant.
    pub const fn shared(key: &str) -> Self {
        let mut index = 0;
        while index < SHARED.len() {
            if same(SHARED[index].column.key, key) {
                return SHARED[index].column;
            }
            index += 1;
        }
        panic!("no shared column has this key: add a line to SHARED in common/src/report/columns.rs")
    }

    /// What the column says, in words, if it is one that labs share.
    pub fn meaning(&self) -> Option<&'static str> {
        SHARED.iter().find(|shared| shared.column.key == self.key).map(|shared| shared.meaning)
    }
}

/// Equality of strings, in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_column_has_one_heading_and_one_explanation() {
        for (index, shared) in SHARED.iter().enumerate() {
            let Column { heading, key } = shared.column;
            let others = SHARED[..index].iter().map(|other| other.column);
            assert!(others.clone().all(|other| other.key != key && other.heading != heading), "{key} {heading}");
            assert_eq!(Column::shared(key).meaning(), Some(shared.meaning));
        }
        assert_eq!(Column { heading: "place", key: "place" }.meaning(), None);
    }
}
