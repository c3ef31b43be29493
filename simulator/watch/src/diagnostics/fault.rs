//! The words for what stops a launch.
use super::access::{does, misaligned, offset, out_of_bounds};
use super::diagnosis::Diagnosis;
use super::endless;
use super::family::Family;
use super::message::Message;
use super::rust::{in_handler, panic};
use super::source::lines::{is_in_rust, site, snippet, spot};
use super::source::names::{count, kernel_name, who};
use super::source::scene::Scene;
use machine::fault::{Around, Fault, Place, Waiting};

/// Words what stopped a launch.
pub fn fault(fault: &Fault, scene: &Scene) -> Diagnosis {
    word(fault, scene).render(scene)
}

#[allow(clippy::too_many_lines, reason = "a table of the faults and their words")]
fn word<'a>(fault: &'a Fault, scene: &Scene) -> Message<'a> {
    let kernel = kernel_name(&scene.launch.function.name);
    match fault {
        Fault::OutOfBounds { at, space, address, bytes, kind } => {
            out_of_bounds(scene, &kernel, at, *space, *address, *bytes, *kind)
        }
        Fault::Misaligned { at, space, address, bytes, kind } => {
            misaligned(scene, &kernel, at, *space, *address, *bytes, *kind)
        }
        Fault::Trap { at, calls } => panic(scene, &kernel, at, calls).unwrap_or_else(|| trap(scene, &kernel, at)),
        Fault::Assert { at, expression, file, line, function } => Message::of_kernel(
            at,
            "assert",
            format!("assertion `{expression}` failed in `{function}`"),
            Some(format!("{file}:{line}: {function}: Assertion `{expression}` failed.")),
            "print the values in the assertion for this thread, for example with printf",
        ),
        Fault::Deadlock { waiting } => deadlock(scene, &kernel, waiting),
        Fault::Budget { at, warp_instructions, of_block, around } => {
            budget(scene, &kernel, (at, *of_block, *warp_instructions), around.as_ref())
        }
        Fault::BadBarrier { at, id } => Message::of_kernel(
            at,
            "bad-barrier",
            format!("`{kernel}` waits at barrier {id}: a block has barriers 0 to 15"),
            None,
            "look at where the barrier's number comes from",
        ),
        Fault::TooManyBytes { at, bytes } => Message::of_kernel(
            at,
            "too-many-bytes",
            format!("`{kernel}` lets a phase of an mbarrier wait for {bytes} bytes: it can wait for 1048575"),
            None,
            "announce fewer bytes in a phase: copy in parts, with a phase or an mbarrier for each",
        ),
        Fault::BlockLeft { at, address, kind } => Message::of_kernel(
            at,
            "block left",
            format!("`{kernel}` {} shared memory of a block of its cluster that has ended", does(*kind)),
            Some(format!(
                "the block has rank {} in the cluster, and the offset there is {}",
                (address >> 24).saturating_sub(1),
                address & 0xff_ffff
            )),
            "let no block end before the others are done with its shared memory: a cluster.sync() at the end",
        ),
        Fault::BadTensorMap { at, address } => Message::of_kernel(
            at,
            "bad tensor map",
            format!("`{kernel}` copies a tile through something that is no tensor map for it"),
            Some(format!("the map's address is {}", offset(*address))),
            "encode the map with cuTensorMapEncodeTiled for as many dimensions, pass it as `const __grid_constant__ CUtensorMap`, and hand on its address",
        ),
        Fault::BadTexture { at, address } => Message::of_kernel(
            at,
            "bad texture object",
            format!("`{kernel}` reads or writes by something that is no texture or surface object for it"),
            Some(format!("the handle is {}", offset(*address))),
            "pass what cuTexObjectCreate or cuSurfObjectCreate gave, and destroy it after the kernel",
        ),
        Fault::UnalignedCorner { at, index, element_bytes } => Message::of_kernel(
            at,
            "unaligned tile",
            format!("`{kernel}` copies a tile whose corner is no multiple of 16 bytes from the tensor's edge"),
            Some(format!(
                "index {index} of the innermost dimension, elements of {element_bytes} bytes: {} bytes",
                i64::from(*index) * i64::from(*element_bytes)
            )),
            format!(
                "take a multiple of {} as the first coordinate, as hardware asks for; of the others any may be taken",
                16 / element_bytes
            ),
        ),
        Fault::CornerBefore { at, dimension, index } => Message::of_kernel(
            at,
            "tile before tensor",
            format!("`{kernel}` stores a tile whose corner lies before the tensor"),
            Some(format!("index {index} of dimension {dimension}, counted from the innermost")),
            "begin the tile at index 0 or later, as hardware asks for: a store leaves out what lies beyond a dimension's end, and not what lies before its start",
        ),
        Fault::BadFree { at, address } => Message::of_kernel(
            at,
            "bad-free",
            format!("`{kernel}` frees memory that malloc in a kernel did not give, or frees it twice"),
            Some(format!("the pointer is {}", offset(*address))),
            "free each pointer once, and only those that malloc in a kernel returned",
        ),
        Fault::BadCall { at, address } => Message::of_kernel(
            at,
            "bad call",
            format!("`{kernel}` calls through a pointer that is no device function"),
            Some(format!("the pointer is {}", offset(*address))),
            "take the function's address in device code: a host function's address means nothing here",
        ),
        Fault::StackFull { at, bytes, left } => Message {
            family: Family::Limit,
            kind: "stack",
            title: format!("`{kernel}` takes {} from its stack, and {left} are left", count(*bytes, "byte")),
            at: Some(at),
            written_at: None,
            other: None,
            who: Some(who(at)),
            what: vec![
                "`alloca` has what cudaLimitStackSize gives a thread: 1024 bytes, unless the program sets it".into(),
            ],
            next: "cudaDeviceSetLimit(cudaLimitStackSize, BYTES), or an array of a fixed size".into(),
        },
        Fault::StackOverflow { at, depth } => Message {
            family: Family::Limit,
            kind: "stack",
            title: format!("`{kernel}` calls {} deep: the stack is full", count(u64::from(*depth), "function")),
            at: Some(at),
            written_at: None,
            other: None,
            who: Some(who(at)),
            what: Vec::new(),
            next: "look at the condition that ends the recursion, or raise the limit CU_LIMIT_STACK_SIZE".into(),
        },
    }
}

/// A spent budget: which one, and the loop that was seen, if one was.
fn budget<'a>(
    scene: &Scene,
    kernel: &str,
    (at, of_block, warp_instructions): (&'a Place, bool, u64),
    around: Option<&Around>,
) -> Message<'a> {
    const RAISE: &str = "raise the budget: --budget N in a lab, else LABS_SIM_BUDGET=N";
    let (who_ran, whose) = match of_block {
        true => ("a block of ", "the instruction budget of one block"),
        false => ("", "the launch's instruction budget"),
    };
    let (seen, (story, is_finite)) = match around {
        Some(Around::Loop(around)) => ("this is where it was last", endless::story(around, at, scene)),
        Some(Around::End) => ("this block ended soon after", (Vec::new(), true)),
        None => ("this is where it was last", Default::default()),
    };
    Message {
        family: Family::Limit,
        kind: "budget",
        title: format!("{who_ran}`{kernel}` ran {warp_instructions} warp instructions and did not end"),
        at: Some(at),
        written_at: None,
        other: None,
        who: Some(who(at)),
        what: [format!("{whose} is spent; {seen}")].into_iter().chain(in_handler(scene, at)).chain(story).collect(),
        next: match is_finite {
            true => RAISE.into(),
            false => format!("if the loop should end, look at its condition; if the work is just large, {RAISE}"),
        },
    }
}

/// A trap: the source's, or one that the compiler made of code without a meaning.
fn trap<'a>(scene: &Scene, kernel: &str, at: &'a Place) -> Message<'a> {
    const MEANINGLESS: &str = "code without a meaning, such as a store through a null pointer";
    let meets_no_grid = scene.launch.function.reads_envreg && !scene.launch.cooperative;
    let written = if meets_no_grid { Some(true) } else { snippet(scene, at).and_then(|line| line.has(scene, "trap")) };
    // In Rust a line that does not say so may panic.
    let written = written.filter(|&is_said| is_said || !is_in_rust(scene));
    let (title, what) = match written {
        Some(true) => (format!("`{kernel}` stopped itself with a trap"), None),
        Some(false) => (
            format!("`{kernel}` came to code without a meaning, in whose place the compiler has put a trap"),
            Some(
                "a store through a null pointer is such code, and the missing end of a function that returns a value"
                    .into(),
            ),
        ),
        None => (
            format!("`{kernel}` came to a trap"),
            Some(format!("it is a __trap() of the source, or the compiler has put it in the place of {MEANINGLESS}")),
        ),
    };
    Message::of_kernel(
        at,
        "trap",
        title,
        what,
        match written {
            _ if meets_no_grid => {
                "grid.sync() needs a cooperative launch: start the kernel with cuLaunchCooperativeKernel"
            }
            Some(false) => "look at the pointer that this line stores through, or at the value that it does not return",
            _ => "look at the condition under which this line is reached",
        },
    )
}

/// The words for what an `mbarrier` waits for.
fn phase(arrivals: u32, bytes: i32) -> String {
    if (arrivals, bytes) == (0, 0) {
        return "waits for a phase of an mbarrier that was never made, or has ended".into();
    }
    let bytes = match bytes {
        0 => String::new(),
        1.. => format!("{} that were announced and did not come", count(bytes.unsigned_abs().into(), "byte")),
        _ => format!("{} that came and were not announced", count(bytes.unsigned_abs().into(), "byte")),
    };
    let arrivals = if arrivals == 0 { String::new() } else { count(arrivals.into(), "arrival") };
    let and = if arrivals.is_empty() || bytes.is_empty() { "" } else { " and " };
    format!("waits for a phase of an mbarrier that lacks {arrivals}{and}{bytes}")
}

fn deadlock<'a>(scene: &Scene, kernel: &str, waiting: &'a [(Place, Waiting)]) -> Message<'a> {
    let at = waiting.first().map(|(at, _)| at);
    let first = at.and_then(|at| site(scene, at)).map(|site| site.at);
    let elsewhere = waiting.iter().find(|(at, _)| site(scene, at).map(|site| site.at) != first);
    let mut what: Vec<String> = Vec::new();
    for (at, why) in waiting.iter().take(4) {
        let spot = spot(scene, at);
        let [x, y, z] = at.thread;
        let why = match why {
            Waiting::Barrier { id, arrived, expected } => {
                format!("waits at barrier {id}, where {arrived} of {expected} threads are")
            }
            Waiting::Lanes { members, here } => {
                format!("waits for lanes {:#010x} of its warp, of which {:#010x} are there", members, here & members)
            }
            Waiting::Phase { arrivals, bytes, .. } => phase(*arrivals, *bytes),
            Waiting::Cluster { arrived, expected } => {
                format!("waits at the barrier of its cluster, where {arrived} of {expected} threads are")
            }
            Waiting::Spin => "reads the same memory again and again and finds it unchanged".to_string(),
        };
        let [bx, by, bz] = at.block;
        what.push(format!("{spot}: thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz}) {why}"));
    }
    if waiting.len() > 4 {
        what.push(format!("and {} more wait", waiting.len() - 4));
    }
    let bytes = waiting.iter().find_map(|(_, why)| match why {
        Waiting::Phase { arrivals: 0, bytes, .. } if *bytes != 0 => Some(*bytes),
        _ => None,
    });
    let spins = waiting.iter().any(|(_, why)| matches!(why, Waiting::Spin));
    Message {
        family: Family::Kernel,
        kind: if bytes.is_some() { "transaction count" } else { "deadlock" },
        title: format!("`{kernel}` cannot go on: every thread waits for another"),
        at,
        written_at: None,
        other: elsewhere.map(|(at, _)| ("others wait here".to_string(), at)),
        who: None,
        what,
        next: if let Some(bytes) = bytes {
            match bytes > 0 {
                true => "announce with expect_tx the bytes of the copies that this phase waits for, and no more".into(),
                false => "announce with expect_tx the bytes of all copies that report to this mbarrier".into(),
            }
        } else if spins {
            "let whoever must write what is waited for run first: not after the same loop, not in a block that may start later".into()
        } else {
            "let every thread of the block reach the barrier: move it out of the branch or the loop that some do not enter".into()
        },
    }
}
