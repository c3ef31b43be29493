//! The loop: on save, judge the exercise in hand; show the result and its figures beside the reference's; move on when it passes.

use crate::check::Judging;
use crate::judge::Judge;
use crate::lines;
use crate::output::typed;
use crate::progress::Progress;
use crate::reset::Reset;
use crate::table::{Course, Exercise};
use crate::technique::References;
use crate::verdict::{Panel, Verdict};
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, is_raw_mode_enabled};
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// The line of the keys.
const KEYS: &str = "  h hint · s steps · l list · n next · p previous · r reset · q quit; judged on save";

/// The cost panel: figures that explain a time, in the order in which one reads them.
pub const PANEL: &[(&str, &str)] = &include!("panel.txt");

/// An exercise's figures beside the reference's; empty without figures.
pub fn panel(own: &Panel, reference: Option<&Panel>) -> String {
    let mut text = String::new();
    for (name, title) in PANEL {
        let Some(value) = own.get(*name) else { continue };
        let other = reference.and_then(|panel| panel.get(*name)).map_or(String::new(), |value| short(*value));
        text.push_str(&format!("  {title:<30} {:>12} {other:>12}\n", short(*value)));
    }
    if !text.is_empty() {
        text.insert_str(0, &format!("  {:<30} {:>12} {:>12}\n", "", "yours", "reference"));
    }
    text
}

/// A figure with at most two decimals.
pub fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.2}") }
}

/// Raw mode for as long as this lives; not in a terminal: lines of text only.
struct Terminal;

impl Terminal {
    fn open() -> Self {
        // An input that is no terminal has no raw mode, and no keys either.
        let _ = enable_raw_mode();
        Terminal
    }

    fn say(&self, text: &str) -> anyhow::Result<()> {
        let end = if is_raw_mode_enabled().unwrap_or(false) { "\r\n" } else { "\n" };
        let mut out = std::io::stdout().lock();
        for line in typed(text).lines() {
            write!(out, "{line}{end}")?;
        }
        Ok(out.flush()?)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}

enum Key {
    Hint,
    Next,
    Previous,
    List,
    Reset,
    Steps,
    Quit,
}

/// Watches the exercises of a selection, one after the other, until all pass or the reader leaves.
///
/// # Errors
/// A missing compiler or file; what a verdict cannot be given for.
pub fn watch(course: &Course, judge: &Judge, references: &References, exercises: &[&Exercise]) -> anyhow::Result<()> {
    let mut progress = Progress::read(course)?;
    let terminal = Terminal::open();
    let mut at = 0;
    // One that was gone back to is shown at length, although it passes.
    let mut back = false;
    while let Some(exercise) = exercises.get(at) {
        let mut saved = false;
        // Judged again on every save, until it passes.
        at = loop {
            let changed = modified(course, exercise)?;
            let start = Instant::now();
            let judging = Judging::tell(exercise);
            let verdict = progress.verdict(course, judge, exercise);
            drop(judging);
            let verdict = verdict?;
            let Verdict { points, of, state, .. } = &verdict;
            let seconds = start.elapsed().as_secs_f64();
            let (id, state) = (exercise.id(), state.words());
            terminal.say(&format!("\n{id} · {points} of {of} points · {state} · {seconds:.2} s{}", made_at()))?;
            // A line is enough for an exercise that had passed before.
            if saved || back || !verdict.passed() {
                terminal.say(&lines::shortened(&verdict.story))?;
                terminal.say(&lines::printed(&verdict))?;
                terminal.say(&panel(&verdict.panel, references.panel(&exercise.id())))?;
            }
            if verdict.passed() && course.solutions {
                terminal.say(&format!("  the model solution: just solution {}", exercise.id()))?;
            }
            if verdict.passed() && !back {
                break at + 1;
            }
            terminal.say(&format!("  write: {}\n{KEYS}", exercise.file))?;
            let next = keys(&terminal, course, exercise, &verdict, changed, &mut progress, exercises)?;
            back = matches!(next, Next::Previous);
            match next {
                Next::Judge => saved = true,
                Next::Exercise => break at + 1,
                Next::Previous => break at.saturating_sub(1),
                Next::Quit => return Ok(()),
            }
        };
    }
    terminal.say("\nnothing left here; next: just progress")
}

/// The time of day, as "· at 14:05:09": two verdicts that say the same are told apart by it. Empty on a system that does not tell it.
fn made_at() -> String {
    let told = std::process::Command::new("date").arg("+%T").output();
    let told = told.ok().filter(|told| told.status.success()).and_then(|told| String::from_utf8(told.stdout).ok());
    told.map_or(String::new(), |time| format!(" · at {}", time.trim()))
}

/// The next step after a verdict that is no pass.
enum Next {
    /// The file was saved, or reset.
    Judge,
    Exercise,
    Previous,
    Quit,
}

/// Takes keys until one leads on, or the file is saved.
fn keys(
    terminal: &Terminal,
    course: &Course,
    exercise: &Exercise,
    verdict: &Verdict,
    changed: SystemTime,
    progress: &mut Progress,
    exercises: &[&Exercise],
) -> anyhow::Result<Next> {
    loop {
        match wait(course, exercise, changed)? {
            None => return Ok(Next::Judge),
            Some(Key::Hint) => terminal.say(&lines::shortened(&progress.hint(course, exercise, verdict)?))?,
            Some(Key::Next) => return Ok(Next::Exercise),
            Some(Key::Previous) => return Ok(Next::Previous),
            Some(Key::List) => {
                for one in exercises {
                    let here = if one.id() == exercise.id() { '>' } else { ' ' };
                    terminal.say(&format!("{here} {:<28} {}", one.id(), progress.state(course, one)))?;
                }
            }
            Some(Key::Steps) => terminal.say(&steps(course, exercise, verdict)?)?,
            Some(Key::Quit) => return Ok(Next::Quit),
            Some(Key::Reset) => {
                let reset = Reset::of(course, exercise)?;
                if let Some(question) = reset.question() {
                    terminal.say(&format!("{question}; y yes, any other key no"))?;
                    if !yes()? {
                        terminal.say(&format!("{} stays as it is", exercise.file))?;
                        continue;
                    }
                }
                terminal.say(&reset.carry_out()?)?;
                return Ok(Next::Judge);
            }
        }
    }
}

/// Writes the page that plays the run that failed, at its smallest size.
fn steps(course: &Course, exercise: &Exercise, verdict: &Verdict) -> anyhow::Result<String> {
    let Some(words) = lines::steps(exercise, verdict) else {
        return Ok("  host code has no steps of warps: `just lab` with --trace shows what runs when".to_owned());
    };
    let mut lab = Command::new(std::env::current_exe()?);
    let output = lab.current_dir(&course.root).args(["lab", &exercise.lab]).args(words.split(' ')).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let wrote = said.lines().rev().find(|line| line.starts_with("wrote "));
    let command = format!("  just lab {} {words}", exercise.lab);
    Ok(wrote.map_or_else(|| format!("{}\n{command}", said.trim_end()), |wrote| format!("  {wrote}\n{command}")))
}

/// A key, or `None` when the file was saved.
fn wait(course: &Course, exercise: &Exercise, before: SystemTime) -> anyhow::Result<Option<Key>> {
    let raw = is_raw_mode_enabled().unwrap_or(false);
    loop {
        if modified(course, exercise)? != before {
            return Ok(None);
        }
        if !raw {
            std::thread::sleep(LOOK);
        } else if poll(LOOK)?
            && let Event::Key(key) = read()?
            && key.kind == KeyEventKind::Press
        {
            match key.code {
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(Some(Key::Quit)),
                KeyCode::Char('h') => return Ok(Some(Key::Hint)),
                KeyCode::Char('l') => return Ok(Some(Key::List)),
                KeyCode::Char('n') => return Ok(Some(Key::Next)),
                KeyCode::Char('p') => return Ok(Some(Key::Previous)),
                KeyCode::Char('r') => return Ok(Some(Key::Reset)),
                KeyCode::Char('s') => return Ok(Some(Key::Steps)),
                KeyCode::Char('q') => return Ok(Some(Key::Quit)),
                _ => {}
            }
        }
    }
}

/// The answer to a question: the next key.
fn yes() -> anyhow::Result<bool> {
    loop {
        if let Event::Key(key) = read()?
            && key.kind == KeyEventKind::Press
        {
            return Ok(matches!(key.code, KeyCode::Char('y' | 'Y')));
        }
    }
}

fn modified(course: &Course, exercise: &Exercise) -> anyhow::Result<SystemTime> {
    let path = course.root.join(&exercise.file);
    // Editors replace a file by another; for a moment there may be none.
    for _ in 0..20 {
        if let Ok(meta) = std::fs::metadata(&path) {
            return Ok(meta.modified()?);
        }
        std::thread::sleep(LOOK);
    }
    // It is gone, which its verdict says.
    Ok(SystemTime::UNIX_EPOCH)
}
