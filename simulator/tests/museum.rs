//! The museum: kernels with one fault each, and correct ones that look like them.
//!
//! A faulty exhibit must be found, for the reason in its `// finds:` line, with the message in its `.expected` file; an
//! exhibit in `clean/` must run without a word. The PTX is committed beside each kernel, packed, so no compiler is needed (`just ptx-diff` shows a
//! change of it).
//! `LABS_WRITE=1 cargo test -p simulator --test museum` makes PTX (needs NVRTC) and messages anew. Kernels in Rust stand in `tests/rust`, each faulty
//! one beside its look-alike; theirs is made by `tests/rust/ptx.sh`, where a compiler and the source of `core` are there.
#[allow(dead_code, reason = "each of the tests that share it uses a part")]
mod exhibit;

use exhibit::{Exhibit, files, kernels_in, root};
use libtest_mimic::{Arguments, Failed, Trial};
use simulator::diagnostics::Diagnosis;
use simulator::exec::launch::Settings;
use simulator::lower::Tier;
use simulator::sanitizer::Sanitizer;
use std::path::Path;
use std::process::Command;

fn main() {
    let arguments = Arguments::from_args();
    let update = std::env::var_os("LABS_WRITE").is_some();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let museum = files(&tests.join("museum")).into_iter().map(|path| (tests.join("museum"), path));
    let rust = kernels_in(&tests.join("rust"), "rs").into_iter().map(|path| (tests.clone(), path));
    let trials = museum
        .chain(rust)
        .map(|(folder, path)| {
            let name = path.strip_prefix(&folder).expect("found there").with_extension("").display().to_string();
            Trial::test(name, move || show(&path, update).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn show(path: &Path, update: bool) -> Result<(), String> {
    let exhibit = Exhibit::read(path)?;
    let packed = kernels::GeneratedFile::exhibit(&exhibit.name, exhibit.source.clone());
    let packed_path = root().join(&packed.path);
    if update {
        let text = match exhibit.name.ends_with(".rs") {
            true => packed.with_header("`tests/rust/ptx.sh`", &compiled_by_rustc(&exhibit.name)?),
            false => packed.make().map_err(|error| error.to_string())?,
        };
        std::fs::write(&packed_path, packed.encode(&text)).map_err(|error| error.to_string())?;
    }
    let file = std::fs::read(&packed_path).map_err(|error| format!("{}: {error}", packed.path))?;
    if !packed.belongs(&file) {
        return Err("the PTX belongs to another text: LABS_WRITE=1 makes it anew, as `just ptx` does".into());
    }
    let ptx = kernels::unpack(&file).ok_or_else(|| format!("{} is damaged", packed.path))?;
    let said = run(&exhibit, &ptx)?;
    let messages: String = said.iter().map(|diagnosis| format!("{}\n\n", diagnosis.message)).collect();
    let Some(reason) = exhibit.note("finds") else {
        return if said.is_empty() { Ok(()) } else { Err(format!("a correct kernel is accused:\n{messages}")) };
    };
    let Some(first) = said.first() else { return Err(format!("nothing was found: {reason} expected")) };
    // Several reasons stand in the order in which they are told.
    let mut kinds: Vec<&str> = said.iter().map(|diagnosis| diagnosis.kind).collect();
    kinds.dedup();
    if kinds.join(", ") != reason {
        return Err(format!("expected: {reason}; found: {}\n{messages}", first.kind));
    }
    let expected_path = path.with_extension("expected");
    if update {
        return std::fs::write(&expected_path, &messages).map_err(|error| error.to_string());
    }
    let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
    if expected != messages {
        return Err(format!("another message.\n--- expected\n{expected}--- got\n{messages}"));
    }
    Ok(())
}

/// The PTX of a kernel in Rust.
fn compiled_by_rustc(name: &str) -> Result<String, String> {
    let mut rustc = Command::new("sh");
    let made = rustc.arg("simulator/tests/rust/ptx.sh").arg(name).current_dir(root()).output();
    let made = made.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&made.stderr);
    if made.status.success() { String::from_utf8(made.stdout).map_err(|e| e.to_string()) } else { Err(said.into()) }
}

/// Runs an exhibit under the sanitizer and words what comes out.
fn run(exhibit: &Exhibit, ptx: &str) -> Result<Vec<Diagnosis>, String> {
    let setup = exhibit.set_up(ptx, Tier::Probed)?;
    let budget = exhibit.note("budget").and_then(|text| text.parse().ok()).unwrap_or(50_000_000);
    let settings = Settings { budget, ..Settings::default() };
    let outcome = exhibit.run(&setup, settings, Some(Box::new(Sanitizer::new())));
    let sanitizer = outcome.probe.ok_or("the probe is lost")?.concrete::<Sanitizer>();
    let sanitizer = sanitizer.ok_or("the probe is another one")?;
    Ok(exhibit.judge(&setup, &sanitizer, outcome.fault.as_ref()))
}
