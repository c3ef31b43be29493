//! Which definition stands for a name.
use super::{Input, Refused};
use ptx::isa::Space;
use ptx::tree::{Base, Declared, Function, Init, Linkage, Module, Operand, Target, Variable};
use std::collections::{HashMap, HashSet};

/// A declaration: input, item in it, and which of the item's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationId {
    pub input: usize,
    pub item: usize,
    pub variable: usize,
}

/// The names of all modules.
pub struct Names<'t> {
    /// The definition of each name that modules share.
    pub defined: HashMap<&'t str, (DeclarationId, Linkage)>,
    /// The first declaration of each name that nothing defines.
    pub declared: HashMap<&'t str, DeclarationId>,
    /// New names, by input, of what one module alone sees.
    pub renamed: HashMap<(usize, &'t str), String>,
}

/// One name of an item.
pub struct Declaration<'m, 't> {
    pub name: &'t str,
    pub variable: usize,
    pub linkage: Linkage,
    /// `None` is a function.
    pub space: Option<Space>,
    pub bytes: u64,
    pub is_definition: bool,
    pub function: Option<&'m Function<'t>>,
}

/// The names that an item declares. A kernel is seen from outside whatever stands before it.
pub fn declarations<'m, 't>(module: &'m Module<'t>, item: usize) -> Vec<Declaration<'m, 't>> {
    let item = &module.items[item];
    match &item.what {
        Declared::Variables(range) => module.variables[range.clone()]
            .iter()
            .enumerate()
            .map(|(variable, v)| Declaration {
                name: v.name,
                variable,
                linkage: item.linkage,
                space: Some(v.space),
                bytes: v.bytes().unwrap_or(0),
                is_definition: item.linkage != Linkage::Extern,
                function: None,
            })
            .collect(),
        Declared::Function(index) => {
            let function = &module.functions[*index];
            let local = function.is_entry && item.linkage == Linkage::Local;
            let alias = module.aliases.iter().any(|(alias, _)| *alias == function.name);
            vec![Declaration {
                name: function.name,
                variable: 0,
                linkage: if local { Linkage::Visible } else { item.linkage },
                space: None,
                bytes: 0,
                is_definition: function.body.is_some() || alias,
                function: Some(function),
            }]
        }
    }
}

impl<'t> Names<'t> {
    /// Finds the definitions.
    pub fn of(inputs: &[Input<'_, 't>]) -> Result<Names<'t>, Refused> {
        let mut names = Names { defined: HashMap::new(), declared: HashMap::new(), renamed: HashMap::new() };
        let mut first: HashMap<&'t str, (usize, Option<Space>)> = HashMap::new();
        for (input, Input { module, .. }) in inputs.iter().enumerate() {
            for item in 0..module.items.len() {
                for declaration in declarations(module, item) {
                    if declaration.linkage == Linkage::Local {
                        continue;
                    }
                    let &mut (earlier, space) = first.entry(declaration.name).or_insert((input, declaration.space));
                    let told = |at: usize| inputs[at].name.to_owned();
                    if space != declaration.space {
                        let name = declaration.name.to_owned();
                        return Err(Refused::Space { name, first: told(earlier), second: told(input) });
                    }
                    let place = DeclarationId { input, item, variable: declaration.variable };
                    names.enter(inputs, &declaration, place).map_err(|first| Refused::Multiple {
                        name: declaration.name.to_owned(),
                        first: told(first),
                        second: told(input),
                    })?;
                }
            }
        }
        names.rename(inputs);
        Ok(names)
    }

    /// Takes a declaration in, or answers the input that has the other definition.
    fn enter(&mut self, inputs: &[Input], new: &Declaration<'_, 't>, place: DeclarationId) -> Result<(), usize> {
        if !new.is_definition {
            self.declared.entry(new.name).or_insert(place);
            return Ok(());
        }
        let Some(&(known, linkage)) = self.defined.get(new.name) else {
            self.defined.insert(new.name, (place, new.linkage));
            return Ok(());
        };
        let replaces = match (linkage, new.linkage) {
            (Linkage::Visible, Linkage::Visible) => return Err(known.input),
            (Linkage::Weak | Linkage::Common, Linkage::Visible) => true,
            (Linkage::Common, Linkage::Common) => {
                let of = declarations(&inputs[known.input].module, known.item);
                of.iter().any(|known_one| known_one.variable == known.variable && known_one.bytes < new.bytes)
            }
            _ => false,
        };
        if replaces {
            self.defined.insert(new.name, (place, new.linkage));
        }
        Ok(())
    }

    /// Finds new names for what one module alone sees, where another module has the name as well.
    fn rename(&mut self, inputs: &[Input<'_, 't>]) {
        let mut taken: HashSet<String> =
            self.defined.keys().chain(self.declared.keys()).map(|name| (*name).to_owned()).collect();
        for (input, Input { module, .. }) in inputs.iter().enumerate() {
            let mut own = HashSet::new();
            for item in 0..module.items.len() {
                for declaration in declarations(module, item) {
                    if declaration.linkage == Linkage::Local && own.insert(declaration.name) {
                        if taken.insert(declaration.name.to_owned()) {
                            continue;
                        }
                        let mut names = (input..).map(|n| format!("{}__{n}", declaration.name));
                        let new = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
                        self.renamed.insert((input, declaration.name), new);
                    }
                }
            }
        }
    }

    /// Names that are used, and defined nowhere.
    pub fn undefined(&self, inputs: &[Input<'_, 't>], provided: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
        let mut seen = HashSet::new();
        let mut undefined = Vec::new();
        for input in inputs {
            for name in uses(&input.module) {
                let Some(place) = self.declared.get(name) else { continue };
                let declared = declarations(&inputs[place.input].module, place.item);
                // The launch gives these their size.
                let is_dynamic = declared.iter().any(|d| d.space == Some(Space::Shared) && d.bytes == 0);
                if !is_dynamic && !self.defined.contains_key(name) && !provided(name) && seen.insert(name) {
                    undefined.push((name.to_owned(), input.name.to_owned()));
                }
            }
        }
        undefined
    }
}

/// The names in a module's functions and initialisers that mean something of module scope: slices of its text.
pub fn uses<'t>(module: &Module<'t>) -> Vec<&'t str> {
    let mut uses = Vec::new();
    for function in &module.functions {
        let Some(body) = &function.body else { continue };
        let parameters: Vec<&str> = names_of(&function.parameters).chain(names_of(&function.returns)).collect();
        let operands = body.operands.iter().filter_map(|operand| match *operand {
            Operand::Symbol(name, _)
            | Operand::Address { base: Base::Symbol(name), .. }
            | Operand::Element { array: Base::Symbol(name), .. } => Some(name),
            _ => None,
        });
        let targets = body.tables.iter().flat_map(|(_, targets)| targets).filter_map(|target| match *target {
            Target::Function(name) => Some(name),
            Target::Label(_) => None,
        });
        let labels = |name: &str| {
            body.tables.iter().any(|(label, _)| *label == name)
                || body.prototypes.iter().any(|(label, _)| *label == name)
        };
        uses.extend(operands.chain(targets).filter(|name| !parameters.contains(name) && !labels(name)));
        uses.extend(body.variables.iter().flat_map(|(_, variable)| initialised_with(variable)));
    }
    uses.extend(module.variables.iter().flat_map(initialised_with));
    uses.extend(module.aliases.iter().flat_map(|&(alias, function)| [alias, function]));
    uses
}

fn names_of<'m, 't>(variables: &'m [Variable<'t>]) -> impl Iterator<Item = &'t str> + 'm {
    variables.iter().map(|variable| variable.name)
}

fn initialised_with<'m, 't>(variable: &'m Variable<'t>) -> impl Iterator<Item = &'t str> + 'm {
    variable.init.iter().filter_map(|init| match init {
        Init::Address { symbol, .. } => Some(*symbol),
        Init::Bits(_) => None,
    })
}
