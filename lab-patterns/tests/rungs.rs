//! Every rung × element type × shape, and every mutant. The tests follow from the ladder.

fn main() -> std::process::ExitCode {
    common::lesson::test::<lab_patterns::Patterns>()
}
