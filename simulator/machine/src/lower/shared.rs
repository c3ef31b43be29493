//! Where shared variables lie: the same offsets in every function that names them.
//!
//! Variables of module scope and of device functions come first, at fixed offsets; an entry's own after them, or at 0
//! where it can reach none of the common ones. Dynamic shared memory begins after an entry's static variables. A device
//! function that uses dynamic shared memory must find it at one place whoever calls it: then it begins, for all entries,
//! after the largest.
use super::frame;
use ptx::tree::{Function, Space, Variable};
use std::collections::HashMap;

/// Dynamic shared memory begins at a multiple of this, or of a larger alignment that an `extern` array asks for.
const DYNAMIC_ALIGN: u32 = 16;

/// Offsets of shared variables.
#[derive(Default)]
pub struct Shared {
    /// Variables of module scope by name: offset and end.
    pub module: HashMap<String, (u32, u32)>,
    /// Offset and end of each variable of each function's body; of other spaces 0.
    pub functions: Vec<Vec<(u32, u32)>>,
    /// Where dynamic shared memory begins when each function uses it.
    pub dynamic: Vec<u32>,
    /// Static bytes of each entry; of device functions 0.
    pub bytes: Vec<u32>,
}

/// The names in a function, and the functions that it can reach.
pub struct Reach<'a> {
    pub function: &'a Function<'a>,
    /// Functions that it can reach, itself included.
    pub reaches: Vec<usize>,
    /// Names of module-scope variables that its own body uses.
    pub names: Vec<&'a str>,
}

/// Returns whether a variable is dynamic shared memory.
pub fn is_dynamic(variable: &Variable) -> bool {
    variable.space == Space::Shared && variable.is_extern && variable.dimensions.first() == Some(&0)
}

/// Lays out all shared variables; `None` where they exceed what 32 bits can address.
pub fn shared(variables: &[Variable], functions: &[Reach]) -> Option<Shared> {
    let mut shared = Shared::default();
    let mut end = 0;
    let mut dynamic_align = DYNAMIC_ALIGN;
    for variable in variables.iter().filter(|variable| variable.space == Space::Shared) {
        if is_dynamic(variable) {
            dynamic_align = dynamic_align.max(variable.align);
        } else {
            let offset = frame::place(variable, &mut end)?;
            shared.module.insert(variable.name.to_string(), (offset, end as u32));
        }
    }
    for reach in functions {
        let places = match &reach.function.body {
            Some(body) if !reach.function.is_entry => places(body, &mut end)?,
            _ => Vec::new(),
        };
        shared.functions.push(places);
    }
    for (i, reach) in functions.iter().enumerate() {
        let mut bytes = 0;
        if reach.function.is_entry {
            let common = reach.reaches.iter().flat_map(|&other| {
                let names = functions[other].names.iter().filter_map(|name| shared.module.get(*name));
                shared.functions[other].iter().chain(names).map(|&(_, end)| end)
            });
            let mut end = u64::from(common.max().unwrap_or(0));
            if let Some(body) = &reach.function.body {
                shared.functions[i] = places(body, &mut end)?;
            }
            bytes = u32::try_from(end).ok()?;
        }
        shared.bytes.push(bytes);
    }
    let uses_dynamic = |reach: &Reach| {
        let module = variables.iter().filter(|variable| is_dynamic(variable));
        module.clone().any(|variable| reach.names.contains(&variable.name))
    };
    let anywhere = functions.iter().any(|reach| !reach.function.is_entry && uses_dynamic(reach));
    let largest = shared.bytes.iter().copied().max().unwrap_or(0);
    if anywhere {
        shared
            .bytes
            .iter_mut()
            .zip(functions)
            .filter(|(_, reach)| reach.function.is_entry)
            .for_each(|(bytes, _)| *bytes = largest);
    }
    let begin = |&bytes: &u32| if anywhere { largest } else { bytes }.checked_next_multiple_of(dynamic_align);
    shared.dynamic = shared.bytes.iter().map(begin).collect::<Option<_>>()?;
    Some(shared)
}

/// Places the shared variables of a body past an end, which moves.
fn places(body: &ptx::tree::Body, end: &mut u64) -> Option<Vec<(u32, u32)>> {
    let place = |(_, variable): &(_, Variable)| match variable.space {
        Space::Shared => frame::place(variable, end).map(|offset| (offset, *end as u32)),
        _ => Some((0, 0)),
    };
    body.variables.iter().map(place).collect()
}
