//! Refusals of NVIDIA's assembler that concern a module as a whole, with the driver's result for it: the version and target of the
//! text, names defined twice, and more parameters, constants or static shared memory than any launch can have.
//!
//! The limits and the order of the checks are those of ptxas 13.
use crate::interface::{Cause, Outcome};
use clock::cards::{DEVICES, Device};
use machine::program::Program;
use ptx::tree::{Module, Space};
use std::collections::HashSet;

/// The newest PTX that is known: what the assembler of CUDA 13.5 takes.
const NEWEST: (u32, u32) = (9, 5);
/// From this version on, and this architecture, parameters may have [`PARAMETER_BYTES`].
const LARGE_PARAMETERS: ((u32, u32), u32) = ((8, 1), 70);
const PARAMETER_BYTES: u64 = 0x7ffc;
const SMALL_PARAMETER_BYTES: u64 = 0x1100;
const CONSTANT_BYTES: u64 = 64 << 10;
/// Static shared memory of a block, on every architecture: more must be asked for at the launch.
const STATIC_SHARED_BYTES: u32 = 48 << 10;
/// No compiler of today makes code for cards before Maxwell. They take its, so that the labs run on them.
const OLDEST_TARGET: u32 = 50;

/// Architectures that PTX can name after `sm_`, each since a `.version`: from 75 on as ptxas 13 has it.
#[rustfmt::skip]
const ARCHITECTURES: &[(u32, (u32, u32))] = &[
    (10, (1, 0)), (11, (1, 0)), (12, (1, 2)), (13, (1, 2)), (20, (2, 0)), (21, (2, 0)), (30, (3, 0)), (32, (4, 0)),
    (35, (3, 1)), (37, (4, 1)), (50, (4, 0)), (52, (4, 1)), (53, (4, 2)), (60, (5, 0)), (61, (5, 0)), (62, (5, 0)),
    (70, (6, 0)), (72, (6, 1)), (75, (6, 3)), (80, (7, 0)), (86, (7, 1)), (87, (7, 4)), (88, (7, 3)), (89, (7, 8)),
    (90, (7, 8)), (100, (8, 6)), (101, (8, 6)), (103, (8, 8)), (107, (9, 0)), (110, (9, 0)), (120, (8, 7)),
    (121, (8, 8)),
];
/// The least `.version` of targets with a letter: `a` came with sm_90, `f` with sm_100.
const LETTERS: &[(&str, (u32, u32))] = &[("a", (8, 0)), ("f", (8, 8))];

/// A card's compute capability as `.target` counts it: 89 is 8.9.
pub fn capability(card: &Device) -> u32 {
    let (major, minor) = card.architecture.compute_capability;
    (10 * major + minor).max(OLDEST_TARGET)
}

/// The card of the table with the least compute capability that takes PTX for an architecture.
pub fn taking(architecture: u32) -> Option<&'static Device> {
    DEVICES.iter().filter(|card| capability(card) >= architecture).min_by_key(|card| capability(card))
}

/// Refuses a parsed module, before its instructions are looked at. One that `may_be_newer` may be for a card of a later architecture.
pub fn check_module(module: &Module, card: &Device, may_be_newer: bool) -> Result<u32, Cause> {
    refuse_if!(module.version > NEWEST, Cause::PtxTooNew { version: module.version, newest: NEWEST });
    let target = check_target(module, card, may_be_newer)?;
    check_names(module)?;
    let refuse = |what: String| Err(Cause::NotAssembled(what));
    let large = module.version >= LARGE_PARAMETERS.0 && target >= LARGE_PARAMETERS.1;
    let limit = if large { PARAMETER_BYTES } else { SMALL_PARAMETER_BYTES };
    for function in module.functions.iter().filter(|function| function.is_entry) {
        let bytes = end_of(function.parameters.iter());
        if bytes > limit {
            return refuse(format!(
                "the kernel `{}` has {bytes} bytes of parameters; {limit} are allowed",
                function.name
            ));
        }
    }
    let constants = constant_bytes(module);
    if constants > CONSTANT_BYTES {
        return refuse(format!("the module has {constants} bytes of constants; {CONSTANT_BYTES} are allowed"));
    }
    Ok(target)
}

/// Refuses a lowered module: what its kernels share is known then.
pub fn check_program(program: &Program) -> Outcome {
    match program.functions.iter().find(|f| f.is_entry && f.shared_bytes > STATIC_SHARED_BYTES) {
        None => Ok(()),
        Some(f) => Err(Cause::NotAssembled(format!(
            "the kernel `{}` has {} bytes of static shared memory; {STATIC_SHARED_BYTES} are allowed, and more as dynamic \
             shared memory (`extern __shared__`) with CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
            f.name, f.shared_bytes
        ))),
    }
}

/// Bytes of a module's `.const` variables: each kernel of it takes them all.
pub fn constant_bytes(module: &Module) -> u64 {
    end_of(module.variables.iter().filter(|variable| variable.space == Space::Const && !variable.is_extern))
}

/// Where the last of some variables ends, laid out one after the other.
fn end_of<'m, 't: 'm>(variables: impl Iterator<Item = &'m ptx::tree::Variable<'t>>) -> u64 {
    variables.fold(0, |end: u64, variable| {
        let aligned = end.checked_next_multiple_of(u64::from(variable.align.max(1))).unwrap_or(u64::MAX);
        aligned.saturating_add(variable.bytes().unwrap_or(u64::MAX))
    })
}

/// The architecture that a module is for, if it is one, and the card can run its code. `sm_90a` runs on 9.0 alone, `sm_100f`
/// on 10.0 and its younger sisters.
fn check_target(module: &Module, card: &Device, may_be_newer: bool) -> Result<u32, Cause> {
    let target = module.target;
    let number = target.strip_prefix("sm_").unwrap_or_default();
    let digits = number.trim_end_matches(['a', 'f']);
    let suffix = &number[digits.len()..];
    let number = digits.parse().ok().filter(|_| suffix.len() <= 1);
    let known = ARCHITECTURES.iter().find(|(architecture, _)| number == Some(*architecture));
    let Some(&(architecture, since)) = known else {
        return Err(Cause::NotAssembled(format!("`.target {target}` is no architecture that PTX knows")));
    };
    let letter = LETTERS.iter().find(|letter| letter.0 == suffix).map_or(since, |letter| letter.1);
    let since @ (major, minor) = since.max(letter);
    if module.version < since {
        let (of, tenth) = module.version;
        return Err(Cause::NotAssembled(format!(
            "`.target {target}` needs `.version {major}.{minor}` or later; the module has `.version {of}.{tenth}`"
        )));
    }
    let of_card = capability(card);
    let runs = match suffix {
        "a" => architecture == of_card,
        "f" => architecture / 10 == of_card / 10 && architecture <= of_card,
        _ => may_be_newer || architecture <= of_card,
    };
    if runs {
        Ok(architecture)
    } else {
        let other = match suffix {
            "a" | "f" => DEVICES.iter().find(|other| capability(other) == architecture),
            _ => taking(architecture),
        };
        let hint = other
            .map_or_else(String::new, |other| format!("; `LABS_SIM_PROFILE={}` is a card that takes it", other.key));
        Err(Cause::WrongTarget { target: target.to_owned(), card: card.name, of_card, hint })
    }
}

/// Refuses a name that is defined twice. Declarations may be repeated.
fn check_names(module: &Module) -> Outcome {
    let functions = module.functions.iter().filter(|f| f.body.is_some()).map(|f| (f.name, f.at.ptx_line));
    let variables = module.variables.iter().filter(|v| !v.is_extern).map(|v| (v.name, 0));
    let mut seen = HashSet::new();
    match variables.chain(functions).find(|&(name, _)| !seen.insert(name)) {
        None => Ok(()),
        Some((name, 0)) => Err(Cause::NotAssembled(format!("`{name}` is defined twice"))),
        Some((name, line)) => {
            Err(Cause::NotAssembled(format!("`{name}` is defined twice, again in line {line} of the PTX")))
        }
    }
}
