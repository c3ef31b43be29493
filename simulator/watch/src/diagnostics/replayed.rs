//! The document of a recorded launch, for a page that plays it (`views::replay`): names, lines and shapes beside the steps.
//!
//! `kernel`, `grid` and `block` are the launch's; `parameters[]` has name and value of those that are no addresses. `rows[]` are block and warp,
//! `places[]` file, line, column and opcode, `files` texts by path. `arrays[]` have the pieces that steps touch: first byte, end, the bytes before
//! the launch, and whether nothing had written them. `orders[]` has the launch as it ran, and perhaps with the parties of a race the other way round.
//!
//! A step is a list: kind, row, place, mask; then, of an access (0 load, 1 store, 2 atomic), array, offsets, bytes of a lane, what is left
//! there, passes through the banks, and the source of a copy. 3 is an arrival at a barrier, 4 its release, 5 a branch, 6 a convergence, 7 an end, 8 a stop;
//! 9 is a bulk copy that begins and 10 one that has come, written as an access whose offsets are its pieces'.
use super::source::lines::{line, site, snippet};
use super::source::names::{element, kernel_name, parameter_name};
use super::source::scene::Scene;
use crate::replay::{Act, Recorder, Step, Touched, pair};
use crate::search::snapshot::Snapshot;
use machine::memory::Memory;
use machine::probe::{AccessKind, Move, Place, Region};
use ptx::isa::Space;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A finding, or what stopped the launch: its words, and its accesses.
pub struct Told<'a> {
    pub kind: &'static str,
    pub message: String,
    /// The places of both parties, the earlier one first.
    pub parties: Vec<&'a Place>,
    pub address: Option<u64>,
}

/// Makes the document of recordings of one launch: of the order in which it ran, and perhaps of another one. `before` is the memory that it found.
pub fn replayed(scene: &Scene, before: &Snapshot, recordings: &[&Recorder], findings: &[Told]) -> Value {
    let mut names = Names { scene, arrays: Vec::new(), places: Vec::new(), rows: Vec::new() };
    let orders: Vec<Value> = recordings
        .iter()
        .map(|recorder| {
            let mut steps = Vec::new();
            // A step may be several in the document.
            let mut firsts = Vec::new();
            for step in &recorder.steps {
                firsts.push(steps.len());
                steps.extend(names.step(step));
            }
            let found = findings.iter().map(|finding| names.finding(finding, &recorder.steps, &firsts));
            let found: Vec<Value> = found.collect();
            json!({ "steps": steps, "dropped": recorder.dropped, "findings": found })
        })
        .collect();
    let launch = scene.launch;
    let files = names.files();
    json!({
        "kernel": kernel_name(&launch.function.name),
        "grid": launch.grid,
        "block": launch.block,
        "parameters": parameters(scene),
        "rows": names.rows,
        "places": names.places.iter().map(|(_, place)| place).collect::<Vec<_>>(),
        "arrays": names.arrays.iter().map(|array| array.document(launch.memory, before)).collect::<Vec<_>>(),
        "files": files,
        "orders": orders,
    })
}

/// Names and values of 4-byte and 8-byte parameters that are no addresses, as whole numbers: extents of arrays are among them.
fn parameters(scene: &Scene) -> Vec<(Option<String>, u64)> {
    let launch = scene.launch;
    let value = |offset: usize, bytes: usize| {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(launch.parameters.get(offset..offset + bytes)?);
        Some(u64::from_le_bytes(value)).filter(|&value| launch.memory.find(value).is_none())
    };
    let slots = launch.function.parameters.iter().enumerate().filter(|(_, slot)| matches!(slot.bytes, 4 | 8));
    let found = slots.filter_map(|(index, slot)| Some((index, value(slot.offset as usize, slot.bytes as usize)?)));
    found.map(|(index, value)| (parameter_name(scene, index), value)).collect()
}

/// An array of which steps touch something.
struct Array {
    name: String,
    /// The block that it belongs to, if it is shared memory.
    block: Option<u64>,
    base: u64,
    bytes: u64,
    /// The narrowest access's.
    element_bytes: u32,
    /// The ranges of bytes that are touched, from the base on, by their beginning.
    touched: BTreeMap<i64, i64>,
}

/// Ranges that are so near are one piece.
const GAP: i64 = 32;

impl Array {
    /// Negative in front of it.
    fn offset(&self, address: u64) -> i64 {
        address.wrapping_sub(self.base) as i64
    }

    fn touch(&mut self, address: u64, bytes: u32) {
        let start = self.offset(address);
        let (mut first, mut end) = (start, start + i64::from(bytes));
        while let Some((&near, &last)) =
            self.touched.range(..=end + GAP).next_back().filter(|(_, last)| **last + GAP >= first)
        {
            (first, end) = (first.min(near), end.max(last));
            self.touched.remove(&near);
        }
        self.touched.insert(first, end);
    }

    fn document(&self, memory: &Memory, before: &Snapshot) -> Value {
        // Constant memory is not kept, and nothing changes it.
        let found = |address: u64, bytes: u64| {
            let constant = || {
                let mut read = vec![0; bytes as usize];
                memory.read(address, &mut read).ok().map(|()| read)
            };
            before.bytes(address, bytes).map(<[u8]>::to_vec).or_else(constant)
        };
        let piece = |(&start, &end): (&i64, &i64)| {
            let address = self.base.wrapping_add(start as u64);
            let is_own = self.block.is_none() && start >= 0 && end as u64 <= self.bytes;
            let bytes = is_own.then(|| found(address, (end - start) as u64)).flatten();
            let written = |at: u64| before.is_written(address + at, 1);
            let unwritten = bytes.is_some() && !(0..(end - start) as u64).any(written);
            json!([start, end, bytes.as_deref().map(hex), unwritten])
        };
        json!({
            "name": self.name,
            "space": if self.block.is_some() { "shared" } else { "global" },
            "block": self.block,
            "bytes": self.bytes,
            "align": self.base % 32,
            "element_bytes": self.element_bytes,
            "pieces": self.touched.iter().map(piece).collect::<Vec<_>>(),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Numbers as a first one and a step where they have one, else all of them.
fn progression(numbers: &[i64]) -> Value {
    let step = |pair: &[i64]| pair[1].wrapping_sub(pair[0]);
    match numbers {
        [one] => json!([one, 0]),
        [first, second, ..] if numbers.windows(2).all(|pair| step(pair) == step(&[*first, *second])) => {
            json!([first, step(&[*first, *second])])
        }
        all => json!([all]),
    }
}

struct Names<'a> {
    scene: &'a Scene<'a>,
    arrays: Vec<Array>,
    /// Each place with what the page shows of it: file, line, column, opcode.
    places: Vec<((u32, u32), Value)>,
    /// Block and warp.
    rows: Vec<(u64, u32)>,
}

impl Names<'_> {
    fn row(&mut self, block: u64, warp: u32) -> usize {
        self.rows.iter().position(|row| *row == (block, warp)).unwrap_or_else(|| {
            self.rows.push((block, warp));
            self.rows.len() - 1
        })
    }

    fn place(&mut self, function: u32, number: u32) -> Option<usize> {
        let known = self.places.iter().position(|(place, _)| *place == (function, number));
        known.or_else(|| {
            let at = Place { function, site: number, ..Place::default() };
            let text = site(self.scene, &at)?.text.to_string();
            let snippet = snippet(self.scene, &at)?;
            let file = if line(self.scene, &at) == 0 { String::new() } else { snippet.file };
            self.places.push(((function, number), json!([file, snippet.line, snippet.column, text])));
            Some(self.places.len() - 1)
        })
    }

    fn files(&self) -> Map<String, Value> {
        let paths = self.places.iter().filter_map(|(_, place)| place[0].as_str());
        paths.filter_map(|path| Some((path.to_owned(), (self.scene.sources)(path)?.into()))).collect()
    }

    /// The array that an address is in, as code at `at` sees it.
    fn array(&mut self, at: &Place, block: u64, space: Space, address: u64, bytes: u32) -> Option<usize> {
        let block = (space == Space::Shared).then_some(block);
        let holds = |a: &Array| a.block == block && (a.base..a.base + a.bytes).contains(&address);
        let known = self.arrays.iter().position(holds);
        let number = known.or_else(|| {
            let found = element(self.scene, at, space, address, bytes)?;
            // As `element` has it: a bulk copy has no type, and takes words until an access is narrower.
            let size = Some(site(self.scene, at)?.element_bytes).filter(|size| *size > 0).unwrap_or(bytes);
            let base = address.wrapping_sub((found.index * i64::from(size)) as u64);
            let bytes = found.elements * u64::from(size);
            let name = found.array.trim_matches('`').to_owned();
            let (element_bytes, touched) = (size, BTreeMap::new());
            self.arrays.push(Array { name, block, base, bytes, element_bytes, touched });
            Some(self.arrays.len() - 1)
        })?;
        let array = &mut self.arrays[number];
        let narrow = site(self.scene, at).map_or(0, |site| site.element_bytes);
        let narrow = if narrow == 0 { bytes } else { narrow }.clamp(1, 8);
        array.element_bytes = array.element_bytes.min(narrow);
        array.touch(address, bytes);
        Some(number)
    }

    /// The step in the document; an access to several arrays is one of each.
    fn step(&mut self, step: &Step) -> Vec<Value> {
        let Step { block, warp, function, site, mask, ref act } = *step;
        let row = self.row(block, warp);
        let place = self.place(function, site).map_or(Value::Null, Value::from);
        match act {
            Act::Access(touched) => self.access(step, row, &place, touched),
            Act::Arrive { id, expected, waits } => vec![json!([3, row, place, mask, id, expected, waits])],
            Act::Release { id } => vec![json!([4, row, place, mask, id])],
            Act::Branch { taken } => vec![json!([5, row, place, mask, taken])],
            Act::Converge => vec![json!([6, row, place, mask])],
            Act::Copy { regions, moves, come } => self.copy(step, [row.into(), place], (regions, moves), *come),
            Act::Exit => vec![json!([7, row, place, mask])],
            Act::Stop(reason) => {
                let at = Place { function, site, ..Place::default() };
                let outside = reason.and_then(|(space, address, bytes)| {
                    let array = self.array(&at, block, space, address, bytes)?;
                    Some((array, self.arrays[array].offset(address), bytes))
                });
                vec![json!([8, row, place, mask, outside])]
            }
        }
    }

    fn access(&mut self, step: &Step, row: usize, place: &Value, touched: &Touched) -> Vec<Value> {
        let Touched { kind, space, bytes, addresses, left, from, passes } = touched;
        let at = Place { function: step.function, site: step.site, block: [0; 3], ..Place::default() };
        let lanes: Vec<usize> = machine::probe::lanes(step.mask).collect();
        let mut parts: Vec<(usize, Vec<usize>)> = Vec::new();
        for (index, &address) in addresses.iter().enumerate() {
            let Some(array) = self.array(&at, step.block, *space, address, *bytes) else { continue };
            match parts.iter_mut().find(|(known, _)| *known == array) {
                Some((_, part)) => part.push(index),
                None => parts.push((array, vec![index])),
            }
        }
        let code = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        let sources = from.as_ref().map(|from| {
            let array = from.first().and_then(|&first| self.array(&at, step.block, Space::Global, first, *bytes));
            let base = array.map_or(0, |array| self.arrays[array].base);
            json!([array, progression(&from.iter().map(|from| from.wrapping_sub(base) as i64).collect::<Vec<_>>())])
        });
        parts
            .into_iter()
            .map(|(number, part)| {
                let array = &self.arrays[number];
                let mask = part.iter().fold(0u32, |mask, &index| mask | 1 << lanes[index]);
                let offsets: Vec<i64> = part.iter().map(|&index| array.offset(addresses[index])).collect();
                let size = (*bytes as usize).min(16);
                let values = left.as_ref().map(|left| {
                    let each: Vec<String> = part.iter().map(|&index| hex(&left[index][..size])).collect();
                    if each.iter().all(|value| *value == each[0]) { each[0].clone() } else { each.concat() }
                });
                let at = progression(&offsets);
                json!([code, row, place, mask, number, at, bytes, values, passes, sources])
            })
            .collect()
    }

    /// The steps of a transfer, one for each length of its pieces: those that it fills or computes, and those that it copies.
    fn copy(
        &mut self,
        step: &Step,
        [row, place]: [Value; 2],
        (regions, moves): (&[Region], &[Move]),
        come: bool,
    ) -> Vec<Value> {
        let at = Place { function: step.function, site: step.site, ..Place::default() };
        let (read, written): (Vec<&Region>, Vec<&Region>) = regions.iter().partition(|it| it.kind == AccessKind::Load);
        let mut find = |side: &[&Region], address, bytes| {
            let array = self.array(&at, side.first()?.block, side[0].space, address, 4)?;
            self.arrays[array].touch(address, bytes);
            Some((array, self.arrays[array].offset(address)))
        };
        let is_whole = moves.iter().map(|it| it.bytes).sum::<u64>() == written.iter().map(|it| it.bytes).sum::<u64>();
        let rest = written.iter().filter(|_| !is_whole).map(|it| (it.address, None, it.bytes as u32));
        let copied = moves.iter().map(|it| (it.to, Some(it.from), it.bytes as u32));
        let mut parts: BTreeMap<_, (Vec<i64>, Vec<i64>)> = BTreeMap::new();
        for (to, from, bytes) in rest.chain(copied) {
            let from = from.and_then(|from| find(&read, from, bytes));
            let Some((array, to)) = find(&written, to, bytes) else { continue };
            let part = parts.entry((from.map(|(array, _)| array), array, bytes)).or_default();
            part.0.push(to);
            part.1.extend(from.map(|(_, offset)| offset));
        }
        let made = parts.into_iter().map(|((source, array, bytes), (to, from))| {
            let source = source.map(|source| json!([source, [from]]));
            json!([9 + u32::from(come), row, place, step.mask, array, [to], bytes, null, null, source])
        });
        made.collect()
    }

    /// A finding with the steps of its parties; `firsts` says where each step begins in the document.
    fn finding(&self, finding: &Told, steps: &[Step], firsts: &[usize]) -> Value {
        let grid = self.scene.launch.grid;
        let found = match finding.parties[..] {
            [first, second] => pair(steps, [first, second], grid, finding.address).map_or_else(Vec::new, Vec::from),
            [only] => steps.iter().rposition(|step| step.is_at(only, grid, finding.address)).into_iter().collect(),
            _ => Vec::new(),
        };
        let numbers: Vec<usize> = found.into_iter().map(|at| firsts[at]).collect();
        json!({ "kind": finding.kind, "message": finding.message, "steps": numbers })
    }
}
