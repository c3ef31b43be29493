//! Expressions of every type.
use super::Generator;
use super::Type::{self, F32, F64, I32, I64, U32, U64};

/// Intrinsics and functions: what they give, their name, what they take. `*` stands for each rounding.
const FUNCTIONS: &[(Type, &str, &[Type])] = &[
    (I32, "__popc", &[U32]),
    (I32, "__popcll", &[U64]),
    (I32, "__clz", &[I32]),
    (I32, "__clzll", &[I64]),
    (I32, "__ffs", &[I32]),
    (I32, "__ffsll", &[I64]),
    (I32, "__mulhi", &[I32, I32]),
    (I32, "__hadd", &[I32, I32]),
    (I32, "__rhadd", &[I32, I32]),
    (I32, "__dp4a", &[I32, I32, I32]),
    (I32, "__dp2a_lo", &[I32, I32, I32]),
    (I32, "__float2int_*", &[F32]),
    (I32, "__double2int_*", &[F64]),
    (U32, "__brev", &[U32]),
    (U32, "__byte_perm", &[U32, U32, U32]),
    (U32, "__funnelshift_l", &[U32, U32, U32]),
    (U32, "__funnelshift_lc", &[U32, U32, U32]),
    (U32, "__funnelshift_r", &[U32, U32, U32]),
    (U32, "__funnelshift_rc", &[U32, U32, U32]),
    (U32, "__umulhi", &[U32, U32]),
    (U32, "__umul24", &[U32, U32]),
    (U32, "__uhadd", &[U32, U32]),
    (U32, "__urhadd", &[U32, U32]),
    (U32, "__sad", &[I32, I32, U32]),
    (U32, "__usad", &[U32, U32, U32]),
    (U32, "__dp4a", &[U32, U32, U32]),
    (U32, "__dp2a_hi", &[U32, U32, U32]),
    (U32, "__float2uint_*", &[F32]),
    (U32, "__double2uint_*", &[F64]),
    (U32, "bits", &[F32]),
    (U64, "bits", &[F64]),
    (U64, "__brevll", &[U64]),
    (U64, "__umul64hi", &[U64, U64]),
    (U64, "__float2ull_*", &[F32]),
    (U64, "__double2ull_*", &[F64]),
    (I64, "__mul64hi", &[I64, I64]),
    (I64, "__float2ll_*", &[F32]),
    (I64, "__double2ll_*", &[F64]),
    (F32, "__fadd_*", &[F32, F32]),
    (F32, "__fsub_*", &[F32, F32]),
    (F32, "__fmul_*", &[F32, F32]),
    (F32, "__fdiv_*", &[F32, F32]),
    (F32, "__fmaf_*", &[F32, F32, F32]),
    (F32, "__frcp_*", &[F32]),
    (F32, "__fsqrt_*", &[F32]),
    (F32, "__double2float_*", &[F64]),
    (F32, "__int2float_*", &[I32]),
    (F32, "__uint2float_*", &[U32]),
    (F32, "__ll2float_*", &[I64]),
    (F32, "__ull2float_*", &[U64]),
    (F32, "__uint_as_float", &[U32]),
    (F32, "__saturatef", &[F32]),
    (F32, "fminf", &[F32, F32]),
    (F32, "fmaxf", &[F32, F32]),
    (F32, "fabsf", &[F32]),
    (F32, "floorf", &[F32]),
    (F32, "ceilf", &[F32]),
    (F32, "truncf", &[F32]),
    (F32, "rintf", &[F32]),
    (F32, "roundf", &[F32]),
    (F32, "sqrtf", &[F32]),
    (F32, "fmaf", &[F32, F32, F32]),
    (F32, "fmodf", &[F32, F32]),
    (F32, "nextafterf", &[F32, F32]),
    (F64, "__dadd_*", &[F64, F64]),
    (F64, "__dsub_*", &[F64, F64]),
    (F64, "__dmul_*", &[F64, F64]),
    (F64, "__ddiv_*", &[F64, F64]),
    (F64, "__fma_*", &[F64, F64, F64]),
    (F64, "__drcp_*", &[F64]),
    (F64, "__dsqrt_*", &[F64]),
    (F64, "__ll2double_*", &[I64]),
    (F64, "__ull2double_*", &[U64]),
    (F64, "__hiloint2double", &[I32, I32]),
    (F64, "fmin", &[F64, F64]),
    (F64, "fmax", &[F64, F64]),
    (F64, "fabs", &[F64]),
    (F64, "floor", &[F64]),
    (F64, "ceil", &[F64]),
    (F64, "trunc", &[F64]),
    (F64, "rint", &[F64]),
    (F64, "round", &[F64]),
    (F64, "sqrt", &[F64]),
    (F64, "fma", &[F64, F64, F64]),
    (F64, "fmod", &[F64, F64]),
];

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
        let rows: Vec<_> = FUNCTIONS.iter().filter(|(result, ..)| *result == ty).collect();
        if rows.is_empty() {
            return self.whole(ty, depth);
        }
        let &&(_, name, arguments) = &rows[self.random.below(rows.len())];
        let name = name.replace('*', self.random.choose(&["rn", "rz", "ru", "rd"]));
        let to_whole = !ty.is_float() && !name.starts_with("bits");
        let mut list = Vec::new();
        for &argument in arguments {
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
