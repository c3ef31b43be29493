//! `sim init cargo`: what a Cargo project needs so that `cargo test` and `cargo run` start its programs under `sim`.
use std::path::Path;

/// Writes the runner into a project's folder. Answers what was done.
///
/// # Errors
/// There is no project, or its configuration is there already: it is the user's to change.
pub fn cargo(folder: &Path) -> Result<String, String> {
    if !folder.join("Cargo.toml").is_file() {
        return Err(format!(
            "{} has no Cargo.toml\n  next: cd to the folder of the package or the workspace",
            folder.display()
        ));
    }
    let lines = format!("[target.{}-unknown-linux-gnu]\nrunner = [\"sim\", \"--\"]\n", std::env::consts::ARCH);
    // Cargo reads the name without an ending as well, and that one first.
    let names = ["config", "config.toml"].map(|name| folder.join(".cargo").join(name));
    if let Some(known) = names.iter().find(|path| path.exists()) {
        let text = std::fs::read_to_string(known).map_err(|error| format!("{}: {error}", known.display()))?;
        if text.contains(&lines) {
            return Ok(format!("{} has the runner already", known.display()));
        }
        return Err(format!(
            "{} is there, and stays as it is\n  next: add these lines to it:\n\n{lines}",
            known.display()
        ));
    }
    let [_, path] = names;
    let written = std::fs::create_dir_all(folder.join(".cargo")).and_then(|()| std::fs::write(&path, &lines));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!(
        "wrote {}:\n\n{lines}\nFrom now on `cargo test`, `cargo run` and `cargo bench` start programs under sim.",
        path.display()
    ))
}
