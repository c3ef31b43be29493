//! Operands of instructions.
use super::body::FunctionParser;
use super::cursor::{Mark, ParseError, Parsed};
use super::expression;
use super::names::Binding;
use super::special::special;
use super::tree::{Base, Literal, Operand, RegisterId, Span};

/// Elements that a vector or a list may have: a call's arguments are the longest.
const LONGEST: usize = 4096;

impl<'t> FunctionParser<'t, '_> {
    /// Reads operands up to the `;`, into the arena. `lists`: whether `(a, b)` is a list (in a call) or an expression.
    #[inline]
    pub(super) fn operands(&mut self, lists: bool) -> Parsed<Span> {
        // Elements of a vector go to the arena before the operand that holds them, so operands gather here first.
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.clear();
        let result = self.operands_into(&mut gathered, lists);
        let span = self.keep(&gathered);
        self.gathered = gathered;
        result.map(|()| span)
    }

    #[inline]
    fn operands_into(&mut self, gathered: &mut Vec<Operand<'t>>, lists: bool) -> Parsed<()> {
        if self.cursor.peek() == b';' {
            return Ok(());
        }
        loop {
            let operand = self.operand(lists)?;
            gathered.push(operand);
            if !self.cursor.accept(b',') {
                return Ok(());
            }
            refuse_if!(gathered.len() > LONGEST, self.cursor.error("too many operands"));
        }
    }

    /// `d.h1, a.b3, -b, c` of a video instruction: the four, 0 for one that is left out, and which parts of them are meant.
    ///
    /// Bits 0–15 name parts of `d`, 16–31 of `a`, 32–47 of `b`: for each part 8 and its number, the lowest bits those of the lowest part.
    /// Bits 48–50: those of `d`, `a`, `b` are halves, not bytes; 51–53: `a`, `b`, `c` is negated.
    pub(super) fn video_operands(&mut self) -> Parsed<Span> {
        let (mut operands, mut parts) = ([Operand::Immediate(0, Literal::Integer); 5], 0);
        for (i, operand) in operands[..4].iter_mut().enumerate() {
            if i > 0 && !self.cursor.accept(b',') {
                break;
            }
            if i > 0 && self.cursor.peek() == b'-' && !self.cursor.ahead(1).is_ascii_digit() {
                self.cursor.bump();
                parts |= 1 << (50 + i);
            }
            *operand = self.operand(false)?;
            if i < 3 && self.cursor.peek() == b'.' {
                let word = self.cursor.directive()?;
                let numbers = word.get(2..).unwrap_or_default().bytes().rev();
                let named = numbers.enumerate().map(|(at, digit)| u64::from(digit & 7 | 8) << (16 * i + 4 * (at & 3)));
                parts |= named.fold(u64::from(word.starts_with(".h")) << (48 + i), |all, part| all | part);
            }
        }
        operands[4] = Operand::Immediate(parts, Literal::Integer);
        Ok(self.keep(&operands))
    }

    /// Moves operands to the arena, and remembers those that may be labels of an enclosing scope.
    fn keep(&mut self, operands: &[Operand<'t>]) -> Span {
        let start = self.body.operands.len() as u32;
        for (i, operand) in operands.iter().enumerate() {
            if matches!(operand, Operand::Symbol(_, 0)) {
                self.pending.push(start + i as u32);
            }
        }
        self.body.operands.extend_from_slice(operands);
        Span { start, length: operands.len() as u32 }
    }

    #[inline]
    fn operand(&mut self, lists: bool) -> Parsed<Operand<'t>> {
        match self.cursor.peek() {
            b'[' => self.address(),
            b'{' => {
                let span = self.elements(b'}')?;
                Ok(Operand::Vector(span))
            }
            b'(' if lists => {
                let span = self.elements(b')')?;
                Ok(Operand::List(span))
            }
            b'!' if self.cursor.ahead(1) == b'%' || !self.cursor.ahead(1).is_ascii_digit() => {
                self.cursor.bump();
                Ok(Operand::Not(self.register()?))
            }
            _ if self.cursor.at_name() => self.named(),
            _ => {
                let (bits, literal) = expression::constant(self.cursor)?;
                Ok(Operand::Immediate(bits, literal))
            }
        }
    }

    /// `{a, b}` or `(a, b)`, possibly empty. In `{a, b}|p`, the result of a texture fetch, `p` is the last element.
    fn elements(&mut self, close: u8) -> Parsed<Span> {
        self.cursor.bump();
        let mut elements = Vec::new();
        while !self.cursor.accept(close) {
            if !elements.is_empty() {
                self.cursor.expect(b',')?;
            }
            if matches!(self.cursor.peek(), b'{' | b'(') || elements.len() >= LONGEST {
                return Err(self.cursor.expected("an element"));
            }
            elements.push(self.operand(false)?);
        }
        if close == b'}' && self.cursor.accept(b'|') {
            elements.push(self.operand(false)?);
        }
        Ok(self.keep(&elements))
    }

    /// Whatever begins with a name.
    #[inline]
    fn named(&mut self) -> Parsed<Operand<'t>> {
        let here = self.cursor.mark();
        let name = self.cursor.bare_name();
        if self.cursor.peek() == b'.' && !matches!(self.names.find(name), Some(Binding::Register(_))) {
            return self.component(name);
        }
        self.cursor.blanks();
        match self.names.find(name) {
            Some(Binding::Register(register)) if self.cursor.peek() != b'|' => Ok(Operand::Register(register)),
            Some(Binding::Register(register)) => self.pair(Some(register)),
            Some(Binding::Vector(first, elements)) => Ok(self.vector(first, elements)),
            Some(Binding::Variable(variable)) if self.cursor.peek() == b'[' => self.element(Base::Variable(variable)),
            Some(Binding::Variable(variable)) => Ok(Operand::Variable(variable, self.offset()?)),
            None if name == "_" && self.cursor.peek() == b'|' => self.pair(None),
            None if name == "_" => Ok(Operand::Sink),
            None if name == "WARP_SZ" => Ok(Operand::Immediate(32, Literal::Integer)),
            None if name.starts_with('%') && !self.is_parameter(name) => match special(name, None) {
                Some(special) => Ok(Operand::Special(special)),
                None => Err(self.unknown_register(name, here)),
            },
            None if self.cursor.peek() == b'[' => self.element(Base::Symbol(name)),
            None => Ok(Operand::Symbol(name, self.offset()?)),
        }
    }

    /// `[2]`, `[%r1]` or `[%r1+2]` after an array's name.
    fn element(&mut self, array: Base<'t>) -> Parsed<Operand<'t>> {
        self.cursor.bump();
        let (register, index) = match self.cursor.at_name() {
            true => (Some(self.register()?), if self.cursor.peek() == b'+' { self.offset()? } else { 0 }),
            false => (None, expression::integer(self.cursor)?),
        };
        self.cursor.expect(b']')?;
        Ok(Operand::Element { array, register, index })
    }

    /// `%tid.x`
    fn component(&mut self, name: &'t str) -> Parsed<Operand<'t>> {
        let here = self.cursor.mark();
        let component = match self.cursor.ahead(1) {
            b'x' | b'r' => 0,
            b'y' | b'g' => 1,
            b'z' | b'b' => 2,
            b'w' | b'a' => 3,
            _ => return Err(self.cursor.error_at(here, format!("`{name}` has no such component"))),
        };
        self.cursor.directive()?;
        if let Some(Binding::Vector(first, elements)) = self.names.find(name) {
            return match component < elements {
                true => Ok(Operand::Register(RegisterId(first.0 + u32::from(component)))),
                false => Err(self.cursor.error_at(here, format!("`{name}` has no such component"))),
            };
        }
        special(name, Some(component))
            .map(Operand::Special)
            .ok_or_else(|| self.cursor.error_at(here, format!("`{name}` has no such component")))
    }

    /// The second half of `p|q`.
    fn pair(&mut self, first: Option<RegisterId>) -> Parsed<Operand<'t>> {
        self.cursor.expect(b'|')?;
        let second = if self.cursor.accept_sink() { None } else { Some(self.register()?) };
        Ok(Operand::Pair(first, second))
    }

    /// `[base+offset]`
    fn address(&mut self) -> Parsed<Operand<'t>> {
        self.cursor.bump();
        let operand = if self.cursor.at_name() {
            let here = self.cursor.mark();
            let name = self.cursor.name()?;
            let base = match self.names.find(name) {
                Some(Binding::Register(register)) => Base::Register(register),
                Some(Binding::Variable(variable)) => Base::Variable(variable),
                Some(Binding::Vector(..)) => return Err(self.unknown_register(name, here)),
                None if name.starts_with('%') && !self.is_parameter(name) => {
                    return Err(self.unknown_register(name, here));
                }
                None => Base::Symbol(name),
            };
            Operand::Address { base, offset: self.offset()? }
        } else {
            Operand::Address { base: Base::Absolute, offset: expression::integer(self.cursor)? }
        };
        if self.cursor.accept(b',') {
            // A sampler may stand between a texture and the coordinates.
            let sampler = match self.cursor.at_name() {
                true => Some(self.operand(false)?),
                false => None,
            };
            if sampler.is_some() {
                self.cursor.expect(b',')?;
            }
            refuse_if!(self.cursor.peek() != b'{', self.cursor.expected("a tile's coordinates"));
            let coordinates = self.elements(b'}')?;
            self.cursor.expect(b']')?;
            let tile = [operand, Operand::Vector(coordinates), sampler.unwrap_or(Operand::Sink)];
            return Ok(Operand::Tile(self.keep(&tile[..2 + usize::from(sampler.is_some())])));
        }
        self.cursor.expect(b']')?;
        // Where the memory of an address is makes no difference.
        self.cursor.accept_directive(".unified");
        Ok(operand)
    }

    /// `+4`, `+-8`, `-8` or nothing.
    #[inline]
    fn offset(&mut self) -> Parsed<i64> {
        match self.cursor.peek() {
            b'+' => {
                self.cursor.bump();
                expression::integer(self.cursor)
            }
            b'-' => expression::integer(self.cursor),
            _ => Ok(0),
        }
    }

    /// The name of a register that must stand here.
    pub(super) fn register(&mut self) -> Parsed<RegisterId> {
        let here = self.cursor.mark();
        let name = self.cursor.name()?;
        match self.names.find(name) {
            Some(Binding::Register(register)) => Ok(register),
            _ => Err(self.unknown_register(name, here)),
        }
    }

    /// Returns whether a name that looks like a register's is a parameter's, as GCC writes them (`%in_ar0`).
    #[cold]
    fn is_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|variables| variables.iter().any(|variable| variable.name == name))
    }

    fn unknown_register(&self, name: &str, here: Mark) -> ParseError {
        self.cursor.error_at(here, format!("the register `{name}` is not declared"))
    }
}
