//! Names the shared library `libcuda.so`, so that a program which asks the loader for CUDA's driver
//! gets the simulator once it is in the process.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    }
}
