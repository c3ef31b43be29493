//! Several PTX modules as one: what a device linker does, on text.
//!
//! Each name that modules share has one definition ([`names`]): `.visible` wins over `.weak`, two `.visible` are refused, the
//! largest `.common` counts. The declarations of all modules are then written one after the other ([`text`]): without those
//! that another definition stands for, names of one module alone renamed where two modules use them, and `.file`
//! numbers counted anew. The result is a module like any other, and may be linked again.
mod names;
mod text;

use ptx::ParseError;
use ptx::tree::Module;

/// A module, and what the caller calls it.
pub struct Input<'a, 't> {
    pub name: &'a str,
    pub text: &'t str,
    pub module: Module<'t>,
}

/// The linked text, and the names that it still lacks.
#[derive(Debug)]
pub struct Linked {
    pub text: String,
    /// Names that are used and defined nowhere, each with the module that uses it.
    pub undefined: Vec<(String, String)>,
}

/// Why modules cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("Multiple definition of '{name}' in '{second}', first defined in '{first}'")]
    Multiple { name: String, first: String, second: String },
    #[error("Memory space doesn't match for '{name}' in '{second}', first specified in '{first}'")]
    Space { name: String, first: String, second: String },
}

/// Refuses modules whose names clash, before there are all of them.
///
/// # Errors
/// The first clash in the order of the modules.
pub fn check(inputs: &[Input]) -> Result<(), Refused> {
    names::Names::of(inputs).map(|_| ())
}

/// Links modules. `provided` tells of functions that need no definition.
///
/// # Errors
/// The first clash in the order of the modules.
pub fn link(inputs: &[Input], provided: &dyn Fn(&str) -> bool) -> Result<Linked, Refused> {
    let names = names::Names::of(inputs)?;
    Ok(Linked { undefined: names.undefined(inputs, provided), text: text::write(inputs, &names) })
}

/// Functions that the driver gives every module, linked or not, that declares one of them and has no body for it.
pub const OF_THE_DRIVER: &str = include_str!("conditions.ptx");

/// The device runtime's functions that are PTX, and the driver's own: modules to link where one of their names is undefined.
pub const DEVICE_RUNTIME: [&str; 3] =
    [include_str!("device_runtime.ptx"), include_str!("device_launches.ptx"), OF_THE_DRIVER];

/// A module that is loaded as it is, with what the driver gives: `None` if it asks for nothing.
///
/// # Errors
/// Names that clash. A text that is no PTX asks for nothing.
pub fn with_the_drivers(text: &str) -> Result<Option<String>, Refused> {
    let Ok(own) = ptx::parse(OF_THE_DRIVER) else { return Ok(None) };
    // Before all of a large text is read once more.
    if !own.functions.iter().any(|function| text.contains(function.name)) {
        return Ok(None);
    }
    let Ok(module) = ptx::parse(text) else { return Ok(None) };
    let of = |name: &str, with_body: bool| {
        module.functions.iter().any(|function| function.name == name && function.body.is_some() == with_body)
    };
    if !own.functions.iter().any(|function| of(function.name, false) && !of(function.name, true)) {
        return Ok(None);
    }
    let inputs = [
        Input { name: "the module", text, module },
        Input { name: "the driver's functions", text: OF_THE_DRIVER, module: own },
    ];
    Ok(Some(link(&inputs, &crate::lower::is_provided)?.text))
}

/// Gives every kernel that does not say otherwise at most so many registers a thread.
///
/// # Errors
/// The first place where the text is not PTX.
pub fn limit_registers(text: &str, most: u32) -> Result<String, ParseError> {
    Ok(text::limit_registers(text, &ptx::parse(text)?, most))
}

#[cfg(test)]
mod tests;
