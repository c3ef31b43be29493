//! The numbers that host exercises are asked about, and how a program's answers come back.
//!
//! A lab draws them from the verdict's seed over all that is legal, in an order that is drawn too, so that neither a table nor the place of
//! a question tells what will be looked at. The program reads the numbers and never the seed. It writes each plan after a word that it got with
//! the numbers and that a student's code does not see: whatever else it prints is talk, which the story of a failure repeats.

use common::exercise::Strategy;
use serde::{Deserialize, Serialize};

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
    /// To the program of an exercise, as the checks of the same seed expect them.
    pub fn new(strategy: &dyn Strategy, seed: u64) -> Self {
        let line = |numbers: Vec<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let lines = strategy.questions(seed).into_iter().map(line).collect();
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
