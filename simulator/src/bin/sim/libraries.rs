//! Where the libraries lie that a command under `sim` gets in place of NVIDIA's, and the folder of links that leads to them.
use crate::carried;
use std::path::{Path, PathBuf};

/// A file, mostly a library's, and the names under which programs ask for it. The last ones stand in front of compilers: the auditor
/// opens them beside itself, by their own names.
const LIBRARIES: [(&str, &[&str]); 12] = include!("libraries.txt");
const AUDITOR: &str = "libfront_audit.so";

/// The paths that the loader is told.
pub struct Links {
    /// A folder where CUDA's names lead to the libraries.
    pub folder: PathBuf,
    /// The loader's auditor, which opens the fronts.
    pub auditor: Option<PathBuf>,
}

/// Makes the links. Of the libraries the driver must be there; where others were not built, programs get what else the loader
/// finds.
///
/// # Errors
/// No driver, or no place for links.
pub fn links() -> Result<Links, String> {
    let folder = folder_of_links()?;
    let auditor = Some(folder.join(AUDITOR)).filter(|path| path.exists());
    Ok(Links { folder, auditor })
}

fn folder_of_links() -> Result<PathBuf, String> {
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let program = program.map_err(|error| format!("the path of this program is unknown: {error}"))?;
    let mut folders = folders(program.parent().unwrap_or(Path::new(".")));
    if let Some(cache) = own_folder() {
        let carried = carried::unpacked(&program, &cache).map_err(|error| format!("{}: {error}", cache.display()))?;
        folders.splice(0..0, carried);
    }
    let find = |file: &str| folders.iter().map(|folder| folder.join(file)).find(|path| path.exists());
    let mut found = LIBRARIES.iter().filter_map(|(file, names)| Some((find(file)?, *names))).collect::<Vec<_>>();
    let Some(driver) = find(LIBRARIES[0].0) else {
        let looked: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(format!(
            "{} is not there; looked in {}\n  next: install `sim` again, as it was installed",
            LIBRARIES[0].0,
            looked.join(", ")
        ));
    };
    // In nvcc's place (`compiler.rs`), and in that of Triton's and XLA's assemblers (`ptxas.rs`).
    found.push((program.clone(), &["bin/nvcc", "triton/ptxas", "triton/ptxas-blackwell", "xla/bin/ptxas"]));
    // Beside the driver, so that each build has its own; where that folder is not the user's to write, in the user's own.
    let beside = driver.parent().unwrap_or(Path::new(".")).join("libcuda");
    let put = |folder: &Path| {
        found.iter().flat_map(|(library, names)| names.iter().map(move |name| (library, name))).try_for_each(
            |(library, name)| {
                link(library, folder, name).map_err(|error| format!("{}: {error}", folder.join(name).display()))
            },
        )
    };
    let Err(why) = put(&beside) else { return Ok(beside) };
    let own = own_folder().ok_or(why)?.join("libcuda");
    put(&own).map(|()| own)
}

/// NVRTC's folders for programs that ask the loader for it by its name: `LABS_NVRTC`, else beside this program, as wheels lie, and of the checkout,
/// unless the system has its own. The first is one of links, where the library has the name without a version.
pub fn nvrtc(links: &Path) -> Vec<PathBuf> {
    let is_installed = || std::fs::read("/etc/ld.so.cache").is_ok_and(|all| all.windows(11).any(|it| it == NVRTC));
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let packages = program.ancestors().nth(2).map(Path::to_owned);
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(".nvrtc");
    let mut folders = match set("LABS_NVRTC") {
        Some(named) => vec![named.join("lib64"), named.join("lib"), named],
        None if is_installed() => Vec::new(),
        None => packages
            .into_iter()
            .chain([checkout])
            .flat_map(|root| ["cuda_nvrtc/lib", "cu13/lib"].map(|its| root.join("nvidia").join(its)))
            .collect(),
    };
    let library = |folder: &Path| {
        ["libnvrtc.so.12", "libnvrtc.so.13"].map(|name| folder.join(name)).into_iter().find(|path| path.exists())
    };
    folders.retain(|folder| library(folder).is_some());
    if let Some(library) = folders.first().and_then(|folder| library(folder))
        && link(&library, &links.join("nvrtc"), "libnvrtc.so").is_ok()
    {
        folders.insert(0, links.join("nvrtc"));
    }
    folders
}
const NVRTC: &[u8] = b"libnvrtc.so";

/// The variables of a run that tells of lines: where compilers that the program calls keep sources that lie in no file (`fronts::lines`), and
/// caches, in which clients' own have code without lines.
pub fn for_lines() -> Vec<(&'static str, PathBuf)> {
    let Some(own) = own_folder().map(|own| own.join("lines")) else { return Vec::new() };
    let cache = |name, client| (name, set(name).map_or_else(|| own.join(client), |its| its.join("with-lines")));
    vec![("LABS_SIM_SOURCES", own.join("sources")), cache("CUPY_CACHE_DIR", "cupy"), cache("NUMBA_CACHE_DIR", "numba")]
}

/// A folder of the user's, for what can be made anew.
fn own_folder() -> Option<PathBuf> {
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("sim"))
}

/// The path that a variable names.
fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Where libraries may lie: as Cargo builds them (it always refreshes the copy in `deps`), beside this program, and where
/// it was built, for a program that `cargo install` copied away from there.
fn folders(beside: &Path) -> Vec<PathBuf> {
    let built = Path::new(env!("SIM_BUILT_IN"));
    vec![beside.join("deps"), beside.to_owned(), built.join("deps"), built.to_owned()]
}

/// Makes a link unless it is there; under another name first, because others may be about to use it.
fn link(target: &Path, folder: &Path, name: &str) -> std::io::Result<()> {
    let link = folder.join(name);
    if std::fs::read_link(&link).is_ok_and(|known| known == target) {
        return Ok(());
    }
    link.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let fresh = folder.join(format!("{name}.{}", std::process::id()));
    std::os::unix::fs::symlink(target, &fresh)?;
    std::fs::rename(fresh, link)
}
