//! Facts that all functions of a module share: which function is which, where shared variables lie, the facts of each opcode.
use super::options::Options;
use super::refused::{Reason, available};
use super::shared::{self, Reach, Shared};
use crate::lower::analyses::calls;
use crate::lower::emission::frame;
use crate::program::{FunctionId, Symbol};
use ptx::isa::{Class, Facts, Printed, Space, forms};
use ptx::tree::{Base, Function, Module, Operand, Variable};
use std::collections::HashMap;

/// Facts that all functions of a module share.
pub struct Context<'a> {
    pub module: &'a Module<'a>,
    pub options: &'a Options<'a>,
    /// Functions with a body, in the order of the text: their index is their id.
    pub defined: Vec<&'a Function<'a>>,
    pub shared: Shared,
    pub opcodes: Vec<OpcodeFacts>,
    variables: HashMap<&'a str, &'a Variable<'a>>,
    ids: HashMap<&'a str, FunctionId>,
    /// Functions that each one can reach, itself included.
    reaches: Vec<Vec<usize>>,
}

/// An opcode's entries in a [`Site`](crate::program::Site).
pub struct OpcodeFacts {
    pub class: Class,
    pub text: Printed,
    pub opcode: Facts,
    pub flops: u16,
    pub tensor_fmas: u32,
    pub element_bytes: u32,
    /// Reason the module may not use it.
    pub refused: Option<Reason>,
}

impl<'a> Context<'a> {
    pub fn new(module: &'a Module<'a>, options: &'a Options<'a>) -> Option<Context<'a>> {
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
                text: opcode.printed(),
                opcode: opcode.facts(),
                class: row.class_of(&opcode.types),
                flops: row.flops_of(&opcode.types, &opcode.modifiers),
                tensor_fmas: row.tensor_fmas(&opcode.types, &opcode.modifiers),
                element_bytes: opcode.types.last().map_or(0, |ty| ty.bytes()),
                refused: match available(module, opcode.since()) {
                    Ok(()) if !opcode.modelled => Some(Reason::NotModelled),
                    Ok(()) if forms::is_taken(opcode) == Some(false) => Some(Reason::NoSuchForm),
                    available => available.err(),
                },
            }
        });
        let opcodes = opcodes.collect();
        let names: Vec<Vec<&str>> = defined.iter().map(|function| used_names(function)).collect();
        let called =
            |names: &Vec<&str>| names.iter().filter_map(|name| ids.get(name).map(|id| id.0 as usize)).collect();
        let calls: Vec<Vec<usize>> = names.iter().map(called).collect();
        let indirect: Vec<bool> = defined.iter().map(|function| calls::calls_indirectly(function)).collect();
        let reaches = calls::closure(&calls, &indirect, &defined);
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
        for variable in self.module.variables.iter().filter(|variable| variable.space == Space::Shared) {
            match self.shared.module[index].get(variable.name) {
                Some(&(start, _)) => symbols.push(frame::symbol(variable, start)),
                None if shared::is_dynamic(variable) => {
                    symbols.push(frame::symbol(variable, self.shared.dynamic[index]))
                }
                None => {}
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
