//! Makes of the table of instructions the macro `instructions!`, which hands the rows to another.
fn main() {
    let rows = std::fs::read_to_string("src/isa/instructions.txt").expect("the table");
    println!("cargo::rerun-if-changed=src/isa/instructions.txt");
    let made = format!(
        "#[macro_export]\n#[doc(hidden)]\nmacro_rules! instructions {{ ($with:ident) => {{ $with! {{\n{rows}}} }} }}\n"
    );
    let out = std::path::Path::new(&std::env::var_os("OUT_DIR").expect("Cargo sets it")).join("instructions.rs");
    std::fs::write(out, made).expect("the folder of the build");
}
