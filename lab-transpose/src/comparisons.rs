//! The assignment's comparison, each variant over naive, and its open question: why 50 % and not 100 %.

use common::result::figures::Figure;
use common::result::{Comparison, ComparisonRow, Note, Report, Row, distinct};

/// Where the result goes, as `--place` takes it.
pub const PLACE: Figure<String> = Figure::new("place");

/// Adds every comparison for which the report has both sides, and the explanation of the shared efficiencies where there are any.
pub fn add(report: &mut Report) {
    let labels = ["variant", "block", "place"];
    let comparison = Comparison::of_times(
        "over naive",
        &labels,
        &report.rows,
        |row| naive_of(row, &report.rows),
        |row| vec![row.variant.clone(), row.block.clone(), place(row).unwrap_or_default().to_owned()],
    );
    report.notes.extend(comparison.as_ref().and_then(cache_note).map(Note::from));
    report.comparisons.extend(comparison);
    if report.rows.iter().any(|row| row.number("shared_efficiency").is_some()) {
        report.notes.extend(SHARED_EFFICIENCY.map(Note::from));
    }
}

/// Why the tiles with bank conflicts lose to the rung without a tile, where they do.
fn cache_note(comparison: &Comparison) -> Option<String> {
    let loses = |row: &&ComparisonRow| row.gain_percent.iter().flatten().any(|&gain| gain < 0.0);
    let tiles = comparison.rows.iter().filter(|row| row.label[0].starts_with("shared_"));
    let sizes = distinct(tiles.filter(loses).map(|row| row.size.to_string()));
    (!sizes.is_empty()).then(|| {
        format!(
            "tiles with bank conflicts are slower than `naive` at n = {}: there the L2 cache takes the columns that `naive` writes, and a column \
             of such a tile takes many passes over one bank; where the matrices do not fit in L2, whole sectors count more",
            sizes.join(", ")
        )
    })
}

/// bytes asked for / (passes · width of all 32 banks), for a tile of 32×32 f32: a warp asks for 128 bytes per access, once along a row
/// and once down a column.
const SHARED_EFFICIENCY: [&str; 2] = [
    "shared efficiency, banks of 4 bytes: a tile row takes 1 pass, an unpadded column 32, all in one bank: 2·128/(33·128) = 6.06 %; \
     padded 1 + 1: 2·128/(2·128) = 100 %",
    "shared efficiency, banks of 8 bytes (Kepler): a pass carries 256 bytes and a warp asks for 128, so padded stops at 2·128/(2·256) = 50 %; \
     two rows share a bank, 16 passes: 2·128/(17·256) = 5.88 %",
];

fn place(row: &Row) -> Option<String> {
    row.get(&PLACE)
}

/// The naive row that a row is compared with: the same block where there is one; rungs with a shape of their own meet the first.
fn naive_of<'r>(row: &Row, rows: &'r [Row]) -> Option<&'r Row> {
    if place(row).is_none() || ["naive", "copy"].contains(&row.variant.as_str()) {
        return None;
    }
    let alike = |naive: &&Row| {
        naive.variant == "naive"
            && naive.size == row.size
            && naive.dtype == row.dtype
            && naive.host_memory == row.host_memory
            && place(naive) == place(row)
    };
    let naive = rows.iter().filter(alike);
    let same_block = naive.clone().find(|naive| naive.block == row.block);
    same_block.or_else(|| naive.clone().next())
}
