//! Circles in a graph of rooms, and the graph without the arrows that others imply.

use crate::arrows::Arrows;
use std::collections::{BTreeMap, BTreeSet};

/// The rooms that each room reaches.
fn reached(arrows: &Arrows) -> BTreeMap<&str, BTreeSet<&str>> {
    let from = |start: &str| {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = vec![start];
        while let Some(room) = open.pop() {
            for next in arrows.get(room).into_iter().flatten() {
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    };
    arrows.keys().map(|room| (room.as_str(), from(room))).collect()
}

/// Each set of rooms that reach one another: how many they are, and every arrow that stays inside of it.
pub fn circles(arrows: &Arrows) -> Vec<(usize, String)> {
    let reached = reached(arrows);
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut circles = Vec::new();
    for (room, far) in &reached {
        if !far.contains(room) || told.contains(room) {
            continue;
        }
        let circle: BTreeSet<&str> = far.iter().copied().filter(|other| reached[other].contains(room)).collect();
        let inside = |from: &&str| {
            let to = arrows[*from].iter().filter(|to| circle.contains(to.as_str()));
            to.map(|to| format!("{from} -> {to}")).collect::<Vec<_>>()
        };
        circles.push((circle.len(), circle.iter().flat_map(inside).collect::<Vec<_>>().join(", ")));
        told.extend(circle);
    }
    circles
}

/// The arrows that no longer way implies. Inside of a circle all are kept.
pub fn reduced(arrows: &Arrows) -> Arrows {
    let reached = reached(arrows);
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|far| far.contains(to));
    let implied = |from: &str, to: &str, all: &BTreeSet<String>| {
        all.iter().any(|over| over != to && reaches(over, to) && !reaches(to, over) && !reaches(over, from))
    };
    let kept = |(from, all): (&String, &BTreeSet<String>)| {
        (from.clone(), all.iter().filter(|to| !implied(from, to, all)).cloned().collect())
    };
    arrows.iter().map(kept).collect()
}

/// The same graph with files put together into rooms by `room`; arrows inside of a room are left out.
pub fn grouped(arrows: &Arrows, room: impl Fn(&str) -> Option<String>) -> Arrows {
    let mut rooms = Arrows::new();
    for (from, all) in arrows {
        let Some(from) = room(from) else { continue };
        let targets: Vec<String> = all.iter().filter_map(|to| room(to)).filter(|to| *to != from).collect();
        rooms.entry(from).or_default().extend(targets);
    }
    rooms
}
