//! The command line.
use crate::kernel::Language;

const USAGE: &str = include_str!("usage.txt").trim_ascii_end();

pub struct Arguments {
    pub seed: u64,
    pub count: u64,
    pub seconds: u64,
    pub languages: Vec<Language>,
    pub per_module: u64,
    pub jobs: usize,
    pub most: u64,
    pub card: bool,
    pub shrink: u64,
    pub show: bool,
    pub record: Option<String>,
}

impl Arguments {
    /// # Errors
    /// The usage, for anything that is not in it.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments {
            seed: 0,
            count: u64::MAX,
            seconds: u64::MAX,
            languages: vec![Language::Cuda, Language::Ptx],
            per_module: 100,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            most: 5,
            card: false,
            shrink: 5,
            show: false,
            record: None,
        };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut number = || -> Result<u64, String> {
                let value = words.next().ok_or_else(|| format!("{word} needs a number\n{USAGE}"))?;
                value.parse().map_err(|_| format!("{word}: `{value}` is no number\n{USAGE}"))
            };
            match word.as_str() {
                "--seed" => arguments.seed = number()?,
                "--count" => arguments.count = number()?,
                "--seconds" => arguments.seconds = number()?,
                "--per-module" => arguments.per_module = number()?.max(1),
                "--jobs" => arguments.jobs = number()?.max(1) as usize,
                "--most" => arguments.most = number()?.max(1),
                "--card" => arguments.card = true,
                "--shrink" => arguments.shrink = number()?,
                "--show" => arguments.show = true,
                "--record" => {
                    arguments.record = Some(words.next().ok_or_else(|| format!("--record needs a file\n{USAGE}"))?)
                }
                "--language" => {
                    arguments.languages = match words.next().as_deref() {
                        Some("cuda") => vec![Language::Cuda],
                        Some("ptx") => vec![Language::Ptx],
                        _ => return Err(format!("--language is cuda or ptx\n{USAGE}")),
                    }
                }
                _ => return Err(format!("`{word}` is no option\n{USAGE}")),
            }
        }
        if arguments.count == u64::MAX && arguments.seconds == u64::MAX {
            arguments.seconds = 60;
        }
        Ok(arguments)
    }
}
