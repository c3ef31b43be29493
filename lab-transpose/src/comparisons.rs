//! The assignment's comparison, each variant over naive, and its open question: why 50 % and not 100 %.

use common::result::{Comparison, ComparisonRow, Report, Row, gain_of_time};

/// Adds every comparison for which the report has both sides, and the explanation of the shared efficiencies where there are any.
pub fn add(report: &mut Report) {
    let rows = over_naive(&report.rows);
    if !rows.is_empty() {
        report.comparisons.push(Comparison {
            title: "over naive".to_owned(),
            remark: String::new(),
            columns: vec!["kernel time".to_owned()],
            labels: ["variant", "block", "place"].map(str::to_owned).to_vec(),
            spread: Vec::new(),
            rows,
        });
    }
    if report.rows.iter().any(|row| row.number("shared_efficiency").is_some()) {
        report.notes.extend(SHARED_EFFICIENCY.map(str::to_owned));
    }
}

/// bytes asked for / (passes · width of all 32 banks), for a tile of 32×32 f32: a warp asks for 128 bytes per access, once along a row
/// and once down a column.
const SHARED_EFFICIENCY: [&str; 2] = [
    "shared efficiency, banks of 4 bytes: a tile row takes 1 pass, an unpadded column 32, all in one bank: 2·128/(33·128) = 6.06 %; \
     padded 1 + 1: 2·128/(2·128) = 100 %",
    "shared efficiency, banks of 8 bytes (Kepler): a pass carries 256 bytes and a warp asks for 128, so padded stops at 2·128/(2·256) = 50 %; \
     two rows share a bank, 16 passes: 2·128/(17·256) = 5.88 %",
];

fn over_naive(rows: &[Row]) -> Vec<ComparisonRow> {
    let is_naive = |row: &&Row| row.variant == "naive";
    let compared =
        rows.iter().filter(|row| row.figures.contains_key("place") && !is_naive(row) && row.variant != "copy");
    compared
        .filter_map(|row| {
            let alike = |naive: &&Row| {
                naive.size == row.size
                    && naive.dtype == row.dtype
                    && naive.host_memory == row.host_memory
                    && naive.figures.get("place") == row.figures.get("place")
            };
            // The same block where there is one; rungs with a shape of their own meet the first.
            let naive = rows.iter().filter(is_naive).filter(alike);
            let same_block = naive.clone().find(|naive| naive.block == row.block);
            let naive = same_block.or_else(|| naive.clone().next())?;
            let place = row.figures.get("place").and_then(|place| place.as_str()).unwrap_or_default();
            Some(ComparisonRow {
                label: vec![row.variant.clone(), row.block.clone(), place.to_owned()],
                size: row.size.clone(),
                gain_percent: vec![gain_of_time(naive.time_ms.median, row.time_ms.median)],
            })
        })
        .collect()
}
