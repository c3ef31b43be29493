//! A class on a cluster: one job of a Slurm array per submission, each graded as on one machine; the records lie in the folder that all nodes
//! share, and are collected from there.

use crate::grade::{Record, name_of, read_record};
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Memory of one job: the build of host code is the largest process.
const MEMORY: &str = "2G";
/// Minutes of one job; a whole submission takes one.
const MINUTES: u32 = 20;

/// What the jobs need beyond the paths.
pub struct Array<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// Where records go; on a file system that all nodes share.
    pub out: &'a Path,
    /// Further arguments of `course grade`.
    pub arguments: Vec<String>,
    /// Further options of `sbatch`.
    pub options: &'a [String],
}

impl Array<'_> {
    /// Submits a job for each path, waits for all of them, and reads the records, in the order of the paths.
    ///
    /// # Errors
    /// No Slurm here; jobs that left no complete record, by name, with the files that say why.
    pub fn grade(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<Record>> {
        let folder = self.out.join("slurm");
        fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        let script = folder.join("job.sh");
        fs::write(&script, self.script(&folder, paths)?)?;
        let logs = folder.join("%a.log");
        let mut command = Command::new("sbatch");
        command.args(["--wait", "--parsable", "--job-name=grade", "--ntasks=1"]);
        command.arg(format!("--mem={MEMORY}")).arg(format!("--time={MINUTES}"));
        command.arg(format!("--array=1-{}", paths.len())).arg("--output").arg(&logs);
        command.args(self.options).arg(&script);
        println!("{} jobs, one a submission; their output: {}", paths.len(), logs.display());
        let output =
            command.output().context("starting sbatch\n  next: a node of the cluster with Slurm's commands")?;
        // A job that failed makes `--wait` fail as well; which one it was, and why, is found below.
        let submitted = !String::from_utf8_lossy(&output.stdout).trim().is_empty();
        ensure!(submitted, "sbatch: {}", String::from_utf8_lossy(&output.stderr).trim());
        self.collect(&folder, paths)
    }

    fn collect(&self, folder: &Path, paths: &[PathBuf]) -> anyhow::Result<Vec<Record>> {
        let (mut records, mut missing) = (Vec::new(), Vec::new());
        for (path, number) in paths.iter().zip(1..) {
            let file = self.out.join("records").join(format!("{}.json", name_of(path)));
            match read_record(&file).filter(|record| record.complete) {
                Some(record) => records.push(record),
                None => missing.push(format!("{}: {}", name_of(path), folder.join(format!("{number}.log")).display())),
            }
        }
        if !missing.is_empty() {
            let (count, list) = (missing.len(), missing.join("\n  "));
            bail!(
                "{count} jobs left no complete record:\n  {list}\n  next: the same command again; what is complete is not graded again"
            );
        }
        Ok(records)
    }

    /// The job: the line of its number says which submission is its own.
    fn script(&self, folder: &Path, paths: &[PathBuf]) -> anyhow::Result<String> {
        let mut list = String::new();
        for path in paths {
            let path = path.canonicalize().with_context(|| format!("{}", path.display()))?;
            let path = path.to_str().filter(|path| !path.contains('\n')).context("a path that is no line of text")?;
            list.push_str(&format!("{path}\n"));
        }
        let names = folder.join("submissions.txt");
        fs::write(&names, list)?;
        let out = self.out.canonicalize()?;
        let program = std::env::current_exe()?;
        let text = |path: &Path| path.to_str().map(quoted).context("a path that is no text");
        let arguments: Vec<String> = self.arguments.iter().map(|argument| quoted(argument)).collect();
        Ok(format!(
            "#!/bin/sh\nset -eu\nexport COURSE_ROOT={}\nsubmission=$(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {})\nexec {} grade --records-only --out {} {} -- \"$submission\"\n",
            text(self.root)?,
            text(&names)?,
            text(&program)?,
            text(&out)?,
            arguments.join(" ")
        ))
    }
}

/// A word of a shell's command line.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_stays_one_word() {
        let word = "it's $HOME; a \"b\" `c`";
        let output = Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(word))).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), word);
    }

    #[test]
    fn a_job_without_a_record_is_named_with_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let array = Array { root: folder.path(), out: folder.path(), arguments: Vec::new(), options: &[] };
        let error = array.collect(folder.path(), &["a.zip".into(), "b".into()]).unwrap_err().to_string();
        assert!(error.contains("2 jobs") && error.contains("a: ") && error.contains("2.log"), "{error}");
    }
}
