//! NVIDIA's own archives: what is found in a library with the runtime linked in, once by its symbols and once after stripping, is the
//! same, and is all of the interface.
use front_audit::elf::Elf;
use front_audit::linked_in::{Entry, LinkedIn, find};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Links a library that holds a whole archive; with `-s` stripped.
fn linked(archive: &str, option: &[&str]) -> Vec<u8> {
    let name = format!("{}{}.so", archive.replace('/', "_"), option.concat());
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let words = ["-shared", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-o"];
    let output = Command::new("cc").args(words).arg(&library).args(option).output().expect("the C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(library).expect("it was made")
}

#[test]
#[ignore = "needs NVIDIA's archives: LABS_CUDART_STATIC=…/libcudart_static.a[:…]; `just acceptance-clients linked_in` runs it"]
fn stripped_archives_have_the_functions_that_their_symbols_tell() {
    let archives = std::env::var("LABS_CUDART_STATIC").expect("LABS_CUDART_STATIC names archives");
    for archive in archives.split(':') {
        let (named, stripped) = (linked(archive, &[]), linked(archive, &["-s"]));
        let named_elf = Elf::parse(&named).expect("a library");
        // All that has a name of the interface.
        let known: BTreeSet<String> = named_elf.symbols(false).map(|symbol| symbol.name.to_owned()).collect();
        let of = |bytes: &[u8]| -> LinkedIn {
            let elf = Elf::parse(bytes).expect("a library");
            find(&elf, |_| known.clone()).expect("it is known").expect("it is linked in")
        };
        let (mut named, mut stripped) = (of(&named), of(&stripped));
        assert_eq!(named.version, stripped.version);
        // From 13 on it has three bytes that answer "no such function", and refer to nothing.
        named.entries.retain(|entry| entry.name != "__cudaGetProcAddress");
        let places = |found: &mut LinkedIn| {
            found.entries.sort();
            found
                .entries
                .iter()
                .map(|Entry { name, address, room }| (name.clone(), *address, *room))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(&mut named), places(&mut stripped), "{archive}");
        let (count, version) = (named.entries.len(), named.version);
        assert!(count > 400, "{archive}: {count} functions");
        println!("{archive}: {count} functions of version {version}, the same ones after stripping");
    }
}
