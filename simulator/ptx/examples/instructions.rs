//! Lists the instructions of a PTX text with their class: `cargo run -p ptx --example instructions [FILE]`.
use ptx::tree::Statement;

const KERNEL: &str = ".version 8.5
.target sm_80
.visible .entry square(.param .u64 values) {
    .reg .b64 %rd<2>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [values]; ld.global.f32 %f1, [%rd1];
    mul.rn.f32 %f1, %f1, %f1; st.global.f32 [%rd1], %f1; ret;
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1);
    let text = file.map_or(Ok(KERNEL.to_owned()), std::fs::read_to_string)?;
    let module = ptx::parse(&text)?;
    for function in &module.functions {
        println!("{}:", function.name);
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            let Statement::Instruction(instruction) = statement else { continue };
            let opcode = &module.opcodes[instruction.opcode.0 as usize];
            let row = opcode.definition();
            let class = format!("{:?}", row.class_of(&opcode.types));
            println!("{:>5}  {:<20} {class:<10} {}", instruction.at.ptx_line, opcode.printed(), row.doc);
        }
    }
    Ok(())
}
