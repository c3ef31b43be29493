//! The words for launches of which a part of the blocks cannot stand for all.
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::source::lines::{NO_LINES, Snippet, snippet};
use super::source::names::{array_name, kernel_name};
use super::source::scene::Scene;
use crate::sampling::{NotSampled, Site};
use machine::fault::Place;
use std::fmt::Write;

/// The reason for which all blocks were run although a part was asked for, in one line.
pub fn not_sampled(why: &NotSampled, scene: &Scene) -> String {
    let reason = match why {
        NotSampled::Cooperative => "its blocks wait for each other at a barrier of the whole grid".to_owned(),
        NotSampled::Shared(site) => {
            let at = site.map_or(String::new(), |site| format!(" ({})", place(site, scene)));
            format!("its blocks update memory that they share{at}")
        }
        NotSampled::ReadsResults { allocation, read, written } => format!(
            "a block may read what another one writes: {} is read ({}) and written ({}) in one launch",
            array(*allocation, scene),
            place(*read, scene),
            place(*written, scene)
        ),
        NotSampled::Uneven { percent } => format!(
            "its blocks do different amounts of work: some of them would stand for all with an error of {percent:.1} %"
        ),
    };
    format!("`{}`: {reason}", kernel_name(&scene.launch.function.name))
}

/// Words a launch that reads what an earlier one has written in part.
pub fn reads_a_sample(allocation: u64, site: Site, scene: &Scene) -> Diagnosis {
    let kernel = kernel_name(&scene.launch.function.name);
    let family = Family::Limit;
    let what = array(allocation, scene);
    let mut message = format!("{}: `{kernel}` reads {what}, of which an earlier launch was sampled", family.title());
    let at = Place { function: site.function, site: site.site, ..Place::default() };
    let snippet = snippet(scene, &at);
    if let Some(snippet) = &snippet {
        snippet.write(&mut message, 2, "-->");
    }
    let _ = write!(
        message,
        "\n   = what: only some blocks of that launch were run, and what the others would have written is missing\
         \n   = next: run without sampling"
    );
    if snippet.as_ref().is_some_and(Snippet::lacks_line) {
        let _ = write!(message, "\n   = lines: {NO_LINES}");
    }
    let (file, line) = snippet.map_or((String::new(), 0), |snippet| (snippet.file, snippet.line));
    Diagnosis { family, kind: "reads a sample", kernel, file, line, message }
}

/// "kernels/gemv/4_atomic.cu:12"
fn place(site: Site, scene: &Scene) -> String {
    let at = Place { function: site.function, site: site.site, ..Place::default() };
    match snippet(scene, &at) {
        Some(snippet) if snippet.file != "PTX" => format!("{}:{}", snippet.file, snippet.line),
        Some(snippet) => format!("PTX line {}", snippet.line),
        None => "a place without a line".to_owned(),
    }
}

fn array(address: u64, scene: &Scene) -> String {
    scene
        .launch
        .memory
        .find(address)
        .map_or_else(|| format!("memory at {address:#x}"), |found| array_name(scene, &found).0)
}
