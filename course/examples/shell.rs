//! Writes completions for bash, zsh and fish, and manual pages, of the labs and of `course`: `just shell FOLDER`. No lab depends on what this takes.

#[path = "../tests/docs/labs.rs"]
mod labs;

#[allow(dead_code, reason = "its commands alone are asked for")]
#[path = "../src/command_line.rs"]
mod command_line;

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "target/shell".into()));
    std::fs::create_dir_all(&folder)?;
    let labs = labs::LABS.iter().map(|lab| (lab.command)());
    for mut command in labs.chain([command_line::Arguments::command()]) {
        let name = command.get_name().to_owned();
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            println!("{}", generate_to(shell, &mut command, &name, &folder)?.display());
        }
        let page = folder.join(format!("{name}.1"));
        clap_mangen::Man::new(command).render(&mut std::fs::File::create(&page)?)?;
        println!("{}", page.display());
    }
    Ok(())
}
