//! The names of one function, scope by scope.
use super::tree::{RegisterId, VariableId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type NameMap<'t, V> = HashMap<&'t str, V, BuildHasherDefault<NameHasher>>;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Register(RegisterId),
    Variable(VariableId),
    /// A vector: its first register, and how many follow each other.
    Vector(RegisterId, u8),
}

/// Registers, or variables, `prefix0` to `prefix(count - 1)`.
#[derive(Clone, Copy)]
struct Family {
    first: Binding,
    count: u32,
}

impl Binding {
    /// The binding of the register that is so many after this one.
    fn after(self, number: u32) -> Binding {
        match self {
            Binding::Register(RegisterId(first)) => Binding::Register(RegisterId(first + number)),
            Binding::Variable(VariableId(first)) => Binding::Variable(VariableId(first + number)),
            Binding::Vector(RegisterId(first), elements) => Binding::Vector(RegisterId(first + number), elements),
        }
    }
}

/// The names that are visible at one place of a function.
#[derive(Default)]
pub struct Names<'t> {
    /// Names of their own, with the depth of the scope that declares them.
    singles: NameMap<'t, (u32, Binding)>,
    families: NameMap<'t, (u32, Family)>,
    /// Bindings to restore when scopes end.
    undo: Vec<Undo<'t>>,
    /// Length of `undo` at the start of each open inner scope.
    marks: Vec<usize>,
}

enum Undo<'t> {
    Single(&'t str, Option<(u32, Binding)>),
    Family(&'t str, Option<(u32, Family)>),
}

impl<'t> Names<'t> {
    /// Forgets everything, for the next function.
    pub fn clear(&mut self) {
        self.singles.clear();
        self.families.clear();
        self.undo.clear();
        self.marks.clear();
    }

    /// Opens a scope.
    pub fn open(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Single(name, Some(old)) => drop(self.singles.insert(name, old)),
                Undo::Single(name, None) => drop(self.singles.remove(name)),
                Undo::Family(name, Some(old)) => drop(self.families.insert(name, old)),
                Undo::Family(name, None) => drop(self.families.remove(name)),
            }
        }
    }

    /// Declares a name; false where this scope has it already.
    pub fn declare(&mut self, name: &'t str, binding: Binding) -> bool {
        let depth = self.marks.len() as u32;
        let old = self.singles.insert(name, (depth, binding));
        self.undo.push(Undo::Single(name, old));
        old.is_none_or(|(at, _)| at != depth)
    }

    /// Declares `prefix0` to `prefix(count - 1)`, of which the first is this; false where this scope has the prefix already.
    pub fn declare_family(&mut self, prefix: &'t str, first: Binding, count: u32) -> bool {
        let depth = self.marks.len() as u32;
        let old = self.families.insert(prefix, (depth, Family { first, count }));
        self.undo.push(Undo::Family(prefix, old));
        old.is_none_or(|(at, _)| at != depth)
    }

    /// The innermost declaration of a name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<Binding> {
        let single = if self.singles.is_empty() { None } else { self.singles.get(name).copied() };
        let family = self.find_in_family(name);
        match (single, family) {
            (Some((depth, binding)), Some((other, _))) if depth >= other => Some(binding),
            (_, Some((_, binding))) => Some(binding),
            (single, None) => single.map(|(_, binding)| binding),
        }
    }

    #[inline]
    fn find_in_family(&self, name: &str) -> Option<(u32, Binding)> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 9 {
            return None;
        }
        // A family's prefix may itself end in a digit: `%x1<4>` has `%x10`. The longest number that fits is tried first.
        for length in (1..=digits).rev() {
            let (prefix, number) = name.split_at(name.len() - length);
            if length > 1 && number.starts_with('0') {
                continue;
            }
            if let Some(&(depth, family)) = self.families.get(prefix) {
                let number = number.bytes().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
                if number < family.count {
                    return Some((depth, family.first.after(number)));
                }
            }
        }
        None
    }
}

/// Hashes short names fast: eight bytes at a time, each mixed by a wide multiplication.
#[derive(Default)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.mix(u64::from_le_bytes(chunk.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        let rest = chunks.remainder();
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }
    #[inline]
    fn write_u8(&mut self, _: u8) {
        // The end mark of a string: its length is in the last chunk.
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

impl NameHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(id: u32) -> Option<Binding> {
        Some(Binding::Register(RegisterId(id)))
    }

    #[test]
    fn inner_names_shadow_outer_families_and_end_with_their_scope() {
        let mut names = Names::default();
        assert!(names.declare_family("%p", Binding::Register(RegisterId(10)), 4));
        assert_eq!(names.find("%p1"), register(11));
        names.open();
        assert!(names.declare("%p1", Binding::Register(RegisterId(99))));
        assert_eq!(names.find("%p1"), register(99));
        assert_eq!(names.find("%p2"), register(12));
        names.close();
        assert_eq!(names.find("%p1"), register(11));
    }

    #[test]
    fn an_inner_family_shadows_an_outer_single() {
        let mut names = Names::default();
        names.declare("%r1", Binding::Register(RegisterId(0)));
        names.open();
        names.declare_family("%r", Binding::Register(RegisterId(5)), 2);
        assert_eq!(names.find("%r1"), register(6));
        names.close();
        assert_eq!(names.find("%r1"), register(0));
    }

    #[test]
    fn numbers_beyond_the_family_and_leading_zeros_are_unknown() {
        let mut names = Names::default();
        names.declare_family("%r", Binding::Register(RegisterId(0)), 3);
        assert_eq!(names.find("%r3"), None);
        assert_eq!(names.find("%r01"), None);
        assert_eq!(names.find("%r99999999999"), None);
        assert!(!names.declare_family("%r", Binding::Register(RegisterId(7)), 3));
    }

    #[test]
    fn a_prefix_may_end_in_a_digit() {
        let mut names = Names::default();
        names.declare_family("%x1", Binding::Register(RegisterId(4)), 4);
        assert_eq!(names.find("%x12"), register(6));
        names.declare_family("%x", Binding::Register(RegisterId(20)), 20);
        assert_eq!(names.find("%x12"), register(32));
    }
}
