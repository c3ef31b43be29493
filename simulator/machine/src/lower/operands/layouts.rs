//! Operands to rows, layout by layout: [`Operands`] says where each goes.
use super::places::place;
use crate::exec::arithmetic::compare;
use crate::lower::emission::{Draft, Emitter, Fit, Kind};
use crate::lower::refused::{Reason, available};
use ptx::isa::{self, Definition, Operands, Space, Special, Type, Width};
use ptx::tree::{Instruction, Opcode, Operand, Statement};

impl<'a> Emitter<'a, '_> {
    /// The operands of an instruction inside of a block, or of one that ends a block through an op. `None`: nothing is
    /// to be done.
    pub fn draft(&mut self, instruction: &Instruction) -> Result<Option<Draft>, Reason> {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let row = isa::row(opcode.row);
        let body = self.body;
        let mut operands = body.operands(instruction.operands);
        if opcode.modifiers.contains(&"L2::cache_hint") {
            operands = operands.split_last().ok_or(Reason::Operands)?.1;
        }
        self.fit = match row.operands {
            Operands::Load | Operands::Store => Fit::Wider,
            Operands::Value if row.class == isa::Class::Convert => Fit::Wider,
            // The types are those of the matrices' elements, packed in ways that only their semantics knows.
            Operands::Multiply
            | Operands::MatrixLoad
            | Operands::MatrixStore
            | Operands::FragmentLoad
            | Operands::FragmentStore
            | Operands::Texture => Fit::Any,
            _ => Fit::Exact,
        };
        let draft = match row.operands {
            Operands::Nothing => self.nothing(opcode, operands),
            Operands::Source => self.source_only(opcode, row, operands),
            // A card chooses other parts of a single word than the manual says.
            Operands::Value if row.is_of_whole_words() && !matches!(operands, [.., Operand::Immediate(0, _)]) => {
                Err(Reason::NotModelled)
            }
            Operands::Value => self.value(opcode, row, operands),
            Operands::Move => self.moved(opcode, row, operands),
            Operands::TruthTable => self.truth_table(opcode, row, operands),
            Operands::Set => self.set(opcode, row, operands),
            Operands::Load => self.load(opcode, operands),
            Operands::Store => self.store(opcode, operands),
            Operands::Update => self.update(opcode, row, operands),
            Operands::Reduce => self.reduce(opcode, row, operands),
            Operands::Copy => self.copy(opcode, operands),
            Operands::Shuffle => self.shuffle(opcode, operands),
            Operands::Vote => self.vote(opcode, row, operands),
            Operands::Match => self.matched(opcode, operands),
            Operands::Members => self.members(opcode, operands),
            Operands::Elect => self.elect(opcode, operands),
            Operands::Multiply => self.multiply(opcode, operands),
            Operands::MatrixLoad => self.matrix(opcode, operands, 0, 1),
            Operands::MatrixStore => self.matrix(opcode, operands, 1, 0),
            Operands::FragmentLoad => self.fragment(opcode, operands, 0, 1),
            Operands::FragmentStore => self.fragment(opcode, operands, 1, 0),
            Operands::Bulk => self.bulk(opcode, operands),
            Operands::Texture => self.texture(opcode, operands),
            Operands::WarpgroupMultiply => self.warpgroup(opcode, operands),
            Operands::Unmodelled => Err(Reason::NotModelled),
            // Ends of blocks do not come here.
            Operands::Branch
            | Operands::Switch
            | Operands::Call
            | Operands::Return
            | Operands::Exit
            | Operands::Trap
            | Operands::Meet
            | Operands::MeetCluster => return Ok(None),
        };
        if row.uses_stack() {
            // Who comes back to the first instruction has a stack that is begun anew.
            refuse_if!(matches!(body.statements.first(), Some(Statement::Label(_))), Reason::NotModelled);
            let is_alignment =
                |of: &Operand| matches!(of, Operand::Immediate(n, _) if n.is_power_of_two() && *n <= 1 << 23);
            refuse_if!(!operands.iter().skip(2).all(is_alignment), Reason::Operands);
            let lowest = self.frame.local(Kind::B64, self.layout.local_bytes);
            self.more.extend([self.frame.stack(), lowest]);
        }
        draft.map(Some)
    }

    fn nothing(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        // `fence.proxy.tensormap::generic` has operands that only order what is not modelled.
        let _ = operands;
        Ok(Draft::new(opcode.space))
    }

    fn source_only(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        let [operand] = operands else { return Err(Reason::Operands) };
        if let Operand::Immediate(bits, _) = *operand {
            draft.imm = bits as i64;
        }
        let ty = row.widths.first().and_then(|width| place(*width, opcode));
        (draft.a, draft.widths[1]) = self.source(operand, ty)?;
        Ok(draft)
    }

    /// `mov`: of a vector, to a vector, of a special register, or of one value.
    fn moved(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        match operands {
            [d @ Operand::Vector(_), a] => self.unpack(opcode, d, a),
            [d, a @ Operand::Vector(_)] => self.pack(opcode, d, a),
            [d, Operand::Special(special)] => self.special(opcode, d, *special),
            _ => self.value(opcode, row, operands),
        }
    }

    /// `lop3`: with a Boolean operation it has a predicate more on both sides, and without it on neither.
    fn truth_table(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let combines = matches!(operands.first(), Some(Operand::Pair(..)));
        if opcode.modifiers.is_empty() == combines || operands.len() != 5 + usize::from(combines) {
            return Err(Reason::Operands);
        }
        self.value(opcode, row, operands)
    }

    fn value(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(self.own_space(opcode));
        let (first, sources) = operands.split_first().ok_or(Reason::Operands)?;
        let (width, widths) = row.widths.split_first().ok_or(Reason::Operands)?;
        refuse_if!(sources.len() > widths.len(), Reason::Operands);
        let ty = place(*width, opcode);
        let second = match first {
            Operand::Pair(d, q) => {
                (draft.dst, draft.widths[0]) = self.half(*d, ty)?;
                Some(self.half(*q, Some(Type::Pred))?.0)
            }
            _ => {
                (draft.dst, draft.widths[0]) = self.destination(first, ty)?;
                None
            }
        };
        for (i, width) in widths.iter().enumerate() {
            let ty = place(*width, opcode);
            let (row, bits) = match sources.get(i) {
                Some(operand) => {
                    if i == 3
                        && let Operand::Immediate(bits, _) = *operand
                    {
                        draft.imm = bits as i64;
                    }
                    self.source(operand, ty)?
                }
                None if matches!(width, Width::Maybe(_)) => (self.frame.constant(Kind::B64, 0), 0),
                None => return Err(Reason::Operands),
            };
            match i {
                0 => (draft.a, draft.widths[1]) = (row, bits),
                1 => (draft.b, draft.widths[2]) = (row, bits),
                2 => (draft.c, draft.widths[3]) = (row, bits),
                _ if bits != 0 => self.more.push(row),
                _ => {}
            }
        }
        if row.uses_carry(&opcode.modifiers) {
            self.more.push(self.frame.carry());
        }
        self.more.extend(second);
        Ok(draft)
    }

    /// `mov.b64 %rd1, {%r1, %r2}`
    fn pack(&mut self, opcode: &Opcode, d: &Operand<'a>, elements: &Operand<'a>) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        (draft.dst, draft.widths[0]) = self.destination(d, place(Width::T, opcode))?;
        let Operand::Vector(span) = *elements else { return Err(Reason::Operands) };
        let element = self.element(opcode, span.length)?;
        (draft.a, draft.widths[1], draft.vector) = self.vector(elements, Some(element), false)?;
        // Bytes lie in registers of 16 bits.
        draft.widths[1] = 8 * element.bytes() as u8;
        Ok(draft)
    }

    /// `mov.b64 {%r1, %r2}, %rd1`
    fn unpack(&mut self, opcode: &Opcode, elements: &Operand<'a>, a: &Operand<'a>) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        (draft.a, draft.widths[1]) = self.source(a, place(Width::T, opcode))?;
        let Operand::Vector(span) = *elements else { return Err(Reason::Operands) };
        let element = self.element(opcode, span.length)?;
        (draft.dst, draft.widths[0], draft.vector) = self.vector(elements, Some(element), true)?;
        Ok(draft)
    }

    /// The type of one of so many elements of a `mov`'s type.
    fn element(&self, opcode: &Opcode, count: u32) -> Result<Type, Reason> {
        let bytes = opcode.types.first().map_or(0, |ty| ty.bytes());
        match bytes.checked_div(count).filter(|each| each * count == bytes) {
            Some(1) => Ok(Type::B8),
            Some(2) => Ok(Type::B16),
            Some(4) => Ok(Type::B32),
            Some(8) => Ok(Type::B64),
            _ => Err(Reason::Operands),
        }
    }

    fn special(&mut self, opcode: &Opcode, d: &Operand<'a>, special: Special) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        (draft.dst, draft.widths[0]) = self.destination(d, place(Width::T, opcode))?;
        draft.widths[1] = special.bits();
        draft.special = Some(special);
        available(self.cx.module, special.since())?;
        Ok(draft)
    }

    fn set(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        let (first, sources) = operands.split_first().ok_or(Reason::Operands)?;
        let second = match first {
            Operand::Pair(p, q) => {
                (draft.dst, draft.widths[0]) = self.half(*p, Some(Type::Pred))?;
                self.half(*q, Some(Type::Pred))?.0
            }
            _ => {
                (draft.dst, draft.widths[0]) = self.destination(first, Some(Type::Pred))?;
                self.frame.sink(Kind::Pred)
            }
        };
        let [a, b, rest @ ..] = sources else { return Err(Reason::Operands) };
        (draft.a, draft.widths[1]) = self.source(a, place(row.widths[1], opcode))?;
        (draft.b, draft.widths[2]) = self.source(b, place(row.widths[2], opcode))?;
        let combines = opcode.modifiers.iter().any(|word| matches!(*word, "and" | "or" | "xor"));
        refuse_if!(rest.is_empty() == combines, Reason::Operands);
        match rest {
            [] => draft.c = self.frame.constant(Kind::Pred, 0),
            [c] => (draft.c, draft.widths[3]) = self.source(c, Some(Type::Pred))?,
            _ => return Err(Reason::Operands),
        }
        self.more.push(second);
        Ok(draft)
    }

    fn load(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, address] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        self.address_into(&mut draft, address)?;
        let ty = place(Width::T, opcode);
        (draft.dst, draft.widths[0], draft.vector) = self.vector(d, ty, true)?;
        draft.used = self.used(d);
        self.finish_access(opcode, draft)
    }

    /// Elements of a loaded vector up to the last one that an instruction reads; 0: no vector.
    fn used(&self, d: &Operand<'a>) -> u8 {
        let Operand::Vector(span) = *d else { return 0 };
        let read = |element: &Operand| match element {
            Operand::Register(register) => self.read[register.0 as usize],
            _ => false,
        };
        let last = self.body.operands(span).iter().rposition(read);
        // A load of which nothing is read counts as a whole: it is no compiler's.
        last.map_or(0, |last| last as u8 + 1)
    }

    fn store(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [address, b] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        self.address_into(&mut draft, address)?;
        let ty = place(Width::T, opcode);
        (draft.b, draft.widths[2], draft.vector) = self.vector(b, ty, false)?;
        self.finish_access(opcode, draft)
    }

    /// Bytes of an element, and whether the vector is as long as the opcode says.
    fn finish_access(&mut self, opcode: &Opcode, mut draft: Draft) -> Result<Draft, Reason> {
        draft.bytes = opcode.types.first().map_or(0, |ty| ty.bytes()) as u8;
        match draft.bytes != 0 && length(opcode) == draft.vector {
            true => Ok(draft),
            false => Err(Reason::Operands),
        }
    }

    fn update(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        let (d, rest) = match operands {
            [first @ (Operand::Address { .. } | Operand::Element { .. }), ..] => {
                (&Operand::Sink, std::slice::from_ref(first).len())
            }
            [first, ..] => (first, 0),
            [] => return Err(Reason::Operands),
        };
        let rest = if rest == 1 { operands } else { &operands[1..] };
        let (address, sources) = rest.split_first().ok_or(Reason::Operands)?;
        self.address_into(&mut draft, address)?;
        let ty = place(row.widths[0], opcode);
        match d {
            // A vector that is thrown away has as many rows as one that is kept.
            Operand::Sink if length(opcode) > 1 => {
                let sink = self.frame.sink(Kind::B128);
                self.more.extend((0..length(opcode)).map(|_| sink));
                (draft.dst, draft.widths[0], draft.vector) = (sink, Self::kind(ty)?.bits(), length(opcode));
            }
            _ => (draft.dst, draft.widths[0], draft.vector) = self.vector(d, ty, true)?,
        }
        refuse_if!(draft.vector != length(opcode), Reason::Operands);
        self.sources_into(&mut draft, opcode, &row.widths[1..], sources)?;
        draft.bytes = opcode.types.first().map_or(0, |ty| ty.bytes()) as u8;
        Ok(draft)
    }

    fn reduce(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        let (address, sources) = operands.split_first().ok_or(Reason::Operands)?;
        self.address_into(&mut draft, address)?;
        self.sources_into(&mut draft, opcode, row.widths, sources)?;
        draft.bytes = opcode.types.first().map_or(0, |ty| ty.bytes()) as u8;
        Ok(draft)
    }

    /// `b` and `c` of an instruction whose `a` is an address.
    fn sources_into(
        &mut self,
        draft: &mut Draft,
        opcode: &Opcode,
        widths: &[Width],
        sources: &[Operand<'a>],
    ) -> Result<(), Reason> {
        let required = widths.iter().filter(|width| !matches!(width, Width::Maybe(_))).count();
        refuse_if!(sources.len() > widths.len() || sources.len() < required, Reason::Operands);
        for (i, (operand, width)) in sources.iter().zip(widths).enumerate() {
            let ty = place(*width, opcode);
            let (row, bits, vector) = self.vector(operand, ty, false)?;
            refuse_if!(vector != length(opcode), Reason::Operands);
            draft.vector = vector;
            match i {
                0 => (draft.b, draft.widths[2]) = (row, bits),
                _ => (draft.c, draft.widths[3]) = (row, bits),
            }
        }
        Ok(())
    }

    /// `cp.async.ca.shared.global [dst], [src], 4, size;` or `…, ignore;`
    fn copy(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [to, from, Operand::Immediate(size, _), rest @ ..] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let source = self.address(from, Space::Global)?;
        self.address_into(&mut draft, to)?;
        (draft.b, draft.widths[2]) = self.absolute(&source)?;
        draft.bytes = *size as u8;
        draft.widths[3] = 32;
        draft.c = match rest {
            [] => self.frame.constant(Kind::B32, *size),
            [Operand::Register(register)] if self.frame.register(*register).1 == Kind::Pred => {
                // "Ignore the source" is a source of no bytes.
                let row = self.frame.helper(Kind::B32);
                let mut select = Draft::new(Space::Generic);
                (select.dst, select.a) = (row, self.frame.constant(Kind::B32, 0));
                (select.b, select.c) = (self.frame.constant(Kind::B32, *size), self.frame.register(*register).0);
                select.widths = [32, 32, 32, 1];
                self.helper_op(compare::selp, select, &[Type::B32], &[])?;
                row
            }
            [size] => self.source(size, Some(Type::U32))?.0,
            _ => return Err(Reason::Operands),
        };
        Ok(draft)
    }
}

/// Elements of the vectors that an opcode moves.
fn length(opcode: &Opcode) -> u8 {
    match opcode.modifiers.iter().find(|m| matches!(**m, "v2" | "v4" | "v8")) {
        Some(modifier) => modifier.as_bytes()[1] - b'0',
        None => 1,
    }
}
