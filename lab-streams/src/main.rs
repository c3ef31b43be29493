//! Lab 4: streams, pinned, registered and mapped memory.

use anyhow::Context;
use clap::Parser;
use lab_streams::timeline::{Timeline, render_svg, render_trace};
use lab_streams::{COLUMNS, Options, Plan, VARIANTS, measure};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    common::conclude(|| {
        common::lab::run(&options.common, VARIANTS, COLUMNS, |device| {
            let plan = Plan::new(&options, device)?;
            let mut measured = measure(&plan, device)?;
            if let Some(path) = &plan.timeline {
                write(path, &render_svg(&device.facts.to_string(), &measured.timelines))?;
            }
            if options.common.html.is_some() {
                measured.report.timelines = measured.timelines.iter().map(Timeline::json).collect();
            }
            if let Some(path) = &plan.trace {
                write(path, &render_trace(&measured.timelines))?;
            }
            Ok(measured.report)
        })
    })
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("your host code: writing {}", path.display()))
}
