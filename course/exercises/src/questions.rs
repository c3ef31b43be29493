//! The numbers that host exercises are asked about, and how a program's answers come back.
//!
//! The numbers are drawn from the verdict's seed over all that is legal, in an order that is drawn too, so that neither a table nor the place of
//! a question tells what will be looked at. The program reads the numbers and never the seed. It writes each plan after a word that it got with
//! the numbers and that a student's code does not see: whatever else it prints is talk, which the story of a failure repeats.

use crate::table::Exercise;
use common::matrix::distinct_seed;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// A question to a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Items.
    pub count: usize,
    /// Sets of buffers, where that is a choice.
    pub ring: usize,
    /// How far the answer is followed.
    pub scrutiny: Scrutiny,
}

/// How far a schedule is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrutiny {
    /// As data only.
    Data,
    /// Carried out on small items.
    Run,
    /// Carried out on items so large that copies take their time.
    Measured,
}

/// The batch whose time a verdict reports: the same for every seed.
pub const TIMED: [usize; 2] = [8, 4];
/// Items of the other measured batches. Fewer cannot hide enough of their copies: the first one in and the last one out are alone.
const MEASURED_ITEMS: [usize; 2] = [7, 16];

/// What every schedule is asked for.
pub fn batches(seed: u64) -> Vec<Batch> {
    let draw = &mut of(seed, 0);
    let mut batches: Vec<Batch> = Vec::new();
    let mut ask = |count, ring, scrutiny| batches.push(Batch { count, ring, scrutiny });
    ask(TIMED[0], TIMED[1], Scrutiny::Measured);
    for [count, ring] in [[1, 4], [2, 4], [5, 1], [6, 4], [10, 3]] {
        ask(count, ring, Scrutiny::Run);
    }
    ask(70, 4, Scrutiny::Data);
    for _ in 0..2 {
        let [least, most] = MEASURED_ITEMS;
        ask(draw.random_range(least..=most), draw.random_range(3..=6), Scrutiny::Measured);
    }
    for _ in 0..3 {
        ask(draw.random_range(1..=12), draw.random_range(1..=8), Scrutiny::Run);
    }
    for _ in 0..20 {
        ask(spread(draw, 1, 100), spread(draw, 1, 16), Scrutiny::Data);
    }
    batches.shuffle(draw);
    batches
}

/// What the launches are asked for: columns, block width, a power of two.
pub fn widths(seed: u64) -> Vec<[usize; 2]> {
    let draw = &mut of(seed, 1);
    let mut widths = vec![[1, 2], [2, 2], [16, 16], [17, 16], [1000, 16], [4096, 64], [300, 4], [65_536, 2]];
    for _ in 0..40 {
        widths.push([spread(draw, 1, 1 << 20), 1 << draw.random_range(1..=10)]);
    }
    widths.shuffle(draw);
    widths
}

/// What the grid is asked for: blocks per multiprocessor, multiprocessors, rows of blocks, columns of blocks.
pub fn rooms(seed: u64) -> Vec<[usize; 4]> {
    let draw = &mut of(seed, 2);
    let mut rooms = vec![[2, 24, 1, 1], [2, 24, 4, 100], [1, 16, 1000, 1000], [8, 132, 64, 3], [1, 1, 5, 5]];
    for _ in 0..60 {
        let of_device = [draw.random_range(1..=32), draw.random_range(1..=192)];
        // As often as not about as many rows of blocks as the device holds, where it matters whether blocks share a row.
        let resident: usize = of_device.iter().product();
        let most = if draw.random_range(0..2) == 0 { 2 * resident } else { 100_000 };
        rooms.push([of_device[0], of_device[1], spread(draw, 1, most), spread(draw, 1, 4096)]);
    }
    rooms.shuffle(draw);
    rooms
}

/// What the choice of memory is asked for: copies.
pub fn copies(seed: u64) -> Vec<usize> {
    let draw = &mut of(seed, 3);
    let mut copies = vec![0, 1, 100, 0];
    copies.extend((0..12).map(|_| spread(draw, 1, 1_000_000)));
    copies.shuffle(draw);
    copies
}

/// Random numbers of one kind of question.
fn of(seed: u64, kind: u64) -> StdRng {
    StdRng::seed_from_u64(distinct_seed(seed, u64::MAX - 1 - kind))
}

/// A number whose order of magnitude is even, so that small ones come as often as large ones.
fn spread(draw: &mut StdRng, least: usize, most: usize) -> usize {
    let [low, high] = [least, most].map(|bound| (bound as f64).ln());
    let number = draw.random_range(low..=high).exp().round() as usize;
    number.clamp(least, most)
}

/// Bytes of one plan at most: some twenty times what the longest batch takes.
const LONGEST_PLAN: usize = 1 << 20;
/// Of what a program says besides, so many lines of so many characters are repeated.
const SAID: [usize; 2] = [8, 100];

/// The questions to one program.
#[derive(Clone, Debug)]
pub struct Questions {
    word: String,
    lines: Vec<String>,
}

/// What a program answered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answers {
    /// A line for each question that was answered.
    pub plans: Vec<String>,
    /// The beginning of all else that it printed, ready to be repeated; empty if it kept quiet.
    pub said: String,
}

impl Questions {
    /// To an exercise's program, as the checks of the same seed expect them.
    pub fn new(exercise: &Exercise, seed: u64) -> Self {
        let line = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let lines = match (exercise.lab.as_str(), exercise.name.as_str()) {
            ("gemm", _) => copies(seed).iter().map(|&copies| line(&[copies])).collect(),
            ("gemv", "repeated_launches") => widths(seed).iter().map(|numbers| line(numbers)).collect(),
            ("gemv", _) => rooms(seed).iter().map(|numbers| line(numbers)).collect(),
            _ => batches(seed).iter().map(|batch| line(&[batch.count, batch.ring])).collect(),
        };
        Questions { word: format!("{:032x}", rand::random::<u128>()), lines }
    }

    /// What the program reads: the word that marks plans, then the numbers of each question.
    pub fn input(&self) -> String {
        format!("{}\n{}\n", self.word, self.lines.join("\n"))
    }

    /// What the program printed, taken apart.
    ///
    /// # Errors
    /// A plan so long that it is not even looked at.
    pub fn answers(&self, printed: &str) -> Result<Answers, String> {
        let mut answers = Answers::default();
        let mut said = Vec::new();
        for line in printed.lines() {
            match line.strip_prefix(&self.word) {
                Some(plan) if plan.len() > LONGEST_PLAN => {
                    let question = self.lines.get(answers.plans.len()).map_or("?", String::as_str);
                    return Err(format!(
                        "the plan for {question} is {} KiB long; plans of more than {} KiB are not looked at, and a batch here needs a few\n  \
                         do its loops add steps without end?",
                        plan.len() >> 10,
                        LONGEST_PLAN >> 10
                    ));
                }
                Some(plan) => answers.plans.push(plan.trim_start().to_owned()),
                None if line.trim().is_empty() => {}
                None => said.push(line),
            }
        }
        answers.said = repeated(&said);
        Ok(answers)
    }
}

/// The beginning of what was said, as lines of a story: no character of it reaches a terminal as a command.
fn repeated(said: &[&str]) -> String {
    let [most, width] = SAID;
    let printable = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    let shown = said.iter().take(most).map(|line| line.chars().take(width).map(printable).collect::<String>());
    let mut text: String = shown.map(|line| format!("\n  | {line}")).collect();
    if said.len() > most {
        text.push_str(&format!("\n  | … {} more lines", said.len() - most));
    }
    if text.is_empty() { text } else { format!("\nyour code printed:{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_asks_the_same_and_another_one_asks_other_things() {
        assert_eq!(batches(7), batches(7));
        assert!(batches(7) != batches(8) && widths(7) != widths(8) && rooms(7) != rooms(8) && copies(7) != copies(8));
    }

    #[test]
    fn what_is_asked_is_legal_and_holds_the_special_cases() {
        for seed in 0..50 {
            let (batches, widths, rooms) = (batches(seed), widths(seed), rooms(seed));
            assert!(batches.iter().all(|batch| batch.count > 0 && batch.ring > 0));
            let measured = batches.iter().filter(|batch| batch.scrutiny == Scrutiny::Measured);
            assert!(measured.clone().any(|batch| [batch.count, batch.ring] == TIMED) && measured.count() == 3);
            assert!(batches.iter().any(|batch| batch.count == 1) && batches.iter().any(|batch| batch.count == 70));
            assert!(widths.iter().all(|&[n, sx]| n > 0 && sx > 1 && sx.is_power_of_two() && sx <= 1024));
            assert!(widths.contains(&[1, 2]) && widths.contains(&[65_536, 2]));
            assert!(rooms.iter().flatten().all(|&number| number > 0) && rooms.contains(&[1, 16, 1000, 1000]));
            assert!(copies(seed).contains(&0));
        }
    }

    #[test]
    fn talk_is_told_from_plans_and_repeated_without_commands() {
        let questions = Questions { word: "ab12".to_owned(), lines: vec!["1 4".to_owned(), "2 4".to_owned()] };
        assert_eq!(questions.input(), "ab12\n1 4\n2 4\n");
        let answers = questions.answers("debug \u{1b}[2J\n\nab12 1 0 0\n1 1 1\nab12 \n").unwrap();
        assert_eq!(answers.plans, ["1 0 0", ""]);
        assert_eq!(answers.said, "\nyour code printed:\n  | debug \u{fffd}[2J\n  | 1 1 1");
        let long = format!("ab12 {}\n", "0 ".repeat(LONGEST_PLAN));
        assert!(questions.answers(&long).unwrap_err().contains("the plan for 1 4 is 2048 KiB long"));
    }

    #[test]
    fn much_talk_is_cut() {
        let lines: Vec<&str> = vec!["x"; 20];
        assert!(repeated(&lines).ends_with("… 12 more lines") && repeated(&[]).is_empty());
    }
}
