//! `--replay`: the same run in a process of its own whose simulator records a launch, and the page that plays it.

use crate::command_line::CommonArgs;
use crate::device;
use crate::error::{LabError, Verdict};
use anyhow::Context;
use kernels::WRONG_RESULT;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// The edge of the block that is halved first, where the command line names none.
const EDGE: usize = 32;

/// The exit code of a run, and its recording, the document of the page.
type Run = (Option<i32>, Option<Value>);

/// The kind of what went wrong in a run, as a verdict has it; none of one in which nothing did.
fn failure((_, recording): &Run) -> Option<&str> {
    let recording = recording.as_ref()?;
    let found = recording["orders"][0]["findings"][0]["kind"].as_str();
    found.or_else(|| recording["wrong"].is_object().then_some(WRONG_RESULT))
}

/// Runs this command line without `--replay`, and writes the page of the first launch of the first variant that is named, or of the first of these
/// in which something is found.
pub fn run(args: &CommonArgs, page: &Path) -> anyhow::Result<Verdict> {
    if !device::is_simulated(&args.device)? {
        return Err(LabError::usage("--replay: only the simulator sees each step", "--device sim:h200").into());
    }
    args.check()?;
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut words = without(&given, &["--replay"]);
    words.retain(|word| word != "--smallest");
    let mut run = record(args, &words, false)?;
    let failed = failure(&run).is_some();
    if args.smallest && failed {
        (words, run) = smallest(args, words, run)?;
    }
    let verdict = match run.0 {
        Some(0) => Verdict::Passed,
        // A launch that stops ends its program, and is what the page is to show.
        code if code == Some(1) || failed => Verdict::Failed,
        _ => return Err(LabError::host("the run that was to be recorded came to no end", "see its words above").into()),
    };
    let Some(recording) = run.1 else {
        let what = "--replay: no launch was recorded: a kernel that allocates memory or launches others is not, nor one of a large problem";
        return Err(LabError::usage(what, "--variant with one name, and a small --size").into());
    };
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let program = std::env::args().next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let command = format!("{program} {}", words.join(" "));
    std::fs::write(page, views::replay::render(&recording, &command))
        .with_context(|| format!("--replay {}", page.display()))?;
    let smaller = if args.smallest { format!("; the smallest that was found: {command}") } else { String::new() };
    eprintln!("wrote {}: open it in a browser{smaller}", page.display());
    Ok(verdict)
}

/// Records the run of a command line.
fn record(args: &CommonArgs, words: &[OsString], is_quiet: bool) -> anyhow::Result<Run> {
    let folder = std::env::temp_dir().join(format!("lab-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).context("a folder for the recording")?;
    let mut command = Command::new(std::env::current_exe().context("the path of this program")?);
    command.args(words).env("LABS_SIM_JOURNAL", &folder);
    command.env("LABS_SIM_REPLAY", args.variant.first().map_or("1", String::as_str));
    let document = folder.join("run.json");
    if args.json.is_none() {
        command.arg("--json").arg(&document);
    }
    if is_quiet {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let ended = command.status().context("starting the run that is recorded");
    let mut recording = recording(&folder);
    let report = std::fs::read(&document).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    if let (Some(recording), Some(report)) = (&mut recording, report) {
        let wrong = report["rows"].as_array().into_iter().flatten().map(|row| &row["mismatch"]);
        recording["wrong"] = wrong.into_iter().find(|wrong| wrong.is_object()).cloned().unwrap_or_default();
    }
    // Nobody needs it any more, and who cannot remove it loses nothing.
    let _ = std::fs::remove_dir_all(&folder);
    Ok((ended?.code(), recording))
}

/// The words and the run of the smallest size at which it fails in the same way, as far as halves lead.
fn smallest(args: &CommonArgs, mut words: Vec<OsString>, mut run: Run) -> anyhow::Result<(Vec<OsString>, Run)> {
    let kind = failure(&run).map(str::to_owned);
    let given = without(&words, &["--size", "--edge"]);
    let mut size = vec![args.edge.first().copied().unwrap_or(0)];
    size.extend_from_slice(args.size.first().map_or(&[EDGE + 1], |size| size.written()));
    let mut way = 0;
    while let Some(next) = smaller(&size, way) {
        let extents: Vec<String> = next[1..].iter().map(usize::to_string).collect();
        let edge = (next[0] > 0).then(|| format!("--edge={}", next[0]));
        let sizes = ["--size".to_owned(), extents.join("x")].into_iter().chain(edge);
        let tried: Vec<OsString> = given.iter().cloned().chain(sizes.map(OsString::from)).collect();
        // A lab whose blocks are its own refuses an edge, which is no failure of the same kind.
        let found = if next == size { None } else { Some(record(args, &tried, true)?) };
        match found.filter(|found| failure(found) == kind.as_deref()) {
            Some(found) => (way, size, words, run) = (way & !1, next, tried, found),
            None => way += 1,
        }
    }
    Ok((words, run))
}

/// A size made smaller in one of several ways, which go in pairs: rounded down and up, because an odd extent may be what goes wrong. First the edge of
/// the blocks, which stands first and is 0 where the lab chooses it; all extents; those of a single one, by name; each alone. `None` after the last.
fn smaller(size: &[usize], way: usize) -> Option<Vec<usize>> {
    let (mut next, extents) = (size.to_vec(), size.len() - 1);
    let half = |extent: &mut usize| *extent = (*extent / 2 + way % 2).clamp(1, *extent);
    match way {
        0 => next[0] = if size[0] == 0 { EDGE / 2 } else { (size[0] / 2).max(2).min(size[0]) },
        2 | 3 => next[1..].iter_mut().for_each(half),
        4 | 5 if extents + 2 < way && size[1..].iter().all(|extent| *extent == size[1]) => {
            next.resize(way - 1, size[1])
        }
        1 | 4 | 5 => {}
        _ => half(next.get_mut(way / 2 - 2).filter(|_| extents > 1)?),
    }
    Some(next)
}

/// The words of a command line but some flags and their values.
fn without(given: &[OsString], flags: &[&str]) -> Vec<OsString> {
    let mut is_value = false;
    let kept = given.iter().filter(|word| {
        let text = word.to_string_lossy();
        let is_flag = flags.contains(&&*text);
        let is_both = text.split_once('=').is_some_and(|(name, _)| flags.contains(&name));
        !std::mem::replace(&mut is_value, is_flag) && !is_flag && !is_both
    });
    kept.cloned().collect()
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
            assert_eq!(without(&given, &["--replay"]), ["--size", "64"], "{line}");
        }
    }

    #[test]
    fn extents_are_halved_until_the_failure_would_go_away() {
        // It fails in two extents: with more than four rows, and with an odd number of columns.
        let (mut size, mut way) = (vec![0, 33], 0);
        while let Some(next) = smaller(&size, way) {
            let fails = next != size && next[0] == 0 && next[1] > 4 && next.get(2).is_none_or(|n| n % 2 == 1);
            (size, way) = if fails && next.len() < 4 { (next, way & !1) } else { (size, way + 1) };
        }
        assert_eq!(size, [0, 5, 1]);
    }
}
