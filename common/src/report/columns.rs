//! The columns of a lab's main table. What every lab shows alike, rates and counters, has one heading and one explanation here.

/// A column: shown when at least one row has the value.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Heading, with the unit.
    pub heading: &'static str,
    /// As [`Row::value`](crate::result::Row::value) takes it.
    pub key: &'static str,
    /// Its meaning, for a reader who meets it for the first time; empty where the heading says it all.
    pub meaning: &'static str,
    /// Where it is shown.
    pub role: Role,
}

/// Where a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In the usual table, as far as there is room: a lab lists first what answers its question.
    Answer,
    /// As [`Role::Answer`], and once more block by block where several were tried.
    ByBlock,
    /// With `--wide`.
    Detail,
    /// As [`Role::Answer`]; of rows that differ only here, the usual table has the fastest.
    Choice,
}

/// Key, heading and explanation of what labs share. How each counter is defined stands in `docs/simulator/counters.md`.
#[rustfmt::skip]
pub const SHARED: &[Column] = &[
    Column::new("gflops", "GFLOP/s", "10⁹ floating-point operations per second of kernel time"),
    Column::new("gbytes_per_s", "GB/s", "10⁹ bytes per second, counting the bytes that the problem has to move at least once"),
    Column::new("cublas_percent", "of cuBLAS %", "the rate as a share of cuBLAS's rate on the same problem"),
    Column::new("peak_percent", "of peak %", "the rate as a share of the card's arithmetic peak"),
    Column::new("launched_by", "by", "the faster way to launch a series: one by one on a stream, or as nodes of a graph"),
    Column::new("shared_bytes", "shared B", "static shared memory of a block, in bytes"),
    Column::new("global_load_efficiency", "load eff. %", "bytes that threads asked for, as a share of the bytes that global loads moved; loads move whole sectors of 32 bytes"),
    Column::new("global_store_efficiency", "store eff. %", "bytes that threads wrote, as a share of the bytes that global stores moved; stores move whole sectors of 32 bytes"),
    Column::new("shared_efficiency", "shared eff. %", "bytes that were asked for, as a share of the bytes that the banks of shared memory could have carried; a word for a whole warp (a broadcast) uses little of it, without a conflict"),
    Column::new("shared_conflicts", "conflicts", "wavefronts of shared memory beyond the fewest possible, because lanes of a warp wanted different words of one bank"),
    Column::new("theoretical_occupancy", "occupancy %", "warps of this kernel that a multiprocessor can hold at once, as a share of the most that it has room for"),
    Column::new("achieved_occupancy", "achieved occ. %", "warps that a multiprocessor holds on average while it holds any, as the same share; it is less than the occupancy where blocks are few or do not fill the last round"),
    Column::new("multiprocessor_activity", "activity %", "time in which a multiprocessor holds warps, as a share of the kernel's time, on average over all; it is small where there are fewer blocks than multiprocessors"),
    Column::new("eligible_warps", "eligible warps", "warps of a scheduler that could issue their next instruction, on average over the clocks; a scheduler needs one in every clock"),
    Column::new("requested_load_gbytes_per_s", "loads asked GB/s", "10⁹ bytes per second that threads asked of global memory; caches answer a part of them"),
    Column::new("load_gbytes_per_s", "loads moved GB/s", "10⁹ bytes per second that global loads moved in whole sectors of 32 bytes, asked for or not"),
    Column::new("requested_store_gbytes_per_s", "stores asked GB/s", "10⁹ bytes per second that threads wrote to global memory"),
    Column::new("store_gbytes_per_s", "stores moved GB/s", "10⁹ bytes per second that global stores moved in whole sectors of 32 bytes"),
    Column::new("l1_hit_rate", "L1 hits %", "share of the sectors of global loads that the multiprocessor's L1 cache had"),
    Column::new("l2_hit_rate", "L2 hits %", "share of the sectors asked of the L2 cache that it had"),
    Column::new("throughput_issue", "issue of peak %", "instructions issued, as a share of one from each scheduler in every clock"),
    Column::new("throughput_fp32", "fp32 of peak %", "work of the single-precision units, as a share of the most that all of them could do"),
    Column::new("throughput_fp64", "fp64 of peak %", "work of the double-precision units, as a share of the most that all of them could do"),
    Column::new("throughput_fp16", "fp16 of peak %", "work of the half-precision units, as a share of the most that all of them could do"),
    Column::new("throughput_integer", "integer of peak %", "work of the integer units, as a share of the most that all of them could do"),
    Column::new("throughput_special", "special of peak %", "work of the units for square roots, sines and the like, as a share of the most that all of them could do"),
    Column::new("throughput_tensor", "tensor of peak %", "work of the tensor cores, as a share of the most that all of them could do"),
    Column::new("throughput_l1", "L1 of peak %", "work of the L1 caches and load/store units, as a share of the most that all of them could do"),
    Column::new("throughput_shared", "shared of peak %", "wavefronts of shared memory, as a share of the most that the load/store units allow"),
    Column::new("throughput_l2", "L2 of peak %", "bytes that L2 handed over, as a share of the most that it could"),
    Column::new("throughput_memory", "memory of peak %", "bytes that the card's memory moved, as a share of the most that it could"),
    Column::new("atomics", "atomics", "atomic accesses of warps"),
    Column::new("atomic_conflicts", "serialised", "lanes whose atomic operation waited for another lane of their warp at the same address"),
];

impl Column {
    /// A lab's own column, in the usual table.
    pub const fn new(key: &'static str, heading: &'static str, meaning: &'static str) -> Self {
        Column { heading, key, meaning, role: Role::Answer }
    }

    /// The shared column of this key. A key that the table lacks does not compile where the column is a constant.
    pub const fn shared(key: &str) -> Self {
        let mut index = 0;
        while index < SHARED.len() {
            if same(SHARED[index].key, key) {
                return SHARED[index];
            }
            index += 1;
        }
        panic!("no shared column has this key: add a line to SHARED in common/src/report/columns.rs")
    }

    /// The same column with another role.
    pub const fn role(self, role: Role) -> Self {
        Column { role, ..self }
    }

    /// With `--wide` only.
    pub const fn detail(self) -> Self {
        self.role(Role::Detail)
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
            let Column { heading, key, meaning, .. } = *shared;
            let mut others = SHARED[..index].iter();
            assert!(others.all(|other| other.key != key && other.heading != heading), "{key} {heading}");
            assert_eq!((Column::shared(key).meaning, meaning.is_empty()), (meaning, false));
        }
    }

    /// Lines of the page are shaded by some of them.
    #[test]
    fn a_counter_of_lines_that_is_a_column_too_is_called_and_explained_alike() {
        let counters: Vec<serde_json::Value> = serde_json::from_str(views::page::LINE_COUNTERS).expect("a list");
        let both = counters.iter().filter_map(|counter| {
            let column = SHARED.iter().find(|column| counter["key"] == column.key)?;
            assert!(counter["heading"] == column.heading && counter["meaning"] == column.meaning, "{counter}");
            Some(())
        });
        assert!(both.count() > 1);
    }
}
