//! For tests: what a small kernel's blocks issue.
use super::code::Code;
use crate::cards::find;
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use ptx::isa::machine::Unit;

/// Units of what is issued with the first block of a kernel of these instructions.
pub fn first(body: &str) -> Vec<Unit> {
    region(body, 0)
}

/// The same of a later block.
pub fn region(body: &str, block: usize) -> Vec<Unit> {
    let text = format!(
        ".version 8.0 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{
            .reg .b64 %a, %c, %d, %e; .reg .f32 %x, %y, %s; .reg .pred %p, %q; .reg .b32 %n, %i, %j, %m;
            ld.param.u64 %a, [in]; ld.param.u64 %c, [out]; ld.param.u32 %n, [n];
            mov.u32 %i, %tid.x; mov.f32 %s, 0f00000000;
            {body}
            st.global.f32 [%c], %s;
            ret;
        }}"
    );
    let module = ptx::parse(&text).unwrap();
    let options = Options { addresses: &|_| Some(0x1000), tier: Tier::Bare, level: Level::Base };
    let program = lower(&module, &options).unwrap();
    let code = Code::new(find("h200").unwrap().architecture, &program.functions[0], &|_| 15);
    let once = code.regions[block].once.clone();
    let issued = &code.instructions[once.start as usize..once.end as usize];
    issued.iter().map(|own| own.unit).filter(|unit| *unit != Unit::Nothing).collect()
}

pub fn count(units: &[Unit], unit: Unit) -> usize {
    units.iter().filter(|own| **own == unit).count()
}
