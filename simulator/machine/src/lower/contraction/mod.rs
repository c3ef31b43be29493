//! Products and sums that an assembler rounds once: `mul` and `add` or `sub` become one `fma`, before anything else is made of the text.
//!
//! The rule is that of ptxas from sm_75 to sm_120 and of an H100 (`docs/measurements/contraction.md`): neither names a rounding, both say
//! `.ftz` or neither does, no guard is on the product, both stand in one straight run of code, and all that the product becomes are
//! such sums. Copies and changes of sign between are looked through. A product of which a loop's unrolling decides is marked as unsure.
mod runs;
#[cfg(test)]
mod tests;

use crate::lower::control_flow::flow;
use ptx::isa::contraction::{self, Kind, Role};
use ptx::isa::{Opcode, Type, UNROLLED, Work};
use ptx::tree::{Body, Function, Instruction, Module, OpcodeId, Operand, RegisterId, Span, Statement};
use runs::{Access, StraightRuns};
use std::collections::{HashMap, HashSet};

/// The module with its products and sums as an assembler has them; `None` where it has no such pair.
pub fn contracted<'t>(module: &Module<'t>) -> Option<Module<'t>> {
    let has =
        |wanted: Kind| module.opcodes.iter().any(|opcode| Role::of(opcode).is_some_and(|role| role.kind == wanted));
    if !(has(Kind::Product) && has(Kind::Sum)) {
        return None;
    }
    let of = |function: &Function| function.body.as_ref().and_then(|body| plan(module, body));
    let plans: Vec<Option<Plan>> = module.functions.iter().map(of).collect();
    let mut result = plans.iter().any(Option::is_some).then(|| module.clone())?;
    for (function, plan) in result.functions.iter_mut().zip(plans) {
        if let (Some(plan), Some(body)) = (plan, &mut function.body) {
            plan.carry_out(body, &mut result.opcodes);
        }
    }
    Some(result)
}

/// A product, and all that it becomes.
struct Product {
    statement: usize,
    factors: [usize; 2],
    /// The sums, which of their two operands it is, and if its sign has changed on the way.
    uses: Vec<(usize, usize, bool)>,
    copies: Vec<usize>,
    /// True if it is needed as it is.
    kept: bool,
    /// True if it is needed beside its sums, which have it from a `neg.ftz`: to an assembler that is a sum with -0.
    stays: bool,
    /// Registers that carry it into other runs.
    crossing: Vec<RegisterId>,
}

/// The changes of a body.
#[derive(Default)]
struct Plan {
    /// By sum: the product's operands, which of the sum's operands it is, and its sign.
    fused: HashMap<usize, (usize, usize, bool)>,
    gone: HashSet<usize>,
    /// By product: the operands that are overwritten before it is used, with their type.
    saved: HashMap<usize, (Vec<usize>, Type)>,
    unsure: Vec<usize>,
}

fn plan(module: &Module, body: &Body) -> Option<Plan> {
    let role = |statement: &Statement| {
        let instruction = statement.instruction()?;
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        identity(opcode, body.operands(instruction.operands)).or_else(|| Role::of(opcode))
    };
    let roles: Vec<Option<Role>> = body.statements.iter().map(role).collect();
    let has = |kind| roles.iter().flatten().any(|role: &Role| role.kind == kind);
    if !(has(Kind::Product) && has(Kind::Sum)) {
        return None;
    }
    let flow = flow::flow(module, body, false).ok()?;
    let tracer = Tracer { body, roles, runs: StraightRuns::new(module, body, &flow) };
    let products: Vec<Product> =
        tracer.runs.order.iter().filter_map(|&statement| tracer.product(statement as usize)).collect();
    let mut plan = Plan::default();
    let mut sums: Vec<(u32, usize, usize)> = Vec::new();
    for (number, product) in products.iter().enumerate().filter(|(_, product)| !product.kept) {
        sums.extend(product.uses.iter().map(|&(sum, side, _)| (tracer.runs.place[sum], side, number)));
    }
    sums.sort_unstable();
    let is_packed = |number: usize| {
        let role = tracer.roles[products[number].statement];
        role.is_some_and(|role| matches!(role.ty, Type::F16x2 | Type::Bf16x2 | Type::F32x2))
    };
    let (packed, single): (Vec<_>, Vec<_>) = sums.into_iter().partition(|&(.., number)| is_packed(number));
    // A product of one use goes first, then the first operand. It goes into all of its sums, or into none.
    for only_use in [true, false] {
        for &(.., number) in &single {
            let product = &products[number];
            let is_free = product.uses.iter().all(|(sum, ..)| !plan.fused.contains_key(sum));
            if is_free && (product.uses.len() == 1) == only_use {
                tracer.fuse(product, &product.uses, &mut plan);
            }
        }
    }
    // Sums of packed numbers take their products in the order of the text; a product that a later sum needs as well stays.
    for sums in packed.chunk_by(|one, other| one.0 == other.0) {
        let is_own = |product: &&Product| {
            let mut by = product.uses.iter().filter_map(|(sum, ..)| plan.fused.get(sum));
            by.all(|&(by, ..)| by == product.statement)
        };
        let products = sums.iter().map(|&(.., number)| &products[number]).filter(is_own);
        if let Some(product) = products.min_by_key(|product| product.uses.len() != 1) {
            let uses: Vec<_> =
                product.uses.iter().filter(|(sum, ..)| tracer.runs.place[*sum] == sums[0].0).copied().collect();
            tracer.fuse(product, &uses, &mut plan);
        }
    }
    let is_unsure = |product: &&Product| !plan.gone.contains(&product.statement) && tracer.is_unsure(product);
    plan.unsure = products.iter().filter(is_unsure).map(|product| product.statement).collect();
    (!plan.fused.is_empty() || !plan.unsure.is_empty()).then_some(plan)
}

/// The part of an operation that changes nothing but a sign, which an assembler takes out before it contracts.
fn identity(opcode: &Opcode, operands: &[Operand]) -> Option<Role> {
    let (work, ty) = (opcode.definition().work, *opcode.types.first()?);
    let mask = u64::MAX >> (64 - 8 * ty.bytes().clamp(1, 8));
    let is = |bits: u64| {
        operands.iter().any(|operand| matches!(operand, Operand::Immediate(value, _) if value & mask == bits))
    };
    let float = |value: f64| if ty == Type::F64 { value.to_bits() } else { u64::from((value as f32).to_bits()) };
    let kind = match (work, operands) {
        _ if opcode.modifiers.iter().any(|&word| word != "rn") => return None,
        (Work::Multiply, _) if matches!(ty, Type::F32 | Type::F64) && is(float(1.0)) => Kind::Copy,
        (Work::Multiply, _) if matches!(ty, Type::F32 | Type::F64) && is(float(-1.0)) => Kind::Negation,
        (Work::Extreme | Work::Select, &[_, Operand::Register(a), Operand::Register(b), ..]) if a == b => Kind::Copy,
        (Work::And, _) if is(mask) => Kind::Copy,
        (Work::Convert, _) if ty.is_float() && opcode.types == [ty, ty] => Kind::Copy,
        _ => return None,
    };
    Some(Role { kind, ty, flush: false })
}

struct Tracer<'a, 't> {
    body: &'a Body<'t>,
    roles: Vec<Option<Role>>,
    runs: StraightRuns<'a, 't>,
}

impl<'t> Tracer<'_, 't> {
    fn operands(&self, statement: usize) -> &[Operand<'t>] {
        self.body.instruction(statement).map_or(&[], |instruction| self.body.operands(instruction.operands))
    }

    /// The product that a statement makes, with its uses.
    fn product(&self, statement: usize) -> Option<Product> {
        let role = self.roles[statement].filter(|role| role.kind == Kind::Product)?;
        let stays = |guard: ptx::tree::Guard| !self.runs.is_constant(guard.register);
        let instruction =
            self.body.instruction(statement).filter(|instruction| !instruction.guard.is_some_and(stays))?;
        let &[Operand::Register(result), _, _] = self.operands(statement) else { return None };
        let first = instruction.operands.start as usize + 1;
        let (uses, copies, crossing) = Default::default();
        let mut product =
            Product { statement, factors: [first, first + 1], uses, copies, kept: false, stays: false, crossing };
        self.trace(&mut product, role, result, statement, false);
        // An assembler multiplies constants itself.
        let constant = |operand: &Operand| match operand {
            Operand::Register(register) => self.runs.is_constant(*register),
            operand => matches!(operand, Operand::Immediate(..)),
        };
        product.kept |= instruction.guard.is_some() || self.operands(statement)[1..].iter().all(constant);
        if product.kept {
            self.look_at_negation(&mut product, role, result);
        }
        // It is doubled, or taken from itself.
        product.uses.sort_unstable();
        product.kept |= product.uses.windows(2).any(|uses| uses[0].0 == uses[1].0);
        Some(product)
    }

    /// Finds the sums of a product whose only use is a `neg.ftz`: whatever else the negated value is for, they take the product.
    fn look_at_negation(&self, product: &mut Product, role: Role, result: RegisterId) {
        let needed = |access: &Access| access.how != Access::KILL && !self.runs.is_idle(access.statement as usize);
        let mut uses = self.runs.after(result, product.statement).filter(needed);
        let (Some(only), None) = (uses.next(), uses.next()) else { return };
        let negation = only.statement as usize;
        let Some(Use::Copy(to, true)) = self.reads(role, result, negation) else { return };
        if !role.flush || to == result || self.runs.is_read_after(result, product.statement) {
            return;
        }
        let sum = |access: Access| match self.reads(role, to, access.statement as usize) {
            Some(Use::Sum(side, minus)) => Some((access.statement as usize, side, !minus)),
            _ => None,
        };
        product.uses = self.runs.after(to, negation).filter(needed).filter_map(sum).collect();
        (product.stays, product.kept) = (true, product.uses.is_empty());
    }

    /// Follows a register that holds the product from a statement on.
    fn trace(&self, product: &mut Product, role: Role, register: RegisterId, from: usize, negated: bool) {
        for access in self.runs.after(register, from) {
            let statement = access.statement as usize;
            match access.how {
                Access::KILL => return,
                Access::READ if self.runs.is_idle(statement) => {}
                Access::READ => match self.reads(role, register, statement) {
                    Some(Use::Sum(side, minus)) => product.uses.push((statement, side, negated != minus)),
                    // It may stand there twice.
                    Some(Use::Copy(..)) if product.copies.contains(&statement) => {}
                    Some(Use::Copy(to, minus)) => {
                        product.copies.push(statement);
                        self.trace(product, role, to, statement, negated != minus);
                    }
                    None => product.kept = true,
                },
                _ => product.kept = true,
            }
        }
        if self.runs.is_read_after(register, from) {
            product.crossing.push(register);
            product.kept = true;
        }
    }

    /// How a statement uses a product in a register; `None`: in another way.
    fn reads(&self, product: Role, register: RegisterId, statement: usize) -> Option<Use> {
        let (instruction, role) = (self.body.instruction(statement)?, self.roles[statement]?);
        let is_it = |operand: &Operand| matches!(operand, Operand::Register(it) if *it == register);
        let same = role.ty == product.ty && role.flush == product.flush;
        match (role.kind, self.operands(statement)) {
            (Kind::Sum, [_, a, b]) if same && is_it(a) != is_it(b) => {
                let minus = self.runs.opcode(instruction).definition().work == Work::Subtract;
                Some(Use::Sum(usize::from(is_it(b)), minus && is_it(b)))
            }
            _ if instruction.guard.is_some() => None,
            (Kind::Copy, [Operand::Register(to), from @ ..]) if from.iter().any(is_it) => Some(Use::Copy(*to, false)),
            (Kind::Negation, [Operand::Register(to), ..])
                if role.ty == product.ty && (!role.flush || same && role.ty == Type::F32) =>
            {
                Some(Use::Copy(*to, true))
            }
            _ => None,
        }
    }

    fn fuse(&self, product: &Product, uses: &[(usize, usize, bool)], plan: &mut Plan) {
        plan.fused.extend(uses.iter().map(|&(sum, side, negated)| (sum, (product.statement, side, negated))));
        if !product.stays && product.uses.iter().all(|(sum, ..)| plan.fused.contains_key(sum)) {
            plan.gone.insert(product.statement);
            plan.gone.extend(&product.copies);
        }
        let last = product.uses.iter().map(|&(sum, ..)| self.runs.place[sum]).max().unwrap_or(0);
        let is_lost = |&&at: &&usize| match self.body.operands[at] {
            Operand::Register(register) => self.runs.is_written(register, product.statement, last),
            _ => false,
        };
        let lost: Vec<usize> = product.factors.iter().filter(is_lost).copied().collect();
        if let (false, Some(role)) = (lost.is_empty(), self.roles[product.statement]) {
            plan.saved.insert(product.statement, (lost, role.ty));
        }
    }

    /// Returns whether the text does not tell if an assembler puts a product into its sums: unrolling a loop or taking out a branch may bring
    /// them together, and a way over parts of registers, a broadcast, or a choice by constants may go away.
    fn is_unsure(&self, product: &Product) -> bool {
        let Some(role) = self.roles[product.statement] else { return false };
        let &[Operand::Register(result), ..] = self.operands(product.statement) else { return false };
        let guarded = self.body.instruction(product.statement).is_some_and(|instruction| instruction.guard.is_some());
        let (mut unsure, mut seen, mut open) = (false, HashSet::new(), vec![(result, guarded)]);
        while let Some((register, doubtful)) = open.pop() {
            let others = |&statement: &usize| !self.runs.is_idle(statement) && statement != product.statement;
            for statement in self.runs.readers(register).filter(others) {
                match self.reads(role, register, statement) {
                    Some(Use::Sum(..)) => unsure |= doubtful || self.runs.may_join(product.statement, statement),
                    Some(Use::Copy(to, _)) if seen.insert(to) => open.push((to, doubtful)),
                    Some(Use::Copy(..)) => {}
                    None => match self.passes(statement) {
                        Some(to) => open.extend(to.into_iter().filter(|&to| seen.insert(to)).map(|to| (to, true))),
                        None => return false,
                    },
                }
            }
        }
        unsure
    }

    /// Where a value goes on that an assembler may follow and this does not.
    fn passes(&self, statement: usize) -> Option<Vec<RegisterId>> {
        let (instruction, operands) = (self.body.instruction(statement)?, self.operands(statement));
        let opcode = self.runs.opcode(instruction);
        let follows = match (opcode.definition().work, operands) {
            (Work::Move, _) => true,
            (Work::Shuffle, [.., lane, _, _]) => {
                opcode.modifiers.contains(&"idx") && matches!(lane, Operand::Immediate(..))
            }
            (Work::Select, [.., Operand::Register(by)]) => self.runs.is_constant(*by),
            _ => false,
        };
        follows.then(|| match operands[0] {
            Operand::Register(to) => vec![to],
            Operand::Vector(span) => {
                let parts = self.body.operands(span).iter();
                parts.filter_map(|part| if let Operand::Register(to) = part { Some(*to) } else { None }).collect()
            }
            _ => Vec::new(),
        })
    }
}

enum Use {
    /// As an operand of a sum, and if it is subtracted.
    Sum(usize, bool),
    /// It goes on in another register, and if its sign changes.
    Copy(RegisterId, bool),
}

impl Plan {
    fn carry_out<'t>(&self, body: &mut Body<'t>, opcodes: &mut Vec<Opcode<'t>>) {
        let old = std::mem::take(&mut body.statements);
        let not_unrolled: HashSet<usize> = std::mem::take(&mut body.not_unrolled).into_iter().collect();
        // The place of each factor: where it stands, or where it was saved.
        let mut factors: HashMap<usize, Operand<'t>> = HashMap::new();
        for (at, &statement) in old.iter().enumerate() {
            if not_unrolled.contains(&at) {
                body.not_unrolled.push(body.statements.len());
            }
            let Statement::Instruction(mut instruction) = statement else {
                body.statements.push(statement);
                continue;
            };
            if let Some((lost, ty)) = self.saved.get(&at) {
                for &factor in lost {
                    let saved = save(body, opcodes, instruction, factor, *ty, &mut factors);
                    body.statements.push(saved);
                }
            }
            if let Some(&(made_at, side, negated)) = self.fused.get(&at)
                && let Some(&made) = old[made_at].instruction()
            {
                fuse(body, opcodes, &mut instruction, made, (side, negated), &factors);
            } else if self.gone.contains(&at) {
                continue;
            } else if self.unsure.contains(&at) {
                let marked = opcodes[instruction.opcode.0 as usize].marked(&[UNROLLED]);
                instruction.opcode = add(opcodes, marked);
            }
            body.statements.push(Statement::Instruction(instruction));
        }
    }
}

/// The copy of a factor that something overwrites before the sum.
fn save<'t>(
    body: &mut Body<'t>,
    opcodes: &mut Vec<Opcode<'t>>,
    instruction: Instruction,
    factor: usize,
    ty: Type,
    factors: &mut HashMap<usize, Operand<'t>>,
) -> Statement {
    let text = ["mov.b16", "mov.b32", "mov.b64"][(ty.bytes().trailing_zeros() as usize).clamp(1, 3) - 1];
    let opcode = Opcode::parse(text).map_or(instruction.opcode, |opcode| add(opcodes, opcode));
    let source = body.operands[factor];
    let saved = RegisterId(body.registers.len() as u32);
    if let Operand::Register(register) = source {
        body.registers.push(body.registers[register.0 as usize]);
    }
    let operands = Span { start: body.operands.len() as u32, length: 2 };
    body.operands.extend([Operand::Register(saved), source]);
    factors.insert(factor, Operand::Register(saved));
    Statement::Instruction(Instruction { opcode, operands, ..instruction })
}

/// Makes a sum the fused one.
fn fuse<'t>(
    body: &mut Body<'t>,
    opcodes: &mut Vec<Opcode<'t>>,
    sum: &mut Instruction,
    product: Instruction,
    (side, negated): (usize, bool),
    factors: &HashMap<usize, Operand<'t>>,
) {
    let of = &opcodes[sum.opcode.0 as usize];
    let minus_addend = side == 0 && of.definition().work == Work::Subtract;
    let Some(fused) = contraction::fused(of, negated, minus_addend) else { return };
    sum.opcode = add(opcodes, fused);
    let at = |index: u32| (product.operands.start + index) as usize;
    let [a, b] = [1, 2].map(|index| factors.get(&at(index)).copied().unwrap_or(body.operands[at(index)]));
    let own = sum.operands.start as usize;
    let (result, addend) = (body.operands[own], body.operands[own + 2 - side]);
    sum.operands = Span { start: body.operands.len() as u32, length: 4 };
    body.operands.extend([result, a, b, addend]);
}

/// The number of an opcode, which is added where it is new.
fn add<'t>(opcodes: &mut Vec<Opcode<'t>>, opcode: Opcode<'t>) -> OpcodeId {
    let at = opcodes.iter().position(|other| *other == opcode).unwrap_or_else(|| {
        opcodes.push(opcode);
        opcodes.len() - 1
    });
    OpcodeId(at as u32)
}
