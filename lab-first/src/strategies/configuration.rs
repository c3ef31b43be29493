//! The configuration of a launch as data.

/// The values that stand between `<<<` and `>>>` in CUDA C++, and in cudarc's `LaunchConfig`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid along x and y.
    pub grid: [usize; 2],
    /// Threads of a block along x and y.
    pub block: [usize; 2],
}
