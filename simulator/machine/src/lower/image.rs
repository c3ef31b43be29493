//! The initial bytes of a module's variables.
use super::refused::Reason;
use crate::memory::FUNCTION_WINDOW;
use ptx::tree::{Init, Module, Space, Variable};

/// Bytes that a variable may have to be initialised in memory: more than any device has.
const LARGEST: u64 = 1 << 38;

/// The initial bytes of a `.global` or `.const` variable: its initialiser, and nothing after it. The rest is zero.
///
/// `addresses` answers the address of the variables and functions ([`function_address`]) that the initialiser names.
///
/// # Errors
/// An initialiser longer than the variable, or with a name that nothing declares.
pub fn image(variable: &Variable, addresses: &dyn Fn(&str) -> Option<u64>) -> Result<Vec<u8>, Reason> {
    let element = variable.element.bytes() as usize;
    let bytes = variable.bytes().filter(|&bytes| bytes <= LARGEST).ok_or(Reason::TooLarge)?;
    refuse_if!((variable.init.len() * element) as u64 > bytes, Reason::Initialiser(variable.name.to_string()));
    let mut image = Vec::with_capacity(variable.init.len() * element);
    for init in &variable.init {
        let bits = match *init {
            Init::Bits(bits) => bits,
            Init::Address { symbol, offset, mask, .. } => {
                let address = addresses(symbol).ok_or_else(|| Reason::UnknownSymbol(symbol.to_string()))?;
                let address = address.wrapping_add_signed(offset);
                (address & mask) >> if mask == 0 { 0 } else { mask.trailing_zeros() }
            }
        };
        image.extend_from_slice(&u128::from(bits).to_le_bytes()[..element]);
    }
    Ok(image)
}

/// The variables of a module that need memory of their own: those of module scope, then those inside of functions.
pub fn variables<'m, 't>(module: &'m Module<'t>) -> impl Iterator<Item = &'m Variable<'t>> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let inner = bodies.flat_map(|body| body.variables.iter().map(|(_, variable)| variable));
    let all = module.variables.iter().chain(inner);
    all.filter(|variable| matches!(variable.space, Space::Global | Space::Const) && !variable.is_extern)
}

/// The address that a function of the module has as a value; `None` for functions without a body.
pub fn function_address(module: &Module, name: &str) -> Option<u64> {
    let alias = module.aliases.iter().find(|alias| alias.0 == name);
    let name = alias.map_or(name, |alias| alias.1);
    let mut defined = module.functions.iter().filter(|function| function.body.is_some());
    defined.position(|function| function.name == name).map(|index| FUNCTION_WINDOW + index as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_addresses_and_single_bytes() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }\n.global .u64 y;\n\
            .global .align 8 .u64 a[3] = {1, y+8, f};\n.global .u8 b[4] = {0xFF(y), 0xFF00(y), -1};\n\
            .const .f32 c[2][2] = {{1.0}, {0f40000000}};";
        let module = ptx::parse(text).unwrap();
        let addresses = |name: &str| match name {
            "y" => Some(0x1234),
            name => function_address(&module, name),
        };
        let of = |name: &str| image(variables(&module).find(|v| v.name == name).unwrap(), &addresses).unwrap();
        let words: Vec<u64> = of("a").chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
        assert_eq!(words, [1, 0x123c, FUNCTION_WINDOW]);
        assert_eq!(of("b"), [0x34, 0x12, 0xff]);
        let floats: Vec<f32> = of("c").chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
        assert_eq!(floats, [1.0, 0.0, 2.0, 0.0]);
        assert!(of("y").is_empty());
    }

    #[test]
    fn an_initialiser_longer_than_its_variable_is_refused() {
        let text = ".version 8.0\n.target sm_80\n.global .u32 a[2] = {1, 2, 3};";
        let module = ptx::parse(text).unwrap();
        assert_eq!(image(&module.variables[0], &|_| None), Err(Reason::Initialiser("a".into())));
    }
}
