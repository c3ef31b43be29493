//! The instructions that random PTX is made of, each with the C++ that the manual's formula makes of it.

/// One instruction.
pub struct Row {
    pub opcode: String,
    /// `h`, `r`, `d`: a register of 16, 32, 64 bits; `p`: a predicate.
    pub to: char,
    /// As `to`; capitals may also be whole numbers, `f` and `g` numbers of 32 and 64 bits in floating point; `s` is a shift's
    /// amount, `L` a number below 256, `z` a divisor, which is forced to be harmless; `q` a number below 32.
    pub from: &'static str,
    /// C++ of the sources `$0`, `$1`, `$2`, `$3`.
    pub host: String,
    /// A result that is a NaN may have any bits: it is made the canonical one on both sides.
    pub canonical: Option<&'static str>,
}

impl Row {
    /// True of the minimum or the maximum of floating-point numbers.
    pub fn is_extreme(&self) -> bool {
        (self.opcode.starts_with("min.") || self.opcode.starts_with("max.")) && self.host.starts_with("flt")
    }
}

const WHOLE: [(&str, &str, char, &str); 6] = [
    ("u16", "U16", 'h', "H"),
    ("s16", "S16", 'h', "H"),
    ("u32", "U32", 'r', "R"),
    ("s32", "S32", 'r', "R"),
    ("u64", "U64", 'd', "D"),
    ("s64", "S64", 'd', "D"),
];

struct Table(Vec<Row>);

impl Table {
    fn row(&mut self, opcode: impl Into<String>, to: char, from: &'static str, host: impl Into<String>) -> &mut Row {
        self.0.push(Row { opcode: opcode.into(), to, from, host: host.into(), canonical: None });
        self.0.last_mut().expect("just pushed")
    }
}

/// The same letter so many times.
fn repeat(letter: &str, times: usize) -> &'static str {
    match (letter, times) {
        ("H", 1) => "H",
        ("H", 2) => "HH",
        ("H", _) => "HHH",
        ("R", 1) => "R",
        ("R", 2) => "RR",
        ("R", _) => "RRR",
        ("D", 1) => "D",
        ("D", 2) => "DD",
        ("D", _) => "DDD",
        ("f", 1) => "f",
        ("f", 2) => "ff",
        ("f", _) => "fff",
        ("g", 1) => "g",
        ("g", 2) => "gg",
        ("g", _) => "ggg",
        ("h", 1) => "h",
        ("h", 2) => "hh",
        ("h", _) => "hhh",
        ("r", 1) => "r",
        ("r", 2) => "rr",
        _ => "rrr",
    }
}

pub fn rows() -> Vec<Row> {
    let mut table = Table(Vec::new());
    sums(&mut table);
    bits(&mut table);
    logic(&mut table);
    comparisons(&mut table);
    floats(&mut table);
    halves(&mut table);
    super::conversions::rows(&mut |opcode, to, from, host, canonical| {
        table.row(opcode, to, from, host).canonical = canonical;
    });
    table.0
}

fn sums(table: &mut Table) {
    for (t, host, to, letter) in WHOLE {
        let (one, two, three) = (repeat(letter, 1), repeat(letter, 2), repeat(letter, 3));
        for (opcode, function) in [
            ("add", "add"),
            ("sub", "sub"),
            ("mul.lo", "mul_lo"),
            ("mul.hi", "mul_hi"),
            ("min", "min_"),
            ("max", "max_"),
        ] {
            table.row(format!("{opcode}.{t}"), to, two, format!("{function}({host}, $0, $1)"));
        }
        table.row(format!("mad.lo.{t}"), to, three, format!("add({host}, mul_lo({host}, $0, $1), $2)"));
        table.row(format!("mad.hi.{t}"), to, three, format!("add({host}, mul_hi({host}, $0, $1), $2)"));
        table.row(format!("sad.{t}"), to, three, format!("sad({host}, $0, $1, $2)"));
        let divisor = ["Hz", "Rz", "Dz"][(letter == "R") as usize + 2 * (letter == "D") as usize];
        table.row(format!("div.{t}"), to, divisor, format!("quotient({host}, $0, $1)"));
        table.row(format!("rem.{t}"), to, divisor, format!("remainder_({host}, $0, $1)"));
        if t.starts_with('s') {
            table.row(format!("abs.{t}"), to, one, format!("abs_({host}, $0)"));
            table.row(format!("neg.{t}"), to, one, format!("neg({host}, $0)"));
        }
    }
    for (t, host, to, two, three) in [
        ("u16", "U16", 'r', "HH", "HHR"),
        ("s16", "S16", 'r', "HH", "HHR"),
        ("u32", "U32", 'd', "RR", "RRD"),
        ("s32", "S32", 'd', "RR", "RRD"),
    ] {
        table.row(format!("mul.wide.{t}"), to, two, format!("mul_wide({host}, $0, $1)"));
        table.row(format!("mad.wide.{t}"), to, three, format!("mul_wide({host}, $0, $1) + $2"));
    }
    table.row("add.sat.s32", 'r', "RR", "add_sat($0, $1)");
    table.row("sub.sat.s32", 'r', "RR", "sub_sat($0, $1)");
    table.row("mad.hi.sat.s32", 'r', "RRR", "mad_hi_sat($0, $1, $2)");
    for (t, signed) in [("u32", false), ("s32", true)] {
        for (half, high) in [("lo", false), ("hi", true)] {
            table.row(format!("mul24.{half}.{t}"), 'r', "RR", format!("mul24({signed}, {high}, $0, $1)"));
            table.row(format!("mad24.{half}.{t}"), 'r', "RRR", format!("mul24({signed}, {high}, $0, $1) + $2"));
        }
    }
    for (a, a_signed) in [("u32", false), ("s32", true)] {
        for (b, b_signed) in [("u32", false), ("s32", true)] {
            table.row(format!("dp4a.{a}.{b}"), 'r', "RRR", format!("dp4a({a_signed}, {b_signed}, $0, $1, $2)"));
            for (half, high) in [("lo", false), ("hi", true)] {
                let host = format!("dp2a({high}, {a_signed}, {b_signed}, $0, $1, $2)");
                table.row(format!("dp2a.{half}.{a}.{b}"), 'r', "RRR", host);
            }
        }
    }
    for (t, host) in [("u16x2", "U16"), ("s16x2", "S16")] {
        for (opcode, function) in [("add", "add"), ("min", "min_"), ("max", "max_")] {
            table.row(format!("{opcode}.{t}"), 'r', "rr", format!("halves({function}, {host}, false, $0, $1)"));
        }
    }
    for (opcode, function) in [("min", "min_"), ("max", "max_")] {
        table.row(format!("{opcode}.relu.s16x2"), 'r', "rr", format!("halves({function}, S16, true, $0, $1)"));
        table.row(format!("{opcode}.relu.s32"), 'r', "RR", format!("max_(S32, 0, {function}(S32, $0, $1))"));
    }
    for (t, signed) in [("u32.u32.u32", false), ("u32.s32.s32", true)] {
        table.row(format!("vabsdiff4.{t}"), 'r', "rrr", format!("vabsdiff4({signed}, false, $0, $1, $2)"));
        table.row(format!("vabsdiff4.{t}.add"), 'r', "rrr", format!("vabsdiff4({signed}, true, $0, $1, $2)"));
    }
}

fn bits(table: &mut Table) {
    for (width, to, one, letter) in [(32, 'r', "R", 'R'), (64, 'd', "D", 'D')] {
        table.row(format!("popc.b{width}"), 'r', one, "popc($0)");
        table.row(format!("clz.b{width}"), 'r', one, format!("clz({width}, $0)"));
        table.row(format!("brev.b{width}"), to, one, format!("brev({width}, $0)"));
        let fields = if letter == 'R' { "RRqq" } else { "DDqq" };
        table.row(format!("bfi.b{width}"), to, fields, format!("bfi({width}, $0, $1, $2, $3)"));
        for sign in ["u", "s"] {
            let host = format!("{}{width}", sign.to_uppercase());
            let field = if letter == 'R' { "Rqq" } else { "Dqq" };
            table.row(format!("bfe.{sign}{width}"), to, field, format!("bfe({host}, $0, $1, $2)"));
            table.row(format!("bfind.{sign}{width}"), 'r', one, format!("bfind({host}, false, $0)"));
            table.row(format!("bfind.shiftamt.{sign}{width}"), 'r', one, format!("bfind({host}, true, $0)"));
        }
    }
    table.row("fns.b32", 'r', "Rqs", "fns($0, $1, $2)");
    for (mode, clamp) in [("clamp", true), ("wrap", false)] {
        table.row(format!("bmsk.{mode}.b32"), 'r', "ss", format!("bmsk({clamp}, $0, $1)"));
        for (sign, signed) in [("u", false), ("s", true)] {
            table.row(format!("szext.{mode}.{sign}32"), 'r', "Rs", format!("szext({clamp}, {signed}, $0, $1)"));
        }
        for (side, left) in [("l", true), ("r", false)] {
            let host = format!("shf({left}, {}, $0, $1, $2)", !clamp);
            table.row(format!("shf.{side}.{mode}.b32"), 'r', "RRs", host);
        }
    }
    for (mode, host) in [
        ("", "INDEX"),
        (".f4e", "F4E"),
        (".b4e", "B4E"),
        (".rc8", "RC8"),
        (".ecl", "ECL"),
        (".ecr", "ECR"),
        (".rc16", "RC16"),
    ] {
        table.row(format!("prmt.b32{mode}"), 'r', "RRR", format!("prmt({host}, $0, $1, $2)"));
    }
}

fn logic(table: &mut Table) {
    for (width, to, letter) in [(16, 'h', "H"), (32, 'r', "R"), (64, 'd', "D")] {
        let (one, two) = (repeat(letter, 1), repeat(letter, 2));
        for (opcode, sign) in [("and", '&'), ("or", '|'), ("xor", '^')] {
            table.row(format!("{opcode}.b{width}"), to, two, format!("$0 {sign} $1"));
        }
        table.row(format!("not.b{width}"), to, one, "~$0");
        table.row(format!("cnot.b{width}"), to, one, "$0 == 0");
        table.row(format!("mov.b{width}"), to, one, "$0");
        let shift = ["Hs", "Rs", "Ds"][(letter == "R") as usize + 2 * (letter == "D") as usize];
        table.row(format!("shl.b{width}"), to, shift, format!("shl({width}, $0, $1)"));
        for (sign, host) in [("u", "U"), ("s", "S"), ("b", "U")] {
            table.row(format!("shr.{sign}{width}"), to, shift, format!("shr({host}{width}, $0, $1)"));
        }
        let selected = ["HHp", "RRp", "DDp"][(letter == "R") as usize + 2 * (letter == "D") as usize];
        table.row(format!("selp.b{width}"), to, selected, "($2 ? $0 : $1)");
        for (sign, from) in [("s32", 0), ("f32", 3), ("ftz.f32", 3)] {
            let from = ["HHR", "RRR", "DDR", "HHf", "RRf", "DDf"][from + (width / 32) as usize];
            let (flags, host) = match sign {
                "s32" => ("slct", "(i32)$2 >= 0 ? $0 : $1"),
                "f32" => ("slct", "cmp(F32, GE, 0, $2, 0) ? $0 : $1"),
                _ => ("slct.ftz", "cmp(F32, GE, FTZ, $2, 0) ? $0 : $1"),
            };
            let t = if sign == "s32" { "s32" } else { "f32" };
            table.row(format!("{flags}.b{width}.{t}"), to, from, host);
        }
    }
    table.row("lop3.b32", 'r', "RRRL", "lop3($3, $0, $1, $2)");
    for (opcode, sign) in [("and", '&'), ("or", '|'), ("xor", '^')] {
        table.row(format!("{opcode}.pred"), 'p', "pp", format!("$0 {sign} $1"));
    }
    table.row("not.pred", 'p', "p", "!$0");
    table.row("mov.pred", 'p', "p", "$0");
}

/// Comparisons of whole numbers and of floats: PTX's names, and the host's.
const ORDERED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNORDERED: [&str; 8] = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

/// How a comparison is called in C++.
fn comparison(name: &str) -> String {
    if name == "nan" { "NAN_".into() } else { name.to_uppercase() }
}

fn comparisons(table: &mut Table) {
    let floats =
        [("f16", "F16", "hh", ""), ("bf16", "BF16", "hh", ""), ("f32", "F32", "ff", ""), ("f64", "F64", "gg", "")];
    let flushed = [("f32", "F32", "ff", ".ftz"), ("f16", "F16", "hh", ".ftz")];
    for (t, host, two, ftz) in floats.into_iter().chain(flushed) {
        let flags = if ftz.is_empty() { "0" } else { "FTZ" };
        for how in ORDERED.into_iter().chain(UNORDERED) {
            let expression = format!("cmp({host}, {}, {flags}, $0, $1)", comparison(how));
            table.row(format!("setp.{how}{ftz}.{t}"), 'p', two, &expression);
            if t != "bf16" {
                table.row(format!("set.{how}{ftz}.u32.{t}"), 'r', two, format!("{expression} ? ~0u : 0u"));
            }
            if !t.ends_with("f16") {
                table.row(format!("set.{how}{ftz}.f32.{t}"), 'r', two, format!("{expression} ? 0x3f800000u : 0u"));
            }
        }
    }
    for (t, host, _, letter) in WHOLE {
        let two = repeat(letter, 2);
        for how in ORDERED {
            let expression = format!("cmp({host}, {}, 0, $0, $1)", comparison(how));
            table.row(format!("setp.{how}.{t}"), 'p', two, &expression);
            table.row(format!("set.{how}.s32.{t}"), 'r', two, format!("{expression} ? ~0u : 0u"));
            table.row(format!("set.{how}.f32.{t}"), 'r', two, format!("{expression} ? 0x3f800000u : 0u"));
            for (op, sign) in [("and", "&&"), ("or", "||"), ("xor", "!=")] {
                let three = ["HHp", "RRp", "DDp"][(letter == "R") as usize + 2 * (letter == "D") as usize];
                table.row(format!("setp.{how}.{op}.{t}"), 'p', three, format!("{expression} {sign} $2"));
            }
        }
        if t.starts_with('u') {
            for (how, same) in [("lo", "LT"), ("ls", "LE"), ("hi", "GT"), ("hs", "GE")] {
                table.row(format!("setp.{how}.{t}"), 'p', two, format!("cmp({host}, {same}, 0, $0, $1)"));
            }
        }
    }
    for (t, host, one) in [("f32", "F32", "f"), ("f64", "F64", "g")] {
        for (name, class) in [
            ("finite", "FINITE"),
            ("infinite", "INFINITE"),
            ("number", "NUMBER"),
            ("notanumber", "NOTANUMBER"),
            ("normal", "NORMAL"),
            ("subnormal", "SUBNORMAL"),
        ] {
            table.row(format!("testp.{name}.{t}"), 'p', one, format!("testp({host}, {class}, $0)"));
        }
    }
}

fn floats(table: &mut Table) {
    const NAMES: [(&str, &str, usize); 7] = [
        ("add", "ADD", 2),
        ("sub", "SUB", 2),
        ("mul", "MUL", 2),
        ("fma", "FMA", 3),
        ("div", "DIV", 2),
        ("rcp", "RCP", 1),
        ("sqrt", "SQRT", 1),
    ];
    let arguments = |count: usize| ["$0", "$0, $1", "$0, $1, $2"][count - 1];
    for (rounding, mode) in [("rn", "RN"), ("rz", "RZ"), ("rm", "RM"), ("rp", "RP")] {
        for (name, operation, count) in NAMES {
            for (modifiers, flags) in [("", "0"), (".ftz", "FTZ"), (".sat", "SAT"), (".ftz.sat", "FTZ | SAT")] {
                if count == 1 && flags.contains("SAT") || name == "div" && flags.contains("SAT") {
                    continue;
                }
                let host = format!("flt(F32, {operation}, {mode}, {flags}, {})", arguments(count));
                table.row(format!("{name}.{rounding}{modifiers}.f32"), 'r', repeat("f", count), host);
            }
            let host = format!("flt(F64, {operation}, {mode}, 0, {})", arguments(count));
            table.row(format!("{name}.{rounding}.f64"), 'd', repeat("g", count), host).canonical = Some("f64");
        }
    }
    for (name, operation) in [("min", "MIN"), ("max", "MAX")] {
        for (modifiers, flags) in [
            ("", "0"),
            (".ftz", "FTZ"),
            (".NaN", "NAN_WINS"),
            (".ftz.NaN", "FTZ | NAN_WINS"),
            (".xorsign.abs", "XORSIGN"),
            (".NaN.xorsign.abs", "NAN_WINS | XORSIGN"),
        ] {
            table.row(
                format!("{name}{modifiers}.f32"),
                'r',
                "ff",
                format!("flt(F32, {operation}, RN, {flags}, $0, $1)"),
            );
        }
        let host = format!("flt(F64, {operation}, RN, 0, $0, $1)");
        table.row(format!("{name}.f64"), 'd', "gg", host).canonical = Some("f64");
    }
    for (name, operation) in [("neg", "NEG"), ("abs", "ABS")] {
        table.row(format!("{name}.f32"), 'r', "f", format!("flt(F32, {operation}, RN, 0, $0)")).canonical = Some("f32");
        let flushed = format!("flt(F32, {operation}, RN, FTZ, $0)");
        table.row(format!("{name}.ftz.f32"), 'r', "f", flushed).canonical = Some("f32");
        table.row(format!("{name}.f64"), 'd', "g", format!("flt(F64, {operation}, RN, 0, $0)")).canonical = Some("f64");
    }
    table.row("copysign.f32", 'r', "ff", "flt(F32, COPYSIGN, RN, 0, $0, $1)");
    table.row("copysign.f64", 'd', "gg", "flt(F64, COPYSIGN, RN, 0, $0, $1)");
}

fn halves(table: &mut Table) {
    for (t, host, modifiers) in [
        ("f16", "F16", &[("", "0"), (".ftz", "FTZ"), (".sat", "SAT"), (".ftz.sat", "FTZ | SAT")][..]),
        ("bf16", "BF16", &[("", "0")][..]),
    ] {
        let pair = format!("{t}x2");
        for (name, operation, count) in [("add", "ADD", 2), ("sub", "SUB", 2), ("mul", "MUL", 2), ("fma", "FMA", 3)] {
            let arguments = ["$0", "$0, $1", "$0, $1, $2"][count - 1];
            let relu = [(".relu", "RELU")].into_iter().filter(|_| name == "fma");
            for (modifier, flags) in modifiers.iter().copied().chain(relu) {
                let one = format!("flt({host}, {operation}, RN, {flags}, {arguments})");
                table.row(format!("{name}.rn{modifier}.{t}"), 'h', repeat("h", count), one);
                let two = format!("flt2({host}, {operation}, {flags}, {arguments})");
                table.row(format!("{name}.rn{modifier}.{pair}"), 'r', repeat("r", count), two);
            }
        }
        for (name, operation) in [("min", "MIN"), ("max", "MAX")] {
            let ftz = [(".ftz", "FTZ"), (".ftz.NaN", "FTZ | NAN_WINS")].into_iter().filter(|_| t == "f16");
            let all = [
                ("", "0"),
                (".NaN", "NAN_WINS"),
                (".xorsign.abs", "XORSIGN"),
                (".NaN.xorsign.abs", "NAN_WINS | XORSIGN"),
            ];
            for (modifier, flags) in all.into_iter().chain(ftz) {
                let one = format!("flt({host}, {operation}, RN, {flags}, $0, $1)");
                table.row(format!("{name}{modifier}.{t}"), 'h', "hh", one);
                table.row(
                    format!("{name}{modifier}.{pair}"),
                    'r',
                    "rr",
                    format!("flt2({host}, {operation}, {flags}, $0, $1)"),
                );
            }
        }
        for (name, operation) in [("neg", "NEG"), ("abs", "ABS")] {
            let row = table.row(format!("{name}.{t}"), 'h', "h", format!("flt({host}, {operation}, RN, 0, $0)"));
            row.canonical = Some(if t == "f16" { "f16" } else { "bf16" });
        }
    }
}
