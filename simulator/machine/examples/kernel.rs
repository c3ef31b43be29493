//! Doubles the values of an array by a kernel of PTX, with no driver: `cargo run -p machine --example kernel`.
use machine::exec::launch::{Request, run};
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use machine::memory::{Kind, Memory};

const KERNEL: &str = ".version 8.5
.target sm_80
.visible .entry twice(.param .u64 values) {
    .reg .b64 %rd<3>; .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [values]; mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, %r2; st.global.u32 [%rd2], %r2; ret;
}";

fn main() {
    let module = ptx::parse(KERNEL).expect("PTX");
    let options = Options { addresses: &|_| None, tier: Tier::Bare, level: Level::of_host() };
    let program = lower(&module, &options).expect("instructions that are modelled");
    let memory = Memory::new(1 << 30).expect("address space");
    let address = memory.allocate(128, Kind::Device, "values").expect("room");
    memory.write(address, &[7, 0, 0, 0].repeat(32)).expect("an allocation");
    let parameters = address.to_le_bytes();
    let outcome = run(&Request::new(&program, &memory, ([1; 3], [32, 1, 1]), &parameters), None);
    assert_eq!(outcome.fault, None);
    let mut values = [0; 128];
    memory.read(address, &mut values).expect("an allocation");
    assert!(values.chunks(4).all(|value| value == [14, 0, 0, 0]));
    println!("32 values doubled in {} warp instructions", outcome.warp_instructions);
}
