//! Declarations of variables and parameters, with their initialisers.
use super::cursor::{Cursor, Parsed};
use super::expression;
use super::tree::{Init, Literal, Space, Variable};
use crate::isa::Type;

/// The directives before a name: `.global .align 4 .v2 .f32`, and the qualifiers of pointers that nothing here needs.
pub struct Head {
    pub space: Space,
    pub element: Type,
    pub vector: u32,
    pub align: u32,
}

/// The state space that a directive names, if it declares variables.
pub fn space(directive: &str) -> Option<Space> {
    Some(match directive {
        ".global" => Space::Global,
        ".shared" => Space::Shared,
        ".local" => Space::Local,
        ".const" => Space::Const,
        ".param" => Space::Param,
        _ => return None,
    })
}

/// Reads the directives before a variable's name; the state space stands here.
pub fn head(cursor: &mut Cursor) -> Parsed<Head> {
    let here = cursor.mark();
    let space = space(cursor.directive()?).ok_or_else(|| cursor.expected_at(here, "a state space"))?;
    let (mut element, mut vector, mut align, mut pointer) = (None, 1, 0, false);
    while cursor.peek() == b'.' {
        let here = cursor.mark();
        let word = cursor.directive()?;
        match word {
            // `.ptr .global .align 4` says where a parameter points, and how what it points to is aligned.
            ".ptr" => pointer = true,
            ".global" | ".shared" | ".local" | ".const" if pointer => {}
            ".align" => {
                let here = cursor.mark();
                let value = expression::count(cursor)?;
                refuse_if!(!value.is_power_of_two(), cursor.expected_at(here, "a power of two"));
                if !pointer {
                    align = value;
                }
            }
            ".v2" => vector = 2,
            ".v4" => vector = 4,
            ".attribute" => {
                cursor.expect(b'(')?;
                cursor.skip_to(b')', b';')?;
                cursor.expect(b')')?;
            }
            // Opaque handles; what reads them is refused when it is lowered.
            ".texref" | ".samplerref" | ".surfref" => element = Some(Type::U64),
            _ => {
                element = Some(
                    Type::parse(&word[1..])
                        .filter(|ty| *ty != Type::Pred)
                        .ok_or_else(|| cursor.expected_at(here, "a power of two"))?,
                )
            }
        }
    }
    let Some(element) = element else { return Err(cursor.expected("a type")) };
    let natural = element.bytes() * vector;
    Ok(Head { space, element, vector, align: if align == 0 { natural } else { align } })
}

/// Reads name, dimensions and initialiser after a head.
pub fn declarator<'t>(cursor: &mut Cursor<'t>, head: &Head) -> Parsed<Variable<'t>> {
    let name = cursor.name()?;
    let mut variable = Variable {
        space: head.space,
        name,
        element: head.element,
        vector: head.vector,
        dimensions: Vec::new(),
        align: head.align,
        is_extern: false,
        init: Vec::new(),
    };
    while cursor.accept(b'[') {
        let here = cursor.mark();
        let length = if cursor.peek() == b']' { 0 } else { expression::integer(cursor)? };
        variable.dimensions.push(u64::try_from(length).map_err(|_| cursor.expected_at(here, "an array's length"))?);
        cursor.expect(b']')?;
    }
    let here = cursor.mark();
    if variable.bytes().is_none_or(|bytes| bytes > 1 << 48) {
        return Err(cursor.error_at(here, format!("`{name}` is larger than any memory")));
    }
    if cursor.accept(b'=') {
        initialiser(cursor, &mut variable)?;
    }
    Ok(variable)
}

/// Reads `= value` or `= { {…}, … }`, flattened: a shorter inner row is filled with zeros.
fn initialiser<'t>(cursor: &mut Cursor<'t>, variable: &mut Variable<'t>) -> Parsed<()> {
    if cursor.peek() != b'{' {
        variable.init.push(element(cursor, variable.element)?);
        return Ok(());
    }
    // Elements that each nesting depth spans: the whole variable, a row of it, …
    let inner = |dimensions: &[u64]| dimensions.iter().product::<u64>().max(1) * u64::from(variable.vector);
    let spans: Vec<u64> = (0..=variable.dimensions.len()).map(|i| inner(&variable.dimensions[i..])).collect();
    let mut starts: Vec<usize> = Vec::new();
    let mut init = Vec::new();
    loop {
        if cursor.accept(b'{') {
            starts.push(init.len());
            refuse_if!(starts.len() > 16, cursor.error("this initialiser is nested too deeply"));
            if cursor.peek() != b'}' {
                continue;
            }
        } else if cursor.peek() != b'}' {
            init.push(element(cursor, variable.element)?);
        }
        while cursor.peek() == b'}' {
            cursor.bump();
            let Some(start) = starts.pop() else { return Err(cursor.error("one `}` too many")) };
            if starts.is_empty() {
                size_by_initialiser(variable, init);
                return Ok(());
            }
            let span = spans.get(starts.len()).copied().unwrap_or(1);
            let end = start as u64 + span;
            if end > (1 << 32) || (init.len() as u64) > end {
                return Err(cursor.error("this row of the initialiser is longer than the array's"));
            }
            // Rows are filled lazily: a large array of short rows would otherwise cost more memory than its text.
            if end as usize > init.len() + (1 << 20) {
                return Err(cursor.error("this row of the initialiser is too short for its array"));
            }
            init.resize(end as usize, Init::Bits(0));
        }
        refuse_if!(!cursor.accept(b','), cursor.expected("`,` or `}`"));
    }
}

/// `x[] = {…}` has as many elements as its initialiser.
fn size_by_initialiser<'t>(variable: &mut Variable<'t>, init: Vec<Init<'t>>) {
    if variable.dimensions.first() == Some(&0) {
        let row: u64 = variable.dimensions[1..].iter().product::<u64>().max(1) * u64::from(variable.vector);
        variable.dimensions[0] = (init.len() as u64).div_ceil(row);
    }
    variable.init = init;
}

/// A number, a symbol's address, or one byte of it.
fn element<'t>(cursor: &mut Cursor<'t>, ty: Type) -> Parsed<Init<'t>> {
    if cursor.at_name() {
        return address(cursor, u64::MAX);
    }
    let here = cursor.mark();
    let (bits, literal) = expression::constant(cursor)?;
    if literal == Literal::Integer && cursor.accept(b'(') {
        let init = address(cursor, bits)?;
        cursor.expect(b')')?;
        return Ok(init);
    }
    expression::constant_bits(bits, literal, ty).map(Init::Bits).ok_or_else(|| cursor.expected_at(here, "a value"))
}

/// `symbol`, `symbol+4`, `generic(symbol)+4`.
fn address<'t>(cursor: &mut Cursor<'t>, mask: u64) -> Parsed<Init<'t>> {
    let mut symbol = cursor.name()?;
    let generic = symbol == "generic" && cursor.accept(b'(');
    if generic {
        symbol = cursor.name()?;
        cursor.expect(b')')?;
    }
    let offset = match cursor.peek() {
        b'+' => {
            cursor.bump();
            expression::integer(cursor)?
        }
        b'-' => expression::integer(cursor)?,
        _ => 0,
    };
    Ok(Init::Address { symbol, offset, generic, mask })
}
