//! `printf` as C has it, over the argument buffer that a kernel fills.

/// Formats `format`. `argument(offset, bytes)` reads from the argument buffer, where each value is aligned to its size;
/// `string` reads what `%s` points to. The text ends after `most` bytes: fields of thousands of columns make a short format long.
pub(crate) fn format(
    format: &[u8],
    most: usize,
    argument: &mut dyn FnMut(u64, usize) -> u64,
    string: &dyn Fn(u64) -> Vec<u8>,
) -> String {
    let mut out = Vec::new();
    let mut offset = 0;
    let mut next = |bytes: u64| {
        offset = u64::next_multiple_of(offset, bytes);
        let value = argument(offset, bytes as usize);
        offset += bytes;
        value
    };
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&b| b == b'%').filter(|_| out.len() < most) {
        out.extend_from_slice(&rest[..at]);
        match Directive::parse(&rest[at + 1..], &mut || next(4) as u32 as i32) {
            Some((directive, length)) => {
                directive.render(&mut out, &mut next, string);
                rest = &rest[at + 1 + length..];
            }
            // Text that is no directive is printed, as C libraries do.
            None => {
                out.push(b'%');
                rest = &rest[at + 1..];
            }
        }
    }
    out.extend_from_slice(rest);
    out.truncate(most);
    String::from_utf8_lossy(&out).into_owned()
}

#[derive(Debug, Default)]
struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer argument, and how many of its bits count.
    long: bool,
    bits: u32,
    conversion: u8,
}

/// Wider fields than this are no fields.
const WIDEST: usize = 4096;

impl Directive {
    /// Parses what follows a `%`, and says how long it is.
    fn parse(text: &[u8], star: &mut dyn FnMut() -> i32) -> Option<(Directive, usize)> {
        let mut d = Directive { bits: 32, ..Directive::default() };
        let mut at = 0;
        while let Some(flag) = text.get(at) {
            match flag {
                b'-' => d.left = true,
                b'+' => d.plus = true,
                b' ' => d.space = true,
                b'#' => d.alternate = true,
                b'0' => d.zero = true,
                _ => break,
            }
            at += 1;
        }
        let mut number = |at: &mut usize| {
            if text.get(*at) == Some(&b'*') {
                *at += 1;
                return Some(star());
            }
            let digits = text[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
            let value = std::str::from_utf8(&text[*at..*at + digits]).ok()?.parse().ok();
            *at += digits;
            value
        };
        let width: i32 = number(&mut at).unwrap_or(0);
        d.left |= width < 0;
        d.width = (width.unsigned_abs() as usize).min(WIDEST);
        if text.get(at) == Some(&b'.') {
            at += 1;
            d.precision = usize::try_from(number(&mut at).unwrap_or(0)).ok().map(|p| p.min(WIDEST));
        }
        loop {
            match text.get(at)? {
                b'h' => d.bits = if d.bits == 16 { 8 } else { 16 },
                b'l' | b'z' | b'j' | b't' | b'L' => (d.long, d.bits) = (true, 64),
                _ => break,
            }
            at += 1;
        }
        d.conversion = text[at];
        b"diuoxXcspfFeEgGaA%".contains(&d.conversion).then_some((d, at + 1))
    }

    fn render(&self, out: &mut Vec<u8>, next: &mut dyn FnMut(u64) -> u64, string: &dyn Fn(u64) -> Vec<u8>) {
        let integer = |next: &mut dyn FnMut(u64) -> u64| next(if self.long { 8 } else { 4 });
        let keep = 64 - self.bits;
        match self.conversion {
            b'%' => out.push(b'%'),
            b'c' => {
                let byte = next(4) as u8;
                self.pad(out, "", vec![byte], false);
            }
            b's' => {
                let address = next(8);
                let mut bytes = if address == 0 { b"(null)".to_vec() } else { string(address) };
                bytes.truncate(self.precision.unwrap_or(usize::MAX));
                self.pad(out, "", bytes, false);
            }
            b'p' => {
                let digits = format!("{:x}", next(8));
                self.pad(out, "0x", digits.into_bytes(), false);
            }
            b'd' | b'i' => {
                let value = (integer(next) << keep) as i64 >> keep;
                let digits = self.digits(value.unsigned_abs().to_string(), value == 0);
                self.pad(out, self.sign(value < 0), digits, self.precision.is_none());
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = integer(next) << keep >> keep;
                let (prefix, digits) = match self.conversion {
                    b'u' => ("", value.to_string()),
                    b'o' => (if self.alternate { "0" } else { "" }, format!("{value:o}")),
                    b'x' => (if self.alternate && value != 0 { "0x" } else { "" }, format!("{value:x}")),
                    _ => (if self.alternate && value != 0 { "0X" } else { "" }, format!("{value:X}")),
                };
                self.pad(out, prefix, self.digits(digits, value == 0), self.precision.is_none());
            }
            _ => {
                let value = f64::from_bits(next(8));
                let mut text = self.float(value.abs());
                if self.conversion.is_ascii_uppercase() {
                    text = text.to_uppercase();
                }
                let prefix = match (self.sign(value.is_sign_negative()), self.conversion) {
                    (sign, b'a' | b'A') if value.is_finite() => {
                        format!("{sign}{}", if self.conversion == b'a' { "0x" } else { "0X" })
                    }
                    (sign, _) => sign.to_string(),
                };
                self.pad(out, &prefix, text.into_bytes(), value.is_finite());
            }
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// At least as many digits as the precision asks; none for a zero with precision 0.
    fn digits(&self, digits: String, is_zero: bool) -> Vec<u8> {
        match self.precision {
            Some(0) if is_zero => Vec::new(),
            Some(least) => format!("{digits:0>least$}").into_bytes(),
            None => digits.into_bytes(),
        }
    }

    fn pad(&self, out: &mut Vec<u8>, prefix: &str, body: Vec<u8>, zeros_allowed: bool) {
        let fill = self.width.saturating_sub(prefix.len() + body.len());
        let zeros = self.zero && zeros_allowed && !self.left;
        let spaces = |out: &mut Vec<u8>, yes: bool| out.extend(std::iter::repeat_n(b' ', if yes { fill } else { 0 }));
        spaces(out, !self.left && !zeros);
        out.extend_from_slice(prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', if zeros { fill } else { 0 }));
        out.extend_from_slice(&body);
        spaces(out, self.left);
    }

    /// The text of a value without its sign.
    fn float(&self, value: f64) -> String {
        if value.is_nan() {
            return "nan".into();
        }
        if value.is_infinite() {
            return "inf".into();
        }
        let precision = self.precision.unwrap_or(6);
        match self.conversion.to_ascii_lowercase() {
            b'f' => format!("{value:.precision$}"),
            b'e' => exponential(value, precision),
            b'a' => hexadecimal(value, self.precision),
            _ => self.general(value, precision.max(1)),
        }
    }

    /// `%g`: the shorter of the two styles, without trailing zeros unless `#` keeps them.
    fn general(&self, value: f64, precision: usize) -> String {
        let text = exponential(value, precision - 1);
        let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let trim = |text: &str| match text.contains('.') && !self.alternate {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text.to_string(),
        };
        if exponent < -4 || exponent >= precision as i32 {
            let (digits, tail) = text.split_once('e').unwrap_or((&text, "+00"));
            format!("{}e{tail}", trim(digits))
        } else {
            let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
            trim(&format!("{value:.decimals$}"))
        }
    }
}

/// `1.5e+03`: Rust writes the exponent without sign and leading zero.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// `1.8p+1`, without its `0x`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut exponent, fraction) = ((bits >> 52 & 0x7ff) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut significand = fraction;
    match (exponent, fraction) {
        (-1023, 0) => exponent = 0,
        (-1023, _) => exponent = -1022,
        _ => significand |= 1 << 52,
    }
    if let Some(precision) = precision.filter(|&p| p < 13) {
        // To nearest, ties to even.
        let drop = 4 * (13 - precision as u32);
        let half = 1u64 << (drop - 1);
        let odd = significand >> drop & 1;
        significand = (significand + half - 1 + odd) >> drop << drop;
    }
    let digits = format!("{:013x}", significand & ((1 << 52) - 1));
    let digits = match precision {
        Some(p) => format!("{digits:0<p$}")[..p].to_string(),
        None => digits.trim_end_matches('0').to_string(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("{}{point}{digits}p{exponent:+}", significand >> 52)
}

#[cfg(test)]
mod tests {
    fn print(format: &str, arguments: &[(usize, u64)]) -> String {
        let mut buffer = Vec::new();
        for &(bytes, value) in arguments {
            buffer.resize(usize::next_multiple_of(buffer.len(), bytes), 0);
            buffer.extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
        let mut argument = |offset: u64, bytes: usize| {
            let mut value = [0; 8];
            value[..bytes].copy_from_slice(&buffer[offset as usize..][..bytes]);
            u64::from_le_bytes(value)
        };
        super::format(format.as_bytes(), 1000, &mut argument, &|address| format!("<{address}>").into_bytes())
    }

    fn double(value: f64) -> (usize, u64) {
        (8, value.to_bits())
    }

    #[test]
    fn integers() {
        let minus_five = (4, (-5i32) as u32 as u64);
        assert_eq!(
            print("%d|%5d|%-5d|%05d|%+d", &[minus_five, (4, 42), (4, 42), minus_five, (4, 7)]),
            "-5|   42|42   |-0005|+7"
        );
        assert_eq!(print("%u %x %#X %o", &[minus_five, (4, 255), (4, 255), (4, 8)]), "4294967291 ff 0XFF 10");
        assert_eq!(print("%d %lld %d", &[(4, 1), (8, u64::MAX), (4, 2)]), "1 -1 2");
        assert_eq!(print("%*d|%.3d|%hhd", &[(4, 4), (4, 9), (4, 5), (4, 0x1ff)]), "   9|005|-1");
    }

    #[test]
    fn floats() {
        assert_eq!(print("%f %.2f %8.3f", &[double(1.5), double(2.675), double(-1.0)]), "1.500000 2.67   -1.000");
        assert_eq!(print("%e %.1E", &[double(12345.678), double(0.00012)]), "1.234568e+04 1.2E-04");
        assert_eq!(
            print("%g %g %g %g", &[double(100000.0), double(1e6), double(0.0001), double(1e-5)]),
            "100000 1e+06 0.0001 1e-05"
        );
        assert_eq!(
            print("%f %F %05f", &[double(f64::NAN), double(f64::INFINITY), double(-f64::INFINITY)]),
            "nan INF  -inf"
        );
        assert_eq!(print("%a %.1a %a", &[double(3.0), double(1.96875), double(0.0)]), "0x1.8p+1 0x2.0p+0 0x0p+0");
    }

    #[test]
    fn a_text_ends_somewhere() {
        assert_eq!(print(&"%4000d".repeat(9), &[(4, 1)]).len(), 1000);
        assert_eq!(print(&"x".repeat(2000), &[]).len(), 1000);
    }

    #[test]
    fn text_and_what_is_none() {
        assert_eq!(print("%s|%c|%p|%5s|%%", &[(8, 1), (4, 65), (8, 4096), (8, 2)]), "<1>|A|0x1000|  <2>|%");
        assert_eq!(print("%s|%8s", &[(8, 0), (8, 0)]), "(null)|  (null)");
        assert_eq!(print("100% && 5 %", &[]), "100% && 5 %");
        assert_eq!(print("%q", &[]), "%q");
    }
}
