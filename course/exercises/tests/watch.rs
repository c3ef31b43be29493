//! The loop in a real terminal: a pseudo-terminal, the program on one end of it, and on the other what a student types and reads.

mod workspace;

use libtest_mimic::{Arguments, Failed, Trial};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The time that the slowest machine may take for one verdict.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

const SYNCHRONOUS: &str = "use crate::schedule::{Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    (0..count).for_each(|item| schedule.push_item(item, 0, 0));
    schedule
}
";

fn main() -> ExitCode {
    let no_compiler = kernels::compiler().is_err();
    if no_compiler {
        println!("no NVRTC on this machine: kernels cannot be judged, their tests are ignored (next: just nvrtc)");
    }
    let trials = vec![
        Trial::test("a_schedule_is_judged_on_save_and_the_next_one_follows", schedules),
        Trial::test("a_race_is_told_with_both_lines_and_passes_once_mended", race).with_ignored_flag(no_compiler),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn schedules() -> Result<(), Failed> {
    let workspace = workspace()?;
    let file = workspace.path().join("lab-streams/src/schedules/synchronous.rs");
    let mut terminal = Terminal::open(workspace.path(), "streams")?;
    for exercise in ["one_touch", "constant", "device_timed"] {
        terminal.wait(&format!("streams/{exercise} · 0 of"))?;
        terminal.wait("q quit")?;
        terminal.press("n")?;
    }
    terminal.wait("judging streams/synchronous …")?;
    terminal.wait("streams/synchronous · 0 of 8 points · not started")?;
    terminal.wait("q quit")?;
    terminal.press("l")?;
    terminal.wait("  streams/constant               0 of 10 points        not started")?;
    terminal.wait("> streams/synchronous")?;
    terminal.wait("  streams/pipelined            not judged yet")?;
    terminal.press("p")?;
    terminal.wait("streams/device_timed · 0 of 8 points · not started")?;
    terminal.wait("q quit")?;
    terminal.press("n")?;
    terminal.wait("streams/synchronous · 0 of 8")?;
    terminal.wait("q quit")?;
    terminal.press("h")?;
    terminal.wait("hint 1 of 3: Which of the schedule's fields")?;
    // Right, but nothing holds the host up.
    fs::write(&file, SYNCHRONOUS)?;
    terminal.wait("streams/synchronous · 6 of 8 points · right, technique missing")?;
    terminal.wait("each copy returns when it is done")?;
    terminal.wait("yours    reference")?;
    terminal.wait("time by the clock")?;
    terminal.wait("q quit")?;
    // With the field set it passes, and the next exercise comes up by itself.
    fs::write(&file, SYNCHRONOUS.replace("    (0..", "    schedule.copies_block = true;\n    (0.."))?;
    terminal.wait("streams/synchronous · 8 of 8 points · passed")?;
    terminal.wait("streams/resident · 0 of 8 points · not started")?;
    terminal.wait("q quit")?;
    // One that passes is gone back to by its key alone, and is shown at length then.
    terminal.press("p")?;
    terminal.wait("streams/synchronous · 8 of 8 points · passed")?;
    terminal.wait("yours    reference")?;
    terminal.wait("q quit")?;
    terminal.press("n")?;
    terminal.wait("streams/resident · 0 of 8 points · not started")?;
    terminal.wait("q quit")?;

    let resident = workspace.path().join("lab-streams/src/schedules/resident.rs");
    let starter = fs::read_to_string(&resident)?;
    fs::write(&resident, "nothing that compiles")?;
    terminal.wait("streams/resident · 0 of 8 points · does not compile")?;
    terminal.wait("lab-streams/src/schedules/resident.rs:1")?;
    terminal.wait("q quit")?;
    terminal.press("r")?;
    terminal.wait("back as it was handed out? Your 1 line goes to .backup/lab-streams/src/schedules/resident.rs.1")?;
    terminal.press("n")?;
    terminal.wait("resident.rs stays as it is")?;
    terminal.press("r")?;
    terminal.wait("y yes, any other key no")?;
    terminal.press("y")?;
    terminal.wait("resident.rs is as it was handed out; yours is in .backup/")?;
    terminal.wait("not started")?;
    terminal.wait("q quit")?;
    if fs::read_to_string(&resident)? != starter {
        return Err("r did not restore the file".into());
    }
    let kept = workspace.path().join(".backup/lab-streams/src/schedules/resident.rs.1");
    if fs::read_to_string(kept)? != "nothing that compiles" {
        return Err("r did not keep the old file".into());
    }
    terminal.press("q")?;
    terminal.end()
}

fn race() -> Result<(), Failed> {
    let workspace = workspace()?;
    let solution = kernels::pristine("gemm", "shared")?.text.into_owned();
    let file = workspace.path().join("kernels/gemm/3_shared.cu");
    let mut terminal = Terminal::open(workspace.path(), "gemm/shared")?;
    terminal.wait("gemm/shared · 0 of 25 points · not started")?;
    terminal.wait("q quit")?;
    fs::write(&file, solution.replace("__syncthreads();  // everyone", "// everyone"))?;
    terminal.wait("gemm/shared · 0 of 25 points · failed")?;
    terminal.wait(" s · at ")?;
    terminal.wait("race for `tile_b`")?;
    terminal.wait("q quit")?;
    // Saved once more as it is, it is judged once more, which shows.
    fs::write(&file, fs::read_to_string(&file)?)?;
    terminal.wait("gemm/shared · 0 of 25 points · failed")?;
    terminal.wait("q quit")?;
    terminal.press("s")?;
    terminal.wait("wrote shared.html: open it in a browser; the smallest that was found: lab-gemm")?;
    terminal.wait("just lab gemm --variant shared --size ")?;
    if !workspace.path().join("shared.html").is_file() {
        return Err("s did not write the page".into());
    }
    terminal.press("h")?;
    terminal.wait("hint on this failure: two threads meet at one address")?;
    terminal.wait("`sum += tile_a[y][p] * tile_b[p][x];`")?;
    terminal.wait("`tile_b[y][x] =")?;
    terminal.press("h")?;
    terminal.wait("hint 1 of 3")?;
    fs::write(&file, solution)?;
    terminal.wait("gemm/shared · 25 of 25 points · passed")?;
    for figure in ["sectors read", "shared wavefronts, read", "bank conflicts", "registers", "occupancy"] {
        terminal.wait(figure)?;
    }
    terminal.wait("nothing left here")?;
    terminal.end()
}

fn workspace() -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    workspace::write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), folder.path());
    Ok(folder)
}

/// The reader's end of a pseudo-terminal with `exercises watch` on the other.
struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The other end, so that its modes can be looked at after the program has left.
    device: File,
    child: Child,
    /// Bytes that were read and are no whole character yet.
    bytes: Vec<u8>,
    /// Text that was read and not yet waited for.
    text: String,
}

impl Terminal {
    fn open(root: &Path, name: &str) -> anyhow::Result<Self> {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&own)?;
        unlockpt(&own)?;
        let path = ptsname(&own, Vec::new())?.into_string()?;
        let device = File::options().read(true).write(true).open(path)?;
        let end = || -> anyhow::Result<Stdio> { Ok(device.try_clone()?.into()) };
        let child = Command::new(env!("CARGO_BIN_EXE_exercises"))
            .args(["watch", name])
            .env("COURSE_ROOT", root)
            .stdin(end()?)
            .stdout(end()?)
            .stderr(end()?)
            .spawn()?;
        let keyboard = File::from(own);
        let mut output = keyboard.try_clone()?;
        let (send, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Terminal { keyboard, screen, device, child, bytes: Vec::new(), text: String::new() })
    }

    fn press(&mut self, key: &str) -> anyhow::Result<()> {
        Ok(self.keyboard.write_all(key.as_bytes())?)
    }

    /// Reads on until a text has come, which may be broken into lines anywhere.
    fn wait(&mut self, wanted: &str) -> Result<(), Failed> {
        let end = Instant::now() + LONGEST_WAIT;
        loop {
            if let Some(at) = self.text.find(wanted) {
                self.text.drain(..at + wanted.len());
                return Ok(());
            }
            match self.screen.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => {
                    self.bytes.extend(bytes);
                    // A read may end within a character.
                    let whole = std::str::from_utf8(&self.bytes).map_or_else(|error| error.valid_up_to(), str::len);
                    let words: Vec<u8> = self.bytes.drain(..whole).collect();
                    self.text.push_str(&String::from_utf8_lossy(&words));
                    // A wrapped line reads as one.
                    while let Some(at) = self.text.find("\r\n      ") {
                        self.text.replace_range(at..at + 8, " ");
                    }
                }
                Err(_) => return Err(format!("no '{wanted}' on the screen, but: {}", self.text).into()),
            }
        }
    }

    /// The program has left by itself and the terminal is as it was: lines, with an echo.
    fn end(mut self) -> Result<(), Failed> {
        let status = self.child.wait()?;
        let modes = tcgetattr(&self.device)?.local_modes;
        match status.success() && modes.contains(LocalModes::ICANON | LocalModes::ECHO) {
            true => Ok(()),
            false => Err(format!("{status}, {modes:?}").into()),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that has failed leaves the program waiting for keys.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
