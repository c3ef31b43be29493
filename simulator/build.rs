//! Names the shared library `libcuda.so`, so that a program which asks the loader for CUDA's driver
//! gets the simulator once it is in the process. And tells `sim` where it was built, for a copy that `cargo install` makes.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    }
    // …/target/release/build/simulator-0123456789abcdef/out
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets it"));
    let built = out.ancestors().nth(3).expect("it lies in the profile's folder");
    println!("cargo::rustc-env=SIM_BUILT_IN={}", built.display());
}
