//! The numbers that host exercises are asked about, and how a program's answers come back.
//!
//! A lab draws them from the verdict's seed over all that is legal, in an order that is drawn too, so that neither a table nor the place of
//! a question tells what will be looked at. The program reads the numbers and never the seed. It writes each plan after a word that it got with
//! the numbers and that a student's code does not see: whatever else it prints is talk, which is shown beside the verdict.

use common::exercise::{Strategy, Talk};
use serde::{Deserialize, Serialize};

/// Bytes of one plan at most: some twenty times what the longest batch takes.
const LONGEST_PLAN: usize = 1 << 20;
/// Lines of a program's talk that are kept; more are counted.
const MOST_LINES: usize = 64;

/// The questions to one program.
#[derive(Clone, Debug)]
pub struct Questions {
    word: String,
    lines: Vec<String>,
}

/// The answers of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answers {
    /// A line for each question that was answered.
    pub plans: Vec<String>,
    /// All else that it printed.
    pub printed: Talk,
}

impl Questions {
    /// To the program of an exercise, as the checks of the same seed expect them.
    pub fn new(strategy: &Strategy, seed: u64) -> Self {
        Self::of((strategy.questions)(seed))
    }

    /// These.
    pub fn of(questions: Vec<Vec<usize>>) -> Self {
        let line = |numbers: Vec<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let lines = questions.into_iter().map(line).collect();
        Questions { word: format!("{:032x}", rand::random::<u128>()), lines }
    }

    /// The input that the program reads: the word that marks plans, then the numbers of each question.
    pub fn input(&self) -> String {
        format!("{}\n{}\n", self.word, self.lines.join("\n"))
    }

    /// The text that the program printed, taken apart; `errors` is what it wrote to standard error.
    ///
    /// # Errors
    /// A plan so long that it is not even looked at.
    pub fn answers(&self, printed: &str, errors: &str) -> Result<Answers, String> {
        let mut plans = Vec::new();
        for plan in printed.lines().filter_map(|line| line.strip_prefix(&self.word)) {
            if plan.len() > LONGEST_PLAN {
                let question = self.lines.get(plans.len()).map_or("?", String::as_str);
                return Err(format!(
                    "the plan for {question} is {} KiB long; plans of more than {} KiB are not looked at, and a batch here needs a few\n  \
                     do its loops add steps without end?",
                    plan.len() >> 10,
                    LONGEST_PLAN >> 10
                ));
            }
            plans.push(plan.trim_start().to_owned());
        }
        Ok(Answers { plans, printed: self.talk(printed, errors) })
    }

    /// The numbers that a program was asked about when it ended early, by the plans that it had printed.
    pub fn asked_last(&self, printed: &str) -> Option<&str> {
        let answered = printed.lines().filter(|line| line.starts_with(&self.word)).count();
        self.lines.get(answered).map(String::as_str)
    }

    /// The text that the program printed besides plans.
    pub fn talk(&self, printed: &str, errors: &str) -> Talk {
        let is_talk = |line: &&str| !line.starts_with(&self.word) && !line.trim().is_empty();
        let said = || printed.lines().chain(errors.lines()).filter(is_talk);
        let lines = said().take(MOST_LINES).map(str::to_owned).collect();
        Talk { who: "your code".to_owned(), lines, count: said().count() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_told_from_plans() {
        let questions = Questions { word: "ab12".to_owned(), lines: vec!["1 4".to_owned(), "2 4".to_owned()] };
        assert_eq!(questions.input(), "ab12\n1 4\n2 4\n");
        let answers = questions.answers("debug 1\n\nab12 1 0 0\n1 1 1\nab12 \n", "[main.rs:3] x = 4\n").unwrap();
        assert_eq!(answers.plans, ["1 0 0", ""]);
        assert_eq!(answers.printed.lines, ["debug 1", "1 1 1", "[main.rs:3] x = 4"]);
        assert_eq!(questions.asked_last("debug\nab12 1 0 0\n"), Some("2 4"));
        assert_eq!(questions.asked_last("ab12 1\nab12 1\n"), None);
        let long = format!("ab12 {}\n", "0 ".repeat(LONGEST_PLAN));
        assert!(questions.answers(&long, "").unwrap_err().contains("the plan for 1 4 is 2048 KiB long"));
    }

    #[test]
    fn much_talk_is_counted() {
        let questions = Questions { word: "ab12".to_owned(), lines: Vec::new() };
        let talk = questions.talk(&"x\n".repeat(1000), "");
        assert_eq!((talk.lines.len(), talk.count), (MOST_LINES, 1000));
        assert_eq!(questions.talk("ab12 1\n\n", "").count, 0);
    }
}
