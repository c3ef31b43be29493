//! Loads, stores and atomics, packing, and carries: steps that any lane may do alone.
use super::{Generator, OWN_BYTES};
use crate::kernel::{Item, Twin};
use std::fmt::Write;

/// Types of memory, their bytes, and the registers that take them.
const TYPES: [(&str, &str, usize, &[char]); 10] = [
    ("u8", "U8", 1, &['h', 'r', 'd']),
    ("s8", "S8", 1, &['h', 'r', 'd']),
    ("u16", "U16", 2, &['h', 'r', 'd']),
    ("s16", "S16", 2, &['h', 'r', 'd']),
    ("u32", "U32", 4, &['r', 'd']),
    ("s32", "S32", 4, &['r', 'd']),
    ("b32", "U32", 4, &['r']),
    ("f32", "U32", 4, &['r']),
    ("u64", "U64", 8, &['d']),
    ("b16", "U16", 2, &['h']),
];

/// Atomics that give the same result in any order, each with a word of its own among those that all threads share.
pub const COMMUTATIVE: [(&str, &str, &str, char); 8] = [
    ("add.u32", "R_ADD", "U32", 'r'),
    ("max.s32", "R_MAX", "S32", 'r'),
    ("min.s32", "R_MIN", "S32", 'r'),
    ("or.b64", "R_OR", "U64", 'd'),
    ("xor.b32", "R_XOR", "U32", 'r'),
    ("add.u64", "R_ADD", "U64", 'd'),
    ("max.u64", "R_MAX", "U64", 'd'),
    ("xor.b64", "R_XOR", "U64", 'd'),
];

/// `%full`: the lanes of the warp that exist.
pub fn lanes(threads: u32) -> Twin {
    Twin::new(
        format!(
            "mov.u32 %t, %tid.x;\nand.b32 %t, %t, -32;\nsub.u32 %t, {threads}, %t;\nmin.u32 %t, %t, 32;\nsub.u32 %t, 32, %t;\nmov.b32 %full, -1;\nshr.u32 %full, %full, %t;\n"
        ),
        format!(
            "full = {threads} - (threadIdx.x & ~31u) >= 32 ? ~0u : (1u << ({threads} - (threadIdx.x & ~31u))) - 1;\n"
        ),
    )
}

impl Generator<'_> {
    pub(super) fn memory(&mut self) -> Item {
        match self.random.below(7) {
            0 => self.constant(),
            6 if self.entry => self.copied(),
            1 => self.input(),
            2 if self.entry => self.atomic(),
            3 if self.entry => self.reduction(),
            _ => self.own(),
        }
    }

    /// A load or a store, of one to four elements, of the thread's own memory.
    fn own(&mut self) -> Item {
        let (name, host_type, bytes, registers) = self.random.pick(&TYPES);
        let letter = self.random.pick(registers);
        let most = if bytes == 8 { 2 } else { 4 };
        let elements = self.random.pick(&[1, 1, 1, 2, 4]).min(most);
        let size = bytes * elements;
        let offset = self.random.below(OWN_BYTES / size) * size;
        let load = self.random.once_in(2);
        // A vector's parts go to different registers.
        let count = match letter {
            'h' => super::HALVES,
            'r' => super::WORDS,
            _ => super::DOUBLES,
        };
        let first = self.random.below(count);
        let names: Vec<String> = (0..elements).map(|i| format!("{letter}{}", (first + i) % count)).collect();
        let list = names.iter().map(|name| format!("%{name}")).collect::<Vec<_>>().join(", ");
        let list = if elements == 1 { list } else { format!("{{{list}}}") };
        let vector = ["", "", ".v2", "", ".v4"][elements];
        let (mut device, mut host) = (String::new(), String::new());
        let shared = self.entry && self.random.once_in(2);
        let (space, place, mut base) = match (shared, self.random.below(3)) {
            (true, 0) => {
                // Through a generic address.
                device.push_str("cvt.u64.u32 %address, %own;\ncvta.shared.u64 %address, %address;\n");
                ("", "[%address".to_owned(), "own_shared".to_owned())
            }
            (true, 1) => {
                let (by, mask) = (self.word(), (OWN_BYTES - 1) & !(size - 1) & !offset);
                let _ = writeln!(device, "and.b32 %t, %{by}, {mask};\nadd.u32 %t, %t, %own;");
                (".shared", "[%t".to_owned(), format!("own_shared + ({by} & {mask})"))
            }
            (true, _) => (".shared", "[%own".to_owned(), "own_shared".to_owned()),
            (false, 0) => {
                let (by, mask) = (self.word(), (OWN_BYTES - 1) & !(size - 1) & !offset);
                let _ = writeln!(
                    device,
                    "and.b32 %t, %{by}, {mask};\ncvt.u64.u32 %address, %t;\nmov.u64 %base, own_local;\nadd.u64 %address, %address, %base;"
                );
                (".local", "[%address".to_owned(), format!("own_local + ({by} & {mask})"))
            }
            (false, 1) => {
                device.push_str("mov.u64 %address, own_local;\ncvta.local.u64 %address, %address;\n");
                ("", "[%address".to_owned(), "own_local".to_owned())
            }
            (false, _) => (".local", "[own_local".to_owned(), "own_local".to_owned()),
        };
        let _ = write!(base, " + {offset}");
        // Orders of memory that nobody else sees change nothing.
        let own = if load { ".acquire.cta" } else { ".release.cta" };
        let order = match shared && elements == 1 {
            true => self.random.pick(&["", "", ".volatile", ".relaxed.cta", own]),
            false => "",
        };
        if load {
            let _ = write!(device, "ld{order}{space}{vector}.{name} {list}, {place}+{offset}];");
            // The address is worked out before a part of the vector can change it.
            let _ = write!(host, "{{ u8 *at = {base};");
            for (i, register) in names.iter().enumerate() {
                let _ = write!(host, " {register} = load({host_type}, at + {});", i * bytes);
            }
            host.push_str(" }");
        } else {
            let _ = write!(device, "st{order}{space}{vector}.{name} {place}+{offset}], {list};");
            for (i, register) in names.iter().enumerate() {
                let _ = write!(host, "store({host_type}, {base} + {}, {register}); ", i * bytes);
            }
        }
        Item::Step(Twin::new(device, host))
    }

    fn constant(&mut self) -> Item {
        let (name, host_type, bytes, registers) = self.random.pick(&TYPES);
        let letter = self.random.pick(registers);
        let (to, by, mask) = (self.register(letter), self.word(), 63 & !(bytes - 1));
        let table = if self.entry { "@K_table" } else { "@K_ftable" };
        Item::Step(Twin::new(
            format!(
                "and.b32 %t, %{by}, {mask};\ncvt.u64.u32 %address, %t;\nmov.u64 %base, {table};\nadd.u64 %address, %address, %base;\nld.const.{name} %{to}, [%address];"
            ),
            format!("{to} = load({host_type}, (u8 *){table} + ({by} & {mask}));"),
        ))
    }

    /// The thread's own input, read again.
    fn input(&mut self) -> Item {
        if !self.entry {
            return self.own();
        }
        let (name, host_type, bytes, registers) = self.random.pick(&TYPES);
        let letter = self.random.pick(registers);
        let (to, offset) = (self.register(letter), self.random.below(64 / bytes) * bytes);
        let how = self.random.choose(&["global", "global.nc", "volatile.global", "relaxed.gpu.global"]);
        Item::Step(Twin::new(
            format!("ld.{how}.{name} %{to}, [%in+{offset}];"),
            format!("{to} = load({host_type}, (u8 *)in + {offset});"),
        ))
    }

    /// Asynchronous copies of parts of the thread's input to its shared memory, in two groups that it waits for one after the other.
    fn copied(&mut self) -> Item {
        let (mut device, mut host, mut first) = (String::new(), String::from("{"), 0);
        for half in 0..2 {
            let size = self.random.pick(&[4, 8, 16]);
            let to = half * (OWN_BYTES / 2) + self.random.below(OWN_BYTES / 2 / size) * size;
            let from = self.random.below(64 / size) * size;
            // The rest of what is not read is zeros.
            let read = if self.random.once_in(3) { self.random.below(size + 1) } else { size };
            let _ = write!(
                device,
                "cp.async.ca.shared.global [%own+{to}], [%in+{from}], {size}, {read};\ncp.async.commit_group;\n"
            );
            let _ = write!(
                host,
                " for (int i = 0; i < {size}; i++) store(U8, own_shared + {to} + i, i < {read} ? load(U8, (u8 *)in + {from} + i) : 0);"
            );
            first = if half == 0 { to } else { first };
        }
        let (to, last) = (self.word(), self.random.pick(&["cp.async.wait_group 0;", "cp.async.wait_all;"]));
        let _ = write!(device, "cp.async.wait_group 1;\nld.shared.u32 %{to}, [%own+{first}];\n{last}");
        let _ = write!(host, " {to} = load(U32, own_shared + {first}); }}");
        Item::Step(Twin::new(device, host))
    }

    /// One that gives the old value, on memory that nobody else has.
    fn atomic(&mut self) -> Item {
        let (bits, letter) = self.random.pick(&[(32, 'r'), (64, 'd')]);
        let (to, a, b) = (self.register(letter), self.register(letter), self.register(letter));
        let offset = self.random.below(OWN_BYTES * 8 / bits) * bits / 8;
        let at = format!("own_shared + {offset}");
        let (u, s) = (format!("U{bits}"), format!("S{bits}"));
        let (opcode, new) = match self.random.below(11) {
            0 => (format!("add.u{bits}"), format!("add({u}, old, x)")),
            1 => (format!("min.u{bits}"), format!("min_({u}, old, x)")),
            2 => (format!("max.u{bits}"), format!("max_({u}, old, x)")),
            3 => (format!("min.s{bits}"), format!("min_({s}, old, x)")),
            4 => (format!("max.s{bits}"), format!("max_({s}, old, x)")),
            5 => (format!("and.b{bits}"), "old & x".into()),
            6 => (format!("or.b{bits}"), "old | x".into()),
            7 => (format!("xor.b{bits}"), "old ^ x".into()),
            8 if bits == 32 => ("inc.u32".into(), "(old >= x ? 0 : old + 1)".into()),
            9 if bits == 32 => ("dec.u32".into(), "(old == 0 || old > x ? x : old - 1)".into()),
            8 | 9 => (format!("exch.b{bits}"), "x".into()),
            _ => {
                return Item::Step(Twin::new(
                    format!("atom.shared.cas.b{bits} %{to}, [%own+{offset}], %{a}, %{b};"),
                    format!(
                        "{{ u64 old = load({u}, {at}), x = {a}, y = {b}; {to} = old; if (old == x) store({u}, {at}, y); }}"
                    ),
                ));
            }
        };
        Item::Step(Twin::new(
            format!("atom.shared.{opcode} %{to}, [%own+{offset}], %{a};"),
            format!("{{ u64 old = load({u}, {at}), x = {a}; {to} = old; store({u}, {at}, {new}); }}"),
        ))
    }

    /// On global memory that all threads share.
    fn reduction(&mut self) -> Item {
        let word = self.random.below(COMMUTATIVE.len());
        let (opcode, operation, ty, letter) = COMMUTATIVE[word];
        let (from, at) = (self.register(letter), 8 * word);
        Item::Step(Twin::new(
            format!("red.global.{opcode} [%meet+{at}], %{from};"),
            format!("reduce({operation}, {ty}, meet + {at}, {from});"),
        ))
    }

    /// Vectors of registers in one, and out of it.
    pub(super) fn pack(&mut self) -> Item {
        let d = self.double();
        let (low, high) = (self.random.below(super::WORDS), 1 + self.random.below(super::WORDS - 1));
        let (a, b) = (format!("r{low}"), format!("r{}", (low + high) % super::WORDS));
        let half = self.random.below(super::HALVES);
        let h: Vec<String> = (0..4).map(|i| format!("h{}", (half + i) % super::HALVES)).collect();
        let (device, host) = match self.random.below(6) {
            0 => (format!("mov.b64 %{d}, {{%{a}, %{b}}};"), format!("{d} = (u64){b} << 32 | {a};")),
            1 => (format!("mov.b64 {{%{a}, %{b}}}, %{d};"), format!("{a} = (u32){d}; {b} = (u32)({d} >> 32);")),
            2 => (format!("mov.b32 %{a}, {{%{}, %{}}};", h[0], h[1]), format!("{a} = (u32){} << 16 | {};", h[1], h[0])),
            3 => (
                format!("mov.b32 {{%{}, %{}}}, %{a};", h[0], h[1]),
                format!("{} = (u16){a}; {} = (u16)({a} >> 16);", h[0], h[1]),
            ),
            4 => (
                format!("mov.b64 %{d}, {{%{}, %{}, %{}, %{}}};", h[0], h[1], h[2], h[3]),
                format!("{d} = (u64){} << 48 | (u64){} << 32 | (u64){} << 16 | {};", h[3], h[2], h[1], h[0]),
            ),
            _ => (
                format!("mov.b64 {{%{}, %{}, %{}, %{}}}, %{d};", h[0], h[1], h[2], h[3]),
                (0..4).map(|i| format!("{} = (u16)({d} >> {}); ", h[i], 16 * i)).collect(),
            ),
        };
        Item::Step(Twin::new(device, host))
    }

    /// A comparison that gives a predicate and its complement.
    pub(super) fn two_predicates(&mut self) -> Item {
        let first = self.random.below(super::PREDICATES);
        let (p, q) = (format!("p{first}"), format!("p{}", (first + 1) % super::PREDICATES));
        let (ty, host_type, letter) = self.random.pick(&[
            ("s32", "S32", 'R'),
            ("u32", "U32", 'R'),
            ("f32", "F32", 'f'),
            ("s64", "S64", 'D'),
            ("u16", "U16", 'H'),
        ]);
        let how = self.random.choose(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let ((a, host_a), (b, host_b)) = (self.operand(letter.to_ascii_lowercase()), self.operand(letter));
        let compared = format!("bool x = cmp({host_type}, {}, 0, {host_a}, {host_b});", how.to_uppercase());
        if self.random.once_in(2) {
            return Item::Step(Twin::new(
                format!("setp.{how}.{ty} %{p}|%{q}, {a}, {b};"),
                format!("{{ {compared} {p} = x; {q} = !x; }}"),
            ));
        }
        let (op, sign) = self.random.pick(&[("and", "&&"), ("or", "||"), ("xor", "!=")]);
        let (c, not) = (self.predicate(), self.random.pick(&["", "!"]));
        Item::Step(Twin::new(
            format!("setp.{how}.{op}.{ty} %{p}|%{q}, {a}, {b}, {not}%{c};"),
            format!("{{ {compared} bool c = {not}{c}; {p} = x {sign} c; {q} = !x {sign} c; }}"),
        ))
    }

    /// A chain of sums, differences and products that hand the carry flag on. It begins by setting the flag.
    pub(super) fn carries(&mut self) -> Item {
        let (bits, letter) = self.random.pick(&[(32, 'R'), (64, 'D')]);
        let (x, y) = (self.operand(letter), self.operand(letter));
        let start = self.random.once_in(2);
        let (opcode, function) = if start { ("add", "add_cc") } else { ("sub", "sub_cc") };
        let open = Twin::new(
            format!("{opcode}.cc.u{bits} %{}, {}, {};", if bits == 32 { "t" } else { "address" }, x.0, y.0),
            format!("{{ {function}({bits}, false, true, {}, {}, cc);", x.1, y.1),
        );
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let to = self.register(letter.to_ascii_lowercase());
            let (a, b, c) = (self.operand(letter), self.operand(letter), self.operand(letter));
            let (reads, writes) = (!self.random.once_in(4), !self.random.once_in(4));
            let cc = if writes { ".cc" } else { "" };
            let carry = if reads { "c" } else { "" };
            body.push(Item::Step(match self.random.below(3) {
                0 => Twin::new(
                    format!("add{carry}{cc}.u{bits} %{to}, {}, {};", a.0, b.0),
                    format!("{to} = add_cc({bits}, {reads}, {writes}, {}, {}, cc);", a.1, b.1),
                ),
                1 => Twin::new(
                    format!("sub{carry}{cc}.u{bits} %{to}, {}, {};", a.0, b.0),
                    format!("{to} = sub_cc({bits}, {reads}, {writes}, {}, {}, cc);", a.1, b.1),
                ),
                _ => {
                    let (sign, host_sign) = self.random.pick(&[("u", "U"), ("s", "S")]);
                    let (half, high) = self.random.pick(&[("lo", false), ("hi", true)]);
                    Twin::new(
                        format!("mad{carry}.{half}{cc}.{sign}{bits} %{to}, {}, {}, {};", a.0, b.0, c.0),
                        format!(
                            "{to} = mad_cc({host_sign}{bits}, {high}, {reads}, {writes}, {}, {}, {}, cc);",
                            a.1, b.1, c.1
                        ),
                    )
                }
            }));
        }
        Item::Arms(vec![(open, body)], Twin::new("", "}"))
    }

    pub(super) fn special_register(&mut self) -> Item {
        let to = self.word();
        let (name, host) = self.random.pick(&[
            ("tid.x", "threadIdx.x"),
            ("tid.y", "0"),
            ("ntid.x", "blockDim.x"),
            ("ntid.z", "1"),
            ("ctaid.x", "blockIdx.x"),
            ("nctaid.x", "gridDim.x"),
            ("laneid", "threadIdx.x & 31"),
            ("lanemask_eq", "1u << (threadIdx.x & 31)"),
            ("lanemask_lt", "(1u << (threadIdx.x & 31)) - 1"),
            ("lanemask_le", "(2u << (threadIdx.x & 31)) - 1"),
            ("lanemask_gt", "~((2u << (threadIdx.x & 31)) - 1)"),
            ("lanemask_ge", "~((1u << (threadIdx.x & 31)) - 1)"),
        ]);
        Item::Step(Twin::new(format!("mov.u32 %{to}, %{name};"), format!("{to} = {host};")))
    }
}
