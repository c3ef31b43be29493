//! The page of a run, opened in a browser: common/tests/browser/mod.rs.

#[path = "../../common/tests/browser/mod.rs"]
mod browser;

use common::testing::Program;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-transpose"));

/// A column of a tile of 32 × 32 lies in one bank; padding or a swizzle spreads it over all.
#[test]
fn a_column_takes_as_many_wavefronts_as_the_tile_lets_it() {
    let variants = "shared_static,padded,swizzled";
    let arguments = ["--device", "sim:rtx4060", "--size", "64", "--variant", variants, "--place", "out"];
    browser::check_page(LAB, "transpose", &arguments, |_, report| {
        let most = |variant: &str| {
            let rows = report["rows"].as_array().expect("rows").iter();
            let lines =
                rows.filter(|row| row["variant"] == variant).filter_map(|row| row["lines"].as_array()).flatten();
            let accesses = lines.filter_map(|line| line["accesses"].as_array()).flatten();
            let shared = accesses.filter(|access| access["space"] == "shared");
            shared.filter_map(|access| access["count"].as_u64()).max()
        };
        assert_eq!(["shared_static", "padded", "swizzled"].map(most), [Some(32), Some(1), Some(1)]);
    });
}
