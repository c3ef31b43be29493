//! The museum: kernels with one fault each, and correct ones that look like them.
//!
//! A faulty exhibit must be found, for the reason in its `// finds:` line, with the message in its `.expected` file; an
//! exhibit in `clean/` must run without a word. The PTX is committed beside each kernel, so no compiler is needed.
//! `MUSEUM=update cargo test -p simulator --test museum` makes PTX (needs NVRTC) and messages anew.
#[allow(dead_code, reason = "each of the tests that share it uses a part")]
mod exhibit;

use exhibit::{Exhibit, files, root};
use libtest_mimic::{Arguments, Failed, Trial};
use simulator::diagnostics::Diagnosis;
use simulator::exec::launch::Settings;
use simulator::lower::Tier;
use simulator::sanitizer::Sanitizer;
use std::borrow::Cow;
use std::path::Path;

fn main() {
    let arguments = Arguments::from_args();
    let update = std::env::var("MUSEUM").is_ok_and(|value| value == "update");
    let museum = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum");
    let trials = files(&museum)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&museum).expect("found there").with_extension("").display().to_string();
            Trial::test(name, move || show(&path, update).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn show(path: &Path, update: bool) -> Result<(), String> {
    let exhibit = Exhibit::read(path)?;
    let ptx_path = path.with_extension("ptx");
    if update {
        std::fs::write(&ptx_path, compile(&exhibit)?).map_err(|error| error.to_string())?;
    }
    let ptx = std::fs::read_to_string(&ptx_path).map_err(|error| format!("{}: {error}", ptx_path.display()))?;
    if !ptx.starts_with(&key(&exhibit)) {
        return Err("the PTX belongs to another text: MUSEUM=update makes it anew".into());
    }
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

/// Runs an exhibit under the sanitizer and words what comes out.
fn run(exhibit: &Exhibit, ptx: &str) -> Result<Vec<Diagnosis>, String> {
    let setup = exhibit.set_up(ptx, Tier::Probed)?;
    let budget = exhibit.note("budget").and_then(|text| text.parse().ok()).unwrap_or(50_000_000);
    let settings = Settings { budget, ..Settings::default() };
    let outcome = exhibit.run(&setup, settings, Some(Box::new(Sanitizer::new())));
    let sanitizer = outcome.probe.ok_or("the probe is lost")?.into_any().downcast::<Sanitizer>();
    let sanitizer = sanitizer.map_err(|_| "the probe is another one")?;
    Ok(exhibit.judge(&setup, &sanitizer, outcome.fault.as_ref()))
}

/// First line of an exhibit's PTX: which text it was made from.
fn key(exhibit: &Exhibit) -> String {
    let bytes = exhibit.name.bytes().chain([0]).chain(exhibit.source.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("// made from text {hash:016x}\n")
}

fn compile(exhibit: &Exhibit) -> Result<String, String> {
    // The kernels crate names sources for the life of the process: these live that long.
    let path: &'static str = exhibit.name.clone().leak();
    let source = kernels::Source { lab: "museum", name: path, path, text: Cow::Owned(exhibit.source.clone()) };
    std::env::set_current_dir(root()).map_err(|error| error.to_string())?;
    let target = kernels::Target::Ptx { major: 9, minor: 0 };
    let image = kernels::compile(&source, target).map_err(|error| error.to_string())?;
    let ptx = image.ptx().ok_or("no PTX")?;
    let ptx: String = ptx.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect();
    Ok(key(exhibit) + &ptx)
}
