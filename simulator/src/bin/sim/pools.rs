//! Pools of memory, which hide where an array ends: switched off under the sanitizer where a library has a switch.
use std::path::Path;
use std::process::Command;

/// Python's module that switches CuPy's pool off.
const PYTHON: &str = include_str!("pools.py");

/// Has a command run without CuPy's and PyTorch's pools. `folder` is the run's own.
pub fn switch_off(command: &mut Command, folder: &Path) -> Result<(), String> {
    let own = folder.join("python");
    let written = std::fs::create_dir(&own).and_then(|()| std::fs::write(own.join("sitecustomize.py"), PYTHON));
    written.map_err(|error| format!("{}: {error}", own.display()))?;
    let (name, value) = crate::in_front("PYTHONPATH", own)?;
    command.env(name, value);
    // PyTorch looks at whether it is there, and not at its value.
    if std::env::var_os("PYTORCH_NO_CUDA_MEMORY_CACHING").is_none() {
        command.env("PYTORCH_NO_CUDA_MEMORY_CACHING", "1");
    }
    Ok(())
}
