//! `cvt` between every two types that it takes.

type Add<'a> = dyn FnMut(String, char, &'static str, String, Option<&'static str>) + 'a;

const WHOLE: [(&str, u32); 8] =
    [("u8", 8), ("u16", 16), ("u32", 32), ("u64", 64), ("s8", 8), ("s16", 16), ("s32", 32), ("s64", 64)];
const FLOATS: [(&str, u32); 4] = [("f16", 16), ("bf16", 16), ("f32", 32), ("f64", 64)];
const MODES: [(&str, &str); 4] = [("n", "RN"), ("z", "RZ"), ("m", "RM"), ("p", "RP")];

/// Registers that hold a type: bytes lie in those of 16 and of 32 bits.
fn registers(bits: u32) -> &'static [char] {
    match bits {
        8 => &['h', 'r'],
        16 => &['h'],
        32 => &['r'],
        _ => &['d'],
    }
}

fn source(register: char) -> &'static str {
    match register {
        'h' => "h",
        'r' => "r",
        _ => "d",
    }
}

fn upper(name: &str) -> String {
    name.to_uppercase()
}

/// Gives every row to `add`: opcode, destination, source, C++, and the type whose NaNs are made canonical.
pub fn rows(add: &mut Add) {
    whole_from_whole(add);
    whole_and_float(add);
    float_from_float(add);
    for (pair, half) in [("f16x2", "F16"), ("bf16x2", "BF16")] {
        for (mode, host) in [("rn", "RN"), ("rz", "RZ")] {
            for (relu, flags) in [("", "0"), (".relu", "RELU")] {
                let host = format!("cvt2({half}, {host}, {flags}, $0, $1)");
                add(format!("cvt.{mode}{relu}.{pair}.f32"), 'r', "rr", host, None);
            }
        }
    }
}

fn whole_from_whole(add: &mut Add) {
    for (to, to_bits) in WHOLE {
        for (from, from_bits) in WHOLE {
            for &to_register in registers(to_bits) {
                for &from_register in registers(from_bits) {
                    for (sat, flags) in [("", "0"), (".sat", "SAT")] {
                        // Refused where every value fits.
                        let signs = (to.starts_with('s'), from.starts_with('s'));
                        let fits = match signs {
                            (false, true) => false,
                            (true, false) => to_bits > from_bits,
                            _ => to_bits >= from_bits,
                        };
                        if fits && flags == "SAT" {
                            continue;
                        }
                        let host = format!("cvt({}, {}, RN, false, {flags}, $0)", upper(to), upper(from));
                        add(format!("cvt{sat}.{to}.{from}"), to_register, source(from_register), host, None);
                    }
                }
            }
        }
    }
}

fn whole_and_float(add: &mut Add) {
    for (whole, whole_bits) in WHOLE {
        for (float, float_bits) in FLOATS {
            if float == "bf16" && whole_bits == 8 {
                continue;
            }
            for (mode, host_mode) in MODES {
                let (w, f) = (upper(whole), upper(float));
                for &register in registers(whole_bits) {
                    for (modifiers, flags) in [("", "0"), (".ftz", "FTZ"), (".sat", "SAT")] {
                        if flags == "FTZ" && float != "f32" || flags == "SAT" && float == "bf16" {
                            continue;
                        }
                        let host = format!("cvt({w}, {f}, {host_mode}, true, {flags}, $0)");
                        let from = source(registers(float_bits)[0]);
                        add(format!("cvt.r{mode}i{modifiers}.{whole}.{float}"), register, from, host, None);
                    }
                }
                for &register in registers(whole_bits) {
                    for (modifiers, flags) in [("", "0"), (".sat", "SAT")] {
                        if float == "bf16" && (mode != "n" || flags == "SAT") {
                            continue;
                        }
                        let host = format!("cvt({f}, {w}, {host_mode}, false, {flags}, $0)");
                        let to = registers(float_bits)[0];
                        add(format!("cvt.r{mode}{modifiers}.{float}.{whole}"), to, source(register), host, None);
                    }
                }
            }
        }
    }
}

fn float_from_float(add: &mut Add) {
    for (to, to_bits) in FLOATS {
        for (from, from_bits) in FLOATS {
            let (register, sources) = (registers(to_bits)[0], source(registers(from_bits)[0]));
            let canonical = Some(to);
            let mut give = |opcode: String, mode: &str, integral: bool, flags: &str| {
                let host = format!("cvt({}, {}, {mode}, {integral}, {flags}, $0)", upper(to), upper(from));
                add(opcode, register, sources, host, canonical);
            };
            if to == from {
                // To a whole number in the same format.
                for (mode, host) in MODES.into_iter().filter(|_| to != "bf16") {
                    give(format!("cvt.r{mode}i.{to}.{from}"), host, true, "0");
                    give(format!("cvt.r{mode}i.sat.{to}.{from}"), host, true, "SAT");
                    if to == "f32" {
                        give(format!("cvt.r{mode}i.ftz.{to}.{from}"), host, true, "FTZ");
                    }
                }
            } else if to_bits > from_bits {
                give(format!("cvt.{to}.{from}"), "RN", false, "0");
                if from != "bf16" {
                    give(format!("cvt.sat.{to}.{from}"), "RN", false, "SAT");
                }
            } else if to_bits < from_bits && from == "f32" && to == "bf16" {
                for (mode, host) in [("rn", "RN"), ("rz", "RZ")] {
                    give(format!("cvt.{mode}.{to}.{from}"), host, false, "0");
                    give(format!("cvt.{mode}.relu.{to}.{from}"), host, false, "RELU");
                }
            } else if to_bits < from_bits {
                let modes = MODES.into_iter().filter(|&(mode, _)| to != "bf16" || mode == "n");
                for (mode, host) in modes {
                    give(format!("cvt.r{mode}.{to}.{from}"), host, false, "0");
                    if to != "bf16" {
                        give(format!("cvt.r{mode}.sat.{to}.{from}"), host, false, "SAT");
                    }
                }
                if to == "f32" {
                    give("cvt.rn.ftz.f32.f64".into(), "RN", false, "FTZ");
                }
                if to == "f16" && from == "f32" {
                    give("cvt.rn.relu.f16.f32".into(), "RN", false, "RELU");
                    give("cvt.rn.ftz.f16.f32".into(), "RN", false, "FTZ");
                }
            }
        }
    }
}
