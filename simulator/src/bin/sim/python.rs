//! Python under `sim`: operations of PyTorch's are answered, tuners measure once, and pools of memory, which hide where an array
//! ends, are switched off under the sanitizer.
use std::path::Path;
use std::process::Command;

/// Modules of a folder in front of Python's path: the first is imported as each Python starts, and loads the others.
const MODULES: [(&str, &str); 2] =
    [("sitecustomize.py", include_str!("python/sitecustomize.py")), ("answers.py", include_str!("python/answers.py"))];

/// Has a command's Pythons find these modules. `folder` is the run's own.
pub fn prepare(command: &mut Command, folder: &Path, sanitize: bool) -> Result<(), String> {
    let own = folder.join("python");
    let write = |(name, text): &(&str, &str)| std::fs::write(own.join(name), text);
    let written = std::fs::create_dir(&own).and_then(|()| MODULES.iter().try_for_each(write));
    written.map_err(|error| format!("{}: {error}", own.display()))?;
    let (name, value) = crate::in_front("PYTHONPATH", own)?;
    command.env(name, value);
    // PyTorch looks at whether it is there, and not at its value.
    if sanitize && std::env::var_os("PYTORCH_NO_CUDA_MEMORY_CACHING").is_none() {
        command.env("PYTORCH_NO_CUDA_MEMORY_CACHING", "1");
    }
    Ok(())
}
