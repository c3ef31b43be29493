//! Constants: integers, floats by their bits or in decimal, and the manual's constant expressions over integers.
use super::cursor::{Cursor, Parsed};
use super::tree::Literal;
use crate::isa::Type;

/// Nested parentheses and signs that an expression may have.
const DEEPEST: u32 = 64;

/// The bits that a constant has as a value of a type; `None` where the type cannot hold such a constant.
pub fn constant_bits(bits: u64, literal: Literal, ty: Type) -> Option<u64> {
    let single = |value: f64| u64::from((value as f32).to_bits());
    Some(match (literal, ty) {
        (Literal::Integer, Type::F32) => single(bits as i64 as f64),
        (Literal::Integer, Type::F64) => (bits as i64 as f64).to_bits(),
        (Literal::F64, _) if ty.bytes() == 4 => single(f64::from_bits(bits)),
        (Literal::F64, _) if ty.bytes() != 8 => return None,
        (Literal::F32, Type::F64) => f64::from(f32::from_bits(bits as u32)).to_bits(),
        (Literal::F32, _) if ty.bytes() < 4 => return None,
        _ => bits,
    })
}

/// A constant operand: its bits, and how it was written.
pub fn constant(cursor: &mut Cursor) -> Parsed<(u64, Literal)> {
    let negative = cursor.peek() == b'-' && is_float(cursor, 1);
    if negative {
        cursor.bump();
    }
    if negative || is_float(cursor, 0) {
        let (bits, literal) = float(cursor)?;
        let sign = if literal == Literal::F32 { 1 << 31 } else { 1 << 63 };
        return Ok((if negative { bits ^ sign } else { bits }, literal));
    }
    Ok((integer(cursor)? as u64, Literal::Integer))
}

/// A constant expression over integers, 64 bits wide.
pub fn integer(cursor: &mut Cursor) -> Parsed<i64> {
    choice(cursor, DEEPEST)
}

/// A non-negative number that fits 32 bits, as directives have them.
pub fn count(cursor: &mut Cursor) -> Parsed<u32> {
    let here = cursor.mark();
    refuse_if!(!cursor.at_digit(), cursor.expected("a number"));
    u32::try_from(number(cursor)?).map_err(|_| cursor.expected_at(here, "a number of at most 32 bits"))
}

fn is_float(cursor: &Cursor, from: usize) -> bool {
    if cursor.ahead(from) == b'0' && matches!(cursor.ahead(from + 1), b'f' | b'F' | b'd' | b'D') {
        return true;
    }
    let digits = (from..).take_while(|&i| cursor.ahead(i).is_ascii_digit()).count();
    digits > 0 && (cursor.ahead(from + digits) == b'.' || matches!(cursor.ahead(from + digits), b'e' | b'E'))
}

/// `0f3F800000`, `0d3FF0000000000000`, `1.5`, `1e-3`.
fn float(cursor: &mut Cursor) -> Parsed<(u64, Literal)> {
    let here = cursor.mark();
    let word = cursor.number_word();
    let (literal, length) = match word.as_bytes().get(1) {
        Some(b'f' | b'F') => (Literal::F32, 8),
        Some(b'd' | b'D') => (Literal::F64, 16),
        _ => {
            let mut text = word.to_string();
            if cursor.peek() == b'.' {
                text += ".";
                cursor.advance();
                text += cursor.number_word();
            }
            if text.ends_with(['e', 'E']) && matches!(cursor.peek(), b'+' | b'-') {
                text.push(char::from(cursor.peek()));
                cursor.advance();
                text += cursor.number_word();
            }
            cursor.blanks();
            return text
                .parse::<f64>()
                .map(|value| (value.to_bits(), Literal::F64))
                .map_err(|_| cursor.expected_at(here, "a number"));
        }
    };
    cursor.blanks();
    let digits = &word[2..];
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if digits.len() == length => Ok((bits, literal)),
        _ => Err(cursor.expected_at(here, "a number")),
    }
}

fn choice(cursor: &mut Cursor, depth: u32) -> Parsed<i64> {
    let condition = binary(cursor, 0, depth)?;
    if depth == 0 || !cursor.accept(b'?') {
        return Ok(condition);
    }
    let yes = choice(cursor, depth - 1)?;
    cursor.expect(b':')?;
    let no = choice(cursor, depth - 1)?;
    Ok(if condition != 0 { yes } else { no })
}

/// Binary operators from the weakest to the strongest; longer marks before their prefixes.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

fn binary(cursor: &mut Cursor, level: usize, depth: u32) -> Parsed<i64> {
    let mut left = unary(cursor, depth)?;
    while let Some((at, mark)) = operator(cursor, level) {
        let here = cursor.mark();
        for _ in 0..mark.len() {
            cursor.bump();
        }
        // The recursion is bounded by the number of levels: each step is strictly stronger.
        let right = binary(cursor, at + 1, depth)?;
        left = apply(mark, left, right).ok_or_else(|| cursor.expected_at(here, "no division by zero"))?;
    }
    Ok(left)
}

/// The operator of at least a level that stands here.
fn operator(cursor: &Cursor, level: usize) -> Option<(usize, &'static str)> {
    let (first, second) = (cursor.peek(), cursor.ahead(1));
    let here = |mark: &str| match *mark.as_bytes() {
        [a, b] => (a, b) == (first, second),
        // `<` is not the start of `<<`, nor `|` of `||`.
        [a] => a == first && !(matches!(a, b'<' | b'>' | b'|' | b'&') && second == a),
        _ => false,
    };
    let levels = LEVELS.iter().enumerate().skip(level);
    levels.flat_map(|(at, marks)| marks.iter().map(move |mark| (at, *mark))).find(|(_, mark)| here(mark))
}

fn apply(mark: &str, left: i64, right: i64) -> Option<i64> {
    Some(match mark {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(right as u32),
        ">>" => left.wrapping_shr(right as u32),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" if right != 0 => left.wrapping_div(right),
        "%" if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

fn unary(cursor: &mut Cursor, depth: u32) -> Parsed<i64> {
    refuse_if!(depth == 0, cursor.error("this expression is nested too deeply"));
    let mark = cursor.peek();
    if mark == b'(' {
        cursor.bump();
        let value = choice(cursor, depth - 1)?;
        cursor.expect(b')')?;
        return Ok(value);
    }
    if matches!(mark, b'-' | b'+' | b'!' | b'~') {
        cursor.bump();
        let value = unary(cursor, depth - 1)?;
        return Ok(match mark {
            b'-' => value.wrapping_neg(),
            b'!' => i64::from(value == 0),
            b'~' => !value,
            _ => value,
        });
    }
    number(cursor)
}

/// Decimal, `0x`, `0b` and octal numbers with an optional `U`; `WARP_SZ`.
fn number(cursor: &mut Cursor) -> Parsed<i64> {
    let here = cursor.mark();
    let word = cursor.number_word();
    cursor.blanks();
    if word == "WARP_SZ" {
        return Ok(32);
    }
    let digits = word.strip_suffix(['U', 'u']).unwrap_or(word);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).map(|value| value as i64).map_err(|_| cursor.expected_at(here, "a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Parsed<(u64, Literal)> {
        constant(&mut Cursor::new(text))
    }

    #[test]
    fn numbers_of_every_base() {
        for (text, expected) in [
            ("42", 42),
            ("0x2A", 42),
            ("0b101010U", 42),
            ("052", 42),
            ("-1", u64::MAX),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(value(text), Ok((expected, Literal::Integer)), "{text}");
        }
        assert!(value("18446744073709551616").is_err());
        assert!(value("0xZZ").is_err());
    }

    #[test]
    fn floats_by_bits_and_in_decimal() {
        assert_eq!(value("0f3F800000"), Ok((0x3F80_0000, Literal::F32)));
        assert_eq!(value("-0f3F800000"), Ok((0xBF80_0000, Literal::F32)));
        assert_eq!(value("0d3FF0000000000000"), Ok((1.0f64.to_bits(), Literal::F64)));
        assert_eq!(value("1.5e-3"), Ok((1.5e-3f64.to_bits(), Literal::F64)));
        assert_eq!(value("-2.0"), Ok(((-2.0f64).to_bits(), Literal::F64)));
        assert!(value("0f3F8").is_err());
    }

    #[test]
    fn expressions_bind_as_in_c() {
        for (text, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("1<<4|1", 17),
            ("10-4-3", 3),
            ("-8", -8),
            ("~0&0xf", 15),
            ("1<2 ? 5 : 6", 5),
            ("2 >= 3 || 1", 1),
        ] {
            assert_eq!(integer(&mut Cursor::new(text)), Ok(expected), "{text}");
        }
        assert!(integer(&mut Cursor::new("1/0")).is_err());
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        assert!(value(&"(".repeat(100_000)).is_err());
        assert!(value(&"-".repeat(100_000)).is_err());
        assert!(value(&"1?".repeat(100_000)).is_err());
    }
}
