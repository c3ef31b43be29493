//! Options of the compilers, as the command line has them: those that ask for machine code or for intermediate code become
//! those that ask for PTX.
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};

/// The caller's options, changed where needed.
pub struct Options {
    texts: Vec<CString>,
    /// Machine code was asked for.
    pub machine_code: bool,
    /// Intermediate code, to be linked later, was asked for.
    pub intermediate_code: bool,
    /// Line information was added.
    pub lines: bool,
}

/// Whose options they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// NVRTC, where `-dlto` asks for intermediate code.
    Nvrtc,
    /// libNVVM, where `-gen-lto` does.
    Nvvm,
}

impl Options {
    /// Reads and changes options.
    ///
    /// # Safety
    /// The array holds `count` texts that end in NUL, or `count` is 0.
    pub unsafe fn read(count: c_int, options: *const *const c_char, compiler: Compiler) -> Options {
        let count = if options.is_null() { 0 } else { count.max(0) as usize };
        // SAFETY: the pointer is as this function's caller has to give it.
        let texts = (0..count).map(|i| unsafe { CStr::from_ptr(options.add(i).read()) });
        let mut options = Options::of(texts.map(CStr::to_owned), compiler);
        if compiler == Compiler::Nvrtc && crate::lines::folder().is_some() {
            options.add_lines();
        }
        options
    }

    fn add_lines(&mut self) {
        let asked = [c"-lineinfo", c"--generate-line-info", c"-G", c"--device-debug"];
        self.lines = !self.texts.iter().any(|text| asked.contains(&&**text));
        self.texts.extend(self.lines.then(|| asked[0].to_owned()));
    }

    fn of(texts: impl Iterator<Item = CString>, compiler: Compiler) -> Options {
        let mut changed = Options { texts: Vec::new(), machine_code: false, intermediate_code: false, lines: false };
        let mut is_architecture = false;
        for text in texts {
            // Text that is not UTF-8 is none of the options that are changed.
            let words = text.to_str().unwrap_or_default();
            let asks_for_intermediate_code = match compiler {
                Compiler::Nvrtc => matches!(words, "-dlto" | "--dlto" | "-dlink-time-opt" | "--dlink-time-opt"),
                Compiler::Nvvm => words == "-gen-lto",
            };
            if asks_for_intermediate_code {
                changed.intermediate_code = true;
                // Such code may lack functions that the link brings; so may PTX, if it is said.
                if compiler == Compiler::Nvrtc {
                    changed.texts.push(c"--relocatable-device-code=true".to_owned());
                }
                continue;
            }
            match with_virtual_architecture(words, is_architecture) {
                Cow::Owned(words) => {
                    changed.machine_code = true;
                    changed.texts.push(CString::new(words).unwrap_or(text));
                }
                Cow::Borrowed(_) => {
                    is_architecture = matches!(words, "-arch" | "--gpu-architecture");
                    changed.texts.push(text);
                    continue;
                }
            }
            is_architecture = false;
        }
        changed
    }

    /// As the library behind takes them: the addresses live as long as the options.
    pub fn pointers(&self) -> Vec<*const c_char> {
        self.texts.iter().map(|text| text.as_ptr()).collect()
    }

    /// Says in the log what the options became.
    pub fn say(&self, function: &str) {
        let changes: Vec<&str> = [
            (self.intermediate_code, "PTX in place of intermediate code"),
            (self.machine_code && !self.intermediate_code, "PTX in place of machine code"),
            (self.lines, "with line information"),
        ]
        .into_iter()
        .filter_map(|(is_so, what)| is_so.then_some(what))
        .collect();
        if !changes.is_empty() {
            crate::say(&|| {
                let words: Vec<_> = self.texts.iter().map(|text| text.to_string_lossy()).collect();
                format!("{function}: {}, by the options {}", changes.join(", "), words.join(" "))
            });
        }
    }
}

/// `--gpu-architecture=sm_90a` for `compute_90a`, in one text or as the text behind the option's name (`is_value`).
fn with_virtual_architecture(words: &str, is_value: bool) -> Cow<'_, str> {
    let flags = ["--gpu-architecture", "-arch"];
    let value = match flags.iter().find_map(|flag| words.strip_prefix(flag)) {
        Some(rest) => match rest.strip_prefix(['=', ' ']) {
            Some(value) => value.trim_start(),
            None => return words.into(),
        },
        None if is_value => words,
        None => return words.into(),
    };
    match value.strip_prefix("sm_") {
        Some(number) => format!("{}compute_{number}", &words[..words.len() - value.len()]).into(),
        None => words.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str], compiler: Compiler) -> (Vec<String>, bool, bool) {
        let options = Options::of(words.iter().map(|word| CString::new(*word).expect("no NUL")), compiler);
        let texts = options.texts.iter().map(|text| text.to_string_lossy().into_owned()).collect();
        (texts, options.machine_code, options.intermediate_code)
    }

    #[test]
    fn machine_code_becomes_ptx() {
        for (asked, given) in [
            (&["--gpu-architecture=sm_90a", "-G"][..], &["--gpu-architecture=compute_90a", "-G"][..]),
            (&["-arch=sm_75"], &["-arch=compute_75"]),
            (&["-arch", "sm_75"], &["-arch", "compute_75"]),
            (&["--gpu-architecture", "sm_100f", "sm_1"], &["--gpu-architecture", "compute_100f", "sm_1"]),
            (&["-arch sm_80"], &["-arch compute_80"]),
        ] {
            assert_eq!(of(asked, Compiler::Nvrtc), (given.iter().map(|word| (*word).into()).collect(), true, false));
        }
    }

    #[test]
    fn other_options_stay() {
        for words in [&["-arch=compute_75"][..], &["-Dsm_75=1", "-arch"], &["-architecture=sm_75"], &["sm_75"], &[]] {
            let same = words.iter().map(|word| (*word).into()).collect();
            assert_eq!(of(words, Compiler::Nvrtc), (same, false, false));
        }
    }

    #[test]
    fn intermediate_code_becomes_ptx() {
        let given = vec!["--relocatable-device-code=true".to_owned(), "-arch=compute_90".to_owned()];
        assert_eq!(of(&["-dlto", "-arch=sm_90"], Compiler::Nvrtc), (given, true, true));
        assert_eq!(of(&["-gen-lto", "-opt=3"], Compiler::Nvvm), (vec!["-opt=3".into()], false, true));
    }

    #[test]
    fn lines_are_added_once() {
        for (asked, given) in [(c"-dopt=on", 2), (c"-lineinfo", 1), (c"-G", 1)] {
            let mut options = Options::of(std::iter::once(asked.to_owned()), Compiler::Nvrtc);
            options.add_lines();
            assert_eq!((options.texts.len(), options.lines), (given, given == 2), "{asked:?}");
        }
    }
}
