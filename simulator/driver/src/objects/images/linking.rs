//! A link in the making: the modules that were added, and where the caller wants its logs.
use crate::interface::{Cause, Outcome};
use machine::link::{self, Input};
use std::sync::Arc;

/// A link that `cuLinkCreate` made.
#[derive(Default)]
pub struct Linking {
    /// Names and texts, in the order of their adding.
    pub modules: Vec<(String, Arc<str>)>,
    /// Fat binaries without PTX for the card, and why. NVIDIA's device runtime is one, which the simulator has in its own way.
    pub without_ptx: Vec<(String, String)>,
    pub options: JitOptions,
    /// The image, once the link is complete: text that ends in NUL. It lives as long as the link.
    pub image: Option<Box<[u8]>>,
}

/// The options of the just-in-time compiler that mean something here: addresses of the caller's log buffers, and the slots
/// that take how much was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct JitOptions {
    pub max_registers: Option<u32>,
    pub info: Option<LogBuffer>,
    pub error: Option<LogBuffer>,
}

/// A caller's buffer for a log.
#[derive(Clone, Copy, Debug)]
pub struct LogBuffer {
    pub text: usize,
    pub room: usize,
    /// Where the number of written bytes goes.
    pub size_slot: usize,
}

/// Links texts with names.
pub fn link(
    modules: &[(String, Arc<str>)],
    without_ptx: &[(String, String)],
    options: &JitOptions,
) -> Result<String, Cause> {
    let refused = |refused: link::Refused| Cause::NotLinked(refused.to_string());
    if let ([], [(_, why), ..]) = (modules, without_ptx) {
        return Err(Cause::NotPtx(why.clone()));
    }
    let mut inputs = parse(modules)?;
    let mut linked = link::link(&inputs, &machine::lower::is_provided).map_err(refused)?;
    for text in link::DEVICE_RUNTIME {
        let runtime = ptx::parse(text).map_err(bad_ptx)?;
        if linked.undefined.iter().any(|(name, _)| runtime.functions.iter().any(|function| function.name == name)) {
            inputs.push(Input { name: "the simulator's device runtime", text, module: runtime });
            linked = link::link(&inputs, &machine::lower::is_provided).map_err(refused)?;
        }
    }
    if let Some((name, user)) = linked.undefined.first() {
        return Err(Cause::Undefined {
            name: name.clone(),
            user: user.clone(),
            machine_code: without_ptx.iter().map(|(name, why)| format!("; {name} is {why}")).collect(),
        });
    }
    Ok(match options.max_registers {
        Some(most) => link::limit_registers(&linked.text, most).map_err(bad_ptx)?,
        None => linked.text,
    })
}

/// Refuses texts whose names clash.
pub fn check(modules: &[(String, Arc<str>)]) -> Outcome {
    link::check(&parse(modules)?).map_err(|refused| Cause::NotLinked(refused.to_string()))
}

fn parse(modules: &[(String, Arc<str>)]) -> Result<Vec<Input<'_, '_>>, Cause> {
    modules.iter().map(|(name, text)| Ok(Input { name, text, module: ptx::parse(text).map_err(bad_ptx)? })).collect()
}

/// A text that is not PTX.
pub fn bad_ptx(error: ptx::ParseError) -> Cause {
    Cause::BadPtx { line: error.line, column: error.column, message: error.message }
}
