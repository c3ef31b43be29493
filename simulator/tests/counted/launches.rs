//! The launches of `launches.txt`.
use std::path::{Path, PathBuf};

/// Bytes of a buffer argument.
pub const BUFFER_BYTES: u64 = 16 << 20;

/// One launch.
pub struct Row {
    pub name: String,
    /// From the workspace's root.
    pub ptx: String,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// `None`: a buffer.
    pub arguments: Vec<Option<i32>>,
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_path_buf()
}

/// All launches, in the order of the file.
pub fn rows() -> Vec<Row> {
    let lines = include_str!("launches.txt").lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [name, ptx, kernel, grid, block, arguments] = cells[..] else { panic!("launches.txt: {line}") };
            let edges = |text: &str| {
                let mut edges = [1; 3];
                text.split_whitespace().zip(&mut edges).for_each(|(n, edge)| *edge = n.parse().expect("a number"));
                edges
            };
            Row {
                name: name.into(),
                ptx: ptx.into(),
                kernel: kernel.into(),
                grid: edges(grid),
                block: edges(block),
                arguments: arguments
                    .split_whitespace()
                    .map(|word| (word != "@").then(|| word.parse().expect("a number or @")))
                    .collect(),
            }
        })
        .collect()
}
