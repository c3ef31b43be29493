//! Random CUDA C++: the same text for NVRTC and for the host's compiler.
//!
//! A kernel has a few variables of every type, which statements change; all are written out at its end. What C++ leaves
//! undefined is kept out by its form: signed sums go through unsigned ones, shifts are masked, indices wrap.
mod expressions;
mod together;

use crate::kernel::{Function, Item, Kernel, Twin, WORDS_IN, WORDS_OUT};
use crate::random::Random;
use std::fmt::Write;

/// The text that NVRTC reads before the kernels.
pub const PRELUDE: &str = concat!(include_str!("../host/device.h"), include_str!("../host/both.h"));

/// The architectures that modules are compiled for, in turn.
pub const ARCHITECTURES: [&str; 3] = ["compute_80", "compute_90", "compute_75"];

/// A type of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

use Type::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Types, how many variables of each there are, its name, the first letter of its variables, and its bytes.
const TYPES: [(Type, usize, &str, char, usize); 10] = [
    (U8, 2, "u8", 'b', 1),
    (I8, 2, "i8", 'c', 1),
    (U16, 2, "u16", 'h', 2),
    (I16, 2, "i16", 's', 2),
    (U32, 4, "u32", 'w', 4),
    (I32, 3, "i32", 'i', 4),
    (U64, 3, "u64", 'q', 8),
    (I64, 2, "i64", 'l', 8),
    (F32, 4, "float", 'f', 4),
    (F64, 3, "double", 'd', 8),
];

impl Type {
    /// The type of a name.
    fn of(name: &str) -> Type {
        TYPES.iter().find(|row| row.2 == name).expect("a type").0
    }
    fn count(self) -> usize {
        TYPES[self as usize].1
    }
    pub fn name(self) -> &'static str {
        TYPES[self as usize].2
    }
    /// The first letter of its variables.
    fn letter(self) -> char {
        TYPES[self as usize].3
    }
    pub fn bytes(self) -> usize {
        TYPES[self as usize].4
    }
    pub fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }
}

struct Generator {
    random: Random,
    threads: u32,
    /// For names of what a statement needs of its own.
    names: usize,
    functions: usize,
    /// True while the kernel itself is made, which alone may meet others.
    entry: bool,
    loops: usize,
    /// Loops around that a `break` or a `continue` would leave.
    around: bool,
}

pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let threads = random.pick(&[32, 32, 64, 48, 96, 1, 33]);
    let blocks = 1 + random.below(2) as u32;
    let functions = random.below(3);
    let mut generator = Generator { random, threads, names: 0, functions: 0, entry: false, loops: 0, around: false };
    let mut all: Vec<Function> = (0..functions).map(|index| generator.function(index)).collect();
    generator.functions = functions;
    generator.entry = true;
    all.push(generator.entry());
    Kernel { seed, functions: all, blocks, threads }
}

impl Generator {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn variable(&mut self, ty: Type) -> String {
        format!("{}{}", ty.letter(), self.random.below(ty.count()))
    }

    fn any_type(&mut self) -> Type {
        self.random.pick(&[U8, I8, U16, I16, U32, U32, U32, I32, I32, U64, U64, I64, F32, F32, F64])
    }

    fn steps(&mut self, count: usize, depth: usize) -> Vec<Item> {
        (0..count).map(|_| self.step(depth)).collect()
    }

    /// Something that any thread may do alone.
    fn step(&mut self, depth: usize) -> Item {
        match self.random.below(30) {
            0..=3 if depth < 3 => self.branch(depth),
            4..=5 if depth < 3 && self.loops < 3 => self.repeat(depth),
            6 if depth < 2 => self.switch(depth),
            7 if self.around => {
                let (condition, how) = (self.condition(1), self.random.choose(&["break", "continue"]));
                line(format!("if ({condition}) {how};"))
            }
            8..=9 if self.functions > 0 => self.call(),
            10..=11 => self.array(),
            12 => self.input(),
            13 if self.entry => self.reduction(),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) -> Item {
        let ty = self.any_type();
        let (to, value) = (self.variable(ty), self.expression(ty, 2));
        line(format!("{to} = {value};"))
    }

    fn branch(&mut self, depth: usize) -> Item {
        let condition = self.condition(2);
        let count = 1 + self.random.below(5);
        let mut arms = vec![(Twin::same(format!("if ({condition}) {{")), self.steps(count, depth + 1))];
        if self.random.once_in(2) {
            let count = 1 + self.random.below(4);
            arms.push((Twin::same("} else {"), self.steps(count, depth + 1)));
        }
        Item::Arms(arms, Twin::same("}"))
    }

    fn repeat(&mut self, depth: usize) -> Item {
        let (counter, most) = (self.name("n"), self.random.pick(&[3u32, 7, 7, 12]));
        let trips = match self.random.below(3) {
            0 => most.to_string(),
            _ => format!("({} & {most})", self.variable(U32)),
        };
        let outer = std::mem::replace(&mut self.around, true);
        self.loops += 1;
        let count = 1 + self.random.below(5);
        let body = self.steps(count, depth + 1);
        self.loops -= 1;
        self.around = outer;
        let condition = self.condition(1);
        let (open, close) = match self.random.below(3) {
            0 => (format!("for (u32 {counter} = 0; {counter} < {trips}; ++{counter}) {{"), "}".to_owned()),
            1 => (
                format!("for (i32 {counter} = (i32){trips}; {counter} > 0 && {condition}; --{counter}) {{"),
                "}".to_owned(),
            ),
            _ => {
                (format!("{{ u32 {counter} = {trips}; do {{"), format!("}} while ({counter}-- > 0 && {condition}); }}"))
            }
        };
        Item::Arms(vec![(Twin::same(open), body)], Twin::same(close))
    }

    fn switch(&mut self, depth: usize) -> Item {
        let (by, cases) = (self.variable(U32), 2 + self.random.below(6));
        let around = std::mem::replace(&mut self.around, false);
        let mut arms = Vec::new();
        for case in 0..cases {
            let count = 1 + self.random.below(3);
            let body = self.steps(count, depth + 1);
            let leave = if self.random.once_in(4) { "" } else { "break;\n" };
            let open = match case {
                0 => format!("switch ({by} % {}) {{\ncase 0:", cases + 1),
                _ => format!("{leave}case {case}:"),
            };
            arms.push((Twin::same(open), body));
        }
        self.around = around;
        Item::Arms(arms, Twin::same("}"))
    }

    fn call(&mut self) -> Item {
        let (to, a, b, c) = (self.variable(U32), self.variable(U32), self.expression(I64, 1), self.expression(F32, 1));
        let callee = match self.functions {
            2 if self.random.once_in(2) => {
                let (pointer, by) = (self.name("p"), self.variable(I32));
                return line(format!(
                    "{{ u32 (*{pointer})(u32, i64, float) = {by} < 0 ? @K_f0 : @K_f1; {to} = {pointer}({a}, {b}, {c}); }}"
                ));
            }
            _ => self.random.below(self.functions),
        };
        line(format!("{to} = @K_f{callee}({a}, {b}, {c});"))
    }

    /// Indexed memory of the thread's own, with a value in it that any index finds.
    fn array(&mut self) -> Item {
        let (value, by) = (self.expression(U32, 1), self.variable(U32));
        match self.random.below(5) {
            0 => line(format!("local[{by} & 7] = {value};")),
            1 => line(format!("local[{by} & 7] += {value};")),
            2 => {
                let to = self.variable(U32);
                line(format!("{to} = local[{by} & 7];"))
            }
            3 => {
                let (to, by) = (self.variable(U16), self.variable(U8));
                line(format!("{to} = @K_table[{by} & 15];"))
            }
            _ => {
                let (to, other) = (self.variable(U32), self.variable(U32));
                line(format!(
                    "{{ const u32 kept = local[{by} & 7]; local[{by} & 7] = local[{other} & 7]; local[{other} & 7] = kept; {to} ^= kept; }}"
                ))
            }
        }
    }

    /// The input again, as elements of another type, or a vector of them.
    fn input(&mut self) -> Item {
        if !self.entry {
            return self.array();
        }
        let by = self.variable(U32);
        let elements = |bytes: usize| 8 * WORDS_IN / bytes - 1;
        match self.random.below(4) {
            0 => {
                let (a, b) = (self.variable(U32), self.variable(U32));
                line(format!("{{ const uint4 v = ((const uint4 *)in)[{by} & 3]; {a} = v.x + v.w; {b} ^= v.y - v.z; }}"))
            }
            1 => {
                let (a, b) = (self.variable(U16), self.variable(U64));
                line(format!(
                    "{{ const ushort4 v = ((const ushort4 *)in)[{by} & 7]; {a} = v.y; {b} += v.x * (u64)v.z + v.w; }}"
                ))
            }
            2 => {
                let (a, b) = (self.variable(F32), self.variable(F32));
                line(format!("{{ const float2 v = ((const float2 *)in)[{by} & 7]; {a} = v.x; {b} = v.y; }}"))
            }
            _ => {
                let ty = self.any_type();
                let to = self.variable(ty);
                line(format!("{to} = ((const {} *)in)[{by} & {}];", ty.name(), elements(ty.bytes())))
            }
        }
    }

    fn function(&mut self, index: usize) -> Function {
        let count = 2 + self.random.below(8);
        let body = self.steps(count, 1);
        let table: Vec<String> = (0..16).map(|_| (self.random.next() as u16).to_string()).collect();
        let table = match index {
            0 => format!("__constant__ u16 @K_ftable[16] = {{{}}};\n", table.join(", ")),
            _ => String::new(),
        };
        let result = self.variable(U32);
        let mut head = format!(
            "{table}__device__ __noinline__ u32 @K_f{index}(u32 x, i64 y, float z) {{\nu64 q0 = x, q1 = (u64)y, q2 = bits(z), word = q0 ^ q1;\nu32 local[8];\nfor (u32 n = 0; n < 8; ++n) local[n] = x + n;\n"
        );
        let mut words = ["q0", "q1", "q2", "word"].into_iter().cycle();
        for (ty, count, ..) in TYPES.into_iter().filter(|row| row.0 != U64) {
            for i in 0..count {
                let from = words.next().unwrap_or("q0");
                head.push_str(&declare(ty, i, from));
            }
        }
        // Its own table, which the kernel's comes after.
        let body = rename(body, "@K_table", "@K_ftable");
        Function { head: Twin::same(head), body, tail: Twin::same(format!("return {result};\n}}\n")) }
    }

    fn entry(&mut self) -> Function {
        let table: Vec<String> = (0..16).map(|_| (self.random.next() as u16).to_string()).collect();
        let mut head = format!(
            "__constant__ u16 @K_table[16] = {{{}}};\nextern \"C\" __global__ void @K(const u64 *in, u64 *out) {{\nconst u32 me = blockIdx.x * blockDim.x + threadIdx.x;\nu64 *meet = out + gridDim.x * blockDim.x * {WORDS_OUT};\nin += me * {WORDS_IN};\nout += me * {WORDS_OUT};\nu32 local[8];\nfor (u32 n = 0; n < 8; ++n) local[n] = (u32)in[n];\n__shared__ u64 own[{}];\n__shared__ u64 common[8];\nown[threadIdx.x] = in[0];\n",
            table.join(", "),
            self.threads
        );
        let mut word = 0;
        for (ty, count, ..) in TYPES {
            for i in 0..count {
                head.push_str(&declare(ty, i, &format!("in[{}]", word % WORDS_IN)));
                word += 3;
            }
        }
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let count = 2 + self.random.below(9);
            body.extend(self.steps(count, 0));
            for _ in 0..self.random.below(3) {
                body.push(self.together());
            }
        }
        let mut tail = String::new();
        let mut at = 0;
        for (ty, count, ..) in TYPES.into_iter().rev() {
            for i in 0..count {
                let (name, bytes) = (format!("{}{i}", ty.letter()), ty.bytes());
                let (store, value) = match ty {
                    F32 => ("u32", format!("bits({name})")),
                    F64 => ("u64", format!("bits({name})")),
                    _ => (ty.name(), name),
                };
                let _ = writeln!(tail, "*({store} *)((u8 *)out + {at}) = {value};");
                at += bytes;
            }
        }
        tail.push_str("}\n");
        Function { head: Twin::same(head), body, tail: Twin::same(tail) }
    }
}

fn line(text: String) -> Item {
    Item::Step(Twin::same(text))
}

/// A variable with its first value, from a word.
fn declare(ty: Type, index: usize, word: &str) -> String {
    let name = format!("{}{index}", ty.letter());
    let shift = if index.is_multiple_of(2) { 0 } else { 64 - 8 * ty.bytes() };
    match ty {
        F32 => format!("float {name} = __uint_as_float((u32)({word} >> {}));\n", 32 * (index % 2)),
        F64 => format!("double {name} = __longlong_as_double((i64){word});\n"),
        _ => format!("{0} {name} = ({0})({word} >> {shift});\n", ty.name()),
    }
}

fn rename(items: Vec<Item>, from: &str, to: &str) -> Vec<Item> {
    let twin = |twin: Twin| Twin { device: twin.device.replace(from, to), host: twin.host.replace(from, to) };
    let item = |item: Item| match item {
        Item::Step(step) => Item::Step(twin(step)),
        Item::Arms(arms, close) => {
            Item::Arms(arms.into_iter().map(|(open, body)| (twin(open), rename(body, from, to))).collect(), twin(close))
        }
    };
    items.into_iter().map(item).collect()
}
