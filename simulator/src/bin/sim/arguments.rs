//! The command line.
use std::ffi::OsString;
use std::path::PathBuf;

/// How to call it.
pub const USAGE: &str = "\
usage: sim [--counters] [--sanitize] [--no-legend] [--json FILE] [--] COMMAND [ARGUMENT…]

Runs a command under the simulated CUDA driver: libcuda.so and libcuda.so.1 are the simulator.

  --counters   at its end, a table on standard error: per kernel and shape of launch what a profiler counts, the model's time,
               and what bounds it
  --sanitize   judge every memory access and barrier; at its end, all findings on standard error
  --no-legend  leave out the lines that say what each column means
  --json FILE  write what these two print to FILE as well; docs/json.md documents the keys
  --help       this text

The exit code is the command's (128 + N where signal N ended it), or with --sanitize 1 where the command ended with 0 and
something was found. 2: a wrong call; 127: the command cannot be started.
Environment: LABS_SIM_PROFILE=h200 chooses the card, LABS_SIM_DEVICES=2 how many, LABS_SIM_SCHEDULE_SEED=1 another order of
blocks and warps, LABS_SIM_BUDGET=N the most warp instructions of a launch (by default 2000000000 for each block, about ten
seconds; with --sanitize a quarter of that), LABS_SIM_LOG=1 says which calls fail, all of
them; what the simulator does not model is said in any case, once.";

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    pub counters: bool,
    pub sanitize: bool,
    pub no_legend: bool,
    pub json: Option<PathBuf>,
    pub command: Vec<OsString>,
}

/// What to do.
#[derive(Debug, PartialEq)]
pub enum Wish {
    Help,
    Run(Arguments),
}

/// Reads the arguments behind the program's name. An error is a text for the user.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Wish, String> {
    let mut wish = Arguments::default();
    let mut arguments = arguments.peekable();
    // The first word that is no flag begins the command, whose own flags are none of ours.
    while let Some(flag) = arguments.next_if(|word| word.to_string_lossy().starts_with('-')) {
        match flag.to_string_lossy().as_ref() {
            "--" => break,
            "--help" | "-h" => return Ok(Wish::Help),
            "--counters" => wish.counters = true,
            "--sanitize" => wish.sanitize = true,
            "--no-legend" => wish.no_legend = true,
            "--json" => wish.json = Some(arguments.next().ok_or("--json: which file?")?.into()),
            other => match other.strip_prefix("--json=") {
                Some(path) => wish.json = Some(path.into()),
                None => return Err(format!("there is no flag `{other}`")),
            },
        }
    }
    wish.command = arguments.collect();
    if wish.command.is_empty() {
        return Err("which command?".into());
    }
    if wish.json.is_some() && !wish.counters && !wish.sanitize {
        return Err("--json FILE goes with --counters, --sanitize, or both".into());
    }
    Ok(Wish::Run(wish))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<Wish, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn flags_end_where_the_command_begins() {
        let Ok(Wish::Run(wish)) = of(&["--counters", "--json=a", "./program", "--sanitize"]) else { panic!("refused") };
        assert!(wish.counters && !wish.sanitize);
        assert_eq!((wish.json, wish.command), (Some("a".into()), vec!["./program".into(), "--sanitize".into()]));
        let Ok(Wish::Run(wish)) = of(&["--sanitize", "--", "--odd"]) else { panic!("refused") };
        assert!(wish.sanitize && wish.command == ["--odd"]);
    }

    #[test]
    fn wrong_calls_are_refused() {
        for words in [&["--frobnicate", "true"][..], &[], &["--"], &["--json"], &["--json", "a", "true"]] {
            assert!(of(words).is_err(), "{words:?}");
        }
        assert_eq!(of(&["--counters", "--help"]), Ok(Wish::Help));
    }
}
