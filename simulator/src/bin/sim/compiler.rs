//! A program that a command under `sim` builds with nvcc runs under `sim`.
//!
//! nvcc links NVIDIA's runtime library statically unless it is told otherwise, and that library does not start here. So nvcc is
//! told to link it shared, by the variable that NVIDIA documents for this, which reaches every nvcc that a build calls by
//! whatever path. No such variable turns machine code alone (`-cubin`, `code=sm_80`) into PTX: an nvcc that is found by its name is
//! this program, which changes the arguments and becomes nvcc.
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Further arguments for every nvcc.
const APPENDED: &str = "NVCC_APPEND_FLAGS";
const SHARED: &str = "-cudart shared";

/// The environment in which nvcc makes what runs under `sim`. `links` is the folder of links to libraries, with a folder `programs` that is
/// always in front of the path, and a folder `bin` where `nvcc` is this program, and which is there only if another nvcc is.
pub fn variables(links: &Path) -> Vec<(&'static str, OsString)> {
    let mut variables = Vec::new();
    let (programs, bin) = (links.join("programs"), links.join("bin"));
    let own = std::env::var(APPENDED).unwrap_or_default();
    if !own.contains("cudart") {
        variables.push((APPENDED, format!("{own} {SHARED}").trim().into()));
    }
    let on_path = on_path(&bin);
    variables.extend(before("PATH", &if on_path.is_some() { vec![programs, bin] } else { vec![programs] }));
    let nvcc =
        on_path.clone().or_else(|| of_a_toolkit().map(|root| root.join("bin/nvcc")).filter(|path| path.exists()));
    // JAX takes its assembler from this folder. Builds with nvcc take it for a toolkit's, so that it is not told where one is there.
    if nvcc.is_none() && std::env::var_os("CUDA_ROOT").is_none() {
        variables.push(("CUDA_ROOT", links.join("xla").into_os_string()));
    }
    let Some(toolkit) = nvcc.as_deref().and_then(toolkit) else { return variables };
    say(&format!("nvcc links the runtime library shared ({APPENDED}={SHARED}), so that what it builds runs under sim"));
    // A toolkit of Python's wheels has its libraries where nvcc does not look, without the name by which the linker looks.
    let folder = toolkit.join("lib");
    let version = [12, 13].into_iter().find(|version| folder.join(format!("libcudart.so.{version}")).exists());
    if let Some(version) = version.filter(|_| !toolkit.join("lib64").exists()) {
        let mut folders = vec![links.join(format!("link{version}"))];
        folders.extend(links_for_the_linker(&folder, &links.join("toolkits")));
        folders.push(folder);
        variables.extend(before("LIBRARY_PATH", &folders));
    }
    if on_path.is_some() {
        // Builds take the folder above that of the nvcc which they find for the toolkit's.
        if ["CUDA_HOME", "CUDA_PATH"].iter().all(|name| std::env::var_os(name).is_none()) {
            variables.push(("CUDA_HOME", toolkit.into_os_string()));
        }
    }
    variables
}

/// A folder in which each library of a folder that has a version alone in its name (`libcublas.so.13`) has the name by which the linker looks
/// (`-lcublas`). `None` where it cannot be written: a build then says which library it does not find.
fn links_for_the_linker(libraries: &Path, room: &Path) -> Option<PathBuf> {
    let name: String = libraries.to_string_lossy().chars().map(|c| if c == '/' { '-' } else { c }).collect();
    let folder = room.join(name.trim_start_matches('-'));
    std::fs::create_dir_all(&folder).ok()?;
    for entry in std::fs::read_dir(libraries).ok()?.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some((stem, version)) = file.split_once(".so.") else { continue };
        let link = folder.join(format!("{stem}.so"));
        let is_one_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        if is_one_number && std::fs::read_link(&link).ok().as_deref() != Some(&*entry.path()) {
            // Another `sim` may make the same link at the same time.
            let _ = std::fs::remove_file(&link);
            let _ = std::os::unix::fs::symlink(entry.path(), &link);
        }
    }
    Some(folder)
}

/// A variable that holds paths, with others in front.
fn before(name: &'static str, paths: &[PathBuf]) -> Option<(&'static str, OsString)> {
    let known = std::env::var_os(name).filter(|path| !path.is_empty()).unwrap_or_default();
    let rest = std::env::split_paths(&known).filter(|path| !path.as_os_str().is_empty() && !paths.contains(path));
    Some((name, std::env::join_paths(paths.iter().cloned().chain(rest)).ok()?))
}

/// The nvcc that its name finds, beside ours.
fn on_path(ours: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder != ours)
        .map(|folder| folder.join("nvcc"))
        .find(|file| file.is_file())
}

fn of_a_toolkit() -> Option<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].iter().find_map(std::env::var_os).map(PathBuf::from);
    Some(named.unwrap_or_else(|| "/usr/local/cuda".into())).filter(|path| path.exists())
}

/// The folder of the toolkit that an nvcc belongs to.
fn toolkit(nvcc: &Path) -> Option<PathBuf> {
    Some(nvcc.canonicalize().ok()?.parent()?.parent()?.to_owned())
}

/// True if this program was started in nvcc's place.
pub fn is_nvcc(name: &OsStr) -> bool {
    Path::new(name).file_name() == Some(OsStr::new("nvcc"))
}

/// Becomes nvcc, with changed arguments; comes back only with the reason why not.
pub fn become_nvcc(name: &OsStr, arguments: impl Iterator<Item = OsString>) -> String {
    // The folder in which this program is nvcc: of the name, or where the shell found it.
    let this = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let is_this = |path: &Path| path.canonicalize().ok() == this;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join("nvcc")).find(|file| file.is_file() && !is_this(file));
    let Some(nvcc) = found.or_else(|| of_a_toolkit().map(|root| root.join("bin/nvcc")).filter(|path| path.is_file()))
    else {
        return format!("there is no nvcc behind {}", name.display());
    };
    let arguments = with_ptx(without_machine_code(arguments.collect()));
    let error = Command::new(&nvcc).args(arguments).exec();
    format!("{}: {error}", nvcc.display())
}

/// `-cubin` becomes `-ptx`, in the file that machine code was to go into.
fn without_machine_code(arguments: Vec<OsString>) -> Vec<OsString> {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let asks = |word: &String| word == "-cubin" || word == "--cubin";
    if !words.iter().any(asks) {
        return arguments;
    }
    let value_of = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.contains(&word.as_str()));
        let joined =
            words.iter().find_map(|word| flags.iter().find_map(|flag| word.strip_prefix(flag)?.strip_prefix('=')));
        at.and_then(|at| words.get(at + 1).map(String::as_str)).or(joined)
    };
    let mut changed: Vec<OsString> = Vec::new();
    for (word, argument) in words.iter().zip(&arguments) {
        changed.push(if asks(word) { "-ptx".into() } else { argument.clone() });
    }
    if value_of(&["-o", "--output-file"]).is_none() {
        let source = words.iter().map(Path::new).find(|word| word.extension() == Some(OsStr::new("cu")));
        if let Some(name) = source.and_then(Path::file_stem) {
            let folder = value_of(&["-odir", "--output-directory"]).unwrap_or_default();
            changed.push("-o".into());
            changed.push(Path::new(folder).join(format!("{}.cubin", name.display())).into_os_string());
        }
    }
    say(&format!(
        "nvcc: PTX in place of machine code, by the options {}",
        changed.join(OsStr::new(" ")).to_string_lossy()
    ));
    changed
}

/// PTX beside machine code, where a build asks for machine code alone: `arch=compute_80,code=sm_80` gets `code=[sm_80,compute_80]`. Where one
/// architecture has PTX already, the arguments stay as they are, because a driver translates it for newer cards.
fn with_ptx(arguments: Vec<OsString>) -> Vec<OsString> {
    const LISTS: [&str; 2] = ["-gencode", "--generate-code"];
    let mut changed = Vec::new();
    let mut is_value = false;
    for argument in &arguments {
        let word = argument.to_string_lossy();
        let joined = LISTS.iter().find_map(|flag| Some((*flag, word.strip_prefix(flag)?.strip_prefix('=')?)));
        let (before, value) = match joined {
            Some((flag, value)) => (format!("{flag}="), value),
            None if is_value => (String::new(), &*word),
            None => (String::new(), ""),
        };
        is_value = LISTS.contains(&&*word);
        let Some((architecture, codes)) = value.strip_prefix("arch=").and_then(|rest| rest.split_once(",code=")) else {
            changed.push(argument.clone());
            continue;
        };
        if codes.contains("compute_") || codes.contains("lto_") || !architecture.starts_with("compute_") {
            return arguments;
        }
        let codes = codes.trim_matches(['[', ']', '"', '\'']);
        changed.push(format!("{before}arch={architecture},code=[{codes},{architecture}]").into());
    }
    if changed != arguments {
        let all = changed.join(OsStr::new(" "));
        say(&format!("nvcc: PTX beside machine code, by the options {}", all.to_string_lossy()));
    }
    changed
}

/// Says what is done, if `LABS_SIM_LOG` asks for it.
fn say(what: &str) {
    if std::env::var_os("LABS_SIM_LOG").is_some_and(|value| !value.is_empty() && value != "0") {
        eprintln!("[sim] {what}");
    }
}

#[cfg(test)]
mod tests {
    fn changed(words: &str) -> String {
        let words = words.split(' ').map(Into::into).collect();
        super::without_machine_code(words).iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    fn extended(words: &str) -> String {
        let words = words.split(' ').map(Into::into).collect();
        super::with_ptx(words).iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn machine_code_alone_gets_ptx_beside_it() {
        let both = "-gencode=arch=compute_80,code=[sm_80,compute_80]";
        assert_eq!(extended("-gencode=arch=compute_80,code=sm_80 -c a.cu"), format!("{both} -c a.cu"));
        assert_eq!(extended("-gencode arch=compute_80,code=[sm_80]"), both.replacen("=", " ", 1));
        assert_eq!(
            extended("--generate-code=arch=compute_75,code=sm_75 -gencode=arch=compute_80,code=sm_80"),
            format!("--generate-code=arch=compute_75,code=[sm_75,compute_75] {both}")
        );
        // PTX for one architecture serves newer cards.
        let with_one = "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=compute_80";
        for kept in [with_one, both, "-arch=sm_80 a.cu", "-c arch=compute_80,code=sm_80", "-o program program.cu"] {
            assert_eq!(extended(kept), kept);
        }
    }

    #[test]
    fn machine_code_becomes_ptx() {
        assert_eq!(changed("--cubin -arch sm_86 -I/a kernel.cu"), "-ptx -arch sm_86 -I/a kernel.cu -o kernel.cubin");
        assert_eq!(changed("-cubin -o out a/kernel.cu"), "-ptx -o out a/kernel.cu");
        assert_eq!(changed("-cubin --output-file=out a/kernel.cu"), "-ptx --output-file=out a/kernel.cu");
        assert_eq!(changed("-cubin -odir b a/kernel.1.cu"), "-ptx -odir b a/kernel.1.cu -o b/kernel.1.cubin");
        assert_eq!(changed("-o program program.cu"), "-o program program.cu");
        assert!(super::is_nvcc("/a/bin/nvcc".as_ref()) && !super::is_nvcc("/a/nvcc/sim".as_ref()));
    }
}
