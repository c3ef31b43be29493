//! `--replay`: the same run in a process of its own whose simulator records a launch, and the page that plays it.

use crate::command_line::CommonArgs;
use crate::device;
use crate::error::{LabError, Verdict};
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Runs this command line without `--replay`, and writes the page of the first launch of the first variant that is named, or of the first of these
/// in which something is found.
pub fn run(args: &CommonArgs, page: &Path) -> anyhow::Result<Verdict> {
    if !device::is_simulated(&args.device)? {
        return Err(LabError::usage("--replay: only the simulator sees each step", "--device sim:h200").into());
    }
    args.check()?;
    let folder = std::env::temp_dir().join(format!("lab-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).context("a folder for the recording")?;
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut command = Command::new(std::env::current_exe().context("the path of this program")?);
    command.args(without_replay(&given)).env("LABS_SIM_JOURNAL", &folder);
    command.env("LABS_SIM_REPLAY", args.variant.first().map_or("1", String::as_str));
    let ended = command.status().context("starting the run that is recorded");
    let recording = recording(&folder);
    // Nobody needs it any more, and who cannot remove it loses nothing.
    let _ = std::fs::remove_dir_all(&folder);
    let verdict = match ended?.code() {
        Some(0) => Verdict::Passed,
        Some(1) => Verdict::Failed,
        _ => return Err(LabError::host("the run that was to be recorded came to no end", "see its words above").into()),
    };
    let words: Vec<_> = given.iter().map(|word| word.to_string_lossy()).collect();
    let Some(recording) = recording else {
        let what = "--replay: no launch was recorded: a kernel that allocates memory or launches others is not, nor one of a large problem";
        return Err(LabError::usage(what, "--variant with one name, and a small --size").into());
    };
    let program = std::env::args().next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    std::fs::write(page, views::replay::render(&recording, &format!("{program} {}", words.join(" "))))
        .with_context(|| format!("--replay {}", page.display()))?;
    eprintln!("wrote {}: open it in a browser", page.display());
    Ok(verdict)
}

/// The words of a command line but `--replay` and its path.
fn without_replay(given: &[OsString]) -> Vec<&OsString> {
    let is_flag = |word: &OsString| word == "--replay";
    let is_both = |word: &OsString| word.to_string_lossy().starts_with("--replay=");
    let after_flag = |at: usize| at > 0 && is_flag(&given[at - 1]);
    let kept = given.iter().enumerate().filter(|&(at, word)| !is_flag(word) && !is_both(word) && !after_flag(at));
    kept.map(|(_, word)| word).collect()
}

/// The last recording in the journals of a folder.
fn recording(folder: &Path) -> Option<Value> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect::<Vec<_>>();
    let mut entries = texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("{\"replay\":"));
    serde_json::from_str::<Value>(entries.next_back()?).ok().map(|mut entry| entry["replay"].take())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_and_its_path_are_left_out_in_both_forms() {
        for line in ["--replay page.html --size 64", "--size 64 --replay page.html", "--replay=page.html --size 64"] {
            let given: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(without_replay(&given), ["--size", "64"], "{line}");
        }
    }
}
