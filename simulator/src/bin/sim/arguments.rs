//! The command line.
use crate::init::Runner;
use std::ffi::OsString;
use std::path::Path;

/// How to call it.
pub const USAGE: &str = include_str!("usage.txt");

/// Orders of one block that `--search` tries at the most.
const USUAL_SEARCH: u64 = 50_000;

/// Each order is another run of the command.
const MOST_SCHEDULES: u64 = 1000;

/// The options that were asked for.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    pub counters: bool,
    pub explain: bool,
    pub lines: bool,
    pub sanitize: bool,
    /// The most orders of one block.
    pub search: Option<u64>,
    pub leaks: bool,
    pub no_legend: bool,
    pub schedules: Option<u64>,
    pub allow_refused: bool,
    pub allow_faults: bool,
    pub strict: bool,
    pub json: Option<OsString>,
    pub html: Option<OsString>,
    pub replay: Option<OsString>,
    pub trace: Option<OsString>,
    pub ncu_rep: Option<OsString>,
    pub card: Option<OsString>,
    pub command: Vec<OsString>,
}

impl Arguments {
    /// True if kernels are to be counted, which a source line's cost follows from.
    pub fn counts(&self) -> bool {
        self.counters || self.ncu_rep.is_some() || self.by_line()
    }

    /// True if source lines are to be counted each by itself.
    pub fn by_line(&self) -> bool {
        self.explain || self.lines || self.html.is_some()
    }

    /// True if it is to be known what ran when.
    pub fn traces(&self) -> bool {
        self.trace.is_some() || self.html.is_some()
    }

    /// The files to write, each with its flag.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let files = [
            ("--json", &self.json),
            ("--html", &self.html),
            ("--replay", &self.replay),
            ("--trace", &self.trace),
            ("--ncu-rep", &self.ncu_rep),
        ];
        files.into_iter().filter_map(|(flag, path)| Some((flag, Path::new(path.as_ref()?))))
    }

    /// The place of a flag without a value.
    fn switch(&mut self, flag: &str) -> Option<&mut bool> {
        Some(match flag {
            "--counters" => &mut self.counters,
            "--explain" => &mut self.explain,
            "--lines" => &mut self.lines,
            "--sanitize" => &mut self.sanitize,
            "--leaks" => &mut self.leaks,
            "--strict" => &mut self.strict,
            "--allow-refused" => &mut self.allow_refused,
            "--allow-faults" => &mut self.allow_faults,
            "--no-legend" => &mut self.no_legend,
            _ => return None,
        })
    }

    /// The place of a flag's value.
    fn value(&mut self, flag: &str) -> Option<&mut Option<OsString>> {
        Some(match flag {
            "--json" => &mut self.json,
            "--html" => &mut self.html,
            "--replay" => &mut self.replay,
            "--trace" => &mut self.trace,
            "--ncu-rep" => &mut self.ncu_rep,
            "--card" => &mut self.card,
            _ => return None,
        })
    }
}

/// The task that the arguments ask for.
#[derive(Debug, PartialEq)]
pub enum Call {
    Help,
    Version,
    /// Let a test runner start programs under `sim`, and the sanitizer.
    Init(Runner, bool),
    Run(Box<Arguments>),
}

/// Reads the arguments after the program's name. An error is a text for the user.
pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Call, String> {
    let mut arguments = Arguments::default();
    let words: Vec<OsString> = words.collect();
    if let [first, rest @ ..] = &words[..]
        && first == "init"
    {
        let runner = rest.first().and_then(|name| Runner::named(name.to_str()?));
        return match (runner, rest.get(1..).unwrap_or_default()) {
            (Some(runner), []) => Ok(Call::Init(runner, false)),
            (Some(runner), [flag]) if flag == "--sanitize" => Ok(Call::Init(runner, true)),
            _ => Err("init: for which runner? `sim init cargo` and `sim init cmake`, and --sanitize after it; a program of this name is \
                      `sim -- init`"
                .into()),
        };
    }
    let mut words = words.into_iter().peekable();
    // The first word that is no flag begins the command, whose own flags are none of ours.
    while let Some(word) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let word = word.to_string_lossy().into_owned();
        let (flag, joined) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (word.as_str(), None),
        };
        if flag == "--search" {
            let most = joined.map_or(Some(USUAL_SEARCH), |value| value.to_str()?.parse().ok().filter(|most| *most > 0));
            arguments.search = Some(most.ok_or("--search=N: how many orders at the most?")?);
            continue;
        }
        if flag == "--schedules" {
            let value = joined.or_else(|| words.next()).and_then(|value| value.to_str()?.parse().ok());
            arguments.schedules = value.filter(|orders| (1..=MOST_SCHEDULES).contains(orders));
            if arguments.schedules.is_none() {
                return Err(format!("--schedules: how many orders, from 1 to {MOST_SCHEDULES}?"));
            }
            continue;
        }
        if let Some(place) = arguments.switch(flag) {
            *place = true;
        } else if let Some(place) = arguments.value(flag) {
            let value = joined.or_else(|| words.next()).filter(|value| !value.is_empty());
            *place = Some(
                value.ok_or_else(|| format!("{flag}: which {}?", if flag == "--card" { "card" } else { "file" }))?,
            );
            continue;
        } else {
            match flag {
                "--" => break,
                "--help" | "-h" => return Ok(Call::Help),
                "--version" | "-V" => return Ok(Call::Version),
                _ => return Err(format!("there is no flag `{flag}`")),
            }
        }
        if joined.is_some() {
            return Err(format!("{flag} takes no value"));
        }
    }
    arguments.command = words.collect();
    if arguments.command.is_empty() {
        return Err("which command?".into());
    }
    for (flag, is_there) in [("--leaks", arguments.leaks), ("--search", arguments.search.is_some())] {
        if is_there && !arguments.sanitize {
            return Err(format!("{flag} goes with --sanitize"));
        }
    }
    Ok(Call::Run(Box::new(arguments)))
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
        let Ok(Call::Run(arguments)) = of(&["--sanitize", "--card", "h200", "--", "--odd"]) else { panic!("refused") };
        assert!(arguments.sanitize && arguments.command == ["--odd"] && arguments.card == Some("h200".into()));
        let Ok(Call::Run(arguments)) = of(&["--schedules", "16", "true"]) else { panic!("refused") };
        assert_eq!((arguments.schedules, arguments.command), (Some(16), vec!["true".into()]));
    }

    #[test]
    fn wrong_calls_are_refused() {
        for words in [
            &["--frobnicate", "true"][..],
            &[],
            &["--"],
            &["--json"],
            &["--html=", "true"],
            &["--counters=1", "true"],
            &["--leaks", "true"],
            &["--search", "true"],
            &["--sanitize", "--search=0", "true"],
            &["--schedules"],
            &["--schedules", "0", "true"],
            &["--schedules=many", "true"],
        ] {
            assert!(of(words).is_err(), "{words:?}");
        }
        assert_eq!(of(&["--counters", "--help"]), Ok(Call::Help));
        assert_eq!(of(&["--version"]), Ok(Call::Version));
        assert_eq!(of(&["init", "cargo"]), Ok(Call::Init(Runner::Cargo, false)));
        assert_eq!(of(&["init", "cmake", "--sanitize"]), Ok(Call::Init(Runner::CMake, true)));
        assert!(of(&["init"]).is_err() && of(&["init", "make"]).is_err() && of(&["init", "cargo", "x"]).is_err());
        assert!(matches!(of(&["--", "init", "cargo"]), Ok(Call::Run(_))));
    }

    /// No flag is without a word about it, and no line of the help is too long for a screen.
    #[test]
    fn the_help_has_every_flag() {
        let source = include_str!("arguments.rs");
        for flag in source.split("\"--").skip(1).filter_map(|rest| rest.split('"').next()) {
            let is_real = Arguments::default().switch(&format!("--{flag}")).is_some()
                || Arguments::default().value(&format!("--{flag}")).is_some();
            assert!(!is_real || USAGE.contains(&format!("\n  --{flag} ")), "--{flag}");
        }
        assert!(USAGE.lines().all(|line| line.chars().count() <= 80));
    }
}
