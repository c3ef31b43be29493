//! Cases that are small enough to be run some more times than their measurement needs: under the sanitizer, and under other schedules.

/// Product of the extents of the largest problem that is worth a run under the sanitizer.
const MOST_WORK: f64 = 128.0 * 128.0 * 128.0;

/// One case that may be examined.
pub struct Subject<'a, C> {
    /// The rung: of each, the case with the least work is examined.
    pub rung: &'static str,
    /// The problem's extents, whose product is the work.
    pub extents: &'a [usize],
    /// The case itself.
    pub case: &'a C,
}

impl<C> Subject<'_, C> {
    /// The product of the extents.
    pub fn work(&self) -> f64 {
        self.extents.iter().map(|&extent| extent as f64).product()
    }
}

/// The cases that are small enough to run some more times.
pub struct Smallest<'a, C> {
    /// The case with the least work of each rung, in the order of the rungs.
    pub subjects: Vec<Subject<'a, C>>,
    /// Rungs whose cases are all too large.
    pub too_large: Vec<&'static str>,
}

/// Chooses among all cases.
pub fn smallest<'a, C>(subjects: impl Iterator<Item = Subject<'a, C>>) -> Smallest<'a, C> {
    let mut smallest: Vec<Subject<'a, C>> = Vec::new();
    for subject in subjects {
        match smallest.iter_mut().find(|known| known.rung == subject.rung) {
            Some(known) if subject.work() < known.work() => *known = subject,
            Some(_) => {}
            None => smallest.push(subject),
        }
    }
    let too_large = smallest.iter().filter(|subject| subject.work() > MOST_WORK).map(|subject| subject.rung).collect();
    smallest.retain(|subject| subject.work() <= MOST_WORK);
    Smallest { subjects: smallest, too_large }
}
