//! `sim init cargo`, `sim init cmake`: what a project needs so that its test runner starts programs under `sim`, one test at a time.
use std::path::Path;

/// A test runner that starts each program by a prefix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runner {
    Cargo,
    CMake,
}

impl Runner {
    pub fn named(name: &str) -> Option<Runner> {
        match name {
            "cargo" => Some(Runner::Cargo),
            "cmake" => Some(Runner::CMake),
            _ => None,
        }
    }

    /// The file of a project, that of the configuration in the order in which the runner reads it (the last one is written), its lines, and
    /// what they bring.
    fn files(self, sanitize: bool) -> (&'static str, &'static [&'static str], String, &'static str) {
        let words: &[&str] = if sanitize { &["sim", "--sanitize", "--"] } else { &["sim", "--"] };
        match self {
            Runner::Cargo => (
                "Cargo.toml",
                &[".cargo/config", ".cargo/config.toml"],
                format!("[target.{}-unknown-linux-gnu]\nrunner = {words:?}\n", std::env::consts::ARCH),
                "From now on `cargo test`, `cargo run` and `cargo bench` start programs under sim.\nOne test a program, so that a finding \
                 has its test: cargo nextest run",
            ),
            Runner::CMake => {
                let words = words.join(";");
                let lines = format!(
                    "# Tests that add_test() starts run under sim. CMake 3.29 has a word for it, versions before have that of emulators.\n\
                     if(CMAKE_VERSION VERSION_LESS 3.29)\n  set(CMAKE_CROSSCOMPILING_EMULATOR \"{words}\" CACHE STRING \"\")\nelse()\n  \
                     set(CMAKE_TEST_LAUNCHER \"{words}\" CACHE STRING \"\")\nendif()\n"
                );
                let next = "Configure anew with it: cmake -C sim.cmake -B build && cmake --build build\nThen: ctest --test-dir build \
                            --output-on-failure --output-junit report.xml";
                ("CMakeLists.txt", &["sim.cmake"], lines, next)
            }
        }
    }

    /// Writes the runner's prefix into a project's folder. Answers what was done.
    ///
    /// # Errors
    /// There is no project, or its configuration is there already: it is the user's to change.
    pub fn init(self, folder: &Path, sanitize: bool) -> Result<String, String> {
        let (project, names, lines, next) = self.files(sanitize);
        if !folder.join(project).is_file() {
            return Err(format!("{} has no {project}\n  next: cd to the folder of the project", folder.display()));
        }
        let mut paths = names.iter().map(|name| folder.join(name));
        if let Some(known) = paths.find(|path| path.exists()) {
            let text = std::fs::read_to_string(&known).map_err(|error| format!("{}: {error}", known.display()))?;
            if text.contains(&lines) {
                return Ok(format!("{} has the runner already", known.display()));
            }
            return Err(format!(
                "{} is there, and stays as it is\n  next: add these lines to it:\n\n{lines}",
                known.display()
            ));
        }
        let path = folder.join(names.last().unwrap_or(&""));
        let written =
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, &lines));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(format!("wrote {}:\n\n{lines}\n{next}", path.display()))
    }
}
