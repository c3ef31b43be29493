//! Runs a kernel from PTX text on an array, with no driver: `cargo run -p machine --example kernel`.
use machine::exec::context::Facts;
use machine::exec::launch::{Request, Settings, run};
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use machine::memory::{Kind, Memory};
use machine::program::FunctionId;
use std::error::Error;

/// Doubles the value of each thread.
const KERNEL: &str = r#"
.version 8.5
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 values) {
    .reg .b64 %rd<3>; .reg .b32 %r<5>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u64 %rd1, [values];
    mad.wide.u32 %rd2, %r4, 4, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.u32 %r1, %r1, %r1;
    st.global.u32 [%rd2], %r1;
    ret;
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let module = ptx::parse(KERNEL)?;
    let options = Options { addresses: &|_| None, tier: Tier::Bare, level: Level::of_host() };
    let program = lower(&module, &options).map_err(|refused| format!("{refused:?}"))?;
    let memory = Memory::new(1 << 30)?;
    let values: Vec<u32> = (0..128).collect();
    let address = memory.allocate(4 * values.len() as u64, Kind::Device, "values").map_err(|e| format!("{e:?}"))?;
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    memory.write(address, &bytes).map_err(|outside| format!("{outside:?}"))?;
    let outcome = run(
        &Request {
            program: &program,
            function: FunctionId(0),
            grid: [4, 1, 1],
            block: [32, 1, 1],
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            parameters: &address.to_le_bytes(),
            cooperative: false,
            memory: &memory,
            settings: Settings::default(),
            resident_blocks: 16,
            facts: Facts::default(),
        },
        None,
    );
    if let Some(fault) = outcome.fault {
        return Err(format!("the kernel stopped: {fault:?}").into());
    }
    let mut result = vec![0; bytes.len()];
    memory.read(address, &mut result).map_err(|outside| format!("{outside:?}"))?;
    let doubled: Vec<u32> = result.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert!(doubled.iter().zip(&values).all(|(after, before)| *after == 2 * before), "{doubled:?}");
    println!("{} values doubled in {} warp instructions", doubled.len(), outcome.warp_instructions);
    Ok(())
}
