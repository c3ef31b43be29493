use super::*;
use ptx::isa::contraction::{MINUS_ADDEND, MINUS_PRODUCT};

/// The float arithmetic that a body becomes; a product that a loop's unrolling decides on has a `?`.
fn arithmetic(code: &str) -> String {
    let text = format!(
        ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred q, z;\n\
         .reg .u32 i, n;\n.reg .f32 a, b, c, e, r, s, t, u, v;\n.reg .f64 d1, d2, d3, dt;\n.reg .b16 h1, h2, h3, ht;\n\
         .reg .b32 w1, w2, w3, wt;\n.reg .b64 x1, x2, x3, xt, d;\nld.param.u64 d, [p];\n{code}\n\
         st.global.f32 [d], r;\nst.global.f32 [d+4], s;\nst.global.f64 [d+8], d3;\nst.global.b16 [d+16], h3;\n\
         st.global.b32 [d+20], w3;\nst.global.b64 [d+24], x3;\nret;\n}}\n"
    );
    let module = ptx::parse(&text).expect("parses");
    let contracted = contracted(&module);
    let module = contracted.as_ref().unwrap_or(&module);
    let body = module.functions[0].body.as_ref().expect("a body");
    let mut words = Vec::new();
    for statement in &body.statements {
        let Statement::Instruction(instruction) = statement else { continue };
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        if opcode.types.iter().any(|ty| ty.is_float()) && opcode.definition().flops > 0 {
            let sign = |mark, sign| if opcode.modifiers.contains(&mark) { sign } else { "" };
            let signs = [sign(MINUS_PRODUCT, "-"), opcode.definition().name, sign(MINUS_ADDEND, "-")];
            words.push(signs.concat() + sign(UNROLLED, "?"));
        }
    }
    words.join(" ")
}

/// Each as ptxas 12.9 and 13.0 have it: `docs/measurements/contraction.py`.
#[test]
fn pairs_are_those_of_the_assembler() {
    const LOOP: &str = "sub.u32 i, i, 1; setp.ne.u32 z, i, 0; @z bra L;";
    let cases: &[(&str, &str)] = include!("cases.txt");
    for (code, expected) in cases {
        assert_eq!(arithmetic(code), *expected, "{code}");
    }
    // Loops: only what unrolling can join is unsure.
    let before =
        |count: &str, pragma: &str| format!("mul.f32 t, b, c; mov.u32 i, {count}; L: {pragma} add.f32 r, t, r; {LOOP}");
    assert_eq!(arithmetic(&before("4", "")), "mul? add");
    assert_eq!(arithmetic(&before("4", ".pragma \"nounroll\";")), "mul add");
    assert_eq!(arithmetic(&format!("ld.global.u32 n, [d]; {}", before("n", ""))), "mul add");
    assert_eq!(arithmetic(&format!("mov.u32 i, n; L: add.f32 r, t, r; mul.f32 t, b, r; {LOOP}")), "add mul?");
    assert_eq!(arithmetic(&format!("mov.u32 i, n; L: mul.f32 t, b, r; add.f32 r, t, a; {LOOP}")), "fma");
}

#[test]
fn factors_that_change_before_the_sum_are_saved() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\
        .reg .f32 a, b, c; .reg .u64 d; ld.param.u64 d, [p];\n\
        ld.global.f32 a, [d]; mul.f32 b, b, c; mov.f32 c, a; add.f32 a, b, a;\nst.global.f32 [d], a; st.global.f32 [d], c; ret;\n}\n";
    let module = ptx::parse(text).expect("parses");
    let contracted = contracted(&module).expect("a pair");
    let body = contracted.functions[0].body.as_ref().expect("a body");
    let names = |statement: &Statement| match statement {
        Statement::Instruction(instruction) => contracted.opcodes[instruction.opcode.0 as usize].definition().name,
        Statement::Label(_) => "",
    };
    let names: Vec<&str> = body.statements.iter().map(names).collect();
    // `b` is overwritten by the product itself, `c` by the copy.
    assert_eq!(names, ["ld", "ld", "mov", "mov", "mov", "fma", "st", "st", "ret"]);
    assert_eq!(body.registers.len(), 4 + 2);
}
