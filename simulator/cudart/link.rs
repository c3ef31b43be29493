//! Names a shared library as programs ask for NVIDIA's, by the name of its package: `cudart-12` is `libcudart.so.12`, and each
//! symbol has the version of that name. The second needs GNU's linker; with another one (`RUSTC_LINKER`) a program that was linked with the library
//! starts with a warning of the loader's ("no version information available") and runs all the same.
use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.toml");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let package = std::env::var("CARGO_PKG_NAME").expect("Cargo sets it");
    let (name, version) = package.rsplit_once('-').expect("a name and a version");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,lib{name}.so.{version}");
    let gnu = Command::new("ld.bfd").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if std::env::var_os("RUSTC_LINKER").is_none() && gnu.is_ok_and(|status| status.success()) {
        println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    }
}
