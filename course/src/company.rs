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
        self.settled(exercise, seed, || judge.attempt(exercise, text, starter, seed))
    }

    fn settled(&self, exercise: &Exercise, seed: u64, attempt: impl Fn() -> Attempt) -> Verdict {
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
