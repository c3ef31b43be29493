//! Where NVRTC and CUDA's headers may lie, best first: the CUDA toolkit, the loader's path, Python's `nvidia` wheels, and
//! the project's own `.nvrtc/` (which `just nvrtc` fills). Looking costs some directory reads, nothing is executed.
//!
//! The environment variable `LABS_NVRTC` replaces the search: `none`, the library's file, or a folder that holds it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The place to look in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// A library's file and the folders of headers that lie beside it.
    File { library: PathBuf, includes: Vec<PathBuf> },
    /// A name to ask the loader for.
    Loader(&'static str),
}

/// Where NVRTC may be, best first. Empty with `LABS_NVRTC=none`.
pub(crate) fn places() -> Vec<Candidate> {
    match env::var_os("LABS_NVRTC") {
        Some(setting) if setting == "none" => Vec::new(),
        Some(setting) if !setting.is_empty() => vec![named(Path::new(&setting))],
        _ => {
            let mut places: Vec<Candidate> = toolkits().iter().filter_map(|root| in_root(root)).collect();
            places.extend(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].map(Candidate::Loader));
            places.extend(site_packages().iter().chain(&project()).filter_map(|root| in_root(root)));
            places
        }
    }
}

/// Folders with CUDA's headers from all the places, for an NVRTC that has none beside it.
pub(crate) fn headers() -> Vec<PathBuf> {
    let roots = toolkits().into_iter().chain(site_packages()).chain(project());
    roots.flat_map(|root| includes(&root)).collect()
}

/// CUDA's device runtime, which kernels that launch kernels are linked with on a GPU.
pub(crate) fn device_runtime() -> Option<PathBuf> {
    let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "nvidia/cu13/lib", "nvidia/cuda_runtime/lib"];
    let roots = toolkits().into_iter().chain(site_packages()).chain(project());
    let files = roots.flat_map(|root| folders.map(|folder| root.join(folder).join("libcudadevrt.a")));
    files.into_iter().find(|file| file.is_file())
}

/// The `libnvrtc-builtins` beside `library`.
pub(crate) fn builtins(library: &Path) -> Option<PathBuf> {
    shared_object(library.parent()?, "libnvrtc-builtins.so")
}

/// The place that `LABS_NVRTC` names. A wrong name is kept, so that loading it fails with that name.
fn named(path: &Path) -> Candidate {
    if path.is_dir() {
        if let Some(place) = in_root(path) {
            return place;
        }
        if let Some(library) = shared_object(path, "libnvrtc.so") {
            let includes = path.parent().map(includes).unwrap_or_default();
            return Candidate::File { library, includes };
        }
    }
    let includes = path.parent().and_then(Path::parent).map(includes).unwrap_or_default();
    Candidate::File { library: path.to_owned(), includes }
}

/// The library and its headers under `root`: a toolkit, or a folder that holds Python's `nvidia/`.
fn in_root(root: &Path) -> Option<Candidate> {
    let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"];
    let library = folders.iter().find_map(|folder| shared_object(&root.join(folder), "libnvrtc.so"))?;
    Some(Candidate::File { library, includes: includes(root) })
}

/// The folders of headers under a root, `cooperative_groups.h` and `nv/target` among them.
fn includes(root: &Path) -> Vec<PathBuf> {
    let folders = [
        "include",
        "include/cccl",
        "targets/x86_64-linux/include",
        "nvidia/cu13/include",
        "nvidia/cu13/include/cccl",
        "nvidia/cuda_runtime/include",
        "nvidia/cuda_cccl/include",
    ];
    let wanted = |folder: &PathBuf| folder.join("cooperative_groups.h").is_file() || folder.join("nv/target").is_file();
    folders.iter().map(|folder| root.join(folder)).filter(wanted).collect()
}

/// `name` or `name.12` or the like in `folder`; of several the highest version.
fn shared_object(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let versions = |path: &Path| -> Option<Vec<u32>> {
        let rest = path.file_name()?.to_str()?.strip_prefix(name)?;
        rest.split('.').skip(1).map(|number| number.parse().ok()).collect()
    };
    entries.filter_map(|path| Some((versions(&path)?, path))).max().map(|(_, path)| path)
}

fn toolkits() -> Vec<PathBuf> {
    let variables = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    variables.chain(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from)).filter(|root| root.is_dir()).collect()
}

/// Folders in which Python packages lie: of the environment in use, of each Python on the PATH, of the user, of the system.
fn site_packages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = env::split_paths(&env::var_os("PYTHONPATH").unwrap_or_default()).collect();
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let on_path = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .filter(|folder| folder.join("python3").exists())
        .filter_map(|folder| folder.parent().map(Path::to_owned))
        // pyenv puts a stand-in on the PATH; the Pythons themselves lie beside it.
        .flat_map(|prefix| [vec![prefix.clone()], children(&prefix.join("versions"))].concat())
        .collect::<Vec<_>>();
    let home = env::home_dir().map(|home| home.join(".local"));
    let system = ["/usr/local", "/usr"].map(PathBuf::from);
    for prefix in environments.chain(on_path).chain(home).chain(system) {
        for lib in ["lib", "lib64"].map(|lib| prefix.join(lib)) {
            let mut versions = children(&lib);
            versions.retain(|path| {
                path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python3"))
            });
            found.extend(
                versions.iter().flat_map(|path| ["site-packages", "dist-packages"].map(|name| path.join(name))),
            );
        }
    }
    found.retain(|path| path.join("nvidia").is_dir());
    found
}

/// The entries of `folder`, sorted; none if it is not there.
fn children(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The project's `.nvrtc`: above the crate that cargo runs, the working folder, the executable, or the place where it was built: a worker
/// has another folder and a bare environment, and the executable may lie in a target directory elsewhere.
fn project() -> Vec<PathBuf> {
    let built = Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let run = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let starts = [run, env::current_dir().ok(), env::current_exe().ok(), built];
    let mut found: Vec<PathBuf> = starts
        .into_iter()
        .flatten()
        .flat_map(|start| start.ancestors().map(|folder| folder.join(".nvrtc")).collect::<Vec<_>>())
        .filter(|folder| folder.is_dir())
        .collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(root: &Path, file: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn wheels_of_cuda_12_and_13_are_found() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        touch(root.path(), "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9");
        touch(root.path(), "nvidia/cuda_nvrtc/lib/libnvrtc.alt.so.12");
        touch(root.path(), "nvidia/cuda_runtime/include/cooperative_groups.h");
        touch(root.path(), "nvidia/cuda_cccl/include/nv/target");
        let Some(Candidate::File { library, includes }) = in_root(root.path()) else { panic!("not found") };
        assert!(library.ends_with("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
        assert!(builtins(&library).unwrap().ends_with("libnvrtc-builtins.so.12.9"));
        assert_eq!(includes.len(), 2);

        touch(root.path(), "nvidia/cu13/lib/libnvrtc.so.13");
        touch(root.path(), "nvidia/cu13/include/cooperative_groups.h");
        touch(root.path(), "nvidia/cu13/include/cccl/nv/target");
        let Some(Candidate::File { library, includes }) = in_root(root.path()) else { panic!("not found") };
        assert!(library.ends_with("nvidia/cu13/lib/libnvrtc.so.13"));
        assert_eq!(includes.len(), 4);
    }

    #[test]
    fn the_highest_version_wins_by_number_not_by_letter() {
        let root = tempfile::tempdir().unwrap();
        for name in ["libnvrtc.so.9.2", "libnvrtc.so.12", "libnvrtc.so.12.9.86", "libnvrtc.so.old"] {
            touch(root.path(), name);
        }
        assert!(shared_object(root.path(), "libnvrtc.so").unwrap().ends_with("libnvrtc.so.12.9.86"));
    }

    #[test]
    fn a_named_file_that_is_not_there_is_kept_for_the_message() {
        let place = named(Path::new("/no/such/libnvrtc.so"));
        assert_eq!(place, Candidate::File { library: "/no/such/libnvrtc.so".into(), includes: vec![] });
    }
}
