//! Labels beside the ends of lines: near their line, and never over each other.

use super::canvas::{Anchor, Canvas, Point, text_width};
use super::theme::Colour;

/// Sizes in pixels.
const TEXT_SIZE: f64 = 12.5;
const HEIGHT: f64 = 16.0;
/// From the end of the longest line to the labels: room for the leaders, and a piece of the line with its marker.
const LEADER: f64 = 20.0;
const SAMPLE: f64 = 26.0;

/// The name of a line.
pub struct Label {
    pub text: String,
    /// Where its line ends.
    pub end: Point,
    pub sample: Sample,
}

/// The sample that stands in front of a name.
pub enum Sample {
    /// A piece of the series of a number.
    Series(usize),
    /// A piece of a limit.
    Dashes,
}

/// Width that labels need right of a field.
pub fn room<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    LEADER + SAMPLE + texts.map(|text| text_width(text, TEXT_SIZE)).fold(0.0, f64::max) + 10.0
}

/// Draws labels right of a field, each at the height of its line's end. `corner`: the field's top left; `size`: its width and height.
pub fn draw(canvas: &mut Canvas, labels: &[Label], corner: Point, size: (f64, f64)) {
    let wanted: Vec<f64> = labels.iter().map(|label| label.end.1).collect();
    let heights = spread(&wanted, HEIGHT, (corner.1, corner.1 + size.1));
    let left = corner.0 + size.0 + LEADER;
    for (label, y) in labels.iter().zip(heights) {
        let sample = [(left, y), (left + SAMPLE - 6.0, y)];
        canvas.line(&[(label.end.0 + 6.0, label.end.1), (left - 2.0, y)], 1, Colour::Grid);
        match label.sample {
            Sample::Series(number) => {
                canvas.line(&sample, 2, Colour::Series(number));
                canvas.marker(number, (left + (SAMPLE - 6.0) / 2.0, y));
            }
            Sample::Dashes => canvas.dashes(&sample, Colour::Muted),
        }
        canvas.text(&label.text, (left + SAMPLE, y), TEXT_SIZE, Anchor::Start, Colour::Ink);
    }
}

/// Moves places apart until neighbours are at least `least` away from each other, all within `range`, in the same order, and each as near
/// to where it was as that allows. Places are in pixels.
fn spread(places: &[f64], least: f64, range: (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    // Groups of labels that touch lie as one block around the mean of where they want to be.
    let mut groups: Vec<(Vec<usize>, f64)> = Vec::new();
    let first = |(members, middle): &(Vec<usize>, f64)| middle - (members.len() - 1) as f64 * least / 2.0;
    let last = |(members, middle): &(Vec<usize>, f64)| middle + (members.len() - 1) as f64 * least / 2.0;
    let inside = |count: usize, middle: f64| {
        let half = (count - 1) as f64 * least / 2.0;
        middle.min(range.1 - half).max(range.0 + half)
    };
    for index in order {
        let mut group = (vec![index], inside(1, places[index]));
        while let Some(above) = groups.pop_if(|above| first(&group) - last(above) < least) {
            let mut members = above.0;
            members.extend(group.0);
            let mean = members.iter().map(|&member| places[member]).sum::<f64>() / members.len() as f64;
            group = (members.clone(), inside(members.len(), mean));
        }
        groups.push(group);
    }
    let mut spread = vec![0.0; places.len()];
    for group in &groups {
        for (step, &member) in group.0.iter().enumerate() {
            spread[member] = first(group) + step as f64 * least;
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay_where_they_are() {
        assert_eq!(spread(&[50.0, 10.0], 15.0, (0.0, 100.0)), [50.0, 10.0]);
    }

    #[test]
    fn labels_that_touch_make_room_for_each_other() {
        let moved = spread(&[50.0, 50.0, 52.0], 10.0, (0.0, 100.0));
        assert!(moved[0] < moved[1] && moved[1] < moved[2]);
        assert!((moved[1] - moved[0] - 10.0).abs() < 1e-9 && (moved[2] - moved[1] - 10.0).abs() < 1e-9);
    }

    #[test]
    fn labels_stay_inside() {
        let moved = spread(&[99.0, 100.0, 100.0], 10.0, (0.0, 100.0));
        assert!(moved.iter().all(|&place| (0.0..=100.0).contains(&place)), "{moved:?}");
    }
}
