//! The command line.
use std::ffi::OsString;
use std::path::PathBuf;

/// How to call it.
pub const USAGE: &str = "\
usage: sim [--counters] [--sanitize] [--leaks] [--no-legend] [--allow-refused] [--json FILE] [--] COMMAND [ARGUMENT…]

Runs a command under the simulated CUDA driver: libcuda.so and libcuda.so.1 are the simulator.

  --counters   at its end, a table on standard error: per kernel and shape of launch what a profiler counts, the model's time,
               and what bounds it
  --sanitize   judge every memory access and barrier; at its end, all findings on standard error
  --leaks      with --sanitize, memory that is still allocated at the end is a finding, and not only a note
  --no-legend  leave out the lines that say what each column means
  --allow-refused  keep the command's exit code where work was refused
  --json FILE  write what was found, counted and refused to FILE as well; docs/json.md documents the keys
  --help       this text

The exit code is the command's (128 + N where signal N ended it). Where the command ended with 0: with --sanitize 1 if something
was found; else 3 if the simulator refused work that it was asked for (an image that no card takes, a function that it does not
model), since what depends on it was not computed. 2: a wrong call; 127: the command cannot be started.
Environment: LABS_SIM_PROFILE=h200 chooses the card, LABS_SIM_PROFILE=my-card.json one of your own (docs/adding.md has such a
file), LABS_SIM_DEVICES=2 how many, LABS_SIM_SCHEDULE_SEED=1 another order of blocks and warps, LABS_SIM_BUDGET=N the most warp instructions of a launch (by default 2000000000 for each block, about ten
seconds; with --sanitize a quarter of that), LABS_SIM_DRIVER=12 the version of the interface that is
answered (12.9 instead of 13.0; 12.4, 13.4 and the like are numbers for programs that ask for them), LABS_SIM_LOG=1 says which calls fail, all of
them; what the simulator does not model is said in any case, once.";

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    pub counters: bool,
    pub sanitize: bool,
    pub leaks: bool,
    pub no_legend: bool,
    pub allow_refused: bool,
    pub json: Option<PathBuf>,
    pub command: Vec<OsString>,
}

/// What to do.
#[derive(Debug, PartialEq)]
pub enum Call {
    Help,
    Run(Arguments),
}

/// Reads the arguments after the program's name. An error is a text for the user.
pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Call, String> {
    let mut arguments = Arguments::default();
    let mut words = words.peekable();
    // The first word that is no flag begins the command, whose own flags are none of ours.
    while let Some(flag) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        match flag.to_string_lossy().as_ref() {
            "--" => break,
            "--help" | "-h" => return Ok(Call::Help),
            "--counters" => arguments.counters = true,
            "--sanitize" => arguments.sanitize = true,
            "--leaks" => arguments.leaks = true,
            "--allow-refused" => arguments.allow_refused = true,
            "--no-legend" => arguments.no_legend = true,
            "--json" => arguments.json = Some(words.next().ok_or("--json: which file?")?.into()),
            other => match other.strip_prefix("--json=") {
                Some(path) => arguments.json = Some(path.into()),
                None => return Err(format!("there is no flag `{other}`")),
            },
        }
    }
    arguments.command = words.collect();
    if arguments.command.is_empty() {
        return Err("which command?".into());
    }
    if arguments.leaks && !arguments.sanitize {
        return Err("--leaks goes with --sanitize".into());
    }
    Ok(Call::Run(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<Call, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn flags_end_where_the_command_begins() {
        let Ok(Call::Run(arguments)) = of(&["--counters", "--json=a", "./program", "--sanitize"]) else {
            panic!("refused")
        };
        assert!(arguments.counters && !arguments.sanitize);
        assert_eq!(
            (arguments.json, arguments.command),
            (Some("a".into()), vec!["./program".into(), "--sanitize".into()])
        );
        let Ok(Call::Run(arguments)) = of(&["--sanitize", "--", "--odd"]) else { panic!("refused") };
        assert!(arguments.sanitize && arguments.command == ["--odd"]);
    }

    #[test]
    fn wrong_calls_are_refused() {
        for words in [&["--frobnicate", "true"][..], &[], &["--"], &["--json"], &["--leaks", "true"]] {
            assert!(of(words).is_err(), "{words:?}");
        }
        assert_eq!(of(&["--counters", "--help"]), Ok(Call::Help));
    }
}
