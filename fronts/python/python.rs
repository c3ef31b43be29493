//! The little of Python's C interface that the front needs, found in the process: a Python that runs has it.
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

/// An object of Python's, or none.
pub type Object = *mut c_void;
/// A step of a module's initialisation: 0, or an exception was raised.
type Step = unsafe extern "C" fn(Object) -> c_int;

/// An entry of a module's `__pyx_capi__`.
pub struct Capsule {
    /// The function's name.
    pub name: String,
    object: Object,
}

/// `PyModuleDef_Slot`: a step of initialisation, or a property.
#[repr(C)]
#[derive(Clone, Copy)]
struct Slot {
    kind: c_int,
    value: *mut c_void,
}

/// `Py_mod_exec`
const EXECUTE: c_int = 2;
/// Pointers in `PyModuleDef` from the end of its object's head to its slots: `m_init`, `m_index`, `m_copy`, then `m_name`,
/// `m_doc`, `m_size`, `m_methods`.
const BEFORE_SLOTS: usize = 7;

macro_rules! functions {
    ($($name:ident($($type:ty),*) -> $result:ty;)*) => {
        /// Functions of Python's stable interface.
        #[allow(non_snake_case, reason = "Python's names")]
        pub struct Python { definition_type: usize, $($name: unsafe extern "C" fn($($type),*) -> $result),* }

        impl Python {
            fn find() -> Option<Python> {
                let address = |name: &CStr| {
                    // SAFETY: a name that ends in NUL, among all that the process has.
                    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
                    (!found.is_null()).then_some(found)
                };
                Some(Python {
                    definition_type: address(c"PyModuleDef_Type")? as usize,
                    $($name: {
                        let found = address(CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()).ok()?)?;
                        // SAFETY: Python's function of this name has this signature.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(found) }
                    }),*
                })
            }
        }
    };
}

functions! {
    PyObject_GetAttrString(Object, *const c_char) -> Object;
    PyDict_Next(Object, *mut isize, *mut Object, *mut Object) -> c_int;
    PyUnicode_AsUTF8AndSize(Object, *mut isize) -> *const c_char;
    PyCapsule_GetName(Object) -> *const c_char;
    PyCapsule_GetPointer(Object, *const c_char) -> *mut c_void;
    PyCapsule_SetPointer(Object, *mut c_void) -> c_int;
    PyErr_Clear() -> ();
    Py_DecRef(Object) -> ();
}

impl Python {
    /// The one of this process, if it has one.
    pub fn get() -> Option<&'static Python> {
        static FOUND: OnceLock<Option<Python>> = OnceLock::new();
        FOUND.get_or_init(Python::find).as_ref()
    }

    /// What a module's `PyInit_…` made, with one step behind those of its initialisation: mostly that is a definition, whose
    /// steps Python runs afterwards; else it is the module itself.
    ///
    /// # Safety
    /// The caller holds Python's lock, and `made` is what such a function gave.
    pub unsafe fn with_step(&self, made: Object, step: Step) -> Object {
        if made.is_null() {
            return made;
        }
        let words = made.cast::<usize>();
        // The type is the second word of an object's head, or the last of four where Python has no lock.
        // SAFETY: an object's head; where the type is not that of definitions, it is a module, which is longer than four words.
        let head =
            [2, 4].into_iter().find(|words_in_head| unsafe { *words.add(words_in_head - 1) } == self.definition_type);
        let Some(head) = head else {
            // SAFETY: a module, whose initialisation is done.
            unsafe { step(made) };
            return made;
        };
        // SAFETY: a definition, with its slots at this place; they end with a kind of 0, and Python reads them after this call.
        unsafe {
            let place = words.add(head + BEFORE_SLOTS).cast::<*const Slot>();
            if place.read().is_null() {
                return made;
            }
            let mut slots: Vec<Slot> =
                (0..).map(|i| place.read().add(i).read()).take_while(|slot| slot.kind != 0).collect();
            // Python runs the steps in their order. A definition is asked for again in each interpreter of the process.
            let is_there = |slot: &Slot| slot.value as usize == step as usize;
            if !slots.iter().any(is_there) {
                slots.push(Slot { kind: EXECUTE, value: step as *mut c_void });
                slots.push(Slot { kind: 0, value: std::ptr::null_mut() });
                place.cast_mut().write(slots.leak().as_ptr());
            }
        }
        made
    }

    /// What a module exports to other modules; none where it exports nothing so.
    ///
    /// # Safety
    /// The caller holds Python's lock, and `module` is one, which outlives the answer.
    pub unsafe fn capsules(&self, module: Object) -> Option<Vec<Capsule>> {
        // SAFETY: the caller's promise; the dictionary's keys and values are its own, and it is the module's.
        unsafe {
            let table = (self.PyObject_GetAttrString)(module, c"__pyx_capi__".as_ptr());
            if table.is_null() {
                (self.PyErr_Clear)();
                return None;
            }
            let (mut at, mut key, mut object) = (0, std::ptr::null_mut(), std::ptr::null_mut());
            let mut capsules = Vec::new();
            while (self.PyDict_Next)(table, &mut at, &mut key, &mut object) != 0 {
                let mut bytes = 0;
                let text = (self.PyUnicode_AsUTF8AndSize)(key, &mut bytes);
                if text.is_null() {
                    (self.PyErr_Clear)();
                    continue;
                }
                let name = std::slice::from_raw_parts(text.cast::<u8>(), bytes as usize);
                capsules.push(Capsule { name: String::from_utf8_lossy(name).into_owned(), object });
            }
            (self.Py_DecRef)(table);
            Some(capsules)
        }
    }

    /// The address in a capsule.
    ///
    /// # Safety
    /// The caller holds Python's lock, and the capsule's module lives.
    pub unsafe fn address(&self, capsule: &Capsule) -> Option<*mut c_void> {
        // SAFETY: the caller's promise; a capsule is read under its own name.
        let found = unsafe { (self.PyCapsule_GetPointer)(capsule.object, (self.PyCapsule_GetName)(capsule.object)) };
        if found.is_null() {
            // SAFETY: as above.
            unsafe { (self.PyErr_Clear)() };
        }
        (!found.is_null()).then_some(found)
    }

    /// Gives a capsule another address; whether it was one.
    ///
    /// # Safety
    /// As [`Python::address`]; the function there has the signature that the capsule's name tells.
    pub unsafe fn set(&self, capsule: &Capsule, address: *mut c_void) -> bool {
        // SAFETY: the caller's promise.
        let is_set = unsafe { (self.PyCapsule_SetPointer)(capsule.object, address) == 0 };
        if !is_set {
            // SAFETY: as above.
            unsafe { (self.PyErr_Clear)() };
        }
        is_set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    unsafe extern "C" fn none(_: Object) -> c_int {
        0
    }

    unsafe extern "C" fn step(module: Object) -> c_int {
        // SAFETY: the test's words.
        unsafe { *module.cast::<usize>() += 1 };
        0
    }

    /// Functions that are never called; the type of definitions is the number 77.
    fn python() -> Python {
        // SAFETY: an address that is not null; what is there is not called.
        unsafe {
            let mut python = std::mem::MaybeUninit::<Python>::uninit();
            let words = size_of::<Python>() / size_of::<usize>();
            for word in 0..words {
                python.as_mut_ptr().cast::<usize>().add(word).write(none as *const () as usize);
            }
            (&raw mut (*python.as_mut_ptr()).definition_type).write(77);
            python.assume_init()
        }
    }

    #[test]
    fn a_definition_gets_one_step_behind_its_own() {
        for head in [2, 4] {
            let own = [
                Slot { kind: EXECUTE, value: none as *mut c_void },
                Slot { kind: 3, value: null_mut() },
                Slot { kind: 0, value: null_mut() },
            ];
            let mut definition = vec![1usize; head + BEFORE_SLOTS + 1];
            definition[head - 1] = 77;
            definition[head + BEFORE_SLOTS] = own.as_ptr() as usize;
            for _ in 0..2 {
                // SAFETY: words that are laid out as a definition.
                let made = unsafe { python().with_step(definition.as_mut_ptr().cast(), step) };
                assert_eq!(made as usize, definition.as_ptr() as usize);
                // SAFETY: the slots that the definition has now, with their end.
                let slots = unsafe { std::slice::from_raw_parts(definition[head + BEFORE_SLOTS] as *const Slot, 4) };
                assert_eq!(slots.iter().map(|slot| slot.kind).collect::<Vec<_>>(), [EXECUTE, 3, EXECUTE, 0]);
                assert_eq!(slots[2].value as usize, step as *const () as usize);
            }
        }
    }

    #[test]
    fn a_module_takes_the_step_at_once() {
        let mut module = [1usize; 8];
        // SAFETY: words of no definition, long enough for a module's head.
        unsafe { python().with_step(module.as_mut_ptr().cast(), step) };
        assert_eq!(module[0], 2);
        // SAFETY: none is none.
        assert!(unsafe { python().with_step(null_mut(), step) }.is_null());
    }
}
