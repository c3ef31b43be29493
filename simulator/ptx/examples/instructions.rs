//! Lists the instructions of a PTX text with their class: `cargo run -p ptx --example instructions [FILE]`.
use ptx::tree::{Location, Statement};
use std::error::Error;

const KERNEL: &str = r#"
.version 8.5
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 values, .param .f32 factor)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<2>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [values];
    ld.param.f32 %f1, [factor];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd3, %rd2, %rd3;
    ld.global.f32 %f2, [%rd3];
    mul.rn.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
    ret;
}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => KERNEL.to_owned(),
    };
    let module = ptx::parse(&text)?;
    println!("PTX {}.{} for {}", module.version.0, module.version.1, module.target);
    for function in &module.functions {
        let Some(body) = &function.body else { continue };
        println!("\n{}: {} registers", function.name, body.registers.len());
        for statement in &body.statements {
            let Statement::Instruction(instruction) = statement else { continue };
            let opcode = &module.opcodes[instruction.opcode.0 as usize];
            let row = opcode.definition();
            let Location { ptx_line, .. } = instruction.at;
            let class = format!("{:?}", row.class_of(&opcode.types));
            println!("{ptx_line:>5}  {:<24} {class:<10} {}", opcode.printed(), row.doc);
        }
    }
    Ok(())
}
