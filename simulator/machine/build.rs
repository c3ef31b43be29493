//! Chooses the vector levels of x86-64 that the semantics are compiled for besides the plain one, as `with_avx2` and `with_avx512`:
//! compiling them takes most of this crate's time. It is the level of this machine; with the feature `every-vector-level`, and where the
//! build is for another machine, whose level nobody can know here, it is each of them.
#[allow(dead_code, reason = "a build asks for the machine's level alone")]
#[path = "src/host.rs"]
mod host;

use host::Level;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/host.rs");
    println!("cargo::rustc-check-cfg=cfg(with_avx2, with_avx512)");
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    if set("CARGO_CFG_TARGET_ARCH") != "x86_64" {
        return;
    }
    let elsewhere = set("HOST") != set("TARGET");
    if elsewhere {
        println!(
            "cargo::warning=built for another machine, whose vector instructions are unknown: every level is compiled"
        );
    }
    let every = elsewhere || std::env::var_os("CARGO_FEATURE_EVERY_VECTOR_LEVEL").is_some();
    for (level, cfg) in [(Level::Avx2, "with_avx2"), (Level::Avx512, "with_avx512")] {
        if every || level == Level::of_host() {
            println!("cargo::rustc-cfg={cfg}");
        }
    }
}
