//! A test file's comments, read.
//!
//! ```text
//! // grid: 2              blocks (left out: one); a row's number counts the threads of all blocks
//! // block: 32            threads, one row each (left out: as many as there are rows for)
//! // in: a u32, b f32     columns that each thread reads: name and type
//! // out: d u32           columns that it must write
//! // 1 0.5 | 7            a row: values in, values out
//! ```
//!
//! The kernel `test(in, out)` gets two pointers, and the tensor maps of its `// map:` lines (see `map`). A row is 8 bytes per column, so thread i reads column c at
//! `in + 8 · (i · columns + c)`; `out` alike. Integers are decimal or `0x…`; floats are decimal, `inf`, `nan` (in: the quiet
//! one; out: any) or their bits in `0x…`; pairs are `low:high`. Out, `_` is any value, `v~2u` allows two units in the last
//! place, `v~1e-3` an absolute error. Rows after the last are not checked: a block may have more threads than rows.
use crate::map::Map;
use half::{bf16, f16};
use std::fmt::Write;

/// Bytes of a column.
pub const SLOT: usize = 8;

/// A parsed header.
#[derive(Default)]
pub struct Case {
    pub grid: u32,
    pub block: u32,
    /// `.target`'s number: 80 for `sm_80`.
    pub target: u32,
    /// Further parameters after the two pointers.
    pub maps: Vec<Map>,
    ins: Vec<Column>,
    outs: Vec<Column>,
    rows: Vec<Row>,
}

struct Column {
    name: String,
    ty: Type,
}

struct Row {
    line: usize,
    ins: Vec<u64>,
    outs: Vec<Want>,
}

/// The values that a column must hold.
enum Want {
    Anything,
    Nan,
    Bits(u64),
    /// Within so many units in the last place, or within an absolute error, of a number.
    Near {
        value: f64,
        ulps: f64,
        error: f64,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Integer {
        bits: u32,
    },
    F16,
    Bf16,
    F32,
    F64,
    /// Two of 16 or 32 bits.
    F16x2,
    Bf16x2,
    F32x2,
}

impl Case {
    /// Reads the comments of a file.
    pub fn parse(text: &str) -> Result<Case, String> {
        let mut case = Case { grid: 1, ..Case::default() };
        for (index, line) in text.lines().enumerate() {
            let at = |error: String| format!("line {}: {error}", index + 1);
            if let Some(target) = line.strip_prefix(".target sm_") {
                let digits = target.trim_end().trim_end_matches(|c: char| !c.is_ascii_digit());
                case.target = digits.parse().map_err(|_| at("bad target".into()))?;
            }
            let Some(comment) = line.strip_prefix("// ") else { continue };
            if let Some(block) = comment.strip_prefix("block: ") {
                case.block = block.trim().parse().map_err(|_| at("bad block".into()))?;
            } else if let Some(grid) = comment.strip_prefix("grid: ") {
                case.grid = grid.trim().parse().map_err(|_| at("bad grid".into()))?;
            } else if let Some(map) = comment.strip_prefix("map: ") {
                case.maps.push(Map::parse(map).map_err(at)?);
            } else if let Some(columns) = comment.strip_prefix("in: ") {
                case.ins = Column::list(columns).map_err(at)?;
            } else if let Some(columns) = comment.strip_prefix("out: ") {
                case.outs = Column::list(columns).map_err(at)?;
            } else if let Some((ins, outs)) = comment.split_once('|').filter(|_| !case.outs.is_empty()) {
                case.row(index + 1, ins, outs).map_err(at)?;
            }
        }
        if case.rows.is_empty() {
            return Err("no rows: nothing would be checked".into());
        }
        if case.block == 0 {
            case.block = (case.rows.len() as u32).div_ceil(case.grid);
        }
        Ok(case)
    }

    fn row(&mut self, line: usize, ins: &str, outs: &str) -> Result<(), String> {
        let (ins, outs): (Vec<_>, Vec<_>) = (ins.split_whitespace().collect(), outs.split_whitespace().collect());
        if ins.len() != self.ins.len() || outs.len() != self.outs.len() {
            return Err(format!(
                "{} and {} values for {} and {} columns",
                ins.len(),
                outs.len(),
                self.ins.len(),
                self.outs.len()
            ));
        }
        let ins = ins.iter().zip(&self.ins).map(|(value, column)| column.ty.bits(value)).collect::<Result<_, _>>()?;
        let outs = outs
            .iter()
            .zip(&self.outs)
            .map(|(value, column)| Want::parse(value, column.ty))
            .collect::<Result<_, _>>()?;
        self.rows.push(Row { line, ins, outs });
        Ok(())
    }

    /// The input buffer: never empty.
    pub fn input(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            self.rows.iter().flat_map(|row| &row.ins).flat_map(|bits| bits.to_le_bytes()).collect();
        bytes.resize((self.threads() * self.ins.len() * SLOT).max(SLOT), 0);
        bytes
    }

    /// Bytes of the output buffer.
    pub fn output_bytes(&self) -> usize {
        self.threads().max(self.rows.len()) * self.outs.len() * SLOT
    }

    /// Threads of all blocks.
    fn threads(&self) -> usize {
        self.grid as usize * self.block as usize
    }

    /// Compares what the kernel left with what the rows say.
    pub fn check(&self, got: &[u8]) -> Result<(), String> {
        let mut report = String::new();
        let mut slots = got.chunks_exact(SLOT).map(|slot| u64::from_le_bytes(slot.try_into().unwrap_or_default()));
        for row in &self.rows {
            for (column, want) in self.outs.iter().zip(&row.outs) {
                let got = slots.next().ok_or("the output is too short")? & column.ty.mask();
                if !want.holds(got, column.ty) {
                    let _ = writeln!(
                        report,
                        "line {}, {}: got {}, want {}",
                        row.line,
                        column.name,
                        column.ty.show(got),
                        want.show(column.ty)
                    );
                }
            }
        }
        if report.is_empty() { Ok(()) } else { Err(report) }
    }
}

impl Column {
    fn list(text: &str) -> Result<Vec<Column>, String> {
        text.split(',')
            .map(|column| {
                let mut words = column.split_whitespace();
                let (Some(name), Some(ty), None) = (words.next(), words.next(), words.next()) else {
                    return Err(format!("`{column}` is not a name and a type"));
                };
                Ok(Column { name: name.into(), ty: Type::parse(ty)? })
            })
            .collect()
    }
}

impl Type {
    fn parse(name: &str) -> Result<Type, String> {
        Ok(match name {
            "f16" => Type::F16,
            "bf16" => Type::Bf16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            "f16x2" => Type::F16x2,
            "bf16x2" => Type::Bf16x2,
            "f32x2" => Type::F32x2,
            _ => match name.get(1..).and_then(|bits| bits.parse().ok()) {
                Some(bits @ (8 | 16 | 32 | 64)) if name.starts_with(['b', 'u', 's']) => Type::Integer { bits },
                _ => return Err(format!("unknown type `{name}`")),
            },
        })
    }
    fn width(self) -> u32 {
        match self {
            Type::Integer { bits } => bits,
            Type::F16 | Type::Bf16 => 16,
            Type::F32 | Type::F16x2 | Type::Bf16x2 => 32,
            Type::F64 | Type::F32x2 => 64,
        }
    }
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }
    /// The type of a pair's elements.
    fn element(self) -> Option<Type> {
        Some(match self {
            Type::F16x2 => Type::F16,
            Type::Bf16x2 => Type::Bf16,
            Type::F32x2 => Type::F32,
            _ => return None,
        })
    }
    fn bits(self, text: &str) -> Result<u64, String> {
        let bad = || format!("`{text}` is not a value");
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).map_err(|_| bad());
        }
        if let Some(element) = self.element() {
            let (low, high) = text.split_once(':').ok_or_else(bad)?;
            return Ok(element.bits(low)? | element.bits(high)? << element.width());
        }
        if let Type::Integer { .. } = self {
            return Ok(text.parse::<i128>().map_err(|_| bad())? as u64 & self.mask());
        }
        if text == "nan" {
            return Ok(match self {
                Type::F64 => 0x7ff8_0000_0000_0000,
                Type::F32 => 0x7fff_ffff,
                _ => 0x7fff,
            });
        }
        let value: f64 = text.parse().map_err(|_| bad())?;
        Ok(match self {
            Type::F16 => f16::from_f64(value).to_bits().into(),
            Type::Bf16 => bf16::from_f64(value).to_bits().into(),
            Type::F32 => text.parse::<f32>().map_err(|_| bad())?.to_bits().into(),
            _ => value.to_bits(),
        })
    }
    fn value(self, bits: u64) -> f64 {
        match self {
            Type::F16 => f16::from_bits(bits as u16).to_f64(),
            Type::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Type::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }
    /// The distance of a number from its neighbours.
    fn ulp(self, value: f64) -> f64 {
        let (fraction, smallest) = match self {
            Type::F16 => (10, -14),
            Type::Bf16 => (7, -126),
            Type::F32 => (23, -126),
            _ => (52, -1022),
        };
        let exponent = if value == 0.0 { smallest } else { (value.abs().log2().floor() as i32).max(smallest) };
        2f64.powi(exponent - fraction)
    }
    fn show(self, bits: u64) -> String {
        match self {
            Type::Integer { .. } => format!("{bits:#x} ({bits})"),
            _ => match self.element() {
                Some(element) => {
                    let (low, high) = (bits & element.mask(), bits >> element.width());
                    format!("{bits:#x} ({}:{})", element.value(low), element.value(high))
                }
                None => format!("{bits:#x} ({:e})", self.value(bits)),
            },
        }
    }
}

impl Want {
    fn parse(text: &str, ty: Type) -> Result<Want, String> {
        if text == "_" {
            return Ok(Want::Anything);
        }
        if text == "nan" && ty.element().is_none() {
            return Ok(Want::Nan);
        }
        let Some((value, error)) = text.split_once('~') else { return Ok(Want::Bits(ty.bits(text)?)) };
        let value = ty.value(ty.bits(value)?);
        let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not an error bound"));
        Ok(match error.strip_suffix('u') {
            Some(ulps) => Want::Near { value, ulps: number(ulps)?, error: 0.0 },
            None => Want::Near { value, ulps: 0.0, error: number(error)? },
        })
    }
    fn holds(&self, got: u64, ty: Type) -> bool {
        match *self {
            Want::Anything => true,
            Want::Nan => ty.value(got).is_nan(),
            Want::Bits(bits) => got == bits & ty.mask(),
            Want::Near { value, ulps, error } => (ty.value(got) - value).abs() <= error + ulps * ty.ulp(value),
        }
    }
    fn show(&self, ty: Type) -> String {
        match *self {
            Want::Anything => "anything".into(),
            Want::Nan => "a NaN".into(),
            Want::Bits(bits) => ty.show(bits & ty.mask()),
            Want::Near { value, ulps, error } => format!("{value:e} ± {error:e} ± {ulps} ulp"),
        }
    }
}
