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
    let cases: &[(&str, &str)] = &[
        ("mul.f32 t, b, c; add.f32 r, t, a;", "fma"),
        ("mul.f32 t, b, c; sub.f32 r, a, t;", "-fma"),
        ("mul.f32 t, b, c; sub.f32 r, t, a;", "fma-"),
        ("mul.f32 t, b, c; neg.f32 u, t; sub.f32 r, u, a;", "-fma-"),
        ("mul.f32 t, b, c; mov.b32 wt, t; mov.b32 u, wt; add.sat.f32 r, u, a;", "fma"),
        ("mul.f32 t, b, c; bar.sync 0; st.volatile.global.f32 [d], b; add.f32 r, t, a;", "fma"),
        ("mul.f32 t, b, c; bra L; L: @q add.f32 r, t, a;", "fma"),
        ("mul.f32 t, b, c; @q add.f32 r, t, a; @!q sub.f32 r, t, e;", "fma fma-"),
        ("mul.f32 t, b, c; add.f32 r, t, a; abs.f32 u, t;", "fma"),
        ("mul.ftz.f32 t, b, c; neg.f32 t, t; add.ftz.f32 r, t, a;", "-fma"),
        ("mul.ftz.f32 t, b, c; neg.ftz.f32 u, t; add.ftz.f32 r, u, a; mul.ftz.f32 s, u, e;", "mul -fma mul"),
        (
            "mul.f32 t, b, c; add.f32 r, t, a; abs.f32 u, t; @q mul.f32 v, u, u; @!q bra L; sub.f32 v, v, u; L:",
            "fma mul sub",
        ),
        ("mul.f32 t, b, c; @!q bra L; mul.f32 v, a, a; L: add.f32 r, t, a;", "mul fma"),
        ("mul.f64 dt, d1, d2; sub.f64 d3, d1, dt;", "-fma"),
        ("mul.f16 ht, h1, h2; add.f16 h3, ht, h1;", "fma"),
        ("mul.f16x2 wt, w1, w2; sub.f16x2 w3, w1, wt;", "-fma"),
        ("mul.bf16x2 wt, w1, w2; add.bf16x2 w3, wt, w1;", "fma"),
        ("mul.rn.f32x2 xt, x1, x2; add.rn.f32x2 x3, xt, x1;", "fma"),
        // Two products: one of one use before one of several, then the first operand.
        ("mul.f32 t, b, c; mul.f32 u, b, e; sub.f32 r, t, u;", "mul fma-"),
        ("mul.f32 t, b, c; mul.f32 u, b, e; add.f32 s, t, a; sub.f32 r, t, u;", "mul add -fma"),
        ("mul.f32 t, b, c; mul.f32 u, b, e; add.f32 r, u, t; sub.f32 s, t, u;", "mul fma -fma"),
        ("mul.f32 t, b, c; neg.f32 b, b; mul.f32 u, b, c; add.f32 r, t, u;", "mul fma"),
        (
            "mul.f16x2 wt, w1, w2; add.f16x2 w3, wt, w1; mul.f16x2 w2, w1, w1; sub.f16x2 w2, w2, wt; add.rn.f16x2 w3, w3, w2;",
            "mul fma fma- add",
        ),
        // An operation that changes nothing goes first.
        ("mul.f32 t, b, c; mul.rn.f32 u, t, 0f3F800000; cvt.f32.f32 t, u; max.f32 u, t, t; add.f32 r, u, a;", "fma"),
        ("mul.f32 t, b, c; mov.b32 wt, t; and.b32 wt, wt, -1; mov.b32 u, wt; add.f32 r, u, a;", "fma"),
        ("mul.f32 t, b, 0fBF800000; mul.f32 u, c, e; add.f32 r, t, u;", "mul fma"),
        ("mul.f32 t, b, c; mul.f32 u, t, 0f40000000; add.f32 r, u, a;", "mul fma"),
        ("mul.f32 t, b, c; max.f32 u, t, e; add.f32 r, u, a;", "mul add"),
        // Ways that the text does not decide on, and one that it does.
        ("setp.eq.u32 z, 0, 0; mul.f32 t, b, c; selp.f32 u, t, e, z; add.f32 r, u, a;", "mul? add"),
        ("setp.eq.u32 z, 0, 0; @z mul.f32 t, b, c; add.f32 r, t, a;", "mul? add"),
        ("setp.eq.u32 z, 0, 1; mul.f32 t, b, c; @z bra L; add.f32 r, t, a; L:", "mul? add"),
        ("mul.f32 t, b, c; shfl.sync.idx.b32 t, t, 0, 31, -1; add.f32 r, t, a;", "mul? add"),
        ("mul.f32 t, b, c; shfl.sync.down.b32 u, t, 1, 31, -1; add.f32 r, t, u;", "mul add"),
        ("mul.f32 t, b, c; mov.b64 xt, {t, a}; mov.b64 {u, v}, xt; add.f32 r, u, v;", "mul? add"),
        ("mul.f32 t, b, c; selp.f32 u, t, e, q; add.f32 r, u, a;", "mul add"),
        // The clean look-alikes: each is two roundings on a card.
        ("mul.f32 t, b, c; abs.f32 t, t; add.f32 r, t, a;", "mul add"),
        ("mul.rn.f32 t, b, c; add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; add.rz.f32 r, t, a;", "mul add"),
        ("mul.ftz.f32 t, b, c; add.f32 r, t, a;", "mul add"),
        ("mul.sat.f32 t, b, c; add.f32 r, t, a;", "mul add"),
        ("@q mul.f32 t, b, c; add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; @q add.f32 t, t, a; mov.f32 r, t;", "mul add"),
        ("mul.f32 t, b, c; add.f32 r, t, a; mov.f32 s, t;", "mul add"),
        ("mul.f32 t, b, c; neg.f32 u, t; add.f32 r, u, a; mul.f32 s, u, e;", "mul add mul"),
        ("mul.ftz.f16 ht, h1, h2; neg.ftz.f16 ht, ht; add.ftz.f16 h3, ht, h1;", "mul add"),
        ("mul.f32 t, b, c; fma.rn.f32 r, e, a, t;", "mul fma"),
        ("mul.f32 t, b, c; add.f32 r, t, t;", "mul add"),
        ("mul.f32 t, 0f3F8CCCCD, 0f3F8CCCCD; add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; neg.f32 u, t; add.f32 r, t, u;", "mul add"),
        ("mul.f32 t, b, c; @!q bra L; st.global.f32 [d], b; L: add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; @q st.global.f32 [d], b; add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; @q bar.sync 0; add.f32 r, t, a;", "mul add"),
        ("mul.f32 t, b, c; div.rn.f32 s, a, e; add.f32 r, t, a;", "mul div add"),
        ("mul.f32 t, b, c; fence.acq_rel.gpu; add.f32 r, t, a;", "mul add"),
    ];
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
