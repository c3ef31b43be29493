//! Video instructions: arithmetic of two halves (`vadd2`) or four bytes (`vadd4`) that each operand chooses, and the difference of words (`vsub`).
//! On an H100 the others of single words saturate and choose their parts otherwise than the manual says: they are not modelled.
use crate::exec::view::{Answer, Lanes, Op, WARP, plainly};
use ptx::isa::{Form, Refusal, Type};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Distance,
    Average,
    Min,
    Max,
    Compare,
}
use Operation::*;

const OPERATIONS: [Operation; 7] = [Add, Subtract, Distance, Average, Min, Max, Compare];

macro_rules! instructions {
    ($($name:ident: $operation:ident, $parts:literal;)*) => { $(
        pub fn $name(form: &Form) -> Answer {
            select(form, $operation, $parts)
        }
    )* };
}
instructions! {
    vadd2: Add, 2; vadd4: Add, 4;
    vsub: Subtract, 1; vsub2: Subtract, 2; vsub4: Subtract, 4;
    vabsdiff2: Distance, 2; vabsdiff4: Distance, 4;
    vavrg2: Average, 2; vavrg4: Average, 4;
    vmin2: Min, 2; vmin4: Min, 4;
    vmax2: Max, 2; vmax4: Max, 4;
    vset2: Compare, 2; vset4: Compare, 4;
}

/// Bits of [`Op::data`]: 0–3 the operation · 4–6 parts · 8–10 `d`, `a`, `b` is signed · 12–13 what is done with the third source ·
/// 16–18 the comparison · and these.
const SATURATES: u32 = 1 << 24;

fn select(form: &Form, operation: Operation, parts: u32) -> Answer {
    let position = |names: &[&str]| names.iter().position(|name| form.has(name)).map_or(0, |at| at as u32 + 1);
    let types = match *form.types {
        [d, a, b] => [d, a, b],
        // The result of a comparison is unsigned.
        [a, b] if operation == Compare => [Type::U32, a, b],
        _ => return Err(Refusal::NoSuchForm),
    };
    let comparison = position(&["eq", "ne", "lt", "le", "gt", "ge"]);
    let whole = |ty: &Type| matches!(ty, Type::U32 | Type::S32);
    refuse_if!(!types.iter().all(whole) || (operation == Compare) != (comparison != 0), Refusal::NoSuchForm);
    let signs = (0..3).fold(0, |signs, i| signs | u32::from(types[i].is_signed()) << i);
    let saturates = if form.has("sat") { SATURATES } else { 0 };
    let numbers = operation as u32 | parts << 4 | signs << 8 | comparison << 16;
    let adds = position(&["add"]) << 12;
    Ok(plainly(run).with(numbers | adds | saturates))
}

fn run(lanes: &mut Lanes, op: &Op) {
    let way = Way { data: op.data, chosen: op.imm as u64 };
    let [a, b, c] = [op.a, op.b, op.c].map(|row| lanes.get::<u32>(row));
    let mut d = [0u32; WARP];
    lanes.each(|lane| {
        d[lane] = match op.data >> 4 & 7 {
            1 if way.adds() => a[lane].wrapping_sub(b[lane]).wrapping_add(c[lane]),
            1 => a[lane].wrapping_sub(b[lane]),
            parts => way.several(parts, [a[lane], b[lane], c[lane]]),
        };
    });
    lanes.set(op.dst, d);
}

/// A form, and the parts that its operands name, as the parser packs them.
#[derive(Clone, Copy)]
struct Way {
    data: u32,
    chosen: u64,
}

/// The lowest bits as a number.
fn extended(value: u128, bits: u32, signed: bool) -> i128 {
    let unused = 128 - bits;
    if signed { (value << unused) as i128 >> unused } else { (value << unused >> unused) as i128 }
}

/// The nearest number that so many bits hold.
fn clamped(value: i128, bits: u32, signed: bool) -> i128 {
    if signed { value.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { value.clamp(0, (1 << bits) - 1) }
}

impl Way {
    fn operation(self) -> Operation {
        OPERATIONS[(self.data & 15) as usize % OPERATIONS.len()]
    }
    /// Returns whether the results are added to the third source.
    fn adds(self) -> bool {
        self.data >> 12 & 1 != 0
    }
    fn has(self, flag: u32) -> bool {
        self.data & flag != 0
    }
    /// Returns whether operand 0 (`d`), 1 (`a`) or 2 (`b`) is signed.
    fn signed(self, operand: u32) -> bool {
        self.data >> (8 + operand) & 1 != 0
    }
    /// The number of a part that an operand names, counted from the lowest.
    fn part(self, operand: u32, at: u32) -> Option<u32> {
        let part = (self.chosen >> (16 * operand + 4 * at)) as u32 & 15;
        (part & 8 != 0).then_some(part & 7)
    }
    fn operate(self, a: i128, b: i128) -> i128 {
        match self.operation() {
            Add => a + b,
            Subtract => a - b,
            Distance => (a - b).abs(),
            Average => (a + b + i128::from(a + b >= 0)) >> 1,
            Min => a.min(b),
            Max => a.max(b),
            Compare => [a == b, a != b, a < b, a <= b, a > b, a >= b]
                .get((self.data >> 16 & 7).wrapping_sub(1) as usize)
                .map_or(0, |&holds| holds.into()),
        }
    }
    fn several(self, parts: u32, [a, b, c]: [u32; 3]) -> u32 {
        let bits = 32 / parts;
        let both = u128::from(b) << 32 | u128::from(a);
        let source = |operand: u32, at: u32| {
            let number = self.part(operand, at).unwrap_or((operand - 1) * parts + at);
            extended(both >> (bits * number % 64), bits, self.signed(operand))
        };
        let adds = self.adds();
        let names_all = self.chosen & 0xffff == 0;
        (0..parts).fold(if adds { c } else { 0 }, |d, at| {
            let result = self.operate(source(1, at), source(2, at));
            let result = if self.has(SATURATES) { clamped(result, bits, self.signed(0)) } else { result };
            let named = names_all || (0..parts).any(|i| self.part(0, i) == Some(at));
            let field = (u32::MAX >> (32 - bits)) << (bits * at);
            match (adds, named) {
                (true, true) => d.wrapping_add(result as u32),
                (true, false) => d,
                (false, true) => d | (result as u32) << (bits * at) & field,
                (false, false) => d | c & field,
            }
        })
    }
}
