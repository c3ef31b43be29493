//! A function's body: scopes, declarations, labels, lines and instructions.
use super::cursor::{Cursor, Parsed};
use super::names::{Binding, NameMap, Names};
use super::opcode::Opcodes;
use super::tree::{
    Body, Guard, Instruction, LabelId, Location, Operand, Prototype, ScopeId, Statement, Target, Variable, VariableId,
};
use super::{expression, opcode, variable};
use crate::isa::{self, Definition, Opcode, Operands, Type, Work};
use std::collections::HashMap;

/// Variables that one declaration with `<…>` may make. GCC makes as many as a call has arguments.
const MOST_IN_FAMILY: u32 = 1 << 10;
/// Nested scopes. NVRTC nests two or three.
const DEEPEST: usize = 256;

/// Parses one function; the tables of names are kept from function to function.
pub(super) struct FunctionParser<'t, 'p> {
    pub cursor: &'p mut Cursor<'t>,
    pub names: &'p mut Names<'t>,
    /// The function's parameters and what it returns.
    pub parameters: [&'p [Variable<'t>]; 2],
    pub opcodes: &'p mut Opcodes<'t>,
    pub body: Body<'t>,
    /// Operands of the instruction that is being read.
    pub gathered: Vec<Operand<'t>>,
    /// Operands that may be labels, by index, until the scope that declares the label ends.
    pub pending: Vec<u32>,
    open: Vec<OpenScope<'t>>,
    location: Location,
    /// Where the inlined code at a place (file, line, column) was called.
    call_sites: HashMap<(u32, u32, u32), Calls>,
}

/// Where inlined code was called: the file of the outermost call, its line, and that of the innermost call in that file. Zeros: it is
/// not inlined.
#[derive(Clone, Copy, Default)]
struct Calls {
    file: u32,
    outermost: u32,
    innermost: u32,
}

/// A scope whose end has not come.
struct OpenScope<'t> {
    id: ScopeId,
    labels: NameMap<'t, LabelId>,
    /// Lengths of `pending` and of the tables at its start.
    pending: usize,
    tables: usize,
}

/// Parses a body, from its `{` to its `}`.
pub fn body<'t>(
    cursor: &mut Cursor<'t>,
    names: &mut Names<'t>,
    parameters: [&[Variable<'t>]; 2],
    opcodes: &mut Opcodes<'t>,
) -> Parsed<Body<'t>> {
    names.clear();
    let mut parser = FunctionParser {
        cursor,
        names,
        parameters,
        opcodes,
        body: Body::default(),
        gathered: Vec::new(),
        pending: Vec::new(),
        open: Vec::new(),
        location: Location::default(),
        call_sites: HashMap::new(),
    };
    parser.cursor.expect(b'{')?;
    parser.open_scope()?;
    while !parser.open.is_empty() {
        parser.statement()?;
    }
    Ok(parser.body)
}

impl<'t> FunctionParser<'t, '_> {
    fn statement(&mut self) -> Parsed<()> {
        match self.cursor.peek() {
            b'}' => {
                self.cursor.bump();
                self.close_scope();
                Ok(())
            }
            b'{' => {
                self.cursor.bump();
                self.open_scope()
            }
            b'.' => self.directive(),
            b'@' => self.guarded(),
            b';' => {
                self.cursor.bump();
                Ok(())
            }
            b'#' => {
                self.cursor.line_rest();
                self.cursor.blanks();
                Ok(())
            }
            _ if self.cursor.at_name() => {
                let line = self.cursor.line();
                let word = self.cursor.dotted();
                match self.cursor.peek() {
                    b':' => self.label(word),
                    _ => self.instruction(word, line, None),
                }
            }
            _ => Err(self.cursor.expected("an instruction, a directive or `}`")),
        }
    }

    fn open_scope(&mut self) -> Parsed<()> {
        refuse_if!(self.open.len() >= DEEPEST, self.cursor.error("scopes are nested too deeply"));
        let id = ScopeId(self.body.scopes.len() as u32);
        let parent = self.open.last().map_or(id, |scope| scope.id);
        self.body.scopes.push(parent);
        if !self.open.is_empty() {
            self.names.open();
        }
        self.open.push(OpenScope {
            id,
            labels: NameMap::default(),
            pending: self.pending.len(),
            tables: self.body.tables.len(),
        });
        Ok(())
    }

    /// Resolves what named this scope's labels; the rest may mean labels of the scope around it.
    fn close_scope(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        if !self.open.is_empty() {
            self.names.close();
        }
        if scope.labels.is_empty() {
            return;
        }
        let operands = &mut self.body.operands;
        let mut kept = scope.pending;
        for i in scope.pending..self.pending.len() {
            let index = self.pending[i];
            let operand = &mut operands[index as usize];
            match operand {
                Operand::Symbol(name, _) if scope.labels.contains_key(name) => {
                    *operand = Operand::Label(scope.labels[name]);
                }
                _ => {
                    self.pending[kept] = index;
                    kept += 1;
                }
            }
        }
        self.pending.truncate(kept);
        for (_, targets) in &mut self.body.tables[scope.tables..] {
            for target in targets {
                if let Target::Function(name) = *target
                    && let Some(&label) = scope.labels.get(name)
                {
                    *target = Target::Label(label);
                }
            }
        }
    }

    /// A label, or the name of the table or prototype that follows.
    fn label(&mut self, name: &'t str) -> Parsed<()> {
        self.cursor.expect(b':')?;
        match self.cursor.peek_directive() {
            ".branchtargets" | ".calltargets" => return self.table(name),
            ".callprototype" => return self.prototype(name),
            _ => {}
        }
        let label = LabelId(self.body.labels.len() as u32);
        self.body.labels.push(name);
        self.body.statements.push(Statement::Label(label));
        let old = self.open.last_mut().and_then(|scope| scope.labels.insert(name, label));
        match old {
            None => Ok(()),
            Some(_) => Err(self.cursor.error(format!("the label `{name}` stands here a second time"))),
        }
    }

    fn table(&mut self, name: &'t str) -> Parsed<()> {
        self.cursor.directive()?;
        let mut targets = vec![Target::Function(self.cursor.name()?)];
        while self.cursor.accept(b',') {
            targets.push(Target::Function(self.cursor.name()?));
        }
        self.cursor.expect(b';')?;
        self.body.tables.push((name, targets));
        Ok(())
    }

    /// `.callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _) .noreturn;`
    fn prototype(&mut self, name: &'t str) -> Parsed<()> {
        self.cursor.directive()?;
        let mut prototype = Prototype::default();
        if self.cursor.peek() == b'(' {
            prototype.returns = self.parameter_sizes()?;
        }
        self.cursor.name()?;
        if self.cursor.peek() == b'(' {
            prototype.parameters = self.parameter_sizes()?;
        }
        self.cursor.skip_to(b';', b'}')?;
        self.cursor.expect(b';')?;
        self.body.prototypes.push((name, prototype));
        Ok(())
    }

    fn parameter_sizes(&mut self) -> Parsed<Vec<u32>> {
        self.cursor.expect(b'(')?;
        let mut sizes = Vec::new();
        while !self.cursor.accept(b')') {
            if !sizes.is_empty() {
                self.cursor.expect(b',')?;
            }
            let head = variable::head(self.cursor)?;
            let here = self.cursor.mark();
            let parameter = variable::declarator(self.cursor, &head)?;
            sizes.push(
                parameter
                    .bytes()
                    .and_then(|bytes| u32::try_from(bytes).ok())
                    .ok_or_else(|| self.cursor.error_at(here, "this parameter is too large"))?,
            );
        }
        Ok(sizes)
    }

    fn directive(&mut self) -> Parsed<()> {
        let word = self.cursor.peek_directive();
        if variable::space(word).is_some() {
            return self.variables();
        }
        match word {
            ".loc" => self.loc(),
            ".reg" => self.registers(),
            ".pragma" => {
                let mark = self.cursor.mark();
                self.cursor.skip_to(b';', b'}')?;
                if self.cursor.since(mark).contains("\"nounroll\"") {
                    self.body.not_unrolled.push(self.body.statements.len());
                }
                self.cursor.expect(b';')
            }
            ".file" => {
                self.cursor.line_rest();
                self.cursor.blanks();
                Ok(())
            }
            _ => Err(self.cursor.expected("a directive of a function's body")),
        }
    }

    fn variables(&mut self) -> Parsed<()> {
        let head = variable::head(self.cursor)?;
        let scope = self.open.last().map_or(ScopeId(0), |scope| scope.id);
        loop {
            let here = self.cursor.mark();
            let variable = variable::declarator(self.cursor, &head)?;
            let (name, first) = (variable.name, Binding::Variable(VariableId(self.body.variables.len() as u32)));
            // `.param .u64 %P<2>;` is `%P0` and `%P1`, as GCC writes a call's arguments.
            let is_fresh = if self.cursor.accept(b'<') {
                let count = expression::count(self.cursor)?;
                self.cursor.expect(b'>')?;
                if count > MOST_IN_FAMILY {
                    return Err(self.cursor.error_at(here, format!("more than {MOST_IN_FAMILY} variables at once")));
                }
                self.body.variables.extend((0..count).map(|_| (scope, variable.clone())));
                self.names.declare_family(name, first, count)
            } else {
                self.body.variables.push((scope, variable));
                self.names.declare(name, first)
            };
            refuse_if!(!is_fresh, self.cursor.expected_at(here, "a new name"));
            if !self.cursor.accept(b',') {
                return self.cursor.expect(b';');
            }
        }
    }

    /// `.loc 1 3 2` or `.loc 1 3 2, function_name $L__info_string0, inlined_at 1 13 28`
    fn loc(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let place = self.place()?;
        let mut calls = Calls::default();
        // After code of no line (line 0), compilers come back to the line before with no word of who called it: it is the same place.
        let Location { file, line, column, .. } = self.location;
        if (file, line, column) == place && self.cursor.peek() != b',' {
            return Ok(());
        }
        while self.cursor.accept(b',') {
            match self.cursor.name()? {
                "inlined_at" => {
                    let site = self.place()?;
                    let outer = self.call_sites.get(&site).copied().filter(|outer| outer.outermost != 0);
                    calls = outer.unwrap_or(Calls { file: site.0, outermost: site.1, innermost: site.1 });
                    if calls.file == site.0 {
                        calls.innermost = site.1;
                    }
                }
                // `function_name` has a label, possibly with an offset.
                _ => {
                    self.cursor.name()?;
                    if self.cursor.accept(b'+') {
                        expression::count(self.cursor)?;
                    }
                }
            }
        }
        self.call_sites.insert(place, calls);
        let (file, line, column) = place;
        // Line 0 is code that the compiler made for the lines around it: the last line stays.
        if line != 0 {
            let Calls { file: inlined_file, outermost: inlined_at, innermost: called_at } = calls;
            self.location = Location { ptx_line: 0, file, line, column, inlined_file, inlined_at, called_at };
        }
        Ok(())
    }

    fn place(&mut self) -> Parsed<(u32, u32, u32)> {
        let file = expression::count(self.cursor)?;
        let line = expression::count(self.cursor)?;
        let column = expression::count(self.cursor)?;
        Ok((file, line, column))
    }

    /// `@%p1 …` or `@!%p1 …`
    fn guarded(&mut self) -> Parsed<()> {
        let line = self.cursor.line();
        self.cursor.bump();
        let negated = self.cursor.accept(b'!');
        let here = self.cursor.mark();
        let register = self.register()?;
        if self.body.registers[register.0 as usize].ty != Type::Pred {
            return Err(self.cursor.expected_at(here, "a predicate register"));
        }
        refuse_if!(!self.cursor.at_name(), self.cursor.expected("an instruction"));
        let word = self.cursor.dotted();
        self.instruction(word, line, Some(Guard { register, negated }))
    }

    #[inline]
    fn instruction(&mut self, word: &'t str, line: u32, guard: Option<Guard>) -> Parsed<()> {
        let opcode = self.opcodes.intern(word, self.cursor)?;
        let &Opcode { row, modelled, .. } = &self.opcodes.list[opcode.0 as usize];
        let &Definition { operands: layout, work, .. } = isa::row(row);
        let operands = match layout {
            // Nothing executes it, so nothing needs its operands, whatever their syntax.
            _ if !modelled => {
                self.cursor.skip_to(b';', b';')?;
                Default::default()
            }
            _ if work == Work::Video => self.video_operands()?,
            _ => self.operands(layout == Operands::Call)?,
        };
        self.cursor.expect(b';')?;
        let at = Location { ptx_line: line, ..self.location };
        let instruction = Instruction { opcode, guard, operands, at };
        if opcode::moves_vectors(word) {
            return self.vector_move(instruction);
        }
        self.body.statements.push(Statement::Instruction(instruction));
        Ok(())
    }
}
