//! Where shared variables lie.
//!
//! An entry has those alone that it can reach: its own, those of module scope that it names, and the common ones, which device functions
//! name or declare. A device function is lowered once, so that a common variable has one offset whoever calls; two may lie at the same place
//! if no entry reaches both. An entry's other variables follow its common ones. Dynamic shared memory begins after an entry's static
//! variables. A device function that uses dynamic shared memory must find it at one place: then it begins, for all entries that reach
//! such a function, after the largest of them.
use crate::lower::emission::frame;
use ptx::tree::{Function, Space, Variable};
use std::collections::HashMap;

/// Dynamic shared memory begins at a multiple of this, or of a larger alignment that an `extern` array asks for.
const DYNAMIC_ALIGN: u32 = 16;

/// Offsets of shared variables.
#[derive(Default)]
pub struct Shared {
    /// Variables of module scope by name, for each function: offset and end.
    pub module: Vec<HashMap<String, (u32, u32)>>,
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

/// A common variable that has its place: offset, end, and the entries that reach it.
struct Placed {
    offset: u32,
    end: u32,
    entries: Vec<usize>,
}

/// Lays out all shared variables; `None` where they exceed what 32 bits can address.
pub fn shared(variables: &[Variable], functions: &[Reach]) -> Option<Shared> {
    let mut shared = Shared { module: vec![HashMap::new(); functions.len()], ..Shared::default() };
    let mut dynamic_align = DYNAMIC_ALIGN;
    let mut placed = Vec::new();
    let is_entry = |&index: &usize| functions[index].function.is_entry;
    // Static variables of module scope that an entry alone names.
    let mut others = Vec::new();
    for variable in variables.iter().filter(|variable| variable.space == Space::Shared) {
        if is_dynamic(variable) {
            dynamic_align = dynamic_align.max(variable.align);
            continue;
        }
        let names = |index: &usize| functions[*index].names.contains(&variable.name);
        let naming: Vec<usize> = (0..functions.len()).filter(names).collect();
        if naming.iter().all(is_entry) {
            others.push((variable, naming));
            continue;
        }
        let place = place_common(variable, &naming, functions, &mut placed)?;
        // Whoever reaches it has it, so that messages name it.
        for (index, reach) in functions.iter().enumerate() {
            if reach.reaches.iter().any(|reached| naming.contains(reached)) {
                shared.module[index].insert(variable.name.to_string(), place);
            }
        }
    }
    for (index, reach) in functions.iter().enumerate() {
        let places = match &reach.function.body {
            Some(body) if !reach.function.is_entry => {
                let place = |(_, variable): &(_, Variable)| match variable.space {
                    Space::Shared => place_common(variable, &[index], functions, &mut placed),
                    _ => Some((0, 0)),
                };
                body.variables.iter().map(place).collect::<Option<_>>()?
            }
            _ => Vec::new(),
        };
        shared.functions.push(places);
    }
    for (index, reach) in functions.iter().enumerate() {
        let mut bytes = 0;
        if reach.function.is_entry {
            let common = placed.iter().filter(|common| common.entries.contains(&index)).map(|common| common.end);
            let mut end = u64::from(common.max().unwrap_or(0));
            for (variable, _) in others.iter().filter(|(_, naming)| naming.contains(&index)) {
                let offset = frame::place(variable, &mut end)?;
                shared.module[index].insert(variable.name.to_string(), (offset, end as u32));
            }
            if let Some(body) = &reach.function.body {
                shared.functions[index] = places(body, &mut end)?;
            }
            bytes = u32::try_from(end).ok()?;
        }
        shared.bytes.push(bytes);
    }
    let uses_dynamic = |reach: &Reach| {
        let module = variables.iter().filter(|variable| is_dynamic(variable));
        module.clone().any(|variable| reach.names.contains(&variable.name))
    };
    let finds_it_at_one_place = |index: &usize| !is_entry(index) && uses_dynamic(&functions[*index]);
    let at_one_place: Vec<bool> =
        functions.iter().map(|reach| reach.reaches.iter().any(finds_it_at_one_place)).collect();
    let of_these = shared.bytes.iter().zip(&at_one_place).filter(|(_, is)| **is);
    let largest = of_these.map(|(bytes, _)| *bytes).max().unwrap_or(0);
    let begin =
        |(&bytes, &is): (&u32, &bool)| (if is { largest } else { bytes }).checked_next_multiple_of(dynamic_align);
    shared.dynamic = shared.bytes.iter().zip(&at_one_place).map(begin).collect::<Option<_>>()?;
    Some(shared)
}

/// Places a variable that the named functions use at the lowest offset where no other variable of the same entry lies.
fn place_common(
    variable: &Variable,
    naming: &[usize],
    functions: &[Reach],
    placed: &mut Vec<Placed>,
) -> Option<(u32, u32)> {
    let reaches = |reach: &Reach| reach.function.is_entry && reach.reaches.iter().any(|other| naming.contains(other));
    let entries: Vec<usize> = (0..functions.len()).filter(|&index| reaches(&functions[index])).collect();
    let mut from = 0;
    loop {
        let mut end = from;
        let offset = frame::place(variable, &mut end)?;
        let in_its_way = |other: &&Placed| {
            offset < other.end
                && u64::from(other.offset) < end
                && other.entries.iter().any(|entry| entries.binary_search(entry).is_ok())
        };
        match placed.iter().filter(in_its_way).map(|other| other.end).max() {
            Some(other) => from = u64::from(other),
            None => {
                placed.push(Placed { offset, end: end as u32, entries });
                return Some((offset, end as u32));
            }
        }
    }
}

/// Places the shared variables of a body past an end, which moves.
fn places(body: &ptx::tree::Body, end: &mut u64) -> Option<Vec<(u32, u32)>> {
    let place = |(_, variable): &(_, Variable)| match variable.space {
        Space::Shared => frame::place(variable, end).map(|offset| (offset, *end as u32)),
        _ => Some((0, 0)),
    };
    body.variables.iter().map(place).collect()
}
