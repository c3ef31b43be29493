//! Module scope: versions, variables, functions, and the directives that only a debugger reads.
use super::cursor::{Cursor, Parsed};
use super::names::Names;
use super::opcode::Opcodes;
use super::tree::{Declared, Function, Item, Linkage, Location, Module, Space, Variable};
use super::{body, expression, variable};

/// Parses a whole text.
pub fn module<'t>(cursor: &mut Cursor<'t>) -> Parsed<Module<'t>> {
    let mut parser =
        ModuleParser { cursor, module: Module::default(), names: Names::default(), opcodes: Opcodes::default() };
    if parser.cursor.peek_directive() != ".version" {
        return Err(parser.cursor.expected("`.version`, the beginning of PTX"));
    }
    while !parser.cursor.at_end() {
        parser.directive()?;
    }
    refuse_if!(parser.module.target.is_empty(), parser.cursor.expected("`.target`"));
    let mut module = parser.module;
    module.opcodes = parser.opcodes.list;
    Ok(module)
}

struct ModuleParser<'t, 'p> {
    cursor: &'p mut Cursor<'t>,
    module: Module<'t>,
    names: Names<'t>,
    opcodes: Opcodes<'t>,
}

impl<'t> ModuleParser<'t, '_> {
    fn directive(&mut self) -> Parsed<()> {
        match self.cursor.peek_directive() {
            ".version" => self.version(),
            ".target" => self.target(),
            ".address_size" => self.address_size(),
            ".file" => self.file(),
            ".section" => self.section(),
            ".alias" => self.alias(),
            ".pragma" | ".loc" => {
                self.cursor.line_rest();
                self.cursor.blanks();
                Ok(())
            }
            ".entry" | ".func" | ".visible" | ".extern" | ".weak" | ".common" => self.linked(),
            word if variable::space(word).is_some() => self.linked(),
            _ if self.cursor.peek() == b'@' && self.cursor.ahead(1) == b'@' || self.cursor.peek() == b'#' => {
                self.cursor.line_rest();
                self.cursor.blanks();
                Ok(())
            }
            _ if self.cursor.accept(b';') => Ok(()),
            _ => Err(self.cursor.expected("a directive")),
        }
    }

    /// `.version 8.8`
    fn version(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let here = self.cursor.mark();
        refuse_if!(!self.cursor.at_digit(), self.cursor.expected_at(here, "a version such as `8.8`"));
        let major = self.cursor.number_word();
        self.cursor.expect(b'.')?;
        let minor = self.cursor.number_word();
        self.cursor.blanks();
        match (major.parse(), minor.parse()) {
            (Ok(major), Ok(minor)) => self.module.version = (major, minor),
            _ => return Err(self.cursor.expected_at(here, "a version such as `8.8`")),
        }
        Ok(())
    }

    /// `.target sm_90a, debug`
    fn target(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        self.module.target = self.cursor.name()?;
        while self.cursor.accept(b',') {
            self.cursor.name()?;
        }
        Ok(())
    }

    fn address_size(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let here = self.cursor.mark();
        self.module.address_size = expression::count(self.cursor)?;
        if self.module.address_size == 64 {
            Ok(())
        } else {
            Err(self.cursor.error_at(here, "only 64-bit addresses are supported"))
        }
    }

    /// `.file 1 "kernel.cu", 1700000000, 4711`
    fn file(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let index = expression::count(self.cursor)?;
        let path = self.cursor.string()?;
        while self.cursor.accept(b',') {
            expression::integer(self.cursor)?;
        }
        self.module.files.push((index, path));
        Ok(())
    }

    /// `.section .debug_str { … }`
    fn section(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        self.cursor.skip_to(b'{', b'{')?;
        self.cursor.expect(b'{')?;
        self.cursor.skip_to(b'}', b'}')?;
        self.cursor.expect(b'}')
    }

    /// `.alias name, function;`
    fn alias(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let alias = self.cursor.name()?;
        self.cursor.expect(b',')?;
        let function = self.cursor.name()?;
        self.module.aliases.push((alias, function));
        self.cursor.expect(b';')
    }

    /// A variable or a function, after `.visible`, `.extern`, `.weak` or nothing.
    fn linked(&mut self) -> Parsed<()> {
        let start = self.cursor.mark();
        let (variables, mut linkage) = (self.module.variables.len(), Linkage::Local);
        loop {
            linkage = match self.cursor.peek_directive() {
                ".visible" => Linkage::Visible,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                ".extern" => Linkage::Extern,
                _ => break,
            };
            self.cursor.directive()?;
        }
        match self.cursor.peek_directive() {
            ".entry" => self.function(true)?,
            ".func" => self.function(false)?,
            _ => self.variables(linkage == Linkage::Extern)?,
        }
        let what = match self.module.variables.len() {
            end if end > variables => Declared::Variables(variables..end),
            _ => Declared::Function(self.module.functions.len() - 1),
        };
        self.module.items.push(Item { text: self.cursor.since(start), linkage, what });
        Ok(())
    }

    fn variables(&mut self, is_extern: bool) -> Parsed<()> {
        let head = variable::head(self.cursor)?;
        if head.space == Space::Param {
            return Err(self.cursor.error("`.param` variables have no place outside of functions"));
        }
        loop {
            let variable = Variable { is_extern, ..variable::declarator(self.cursor, &head)? };
            self.module.variables.push(variable);
            if !self.cursor.accept(b',') {
                return self.cursor.expect(b';');
            }
        }
    }

    fn function(&mut self, is_entry: bool) -> Parsed<()> {
        self.cursor.directive()?;
        self.attributes()?;
        let returns = self.parameters()?;
        let at = Location { ptx_line: self.cursor.line(), ..Location::default() };
        let name = self.cursor.name()?;
        let parameters = self.parameters()?;
        let mut function = Function { name, is_entry, returns, parameters, at, ..Function::default() };
        self.tuning(&mut function)?;
        if !self.cursor.accept(b';') {
            refuse_if!(self.cursor.peek() != b'{', self.cursor.expected("`{` or `;`"));
            let parameters = [&function.parameters[..], &function.returns[..]];
            function.body = Some(body::body(self.cursor, &mut self.names, parameters, &mut self.opcodes)?);
        }
        self.module.functions.push(function);
        Ok(())
    }

    /// `.attribute(.unified(1, 2))` before a function's name.
    fn attributes(&mut self) -> Parsed<()> {
        while self.cursor.accept_directive(".attribute") {
            self.cursor.expect(b'(')?;
            self.cursor.skip_to(b')', b'{')?;
            while self.cursor.accept(b')') {}
        }
        Ok(())
    }

    /// `(.param .u64 a, .param .u32 b)`, or nothing.
    fn parameters(&mut self) -> Parsed<Vec<Variable<'t>>> {
        let mut parameters = Vec::new();
        if !self.cursor.accept(b'(') {
            return Ok(parameters);
        }
        while !self.cursor.accept(b')') {
            if !parameters.is_empty() {
                self.cursor.expect(b',')?;
            }
            if self.cursor.peek_directive() == ".reg" {
                return Err(self.cursor.error("parameters in registers are not supported: use `.param`"));
            }
            let head = variable::head(self.cursor)?;
            parameters.push(variable::declarator(self.cursor, &head)?);
        }
        Ok(parameters)
    }

    /// The directives between a function's parameters and its body.
    fn tuning(&mut self, function: &mut Function<'t>) -> Parsed<()> {
        while self.cursor.peek() == b'.' {
            let here = self.cursor.mark();
            match self.cursor.directive()? {
                ".maxntid" => function.max_threads = Some(self.dimensions()?),
                ".reqntid" => function.required_threads = Some(self.dimensions()?),
                ".minnctapersm" => function.min_blocks = Some(expression::count(self.cursor)?),
                ".maxnreg" => function.max_registers = Some(expression::count(self.cursor)?),
                ".maxnctapersm" | ".abi_preserve" | ".abi_preserve_control" => {
                    expression::count(self.cursor)?;
                }
                ".maxclusterrank" => function.max_cluster = Some(expression::count(self.cursor)?),
                ".reqnctapercluster" => function.required_cluster = Some(self.dimensions()?),
                ".explicitcluster" => function.explicit_cluster = true,
                ".noreturn" | ".blocksareclusters" => {}
                ".pragma" => {
                    self.cursor.skip_to(b';', b'{')?;
                    self.cursor.expect(b';')?;
                }
                _ => return Err(self.cursor.expected_at(here, "a directive of a function")),
            }
        }
        Ok(())
    }

    /// `256`, `16, 16` or `8, 8, 4`.
    fn dimensions(&mut self) -> Parsed<[u32; 3]> {
        let mut dimensions = [1; 3];
        dimensions[0] = expression::count(self.cursor)?;
        for dimension in &mut dimensions[1..] {
            if !self.cursor.accept(b',') {
                break;
            }
            *dimension = expression::count(self.cursor)?;
        }
        Ok(dimensions)
    }
}
