//! The checkout that a program belongs to. Where there is one, kernels are read from its files at run time: an edit needs no Rust
//! build, and no verdict is about an older text. A program that was installed away from its checkout uses its own.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The workspace's root: above the program, or else where the program was built; `None` where neither holds the kernels.
pub fn checkout() -> Option<&'static Path> {
    static ROOT: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let program = env::current_exe().unwrap_or_default();
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1);
        find(program.ancestors().skip(1).chain(built))
    });
    ROOT.as_deref()
}

fn find<'a>(mut folders: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    let holds_kernels =
        |folder: &&Path| ["Cargo.toml", "gemm"].iter().all(|name| folder.join("kernels").join(name).exists());
    folders.find(holds_kernels).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_checkout_is_found_and_another_folder_is_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(find([Path::new("/nowhere"), root].into_iter()).as_deref(), Some(root));
        assert_eq!(find(Path::new("/nowhere/bin/lab").ancestors()), None);
    }
}
