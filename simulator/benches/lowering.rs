//! How fast PTX text becomes flat code, in bytes of text per second: `cargo bench -p simulator --bench lowering`.
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::ptx;
use std::hint::black_box;
use std::path::Path;

/// The committed NVRTC output of one architecture, and the tiled GEMM of the labs.
fn texts() -> Vec<(&'static str, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| kernels::read_ptx(&root.join(path)).expect("committed");
    let fixtures = ["control", "spaces", "warp"].map(|name| read(&format!("tests/fixtures/{name}.sm_90.ptx.z")));
    let shared = kernels::pristine("gemm", "shared").expect("a rung");
    let image = kernels::compile(&shared, kernels::Target::Ptx { major: 9, minor: 0 }).expect("embedded");
    vec![("gemm_shared", image.ptx().expect("PTX").to_owned()), ("small_modules", fixtures.join("\0"))]
}

fn lowering(c: &mut Criterion) {
    let mut group = c.benchmark_group("ptx");
    for (name, text) in texts() {
        let modules: Vec<&str> = text.split('\0').collect();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("parse/{name}"), |b| {
            b.iter(|| modules.iter().for_each(|text| drop(black_box(ptx::parse(text).expect("parses")))));
        });
        let options = Options { addresses: &|_| Some(0x1000), tier: Tier::Bare, level: Level::detect() };
        group.bench_function(format!("parse_and_lower/{name}"), |b| {
            b.iter(|| {
                for text in &modules {
                    let module = ptx::parse(text).expect("parses");
                    assert!(black_box(lower(&module, &options)).is_ok());
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lowering);
criterion_main!(benches);
