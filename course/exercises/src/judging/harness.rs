//! Host-side exercises: a student's Rust is a function from numbers to a plan. It is built into a small program that reads the numbers of
//! [`Questions`](crate::questions::Questions) and prints the plans; what comes out is checked and carried out by others, so there is nothing that
//! it could forge.

use anyhow::Context;
use common::exercise::PlanProgram;
use std::path::Path;

/// Writes the program around a student's text into a folder, where the text is `PLACE/student.rs`.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(program: &PlanProgram, text: &str, folder: &Path) -> anyhow::Result<()> {
    let place = folder.join(program.place);
    std::fs::create_dir_all(&place)?;
    std::fs::write(place.join("student.rs"), text)?;
    std::fs::write(place.join("mod.rs"), format!("pub mod student;\n{}", program.types))?;
    for (name, text) in &program.modules {
        std::fs::write(folder.join(format!("{name}.rs")), text)?;
    }
    std::fs::write(folder.join("main.rs"), program.main()).context("writing the program")
}
