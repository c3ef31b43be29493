//! The checkout whose kernels a program takes. Where there is one, kernels are read from its files at run time: an edit needs no Rust
//! build, and no verdict is about an older text. A program that was installed away from every checkout uses its own.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The workspace's root: the one in which one stands, since that is the text that one sees; else where the program was built; else above
/// the program. `None` where none of them holds the kernels.
pub fn checkout() -> Option<&'static Path> {
    FOUND.as_ref().map(|found| found.root.as_path())
}

/// The checkout that [`checkout`] found, if one does not stand in it: whoever reads a verdict wants to know whose kernels it is about.
pub fn checkout_elsewhere() -> Option<&'static Path> {
    FOUND.as_ref().filter(|found| !found.is_here).map(|found| found.root.as_path())
}

/// A workspace's root.
#[derive(Debug, PartialEq)]
struct Found {
    root: PathBuf,
    /// True if one stands in it.
    is_here: bool,
}

static FOUND: LazyLock<Option<Found>> = LazyLock::new(|| {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    choose(&env::current_dir().unwrap_or_default(), built, &env::current_exe().unwrap_or_default())
});

fn choose(here: &Path, built: Option<&Path>, program: &Path) -> Option<Found> {
    let elsewhere = || find(built.into_iter().chain(program.ancestors().skip(1)));
    let root = find(here.ancestors()).or_else(elsewhere)?;
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_here = canonical(here).starts_with(canonical(&root));
    Some(Found { root, is_here })
}

fn find<'a>(mut folders: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    // A hand-out has no crate of kernels, and may have one lab alone.
    let holds_kernels = |folder: &&Path| {
        let all = |names: [&str; 2]| names.iter().all(|name| folder.join(name).exists());
        all(["kernels/Cargo.toml", "kernels/gemm"]) || all(["kernels", "course/course.toml"])
    };
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

    #[test]
    fn where_one_stands_comes_before_where_the_program_lies() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        for root in [&a, &b] {
            std::fs::create_dir_all(root.join("kernels/gemm")).unwrap();
            std::fs::write(root.join("kernels/Cargo.toml"), "").unwrap();
        }
        let found = |here: &Path, built: Option<&Path>, program: &Path| choose(here, built, program);
        let program = a.join("target/release/lab");
        let is = |root: &Path, is_here| Some(Found { root: root.to_owned(), is_here });
        assert_eq!(found(&b.join("kernels/gemm"), Some(&a), &program), is(&b, true));
        assert_eq!(found(folder.path(), Some(&b), &program), is(&b, false));
        assert_eq!(found(folder.path(), None, &program), is(&a, false));
        assert_eq!(found(folder.path(), None, Path::new("/usr/bin/lab")), None);
        // A hand-out of a lab alone.
        std::fs::remove_file(a.join("kernels/Cargo.toml")).unwrap();
        assert_eq!(found(&a, None, Path::new("/usr/bin/lab")), None);
        std::fs::create_dir(a.join("course")).unwrap();
        std::fs::write(a.join("course/course.toml"), "").unwrap();
        assert_eq!(found(&a, None, Path::new("/usr/bin/lab")), is(&a, true));
    }
}
