//! Names in operands to places: parameters, variables of the body and of the module, functions.
use crate::lower::emission::Emitter;
use crate::lower::refused::Reason;
use crate::memory::FUNCTION_WINDOW;
use ptx::tree::{Space, VariableId};

/// Where a name is, without a row yet.
pub struct SymbolAddress {
    pub space: Space,
    /// Address, or offset in its space.
    pub offset: i64,
    /// True if the offset is from the frame's local memory.
    pub local: bool,
    pub call_parameter: bool,
}

impl SymbolAddress {
    fn fixed(space: Space, offset: i64) -> SymbolAddress {
        SymbolAddress { space, offset, local: false, call_parameter: false }
    }

    fn local(offset: i64, call_parameter: bool) -> SymbolAddress {
        SymbolAddress { space: Space::Local, offset, local: true, call_parameter }
    }
}

impl Emitter<'_, '_> {
    /// A variable of the body.
    pub fn variable(&self, id: VariableId, offset: i64) -> Result<SymbolAddress, Reason> {
        let (_, variable) = &self.body.variables[id.0 as usize];
        let at = i64::from(self.layout.variables[id.0 as usize]).wrapping_add(offset);
        match variable.space {
            Space::Param => Ok(SymbolAddress::local(at, true)),
            Space::Local => Ok(SymbolAddress::local(at, false)),
            Space::Shared => {
                let (start, _) = self.cx.shared.functions[self.index][id.0 as usize];
                Ok(SymbolAddress::fixed(Space::Shared, i64::from(start).wrapping_add(offset)))
            }
            space => self.global(variable.name, space, offset),
        }
    }

    /// A name that the body does not declare.
    pub fn symbol(&self, name: &str, offset: i64) -> Result<SymbolAddress, Reason> {
        let layout = &self.layout;
        if let Some(slot) = layout.parameters.iter().find(|slot| slot.name == name) {
            let at = i64::from(slot.offset).wrapping_add(offset);
            return Ok(if self.function.is_entry {
                SymbolAddress::fixed(Space::Param, at)
            } else {
                SymbolAddress::local(at, true)
            });
        }
        if let Some(slot) = layout.returns.iter().find(|slot| slot.name == name) {
            return Ok(SymbolAddress::local(i64::from(slot.offset).wrapping_add(offset), true));
        }
        if let Some(variable) = self.cx.variable(name) {
            if variable.space != Space::Shared {
                return self.global(name, variable.space, offset);
            }
            let start = match self.cx.shared.module[self.index].get(name) {
                Some(&(start, _)) => start,
                None => self.cx.shared.dynamic[self.index],
            };
            return Ok(SymbolAddress::fixed(Space::Shared, i64::from(start).wrapping_add(offset)));
        }
        match self.cx.function_id(name) {
            Some(id) => Ok(SymbolAddress::fixed(Space::Generic, (FUNCTION_WINDOW + u64::from(id.0)) as i64)),
            None => Err(Reason::UnknownSymbol(name.to_string())),
        }
    }

    fn global(&self, name: &str, space: Space, offset: i64) -> Result<SymbolAddress, Reason> {
        match (self.cx.options.addresses)(name) {
            Some(address) => Ok(SymbolAddress::fixed(space, (address as i64).wrapping_add(offset))),
            None => Err(Reason::UnknownSymbol(name.to_string())),
        }
    }
}
