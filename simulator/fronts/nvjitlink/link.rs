//! A link in the making: its options, its inputs, and its logs.
use cuda::extension::{self, LinkInput};
use std::ffi::{CStr, CString, c_int, c_void};

/// `nvJitLinkResult`, but success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    UnrecognizedOption = 1,
    MissingArchitecture = 2,
    InvalidInput = 3,
    PtxCompile = 4,
    Internal = 6,
    UnrecognizedInput = 8,
    NullInput = 10,
}

/// `nvJitLinkInputType`, with the driver's number for the same (`CUjitInputType`).
const KINDS: [(c_int, c_int); 6] = [(1, 0), (CODE_PTX, PTX), (3, PTX), (4, FAT_BINARY), (5, OBJECT), (6, LIBRARY)];
const CODE_PTX: c_int = 2;
/// The library looks which one it is.
const ANY: c_int = 10;
const PTX: c_int = 1;
const FAT_BINARY: c_int = 2;
const OBJECT: c_int = 3;
const LIBRARY: c_int = 4;

/// Options whose value chooses how machine code is made, or what is printed.
const OF_MACHINE_CODE: &str = "-O -Xnvvm -Xptxas -discard-unused -fma -ftz -g -kernels-used -lineinfo -lto -no-cache -optimize-unused-variables \
    -prec-div -prec-sqrt -ptx -split-compile -time -variables-used -verbose";

/// The object that `nvJitLinkCreate` makes.
pub struct Link {
    /// As `.target` counts it: 90.
    capability: u32,
    /// 0: as many as a kernel takes.
    max_registers: u32,
    inputs: Vec<(CString, c_int, Vec<u8>)>,
    /// PTX that ends in NUL.
    linked: Option<CString>,
    errors: CString,
    notes: CString,
}

type Raw = *mut c_void;

/// The simulator's functions, where it is the driver.
fn simulator() -> Option<(extension::Link, extension::Free)> {
    // SAFETY: the driver that `sim` has put in front, whose initialisers run anyway; it is never closed. Its functions of
    // these names have these types.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        if driver.is_null() {
            return None;
        }
        let [link, free] = [c"labs_sim_link", c"labs_sim_free"].map(|name| libc::dlsym(driver, name.as_ptr()));
        if link.is_null() || free.is_null() {
            return None;
        }
        Some((std::mem::transmute::<Raw, extension::Link>(link), std::mem::transmute::<Raw, extension::Free>(free)))
    }
}

/// The driver's result for text that is not PTX.
const INVALID_PTX: u32 = 218;

impl Link {
    /// Reads the options.
    ///
    /// # Errors
    /// An option that nvJitLink does not have, or no architecture.
    pub fn new(options: &[String]) -> Result<Link, Failure> {
        let (mut capability, mut max_registers) = (None, 0);
        for option in options {
            if let Some(name) = option.strip_prefix("-arch=") {
                let number = ["sm_", "compute_"].iter().find_map(|kind| name.strip_prefix(kind));
                let number = number.ok_or(Failure::UnrecognizedOption)?.trim_end_matches(['a', 'f']);
                capability = Some(number.parse().map_err(|_| Failure::UnrecognizedOption)?);
            } else if let Some(number) = option.strip_prefix("-maxrregcount=") {
                max_registers = number.parse().map_err(|_| Failure::UnrecognizedOption)?;
            } else if !OF_MACHINE_CODE.split(' ').any(|known| option.starts_with(known)) {
                return Err(Failure::UnrecognizedOption);
            }
        }
        let capability = capability.ok_or(Failure::MissingArchitecture)?;
        let (errors, notes) = (CString::default(), CString::default());
        Ok(Link { capability, max_registers, inputs: Vec::new(), linked: None, errors, notes })
    }

    /// Adds an input.
    ///
    /// # Errors
    /// A kind that there is not, or intermediate code.
    pub fn add(&mut self, kind: c_int, name: String, bytes: Vec<u8>) -> Result<(), Failure> {
        let name = if name.is_empty() { format!("input {}", self.inputs.len() + 1) } else { name };
        let of_driver = match KINDS.iter().find(|(own, _)| *own == kind) {
            Some(&(_, of_driver)) => of_driver,
            None if kind == ANY => kind_of(&bytes),
            None => return self.refuse(Failure::InvalidInput, &format!("there is no kind of input {kind}")),
        };
        if of_driver == PTX && kind != CODE_PTX && !is_text(&bytes) {
            let words = format!(
                "{name} is intermediate code of a compiler that was not run under `sim`, which makes PTX in its place; compile it anew"
            );
            eprintln!("[sim] nvJitLink: {words}");
            return self.refuse(Failure::UnrecognizedInput, &words);
        }
        self.inputs.push((CString::new(name.replace('\0', "?")).unwrap_or_default(), of_driver, bytes));
        Ok(())
    }

    /// Links what was added.
    ///
    /// # Errors
    /// The linker's, which are in the log.
    pub fn complete(&mut self) -> Result<(), Failure> {
        let Some((link, free)) = simulator() else {
            return self
                .refuse(Failure::Internal, "libcuda.so.1 is not the simulator, which links; `sim` puts it in front");
        };
        let inputs: Vec<_> = self
            .inputs
            .iter()
            .map(|(name, kind, bytes)| LinkInput {
                name: name.as_ptr(),
                kind: *kind as u32,
                data: bytes.as_ptr().cast(),
                bytes: bytes.len(),
            })
            .collect();
        let mut result = 0;
        // SAFETY: as many inputs as it is told, whose texts and bytes live in `self`, and a place for the result. The answer
        // is text, which its maker frees.
        let text = unsafe {
            let answer = link(inputs.as_ptr(), inputs.len(), self.capability, self.max_registers, &mut result);
            let text = CStr::from_ptr(answer).to_owned();
            free(answer);
            text
        };
        match result {
            0 => {
                let words = format!("nvJitLink: {} inputs linked as PTX, which is also the CUBIN", inputs.len());
                fronts::say(&|| words.clone());
                self.notes = CString::new(words).unwrap_or_default();
                self.linked = Some(text);
                Ok(())
            }
            INVALID_PTX => self.refuse(Failure::PtxCompile, &text.to_string_lossy()),
            _ => self.refuse(Failure::Internal, &text.to_string_lossy()),
        }
    }

    /// Writes a failure into the log.
    pub fn refuse(&mut self, failure: Failure, why: &str) -> Result<(), Failure> {
        self.errors = CString::new(format!("error   : {}", why.replace('\0', "?"))).unwrap_or_default();
        Err(failure)
    }

    /// The linked PTX with the NUL behind it.
    pub fn linked(&self) -> Result<&[u8], Failure> {
        self.linked.as_deref().map(CStr::to_bytes_with_nul).ok_or(Failure::InvalidInput)
    }

    /// The log of errors, with its NUL.
    pub fn errors(&self) -> &[u8] {
        self.errors.to_bytes_with_nul()
    }

    /// The log of what was done, with its NUL.
    pub fn notes(&self) -> &[u8] {
        self.notes.to_bytes_with_nul()
    }
}

/// The kind of an input, by its first bytes.
fn kind_of(bytes: &[u8]) -> c_int {
    match bytes {
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => LIBRARY,
        [0x7f, b'E', b'L', b'F', ..] => OBJECT,
        [0x50, 0xed, 0x55, 0xba, ..] => FAT_BINARY,
        _ => PTX,
    }
}

/// PTX is text with at most a NUL behind it; intermediate code is not.
fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    !text.contains(&0) && std::str::from_utf8(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(options: &[&str]) -> Result<Link, Failure> {
        Link::new(&options.iter().map(|option| (*option).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_those_of_nvjitlink() {
        let link = new(&["-arch=sm_90a", "-maxrregcount=32", "-lto", "-O3"]).expect("a link");
        assert_eq!((link.capability, link.max_registers), (90, 32));
        assert_eq!(new(&["-lto"]).err(), Some(Failure::MissingArchitecture));
        for wrong in ["-arch=90", "-frobnicate", "-maxrregcount=many", ""] {
            assert_eq!(new(&["-arch=sm_90", wrong]).err(), Some(Failure::UnrecognizedOption), "{wrong}");
        }
    }

    #[test]
    fn intermediate_code_is_refused_by_name() {
        let mut link = new(&["-arch=sm_75"]).expect("a link");
        assert_eq!(link.add(3, "one".into(), b"\xed\x43\x4e\x7f\0\0".to_vec()), Err(Failure::UnrecognizedInput));
        assert!(String::from_utf8_lossy(link.errors()).contains("one is intermediate code"));
        assert_eq!(link.add(3, "two".into(), b".version 8.0\0".to_vec()), Ok(()));
        assert_eq!(link.add(9, "three".into(), Vec::new()), Err(Failure::InvalidInput));
        assert_eq!(link.linked(), Err(Failure::InvalidInput), "nothing is linked yet");
    }
}
