//! The passes over a whole module.
use super::code;
use super::context::Context;
use super::options::Options;
use super::refused::{Reason, Refused};
use crate::exec::executable::Executable;
use crate::lower::analyses::effects;
use crate::lower::contraction::contracted;
use crate::lower::emission::Selections;
use crate::program::Program;
use ptx::tree::{Location, Module};
use std::collections::HashSet;

/// Lowers a module.
///
/// # Errors
/// Everything in it that cannot be run, each instruction once, with the place of its first use.
pub fn lower(module: &Module, options: &Options) -> Result<Executable, Vec<Refused>> {
    let contracted = contracted(module);
    let module = contracted.as_ref().unwrap_or(module);
    let whole = |reason| {
        let location = Location { ptx_line: 1, ..Location::default() };
        vec![Refused { location, function: String::new(), instruction: String::new(), reason }]
    };
    let cx = Context::new(module, options).ok_or_else(|| whole(Reason::TooLarge))?;
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
                format!("{:?}", refused.reason),
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
