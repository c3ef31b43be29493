//! Judging in company: several submissions at a time. An attempt whose end may be a busy machine's doing is made again with nothing beside it.

use crate::record::MACHINE;
use exercises::judge::{Attempt, Judge};
use exercises::table::Exercise;
use exercises::verdict::{Failure, State, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};

/// Who judges beside whom.
#[derive(Debug, Default)]
pub struct Company {
    /// Held by every attempt in company; held alone by one that is made again.
    room: RwLock<()>,
}

impl Company {
    /// The verdict on an exercise. Work that met a limit or ended by itself is judged again alone, and what that gives counts. A failure of the
    /// machine is tried again alone as well; if it stays, the exercise is to be repeated.
    pub fn verdict(&self, judge: &Judge, exercise: &Exercise, text: &str, starter: &str, seed: u64) -> Verdict {
        self.with_second_attempt(exercise, seed, || judge.attempt(exercise, text, starter, seed))
    }

    fn with_second_attempt(&self, exercise: &Exercise, seed: u64, attempt: impl Fn() -> Attempt) -> Verdict {
        let guarded = || {
            catch_unwind(AssertUnwindSafe(&attempt))
                .unwrap_or_else(|panic| Attempt::Machine(format!("the grader panicked: {}", said(&*panic))))
        };
        let first = {
            let _beside_others = self.room.read().unwrap_or_else(PoisonError::into_inner);
            guarded()
        };
        if let Attempt::Judged(verdict) = first {
            return verdict;
        }
        let _alone = self.room.write().unwrap_or_else(PoisonError::into_inner);
        match guarded() {
            Attempt::Judged(verdict) | Attempt::Ended(verdict) => verdict,
            Attempt::Machine(why) => {
                let failure = Failure::new(MACHINE, format!("the grader could not judge this: {why}"));
                Verdict::without_points(exercise, State::ToBeRepeated, seed, failure)
            }
        }
    }
}

/// A panic's words.
pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "it says nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const ROW: &str =
        "lab = \"gemm\"\nname = \"naive\"\nfile = \"naive.cu\"\npoints = 10\nhints = [\"a\", \"b\", \"c\"]\n";

    /// The state, the story and the count of attempts that go one way the first time and another way alone.
    fn of(attempts: [fn(&Exercise) -> Attempt; 2]) -> (State, String, usize) {
        let exercise: Exercise = toml::from_str(ROW).unwrap();
        let company = Company::default();
        let count = Cell::new(0);
        let verdict = company.with_second_attempt(&exercise, 1, || {
            let number = count.replace(count.get() + 1);
            // Beside others the room is shared, alone it is not.
            assert_eq!(company.room.try_read().is_ok(), number == 0);
            attempts[number](&exercise)
        });
        (verdict.state, verdict.story, count.get())
    }

    fn passed(exercise: &Exercise) -> Attempt {
        Attempt::Judged(Verdict::new(exercise, State::Passed, 1))
    }

    fn ended(exercise: &Exercise) -> Attempt {
        let failure = Failure::new("limit", "it took too long");
        Attempt::Ended(Verdict::without_points(exercise, State::Failed, 1, failure))
    }

    fn machine(_: &Exercise) -> Attempt {
        Attempt::Machine("it was killed".to_owned())
    }

    fn panics(_: &Exercise) -> Attempt {
        panic!("an index is out of bounds")
    }

    #[test]
    fn what_a_busy_machine_may_have_done_is_asked_again_alone() {
        assert_eq!((of([passed, machine]).0, of([passed, machine]).2), (State::Passed, 1));
        assert_eq!(of([ended, passed]).0, State::Passed);
        assert_eq!(of([ended, ended]), (State::Failed, "it took too long".to_owned(), 2));
        assert_eq!(of([machine, ended]).0, State::Failed);
        assert_eq!(of([machine, passed]).0, State::Passed);
    }

    #[test]
    fn what_the_machine_fails_twice_at_is_to_be_repeated() {
        for (attempts, why) in [
            ([machine, machine] as [fn(&Exercise) -> Attempt; 2], "killed"),
            ([ended, machine], "killed"),
            ([panics, panics], "out of bounds"),
        ] {
            let (state, story, _) = of(attempts);
            assert!(state == State::ToBeRepeated && story.contains(why), "{story}");
        }
        assert_eq!(of([panics, passed]).0, State::Passed);
    }
}
