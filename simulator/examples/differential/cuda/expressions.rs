//! Expressions of every type.
use super::Generator;
use super::Type::{self, F32, F64, U32};

/// Intrinsics and functions: what they give, their name, what they take. `*` stands for each rounding.
const FUNCTIONS: &str = include_str!("functions.txt");

/// Intrinsics on two halves or four bytes in a word: names without the number of parts.
const PARTS: &str = "__vadd __vsub __vaddss __vaddus __vsubss __vsubus __vavgu __vhaddu __vabsdiffu __vabsdiffs __vmaxu __vmaxs \
    __vminu __vmins __vcmpeq __vcmpne __vcmpgtu __vcmpgts __vcmpgeu __vcmpges __vcmpltu __vcmplts __vcmpleu \
    __vcmples __vseteq __vsetne __vsetgtu __vsetgts __vsetgeu __vsetges __vsetltu __vsetlts __vsetleu __vsetles";
const PARTS_OF_ONE: &[&str] =
    &["__vabs2", "__vabs4", "__vabsss2", "__vabsss4", "__vneg2", "__vneg4", "__vnegss2", "__vnegss4"];

impl Generator {
    pub(super) fn expression(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.random.below(8) {
            0 => self.leaf(ty),
            1 => self.cast(ty, depth),
            2 => {
                let condition = self.condition(depth - 1);
                format!("({condition} ? {} : {})", self.expression(ty, depth - 1), self.expression(ty, depth - 1))
            }
            3..=4 => self.function_call(ty, depth),
            _ if ty.is_float() => self.float(ty, depth),
            _ => self.whole(ty, depth),
        }
    }

    fn leaf(&mut self, ty: Type) -> String {
        if !self.random.once_in(4) {
            return self.variable(ty);
        }
        let word = self.random.word();
        match ty {
            F32 => format!("__uint_as_float({:#x}u)", self.random.float_32()),
            F64 => format!("__longlong_as_double({:#x}ll)", self.random.float_64() >> 1),
            _ => format!("(({}){word:#x}ull)", ty.name()),
        }
    }

    /// Between whole numbers any, from a float by the intrinsics.
    fn cast(&mut self, ty: Type, depth: usize) -> String {
        let from = self.any_type();
        if from.is_float() && !ty.is_float() {
            return self.function_call(ty, depth);
        }
        format!("(({}){})", ty.name(), self.expression(from, depth - 1))
    }

    fn function_call(&mut self, ty: Type, depth: usize) -> String {
        if ty == U32 && self.random.once_in(3) {
            let a = self.expression(U32, depth - 1);
            if self.random.once_in(5) {
                return format!("{}({a})", self.random.choose(PARTS_OF_ONE));
            }
            let names: Vec<&str> = PARTS.split(' ').collect();
            let (name, parts) = (self.random.choose(&names), self.random.pick(&[2, 4]));
            // NVRTC's own `__vsubus2` before compute capability 9.0 shifts into the sign and takes that for impossible.
            let parts = if name == "__vsubus" { 4 } else { parts };
            return format!("{name}{parts}({a}, {})", self.expression(U32, depth - 1));
        }
        let rows = FUNCTIONS.lines().map(|row| row.split(' ').collect::<Vec<_>>());
        let rows: Vec<_> = rows.filter(|row| row[0] == ty.name()).collect();
        if rows.is_empty() {
            return self.whole(ty, depth);
        }
        let row = &rows[self.random.below(rows.len())];
        let (name, arguments) = (row[1], &row[2..]);
        let name = name.replace('*', self.random.choose(&["rn", "rz", "ru", "rd"]));
        let to_whole = !ty.is_float() && !name.starts_with("bits");
        let mut list = Vec::new();
        for argument in arguments {
            let argument = Type::of(argument);
            let value = self.expression(argument, depth - 1);
            list.push(if argument.is_float() && to_whole { format!("number({value})") } else { value });
        }
        format!("{name}({})", list.join(", "))
    }

    fn float(&mut self, ty: Type, depth: usize) -> String {
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        match self.random.below(5) {
            0 => format!("(-{a})"),
            n => format!("({a} {} {b})", ["+", "-", "*", "/"][n - 1]),
        }
    }

    fn whole(&mut self, ty: Type, depth: usize) -> String {
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        let name = ty.name();
        // Sums wrap only without a sign.
        let unsigned = if ty.bytes() == 8 { "u64" } else { "u32" };
        match self.random.below(13) {
            0 if ty.bytes() >= 4 => format!("(({name})({unsigned})-({unsigned}){a})"),
            0 => format!("(({name})({unsigned}){b})"),
            1 => format!("(({name})~{a})"),
            2 => format!("(({name})({a} << {}))", self.amount(ty)).replace("(i32)(", "(i32)(u32)("),
            3 | 4 => format!("(({name})({a} >> {}))", self.amount(ty)),
            5 => format!("quotient<{name}>({a}, {b})"),
            6 => format!("rest<{name}>({a}, {b})"),
            7 => format!("{}<{name}>({a}, {b})", self.random.choose(&["least", "most"])),
            n => {
                let sign = ["+", "-", "*", "&", "|", "^"][(n - 8 + self.random.below(2)) % 6];
                format!("(({name})(({unsigned}){a} {sign} ({unsigned}){b}))")
            }
        }
    }

    /// The amount of a shift, within the type.
    fn amount(&mut self, ty: Type) -> String {
        let most = 8 * ty.bytes() - 1;
        match self.random.once_in(2) {
            true => self.random.below(most + 1).to_string(),
            false => format!("({} & {most})", self.variable(U32)),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match self.random.below(8) {
            0 if depth > 0 => format!("({} && {})", self.condition(depth), self.condition(depth)),
            1 if depth > 0 => format!("({} || {})", self.condition(depth), self.condition(depth)),
            2 if depth > 0 => format!("!{}", self.condition(depth)),
            3 => format!("({} & 1)", self.variable(U32)),
            _ => {
                let ty = self.any_type();
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("({a} {} {b})", self.random.choose(&["==", "!=", "<", "<=", ">", ">="]))
            }
        }
    }
}
