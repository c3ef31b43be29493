//! Names the shared library as programs that `nvcc -cudart shared` builds ask for it: `libcudart.so.12`, and each symbol with
//! the version of that name. The second needs GNU's linker; without it such a program starts with a warning of the loader's
//! ("no version information available") and runs all the same.
use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rerun-if-changed=../link.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let package = std::env::var("CARGO_PKG_NAME").expect("Cargo sets it");
    let version = package.rsplit('-').next().expect("a name has a last part").to_owned();
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcudart.so.{version}");
    let is_there = Command::new("ld.bfd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if is_there.is_ok_and(|status| status.success()) {
        println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    }
}
