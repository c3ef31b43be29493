//! The rows: every pattern, then rungs of the labs at sizes that fill and that do not fill their tiles.

use kernels::Source;
use std::borrow::Cow;

const PATTERNS: &str = include_str!("../../../kernels/patterns.cu");

/// One launch.
pub struct Row {
    /// The kernel's name in the table.
    pub name: String,
    pub source: Source,
    pub symbol: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub arguments: Arguments,
}

/// The arguments after `(out, in` in a kernel's parameters.
pub enum Arguments {
    Pattern,
    /// `b, m, n, k`
    Gemm {
        m: i32,
        n: i32,
        k: i32,
    },
    /// `x, m, n`
    Gemv {
        m: i32,
        n: i32,
    },
    /// `m, n`
    Transpose {
        m: i32,
        n: i32,
    },
}

/// All rows in the order of their launches.
pub fn rows() -> anyhow::Result<Vec<Row>> {
    let mut rows = patterns();
    for n in [64, 100] {
        gemm(&mut rows, n)?;
        transpose(&mut rows, n)?;
        gemv(&mut rows, n)?;
    }
    Ok(rows)
}

fn patterns() -> Vec<Row> {
    let source = Source {
        lab: "fidelity",
        name: "patterns",
        path: "simulator/calibration/kernels/patterns.cu",
        text: Cow::Borrowed(PATTERNS),
    };
    let names = PATTERNS.lines().filter_map(|line| {
        let by_macro = ["GLOBAL(", "STORE(", "ATOMIC(", "SHARED("].iter().find_map(|head| line.strip_prefix(head));
        let name = by_macro.and_then(|rest| rest.split(',').next()).or_else(|| {
            let rest = line.strip_prefix("extern \"C\" __global__ void ")?;
            rest.split('(').next()
        })?;
        Some(name.to_owned())
    });
    let row = |name: String| Row {
        grid: [if name.starts_with("shared") { 1 } else { 4 }, 1, 1],
        block: [256, 1, 1],
        dynamic_shared_bytes: 0,
        arguments: Arguments::Pattern,
        source: source.clone(),
        symbol: name.clone(),
        name,
    };
    names.map(row).collect()
}

fn tiles(n: u32, edge: u32) -> u32 {
    n.div_ceil(edge)
}

fn gemm(rows: &mut Vec<Row>, n: u32) -> anyhow::Result<()> {
    // Columns and rows of a block's tile in units of its edge.
    for (rung, wide, high) in
        [("one_block", 0, 0), ("naive", 1, 1), ("shared", 1, 1), ("shared_2", 2, 1), ("shared_4", 2, 2)]
    {
        for edge in [8, 16, 32] {
            let symbol = match rung {
                "one_block" | "naive" => format!("{rung}_f32"),
                _ => format!("{rung}_f32_{edge}"),
            };
            let grid = if wide == 0 { [1, 1, 1] } else { [tiles(n, wide * edge), tiles(n, high * edge), 1] };
            let n = i32::try_from(n)?;
            rows.push(Row {
                name: format!("gemm {rung} n={n} block {edge}×{edge}"),
                source: kernels::source("gemm", rung)?,
                symbol,
                grid,
                block: [edge, edge, 1],
                dynamic_shared_bytes: 0,
                arguments: Arguments::Gemm { m: n, n, k: n },
            });
        }
    }
    Ok(())
}

fn transpose(rows: &mut Vec<Row>, n: u32) -> anyhow::Result<()> {
    for (rung, edge, block, suffix) in [
        ("naive", 32, [32, 32, 1], ""),
        ("shared_dynamic", 32, [32, 32, 1], ""),
        ("shared_static", 32, [32, 32, 1], "_32"),
        ("padded", 32, [32, 32, 1], "_32"),
        ("swizzled", 32, [32, 32, 1], "_32"),
        ("coarsened", 32, [32, 8, 1], ""),
        ("vectorised", 64, [16, 16, 1], ""),
    ] {
        let extent = i32::try_from(n)?;
        rows.push(Row {
            name: format!("transpose {rung} n={n}"),
            source: kernels::source("transpose", rung)?,
            symbol: format!("{rung}_f32{suffix}"),
            grid: [tiles(n, edge), tiles(n, edge), 1],
            block,
            dynamic_shared_bytes: if rung == "shared_dynamic" { 32 * 32 * 4 } else { 0 },
            arguments: Arguments::Transpose { m: extent, n: extent },
        });
    }
    Ok(())
}

fn gemv(rows: &mut Vec<Row>, n: u32) -> anyhow::Result<()> {
    let extent = i32::try_from(n)?;
    for (rung, symbol, rows_per_block) in [("shuffle", "shuffle_f32", 4), ("vectorised", "vectorised_f32_2", 8)] {
        rows.push(Row {
            name: format!("gemv {rung} n={n}"),
            source: kernels::source("gemv", rung)?,
            symbol: symbol.to_owned(),
            grid: [tiles(n, rows_per_block), 1, 1],
            block: [32, 4, 1],
            dynamic_shared_bytes: 0,
            arguments: Arguments::Gemv { m: extent, n: extent },
        });
    }
    Ok(())
}
