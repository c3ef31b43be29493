//! How much of a submission is looked at.

/// Limits of a submission. Each is told with its number where it is reached.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Bytes of an archive, unpacked, that are looked at.
    pub bytes: u64,
    /// Entries; a whole hand-out has some thousands, one with what Cargo built some ten thousands.
    pub entries: usize,
    /// Bytes of a name: Linux opens no longer one.
    pub name: u64,
    /// Bytes of a listed file: the largest that an exercise needs, a hundred times over.
    pub file: u64,
    /// Bytes of all listed files together.
    pub files: usize,
    /// Folders that hold listed files.
    pub roots: usize,
    /// Bytes of an archive within an archive, which is read into memory; four times as many of all of them.
    pub inner: u64,
}

/// The limits of every submission.
pub const MOST: Most =
    Most { bytes: 1 << 30, entries: 200_000, name: 4096, file: 1 << 20, files: 16 << 20, roots: 100, inner: 64 << 20 };
/// Bytes of the reason for a refusal, and of one note.
pub const LONGEST_WHY: usize = 2048;
