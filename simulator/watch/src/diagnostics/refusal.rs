//! The words for a module that cannot be loaded.
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::source::names::kernel_name;
use machine::lower::{Reason, Refused};
use std::fmt::Write;

/// Words everything in a module that cannot be run, each instruction once. `files` are its `.file` paths by index.
pub fn refusals(refused: &[Refused], files: &[String], sources: &dyn Fn(&str) -> Option<String>) -> Diagnosis {
    let family = match refused.first().map(|first| &first.reason) {
        Some(Reason::NotModelled | Reason::UnknownFunction(_)) | None => Family::NotModelled,
        Some(Reason::TooLarge) => Family::Limit,
        Some(_) => Family::Kernel,
    };
    let mut message = format!("{}: the module cannot be loaded", family.title());
    let (mut file, mut line) = (String::new(), 0);
    for refused in refused {
        let location = refused.location;
        let _ = match &refused.reason {
            Reason::NotModelled => write!(message, "\n   `{}` is not modelled", refused.instruction),
            Reason::NoSuchForm => write!(message, "\n   `{}`: PTX has no such form", refused.instruction),
            Reason::NeedsVersion((major, minor)) => {
                write!(message, "\n   `{}` needs `.version {major}.{minor}` or later", refused.instruction)
            }
            Reason::NeedsTarget(target) => {
                write!(message, "\n   `{}` needs `.target sm_{target}` or later", refused.instruction)
            }
            Reason::Operands => write!(message, "\n   `{}` does not take these operands", refused.instruction),
            Reason::UnknownSymbol(name) => write!(message, "\n   `{name}` is not declared"),
            Reason::UnknownFunction(name) => write!(message, "\n   the function `{name}` has no body in this module"),
            Reason::TooLarge => write!(message, "\n   more shared, local or parameter memory than any device has"),
            Reason::Initialiser(name) => write!(message, "\n   the initialiser of `{name}` does not fit its type"),
        };
        let path = files.get(location.file as usize).filter(|_| location.line > 0);
        let _ = match path {
            Some(path) => write!(message, "\n     --> {path}:{}", location.line),
            None => write!(message, "\n     --> PTX:{}", location.ptx_line),
        };
        if !refused.function.is_empty() {
            let _ = write!(message, " in `{}`", kernel_name(&refused.function));
        }
        if let Some(path) = path {
            if line == 0 {
                (file, line) = (path.clone(), location.line);
            }
            let text =
                sources(path).and_then(|source| source.lines().nth(location.line as usize - 1).map(String::from));
            if let Some(text) = text {
                let _ = write!(message, "\n      {} | {}", location.line, text.trim_end());
            }
        }
    }
    message.push_str(match family {
        Family::NotModelled => "\n   = next: run this kernel on a GPU (LABS_DEVICE=gpu); docs/fidelity.md lists what is modelled",
        Family::Limit => "\n   = next: ask for less memory per block or thread",
        _ => "\n   = next: compile the kernel again; if the PTX was written by hand, look the instruction up in the PTX manual",
    });
    Diagnosis { family, kind: "refused", kernel: String::new(), file, line, message }
}
