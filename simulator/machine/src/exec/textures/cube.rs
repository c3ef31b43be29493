//! Cubemaps: which of six faces a ray from the centre meets, where, and what lies beyond a face's edge (CUDA C++ programming guide,
//! "Cubemap Textures").

/// For each face: the axis that it stands on and its side of it, then the axes along its rows and down its columns, with their
/// directions.
struct Frame {
    axis: usize,
    side: f32,
    along: (usize, f32),
    down: (usize, f32),
}

const FACES: [Frame; 6] = [
    Frame { axis: 0, side: 1.0, along: (2, -1.0), down: (1, -1.0) },
    Frame { axis: 0, side: -1.0, along: (2, 1.0), down: (1, -1.0) },
    Frame { axis: 1, side: 1.0, along: (0, 1.0), down: (2, 1.0) },
    Frame { axis: 1, side: -1.0, along: (0, 1.0), down: (2, -1.0) },
    Frame { axis: 2, side: 1.0, along: (0, 1.0), down: (1, -1.0) },
    Frame { axis: 2, side: -1.0, along: (0, -1.0), down: (1, -1.0) },
];

/// The face that a ray meets. Among equal coordinates z comes before y, and y before x.
fn face_of(ray: [f32; 3]) -> usize {
    let [x, y, z] = ray.map(f32::abs);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    2 * axis + usize::from(ray[axis] < 0.0)
}

/// The face that a ray meets, and the place on it, from 0 to 1. As the assembler does it: the ray is multiplied by the reciprocal
/// of its longest coordinate, in single precision.
#[inline(always)]
pub(super) fn face(ray: [f32; 3]) -> (u32, [f32; 2]) {
    let longest = ray.iter().fold(0.0, |longest: f32, part| longest.max(part.abs()));
    let scaled = ray.map(|part| part * (1.0 / longest));
    let face = face_of(scaled);
    let Frame { along, down, .. } = FACES[face];
    (face as u32, [along, down].map(|(axis, direction)| (direction * scaled[axis] + 1.0) * 0.5))
}

/// How far the place on a ray's face moves as the ray moves by `step`.
pub(crate) fn step(ray: [f32; 3], step: [f32; 3]) -> [f32; 2] {
    let Frame { axis, side, along, down } = FACES[face_of(ray)];
    let (length, longer) = (side * ray[axis], side * step[axis]);
    [along, down]
        .map(|(axis, direction)| 0.5 * direction * (step[axis] * length - ray[axis] * longer) / (length * length))
}

/// The texel that an index leads to which lies beyond one edge of a face of so many texels squared: on the face beyond the edge.
#[inline(always)]
pub(crate) fn across(face: u32, [x, y]: [i64; 2], texels: u32) -> (u32, [i64; 2]) {
    let texels = i64::from(texels);
    let is_inside = |index: i64| (0..texels).contains(&index);
    if is_inside(x) && is_inside(y) {
        return (face, [x, y]);
    }
    let Frame { axis, side, along, down } = FACES[face as usize % 6];
    // In half texels from the centre, so that all numbers are whole.
    let doubled = |index: i64| 2 * index + 1 - texels;
    let mut ray = [0; 3];
    ray[axis] = side as i64 * texels;
    ray[along.0] = along.1 as i64 * doubled(x);
    ray[down.0] = down.1 as i64 * doubled(y);
    // Folded over the edge, by as much as it lies beyond it.
    let beyond = if is_inside(x) { down.0 } else { along.0 };
    ray[axis] = side as i64 * (2 * texels - ray[beyond].abs());
    ray[beyond] = ray[beyond].signum() * texels;
    let face = 2 * beyond + usize::from(ray[beyond] < 0);
    let Frame { along, down, .. } = FACES[face];
    let index = |(axis, direction): (usize, f32)| (direction as i64 * ray[axis] + texels - 1) / 2;
    (face as u32, [index(along), index(down)])
}

/// At a corner of the cube three texels meet: the fourth's weight goes to them, to its neighbours a third each, rounded, and the rest to the one
/// across, as a Hopper card does it.
#[inline(always)]
pub(super) fn share_missing_corner(weights: &mut [f64; 8], first: [i64; 3], texels: u32) {
    let texels = i64::from(texels);
    let is_inside = |index: i64| (0..texels).contains(&index);
    for corner in 0..4 {
        let index = [first[0] + (corner & 1) as i64, first[1] + (corner >> 1) as i64];
        if !index.iter().any(|&index| is_inside(index)) {
            let missing = std::mem::take(&mut weights[corner]);
            let third = (missing / 3.0 + 0.5).floor();
            weights[corner ^ 1] += third;
            weights[corner ^ 2] += third;
            weights[corner ^ 3] += missing - 2.0 * third;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_meet_faces_as_the_guide_says() {
        let cases = [
            ([2.0, 1.0, -0.5], 0, [0.625, 0.25]),
            ([-2.0, 1.0, -0.5], 1, [0.375, 0.25]),
            ([1.0, 2.0, -0.5], 2, [0.75, 0.375]),
            ([1.0, -2.0, -0.5], 3, [0.75, 0.625]),
            ([1.0, 0.5, 2.0], 4, [0.75, 0.375]),
            ([1.0, 0.5, -2.0], 5, [0.25, 0.375]),
        ];
        for (ray, want, place) in cases {
            assert_eq!(face(ray), (want, place), "{ray:?}");
        }
    }

    #[test]
    fn edges_are_crossed_to_the_face_behind_and_back() {
        for from in 0..6 {
            for at in 0..4 {
                for index in [[-1, at], [4, at], [at, -1], [at, 4]] {
                    let (to, there) = across(from, index, 4);
                    assert_ne!(to, from);
                    assert_ne!(to, from ^ 1, "not the face across");
                    assert!(there.iter().any(|&index| index == 0 || index == 3), "{from} {index:?}: {to} {there:?}");
                    // One of the four texels beyond that one is where it came from.
                    let [x, y] = there;
                    let around = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                    let inside = index.map(|index| index.clamp(0, 3));
                    assert!(around.iter().any(|&back| across(to, back, 4) == (from, inside)), "{from} {index:?}");
                }
            }
        }
        assert_eq!(across(4, [4, 1], 4), (0, [0, 1]));
    }

    #[test]
    fn a_step_along_a_face_is_half_of_its_share_of_the_ray() {
        assert_eq!(step([2.0, 0.0, 0.0], [0.0, -1.0, 0.5]), [-0.125, 0.25]);
        assert_eq!(step([0.0, 1.0, 3.0], [0.0, 1.0, 3.0]), [0.0, 0.0]);
    }

    #[test]
    fn three_texels_share_the_weight_of_the_missing_one() {
        let mut weights = [35.0, 60.0, 90.0, 71.0, 0.0, 0.0, 0.0, 0.0];
        share_missing_corner(&mut weights, [-1, -1, 0], 4);
        assert_eq!(weights[..4], [0.0, 72.0, 102.0, 82.0]);
        // One edge is not a corner.
        share_missing_corner(&mut weights, [-1, 0, 0], 4);
        assert_eq!(weights[..4], [0.0, 72.0, 102.0, 82.0]);
    }
}
