//! How much of the copies' time is hidden.

use super::{Span, Track};

/// Times of a run during which something was going on, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// A copy, in any direction.
    pub copying_ms: f64,
    /// A copy and a kernel of the same device.
    pub hidden_ms: f64,
    /// Copies in both directions.
    pub both_ways_ms: f64,
    /// The time of the direction with less copying: what both ways could be at most.
    pub shorter_way_ms: f64,
}

impl Overlap {
    /// The overlap of all devices together.
    pub fn of(spans: &[Span]) -> Self {
        let devices = spans.iter().map(|span| span.device + 1).max().unwrap_or(0);
        (0..devices).fold(Overlap::default(), |sum, device| {
            let union = |tracks: &[Track]| {
                let of_tracks = spans.iter().filter(|span| span.device == device && tracks.contains(&span.track));
                merge(of_tracks.map(|span| (span.start_ms, span.end_ms)).collect())
            };
            let copies = union(&[Track::CopyIn, Track::CopyOut]);
            let (ways_in, ways_out) = (union(&[Track::CopyIn]), union(&[Track::CopyOut]));
            Overlap {
                copying_ms: sum.copying_ms + length(&copies),
                hidden_ms: sum.hidden_ms + length(&intersect(&copies, &union(&[Track::Kernel]))),
                both_ways_ms: sum.both_ways_ms + length(&intersect(&ways_in, &ways_out)),
                shorter_way_ms: sum.shorter_way_ms + length(&ways_in).min(length(&ways_out)),
            }
        })
    }

    /// Share of the copying time during which a kernel ran; `None` without copies.
    pub fn hidden_percent(&self) -> Option<f64> {
        (self.copying_ms > 0.0).then(|| self.hidden_ms / self.copying_ms * 100.0)
    }

    /// Share of the shorter direction's time during which the other was copying too; `None` unless both copy.
    pub fn both_ways_percent(&self) -> Option<f64> {
        (self.shorter_way_ms > 0.0).then(|| self.both_ways_ms / self.shorter_way_ms * 100.0)
    }
}

type Interval = (f64, f64);

/// Disjoint intervals in order that cover the same points.
fn merge(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<Interval> = Vec::new();
    for (start, end) in intervals {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Points in both; either side disjoint and in order.
fn intersect(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let (mut i, mut j) = (0, 0);
    let mut common = Vec::new();
    while i < a.len() && j < b.len() {
        let both = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if both.0 < both.1 {
            common.push(both);
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    common
}

fn length(intervals: &[Interval]) -> f64 {
    intervals.iter().map(|(start, end)| end - start).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(track: Track, device: usize, start_ms: f64, end_ms: f64) -> Span {
        Span { track, device, item: None, start_ms, end_ms }
    }

    #[test]
    fn one_after_the_other_hides_nothing() {
        let overlap = Overlap::of(&[
            span(Track::CopyIn, 0, 0.0, 2.0),
            span(Track::Kernel, 0, 2.0, 3.0),
            span(Track::CopyOut, 0, 3.0, 4.0),
        ]);
        assert_eq!((overlap.copying_ms, overlap.hidden_percent()), (3.0, Some(0.0)));
        assert_eq!(overlap.both_ways_percent(), Some(0.0));
    }

    #[test]
    fn overlapping_kernels_count_once() {
        let overlap = Overlap::of(&[
            span(Track::CopyIn, 0, 0.0, 4.0),
            span(Track::Kernel, 0, 1.0, 2.5),
            span(Track::Kernel, 0, 2.0, 3.0),
            span(Track::CopyOut, 0, 3.0, 5.0),
        ]);
        assert_eq!(overlap.copying_ms, 5.0);
        assert_eq!(overlap.hidden_percent(), Some(40.0));
        assert_eq!(overlap.both_ways_percent(), Some(50.0));
    }

    #[test]
    fn a_kernel_of_another_device_hides_no_copy() {
        let overlap = Overlap::of(&[span(Track::CopyIn, 0, 0.0, 4.0), span(Track::Kernel, 1, 0.0, 4.0)]);
        assert_eq!(overlap.hidden_percent(), Some(0.0));
        assert_eq!(Overlap::of(&[]).hidden_percent(), None);
    }
}
