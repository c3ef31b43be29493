//! Libraries under the names of NVIDIA's runtime library that are not the project's: they answer one function, with a version of their
//! own, and symbols as NVIDIA's have them. And programs that are linked with them.
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "int cudaRuntimeGetVersion(int *version) { *version = 1; return 0; }";
/// Writes the version of the library that it finds.
const PROGRAM: &str = r#"
#include <stdio.h>
int cudaRuntimeGetVersion(int *version);
int main(void) { int version = 0; int code = cudaRuntimeGetVersion(&version); printf("%d", version / 1000); return code; }
"#;

/// A library of that name, in a folder of its own.
pub fn library(name: &str) -> PathBuf {
    let folder = folder(name);
    let path = folder.join(name);
    // The versions of symbols keep their name in a copy that is called otherwise.
    let version = format!("libcudart.so.{}", name.rsplit('.').next().expect("it ends in a version"));
    let script = write(&folder, "versions", &format!("{version} {{ global: *; }};"));
    let source = write(&folder, "library.c", LIBRARY);
    let options = ["-shared", "-fPIC", &format!("-Wl,-soname,{name}"), &format!("-Wl,--version-script={script}")];
    compile(&[&source, "-o", &path.to_string_lossy()], &options);
    path
}

/// A program that was linked with such a library, and has its folder in its own list, which the loader looks at first.
pub fn program(name: &str, options: &[&str]) -> PathBuf {
    let library = library(name);
    let folder = folder(name);
    let path = folder.join(format!("program{}", options.concat()));
    let source = write(&folder, &format!("program{}.c", options.concat()), PROGRAM);
    let list = format!("-Wl,-rpath,{}", folder.display());
    let before = ["-Wl,--disable-new-dtags", &list];
    compile(&[&source, &library.to_string_lossy(), "-o", &path.to_string_lossy()], &[&before[..], options].concat());
    assert_eq!(text(&Command::new(&path).output().expect("it starts").stdout), "0", "the stand-in answers without sim");
    path
}

/// Under `sim` the program finds the project's library.
pub fn finds_the_project_s(program: &Path, version: &str) -> Result<(), Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_sim")).arg(program).output()?;
    let answer = text(&output.stdout);
    if output.status.success() && answer == version {
        Ok(())
    } else {
        Err(format!("{answer:?}: {}", text(&output.stderr)).into())
    }
}

/// Tools that gather libraries into a Python wheel give each copy a name with a part of its digest.
pub fn copies() -> Result<(), Failed> {
    finds_the_project_s(&program("libcudart-9335f6a2.so.12", &[]), "12")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Each caller is a thread of one process, and has a folder of its own for each name.
pub fn folder(name: &str) -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime").join(thread).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file");
    path.to_string_lossy().into_owned()
}

pub fn compile(words: &[&str], options: &[&str]) {
    let output = Command::new("cc").args(words).args(options).output().expect("the C compiler, which links Rust too");
    assert!(output.status.success(), "cc {words:?} {options:?}: {}", text(&output.stderr));
}
