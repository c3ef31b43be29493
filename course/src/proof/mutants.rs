//! Defective solutions that must not pass. Of kernels they are the workspace's own mutants and a few more; of host code they stand here.

use exercises::table::{Course, Exercise, Kind};

/// A solution with one defect.
pub struct Mutant {
    /// The name of the defect.
    pub name: String,
    /// The whole file.
    pub text: String,
    /// The kind of failure that the verdict must give.
    pub reason: String,
}

/// Mutants of kernels that only other instantiations show than the one that the workspace's own mutants are compiled for.
const KERNELS: &[(&str, &str, &str, &str, &str)] = &[(
    "gemm/shared_4",
    "one_buffer_one_barrier",
    "__syncthreads();  // everyone has read the only buffer",
    "// everyone has read the only buffer",
    kernels::RACE,
)];

/// Exercise, defect, what is replaced, by what, the kind of failure.
const STRATEGIES: &[(&str, &str, &str, &str, &str)] = &[
    (
        "gemm/result_memory",
        "always_pinned",
        "if copies > 0 { Memory::Pinned } else { Memory::Pageable }",
        "Memory::Pinned",
        "choice",
    ),
    ("first/launch", "rounds_down", "columns.div_ceil(block[0])", "(columns / block[0]).max(1)", "plan"),
    (
        "first/launch",
        "rows_along_x",
        "columns.div_ceil(block[0]), rows.div_ceil(block[1])",
        "rows.div_ceil(block[0]), columns.div_ceil(block[1])",
        "plan",
    ),
    ("first/launch", "one_more", "rows.div_ceil(block[1])", "rows / block[1] + 1", "plan"),
    ("gemv/repeated_launches", "multiplies_again", "multiply: turns.is_empty()", "multiply: true", "plan"),
    ("gemv/repeated_launches", "lost_columns", "columns.div_ceil(sx)", "columns.div_ceil(sx + 1)", "plan"),
    ("gemv/cooperative_grid", "more_than_fit", "room.rows_of_blocks.min(resident)", "room.rows_of_blocks", "plan"),
    ("gemv/cooperative_grid", "one_block", "[columns, rows]", "[columns.min(1), rows.min(1)]", "technique"),
    ("streams/synchronous", "does_not_block", "schedule.copies_block = true;", "", "technique"),
    ("streams/resident", "forgotten_flag", "schedule.resident = true;", "", "plan"),
    ("streams/streamed", "one_stream", "count.min(MOST_STREAMS)", "1", "technique"),
    ("streams/streamed", "one_buffer", "item % lanes, item % lanes", "item % lanes, 0", "plan"),
    ("streams/default_stream", "no_default", "schedule.steps[kernel].lane = streams;", "let _ = kernel;", "technique"),
    (
        "streams/mapped",
        "needs_buffers",
        "schedule.push(item, item % lanes, None, Action::Kernel);",
        "schedule.push_item(item, item % lanes, 0);",
        "plan",
    ),
    (
        "streams/pipelined",
        "forgotten_event",
        "(KERNEL, Action::Await(loaded))",
        "(KERNEL, Action::Mark(loaded))",
        "plan",
    ),
    ("streams/pipelined", "all_at_once", "ring.clamp(1, count)", "count", "technique"),
];

/// All mutants of an exercise.
///
/// # Errors
/// A row whose passage is not in the solution exactly once.
pub fn of(course: &Course, exercise: &Exercise) -> anyhow::Result<Vec<Mutant>> {
    let text = course.text(exercise)?;
    let own = |table: &'static [(&str, &str, &str, &str, &str)]| {
        let rows = table.iter().filter(|(id, ..)| *id == exercise.id());
        rows.map(|&(_, name, find, replace, reason)| (name, find, replace, reason))
    };
    let rows: Vec<(&str, &str, &str, &str)> = match exercise.kind() {
        Some(Kind::Kernel) => kernels::MUTANTS
            .iter()
            .filter(|mutant| mutant.lab == exercise.lab && mutant.rung == exercise.name)
            .map(|mutant| (mutant.name, mutant.find, mutant.replace, mutant.reason))
            .chain(own(KERNELS))
            .collect(),
        _ => own(STRATEGIES).collect(),
    };
    let mutant = |(name, find, replace, reason): (&str, &str, &str, &str)| {
        anyhow::ensure!(
            text.matches(find).count() == 1,
            "{}: the passage of mutant {name} is not there once",
            exercise.id()
        );
        Ok(Mutant { name: name.to_owned(), text: text.replacen(find, replace, 1), reason: reason.to_owned() })
    };
    rows.into_iter().map(mutant).collect()
}
