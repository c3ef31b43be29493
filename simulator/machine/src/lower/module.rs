//! The passes over a whole module, and what all functions share.
use super::code::{self, Draft};
use super::shared::{self, Reach, Shared};
use super::{Options, Refused, Why, effects, frame};
use crate::exec::executable::Executable;
use crate::exec::op::Selected;
use crate::exec::semantics;
use crate::program::{FunctionId, Program, Symbol};
use ptx::isa::{Class, Facts, Form, Refusal, Shown, Since, Space, Special};
use ptx::names::NameHasher;
use ptx::tree::{Base, Function, Location, Module, OpcodeId, Operand, Variable};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// Lowers a module: see [`super::lower`].
pub fn lower(module: &Module, options: &Options) -> Result<Executable, Vec<Refused>> {
    let whole = |why| {
        let location = Location { ptx_line: 1, ..Location::default() };
        vec![Refused { location, function: String::new(), instruction: String::new(), why }]
    };
    let cx = Context::new(module, options).ok_or_else(|| whole(Why::TooLarge))?;
    let mut selections = Selections::default();
    let (mut functions, mut ops) = (Vec::with_capacity(cx.defined.len()), Vec::with_capacity(cx.defined.len()));
    let mut refused = Vec::new();
    for (index, function) in cx.defined.iter().enumerate() {
        let Some(body) = &function.body else { continue };
        match code::function(&cx, &mut selections, index, function, body) {
            Ok((function, its)) => {
                functions.push(function);
                ops.push(its);
            }
            Err(more) => refused.extend(more),
        }
    }
    if !refused.is_empty() {
        let mut seen = HashSet::new();
        refused.retain(|refused: &Refused| {
            seen.insert((
                refused.instruction.clone(),
                format!("{:?}", refused.why),
                refused.instruction.is_empty().then(|| refused.function.clone()),
            ))
        });
        return Err(refused);
    }
    effects::propagate(&cx, &mut functions);
    let mut files = Vec::new();
    for &(index, path) in module.files.iter().filter(|file| file.0 < MOST_FILES) {
        let index = index as usize;
        files.resize(files.len().max(index + 1), String::new());
        files[index] = path.to_string();
    }
    let program = Program { functions: functions.into(), files, target: module.target.to_string() };
    Ok(Executable { program, ops })
}

/// File numbers beyond this are not kept: their lines are then without a file.
const MOST_FILES: u32 = 1 << 16;

/// What all functions of a module share.
pub struct Context<'a> {
    pub module: &'a Module<'a>,
    pub options: &'a Options<'a>,
    /// Functions with a body, in the order of the text: their index is their id.
    pub defined: Vec<&'a Function<'a>>,
    pub shared: Shared,
    /// Facts of each opcode.
    pub opcodes: Vec<OpcodeFacts>,
    variables: HashMap<&'a str, &'a Variable<'a>>,
    ids: HashMap<&'a str, FunctionId>,
    /// Functions that each one can reach, itself included.
    reaches: Vec<Vec<usize>>,
}

/// What sites say of an opcode.
pub struct OpcodeFacts {
    pub class: Class,
    pub text: Shown,
    pub opcode: Facts,
    pub flops: u16,
    pub tensor_fmas: u32,
    pub element_bytes: u32,
    /// Why the module may not use it.
    pub refused: Option<Why>,
}

/// Whether the module's version and target have something.
pub fn refused(module: &Module, since: Since) -> Result<(), Why> {
    if module.version < since.version {
        return Err(Why::NeedsVersion(since.version));
    }
    // A target that is no number is refused elsewhere.
    let digits = module.target.trim_start_matches("sm_").trim_end_matches(|c: char| c.is_ascii_alphabetic());
    match digits.parse::<u32>() {
        Ok(target) if target < since.target => Err(Why::NeedsTarget(since.target)),
        _ => Ok(()),
    }
}

impl<'a> Context<'a> {
    fn new(module: &'a Module<'a>, options: &'a Options<'a>) -> Option<Context<'a>> {
        let defined: Vec<&Function> = module.functions.iter().filter(|function| function.body.is_some()).collect();
        let ids = defined.iter().enumerate().map(|(i, function)| (function.name, FunctionId(i as u32)));
        let mut ids: HashMap<&str, FunctionId> = ids.collect();
        for (alias, function) in &module.aliases {
            if let Some(&id) = ids.get(function) {
                ids.insert(alias, id);
            }
        }
        let variables = module.variables.iter().map(|variable| (variable.name, variable)).collect();
        let opcodes = module.opcodes.iter().map(|opcode| {
            let row = opcode.definition();
            OpcodeFacts {
                text: opcode.shown(),
                opcode: opcode.facts(),
                class: row.class_of(&opcode.types),
                flops: row.flops_of(&opcode.types, &opcode.modifiers),
                tensor_fmas: row.tensor_fmas(&opcode.types, &opcode.modifiers),
                element_bytes: opcode.types.last().map_or(0, |ty| ty.bytes()),
                refused: refused(module, opcode.since()).err(),
            }
        });
        let opcodes = opcodes.collect();
        let names: Vec<Vec<&str>> = defined.iter().map(|function| used_names(function)).collect();
        let called =
            |names: &Vec<&str>| names.iter().filter_map(|name| ids.get(name).map(|id| id.0 as usize)).collect();
        let calls: Vec<Vec<usize>> = names.iter().map(called).collect();
        let indirect: Vec<bool> = defined.iter().map(|function| effects::calls_indirectly(function)).collect();
        let reaches = effects::closure(&calls, &indirect, &defined);
        let reach = defined.iter().zip(&reaches).zip(names);
        let reach = reach.map(|((function, reaches), names)| Reach { function, reaches: reaches.clone(), names });
        let shared = shared::shared(&module.variables, &reach.collect::<Vec<_>>())?;
        Some(Context { module, options, defined, shared, opcodes, variables, ids, reaches })
    }

    /// A variable of module scope.
    pub fn variable(&self, name: &str) -> Option<&'a Variable<'a>> {
        self.variables.get(name).copied()
    }

    /// A function with a body.
    pub fn function_id(&self, name: &str) -> Option<FunctionId> {
        self.ids.get(name).copied()
    }

    /// Functions that one can reach, itself included.
    pub fn reaches(&self, index: usize) -> &[usize] {
        &self.reaches[index]
    }

    /// Sizes of a function's parameters and results in bytes.
    pub fn signature(&self, id: FunctionId) -> (Vec<u32>, Vec<u32>) {
        let function = self.defined[id.0 as usize];
        let bytes = |variables: &[Variable]| variables.iter().map(|v| v.bytes().unwrap_or(0) as u32).collect();
        (bytes(&function.parameters), bytes(&function.returns))
    }

    /// The shared variables that a launch of an entry has, by offset.
    pub fn shared_symbols(&self, index: usize) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        if !self.defined[index].is_entry {
            return symbols;
        }
        for &reached in &self.reaches[index] {
            let Some(body) = &self.defined[reached].body else { continue };
            for ((_, variable), &(start, _)) in body.variables.iter().zip(&self.shared.functions[reached]) {
                if variable.space == Space::Shared {
                    symbols.push(frame::symbol(variable, start));
                }
            }
        }
        let bytes = self.shared.bytes[index];
        for variable in self.module.variables.iter().filter(|variable| variable.space == Space::Shared) {
            match self.shared.module.get(variable.name) {
                Some(&(start, end)) if end <= bytes => symbols.push(frame::symbol(variable, start)),
                Some(_) => {}
                None => symbols.push(frame::symbol(variable, self.shared.dynamic[index])),
            }
        }
        symbols.sort_by_key(|symbol| symbol.offset);
        symbols
    }
}

/// Names in a function's operands that its body does not declare.
fn used_names<'a>(function: &'a Function<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    if let Some(body) = &function.body {
        names.extend(body.operands.iter().filter_map(|operand| match operand {
            Operand::Symbol(name, _)
            | Operand::Address { base: Base::Symbol(name), .. }
            | Operand::Element { array: Base::Symbol(name), .. } => Some(*name),
            _ => None,
        }));
        names.sort_unstable();
        names.dedup();
    }
    names
}

/// Semantics that were chosen before: modules have many instructions of few forms.
#[derive(Default)]
pub struct Selections(HashMap<FormKey, Result<Selected, Refusal>, BuildHasherDefault<NameHasher>>);

#[derive(PartialEq, Eq, Hash)]
struct FormKey {
    opcode: OpcodeId,
    space: Space,
    widths: [u8; 4],
    vector: u8,
    special: Option<Special>,
    call_parameter: bool,
}

impl Selections {
    /// The semantics of a draft.
    pub fn of(&mut self, module: &Module, opcode: OpcodeId, draft: &Draft) -> Result<Selected, Refusal> {
        let &Draft { space, widths, vector, special, call_parameter, .. } = draft;
        let key = FormKey { opcode, space, widths, vector, special, call_parameter };
        *self.0.entry(key).or_insert_with(|| {
            let opcode = &module.opcodes[opcode.0 as usize];
            let (modifiers, types) = (&opcode.modifiers[..], &opcode.types[..]);
            semantics::select(opcode.row, &Form { space, modifiers, types, widths, vector, special, call_parameter })
        })
    }
}
