//! Random PTX, and the C++ beside it.
//!
//! Registers have the same names on both sides: `h` of 16, `r` of 32, `d` of 64 bits, `p` predicates. All are untyped, so
//! that an instruction on floats may read what one on integers left. Control flow is made of arms, loops that count
//! down, jumps forward to anywhere, and switches; what lanes or threads do together stands where all of them come.
mod memory;
mod registers;
mod table;
mod together;

use crate::kernel::{Function, Item, Kernel, Twin, WORDS_IN, WORDS_OUT};
use crate::random::Random;
use registers::{declarations, fill, other_register, registers, tail};
use std::collections::BTreeMap;
use std::fmt::Write;
pub use table::Row;

/// Registers of each width that programs compute with.
const HALVES: usize = 6;
const WORDS: usize = 10;
const DOUBLES: usize = 8;
const PREDICATES: usize = 4;

/// Bytes of shared and of local memory that are each thread's own.
const OWN_BYTES: usize = 32;

/// Head of a module.
pub const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// The rows, and which begin with the same word.
pub struct Table {
    rows: Vec<Row>,
    by_name: Vec<Vec<usize>>,
}

impl Table {
    pub fn new() -> Table {
        let rows = table::rows();
        let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let name = row.opcode.split('.').next().unwrap_or_default();
            names.entry(name.to_owned()).or_default().push(index);
        }
        Table { rows, by_name: names.into_values().collect() }
    }

    /// Names as often as each other, but for a quarter that goes by rows: `cvt` and `setp` have hundreds.
    fn row(&self, random: &mut Random) -> &Row {
        match random.once_in(4) {
            true => &self.rows[random.below(self.rows.len())],
            false => {
                let rows = &self.by_name[random.below(self.by_name.len())];
                &self.rows[rows[random.below(rows.len())]]
            }
        }
    }
}

struct Generator<'a> {
    random: Random,
    table: &'a Table,
    threads: u32,
    labels: usize,
    /// Jumps whose label is still to come.
    pending: Vec<usize>,
    functions: usize,
    /// True while the kernel itself is made, which alone has shared memory.
    entry: bool,
    /// Loops around, for the register that counts.
    loops: usize,
    /// The number of the label at the end of a loop, where it may be jumped to.
    around: Vec<usize>,
}

pub fn kernel(seed: u64, table: &Table) -> Kernel {
    let mut random = Random::new(seed);
    let threads = random.pick(&[32, 32, 64, 48, 96, 1, 33]);
    let blocks = 1 + random.below(2) as u32;
    let functions = random.below(3);
    let mut generator = Generator {
        random,
        table,
        threads,
        labels: 0,
        pending: Vec::new(),
        functions: 0,
        entry: false,
        loops: 0,
        around: Vec::new(),
    };
    let mut all: Vec<Function> = (0..functions).map(|index| generator.function(index)).collect();
    generator.functions = functions;
    generator.entry = true;
    all.push(generator.entry());
    Kernel { seed, functions: all, blocks, threads }
}

impl Generator<'_> {
    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn half(&mut self) -> String {
        format!("h{}", self.random.below(HALVES))
    }
    fn word(&mut self) -> String {
        format!("r{}", self.random.below(WORDS))
    }
    fn double(&mut self) -> String {
        format!("d{}", self.random.below(DOUBLES))
    }
    fn predicate(&mut self) -> String {
        format!("p{}", self.random.below(PREDICATES))
    }

    fn register(&mut self, letter: char) -> String {
        match letter {
            'h' => self.half(),
            'r' => self.word(),
            'd' => self.double(),
            _ => self.predicate(),
        }
    }

    /// An operand as PTX and as C++ have it.
    fn operand(&mut self, letter: char) -> (String, String) {
        let register = |name: String| (format!("%{name}"), name);
        let whole = |value: i64, bits: u32| {
            let cut = value as u64 & (u64::MAX >> (64 - bits));
            (value.to_string(), format!("(u{bits}){cut:#x}ull"))
        };
        let immediate = self.random.once_in(4);
        match letter {
            'H' if immediate => whole(i64::from(self.random.edge_32() as i16), 16),
            'R' if immediate => whole(i64::from(self.random.edge_32() as i32), 32),
            'D' if immediate => whole(i64::from(self.random.edge_32() as i32), 64),
            'h' | 'H' => register(self.half()),
            'r' | 'R' => register(self.word()),
            'd' | 'D' => register(self.double()),
            'f' if immediate => {
                let bits = self.random.float_32();
                (format!("0f{bits:08X}"), format!("{bits:#x}u"))
            }
            'g' if immediate => {
                let bits = self.random.float_64();
                (format!("0d{bits:016X}"), format!("{bits:#x}ull"))
            }
            'f' => register(self.word()),
            'g' => register(self.double()),
            'L' => whole(self.random.below(256) as i64, 32),
            'q' if immediate => whole(self.random.below(32) as i64, 32),
            'q' => register("n0".into()),
            's' if self.random.once_in(2) => whole(self.random.below(72) as i64, 32),
            's' if self.random.once_in(4) => register(self.word()),
            's' => register(format!("n{}", self.random.below(3))),
            _ => register(self.predicate()),
        }
    }

    /// A step of the table.
    fn row(&mut self) -> Item {
        let row = self.table.row(&mut self.random);
        let to = self.register(row.to);
        let mut device = format!("{} %{to}", row.opcode);
        let mut host = row.host.clone();
        let mut before = String::new();
        for (index, letter) in row.from.chars().enumerate() {
            let (mut on_device, mut on_host) = match letter {
                'z' => {
                    let name = format!("z{}", row.to);
                    (format!("%{name}"), name)
                }
                _ => self.operand(letter),
            };
            // An extreme of one operand twice is that operand for a card's assembler, with a NaN's payload.
            if row.is_extreme() && on_device == before {
                on_host = other_register(&on_host);
                on_device = format!("%{on_host}");
            }
            before.clone_from(&on_device);
            let _ = write!(device, ", {on_device}");
            host = host.replace(&format!("${index}"), &on_host);
        }
        device.push(';');
        // A card's assembler lets go of the old value where these are guarded.
        let unguarded = row.opcode.starts_with("set.") || row.opcode.starts_with("testp.");
        if row.to == 'p' {
            host = format!("{to} = ({host}) != 0;");
        } else {
            host = format!("{to} = (u{})({host});", width(row.to));
        }
        if let Some(ty) = &row.canonical {
            let (nan, bits) = match ty.as_str() {
                "f64" => ("0x7ff8000000000000", 64),
                "f32" => ("0x7fffffff", 32),
                _ => ("0x7fff", 16),
            };
            let _ = write!(device, "\nsetp.nan.{ty} %pn, %{to}, %{to};\n@%pn mov.b{bits} %{to}, {nan};");
        } else if !unguarded && self.random.once_in(8) {
            let (guard, negated) = (self.predicate(), self.random.once_in(2));
            device.insert_str(0, &format!("@{}%{guard} ", if negated { "!" } else { "" }));
            host = format!("if ({}{guard}) {host}", if negated { "!" } else { "" });
        }
        Item::Step(Twin::new(device, host))
    }

    /// Something that any lane may do alone.
    fn step(&mut self, depth: usize) -> Item {
        match self.random.below(40) {
            0..=2 if depth < 3 => self.branch(depth),
            3..=4 if depth < 3 && self.loops < 3 => self.repeat(depth),
            5 if depth < 2 => self.switch(depth),
            6 => self.jump(),
            7 if !self.around.is_empty() => self.leave(),
            8 if self.functions > 0 => self.call(),
            9..=11 => self.memory(),
            12 => self.pack(),
            13 => self.two_predicates(),
            14..=15 => self.carries(),
            16 => self.special_register(),
            _ => self.row(),
        }
    }

    fn steps(&mut self, count: usize, depth: usize) -> Vec<Item> {
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(self.step(depth));
            if !self.pending.is_empty() && self.random.once_in(3) {
                let at = self.random.below(self.pending.len());
                let label = self.pending.swap_remove(at);
                items.push(mark(label));
            }
        }
        items
    }

    fn branch(&mut self, depth: usize) -> Item {
        let (p, count) = (self.predicate(), 1 + self.random.below(5));
        let (end, other) = (self.label(), self.label());
        let then = self.steps(count, depth + 1);
        if self.random.once_in(2) {
            let open = Twin::new(format!("@!%{p} bra L{end};"), format!("if ({p}) {{"));
            return Item::Arms(vec![(open, then)], Twin::new(format!("L{end}:"), "}"));
        }
        let count = 1 + self.random.below(4);
        let otherwise = self.steps(count, depth + 1);
        let open = Twin::new(format!("@!%{p} bra L{other};"), format!("if ({p}) {{"));
        let middle = Twin::new(format!("bra L{end};\nL{other}:"), "} else {");
        Item::Arms(vec![(open, then), (middle, otherwise)], Twin::new(format!("L{end}:"), "}"))
    }

    /// Counts down from at most 7, so that a jump into it ends too.
    fn repeat(&mut self, depth: usize) -> Item {
        let (from, counter, label) = (self.word(), self.loops, self.label());
        self.loops += 1;
        self.around.push(label);
        let count = 1 + self.random.below(5);
        let body = self.steps(count, depth + 1);
        self.around.pop();
        self.loops -= 1;
        let open = Twin::new(
            format!("and.b32 %c{counter}, %{from}, 7;\nL{label}:"),
            format!("c{counter} = {from} & 7;\ndo {{"),
        );
        let close = Twin::new(
            format!(
                "C{label}:\nadd.s32 %c{counter}, %c{counter}, -1;\nsetp.gt.s32 %pl, %c{counter}, 0;\n@%pl bra L{label};\nE{label}:"
            ),
            format!("C{label}: ; }} while ((i32)--c{counter} > 0);\nE{label}: ;"),
        );
        Item::Arms(vec![(open, body)], close)
    }

    /// `break` or `continue`, of any loop around.
    fn leave(&mut self) -> Item {
        let (p, place) = (self.predicate(), self.random.pick(&["C", "E"]));
        let label = self.around[self.random.below(self.around.len())];
        Item::Step(Twin::new(format!("@%{p} bra {place}{label};"), format!("if ({p}) goto {place}{label};")))
    }

    fn jump(&mut self) -> Item {
        let (p, label) = (self.predicate(), self.label());
        self.pending.push(label);
        Item::Step(Twin::new(format!("@%{p} bra J{label};"), format!("if ({p}) goto J{label};")))
    }

    fn switch(&mut self, depth: usize) -> Item {
        let (by, label) = (self.word(), self.label());
        let mut arms = Vec::new();
        for case in 0..4 {
            let count = 1 + self.random.below(3);
            let body = self.steps(count, depth + 1);
            let falls = self.random.once_in(4);
            let device = match case {
                0 => format!(
                    "T{label}: .branchtargets S{label}_0, S{label}_1, S{label}_2, S{label}_3;\nand.b32 %t, %{by}, 3;\nbrx.idx %t, T{label};\nS{label}_0:"
                ),
                _ if falls => format!("S{label}_{case}:"),
                _ => format!("bra E{label};\nS{label}_{case}:"),
            };
            let host = match case {
                0 => format!("switch ({by} & 3) {{\ncase 0:"),
                _ if falls => format!("case {case}:"),
                _ => format!("goto E{label};\ncase {case}:"),
            };
            arms.push((Twin::new(device, host), body));
        }
        Item::Arms(arms, Twin::new(format!("E{label}:"), format!(";}}\nE{label}: ;")))
    }

    fn call(&mut self) -> Item {
        let (to, a, b, f) = (self.word(), self.word(), self.double(), self.random.below(self.functions));
        Item::Step(Twin::new(
            format!(
                "{{\n.param .b32 x;\n.param .b64 y;\n.param .b32 z;\nst.param.b32 [x], %{a};\nst.param.b64 [y], %{b};\ncall (z), @K_f{f}, (x, y);\nld.param.b32 %{to}, [z];\n}}"
            ),
            format!("{to} = @K_f{f}({a}, {b});"),
        ))
    }

    /// A function: its registers follow from its arguments.
    fn function(&mut self, index: usize) -> Function {
        let count = 3 + self.random.below(8);
        let mut body = self.steps(count, 1);
        body.extend(self.pending_labels());
        let registers = registers();
        let locals = declarations();
        let (table, host_table) = match index {
            0 => self.constants("@K_ftable"),
            _ => Default::default(),
        };
        let mut device = format!(
            "{table}.func (.param .b32 out) @K_f{index}(.param .b32 x, .param .b64 y)\n{{\n{registers}.local .align 16 .b8 own_local[{OWN_BYTES}];\nld.param.b32 %r0, [x];\nld.param.b64 %d0, [y];\n"
        );
        let mut host = format!(
            "{host_table}static __attribute__((noinline)) u32 @K_f{index}(u32 x, u64 y) {{\n{locals}u8 own_local[{OWN_BYTES}] __attribute__((aligned(16)));\nr0 = x, d0 = y;\n"
        );
        let fill = fill(false);
        device.push_str(&fill.device);
        host.push_str(&fill.host);
        let result = self.word();
        Function {
            head: Twin::new(device, host),
            body,
            tail: Twin::new(format!("st.param.b32 [out], %{result};\nret;\n}}\n"), format!("return {result};\n}}\n")),
        }
    }

    /// Eight words of constant memory, on both sides.
    fn constants(&mut self, name: &str) -> (String, String) {
        let table: Vec<u64> = (0..8).map(|_| self.random.word()).collect();
        let list = |suffix: &str| table.iter().map(|word| format!("{word}{suffix}")).collect::<Vec<_>>().join(", ");
        (
            format!(".const .align 16 .b64 {name}[8] = {{{}}};\n", list("")),
            format!("static const u64 {name}[8] __attribute__((aligned(16))) = {{{}}};\n", list("ull")),
        )
    }

    /// Returns the labels that are still to come, and forgets them.
    fn pending_labels(&mut self) -> Vec<Item> {
        self.pending.drain(..).map(mark).collect()
    }

    fn entry(&mut self) -> Function {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let count = 3 + self.random.below(10);
            body.extend(self.steps(count, 0));
            body.extend(self.pending_labels());
            for _ in 0..self.random.below(3) {
                body.push(self.together());
            }
        }
        Function { head: self.head(), body, tail: tail() }
    }

    fn head(&mut self) -> Twin {
        let bytes = self.threads as usize * OWN_BYTES;
        let (table, host_table) = self.constants("@K_table");
        let mut device = format!(
            "{table}.visible .entry @K(.param .u64 @K_in, .param .u64 @K_out)\n{{\n{}.shared .align 16 .b8 own_shared[{bytes}];\n.shared .align 8 .b64 common[8];\n.local .align 16 .b8 own_local[{OWN_BYTES}];\n",
            registers()
        );
        let mut host = format!(
            "{host_table}static void @K(const u64 *in, u64 *out) {{\n{}static u8 own_shared_all[{bytes}] __attribute__((aligned(16)));\nstatic u64 common[8];\nu8 own_local[{OWN_BYTES}] __attribute__((aligned(16)));\nu8 *own_shared = own_shared_all + threadIdx.x * {OWN_BYTES};\n",
            declarations()
        );
        let _ = writeln!(
            device,
            "ld.param.u64 %in, [@K_in];\nld.param.u64 %out, [@K_out];\nmov.u32 %t, %tid.x;\nmov.u32 %own, own_shared;\nmad.lo.u32 %own, %t, {OWN_BYTES}, %own;\nmov.u32 %t2, %ctaid.x;\nmad.lo.u32 %t, %t2, {}, %t;\nmad.wide.u32 %in, %t, {}, %in;\nmov.u32 %t2, %nctaid.x;\nmad.wide.u32 %meet, %t2, {}, %out;\nmad.wide.u32 %out, %t, {}, %out;",
            self.threads,
            8 * WORDS_IN,
            8 * WORDS_OUT * self.threads as usize,
            8 * WORDS_OUT,
        );
        let _ = writeln!(
            host,
            "const u32 me = blockIdx.x * {} + threadIdx.x;\nin += me * {WORDS_IN};\nu8 *meet = (u8 *)(out + gridDim.x * {} );\nout += me * {WORDS_OUT};",
            self.threads,
            WORDS_OUT * self.threads as usize,
        );
        for i in 0..DOUBLES {
            let _ = writeln!(device, "ld.global.b64 %d{i}, [%in+{}];", 8 * i);
            let _ = writeln!(host, "d{i} = in[{i}];");
        }
        let rest = fill(true);
        device.push_str(&rest.device);
        host.push_str(&rest.host);
        let lanes = memory::lanes(self.threads);
        device.push_str(&lanes.device);
        host.push_str(&lanes.host);
        Twin::new(device, host)
    }
}

fn mark(label: usize) -> Item {
    Item::Step(Twin::new(format!("J{label}:"), format!("J{label}: ;")))
}

fn width(letter: char) -> u32 {
    match letter {
        'h' => 16,
        'r' => 32,
        _ => 64,
    }
}
